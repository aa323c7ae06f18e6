package folder

import (
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

var indexed = map[string]string{
	"README.md":                 "# Home\n",
	"SUMMARY.md":                "* [Home](README.md)\n\n## Guides & more\n\n* [Start](guides/start.md)\n  * [Deep](guides/deep/README.md)\n* [Again](other/start.md)\n",
	"guides/start.md":           "# Start\n\n![](../.gitbook/assets/a%20b.png) [x](deep/#part) {% include \"../.gitbook/includes/note.md\" %}\n\n[data](../data.csv)\n",
	"guides/deep/README.md":     "# Deep\n\n## Part\n",
	"other/start.md":            "# Again\n",
	"unlisted.md":               "# Unlisted\n",
	".gitbook/includes/note.md": "Note\n",
	".gitbook/assets/a b.png":   "png",
	"data.csv":                  "1,2\n",
	"secret.txt":                "secret",
}

func TestIndexFinds(t *testing.T) {
	x := NewIndex(mustRead(t, mapFS(indexed)))
	for _, c := range []struct {
		from, dest string
		use        markup.Use
		want       string // the path and its kind
	}{
		{"README.md", "guides/start.md", markup.UseLink, "guides/start.md page"},
		{"README.md", "guides/start", markup.UseLink, "guides/start.md page"},
		{"README.md", "guides/deep", markup.UseLink, "guides/deep/README.md page"},
		{"README.md", "guides/deep/", markup.UseLink, "guides/deep/README.md page"},
		{"guides/start.md", "deep/README.md#part", markup.UseLink, "guides/deep/README.md page #part"},
		{"guides/start.md", "../README.md", markup.UseLink, "README.md page"},
		{"guides/deep/README.md", "/unlisted.md", markup.UseLink, "unlisted.md page"},
		{"guides/start.md", "?x=1", markup.UseLink, "guides/start.md page"},
		{"README.md", "guides-and-more/start/deep", markup.UseLink, "guides/deep/README.md page"},
		{"README.md", "guides-and-more/start-1", markup.UseLink, "other/start.md page"},
		{"README.md", "guides-and-more", markup.UseLink, "guides-and-more group"},
		{"guides/start.md", "../.gitbook/assets/a%20b.png", markup.UseImage, ".gitbook/assets/a b.png file"},
		{"guides/start.md", "../.gitbook/includes/note.md", markup.UseInclude, ".gitbook/includes/note.md include"},
		{"README.md", "README.md", markup.UseImage, "README.md -"},
		{"README.md", "guides-and-more/start", markup.UseImage, "guides-and-more/start -"},
		{"README.md", "absent.md", markup.UseLink, "absent.md -"},
		{"README.md", "../outside.md", markup.UseLink, " -"},
		{"README.md", "a\\b.md", markup.UseLink, " -"},
		{"guides/start.md", "../../etc/passwd", markup.UseImage, " -"},
	} {
		found, ok := x.Find(c.from, c.dest, c.use)
		got := found.Path
		switch {
		case !ok:
			got += " -"
		case found.Page != nil && found.Page.Type == Group:
			got += " group"
		case found.Page != nil:
			got += " page"
		case found.Include != nil:
			got += " include"
		case found.File != nil:
			got += " file"
		}
		if found.Anchor != "" {
			got += " #" + found.Anchor
		}
		if got != c.want {
			t.Errorf("%s in %s as %s: %q, want %q", c.dest, c.from, c.use, got, c.want)
		}
	}
	if x.Home() != x.Doc("README.md") || x.pages["."] != x.Home() || x.Include(".gitbook/includes/note.md") == nil {
		t.Error("the first page or a content is not found")
	}
}

func TestAddressesAreUnique(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var pages func(depth int) []*Page
		pages = func(depth int) (out []*Page) {
			for range rapid.IntRange(0, 4).Draw(t, "n") {
				p := &Page{Type: Document, Slug: rapid.SampledFrom([]string{"a", "A", "a-1", "b", "a-1-1"}).Draw(t, "slug")}
				if depth > 0 {
					p.Children = pages(depth - 1)
				}
				out = append(out, p)
			}
			return out
		}
		tree := &Tree{Root: ".", Pages: pages(2)}
		x := NewIndex(tree)
		seen := map[string]bool{}
		for _, p := range tree.All() {
			at := strings.ToLower(x.Address(p))
			if at == "" || seen[at] {
				t.Fatalf("%q is there twice or empty", at)
			}
			seen[at] = true
			if x.pages[x.Address(p)] != p {
				t.Fatalf("%q leads to another page", at)
			}
		}
	})
}

// The index, an import and an update of SUMMARY.md number the same siblings. Slugs are
// compared as those of a space are: the two forms of a Greek letter differ there, although
// file systems that ignore case do not distinguish them.
func TestSlugsAreComparedAsInASpace(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"σ", "ς", "ς"}, {"s", "ſ", "ſ"}, {"é", "É", "É-1"}, {"a", "A", "A-1"},
	} {
		first, second := &Page{Type: Group, Title: "1", Slug: c.first}, &Page{Type: Group, Title: "2", Slug: c.second}
		pages := []*Page{first, second}
		if got := NewIndex(&Tree{Root: ".", Pages: pages}).Address(second); got != c.want {
			t.Errorf("%s after %s has the address %s instead of %s", c.second, c.first, got, c.want)
		}
		if got := numbered(flatten(pages))[1].page.Slug; got != c.want {
			t.Errorf("%s after %s becomes %s in an update, not %s", c.second, c.first, got, c.want)
		}
	}
}

// counting records which files were opened.
type counting struct {
	fs.FS
	opened map[string]bool
}

func (c counting) Open(name string) (fs.File, error) {
	c.opened[name] = true
	return c.FS.Open(name)
}

// Reread returns the same tree as Read, and opens only the files that changed.
func TestRereadIsRead(t *testing.T) {
	for _, root := range []string{"", "docs/"} {
		files := map[string]string{}
		for name, text := range indexed {
			files[root+name] = text
		}
		if root != "" {
			files[".gitbook.yaml"] = "root: ./docs/\n"
		}
		before := mustRead(t, mapFS(files))
		var c Checker
		c.Check(before)
		for name, change := range map[string]map[string]string{
			"a body":           {"guides/start.md": "# Start\n\nNew [x](../absent.md)\n"},
			"a title":          {"guides/start.md": "# Begin\n"},
			"the navigation":   {"SUMMARY.md": "* [Home](README.md)\n* [Unlisted](unlisted.md)\n"},
			"no navigation":    {"SUMMARY.md": ""},
			"a content":        {".gitbook/includes/note.md": "Other [y](absent.md)\n"},
			"a page is gone":   {"guides/start.md": ""},
			"a page is new":    {"guides/new.md": "# New\n\n# Bad {% tabs %}\n"},
			"nothing":          {},
			"an image is gone": {".gitbook/assets/a b.png": ""},
		} {
			next := maps.Clone(files)
			for f, text := range change {
				if next[root+f] = text; text == "" {
					delete(next, root+f)
				}
			}
			fsys := counting{mapFS(next), map[string]bool{}}
			again, err := Reread(fsys, Limits{}, before, func(name string) bool { return files[name] == next[name] && files[name] != "" })
			if err != nil {
				t.Fatal(err)
			}
			whole := mustRead(t, mapFS(next))
			if got, want := dump(again), dump(whole); got != want {
				t.Errorf("%s%s: reading it again:\n%s\nreading it whole:\n%s", root, name, got, want)
			}
			if got, want := c.Check(again), Check(whole); !slices.Equal(got, want) {
				t.Errorf("%s%s: checked again: %v, whole: %v", root, name, got, want)
			}
			for f := range fsys.opened {
				if strings.HasSuffix(f, ".md") && !strings.HasSuffix(f, "SUMMARY.md") && files[f] == next[f] {
					t.Errorf("%s%s: %s was read although it is the same", root, name, f)
				}
			}
		}
	}
}

func TestCheckerKnowsHeadings(t *testing.T) {
	var c Checker
	c.Check(mustRead(t, mapFS(indexed)))
	got := c.Headings("guides/deep/README.md")
	if len(got) != 1 || got[0].Text != "Part" || got[0].Anchor != "part" {
		t.Errorf("headings: %v", got)
	}
	if c.Headings("absent.md") != nil {
		t.Error("a file that is not there has headings")
	}
}
