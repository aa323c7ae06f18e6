package publish

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/orgs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// Pages that are read one by one have the order, the neighbours and the paths of
// the whole tree, which reading.Menu walks.
func TestPagesAreThoseOfTheWholeTree(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			view := randomSpace(t, rand.New(rand.NewPCG(seed, 1))).For(reading.Nobody)
			top, err := view.All(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var all []*revision.Walked
			menu := reading.NewMenu(top, func(w *revision.Walked) reading.Entry[*revision.Walked] {
				all = append(all, w)
				return reading.Entry[*revision.Walked]{Document: w.Type == docs.PageDocument, Listed: lists(w.Page), Children: w.Children}
			})
			rand.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] }) // read in any order
			p := newPages(view)
			for _, w := range all {
				samePlace(t, p, menu, w)
			}
			var got, want []docs.PageID
			_, err = p.documents(t.Context(), nil, func(n *node) (bool, error) {
				got = append(got, n.ID)
				return true, nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, w := range menu.Order() {
				want = append(want, w.ID)
			}
			if len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("documents are %v, want %v", got, want)
			}
		})
	}
}

func samePlace(t *testing.T, p *pages, menu *reading.Menu[*revision.Walked], w *revision.Walked) {
	t.Helper()
	n, err := p.page(t.Context(), w.ID)
	if err != nil || n == nil {
		t.Fatalf("%s: no page: %v", w.Title, err)
	}
	if n.document() != menu.Reachable(w) || w.HasPath() && n.path != w.Path {
		t.Errorf("%s: document %t at %q, want %t at %q", w.Title, n.document(), n.path, menu.Reachable(w), w.Path)
	}
	before, after, err := p.around(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	first, err := p.first(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	wantBefore, wantAfter := menu.Around(w)
	wantFirst, _ := menu.First(w)
	for _, pair := range []struct {
		what string
		got  *node
		want *revision.Walked
	}{{"before", before, wantBefore}, {"after", after, wantAfter}, {"first", first, wantFirst}} {
		if (pair.got == nil) != (pair.want == nil) || pair.got != nil && pair.got.ID != pair.want.ID {
			t.Errorf("%s %s is %v, want %v", pair.what, w.Title, pair.got, pair.want)
		}
	}
}

// Variants and translations both ask where another variant has a page: it is looked
// for once in a visit.
func TestCounterpartsAreLookedForOnce(t *testing.T) {
	view := randomSpace(t, rand.New(rand.NewPCG(1, 1))).For(reading.Nobody)
	e, err := newEdition(t.Context(), view, "/v1/")
	if err != nil {
		t.Fatal(err)
	}
	v, other := &visit{ctx: t.Context()}, *e
	other.base = "/v2/"
	var nodes []*node
	if _, err := e.documents(t.Context(), nil, func(n *node) (bool, error) {
		nodes = append(nodes, n)
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	ask := func(n *node, in *edition) string {
		t.Helper()
		at, err := v.counterpart(e, n, in)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	first := map[*node]string{}
	for _, n := range nodes {
		if first[n] = ask(n, &other); !strings.HasPrefix(first[n], "/v2/") {
			t.Errorf("%s is at %q", n.path, first[n])
		}
	}
	unread := &edition{base: "/v2/"} // it has nothing that could be searched
	for _, n := range nodes {
		if again := ask(n, unread); again != first[n] {
			t.Errorf("%s is at %q, then at %q", n.path, first[n], again)
		}
	}
}

// randomSpace imports a folder of nested pages, groups and links, some of them
// hidden or with a condition.
func randomSpace(t *testing.T, r *rand.Rand) *revision.View {
	t.Helper()
	files := fstest.MapFS{}
	var summary strings.Builder
	summary.WriteString("# Table of contents\n\n")
	depth := 0
	for i := range 120 {
		if r.IntN(15) == 0 {
			fmt.Fprintf(&summary, "\n## Group %d\n\n", i)
			depth = 0
		}
		indent := strings.Repeat("  ", depth)
		if r.IntN(10) == 0 {
			fmt.Fprintf(&summary, "%s* [Link %d](https://example.com/%d)\n", indent, i, i)
			continue
		}
		name := fmt.Sprintf("p%d.md", i)
		fmt.Fprintf(&summary, "%s* [Page %d](%s)\n", indent, i, name)
		head := []string{"", "", "", "---\nhidden: true\n---\n\n", "---\nif: visitor.claims.beta\n---\n\n"}[r.IntN(5)]
		files[name] = &fstest.MapFile{Data: fmt.Appendf(nil, "%s# Page %d\n\nText.\n", head, i)}
		depth = r.IntN(min(depth+2, 5))
	}
	files["SUMMARY.md"] = &fstest.MapFile{Data: []byte(summary.String())}
	st := testdb.Open(t, testdb.SQLite(t))
	c := content.New(content.Service{Store: st, Blobs: testdb.Blobs(t)})
	b, err := (&orgs.Service{Store: st}).Bootstrap(t.Context(), "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	by := authz.Operator(b.User)
	top, _, err := authz.Within(st.Reader).Org(t.Context(), by.Actor, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := (&spaces.Service{Store: st, Content: c}).Create(t.Context(), top, spaces.NewSpace{Title: "Random", EditMode: docs.EditLive, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	tree, err := folder.Read(files, folder.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Import(t.Context(), by, sp, tree, func(string, int, int) {}); err != nil {
		t.Fatal(err)
	}
	stored, err := st.Space(t.Context(), sp.ID)
	if err != nil {
		t.Fatal(err)
	}
	view, err := c.Source.Head(t.Context(), stored.It)
	if err != nil {
		t.Fatal(err)
	}
	return view
}
