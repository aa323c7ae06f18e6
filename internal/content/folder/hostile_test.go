package folder

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// bomb is a short YAML source that expands to billions of values.
var bomb = func() string {
	s := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := range 12 {
		s += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 9), ", "))
	}
	return s
}()

// ladder returns a SUMMARY.md with n entries that repeatedly descend 500 levels.
func ladder(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%s* [P](p.md)\n", strings.Repeat("  ", i%500))
	}
	return b.String()
}

// ring returns n reusable contents, each of which includes the next.
func ring(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		files[fmt.Sprintf(".gitbook/includes/r%d.md", i)] = fmt.Sprintf("# R\n\n{%% include \"r%d.md\" %%}\n", (i+1)%n)
	}
	return files
}

func TestHostileFoldersTakeLinearTime(t *testing.T) {
	testcpu.Linear(t, 10_000, func(n int) func() {
		src := []byte(ladder(n))
		return func() { _, _ = parseSummary(src, DefaultLimits, func(int, string, string, ...any) {}) } // problems are tested below
	})
	testcpu.Linear(t, 2400, func(n int) func() {
		tree := mustRead(t, mapFS(ring(n)))
		return func() { Check(tree) }
	})
}

// Reading reports the problems of any folder with their lines, and writing returns every
// byte.
func TestHostileFolders(t *testing.T) {
	deep := func(open, close string, n int) string {
		return strings.Repeat(open, n) + "x" + strings.Repeat(close, n)
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []string // parts of the messages
	}{
		// d4.4: paths that leave the folder.
		{"redirects", map[string]string{".gitbook.yaml": "redirects:\n  a: ../../etc/passwd\n  b: /etc/../../x\n  c: file:///etc/passwd\n  d: \"x\\\\..\\\\y\"\n"},
			[]string{".gitbook.yaml:2: the redirect from \"a\" leads out", ".gitbook.yaml:3: the redirect from \"b\" leads out", ".gitbook.yaml:4: the redirect from \"c\" leads to \"file:///etc/passwd\", which is not an address", ".gitbook.yaml:5: the redirect from \"d\" leads out"}},
		{"summary", map[string]string{"SUMMARY.md": "* [A](../a.md)\n* [B](/etc/passwd)\n* [C](x/../../c.md)\n* [D](file:///etc/passwd)\n* [E](%2e%2e/e.md)\n* [F](a\\b.md)\n* [G](..%2fg.md)\n"},
			[]string{"SUMMARY.md:1: ../a.md leaves", "SUMMARY.md:2: there is no file etc/passwd", "SUMMARY.md:3: x/../../c.md leads to ../c.md, outside", "SUMMARY.md:4: \"file:///etc/passwd\" is not an address", "SUMMARY.md:5: %2e%2e/e.md leads to ../e.md, outside", "SUMMARY.md:6: a\\\\b.md leaves", "SUMMARY.md:7: ..%2fg.md leads to ../g.md, outside"}},
		{"include", map[string]string{"README.md": "# R\n\n{% include \"../../etc/passwd\" %}\n\n{% include \"/etc/passwd\" %}\n\n{% include \".gitbook/includes/../../../x.md\" %}\n"},
			[]string{"README.md:3: ../../etc/passwd leaves the folder (bad-path)", "README.md:5: etc/passwd does not exist (missing-include)", "README.md:7: .gitbook/includes/../../../x.md leads to ../x.md, outside of the folder (bad-path)"}},
		{"cover", map[string]string{"README.md": "---\ncover: ../../etc/passwd\n---\n\n# R\n", "b.md": "---\ncover: /etc/passwd\n---\n\n# B\n"},
			[]string{"README.md:2: ../../etc/passwd leaves the folder (bad-path)", "b.md:2: etc/passwd does not exist (missing-file)"}},
		{"images and files", map[string]string{"README.md": "# R\n\n![](../../etc/passwd)\n\n{% file src=\"/../etc/passwd\" %}\n\n<img src=\"..\\..\\etc\">\n"},
			[]string{"README.md:3: ../../etc/passwd leaves the folder (bad-path)", "README.md:5: /../etc/passwd leads to ../etc/passwd, outside of the folder (bad-path)", `README.md:7: ..\\..\\etc leaves the folder (bad-path)`}},
		// Messages go to terminals.
		{"escape sequences", map[string]string{"SUMMARY.md": "* [R](README.md)\n* [A](no\x1b[32mpe.md)\n", "README.md": "# R\n\n[x](\x1b]0;owned\x07gone.md)\n"},
			[]string{"SUMMARY.md:2: there is no file no?[32mpe.md", "README.md:3: ?]0;owned?gone.md does not exist"}},
		// d4.5: cycles, deep nesting and duplicates.
		{"a ring of includes", ring(300), []string{"r0.md", "(include-cycle)"}},
		{"includes itself", map[string]string{".gitbook/includes/a.md": "# A\n\n{% include \"a.md\" %}\n"}, []string{"(include-cycle)"}},
		{"deep navigation", map[string]string{"SUMMARY.md": ladder(10_000), "p.md": "# P\n"}, []string{"SUMMARY.md:2: p.md is already the page of line 1; a file is one page"}},
		{"deep quotes", map[string]string{"README.md": deep("> ", "", 10_000)}, nil},
		{"deep lists", map[string]string{"README.md": deep("* ", "", 10_000)}, nil},
		{"deep brackets", map[string]string{"README.md": deep("[", "](a)", 10_000)}, nil},
		{"deep tags", map[string]string{"README.md": deep("{% hint style=\"info\" %}\n", "\n{% endhint %}", 10_000)}, nil},
		{"deep HTML", map[string]string{"README.md": deep("<details><summary>a</summary>\n\n", "\n\n</details>", 10_000)}, nil},
		{"deep folders", map[string]string{strings.Repeat("a/", 100) + "x.md": "# X\n"}, []string{"it is in more than 64 folders (bad-path)"}},
		// d4.6: YAML.
		{"bombs", map[string]string{".gitbook.yaml": bomb, ".gitbook/vars.yaml": bomb, ".gitbook/tags.yaml": bomb, "README.md": "---\n" + bomb + "---\n\n# R\n", "SUMMARY.md": "* ```yaml\n  " + strings.ReplaceAll(strings.TrimSpace(bomb), "\n", "\n  ") + "\n  ```\n"},
			[]string{".gitbook.yaml:1: the file cannot be read: anchors", ".gitbook/vars.yaml:1: the file cannot be read: anchors", ".gitbook/tags.yaml:1: the file cannot be read: anchors", "README.md:2: the front matter cannot be read: anchors", "SUMMARY.md:1: the computed page cannot be read: anchors"}},
		{"merge keys", map[string]string{".gitbook/vars.yaml": "a: &x {b: 1}\nc: {<<: *x}\n"}, []string{"anchors"}},
		{"deep YAML", map[string]string{".gitbook.yaml": "a: " + deep("[", "]", 20_000) + "\n", ".gitbook/vars.yaml": "a: " + deep("{a: ", "}", 20_000) + "\n", "README.md": "---\na: " + deep("[", "]", 15_000) + "\n---\n# R\n"},
			[]string{".gitbook.yaml", ".gitbook/vars.yaml", "README.md"}},
		{"twice", map[string]string{".gitbook.yaml": "root: .\nroot: docs\nredirects:\n  a: README.md\n  a: x.md\n", ".gitbook/vars.yaml": "a: 1\na: 2\n"},
			[]string{".gitbook.yaml:2: root is set twice", ".gitbook.yaml:5: a is set twice", ".gitbook/vars.yaml:2: a is set twice"}},
		{"tags", map[string]string{".gitbook/vars.yaml": "a: !!python/object:os.system x\nb: !!binary aGk=\nc: !include /etc/passwd\n", ".gitbook.yaml": "root: !!python/name:x .\n"},
			[]string{".gitbook/vars.yaml:1: the variable a", ".gitbook/vars.yaml:2: the variable b", ".gitbook/vars.yaml:3: the variable c"}},
		{"numbers", map[string]string{".gitbook/vars.yaml": "a: 123456789012345678901234567890\nb: .inf\nc: 9007199254740993\nd: 2024-01-02\n"},
			[]string{".gitbook/vars.yaml:1: the variable a is a number", ".gitbook/vars.yaml:2: the variable b is a number", ".gitbook/vars.yaml:3: the variable c is a number"}},
		{"two documents", map[string]string{".gitbook.yaml": "root: .\n---\nroot: x\n"}, []string{".gitbook.yaml:2: the file cannot be read: it has more than one YAML document"}},
		{"no text", map[string]string{".gitbook/vars.yaml": "\xff\xfe\x00", ".gitbook/tags.yaml": "\x00", "README.md": "\xff\xfe# \x00\n"}, []string{".gitbook/vars.yaml:1"}},
		{"lists for mappings", map[string]string{".gitbook.yaml": "- a\n", ".gitbook/vars.yaml": "- a\n", ".gitbook/tags.yaml": "a: b\n"}, []string{".gitbook.yaml:1: the file must be", ".gitbook/vars.yaml:1: the file must be", ".gitbook/tags.yaml:1: the file must be a list"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{"README.md": "# R\n"}
			maps.Copy(files, c.files)
			tree := mustRead(t, mapFS(files))
			var all []string
			for _, p := range Check(tree) {
				all = append(all, p.String())
			}
			found := strings.Join(all, "\n")
			for _, want := range c.want {
				if !strings.Contains(found, want) {
					t.Errorf("nothing says %q in\n%.2000s", want, found)
				}
			}
			out := written(t, tree)
			for _, f := range slices.Sorted(maps.Keys(files)) {
				if strings.Count(f, "/") < 64 && out[f] != files[f] {
					t.Errorf("%s was written as %.200q", f, out[f])
				}
				delete(out, f)
			}
			if len(out) > 0 {
				t.Errorf("new files: %v", slices.Sorted(maps.Keys(out)))
			}
		})
	}
}

// Symbolic links are never followed, at any path of the layout.
func TestLinksAreNotFollowed(t *testing.T) {
	for _, c := range []struct{ link, to string }{
		{"README.md", "/etc/passwd"}, {"SUMMARY.md", "secret/list.md"}, {"a.md", "secret/list.md"}, {".gitbook", "secret"},
		{".gitbook/assets/pic.png", "/etc/passwd"}, {".gitbook/includes/x.md", "../../secret/list.md"}, {".gitbook/vars.yaml", "../secret/vars"}, {".gitbook/tags.yaml", "../secret/vars"},
		{"docs", "secret"}, {"pic.png", "/etc/passwd"},
	} {
		fsys := mapFS(map[string]string{
			"README.md": "---\ncover: pic.png\n---\n\n# R\n\n![](.gitbook/assets/pic.png)\n\n{% include \".gitbook/includes/x.md\" %}\n", "SUMMARY.md": "* [R](README.md)\n* [A](a.md)\n* [D](docs/list.md)\n",
		})
		fsys[c.link] = &fstest.MapFile{Data: []byte(c.to), Mode: fs.ModeSymlink}
		tree := mustRead(t, fsys)
		if !slices.ContainsFunc(tree.Problems, func(p Problem) bool { return p.File == c.link && p.Code == CodeSymlink }) {
			t.Errorf("%s: nothing is reported of it: %v", c.link, tree.Problems)
		}
		for name, text := range written(t, tree) {
			if name == c.link || strings.Contains(text, c.to) || strings.HasPrefix(name, c.link+"/") {
				t.Errorf("%s: %s was written as %q", c.link, name, text)
			}
		}
	}
	// Every element of the path of the root is checked.
	for _, root := range []string{"docs", "docs/en", "a/../docs"} {
		fsys := fstest.MapFS{".gitbook.yaml": {Data: []byte("root: " + root + "\n")}, "docs": {Data: []byte("/etc"), Mode: fs.ModeSymlink}, "a/x.md": {}}
		if _, err := Read(fsys, Limits{}); !errs.Is(err, errs.Invalid) {
			t.Errorf("root %s: %v", root, err)
		}
	}
}

// The root, the landing page and the summary must be in the folder, in every notation of
// the path.
func TestPathsOfTheLayoutStayInTheFolder(t *testing.T) {
	for _, bad := range []string{"..", "../x", "/", "/etc", "a/../../b", `a\\..\\b`, `..\\x`, "./../x", ".git", "a/.git/b", "CON", "a/\\u202eb", "x\\0y", strings.Repeat("a", 5000)} {
		for _, key := range []string{"root: \"%s\"\n", "structure:\n  readme: \"%s\"\n", "structure:\n  summary: \"%s\"\n"} {
			_, err := Read(mapFS(map[string]string{".gitbook.yaml": fmt.Sprintf(key, bad), "README.md": "# R\n"}), Limits{})
			if !errs.Is(err, errs.Invalid) {
				t.Errorf("%q: %v", fmt.Sprintf(key, bad), err)
			}
		}
	}
}
