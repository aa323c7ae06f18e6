package content_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// broken is a folder whose pages have every mistake that is reported for a page.
var broken = map[string]string{
	"SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [Links](links.md)\n* [Includes](includes.md)\n* [Tags](tags.md)\n* [Marks](marks.md)\n* [Head](head.md)\n* [Setup](guides/Setup.md)\n\n## Group\n\n* [Below](below.md)\n",
	"README.md":  "# Home\n\n[links](links.md#there) [to the title](guides/Setup.md#setup) [included](includes.md#from-include) [by id](tags.md#raw)\n\n[top](#)\n",
	"links.md": `# Links

## There

[no page](gone.md) [no page there](guides/gone.md#x) [nothing]()

[html](below.html) [case](guides/setup.md) [case of a folder](Guides/setup.md)

[heading](#nowhere) [of another page](README.md#no-such) [punctuation](#t-here) [included](includes.md#not-included)

[out](../../x.md) [of a group](group/#x)

![](none.png)

{% file src="none.zip" %}

{% content-ref url="gone-too.md" %}
[gone-too.md](gone-too.md)
{% endcontent-ref %}
`,
	"includes.md":              "# Includes\n\n{% include \".gitbook/includes/one.md\" %}\n\n{% include \".gitbook/includes/none.md\" %}\n\n{% include \"below.md\" %}\n\n{% include %}\n",
	".gitbook/includes/one.md": "## From include\n\nText.\n",
	"tags.md": `# Tags

<a id="raw"></a>

{% hint style="loud" %}
One
{% endhint %}

{% if visitor. %}
Two
{% endif %}

{% hint style="info" %}
Open
`,
	"marks.md":        "# Marks\n\n{% hint stlye=\"info\" %}\nOne[^1] and two[^1]\n{% endhint %}\n\n{% file scr=\"a.zip\" %}\n\n<details>\n\n<table><tr><td>x</td></tr>\n\n{% code title=\"x\" %}\n\n```js\nx\n\n{% endcode %}\n",
	"head.md":         "---\ncover: none.png\nhidden: perhaps\n---\n\n# Head\n\nText.\n",
	"guides/Setup.md": "# Setup\n\n[up](../links.md) [nothing](links.md) [above](../../octavo.md)\n",
	"below.md":        "# Below\n\nText.\n",
}

// mistakesOf is how many mistakes some of the pages have: each of them is reported once.
var mistakesOf = map[string]int{"links.md": 15, "includes.md": 2, "tags.md": 3, "marks.md": 6, "head.md": 2, "guides/Setup.md": 2}

// notOfPages are the codes that the problems of a written page never have, with the reason.
var notOfPages = map[string]string{
	folder.CodeSymlink:       "files of a folder",
	folder.CodeCaseTwin:      "files of a folder",
	folder.CodeTooLarge:      "refused with status 400",
	folder.CodeTooMany:       "the list ends after 100",
	folder.CodeUnreadable:    "files of a folder",
	folder.CodeYAML:          "files beside the pages",
	folder.CodeSummary:       "the navigation, which other changes write",
	folder.CodeNoLink:        "the navigation",
	folder.CodeNoReadme:      "the first page is the landing page",
	folder.CodeDuplicatePage: "the navigation",
	folder.CodeDuplicateSlug: "slugs that are taken get a number or are refused",
	folder.CodePassedOver:    "files of a folder",
	folder.CodeNotInSummary:  "the navigation",
	folder.CodeReuseCycle:    "in the reusable content, which no change of pages writes",
	folder.CodeRedirect:      "redirects, which are refused",
}

// TestProblemsAreThoseOfCheck writes the pages of a folder and compares the problems of each with
// what octavo check reports for its file.
func TestProblemsAreThoseOfCheck(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d := testspace.New(t, o)
		d.Import(t, broken)
		files := fstest.MapFS{}
		for name, text := range broken {
			files[name] = &fstest.MapFile{Data: []byte(text)}
		}
		tree, err := folder.Read(files, folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		checked := map[string][]string{}
		codes := map[string]bool{}
		for _, p := range folder.Check(tree) {
			if !slices.ContainsFunc(checked[p.File], func(line string) bool { return strings.HasSuffix(line, p.Message) }) { // the first place
				checked[p.File] = append(checked[p.File], fmt.Sprintf("%d: %s: %s", p.Line, p.Code, p.Message))
			}
			codes[p.Code] = true
		}
		for name, text := range broken {
			if name == "SUMMARY.md" || folder.IsInclude(name) {
				continue
			}
			var got []string
			for _, p := range d.Must(testspace.Write(d.PageOf(name).ID, text)).Problems {
				got = append(got, fmt.Sprintf("%d: %s: %s", p.Line, p.Code, p.Message))
			}
			want := checked[name]
			slices.Sort(got)
			slices.Sort(want)
			if n := mistakesOf[name]; n > 0 && len(got) != n {
				t.Errorf("%s has %d mistakes, and %d are reported", name, n, len(got))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s\n\tgot  %s\n\twant %s", name, strings.Join(got, "\n\t     "), strings.Join(want, "\n\t     "))
			}
		}
		for _, code := range codesOfCheck(t) {
			if why := notOfPages[code]; codes[code] == (why != "") {
				t.Errorf("%s: found in the folder: %v, excepted because of %q", code, codes[code], why)
			}
		}
	})
}

// codesOfCheck returns all codes of package folder.
func codesOfCheck(t *testing.T) (codes []string) {
	f, err := parser.ParseFile(token.NewFileSet(), "folder/problem.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(node ast.Node) bool {
		if spec, ok := node.(*ast.ValueSpec); ok && strings.HasPrefix(spec.Names[0].Name, "Code") {
			code, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Error(err)
			}
			codes = append(codes, code)
		}
		return true
	})
	return codes
}
