package main_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/identity/orgs"
)

// handbook returns a copy of the documentation in testdata that a test may change. Its
// pages contain every kind of syntax. The folder also has an include, variables, tags,
// assets, a page that is not in the navigation, and a file that is not documentation.
func handbook(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "handbook")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "handbook"))); err != nil {
		t.Fatal(err)
	}
	// Not in testdata, because an editor or git would change the line ends there.
	edit(t, dir, "guides/windows.md", func(s string) string {
		return strings.TrimSuffix(strings.ReplaceAll(s, "\n", "\r\n"), "\r\n")
	})
	return dir
}

// pagesOfHandbook is the number of pages in SUMMARY.md.
const pagesOfHandbook = 12

func edit(t testing.TB, dir, name string, change func(string) string) {
	t.Helper()
	file := filepath.Join(dir, filepath.FromSlash(name))
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(change(string(b))), 0o644); err != nil {
		t.Fatal(err)
	}
}

func write(text string) func(string) string    { return func(string) string { return text } }
func appended(text string) func(string) string { return func(s string) string { return s + text } }
func replaced(old, to string) func(string) string {
	return func(s string) string { return strings.ReplaceAll(s, old, to) }
}

// grow adds n pages to a folder. Each contains a word and the number of the next page.
func grow(t testing.TB, dir string, n int, word string) {
	t.Helper()
	lines := ""
	for i := range n {
		name := fmt.Sprintf("more/page-%d.md", i)
		edit(t, dir, name, write(fmt.Sprintf("# Page %d\n\nThe %s of [page %d](page-%d.md).\n", i, word, (i+1)%n, (i+1)%n)))
		lines += fmt.Sprintf("* [Page %d](%s)\n", i, name)
	}
	edit(t, dir, "SUMMARY.md", appended(lines))
}

// contents returns the files of a folder by path.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		name, _ := filepath.Rel(dir, p) // p is below dir
		out[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// differing returns the names of the files that differ between two folders, like diff -r.
func differing(t testing.TB, a, b string) []string {
	t.Helper()
	one, other := contents(t, a), contents(t, b)
	var out []string
	for name, text := range one {
		if there, ok := other[name]; !ok || there != text {
			out = append(out, name)
		}
	}
	for name := range other {
		if _, ok := one[name]; !ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// wantSame fails if two folders differ.
func wantSame(t testing.TB, want, got string) {
	t.Helper()
	a, b := contents(t, want), contents(t, got)
	for _, name := range differing(t, want, got) {
		t.Errorf("%s is %q, want %q", name, b[name], a[name])
	}
}

// library is an instance with one space, which is used by HTTP requests and commands at
// the same time.
type library struct {
	at    place
	n     *node
	admin orgs.Bootstrapped
	space string
}

func openLibrary(t testing.TB, at place) *library {
	t.Helper()
	// A command queues jobs, and the server may be the process that runs them.
	l := &library{at: at, admin: bootstrap(t, at, "Library"), n: serve(t, at, "--outbound-allow=127.0.0.1")}
	l.space = l.n.made(t, l.admin.Token, "POST", "/v1/orgs/"+string(l.admin.Organization)+"/spaces",
		map[string]any{"title": "Handbook", "editMode": "live"})
	return l
}

func (l *library) get(t testing.TB, path string, out any) {
	t.Helper()
	l.n.want(t, http.StatusOK, l.admin.Token, "GET", "/v1/spaces/"+l.space+path, nil, out)
}

func (l *library) head(t testing.TB) string {
	t.Helper()
	var sp struct{ Revision string }
	l.get(t, "", &sp)
	return sp.Revision
}

func (l *library) importFrom(t testing.TB, from string) string {
	t.Helper()
	return mustOctavo(t, l.at, "import", "--space="+l.space, from)
}

// take exports the space to a new folder.
func (l *library) take(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "export")
	mustOctavo(t, l.at, "export", "--space="+l.space, dir)
	return dir
}

func (l *library) verify(t testing.TB) {
	t.Helper()
	mustOctavo(t, l.at, "doctor", "--verify")
}

// changed returns the changes of the newest revision as "type path".
func (l *library) changed(t testing.TB) []string {
	t.Helper()
	var got struct {
		Changes []struct {
			Type            string
			Page            *struct{ Path, Title string }
			File            *struct{ Name string }
			ReusableContent *thing
		}
		More int
	}
	l.get(t, "/revisions/"+l.head(t)+"/changes?limit=1000", &got)
	out := []string{}
	for _, c := range got.Changes {
		what := ""
		switch {
		case c.Page != nil:
			what = c.Page.Path
		case c.File != nil:
			what = c.File.Name
		case c.ReusableContent != nil:
			what = c.ReusableContent.Title
		}
		out = append(out, strings.TrimSpace(c.Type+" "+what))
	}
	slices.Sort(out)
	return out
}

func TestFolderComesBackAsItWas(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		l := openLibrary(t, at)
		dir := handbook(t)
		out := l.importFrom(t, dir)
		if want := fmt.Sprintf("imported %d pages, 1 page outside of SUMMARY.md, 4 files and 1 reusable content as revision %s\n", pagesOfHandbook, l.head(t)); out != want {
			t.Errorf("import printed %q, want %q", out, want)
		}
		wantSame(t, dir, l.take(t))

		before := l.head(t)
		if out := l.importFrom(t, dir); out != "nothing has changed\n" {
			t.Errorf("the same folder again: %q", out)
		}
		if now := l.head(t); now != before {
			t.Errorf("the same folder made a new revision")
		}
		l.verify(t)
		l.n.stop(t)
	})
}

// Whoever imports a folder gets the findings of check, in its words.
func TestImportReportsWhatCheckReports(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	edit(t, dir, "README.md", appended("\n[Gone](gone.md) [Part](guides/install.md#gone)\n\n{% hint style=\"bad\" %}\nText\n"))
	edit(t, dir, ".env", write("A=1\n"))
	edit(t, dir, ".github/workflow.md", write("# Not a page\n"))
	check := exec.Command(binary, "check", dir)
	want, err := check.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(string(want), "left out (names with a dot to which SUMMARY.md does not link, and node_modules): .env, .github/") {
		t.Fatalf("check: %v:\n%s", err, want)
	}
	_, got, err := octavo(l.at, "import", "--space="+l.space, dir)
	if err != nil || !strings.HasPrefix(got, string(want)) {
		t.Errorf("import: %v: printed\n%s\nand check\n%s", err, got, want)
	}
	l.n.stop(t)
}

// Each step changes the folder and imports it. The revision must contain exactly the
// changes of the step, and the export must equal the folder.
func TestImportChangesWhatTheFolderChanged(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	l.importFrom(t, dir)
	for _, step := range []struct {
		name string
		do   func(t *testing.T)
		want []string
	}{
		{"a paragraph more", func(t *testing.T) { edit(t, dir, "reference/parts.md", appended("\nBrass is for show.\n")) },
			[]string{"page_edited reference/parts"}},
		{"an old form", func(t *testing.T) { edit(t, dir, "reference/legacy.md", replaced("with plus", "with a plus")) },
			[]string{"page_edited reference/legacy"}},
		{"line ends of another system", func(t *testing.T) { edit(t, dir, "guides/windows.md", appended(".\r\n")) },
			[]string{"page_edited guides/windows"}},
		{"a description", func(t *testing.T) { edit(t, dir, "README.md", replaced("for those who keep one", "for all")) },
			[]string{"page_edited readme"}},
		{"a title", func(t *testing.T) {
			edit(t, dir, "changelog.md", replaced("# What is new", "# News"))
			edit(t, dir, "SUMMARY.md", replaced("[What is new]", "[News]"))
		}, []string{"page_edited changelog"}},
		{"an include", func(t *testing.T) { edit(t, dir, ".gitbook/includes/storm.md", replaced("Stay inside", "Stay")) },
			[]string{"reusable_content_edited In a storm"}},
		{"a variable", func(t *testing.T) { edit(t, dir, ".gitbook/vars.yaml", replaced("Skerry Head", "Bell Rock")) },
			[]string{"variables_edited"}},
		{"an image", func(t *testing.T) { edit(t, dir, ".gitbook/assets/beam.svg", replaced("#fc0", "#fd0")) },
			[]string{"file_edited beam.svg"}},
		{"a new page", func(t *testing.T) {
			edit(t, dir, "guides/paint.md", write("# Paint the tower\n\nRed, white, red. See [parts](../reference/parts.md).\n"))
			edit(t, dir, "SUMMARY.md", replaced("  * [From another", "  * [Paint the tower](guides/paint.md)\n  * [From another"))
		}, []string{"page_created guides/paint"}},
		{"a page gone", func(t *testing.T) {
			if err := os.Remove(filepath.Join(dir, "reference", "operations.md")); err != nil {
				t.Fatal(err)
			}
			edit(t, dir, "SUMMARY.md", replaced("* [Operations](reference/operations.md)\n", ""))
		}, []string{"page_deleted reference/operations"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			before := l.head(t)
			step.do(t)
			l.importFrom(t, dir)
			if l.head(t) == before {
				t.Fatal("no revision was made")
			}
			if got := l.changed(t); !slices.Equal(got, step.want) {
				t.Errorf("the revision changed %q, want %q", got, step.want)
			}
			wantSame(t, dir, l.take(t))
			if out := l.importFrom(t, dir); out != "nothing has changed\n" {
				t.Errorf("the same folder again: %q", out)
			}
		})
	}
	l.verify(t)
	l.n.stop(t)
}

// The identity of a page is its file. A page keeps its ID over imports, even if it moves
// in the navigation.
func TestPagesKeepTheirIdsOverImports(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	l.importFrom(t, dir)
	idOf := func(path string) string {
		t.Helper()
		var p thing
		l.get(t, "/content/path/"+url.PathEscape(path), &p)
		return p.ID
	}
	log, parts := idOf("guides/everyday/log"), idOf("reference/parts")
	edit(t, dir, "SUMMARY.md", func(s string) string {
		line := "    * [Write the log](guides/everyday/log.md)\n"
		return strings.Replace(s, line, "", 1) + "* [The log](guides/everyday/log.md)\n"
	})
	l.importFrom(t, dir)
	if got := idOf("log"); got != log {
		t.Errorf("the moved page has the id %s, it had %s", got, log)
	}
	if got := idOf("guides/everyday/log"); got != log {
		t.Errorf("its old path leads to %s", got)
	}
	if got := idOf("reference/parts"); got != parts {
		t.Errorf("another page has the id %s, it had %s", got, parts)
	}
	wantSame(t, dir, l.take(t))
	l.verify(t)
	l.n.stop(t)
}

// An edit through the API is the only change in the export.
func TestExportAfterAnEditDiffersInThatPage(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	l.importFrom(t, dir)
	var p struct{ ID, Markdown string }
	l.get(t, "/content/path/"+url.PathEscape("guides/install")+"?format=markdown", &p)
	l.n.want(t, http.StatusOK, l.admin.Token, "POST", "/v1/spaces/"+l.space+"/content", map[string]any{"changes": []any{map[string]any{
		"operation": "update_page", "page": p.ID, "document": map[string]any{"markdown": strings.Replace(p.Markdown, "Turn the switch.", "Turn the big switch.", 1)},
	}}}, nil)
	if got := l.changed(t); !slices.Equal(got, []string{"page_edited guides/install"}) {
		t.Errorf("the edit changed %q", got)
	}
	edit(t, dir, "guides/install.md", replaced("Turn the switch.", "Turn the big switch."))
	wantSame(t, dir, l.take(t))

	// Reading a page and writing it back changes nothing.
	before := l.head(t)
	var tree struct{ Pages []shownPage }
	l.get(t, "/content/pages", &tree)
	var back func(pages []shownPage)
	back = func(pages []shownPage) {
		for _, s := range pages {
			var p struct {
				Type, Markdown string
				Document       json.RawMessage
			}
			l.get(t, "/content/page/"+s.ID+"?format=markdown", &p)
			bodies := []map[string]any{{"markdown": p.Markdown}}
			l.get(t, "/content/page/"+s.ID+"?format=document", &p)
			bodies = append(bodies, map[string]any{"document": p.Document})
			for _, body := range bodies {
				if p.Type != "document" {
					continue
				}
				l.n.want(t, http.StatusOK, l.admin.Token, "POST", "/v1/spaces/"+l.space+"/content", map[string]any{"changes": []any{map[string]any{
					"operation": "update_page", "page": s.ID, "document": body,
				}}}, nil)
				if now := l.head(t); now != before {
					t.Errorf("writing back %q as %v made a revision: %q", s.Title, slices.Collect(maps.Keys(body)), l.changed(t))
					before = now
				}
			}
			back(s.Pages)
		}
	}
	back(tree.Pages)
	wantSame(t, dir, l.take(t))
	l.verify(t)
	l.n.stop(t)
}

func TestImportOfAFolderInsideARepository(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "docs"), os.DirFS(handbook(t))); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(dir, "docs", ".gitbook.yaml"), filepath.Join(dir, ".gitbook.yaml")); err != nil {
		t.Fatal(err)
	}
	edit(t, dir, ".gitbook.yaml", replaced("root: ./\n", "root: ./docs/\n"))
	l.importFrom(t, dir)
	wantSame(t, dir, l.take(t))
	l.n.stop(t)
}

// packed returns a zip file of a folder, with additional entries.
func packed(t testing.TB, dir, below string, more ...*zip.FileHeader) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	put := func(h *zip.FileHeader, text string) {
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	files := contents(t, dir)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		put(&zip.FileHeader{Name: below + name, Method: zip.Deflate}, files[name])
	}
	for _, h := range more {
		put(h, "../README.md")
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "handbook.zip")
	if err := os.WriteFile(file, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestImportOfAZipFile(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	l.importFrom(t, packed(t, dir, ""))
	wantSame(t, dir, l.take(t))
	for _, from := range []string{dir, packed(t, dir, "handbook-main/")} {
		if out := l.importFrom(t, from); out != "nothing has changed\n" {
			t.Errorf("%s: %q", from, out)
		}
	}
	before := l.head(t)
	link := &zip.FileHeader{Name: "guides/link.md"}
	link.SetMode(fs.ModeSymlink | 0o777)
	for _, bad := range []struct {
		name   string
		header *zip.FileHeader
		says   string
	}{
		{"a name that leaves it", &zip.FileHeader{Name: "../escape.md"}, "escape.md, which is refused"},
		{"one in the middle", &zip.FileHeader{Name: "guides/../../escape.md"}, "escape.md, which is refused"},
		{"an absolute name", &zip.FileHeader{Name: "/escape.md"}, "escape.md, which is refused"},
		{"a name of another system", &zip.FileHeader{Name: `..\escape.md`}, "escape.md, which is refused"},
		{"a link", link, "guides/link.md, which is refused: it is a symbolic link"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			_, stderr, err := octavo(l.at, "import", "--space="+l.space, packed(t, dir, "", bad.header))
			if err == nil || !strings.Contains(stderr, bad.says) {
				t.Errorf("%v: %q, want %q in it", err, stderr, bad.says)
			}
		})
	}
	if l.head(t) != before {
		t.Error("a refused archive changed the space")
	}
	l.n.stop(t)
}

func TestLinksInAFolderAreNotFollowed(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	secret := filepath.Join(t.TempDir(), "secret")
	edit(t, secret, "secret.md", write("# Secret\n\nxyzzyplugh\n"))
	for name, to := range map[string]string{
		"guides/link.md":              filepath.Join(secret, "secret.md"),
		"linked":                      secret,
		".gitbook/assets/link.png":    filepath.Join(secret, "secret.md"),
		".gitbook/includes/linked.md": "../../README.md",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	edit(t, dir, "SUMMARY.md", appended("* [Link](guides/link.md)\n* [Linked](linked/secret.md)\n"))
	_, stderr, err := octavo(l.at, "import", "--space="+l.space, dir)
	if err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	for _, name := range []string{"guides/link.md", "linked", ".gitbook/assets/link.png", ".gitbook/includes/linked.md"} {
		if !strings.Contains(stderr, name+": the file is left out: it is a symbolic link") {
			t.Errorf("nothing is reported of %s:\n%s", name, stderr)
		}
	}
	out := l.take(t)
	for name, text := range contents(t, out) {
		if strings.Contains(text, "xyzzyplugh") {
			t.Errorf("%s has what the link leads to", name)
		}
	}
	l.n.stop(t)
}

func TestImportSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	trashed := l.n.made(t, l.admin.Token, "POST", "/v1/orgs/"+string(l.admin.Organization)+"/spaces", map[string]any{"title": "Trash"})
	l.n.want(t, http.StatusResetContent, l.admin.Token, "DELETE", "/v1/spaces/"+trashed, nil, nil)
	noZip := filepath.Join(t.TempDir(), "no.zip")
	if err := os.WriteFile(noZip, []byte("PK, but nothing else"), 0o644); err != nil {
		t.Fatal(err)
	}
	full := t.TempDir()
	edit(t, full, "precious", write("keep"))
	for _, c := range []struct {
		name    string
		command string
		args    []string
		says    string
	}{
		{"unknown space", "import", []string{"--space=nowhere", dir}, `there is no space "nowhere"`},
		{"a space in the trash", "import", []string{"--space=" + trashed, dir}, "there is no space"},
		{"no such folder", "import", []string{"--space=" + l.space, filepath.Join(dir, "none")}, "no such file"},
		{"not an archive", "import", []string{"--space=" + l.space, noZip}, "not a zip archive"},
		{"export of an unknown space", "export", []string{"--space=nowhere", t.TempDir()}, `there is no space "nowhere"`},
		{"export over something", "export", []string{"--space=" + l.space, full}, "is not empty; choose another folder"},
		{"check of an unknown space", "check", []string{"--space=nowhere"}, `there is no space "nowhere"`},
		{"check of two things", "check", []string{"--space=" + l.space, dir}, "either a folder or --space"},
		{"check of nothing", "check", nil, "either a folder or --space"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, stderr, err := octavo(l.at, c.command, c.args...)
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() == 0 || !strings.Contains(stderr, c.says) {
				t.Errorf("%v: %q, want %q in it", err, stderr, c.says)
			}
		})
	}
	if got := contents(t, full); len(got) != 1 || got["precious"] != "keep" {
		t.Errorf("the export left %v", got)
	}
	l.n.stop(t)
}
