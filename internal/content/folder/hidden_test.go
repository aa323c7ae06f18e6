package folder

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// Pages that SUMMARY.md links to are read even if their names begin with a dot, and are
// written with the same names.
func TestReadOfHiddenPages(t *testing.T) {
	files := map[string]string{
		"README.md":                     "# Home\n\n![](docs/.gitbook/assets/a.png)\n",
		"SUMMARY.md":                    "* [Home](README.md)\n* [Net](.net/README.md)\n  * [Core](.net/core.md)\n* [Cache](x/.pyc.md)\n* [Rooted](/c/a.md)\n* [No](.git/config.md)\n* [Secret](.env)\n",
		".net/README.md":                "# Net\n\n![](b.png)\n",
		".net/core.md":                  "# Core\n",
		".net/b.png":                    "png",
		".net/.cache/x.md":              "# not read\n",
		"x/.pyc.md":                     "# Cache\n",
		"x/.other.md":                   "# not read\n",
		"c/a.md":                        "# Rooted\n",
		".env":                          "SECRET=1",
		".git/config.md":                "# not read\n",
		"docs/.gitbook/assets/a.png":    "png",
		"docs/.gitbook/includes/inc.md": "# Included\n",
		"docs/page.mdx":                 "export const x = 1\n",
		"mkdocs.yml":                    "nav: []\n",
		"bad./a.md":                     "# not read\n",
	}
	skipped := []string{".net/.cache/x.md", "x/.other.md", ".env", ".git/config.md", "bad./a.md"}
	tree := mustRead(t, mapFS(files))
	var pages []string
	for _, p := range tree.All() {
		pages = append(pages, p.File)
	}
	if want := []string{"README.md", ".net/README.md", ".net/core.md", "x/.pyc.md", "c/a.md"}; !slices.Equal(pages, want) {
		t.Errorf("pages are %v, want %v", pages, want)
	}
	if len(tree.Includes) != 1 || tree.Includes[0].File != "docs/.gitbook/includes/inc.md" {
		t.Errorf("reusable contents are %v", tree.Includes)
	}
	var assets []string
	for _, f := range tree.Files {
		assets = append(assets, f.Path)
	}
	if !slices.Equal(assets, []string{".net/b.png", "docs/.gitbook/assets/a.png"}) {
		t.Errorf("files are %v", assets)
	}
	out := written(t, tree)
	for name, src := range files {
		if got, ok := out[name]; ok == slices.Contains(skipped, name) || ok && got != src {
			t.Errorf("%s is written: %v, %q", name, ok, got)
		}
	}
	if len(out) != len(files)-len(skipped) {
		t.Errorf("wrote %d files", len(out))
	}
	var problems []string
	for _, p := range tree.Problems {
		problems = append(problems, p.String())
	}
	all := strings.Join(problems, "\n")
	for _, want := range []string{
		"bad.: the file is left out: its name ends with a dot or a space (bad-path)",
		"docs/page.mdx: the file is kept, but it is no page: MDX",
		"mkdocs.yml: the file is kept, but it is no page: it is the navigation of another program; list the pages in SUMMARY.md (passed-over)",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not reported in\n%s", want, all)
		}
	}
}

// Markdown files in the folder of assets are files, not pages.
func TestMarkdownAsAFile(t *testing.T) {
	files := map[string]string{
		"README.md":                    "# Home\n\n{% file src=\".gitbook/assets/notes (1).md\" %}\n",
		"SUMMARY.md":                   "* [Home](README.md)\n",
		".gitbook/assets/notes (1).md": "# Notes\n",
	}
	tree := mustRead(t, mapFS(files))
	if len(tree.Files) != 1 || len(tree.Unlisted) > 0 || len(tree.Problems) > 0 {
		t.Errorf("%v, %v, %v", tree.Files, tree.Unlisted, tree.Problems)
	}
	if found := Check(tree); len(found) > 0 {
		t.Errorf("%v", found)
	}
}

// Variables and tags in a subfolder of the documentation are read like those at the root,
// and written to the same path.
func TestSettingsInAFolderOfTheDocumentation(t *testing.T) {
	files := map[string]string{
		"README.md":                 "# Home\n",
		"docs/a.md":                 "# A\n",
		"docs/.gitbook/vars.yaml":   "version: 2\n",
		"docs/.gitbook/tags.yaml":   "- tag: beta\n  label: Beta\n",
		"docs/z/.gitbook/vars.yaml": "version: 3\n",
	}
	tree := mustRead(t, mapFS(files))
	if tree.Variables["version"] != 2.0 || len(tree.Tags) != 1 || tree.Tags[0].Label != "Beta" {
		t.Errorf("%v, %v", tree.Variables, tree.Tags)
	}
	if out := written(t, tree); !maps.Equal(out, files) {
		t.Errorf("wrote %v", out)
	}
	files[".gitbook/vars.yaml"] = "version: 1\n"
	if tree := mustRead(t, mapFS(files)); tree.Variables["version"] != 1.0 {
		t.Errorf("%v", tree.Variables)
	}
}

// Names that differ in case only are two files. Both are pages with different addresses,
// and both are written with their own names.
func TestNamesThatDifferInCase(t *testing.T) {
	files := map[string]string{
		"README.md":  "# Home\n",
		"readme.md":  "# Small\n",
		"SUMMARY.md": "* [Home](README.md)\n* [Big](Setup.md)\n* [Small](setup.md)\n",
		"Setup.md":   "# Big\n\n[small](setup.md)\n",
		"setup.md":   "# Small\n\n![x](A.png) ![y](a.png)\n",
		"A.png":      "A",
		"a.png":      "a",
		"summary.md": "# Another\n",
	}
	tree := mustRead(t, mapFS(files))
	if len(tree.Pages) != 3 || len(tree.Files) != 2 || tree.Readme != "README.md" || tree.Summary != "SUMMARY.md" {
		t.Errorf("%d pages, %d files, %s, %s", len(tree.Pages), len(tree.Files), tree.Readme, tree.Summary)
	}
	x := NewIndex(tree)
	if a, b := x.Address(tree.Pages[1]), x.Address(tree.Pages[2]); a == b || a != "setup" {
		t.Errorf("addresses %q and %q", a, b)
	}
	if target, _ := x.Find("Setup.md", "setup.md", markup.UseLink); target.Page != tree.Pages[2] {
		t.Errorf("the link leads to %s", target.Path)
	}
	twins := 0
	for _, p := range tree.Problems {
		if p.Code == CodeCaseTwin && p.Level() == "warning" {
			twins++
		}
	}
	if twins != 4 {
		t.Errorf("%v", tree.Problems)
	}
	if out := written(t, tree); !maps.Equal(out, files) {
		t.Errorf("wrote %v", out)
	}
}
