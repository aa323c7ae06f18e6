package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The examples of the API guide are run as they stand: what people copy must
// work.
func TestAPIGuideExamplesWork(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the examples of docs/api.md cannot run", tool)
		}
	}
	guide, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	shell := false
	for line := range strings.Lines(string(guide)) {
		switch {
		case strings.HasPrefix(line, "```sh"):
			shell = true
		case strings.HasPrefix(line, "```"):
			shell = false
		case shell:
			script.WriteString(line)
		}
	}
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	n := serve(t, at)
	cmd := exec.Command("bash", "-eu", "-o", "pipefail", "-c", script.String())
	cmd.Env = append(os.Environ(), "API="+n.url+"/v1", "ORG="+string(b.Organization), "TOKEN="+b.Token)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`"version"`, `"title":"The handbook"`, "205", "204", `"rule":"organization-admin"`, `"count":2`, `"label":"continuous integration"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the examples did not print %s:\n%s", want, out)
		}
	}
}
