package sitefile

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// spaces are the spaces that the files of the tests refer to.
var spaces = []Space{{ID: "s1", Title: "Handbook"}, {ID: "s2", Title: "API"}, {ID: "s3", Title: "News"}}

// parse parses a file of a test and resolves its spaces.
func parse(t *testing.T, src string) *File {
	t.Helper()
	f, err := Parse([]byte("site: handbook\ntitle: Docs\n" + src))
	if err == nil {
		err = f.Resolve(NewSpaces(spaces, Current{}))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// current returns a site with the structure of a file.
func current(t *testing.T, src string) Current {
	t.Helper()
	c := Current{ID: "site_1", Basename: "handbook", Title: "Docs", Visibility: docs.VisibilityPublic, Settings: customization.Default("Docs")}
	f := parse(t, src)
	if f.Structure == nil {
		return c
	}
	c.Items = *f.Structure
	number(c.Items, new(int))
	setDefault(allSections(c.Items))
	setDefault(only(c.Items, docs.SiteSpace))
	for _, sec := range allSections(c.Items) {
		setDefault(sec.Items)
	}
	return c
}

func number(items []*Item, n *int) {
	for _, it := range items {
		*n++
		it.ID = Ref("i" + string(rune('0'+*n)))
		number(it.Items, n)
	}
}

func setDefault(items []*Item) {
	if len(items) > 0 {
		chosen(items).Default = true
	}
}

func TestPlan(t *testing.T) {
	const two = `sections:
  - {title: Guides, path: guides, variants: [{space: Handbook, path: v1}]}
  - {title: Reference, path: ref, variants: [{space: API, path: v1}, {space: News, path: v2}]}
`
	for _, c := range []struct{ name, have, want, plan string }{
		{"nothing", two, two, ""},
		{"nothing is mentioned", two, "", ""},
		{"a new section", two, two + "  - {title: News, variants: [{space: News}]}\n", `+ section news ("News") with the variant news ("News")`},
		{"a section less", two, "sections:\n  - {title: Guides, path: guides, variants: [{space: Handbook, path: v1}]}\n", "- section ref"},
		{"everything goes", two, "sections: []", "- section guides\n- section ref"},
		{"fields", two, strings.Replace(two, "path: guides", "path: guides, icon: book, condition: visitor.claims.a, description: Words", 1),
			`~ section guides: icon none → "book", description none → "Words", condition none → "visitor.claims.a"`},
		{"a path that is found by its title", two, strings.Replace(two, "path: guides", "path: tours", 1), `~ section guides: path "guides" → "tours"`},
		{"a title and a path that are found by the space", two, strings.Replace(two, "title: Guides, path: guides", "title: Tours, path: tours", 1),
			`~ section guides: title "Guides" → "Tours", path "guides" → "tours"`},
		{"letter case of a path", two, strings.Replace(two, "path: guides", "path: Guides", 1), `~ section guides: path "guides" → "Guides"`},
		{"another default", two, strings.Replace(two, "path: ref", "path: ref, default: true", 1), "~ default section ref"},
		{"another default variant", two, strings.Replace(two, "path: v2", "path: v2, default: true", 1), "~ default variant ref/v2"},
		{"another space", two, strings.Replace(two, "{space: Handbook", "{space: News", 1), `~ variant guides/v1: space "Handbook (s1)" → "News (s3)"`},
		{"a path of a variant that is found by its space", two, strings.Replace(two, "path: v2", "path: next", 1), `~ variant ref/v2: path "v2" → "next"`},
		{"a variant more and one less", two, strings.Replace(two, "{space: News, path: v2}", "{space: Handbook, path: v3}", 1),
			"+ variant ref/v3 (\"Handbook\")\n- variant ref/v2"},
		{"order", `variants: [{space: API}, {space: Handbook}, {space: News}]`, `variants: [{space: News}, {space: API, default: true}, {space: Handbook}]`,
			"~ move variant news before variant api"},
		{"a group", two, "sections:\n  - group: All\n    sections:\n" + strings.ReplaceAll(strings.TrimPrefix(two, "sections:\n"), "  - ", "      - "),
			"+ group \"All\"\n~ move section guides into the group \"All\"\n~ move section ref into the group \"All\""},
		{"out of a group", "sections:\n  - group: All\n    sections:\n" + strings.ReplaceAll(strings.TrimPrefix(two, "sections:\n"), "  - ", "      - "), two,
			"~ move section guides out of the group \"All\"\n~ move section ref out of the group \"All\"\n- group \"All\"\n~ move section guides before section ref"},
		{"the first sections", "variants: [{space: Handbook, path: v1}]", two,
			"+ section docs (\"Docs\") with all variants of the site\n~ section docs: title \"Docs\" → \"Guides\", path \"docs\" → \"guides\"\n" +
				"+ section ref (\"Reference\") with the variant v1 (\"API\")\n+ variant ref/v2 (\"News\")"},
		{"sections become variants", two, "variants: [{space: Handbook, path: v1}]",
			"- section guides\n- section ref\n+ variant v1 (\"Handbook\")"},
		{"the audience is narrowed first", two, "visibility: unlisted\nsections: []\n", "~ site: visibility \"public\" → \"unlisted\"\n- section guides\n- section ref"},
		{"published last", two, two + "publish: true\ncustomization: {styling: {theme: bold}}\nredirects: [{from: /a, section: guides}]\n",
			"~ customization: styling.theme\n+ redirect /a → guides\n~ publish the site"},
		{"settings that are there", two, "customization: {styling: {theme: clean}, header: {links: []}}", ""},
	} {
		steps, err := Plan(current(t, c.have), parse(t, c.want))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		var lines []string
		for _, s := range steps {
			lines = append(lines, s.String())
		}
		if got := strings.Join(lines, "\n"); got != c.plan {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.plan)
		}
	}
}

func TestPlanRefusesWhatCannotBe(t *testing.T) {
	const one = "sections: [{title: Guides, variants: [{space: API}]}]\n"
	for _, c := range []struct{ name, want, err string }{
		{"an empty new section", "sections: [{title: News}]", `line 3: the section "News" is new and has no variants`},
		{"a redirect to no section", "redirects: [{from: /a, section: none}]", `line 3: the redirect /a leads to the section "none"`},
		{"a redirect to no variant", "redirects: [{from: /a, section: guides, variant: none}]", `leads to the variant "none"`},
		{"page actions that contradict", "customization: {pageActions: {items: [markdown]}, pdf: {enabled: true}}", "contradict each other"},
	} {
		_, err := Plan(current(t, one), parse(t, c.want))
		if err == nil || !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
	}
	linked := current(t, one)
	linked.Links = true
	if _, err := Plan(linked, parse(t, "variants: [{space: API}]")); err == nil || !strings.Contains(err.Error(), "delete them first") {
		t.Errorf("variants beside links: %v", err)
	}
	for file, want := range map[string]string{"site: handbook": "the file has no title", "site: site_1\ntitle: Docs": "there is no site with the id site_1"} {
		f, err := Parse([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Plan(Current{}, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", file, err, want)
		}
	}
}

// A new condition must match the schema of claims, as in the API. An existing condition
// is kept.
func TestPlanChecksNewConditionsByTheSchema(t *testing.T) {
	schema, err := adaptive.Parse("schema", []byte(`{"type": "object", "properties": {"beta": {"type": "boolean", "description": "Beta"}}, "additionalProperties": false}`))
	if err != nil {
		t.Fatal(err)
	}
	c := current(t, "sections:\n  - {title: Guides, condition: visitor.claims.old, variants: [{space: API}]}\n")
	c.Schema = schema
	for _, f := range []struct{ name, file, err string }{
		{"no new one", "sections:\n  - {title: Guides, condition: visitor.claims.old, variants: [{space: API}]}\n", ""},
		{"declared", "sections:\n  - {title: Guides, condition: visitor.claims.beta, variants: [{space: API}]}\n", ""},
		{"of a section", "sections:\n  - {title: Guides, condition: visitor.claims.plan, variants: [{space: API}]}\n",
			"line 4: condition reads visitor.claims.plan, which the schema of claims does not declare"},
		{"of a variant", "sections:\n  - title: Guides\n    variants:\n      - {space: API, condition: visitor.claims.plan}\n", "line 6: condition reads visitor.claims.plan"},
		{"of a new section", "sections:\n  - {title: Guides, variants: [{space: API}]}\n  - {title: News, condition: visitor.claims.plan, variants: [{space: News}]}\n", "line 5: condition reads"},
		{"of a new variant", "sections:\n  - title: Guides\n    variants:\n      - space: API\n      - {space: News, condition: visitor.claims.plan}\n", "line 7: condition reads"},
		{"of a link", "customization:\n  header:\n    links:\n      - {title: A, to: null, condition: visitor.claims.plan}\n", "line 6: customization.header.links[0].condition reads visitor.claims.plan"},
	} {
		_, err := Plan(c, parse(t, f.file))
		if f.err == "" && err != nil || f.err != "" && (err == nil || !strings.Contains(err.Error(), f.err)) {
			t.Errorf("%s: %v, want %s", f.name, err, f.err)
		}
	}
}

// The limits of texts equal those of the API operations that the plan calls.
func TestLimitsAreThoseOfTheAPI(t *testing.T) {
	b, err := os.ReadFile("../../web/api/testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var api struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			}
		}
		Components struct{ Schemas map[string]schema }
	}
	if err := json.Unmarshal(b, &api); err != nil {
		t.Fatal(err)
	}
	const site = "/orgs/{organizationId}/sites/{siteId}"
	for _, c := range []struct {
		path, method, field string
		low, high           int
	}{
		{site, "patch", "title", minTitle, maxTitle},
		{site + "/sections/{siteSectionId}", "patch", "title", minTitle, maxTitle},
		{site + "/sections/{siteSectionId}", "patch", "icon", 0, maxIcon},
		{site + "/sections/{siteSectionId}", "patch", "description", 0, maxDescription},
		{site + "/section-groups", "post", "title", 1, maxGroupTitle},
		{site + "/section-groups", "post", "icon", 0, maxIcon},
	} {
		s := api.Paths[c.path][c.method].RequestBody.Content["application/json"].Schema
		if s.Ref != "" {
			s = api.Components.Schemas[path.Base(s.Ref)]
		}
		if f := s.Properties[c.field]; f.MinLength != c.low || f.MaxLength != c.high {
			t.Errorf("%s %s: %s has %d to %d characters in the API, %d to %d here", c.method, c.path, c.field, f.MinLength, f.MaxLength, c.low, c.high)
		}
	}
}

type schema struct {
	Ref                  string `json:"$ref"`
	MinLength, MaxLength int
	Properties           map[string]schema
}

func TestRedirectsOfTheFileAreTheOnlyOnes(t *testing.T) {
	c := current(t, "sections: [{title: Guides, variants: [{space: API}]}]\n")
	c.Redirects = []docs.Redirect{
		{Source: "/stays", Destination: docs.RedirectDestination{Kind: docs.RedirectSection, Section: "i1"}},
		{Source: "/changes", Destination: docs.RedirectDestination{Kind: docs.RedirectSpace, Space: "i2"}},
		{Source: "/goes", Draft: true, Destination: docs.RedirectDestination{Kind: docs.RedirectExternal, URL: "https://a.example"}},
	}
	steps, err := Plan(c, parse(t, `redirects:
  - {from: /stays, section: guides}
  - {from: /changes, section: guides, variant: api, permanent: true}
  - {from: /new, to: "https://b.example"}
`))
	if err != nil || len(steps) != 2 {
		t.Fatalf("%v, %d steps", err, len(steps))
	}
	if got := steps[0].String() + "\n" + steps[1].String(); got != "- redirect /goes (draft)\n~ redirect /changes → guides/api\n+ redirect /new → https://b.example" {
		t.Error(got)
	}
	if steps, err := Plan(c, parse(t, "")); err != nil || len(steps) != 0 {
		t.Errorf("%v: without the key, %v", err, steps)
	}
}

func TestExportLeavesOutRedirectsThatAFileCannotName(t *testing.T) {
	c := current(t, "variants: [{space: API}]")
	c.Redirects = []docs.Redirect{{Source: "/gone", Destination: docs.RedirectDestination{Kind: docs.RedirectSection, Section: "gone"}}}
	file, warnings, err := Export(c, NewSpaces(spaces, c))
	if err != nil || len(warnings) != 1 || strings.Contains(string(file), "redirects") {
		t.Errorf("%v, %v\n%s", err, warnings, file)
	}
	f, err := Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Resolve(NewSpaces(spaces, c)); err != nil {
		t.Fatal(err)
	}
	if steps, err := Plan(c, f); err != nil || len(steps) != 0 {
		t.Errorf("%v, %v", err, steps)
	}
}
