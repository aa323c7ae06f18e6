package folder

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// outline returns the pages of a tree, each as its depth, title, slug and file.
func outline(t *Tree) string {
	var b strings.Builder
	for _, it := range flatten(t.Pages) {
		fmt.Fprintf(&b, "%s%s %s %s\n", strings.Repeat(" ", it.depth), it.page.Title, it.page.Slug, it.page.File)
	}
	return b.String()
}

// An index.md is the landing page of the root or of a folder that has no README.md. Writing the
// folder changes nothing.
func TestIndexIsALandingPage(t *testing.T) {
	for name, c := range map[string]struct {
		files  map[string]string
		readme string
		want   string
	}{
		"by folders": {
			map[string]string{"index.md": "# Home\n", "guide/index.md": "Text.\n", "guide/a.md": "# A\n", "b.md": "# B\n"}, "index.md",
			"Home index index.md\nB b b.md\nGuide guide guide/index.md\n A a guide/a.md\n",
		},
		"with SUMMARY.md": {
			map[string]string{
				"SUMMARY.md": "* [Home](index.md)\n* [](guide/)\n  * [A](guide/a.md)\n", "index.md": "Text.\n", "guide/index.md": "Text.\n", "guide/a.md": "# A\n",
			}, "index.md",
			"Home index index.md\nGuide guide guide/index.md\n A a guide/a.md\n",
		},
		"not in SUMMARY.md": {
			map[string]string{"SUMMARY.md": "* [A](a.md)\n", "index.md": "Text.\n", "a.md": "# A\n"}, "index.md",
			"Introduction index index.md\nA a a.md\n",
		},
		"with README.md": {
			map[string]string{"README.md": "# Home\n", "index.md": "Text.\n", "guide/index.md": "Text.\n", "guide/readme.md": "# Guide\n"}, "README.md",
			"Home readme README.md\nGuide guide guide/readme.md\n Index index guide/index.md\nIndex index index.md\n",
		},
		"both in SUMMARY.md": {
			map[string]string{"SUMMARY.md": "* [](guide/index.md)\n* [](guide/README.md)\n* [](index.md)\n", "README.md": "Text.\n", "index.md": "Text.\n", "guide/index.md": "Text.\n", "guide/README.md": "Text.\n"}, "README.md",
			"Introduction readme README.md\nIndex index guide/index.md\nGuide guide guide/README.md\nIndex index index.md\n",
		},
		"beside a page of the folder": {
			map[string]string{"readme.md": "# Home\n", "guide.md": "# Guide\n", "guide/index.md": "Text.\n"}, "readme.md",
			"Home readme readme.md\nGuide guide guide.md\n Index index guide/index.md\n",
		},
		"in another case": {
			map[string]string{"Index.md": "Text.\n", "guide/INDEX.md": "Text.\n"}, "Index.md",
			"Introduction index Index.md\nGuide guide guide/INDEX.md\n",
		},
		"twice": {
			map[string]string{"Index.md": "# Home\n", "index.md": "# Other\n", "guide/Index.md": "# Guide\n", "guide/index.md": "# Entry\n"}, "Index.md",
			"Home index Index.md\nGuide guide guide/Index.md\n Entry index guide/index.md\nOther index index.md\n",
		},
		"another page is named": {
			map[string]string{".gitbook.yaml": "structure:\n  readme: start.md\n", "index.md": "Text.\n", "start.md": "# Start\n"}, "start.md",
			"Start start start.md\nIndex index index.md\n",
		},
		"a README.md is named that is not there": {
			map[string]string{".gitbook.yaml": "root: ./docs/\nstructure:\n  readme: README.md\n", "docs/index.md": "# Home\n", "docs/a.md": "# A\n"}, "index.md",
			"Home index index.md\nA a a.md\n",
		},
		"below a shared folder": {
			map[string]string{"docs/index.md": "# Docs\n", "docs/a.md": "# A\n"}, "README.md",
			"Docs docs docs/index.md\nA a docs/a.md\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tree := mustRead(t, mapFS(c.files))
			if got := outline(tree); got != c.want || tree.Readme != c.readme {
				t.Errorf("the landing page is %s, the pages are\n%swant %s and\n%s", tree.Readme, got, c.readme, c.want)
			}
			if len(tree.Unlisted) > 0 {
				t.Errorf("%s is not listed", tree.Unlisted[0].File)
			}
			for _, p := range tree.Problems {
				if p.Code == CodeNoReadme && c.readme != readmeName {
					t.Error(p)
				}
			}
			if got := written(t, tree); !maps.Equal(got, c.files) {
				t.Errorf("wrote %v", got)
			}
		})
	}
}

// Links to a folder lead to its index.md, and links to an index.md that does not exist lead to
// the page of the folder.
func TestLinksToIndex(t *testing.T) {
	x := NewIndex(mustRead(t, mapFS(map[string]string{
		"index.md": "# Home\n", "guide/index.md": "# Guide\n", "guide/a.md": "# A\n", "other/Readme.md": "# Other\n", "third.md": "# Third\n",
		"both/README.md": "# Both\n", "both/index.md": "# Entry\n", "upper/Index.md": "# Upper\n",
	})))
	for _, c := range []struct{ from, dest, want string }{
		{"third.md", "guide/", "guide/index.md"},
		{"third.md", "guide", "guide/index.md"},
		{"third.md", "guide/index", "guide/index.md"},
		{"third.md", "guide/index.md#part", "guide/index.md"},
		{"third.md", "upper/", "upper/Index.md"},
		{"third.md", "other/", "other/Readme.md"},
		{"third.md", "other/index.md", "other/Readme.md"},
		{"third.md", "third/index.md", "third.md"},
		{"third.md", "both/", "both/README.md"},
		{"third.md", "both/index.md", "both/index.md"},
		{"guide/a.md", "../", "index.md"},
		{"guide/a.md", "../README.md", "index.md"},
		{"guide/a.md", "../index.md", "index.md"},
		{"guide/a.md", "./", "guide/index.md"},
		{"third.md", "absent/index.md", ""},
	} {
		if got, ok := x.Find(c.from, c.dest, markup.UseLink); ok != (c.want != "") || ok && got.Path != c.want {
			t.Errorf("%s in %s leads to %s, %v; want %s", c.dest, c.from, got.Path, ok, c.want)
		}
	}
}

// A new README.md would take the place of the landing page index.md, so .gitbook.yaml names it.
func TestIndexStaysTheLandingPage(t *testing.T) {
	tree := mustRead(t, mapFS(map[string]string{"SUMMARY.md": "* [Home](index.md)\n", "index.md": "# Home\n"}))
	tree.Pages = append(tree.Pages, doc("README.md", "New"))
	got := written(t, tree)
	if want := "structure:\n  readme: index.md\n"; !strings.Contains(got[".gitbook.yaml"], want) {
		t.Errorf("wrote %q", got)
	}
	if again := mustRead(t, mapFS(got)); again.Readme != "index.md" || outline(again) != "Home index index.md\nNew readme README.md\n" {
		t.Errorf("the landing page is %s, the pages are\n%s", again.Readme, outline(again))
	}
}
