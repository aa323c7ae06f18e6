package reference

import (
	"os"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	text, err := os.ReadFile("../../testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	sections, err := Read(text)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, s := range sections {
		n += len(s.Ops)
	}
	if n < 250 {
		t.Fatalf("%d operations", n)
	}
	page, err := HTML("1.2", sections)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Version 1.2.", `<article id="createSpace">`, `<span class="method">POST</span> http://localhost:8080/v1/orgs/{organizationId}/spaces`} {
		if !strings.Contains(string(page), want) {
			t.Errorf("%s is missing", want)
		}
	}
}
