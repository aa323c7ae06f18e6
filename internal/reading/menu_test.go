package reading_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/reading"
)

// node is a page of a site in memory, identified by its address.
type node struct {
	at       string
	group    bool
	hidden   bool
	children []*node
}

func (n *node) entry() reading.Entry[*node] {
	return reading.Entry[*node]{Document: !n.group, Listed: !n.hidden, Children: n.children}
}

func TestMenu(t *testing.T) {
	leaf := func(at string) *node { return &node{at: at} }
	secret := &node{at: "b/secret", hidden: true, children: []*node{leaf("b/secret/inside")}}
	group := &node{at: "c", group: true, children: []*node{{at: "c/off", hidden: true}, leaf("c/one"), leaf("c/two")}}
	nothing := &node{at: "d", group: true, children: []*node{{at: "d/off", hidden: true}}}
	b := &node{at: "b", children: []*node{secret, leaf("b/last")}}
	a := leaf("a")
	m := reading.NewMenu([]*node{a, b, group, nothing}, (*node).entry)

	at := func(nodes []*node) string {
		var out []string
		for _, n := range nodes {
			out = append(out, n.at)
		}
		return strings.Join(out, " ")
	}
	if got := at(m.Order()); got != "a b b/last c/one c/two" {
		t.Errorf("order: %s", got)
	}
	var walked []string
	m.Walk(func(n *node, depth int) { walked = append(walked, strings.Repeat("-", depth)+n.at) })
	if got := strings.Join(walked, " "); got != "a b -b/last c -c/one -c/two d" {
		t.Errorf("walk: %s", got)
	}
	if before, after := m.Around(group.children[1]); before.at != "b/last" || after.at != "c/two" {
		t.Errorf("around c/one: %s, %s", before.at, after.at)
	}
	if before, after := m.Around(a); before != nil || after != b {
		t.Errorf("around the first: %v, %v", before, after)
	}
	if before, after := m.Around(secret); before != nil || after != nil {
		t.Errorf("around a hidden page: %v, %v", before, after)
	}
	if first, ok := m.First(group); !ok || first.at != "c/one" {
		t.Errorf("first of a group: %v", first)
	}
	if first, ok := m.First(nothing); ok {
		t.Errorf("first of a group in which all is hidden: %v", first)
	}
	inside := secret.children[0]
	if !m.Has(inside) || m.Reachable(inside) || !m.Listed(inside) || m.Has(leaf("elsewhere")) || m.Len() != 11 {
		t.Errorf("below a hidden page: %t %t %t, %d entries", m.Has(inside), m.Reachable(inside), m.Listed(inside), m.Len())
	}
	if got := at(m.Above(inside)); got != "b b/secret" {
		t.Errorf("above: %s", got)
	}
}

func TestVisible(t *testing.T) {
	space, page := docs.Variables{"stage": "beta"}, docs.Variables{"level": 2.0}
	for condition, want := range map[string]bool{
		"":                             true,
		`space.vars.stage == "beta"`:   true,
		`page.vars.level > 3`:          false,
		`page.vars.level == 2`:         true,
		`visitor.claims.unsigned.paid`: false,
		`(`:                            false,
	} {
		if got, err := reading.Nobody.Listed(t.Context(), false, condition, space, page); got != want || err != nil {
			t.Errorf("%s: %t, %v", condition, got, err)
		}
	}
	if listed, err := reading.Nobody.Listed(t.Context(), true, "", nil, nil); listed || err != nil {
		t.Error("a hidden page is visible")
	}
}

// site has pages by address, and their former addresses.
type site struct {
	pages   []string
	moved   map[string]string
	failure error
}

func (s site) Child(_ context.Context, parent, slug string) (string, bool, error) {
	at := strings.Trim(parent+"/"+slug, "/")
	return at, slices.Contains(s.pages, at), nil
}

func (s site) Address(_ context.Context, p string) (string, error) { return p, nil }

func (s site) Moved(_ context.Context, address string) (string, bool, error) {
	to, ok := s.moved[address]
	return to, ok, s.failure
}

func TestFind(t *testing.T) {
	s := site{
		pages: []string{"guides", "guides/install", "guides/install/linux", "api"},
		moved: map[string]string{"manual": "guides", "manual/setup": "guides/install", "old": "gone", "loop": "loop/again", "loop/again": "loop"},
	}
	for address, want := range map[string]string{
		"guides/install": "guides/install", "/guides/install/": "guides/install",
		"manual": "guides", "manual/install": "guides/install", "manual/setup": "guides/install", "manual/setup/linux": "guides/install/linux",
		"manual/absent": "", "guides/absent": "", "absent": "", "old/thing": "", "loop/x": "",
	} {
		got, ok, err := reading.Find(t.Context(), s, address)
		if err != nil || ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %t %v, want %q", address, got, ok, err, want)
		}
	}
	if _, rest, err := reading.At(t.Context(), s, "guides/x/y"); err != nil || rest != "x/y" {
		t.Errorf("the rest of an address: %q, %v", rest, err)
	}
	// An error while reading a redirect is not the same as a missing page.
	s.failure = errors.New("the database is down")
	if _, _, err := reading.Find(t.Context(), s, "manual"); !errors.Is(err, s.failure) {
		t.Errorf("a read that fails: %v", err)
	}
}

func TestEscapePath(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "guides/install-2": "guides/install-2", "a b/ü": "a%20b/%C3%BC", "a?b#c": "a%3Fb%23c", "100%": "100%25",
	} {
		if got := reading.EscapePath(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
