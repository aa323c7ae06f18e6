package main_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/docs/manual"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// shellBlocks returns the blocks of shell commands in a Markdown file, starting at a
// heading.
func shellBlocks(t *testing.T, file, heading string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), heading)
	if !found {
		t.Fatalf("%s has no %q", file, heading)
	}
	shell := false
	for line := range strings.Lines(rest) {
		switch {
		case strings.HasPrefix(line, "```sh"):
			shell = true
			blocks = append(blocks, "")
		case strings.HasPrefix(line, "```"):
			shell = false
		case shell:
			blocks[len(blocks)-1] += line
		}
	}
	return blocks
}

// runShell runs commands as users do who copy them, and returns their output.
func runShell(t *testing.T, dir, script string, env ...string) string {
	t.Helper()
	cmd := exec.Command("bash", "-eu", "-o", "pipefail", "-c", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

func needShell(t *testing.T) {
	t.Helper()
	for _, tool := range []string{"bash", "curl", "sed"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the examples cannot run", tool)
		}
	}
}

func mustPrint(t *testing.T, out string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(out, want) {
			t.Errorf("the examples did not print %s:\n%s", want, out)
		}
	}
}

const (
	manualFolder = "../../docs/manual"
	guideFolder  = manualFolder + "/guide"
)

// apiBlocks returns the commands of the pages about the API, in order.
func apiBlocks(t *testing.T) (blocks []string) {
	t.Helper()
	summary, err := os.ReadFile(manualFolder + "/api/SUMMARY.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`\(([^/\s]+\.md)\)`).FindAllStringSubmatch(string(summary), -1) { // not the reference
		blocks = append(blocks, shellBlocks(t, manualFolder+"/api/"+m[1], "# ")...)
	}
	return blocks
}

// The examples of the API guide are run exactly as written, because users copy them.
func TestAPIGuideExamplesWork(t *testing.T) {
	t.Parallel()
	needShell(t)
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	n := serve(t, at)
	script := strings.Join(apiBlocks(t), "")
	out := runShell(t, t.TempDir(), script, "API="+n.url+"/v1", "ORG="+string(b.Organization), "TOKEN="+b.Token)
	mustPrint(t, out, `"version"`, `"title":"The handbook"`, "205", "204", `"rule":"organization-admin"`, `"count":2`, `"label":"continuous integration"`,
		"set-up\n", "(README.md)", "Ada,36", `"body":"Unpack it, then run`, `"stats":{"total":`, `"type":"page_created"`, `"id":"changelog"`)
}

// The commands of the README are run exactly as written, except for values that users
// fill in: the address of the server, IDs, a token and a repository.
func TestReadmeCommandsWork(t *testing.T) {
	t.Parallel()
	needShell(t)
	testgit.Need(t, "git")
	dir := t.TempDir()
	guide, err := filepath.Abs(guideFolder)
	if err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"bin/octavo": binary, "docs/manual/guide": guide} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(link)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	origin := testgit.New(t)
	origin.Commit(map[string]string{"README.md": "# Home\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n"})

	blocks := shellBlocks(t, "../../README.md", "## Five minutes")
	first := filled(t, blocks[0], "make build\n", "", "./bin/octavo serve --data ./acme\n", "")
	var b orgs.Bootstrapped
	if out := runShell(t, dir, first); json.Unmarshal([]byte(out), &b) != nil {
		t.Fatalf("bootstrap printed %q", out)
	}
	n := serve(t, place{data: filepath.Join(dir, "acme")}, "--outbound-allow=127.0.0.1")
	rest := filled(t, strings.Join(blocks[1:], ""),
		"export API=http://127.0.0.1:8080/v1 ORG=… TOKEN=octavo_…\n", "",
		"export SPACE=… ", `export SPACE=$(o $API/orgs/$ORG/spaces | sed -E 's/.*"object":"space","id":"([^"]*)".*/\1/') `,
		"USER_ID", string(b.User),
		"https://git.example.com/acme/docs.git", origin.HTTP("", "").URL)
	out := runShell(t, dir, rest, "API="+n.url+"/v1", "ORG="+string(b.Organization), "TOKEN="+b.Token,
		"OCTAVO_URL="+n.url, "OCTAVO_OUTBOUND_ALLOW=127.0.0.1")
	mustPrint(t, out, `"title":"Guides"`, `"email":"bob@example.com"`, "octavo_", `"stats":`, `"rule":"organization-admin"`, "nothing")
}

// The commands in the guide pages about sites are run as well.
func TestGuideToSitesWorks(t *testing.T) {
	t.Parallel()
	needShell(t)
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	n := serve(t, at)
	org := "/v1/orgs/" + string(b.Organization)
	space := n.made(t, b.Token, "POST", org+"/spaces", map[string]any{"title": "Handbook"})
	other := n.made(t, b.Token, "POST", org+"/spaces", map[string]any{"title": "Cookbook"})
	define := apiBlocks(t)[0]
	script := define + filled(t, strings.Join(shellBlocks(t, guideFolder+"/publishing/sites.md", "# Sites"), ""),
		"export SITE=… ", `export SITE=$(o $API/orgs/$ORG/sites | sed -E 's/.*"object":"site","id":"([^"]*)".*/\1/') `) +
		"HOME_URL=$(o $API/orgs/$ORG/sites/$SITE | field published)\n" +
		strings.Join(shellBlocks(t, guideFolder+"/publishing/visitors.md", "# Visitors"), "")
	out := runShell(t, t.TempDir(), script, "API="+n.url+"/v1", "ORG="+string(b.Organization), "TOKEN="+b.Token, "SPACE="+space, "OTHER="+other)
	mustPrint(t, out, "/s/handbook/", `"title":"Recipes"`, `"light":"#006633"`, "token=", `"name":"Press"`, "privateKey", `"object":"site-adaptive-schema"`, `"steps":`)
}

// filled returns a text with pairs replaced. The text must contain each of them.
func filled(t *testing.T, text string, pairs ...string) string {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			t.Fatalf("the text has no %q:\n%s", pairs[i], text)
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// The manual of the demonstration has no problems, and is exported exactly as it was
// imported.
func TestManualIsCleanAndComesBackAsItIs(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	n := serve(t, at)
	for _, book := range manual.Books {
		folder := filepath.Join(manualFolder, book.Folder)
		space := n.made(t, b.Token, "POST", "/v1/orgs/"+string(b.Organization)+"/spaces", map[string]any{"empty": true})
		mustOctavo(t, at, "import", folder, "--space="+space)
		out := filepath.Join(t.TempDir(), "out")
		mustOctavo(t, at, "export", "--space="+space, out)
		sameFolders(t, folder, out)
	}
}

// sameFolders compares all files of two folders.
func sameFolders(t *testing.T, one, two string) {
	t.Helper()
	for _, pair := range [][2]string{{one, two}, {two, one}} {
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
