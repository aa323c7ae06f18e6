package main_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
	for _, want := range []string{`"version"`, `"title":"The handbook"`, "205", "204", `"rule":"organization-admin"`, `"count":2`, `"label":"continuous integration"`,
		"set-up\n", "(README.md)", "Ada,36", `"body":"Unpack it, then run`, `"stats":{"total":`, `"type":"page_created"`, `"id":"changelog"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the examples did not print %s:\n%s", want, out)
		}
	}
}

// The user guide that comes with the demonstration has no mistakes, and what
// it says of folders is true of itself.
func TestUserGuideIsCleanAndComesBackAsItIs(t *testing.T) {
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	mustOctavo(t, at, "check", "guide")
	n := serve(t, at)
	space := n.made(t, b.Token, "POST", "/v1/orgs/"+string(b.Organization)+"/spaces", map[string]any{"empty": true})
	mustOctavo(t, at, "import", "guide", "--space="+space)
	mustOctavo(t, at, "check", "--space="+space)
	out := filepath.Join(t.TempDir(), "out")
	mustOctavo(t, at, "export", "--space="+space, out)
	for _, pair := range [][2]string{{"guide", out}, {out, "guide"}} {
		err := filepath.WalkDir(pair[0], func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			want, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			got, err := os.ReadFile(pair[1] + strings.TrimPrefix(name, pair[0]))
			if err == nil && !bytes.Equal(got, want) {
				t.Errorf("%s differs", name)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
