package sitefile

import (
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Every field of an item is in the file and comes back from it, for each kind that has it.
func TestEveryFieldOfAnItemIsKept(t *testing.T) {
	titles := docs.NewLocalized(map[string]string{"fr": "Guides : \"tout\"", "de": "Anleitungen"})
	full := func() []*Item {
		variant := &Item{
			Kind: docs.SiteSpace, Title: "API", Path: "v1", Condition: "visitor.claims.a", Default: true, Draft: true, Hidden: true, Titles: titles,
			Space: Space{ID: "s2", Title: "API", Name: "API"},
		}
		section := &Item{
			Kind: docs.SiteSection, Title: "Guides", Path: "guides", Icon: "book", Description: "Words", Condition: "visitor.claims.b", Default: true,
			Draft: true, Titles: titles, Descriptions: titles, Items: []*Item{{Kind: docs.SiteSpace, Path: "v0", Space: Space{ID: "s1", Title: "Handbook", Name: "Handbook"}}, variant},
		}
		first := &Item{Kind: docs.SiteSection, Title: "First", Path: "first", Items: []*Item{{Kind: docs.SiteSpace, Path: "v0", Default: true, Space: Space{ID: "s3", Title: "News", Name: "News"}}}}
		return []*Item{first, {Kind: docs.SiteGroup, Title: "All", Icon: "gear", Draft: true, Titles: titles, Items: []*Item{section}}}
	}
	c := Current{ID: "site_1", Basename: "handbook", Title: "Docs", Visibility: docs.VisibilityPublic, Settings: customization.Default("Docs"), Items: full()}
	file, _, err := Export(c, NewSpaces(spaces, c))
	if err != nil {
		t.Fatal(err)
	}
	f, err := Parse(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, file)
	}
	if err := f.Resolve(NewSpaces(spaces, c)); err != nil {
		t.Fatal(err)
	}
	set := map[string]bool{}
	var compare func(have, want []*Item)
	compare = func(have, want []*Item) {
		for i, w := range want {
			for n := range reflect.TypeFor[Item]().NumField() {
				field := reflect.TypeFor[Item]().Field(n)
				if field.Name == "Items" || field.Name == "Title" && w.Kind == docs.SiteSpace || field.Name == "line" {
					continue // the title of a variant is that of its space
				}
				a, b := reflect.ValueOf(*have[i]).Field(n), reflect.ValueOf(*w).Field(n)
				set[field.Name] = set[field.Name] || !b.IsZero()
				onlyInside := field.Name == "Default" && !b.Bool() // the first one is it
				if field.Name == "Default" && i == 0 || onlyInside || field.Name == "ID" {
					continue
				}
				if !reflect.DeepEqual(a.Interface(), b.Interface()) {
					t.Errorf("%s %q: %s is %v, want %v", w.Kind, w.Path, field.Name, a, b)
				}
			}
			compare(have[i].Items, w.Items)
		}
	}
	compare(*f.Structure, c.Items)
	for n := range reflect.TypeFor[Item]().NumField() {
		switch name := reflect.TypeFor[Item]().Field(n).Name; name {
		case "ID", "Items", "line":
		default:
			if !set[name] && name != "Title" {
				t.Errorf("no item of the test has %s: add it here, and to Export, Parse and Plan", name)
			}
		}
	}
	if steps, err := Plan(c, f); err != nil || len(steps) > 0 {
		t.Errorf("%v: the exported file changes %v", err, steps)
	}
	// Without any of them, each is taken away.
	for _, it := range allOf(*f.Structure) {
		it.Icon, it.Description, it.Condition, it.Draft, it.Hidden, it.Titles, it.Descriptions = "", "", "", false, false, "", ""
	}
	steps, err := Plan(c, f)
	if err != nil {
		t.Fatal(err)
	}
	changed := map[string]int{}
	for _, s := range steps {
		for _, call := range s.Calls {
			for key := range call.Body {
				changed[key]++
			}
		}
	}
	want := map[string]int{"icon": 2, "description": 1, "condition": 2, "draft": 3, "hidden": 1, "localizedTitle": 3, "localizedDescription": 1}
	if !reflect.DeepEqual(changed, want) {
		t.Errorf("the plan changes %v, want %v", changed, want)
	}
}

func allOf(items []*Item) []*Item {
	var out []*Item
	for _, it := range items {
		out = append(append(out, it), allOf(it.Items)...)
	}
	return out
}
