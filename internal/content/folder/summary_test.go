package folder

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
)

func doc(file, title string) *Page {
	src := markup.RewriteHead(nil, frontmatter.Meta{}, title, "")
	return &Page{Type: Document, Title: title, File: file, Slug: slugOf(file, false), Source: src, Head: markup.ParseHead(src)}
}

func TestUpdateSummary(t *testing.T) {
	const old = `# Contents

- [Home](README.md)
- [A](a.md)
    - [B](b.md)
    - [C](c.md)

<!-- the rest -->

## Guides

- [D](d.md)   

Text that somebody wrote.

## Links

- [Site](https://example.com)
`
	files := map[string]string{"README.md": "# Home\n", "SUMMARY.md": old}
	for _, n := range []string{"a", "b", "c", "d"} {
		files[n+".md"] = "# " + strings.ToUpper(n) + "\n"
	}
	at := func(tree *Tree, path ...int) *Page {
		pages := tree.Pages
		for _, i := range path[:len(path)-1] {
			pages = pages[i].Children
		}
		return pages[path[len(path)-1]]
	}
	for _, c := range []struct {
		name string
		edit func(tree *Tree)
		// lines that are removed and added
		minus, plus []string
	}{
		{"nothing", func(*Tree) {}, nil, nil},
		{"another title", func(tree *Tree) { at(tree, 1).Title = "New *A*"; at(tree, 1).Head.Title = "New *A*" }, []string{"- [A](a.md)"}, []string{`- [New \*A\*](a.md)`}},
		{"another label", func(tree *Tree) { at(tree, 1, 0).LinkTitle = `say "b"` }, []string{"    - [B](b.md)"}, []string{`    - [B](b.md "say \"b\"")`}},
		{"a page goes", func(tree *Tree) { at(tree, 1).Children = at(tree, 1).Children[:1] }, []string{"    - [C](c.md)"}, nil},
		{"a parent goes", func(tree *Tree) { tree.Pages = slices.Delete(tree.Pages, 1, 2) }, []string{"- [A](a.md)", "    - [B](b.md)", "    - [C](c.md)"}, nil},
		{"a page comes", func(tree *Tree) { at(tree, 1).Children = append(at(tree, 1).Children, doc("e f.md", "E")) }, nil, []string{"    - [E](<e f.md>)"}},
		{"a first page comes", func(tree *Tree) { at(tree, 2).Children = slices.Insert(at(tree, 2).Children, 0, doc("e.md", "E")) }, nil, []string{"- [E](e.md)"}},
		{"two change places", func(tree *Tree) { slices.Reverse(at(tree, 1).Children) }, []string{"    - [B](b.md)"}, []string{"    - [B](b.md)"}},
		{"a page moves into a group", func(tree *Tree) {
			c := at(tree, 1, 1)
			at(tree, 1).Children = at(tree, 1).Children[:1]
			at(tree, 2).Children = append(at(tree, 2).Children, c)
		}, []string{"    - [C](c.md)"}, []string{"- [C](c.md)"}},
		{"a group comes", func(tree *Tree) {
			g := &Page{Type: Group, Title: "New", Slug: "fixed", Children: []*Page{doc("e.md", "E")}}
			tree.Pages = slices.Insert(tree.Pages, 2, g)
		}, nil, []string{`## New <a href="#fixed" id="fixed"></a>`, "", "- [E](e.md)", ""}},
		{"a group gets another name", func(tree *Tree) { at(tree, 2).Title, at(tree, 2).Slug = "Manuals", "manuals" }, []string{"## Guides"}, []string{"## Manuals"}},
		{"a page behind the groups", func(tree *Tree) { tree.Pages = append(tree.Pages, doc("e.md", "E")) }, nil, []string{"***", "", "- [E](e.md)", ""}},
		{"a link leads elsewhere", func(tree *Tree) { at(tree, 3, 0).Target = "https://example.com/(a b)" }, []string{"- [Site](https://example.com)"}, []string{"- [Site](<https://example.com/(a b)>)"}},
	} {
		for _, eol := range []string{"\n", "\r\n"} {
			before := strings.ReplaceAll(old, "\n", eol)
			files["SUMMARY.md"] = before
			tree := mustRead(t, mapFS(files))
			c.edit(tree)
			after := string(UpdateSummary([]byte(before), tree))
			minus, plus := lineChanges(strings.Split(before, eol), strings.Split(after, eol))
			if !slices.Equal(minus, c.minus) || !slices.Equal(plus, c.plus) {
				t.Errorf("%s: the file is now\n%s\nwithout %q, with %q", c.name, after, minus, plus)
			}
			check := newUpdate([]byte(after), tree)
			if !check.matches(check.have) {
				t.Errorf("%s: the file does not say it:\n%s", c.name, after)
			}
		}
	}
}

// An entry with another title keeps every part of its emoji, and the space after
// it or that there is none.
func TestUpdateSummaryOfTitlesWithEmoji(t *testing.T) {
	for _, sign := range []string{"🚀", "⚙️", "👨‍💻", "👩🏽‍💻", "👨‍💻👩‍💻", "🏴‍☠️", "🇫🇷", "1️⃣", "☝🏿", "🚀\u200d", "👩\u200dx", "🚀︎", "❤"} {
		for _, space := range []string{" ", ""} {
			for _, src := range []string{"# Contents\n\n* [%s](a.md)\n", "# Contents\n\n## %s\n\n* [A](a.md)\n", "# Contents\n\n* [%s](https://example.com)\n"} {
				was, want := fmt.Sprintf(src, sign+space+"Old"), fmt.Sprintf(src, sign+space+"New")
				tree := mustRead(t, mapFS(map[string]string{"SUMMARY.md": was, "README.md": "# Home\n", "a.md": "Text\n"}))
				for _, p := range tree.Pages {
					if strings.Contains(p.Title, "Old") {
						p.Title, p.Slug = strings.Replace(p.Title, "Old", "New", 1), strings.Replace(p.Slug, "old", "new", 1)
					}
				}
				if got := string(UpdateSummary([]byte(was), tree)); got != want {
					t.Errorf("%q became\n%q instead of\n%q", was, got, want)
				}
			}
		}
	}
}

// A landing page needs no entry if its file has a title.
func TestLandingPageWithoutEntry(t *testing.T) {
	const old = "# Contents\n\n- [A](a.md)\n"
	for source, want := range map[string]string{
		"# Home\n":      old,
		"Text alone.\n": "# Contents\n\n- [Home](README.md)\n- [A](a.md)\n",
	} {
		tree := mustRead(t, mapFS(map[string]string{"README.md": "# Home\n", "a.md": "# A\n", "SUMMARY.md": old}))
		home := tree.Pages[0]
		home.Source, home.Head = []byte(source), markup.ParseHead([]byte(source))
		if got := string(UpdateSummary([]byte(old), tree)); got != want {
			t.Errorf("of %q: %q, want %q", source, got, want)
		}
	}
}

// lineChanges returns the removed and the added lines of a line diff.
func lineChanges(a, b []string) (minus, plus []string) {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && n[i+1][j] >= n[i][j+1]:
			minus = append(minus, a[i])
			i++
		default:
			plus = append(plus, b[j])
			j++
		}
	}
	return minus, plus
}

// PrintSummary writes a summary exactly as GitBook writes it.
func TestPrintSummaryAsGitBook(t *testing.T) {
	const src = `# Table of contents

## 🚀 Introduction

* [What is it?](README.md)
* [Cases & more (all)](introduction/cases-and-more.md)

## 🛠️ SDKs & API <a href="#sdks" id="sdks"></a>

* [Client](sdks/client/README.md)
  * [⭐ Setup](sdks/client/setup.md)
  * [↔️ Both ways](sdks/client/both.md "Ways")
  * ` + "```yaml" + `
    type: builtin:openapi
    props:
      models: true
    dependencies:
      spec:
        ref:
          kind: openapi
          spec: network
    ` + "```" + `
  * [OpenAPI](https://example.com/docs#/)

## 开始

* [快速开始](kai-shi/kuai-su.md)

***

* [Old](old.md)
`
	files := map[string]string{"SUMMARY.md": src}
	for _, m := range regexp.MustCompile(`\[([^\]]*)\]\(([^):]*\.md)`).FindAllStringSubmatch(src, -1) {
		files[m[2]] = "# " + m[1] + "\n"
	}
	tree := mustRead(t, mapFS(files))
	if len(tree.Problems) > 0 {
		t.Errorf("problems: %v", tree.Problems)
	}
	if got := string(PrintSummary(tree)); got != files["SUMMARY.md"] {
		t.Errorf("got\n%s", got)
	}
	if got := tree.Pages[2].Slug; got != "kai-shi" {
		t.Errorf("the slug is %q", got)
	}
}

// None of these may take long; go test stops a test that does.
func TestHostileSummaries(t *testing.T) {
	deep := ""
	for i := range 300 {
		deep += strings.Repeat(" ", 2*i) + "* [a](https://example.com)\n"
	}
	for _, src := range []string{
		deep, strings.Repeat("* [a](b.md)\n", 5000), strings.Repeat("* [a](https://example.com)\n", 5000), strings.Repeat("* "+strings.Repeat("[](", 1300)+"\n", 50),
		strings.Repeat("* "+strings.Repeat("`a``", 1000)+"\n", 50), strings.Repeat("## a\n", 5000), strings.Repeat("* ```yaml\n", 5000), strings.Repeat("* [a](<"+strings.Repeat("](<", 1000)+"\n", 50),
		"* " + strings.Repeat("[", 1<<20), "* ```yaml\n  a: &a [x,x]\n  b: &b [*a,*a]\n  ```\n", strings.Repeat("* * * a\n", 1000), strings.Repeat("<!--\n", 5000),
	} {
		tree := mustRead(t, mapFS(map[string]string{"README.md": "# R\n", "SUMMARY.md": src}))
		if got := tree.SummaryBytes(); string(got) != src {
			t.Errorf("%.60q changed", src)
		}
		tree.Pages = append(tree.Pages, doc("new.md", "New"))
		tree.Skipped = nil
		if u := newUpdate(tree.SummaryBytes(), tree); !u.matches(u.have) {
			t.Errorf("%.60q cannot be changed", src)
		}
	}
}

// A new page needs a divider only if it is the first one outside of all groups after a group. In
// front of a list that has a divider it goes behind that.
func TestNewPagesAddNoDividers(t *testing.T) {
	const top = "# Table of contents\n\n* [R](README.md)\n"
	for _, old := range []string{
		top + "\n## G\n\n* [A](a.md)\n\n***\n\n* [B](b.md)\n", top + "\n## G\n\n* [A](a.md)\n\n***\n", top + "\n## G\n\n***\n\n* [A](a.md)\n\n## H\n\n* [B](b.md)\n",
		top + "\n***\n\n* [A](a.md)\n\n***\n\n* [B](b.md)\n", top + "\n## G\n* [A](a.md)\n---\n* [B](b.md)\n## H\n", top + "\n## G\n\n* [A](a.md)\n\nText.\n\n* * *\n\nMore.\n\n* [B](b.md)\n",
	} {
		read := func() *Tree {
			return mustRead(t, mapFS(map[string]string{"README.md": "# R\n", "a.md": "# A\n", "b.md": "# B\n", "SUMMARY.md": old}))
		}
		// outside returns how many lists outside of groups follow a group.
		outside := func(pages []*Page) (n int) {
			for i, p := range pages {
				if i > 0 && p.Type != Group && pages[i-1].Type == Group {
					n++
				}
			}
			return n
		}
		dividers := regexp.MustCompile(`(?m)^(\*\*\*|---|\* \* \*)$`)
		for at := range len(read().Pages) + 1 {
			tree := read()
			was := outside(tree.Pages)
			tree.Pages = slices.Insert(tree.Pages, at, doc("new.md", "New"))
			got := string(tree.SummaryBytes())
			minus, plus := lineChanges(strings.SplitAfter(old, "\n"), strings.SplitAfter(got, "\n"))
			had := len(dividers.FindAllString(old, -1))
			want := had + outside(tree.Pages) - was
			if strings.HasSuffix(old, "***\n") && at == len(tree.Pages)-1 {
				want = had // the divider that has no list yet
			}
			if n := len(dividers.FindAllString(got, -1)); n != want || len(minus) > 0 {
				t.Errorf("with a page at %d there are %d dividers, want %d:\n%s\n-%q\n+%q", at, n, want, got, minus, plus)
			}
		}
	}
}

func TestSkippedEntriesKeepTheirLines(t *testing.T) {
	const old = "* [R](README.md)\n* Part\n  * [Gone](gone.md)\n  * [A](a.md)\n* [A again](a.md)\n* [B](b.md)\n"
	tree := mustRead(t, mapFS(map[string]string{"README.md": "# R\n", "SUMMARY.md": old, "a.md": "# A\n", "b.md": "# B\n"}))
	tree.Pages = tree.Pages[:2]
	if got := string(tree.SummaryBytes()); got != strings.Replace(old, "* [B](b.md)\n", "", 1) {
		t.Errorf("got\n%s", got)
	}
	tree.Skipped = nil // as if the skipped files were unknown
	if got := string(tree.SummaryBytes()); got != "* [R](README.md)\n* Part\n  * [A](a.md)\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestSummaryInAFolder(t *testing.T) {
	files := map[string]string{
		".gitbook.yaml": "structure:\n  readme: intro.md\n  summary: nav/toc.md\n", "intro.md": "# Intro\n",
		"nav/toc.md": "* [Intro](../intro.md)\n* [A](a.md)\n", "nav/a.md": "# A\n",
	}
	tree := mustRead(t, mapFS(files))
	tree.Pages = append(tree.Pages, doc("b.md", "B"), doc("nav/c.md", "C"))
	if got := string(tree.SummaryBytes()); got != files["nav/toc.md"]+"* [B](../b.md)\n* [C](c.md)\n" {
		t.Errorf("got\n%s", got)
	}
	if got := string(PrintSummary(tree)); got != "# Table of contents\n\n* [Intro](../intro.md)\n* [A](a.md)\n* [B](../b.md)\n* [C](c.md)\n" {
		t.Errorf("got\n%s", got)
	}
}

func TestInferredNavigationBecomesASummary(t *testing.T) {
	tree := mustRead(t, mapFS(map[string]string{"README.md": "# R\n", "a/b.md": "# B\n", "a/c.md": "# C\n", "d.md": "# D\n"}))
	out := written(t, tree)
	if _, ok := out["SUMMARY.md"]; ok || len(out) != 4 {
		t.Errorf("wrote %v", out)
	}
	slices.Reverse(tree.Pages[1].Children)
	out = written(t, tree)
	if want := "# Table of contents\n\n* [R](README.md)\n* [A](a/README.md)\n  * [C](a/c.md)\n  * [B](a/b.md)\n* [D](d.md)\n"; out["SUMMARY.md"] != want {
		t.Errorf("got\n%s", out["SUMMARY.md"])
	}
	if out["a/README.md"] != "# A\n" {
		t.Errorf("the page of the folder is %q", out["a/README.md"])
	}
}

// drawTitle draws ordinary titles and titles that look like markup.
func drawTitle(t *rapid.T) string {
	s := frontmatter.CleanTitle(rapid.OneOf(rapid.StringN(1, 12, -1), rapid.SampledFrom([]string{"A", "[x](y)", "a_b", "*", "`", `\`, "C# #", "&amp;", `"q"`, "<b>", "🚀 up", "1. x", "a  b", "](", "---", "```"})).Draw(t, "title"))
	if s == "" {
		return "T"
	}
	return s
}

func drawPages(t *rapid.T, n *int, depth int) []*Page {
	var out []*Page
	for range rapid.IntRange(0, 4).Draw(t, "pages") {
		*n++
		title := drawTitle(t)
		kinds := []string{Document, Document, Document, Link, Computed}
		if depth == 0 {
			kinds = append(kinds, Group)
		}
		p := &Page{Type: rapid.SampledFrom(kinds).Draw(t, "type"), Title: title}
		switch p.Type {
		case Document:
			name := rapid.SampledFrom([]string{"p", "a b", "x(1)", "ü", "per%cent", "q?", "h#", "amp&lt;", "br[", "dir/README", "deep/er/p", "p..", "c:p", "s p (2) & #"}).Draw(t, "name")
			p = doc(fmt.Sprintf("%d/%s.md", *n, name), title)
			if p.Head.Title == "" || p.Head.Title != title {
				t.Fatalf("%q became %q", title, p.Head.Title)
			}
			if rapid.Bool().Draw(t, "label") {
				p.LinkTitle = drawTitle(t)
			}
		case Link:
			p.Emoji, p.Title = emoji.Split(title)
			p.Target = rapid.SampledFrom([]string{"https://example.com/", "https://example.com/a b(c)", "https://e.com/?a=1&amp;b=2&c#d", "mailto:a@b.c", "https://e.com/<x>\\y"}).Draw(t, "target")
			p.Target = strings.NewReplacer("<", "%3C", ">", "%3E", "\\", "%5C").Replace(p.Target)
		case Computed:
			p.Computed = map[string]any{"type": "builtin:openapi", "props": map[string]any{"models": true, "n": 1.0, "t": title}, "list": []any{"a", nil, 2.5}}
			p.Title = "builtin:openapi"
		case Group:
			p.Emoji, p.Title = emoji.Split(title)
			p.Slug = GroupSlug(p.Title)
			if rapid.Bool().Draw(t, "fixed") {
				p.Slug = "fixed"
			}
		}
		if depth < 4 && (p.Type == Document || p.Type == Group) {
			p.Children = drawPages(t, n, depth+1)
		}
		out = append(out, p)
	}
	return out
}

// asRead writes a tree and returns the tree that is read from the written files, and the
// files.
func asRead(t *rapid.T, tree *Tree) (*Tree, map[string]string) {
	out := memory{}
	if err := Write(out, tree); err != nil {
		t.Fatal(err)
	}
	got, err := Read(mapFS(out), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return got, out
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 0
		tree := &Tree{Root: ".", Readme: readmeName, Summary: summaryName, Pages: append([]*Page{doc("README.md", "Home")}, drawPages(t, &n, 0)...)}
		got, files := asRead(t, tree)
		if dump(got) != dump(tree) {
			t.Fatalf("%s\nwas written as\n%s\nand read as\n%s", dump(tree), files["SUMMARY.md"], dump(got))
		}
		for _, p := range got.Problems {
			t.Fatalf("problem %v", p)
		}
		// A tree that was read is written unchanged.
		if _, again := asRead(t, got); !maps.Equal(files, again) {
			t.Fatalf("%q became %q", files, again)
		}
		// A changed tree is read as it was written.
		pages := got.All()
		p := pages[rapid.IntRange(0, len(pages)-1).Draw(t, "which")]
		switch rapid.IntRange(0, 2).Draw(t, "change") {
		case 0:
			removePage(got, p)
		case 1:
			if to := pages[rapid.IntRange(0, len(pages)-1).Draw(t, "to")]; to.Type == Document && p.Type != Group && !within(p, to) {
				removePage(got, p)
				to.Children = append(to.Children, p)
			}
		case 2:
			if p.Type == Document {
				p.LinkTitle = drawTitle(t)
			}
		}
		if len(got.All()) == 0 || !slices.ContainsFunc(got.All(), func(p *Page) bool { return p.File == "README.md" }) {
			return
		}
		after, files := asRead(t, got)
		after.Unlisted, got.Unlisted = nil, nil
		if dump(after) != dump(got) {
			t.Fatalf("%s\nwas written as\n%s\nand read as\n%s", dump(got), files["SUMMARY.md"], dump(after))
		}
	})
}

func removePage(t *Tree, p *Page) {
	var cut func(list []*Page) []*Page
	cut = func(list []*Page) []*Page {
		var out []*Page
		for _, q := range list {
			if q != p {
				q.Children = cut(q.Children)
				out = append(out, q)
			}
		}
		return out
	}
	t.Pages = cut(t.Pages)
}

func within(p, q *Page) bool {
	return p == q || slices.ContainsFunc(p.Children, func(c *Page) bool { return within(c, q) })
}

func FuzzSummary(f *testing.F) {
	for _, s := range []string{
		"# T\n\n* [A](a.md)\n  * [B](b.md \"x\")\n\n## G <a href=\"#s\" id=\"s\"></a>\n\n* [C](c/README.md)\n\n***\n\n* [L](https://x.y)\n",
		"* ```yaml\n  type: builtin:openapi\n  ```\n- A\n\t- [B](b.md)\n", "Part\n---\n1. [A](<a.md>)\n", "<!-- x\n-->\n* [`]`](a.md)\n", "* [[[[](](](a.md)\n* * *\n# X\n* [a](c)\r\n",
		"---\ntitle: x\n---\n# Y\n* [a](a.md)", "* [a](b.md)\n * [b](a.md)\n", "~~~\n* [a](a.md)\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 32<<10 {
			return
		}
		files := map[string]string{"README.md": "# R\n", "a.md": "# A\n", "b.md": "text\n", "c/README.md": "# C\n", "d.png": "", "SUMMARY.md": string(src)}
		tree := mustRead(t, mapFS(files))
		if out := written(t, tree); !maps.Equal(out, files) {
			t.Fatalf("%q was written as %q", files, out)
		}
		// A newly printed summary describes the same tree.
		files["SUMMARY.md"] = string(PrintSummary(tree))
		again := mustRead(t, mapFS(files))
		again.Skipped, tree.Skipped = nil, nil
		if dump(again) != dump(tree) {
			t.Fatalf("%q: %s\nwas written as\n%s\nand read as\n%s", src, dump(tree), files["SUMMARY.md"], dump(again))
		}
		// A change is applied to the old file.
		tree = mustRead(t, mapFS(map[string]string{"README.md": "# R\n", "a.md": "# A\n", "b.md": "text\n", "c/README.md": "# C\n", "d.png": "", "SUMMARY.md": string(src)}))
		tree.Pages = append(tree.Pages, doc("new.md", "New"))
		u := newUpdate(UpdateSummary(src, tree), tree)
		if u == nil || !u.matches(u.have) {
			t.Fatalf("%q: the change is not in %q", src, UpdateSummary(src, tree))
		}
	})
}
