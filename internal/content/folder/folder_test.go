package folder

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/testing/golden"
)

// memory is a Sink that keeps the files in memory.
type memory map[string]string

func (m memory) WriteFile(name string, data io.Reader) error {
	if why := names.Problem(name); why != "" {
		return fmt.Errorf("%q: %s", name, why)
	}
	if _, ok := m[name]; ok {
		return fmt.Errorf("%q is written twice", name)
	}
	b, err := io.ReadAll(data)
	m[name] = string(b)
	return err
}

func mapFS(files map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, data := range files {
		out[name] = &fstest.MapFile{Data: []byte(data)}
	}
	return out
}

func mustRead(t testing.TB, fsys fs.FS) *Tree {
	t.Helper()
	tree, err := Read(fsys, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func written(t testing.TB, tree *Tree) memory {
	t.Helper()
	out := memory{}
	if err := Write(out, tree); err != nil {
		t.Fatal(err)
	}
	return out
}

// dump formats a tree for goldens.
func dump(t *Tree) string {
	var b strings.Builder
	if t.Root != "." || t.Readme != readmeName || t.Summary != summaryName {
		fmt.Fprintf(&b, "root %s, readme %s, summary %s\n", t.Root, t.Readme, t.Summary)
	}
	for _, it := range flatten(t.Pages) {
		p := it.page
		fmt.Fprintf(&b, "%s%s %q", strings.Repeat("  ", it.depth), p.Type, p.Title)
		for _, f := range []struct{ name, value string }{
			{"emoji", p.Emoji}, {"shown as", p.LinkTitle}, {"slug", p.Slug}, {"file", p.File}, {"target", p.Target},
		} {
			if f.value != "" {
				fmt.Fprintf(&b, ", %s %s", f.name, f.value)
			}
		}
		if p.Computed != nil {
			fmt.Fprintf(&b, ", %v", p.Computed)
		}
		if p.Type == Document && p.Source == nil {
			b.WriteString(", without file")
		}
		b.WriteByte('\n')
	}
	for _, in := range t.Includes {
		fmt.Fprintf(&b, "include %q, file %s\n", in.Title, in.File)
	}
	for _, f := range t.Files {
		fmt.Fprintf(&b, "asset %s (%d)\n", f.Path, f.Size)
	}
	for _, f := range t.Others {
		fmt.Fprintf(&b, "other %s (%d)\n", f.Path, f.Size)
	}
	for _, p := range t.Unlisted {
		fmt.Fprintf(&b, "unlisted %q, file %s\n", p.Title, p.File)
	}
	for _, k := range sortedKeys(t.Variables) {
		fmt.Fprintf(&b, "variable %s = %#v\n", k, t.Variables[k])
	}
	for _, tag := range t.Tags {
		fmt.Fprintf(&b, "tag %+v\n", tag)
	}
	for _, r := range t.Redirects {
		fmt.Fprintf(&b, "redirect %s -> %s\n", r.From, r.To)
	}
	for _, f := range t.Skipped {
		fmt.Fprintf(&b, "skipped %s\n", f)
	}
	return b.String()
}

// TestFolders reads the folders in testdata/folders, compares the tree and the problems
// with the goldens, and checks that writing returns the same files.
func TestFolders(t *testing.T) {
	names, err := filepath.Glob("testdata/folders/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no folders", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files, want := map[string]string{}, map[string]*[]byte{}
			for i, f := range a.Files {
				if strings.HasPrefix(f.Name, "want/") {
					want[f.Name] = &a.Files[i].Data
				} else {
					files[f.Name] = string(f.Data)
				}
			}
			tree := mustRead(t, mapFS(files))
			var problems bytes.Buffer
			if err := Format(&problems, Check(tree), "text"); err != nil {
				t.Fatal(err)
			}
			for file, got := range map[string]string{"want/tree": dump(tree), "want/check": problems.String()} {
				if want[file] == nil {
					a.Files = append(a.Files, txtar.File{Name: file})
					want[file] = &a.Files[len(a.Files)-1].Data
				}
				if golden.Update() {
					*want[file] = []byte(got)
					golden.Write(t, name, txtar.Format(a))
				} else {
					golden.Equal(t, file, []byte(got), *want[file])
				}
			}
			out := written(t, tree)
			for _, f := range slices.Sorted(maps.Keys(files)) {
				if strings.HasPrefix(f, ".git/") || strings.HasPrefix(f, ".github/") {
					continue
				}
				if tree.Root != "." && f != configName && !strings.HasPrefix(f, tree.Root+"/") {
					continue
				}
				if got, ok := out[f]; !ok || got != files[f] {
					t.Errorf("%s was written as %q", f, got)
				}
				delete(out, f)
			}
			if len(out) > 0 {
				t.Errorf("new files: %v", slices.Sorted(maps.Keys(out)))
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	link := &fstest.MapFile{Data: []byte("/etc/passwd"), Mode: fs.ModeSymlink}
	base := func(more fstest.MapFS) fstest.MapFS {
		m := mapFS(map[string]string{"README.md": "# R\n", "SUMMARY.md": "* [R](README.md)\n"})
		maps.Copy(m, more)
		return m
	}
	page := &fstest.MapFile{Data: []byte("# P\n")}
	for _, c := range []struct {
		name string
		fsys fstest.MapFS
		want string
	}{
		{"link", base(fstest.MapFS{"a.md": link}), "a.md: the file is left out: it is a symbolic link or a special file (symlink)"},
		{"device", base(fstest.MapFS{"a.md": {Mode: fs.ModeDevice}}), "a.md: the file is left out: it is a symbolic link or a special file (symlink)"},
		{"device of Windows", base(fstest.MapFS{"docs/aux.md": page}), "docs/aux.md: the file is left out: its name is reserved on Windows; rename it (bad-path)"},
		{"short name of git", base(fstest.MapFS{"git~1/config": page}), "git~1: the file is left out: its name is reserved for git (bad-path)"},
		{"hidden git", base(fstest.MapFS{"a\u200b/x.md": page, "b/.git\u200c/config": page}), ""},
		{"direction", base(fstest.MapFS{"a\u202egnp.md": page}), `a\u202egnp.md: the file is left out: its name has characters that turn the direction of text (bad-path)`},
		{"control", base(fstest.MapFS{"a\x01.md": page}), `a\x01.md: the file is left out: its name has control characters (bad-path)`},
		{"backslash", base(fstest.MapFS{`a\b.md`: page}), `a\\b.md: the file is left out: its name has a backslash (bad-path)`},
		{"dot at the end", base(fstest.MapFS{"a./b.md": page}), "a.: the file is left out: its name ends with a dot or a space (bad-path)"},
		{"long name", base(fstest.MapFS{strings.Repeat("n", 300) + ".md": page}), strings.Repeat("n", 255) + "…"},
		{"twins", base(fstest.MapFS{"a/B.md": page, "a/b.md": page}), "a/b.md: the name differs from a/B.md in case only: both are kept, but systems that ignore case have one of them; rename one (case-twin)"},
	} {
		tree := mustRead(t, c.fsys)
		var got []string
		for _, p := range tree.Problems {
			if p.Code != CodeNotInSummary {
				got = append(got, p.String())
			}
		}
		all := strings.ReplaceAll(strings.Join(got, "\n"), `\u2026`, "…")
		if c.want == "" && all != "" || !strings.Contains(all, c.want) || c.want != "" && len(got) != 1 {
			t.Errorf("%s: %q, want %q", c.name, all, c.want)
		}
		for name := range written(t, tree) {
			if why := names.Problem(name); why != "" {
				t.Errorf("%s: wrote %q", c.name, name)
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	many := fstest.MapFS{}
	for i := range 30 {
		many[fmt.Sprintf("p%d.md", i)] = &fstest.MapFile{Data: []byte("text")}
	}
	for _, c := range []struct {
		name   string
		fsys   fstest.MapFS
		limits Limits
		want   string
	}{
		{"root above", mapFS(map[string]string{".gitbook.yaml": "root: ../\n"}), Limits{}, `.gitbook.yaml:1: root is "../", which is not a path in the folder`},
		{"root absolute", mapFS(map[string]string{".gitbook.yaml": "root: /etc\n"}), Limits{}, "not a path in the folder"},
		{"summary above", mapFS(map[string]string{".gitbook.yaml": "structure:\n  summary: ../../x\n"}), Limits{}, ".gitbook.yaml:2: structure.summary"},
		{"root missing", mapFS(map[string]string{".gitbook.yaml": "root: ./docs\n"}), Limits{}, `the content is in "docs", which is not a folder`},
		{"root is a link", fstest.MapFS{".gitbook.yaml": {Data: []byte("root: ./docs\n")}, "docs": {Data: []byte("/etc"), Mode: fs.ModeSymlink}}, Limits{}, "not a folder"},
		{"configuration is a link", fstest.MapFS{".gitbook.yaml": {Data: []byte("x.yaml"), Mode: fs.ModeSymlink}, "x.yaml": {Data: []byte("root: .")}}, Limits{}, "not a plain file"},
		{"files", many, Limits{Files: 10}, "more than 10 files"},
		{"memory", many, Limits{Memory: 100}, "together"},
		{"entries", mapFS(map[string]string{"SUMMARY.md": strings.Repeat("* [a](a.md)\n", 100)}), Limits{Entries: 50}, "more than 50 entries"},
	} {
		_, err := Read(c.fsys, c.limits)
		if !errs.Is(err, errs.Invalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

func TestLargeFilesAreLeftOut(t *testing.T) {
	fsys := mapFS(map[string]string{"README.md": "# R\n", "SUMMARY.md": "* [R](README.md)\n* [Big](big.md)\n  * [S](small.md)\n", "big.md": strings.Repeat("x", 200), "small.md": "s", "big.png": strings.Repeat("x", 300)})
	tree, err := Read(fsys, Limits{Markdown: 100, Asset: 250})
	if err != nil {
		t.Fatal(err)
	}
	want := "document \"R\", slug readme, file README.md\ndocument \"S\", slug small, file small.md\nother big.md (200)\nskipped big.md\n"
	if got := dump(tree); got != want {
		t.Errorf("got\n%s", got)
	}
	out := written(t, tree)
	if out["SUMMARY.md"] != string(fsys["SUMMARY.md"].Data) || len(out) != 4 {
		t.Errorf("wrote %v", out)
	}
}

func TestDeepNestingIsBounded(t *testing.T) {
	var b strings.Builder
	files := map[string]string{"README.md": "# R\n"}
	for i := range 200 {
		fmt.Fprintf(&b, "%s* [P%d](p%d.md)\n", strings.Repeat("  ", i), i, i)
		files[fmt.Sprintf("p%d.md", i)] = fmt.Sprintf("# P%d\n", i)
	}
	files["SUMMARY.md"] = b.String()
	tree := mustRead(t, mapFS(files))
	deepest := 0
	for _, it := range flatten(tree.Pages) {
		deepest = max(deepest, it.depth)
	}
	if deepest >= DefaultLimits.Depth || len(tree.All()) != 201 {
		t.Errorf("%d pages, %d deep", len(tree.All()), deepest)
	}
	if written(t, tree)["SUMMARY.md"] != files["SUMMARY.md"] {
		t.Error("the summary changed")
	}
}

// TestWriteMakesGoodNames writes a tree that was built in memory, not read.
func TestWriteMakesGoodNames(t *testing.T) {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("data")), nil }
	page := func(file, title string) *Page {
		src := []byte("# " + title + "\n")
		return &Page{Type: Document, Title: title, File: file, Source: src, Head: markup.ParseHead(src)}
	}
	tree := &Tree{
		Pages: []*Page{
			page("README.md", "Home"), page("../../etc/passwd.md", "A"), page("docs/CON.md", "B"), page("Docs/con.md", "C"), page("SUMMARY.md", "D"),
			page("a\u202eb.md", "E"), page("/abs/.git/x.md", "F"), page("a (1) & b%.md", "G"), page("", "H"), page("c:/x.md", "I"), page(strings.Repeat("ü", 400)+".md", "J"),
			page(strings.Repeat("ü", 400)+".md", "K"),
		},
		Files:     []*File{{Path: "../x.png", Size: 4, Open: open}, {Path: ".gitbook/assets/x y.png", Size: 4, Open: open}, {Path: ".gitbook/assets/X Y.png", Size: 4, Open: open}},
		Redirects: []Redirect{{"old", "docs/_con.md", 0}},
		Variables: map[string]any{"v": "1", "n": 2.0, "b": true},
		Tags:      []Tag{{"beta", "Beta", "flask", "blue"}},
	}
	out := written(t, tree)
	long := strings.Repeat("ü", 126)
	want := map[string]string{
		".gitbook.yaml": "redirects:\n  old: docs/_con.md\n", ".gitbook/vars.yaml": "b: true\nn: 2\nv: \"1\"\n",
		".gitbook/tags.yaml":      "- tag: beta\n  label: Beta\n  icon: flask\n  color: blue\n",
		".gitbook/assets/x y.png": "data", ".gitbook/assets/X Y.png": "data", "x.png": "data",
		"README.md": "# Home\n", "etc/passwd.md": "# A\n", "docs/_CON.md": "# B\n", "Docs/_con-2.md": "# C\n", "SUMMARY-2.md": "# D\n", "ab.md": "# E\n",
		"abs/_.git/x.md": "# F\n", "a (1) & b%.md": "# G\n", "untitled.md": "# H\n", "c:/x.md": "# I\n", long + ".md": "# J\n", long[:len(long)-2] + "-2.md": "# K\n",
		"SUMMARY.md": `# Table of contents

* [Home](README.md)
* [A](etc/passwd.md)
* [B](docs/_CON.md)
* [C](Docs/_con-2.md)
* [D](SUMMARY-2.md)
* [E](ab.md)
* [F](abs/_.git/x.md)
* [G](<a (1) %26 b%25.md>)
* [H](untitled.md)
* [I](c:/x.md)
* [J](` + long + `.md)
* [K](` + long[:len(long)-2] + `-2.md)
`,
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if out[name] != want[name] {
			t.Errorf("%s: got %q, want %q", name, out[name], want[name])
		}
		delete(out, name)
	}
	if len(out) > 0 {
		t.Errorf("also wrote %v", out)
	}
}

func TestChangedSettingsKeepTheRest(t *testing.T) {
	tree := mustRead(t, mapFS(map[string]string{
		"README.md": "# R\n", "SUMMARY.md": "* [R](README.md)\n",
		".gitbook.yaml":      "# where\n\nroot:   ./   # here\n\nredirects:\n    a: README.md # old\n    b: 'README.md'\n\nmore: {x:  1}\n",
		".gitbook/vars.yaml": "# ours\r\n\r\nb: 1   # one\r\na: x\r\n\r\nbad: [1,2]\r\n",
	}))
	tree.Redirects = []Redirect{{"b", "README.md", 0}, {"c", "README.md", 0}}
	tree.Variables["b"] = 2.0
	delete(tree.Variables, "a")
	out := written(t, tree)
	for name, want := range map[string]string{
		".gitbook.yaml":      "# where\n\nroot:   ./   # here\n\nredirects:\n    b: 'README.md'\n    c: README.md\n\nmore: {x:  1}\n",
		".gitbook/vars.yaml": "# ours\r\n\r\nb: 2   # one\r\n\r\nbad: [1,2]\r\n",
	} {
		if out[name] != want {
			t.Errorf("%s is now\n%s", name, out[name])
		}
	}
}

// The root that is written is the root that is read, also if its name begins with a dot.
func TestRootsWithDots(t *testing.T) {
	for root, want := range map[string]string{
		".docs": "root: ./.docs\n", "..docs/en": "root: ./..docs/en\n", "docs": "root: ./docs\n", "./docs/": "root: ./docs\n", ".": "",
	} {
		tree := &Tree{Root: root}
		got, err := tree.configBytes()
		if err != nil || string(got) != want {
			t.Errorf("the settings of the root %q are %q, %v", root, got, err)
		}
		if c, err := parseConfig(got, &problems{}); err != nil || c.root != path.Clean(root) {
			t.Errorf("%q is read as %q, %v", got, c.root, err)
		}
	}
	tree := &Tree{Root: ".", ConfigSource: []byte("root: ./docs\n")}
	if got, err := tree.configBytes(); err != nil || string(got) != "root: ./\n" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestFilesAreOpenedLate(t *testing.T) {
	fsys := mapFS(map[string]string{"README.md": "# R\n![](pic.png)\n", "pic.png": "png"})
	tree := mustRead(t, fsys)
	fsys["pic.png"].Data = []byte("PNG")
	f, err := tree.Files[0].Open()
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := io.ReadAll(f); string(b) != "PNG" {
		t.Errorf("%q", b)
	}
}

// A destination in the form of another tool is missing if none of the paths that it may mean
// exists, and what a mark of another tool includes is no reusable content.
func TestCheckOfMarksOfOtherTools(t *testing.T) {
	problems := Check(mustRead(t, mapFS(map[string]string{
		"README.md": "# Home\n\n[a]({{< relref \"a.md\" >}}) [b]({% link sub/b.md %}) [c]({{ site.baseurl }}/sub/b) [d]({% link sub/d.md %})\n\n" +
			"{% include note.html content=\"[b](sub/b.md) [e](e.md)\" %}\n\n{% include toc.html %}\n\n{{< figure src=\"a.png\" >}}\n",
		"a.md": "# A\n", "sub/b.md": "# B\n", "a.png": "x",
	})))
	var got []string
	for _, p := range problems {
		if p.Code != CodeMarkup {
			got = append(got, fmt.Sprintf("%s:%d: %s (%s)", p.File, p.Line, p.Message, p.Code))
		}
	}
	want := []string{"README.md:3: sub/d.md does not exist (broken-link)", "README.md:5: e.md does not exist (broken-link)"}
	if !slices.Equal(got, want) {
		t.Errorf("the problems are %q, not %q", got, want)
	}
}
