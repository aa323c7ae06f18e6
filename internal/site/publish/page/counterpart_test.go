package page

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// Variants and translations both need the address of a page in another variant. It is looked
// up once per visit.
func TestCounterpartsAreLookedForOnce(t *testing.T) {
	view := testspace.Random(t, rand.New(rand.NewPCG(1, 1))).For(reading.Nobody)
	e, err := edition.New(t.Context(), view, "/v1/")
	if err != nil {
		t.Fatal(err)
	}
	c, other := &Composer{Ctx: t.Context()}, *e
	other.Base = "/v2/"
	var nodes []*edition.Node
	if _, err := e.Documents(t.Context(), nil, func(n *edition.Node) (bool, error) {
		nodes = append(nodes, n)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	ask := func(n *edition.Node, in *edition.Edition) string {
		t.Helper()
		at, err := c.counterpart(e, n, in)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := map[*edition.Node]string{}
	for _, n := range nodes {
		if first[n] = ask(n, &other); !strings.HasPrefix(first[n], "/v2/") {
			t.Errorf("%s is at %q", n.Path, first[n])
		}
	}
	unread := &edition.Edition{Base: "/v2/"} // has no pages, so a second lookup would fail
	for _, n := range nodes {
		if again := ask(n, unread); again != first[n] {
			t.Errorf("%s is at %q, then at %q", n.Path, first[n], again)
		}
	}
}
