package reference

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

func TestPages(t *testing.T) {
	text, err := os.ReadFile("../../web/api/testdata/openapi.json")
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
	pages := Markdown("https://docs.example.com", sections)
	blocks, err := Blocks()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(pages, blocks) {
		doc := markup.Parse([]byte(p.Text), markup.Refs{})
		if raw := find(doc.Nodes, func(n *markup.Node) bool { return n.Type == "integration" }); raw != nil {
			b, _ := json.Marshal(raw)
			t.Errorf("%s has something that is no block: %.300s", p.File, b)
		}
		if strings.Contains(p.Text, "\n\n\n") {
			t.Errorf("%s has two empty lines", p.File)
		}
	}
	if i := slices.IndexFunc(pages, func(p Page) bool { return p.Title == "Spaces" }); i < 0 {
		t.Error("no page of spaces")
	} else if !strings.Contains(pages[i].Text, "`POST /v1/orgs/{organizationId}/spaces`") {
		t.Errorf("no operation in\n%.2000s", pages[i].Text)
	}
}

// Every type of block and inline has an example.
func TestBlocksHaveExamples(t *testing.T) {
	for _, typ := range markup.Types() {
		if !strings.Contains("\n"+blockExamples, "\n== "+typ.Name+"\n") {
			t.Errorf("%s has no example in blocks.txt", typ.Name)
		}
	}
}
