package sitefile

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseNamesLineAndKeyOfMistakes(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"no site", "title: Docs\n", "the key site is missing"},
		{"reserved name", "site: api\n", "line 1: site must be the name"},
		{"unknown key", "site: handbook\ntitel: Docs\n", `line 2: the file has the unknown key "titel"; it can have adaptive, customization`},
		{"key twice", "site: handbook\nsite: other\n", "line 2: site is set twice"},
		{"unknown key of a section", "site: handbook\nsections:\n  - title: Guides\n    pth: guides\n", `line 4: a section has the unknown key "pth"`},
		{"no title", "site: handbook\nsections:\n  - path: guides\n", "line 3: a section needs the key title"},
		{"short title", "site: handbook\ntitle: A\n", "line 2: title must have 2 to 128 characters"},
		{"no space", "site: handbook\nvariants:\n  - path: v1\n", "line 3: a variant needs the key space or folder"},
		{"space and folder", "site: handbook\nvariants:\n  - {space: A, folder: ./docs}\n", "line 3: a variant has the key space or the key folder, not both"},
		{"folder above", "site: handbook\nvariants:\n  - folder: docs/../..\n", "line 3: folder must be a folder of the repository"},
		{"folder of a machine", "site: handbook\nvariants:\n  - folder: /etc\n", "line 3: folder must be a folder of the repository"},
		{"two kinds", "site: handbook\nsections: []\nvariants: []\n", "line 3: a site has sections or variants, not both"},
		{"no list", "site: handbook\nsections: {}\n", "line 2: sections must be a list"},
		{"path twice", "site: handbook\nsections:\n  - {title: Aa, path: x}\n  - {group: G, sections: [{title: Bb, path: X}]}\n",
			`line 4: the path "X" is that of the section in line 3`},
		{"variant twice", "site: handbook\nvariants:\n  - {space: A, path: x}\n  - {space: B, path: x}\n", `line 4: the path "x" is that of the variant in line 3`},
		{"two defaults", "site: handbook\nvariants:\n  - {space: A, path: x, default: true}\n  - {space: B, path: y, default: true}\n", "line 4: the site has its default in line 3"},
		{"path", "site: handbook\nvariants:\n  - {space: A, path: a/b}\n", "line 3: path must be one part of an address"},
		{"condition", "site: handbook\nvariants:\n  - {space: A, condition: 'visitor. &&'}\n", "line 3: condition cannot be read"},
		{"visibility", "site: handbook\nvisibility: secret\n", "line 2: visibility must be one of public"},
		{"publish", "site: handbook\npublish: perhaps\n", "line 2: publish must be true or false"},
		{"depth", "site: handbook\nsections:\n" + nested(9), "groups are nested more than 8 levels deep"},
		{"customization", "site: handbook\ncustomization:\n  styling:\n    colour: red\n", "line 4: customization.styling.colour is not a key of the customization"},
		{"customization of a wrong type", "site: handbook\ncustomization: {pdf: {enabled: maybe}}\n", "line 2: customization.pdf.enabled must be true or false"},
		{"customization that is a list", "site: handbook\ncustomization: [a]\n", "line 2: the customization must be an object"},
		{"key of the customization twice", "site: handbook\ncustomization:\n  pdf: {}\n  pdf: {}\n", "line 4: pdf is set twice"},
		{"enumeration", "site: handbook\ncustomization:\n  styling:\n    theme: purple\n", "line 4: customization.styling.theme must be one of clean, muted, bold, gradient"},
		{"enumeration in a list", "site: handbook\ncustomization:\n  pageActions:\n    items:\n      - pdf\n      - fax\n", "line 6: customization.pageActions.items[1] must be one of assistant"},
		{"colour", "site: handbook\ncustomization:\n  styling:\n    primaryColor: {light: red, dark: '#fff'}\n", "line 4: customization.styling.primaryColor.light must be a colour"},
		{"half a colour", "site: handbook\ncustomization:\n  styling:\n    primaryColor: {light: '#fff'}\n", "line 4: customization.styling.primaryColor needs the key dark"},
		{"length", "site: handbook\ncustomization:\n  footer:\n    copyright: " + strings.Repeat("x", 513) + "\n", "line 4: customization.footer.copyright must have at most 512 characters"},
		{"minimum length", "site: handbook\ncustomization: {title: A}\n", "line 2: customization.title must have 2 to 128 characters"},
		{"number of entries", "site: handbook\ncustomization:\n  socialAccounts: [" + repeat(11, "{platform: github, handle: a%d, display: {footer: true, header: true}},") + "]\n", "line 3: customization.socialAccounts must have at most 10 entries"},
		{"font", "site: handbook\ncustomization:\n  styling:\n    font: Comic\n", "line 4: customization.styling.font must be a custom font or one of"},
		{"colours of code", "site: handbook\ncustomization:\n  styling:\n    codeTheme:\n      default: {light: x, dark: nord}\n", "line 5: customization.styling.codeTheme.default.light must be the name"},
		{"text that is a number", "site: handbook\ncustomization: {title: 404}\n", "line 2: customization.title must be a text"},
		{"reference", "site: handbook\ncustomization:\n  header:\n    links:\n      - title: A\n        to: {kind: url}\n", "line 6: customization.header.links[0].to.url is required"},
		{"address in a menu", "site: handbook\ncustomization:\n  header:\n    links:\n      - title: A\n        to: null\n        links:\n          - title: B\n            to:\n              kind: url\n              url: javascript:x\n",
			"line 11: customization.header.links[0].links[0].to.url must be an http or https URL"},
		{"condition of a link", "site: handbook\ncustomization:\n  header:\n    links:\n      - title: A\n        to: null\n        condition: a &&\n", "line 7: customization.header.links[0].condition cannot be read"},
		{"capture without wildcard", "site: handbook\nredirects:\n  - {from: /a, to: 'https://a.example', captureWildcard: true}\n", "line 3: captureWildcard needs a source that ends with a wildcard"},
		{"long address", "site: handbook\nredirects:\n  - {from: /a, to: 'https://a.example/" + strings.Repeat("x", 2048) + "'}\n", "line 3: to must not be longer than 2048 characters"},
		{"long page id", "site: handbook\nredirects:\n  - {from: /a, section: s, variant: v, page: " + strings.Repeat("x", 65) + "}\n", "line 3: page must not be longer than 64 characters"},
		{"long condition", "site: handbook\nvariants:\n  - {space: A, condition: 'visitor." + strings.Repeat("x", 1024) + "'}\n", "line 3: condition is longer than 1024 characters"},
		{"redirect without source", "site: handbook\nredirects:\n  - to: https://a.example\n", "line 3: a redirect needs the key from"},
		{"redirect without destination", "site: handbook\nredirects:\n  - from: /a\n", "line 3: a redirect needs a destination"},
		{"redirect with two", "site: handbook\nredirects:\n  - {from: /a, to: 'https://a.example', section: x}\n", "line 3: a redirect leads to an address (to) or into the site"},
		{"redirect to a page", "site: handbook\nredirects:\n  - {from: /a, section: x, page: p}\n", "line 3: a redirect to a page needs the key variant"},
		{"redirect source", "site: handbook\nredirects:\n  - {from: a, section: x}\n", "line 3: from must be a path"},
		{"redirect address", "site: handbook\nredirects:\n  - {from: /a, to: 'javascript:x'}\n", "line 3: to "},
		{"redirect twice", "site: handbook\nredirects:\n  - {from: /a, section: x}\n  - {from: /A, section: y}\n", "line 4: there is a redirect from /a in line 3 already"},
		{"501 redirects", "site: handbook\nredirects:\n" + repeat(501, "  - {from: /a%d, section: x}\n"), "line 3: redirects has 501 entries; at most 500 are possible"},
		{"1001 items", "site: handbook\nsections:\n" + repeat(501, "  - {title: Section, path: s%d, variants: [{space: A}]}\n"), "the file has 1002 sections, groups and variants; a site can have 1000"},
		{"too large", "site: handbook\n#" + strings.Repeat("x", MaxBytes), "it is larger than 1024 KB"},
		{"alias", "site: &a handbook\ntitle: *a\n", "line 1: anchors and aliases are not allowed"},
	} {
		_, err := Parse([]byte(c.src))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestParseReportsAllMistakesOfTheCustomization(t *testing.T) {
	_, err := Parse([]byte("site: handbook\ncustomization:\n  styling:\n    theme: purple\n    corners: round\n  themes: {default: blue}\n"))
	want := "line 5: customization.styling.corners must be one of straight, rounded, circular\n" +
		"line 4: customization.styling.theme must be one of clean, muted, bold, gradient\n" +
		"line 6: customization.themes.default must be one of light, dark, system"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want\n%s", err, want)
	}
}

// nested returns nested groups.
func nested(depth int) string {
	out := ""
	for i := range depth {
		in := strings.Repeat("  ", i+1)
		out += in + "- group: G\n" + in + "  sections:\n"
	}
	return out + strings.Repeat("  ", depth+2) + "[]\n"
}

func repeat(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

func TestParseReportsAFewMistakesAtOnce(t *testing.T) {
	_, err := Parse([]byte("site: handbook\nsections:\n" + repeat(100, "  - {x%d: y, title: Section}\n")))
	if n := strings.Count(err.Error(), "\n") + 1; n != maxProblems {
		t.Errorf("%d mistakes, want %d", n, maxProblems)
	}
}

func TestSpacesAreFoundByIDOrTitle(t *testing.T) {
	spaces := NewSpaces([]Space{{ID: "s1", Title: "API"}, {ID: "s2", Title: "Twin"}, {ID: "s3", Title: "Twin"}},
		Current{Items: []*Item{{Kind: "site-space", Space: Space{ID: "gone", Title: "In the trash"}}}})
	for name, want := range map[string]string{
		"API": "s1", "s3": "s3", "In the trash": "gone",
		"Twin": `2 spaces have the title "Twin"; name one of them by its id: s2, s3`, "None": `there is no space "None"`,
	} {
		sp, err := spaces.find(name)
		got := sp.ID
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if n := spaces.Name(Space{ID: "s2", Title: "Twin"}); n != "s2" {
		t.Errorf("a space whose title is not unique is called %s", n)
	}
}

func TestSpacesAreFoundByFolder(t *testing.T) {
	spaces := NewSpaces([]Space{
		Space{ID: "s1", Title: "v1"}.Synced("docs/v1"), Space{ID: "s2", Title: "v2"}.Synced("docs/v2/"), Space{ID: "s3", Title: "All"}.Synced(""),
		Space{ID: "s4", Title: "Twin"}.Synced("twin"), Space{ID: "s5", Title: "Twin"}.Synced("/twin"), {ID: "s6", Title: "Plain"},
	}, Current{})
	for folder, want := range map[string]string{
		"docs/v1": "s1", "./docs/v2": "s2", "docs/v2/": "s2", ".": "s3",
		"twin": `line 3: 2 spaces have their content in a folder "twin" of a repository; name one of them with the key space: s4, s5`,
		"docs": `line 3: no space that you can synchronize has its content in the folder "docs"`,
	} {
		f, err := Parse([]byte("site: handbook\nvariants:\n  - folder: " + folder + "\n"))
		if err != nil || !f.Folders() {
			t.Fatal(folder, err)
		}
		var got string
		if err := f.Resolve(spaces); err != nil {
			got = err.Error()
		} else {
			got = (*f.Structure)[0].Space.ID
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", folder, got, want)
		}
	}
}
