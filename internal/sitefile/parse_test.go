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
		{"customization", "site: handbook\ncustomization:\n  styling:\n    colour: red\n", `line 4: customization has the unknown key "colour"`},
		{"customization of a wrong type", "site: handbook\ncustomization: {pdf: {enabled: maybe}}\n", "line 2: customization cannot be read"},
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

// nested returns groups in groups.
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
