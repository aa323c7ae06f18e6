package api_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// The explanation of a visit agrees with the visit: for every page of a random
// site and every visitor, it says that the page is seen exactly if the visitor's
// token reads it.
func TestExplanationAgreesWithTheVisit(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		for seed := range uint64(2) {
			m := &visibilityModel{w: w, r: rand.New(rand.NewPCG(seed, 2)), included: map[string][]string{}, pages: map[string][]string{}, titles: map[string]word{}, shown: map[string]word{}, met: map[string]bool{}}
			m.site()
			seen := map[bool]int{}
			for _, address := range m.addresses() {
				for _, c := range []claims{{}, {"a": true}, {"b": true}, {"a": true, "b": true}} {
					why, want := m.explain(address, c), m.visits(address, c)
					seen[want]++
					if why.Visible != want || why.Reason == "" || len(why.Steps) < 3 {
						t.Errorf("seed %d, claims %v, %s: visible %t, want %t; %+v", seed, c, address, why.Visible, want, why)
					}
					if hides := why.hides(); !hides && !want || hides && want && why.Steps[len(why.Steps)-1].Type != "page" {
						t.Errorf("seed %d, claims %v, %s: the steps do not say why it is visible (%t): %+v", seed, c, address, want, why.Steps)
					}
				}
			}
			if seen[true] == 0 || seen[false] == 0 {
				t.Errorf("seed %d: visits %v; both results must occur", seed, seen)
			}
		}
	})
}

type explained struct {
	Visible bool
	Reason  string
	Steps   []struct {
		Type   string
		Passed bool
	}
}

// hides reports whether some step was not passed.
func (e explained) hides() bool {
	for _, s := range e.Steps {
		if !s.Passed {
			return true
		}
	}
	return false
}

// addresses returns the address of every page in every place of the site.
func (m *visibilityModel) addresses() (out []string) {
	type space struct {
		Space struct{ ID string }
		URLs  struct{ Published string }
	}
	var list struct{ Items []space }
	m.get("/orgs/$org/sites/$site/site-spaces", &list)
	for _, it := range list.Items {
		var tree struct{ Pages []addressedPage }
		m.get("/spaces/"+it.Space.ID+"/content", &tree)
		out = append(out, it.URLs.Published)
		var walk func([]addressedPage)
		walk = func(pages []addressedPage) {
			for _, p := range pages {
				out = append(out, it.URLs.Published+p.Path)
				walk(p.Pages)
			}
		}
		walk(tree.Pages)
	}
	return append(out, out[0]+"no/such/page")
}

type addressedPage struct {
	Path  string
	Pages []addressedPage
}

func (m *visibilityModel) get(path string, into any) {
	m.w.t.Helper()
	a := m.w.call("admin", "GET", m.w.expand(path), "")
	if err := json.Unmarshal(a.body, into); err != nil || a.status != 200 {
		m.w.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
}

func (m *visibilityModel) explain(address string, c claims) (out explained) {
	text, _ := json.Marshal(map[string]any{"unsigned": c})
	m.get("/orgs/$org/sites/$site/explain?"+url.Values{"url": {address}, "claims": {string(text)}}.Encode(), &out)
	return out
}

// visits reports whether a visitor really reads a page at an address.
func (m *visibilityModel) visits(address string, c claims) bool {
	text, _ := json.Marshal(c)
	var at struct{ Space, Pathname, APIToken, Redirect string }
	for range 2 { // the address may not be the one that the content is known under
		a := m.w.call("nobody", "POST", "/urls/published", `{"url":"`+address+`","visitor":{"unsignedClaims":`+string(text)+`}}`)
		if a.status == 404 {
			return false
		}
		if err := json.Unmarshal(a.body, &at); err != nil {
			m.w.t.Fatal(err)
		}
		if at.APIToken != "" {
			break
		}
		address = at.Redirect
	}
	auth := "Authorization: Bearer " + at.APIToken
	if path := strings.Trim(at.Pathname, "/"); path != "" {
		return m.w.call("nobody", "GET", "/spaces/"+at.Space+"/content/path/"+strings.ReplaceAll(path, "/", "%2F"), "", auth).status == 200
	}
	var tree struct{ Pages []visitedPage }
	if err := json.Unmarshal(m.w.call("nobody", "GET", "/spaces/"+at.Space+"/content", "", auth).body, &tree); err != nil {
		m.w.t.Fatal(err)
	}
	return len(flatten(tree.Pages)) > 0
}
