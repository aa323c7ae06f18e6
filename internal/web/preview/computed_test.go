package preview

import (
	"net/http"
	"strings"
	"testing"
)

// petsSource returns an entry of SUMMARY.md for the computed pages of an API description.
func petsSource(indent, grouping string) string {
	lines := []string{"* ```yaml", "  type: builtin:openapi", "  props:", "    models: true", "    downloadLink: true", "    grouping: " + grouping,
		"  dependencies:", "    spec:", "      ref:", "        kind: openapi", "        spec: pets", "  ```"}
	return indent + strings.Join(lines, "\n"+indent) + "\n"
}

func pets(summary string) string {
	return "openapi: 3.0.0\ninfo: {title: Pets, version: '1'}\ntags: [{name: pets, description: About *pets*.}]\ncomponents: {schemas: {Pet: {type: object, properties: {nickname: {type: string}}}}}\n" +
		"paths:\n  /pets:\n    get: {operationId: listPets, summary: " + summary + ", tags: [pets], responses: {'200': {description: OK}}}\n" +
		"  /shop: {$ref: parts/buy.yaml}\n"
}

// Computed references are shown as on a server if the API description is in the folder.
// They follow changes of the description.
func TestComputedPages(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".gitbook.yaml", "root: ./docs/\n")
	put(t, dir, "docs/SUMMARY.md", "* [Home](README.md)\n\n## Reference\n\n* [Intro](intro.md)\n"+petsSource("  ", "by-operation")+"* [Last](last.md)\n")
	put(t, dir, "docs/README.md", "# Home\n\nSee [the list](pets.md).\n")
	put(t, dir, "docs/intro.md", "# Intro\n\nHello.\n")
	put(t, dir, "docs/last.md", "# Last\n\nThe end.\n")
	put(t, dir, "docs/.gitbook/includes/openapi/pets/listPets.md", "# List\n\nWhat we know about lists.\n")
	put(t, dir, "docs/api/parts/buy.yaml", "post: {operationId: buyPet, summary: Buy a pet, tags: [pets], responses: {'200': {description: OK}}}\n")
	s := serve(t, Config{Dir: dir})
	if page := s.get("/"); strings.Contains(page, "List pets") || !strings.Contains(page, ">Last<") {
		t.Errorf("without a description: %s", page)
	}
	put(t, dir, "docs/api/pets.yaml", pets("List pets"))
	s.update(t.Context())
	home := s.get("/")
	for _, want := range []string{`href="/reference/intro/pets"`, `href="/reference/intro/pets/listpets"`, `href="/reference/intro/pets/buypet"`, `href="/reference/intro/models"`} {
		if !strings.Contains(home, want) {
			t.Errorf("%s is missing in the navigation: %s", want, home)
		}
	}
	for at, want := range map[string][]string{
		"/reference/intro/pets":          {"About <em>pets</em>."},
		"/reference/intro/pets/listpets": {">List pets</h1>", "What we know about lists.", "curl", `id="get-pets"`, `href="/reference/intro/pets/buypet"`},
		"/reference/intro/pets/buypet":   {">Buy a pet</h1>"},
		"/reference/intro/models":        {"nickname"},
		"/reference/last":                {"The end."},
	} {
		page := s.get(at)
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%q is missing in %s: %s", text, at, page)
			}
		}
	}
	if found := s.get(own + "search?q=buy"); !strings.Contains(found, "buypet") {
		t.Errorf("the search finds %s", found)
	}
	s.checked()
	put(t, dir, "docs/api/pets.yaml", pets("List some pets"))
	s.update(t.Context())
	if page := s.get("/reference/intro/pets/listpets"); !strings.Contains(page, ">List some pets</h1>") {
		t.Errorf("the page does not follow the description: %s", page)
	}
	put(t, dir, "docs/api/parts/buy.yaml", "post: {operationId: buyPet, summary: Sell a pet, tags: [pets], responses: {'200': {description: OK}}}\n")
	put(t, dir, "docs/SUMMARY.md", "* [Home](README.md)\n"+petsSource("", "by-tag"))
	s.update(t.Context())
	if page := s.get("/pets"); !strings.Contains(page, "List some pets") || !strings.Contains(page, "Sell a pet") {
		t.Errorf("the page of a tag: %s", page)
	}
	put(t, dir, "docs/api/pets.yaml", "openapi: 3.0.0\npaths: [\n")
	s.update(t.Context())
	if a, _ := s.ask("GET", "/pets", nil); a.StatusCode != http.StatusNotFound {
		t.Errorf("of a description that cannot be read: %s", a.Status)
	}
	if page := s.get("/"); !strings.Contains(page, "See ") {
		t.Errorf("a description that cannot be read breaks the preview: %s", page)
	}
}
