package content

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/store"
)

// graves gives where the things were that are gone from a revision.
func graves(t *testing.T, s *Service, root chunk.Hash) map[string]grave {
	t.Helper()
	out := map[string]grave{}
	at := s.Source.Tree(store.Reader{}, root)
	err := at.scan(context.Background(), keyGone, "", func(id string, b []byte) (bool, error) {
		var g grave
		err := json.Unmarshal(b, &g)
		out[id] = g
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sealed(t *testing.T, s *Service, from docs.Revision, change func(d *draft)) docs.Revision {
	t.Helper()
	d := s.Source.View(docs.Space{}, from).draft(1, nil)
	change(d)
	root, _, err := d.seal(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return docs.Revision{ID: from.ID + "x", Root: root}
}

// What is kept of deleted things is bounded, and gone when they are back.
func TestGraves(t *testing.T) {
	s, ctx := New(Service{Store: &store.Store{}}), context.Background()
	id := func(i int) docs.FileID { return docs.FileID(fmt.Sprintf("file%06d", i)) }
	put := func(d *draft, from, to int) {
		for i := from; i < to; i++ {
			if err := d.putFile(docs.File{ID: id(i), Path: fmt.Sprintf("a/%d.png", i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop := func(d *draft, from, to int) {
		for i := from; i < to; i++ {
			if err := d.takeFile(ctx, string(id(i)), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	const all = maxGone + 100
	full := sealed(t, s, docs.Revision{}, func(d *draft) { put(d, 0, all) })
	if got := graves(t, s, full.Root); len(got) != 0 {
		t.Fatalf("%d graves, and nobody is gone", len(got))
	}
	less := sealed(t, s, full, func(d *draft) { drop(d, 0, 50) })
	if got := graves(t, s, less.Root); len(got) != 50 || got[string(id(7))].File != "a/7.png" {
		t.Fatalf("%v", got)
	}
	back := sealed(t, s, less, func(d *draft) { put(d, 0, 20) })
	if got := graves(t, s, back.Root); len(got) != 30 {
		t.Fatalf("%d graves", len(got))
	}
	none := sealed(t, s, back, func(d *draft) { drop(d, 0, 20); drop(d, 50, all) })
	if got := graves(t, s, none.Root); len(got) != maxGone || got[string(id(all-1))] == (grave{}) || got[string(id(0))] != (grave{}) {
		t.Fatalf("%d graves", len(got))
	}
}

// A destination led to a page in all the ways in which one leads there.
func TestWhatLedThere(t *testing.T) {
	l := &linker{ctx: context.Background(), file: "guide/README.md"}
	page := grave{File: "guide/setup.md", Path: "guide/set-up"}
	home := grave{File: "README.md", Path: "home", Home: true}
	group := grave{Path: "basics"}
	for _, c := range []struct {
		dest, anchor string
		g            grave
		want         bool
	}{
		{"setup.md", "", page, true},
		{"./setup.md", "", page, true},
		{"/guide/setup.md", "", page, true},
		{"../guide/setup", "", page, true},
		{"set-up", "", page, true},
		{"Set-Up.md", "", page, true},
		{"setup.md?x=1", "", page, true},
		{"setup.md#a", "a", page, true},
		{"setup.md#a", "", page, false},
		{"setup.md", "a", page, false},
		{"setup.md", "", home, false},
		{"../setup.md", "", page, false},
		{"../../guide/setup.md", "", page, false},
		{"https://example.com/setup.md", "", page, false},
		{"//guide/setup.md", "", page, false},
		{"/pages/p1", "", page, false},
		{"", "", page, false},
		{"#a", "a", grave{File: "guide/README.md"}, true},
		{"../README.md", "", home, true},
		{"/", "", home, true},
		{"..", "", home, true},
		{"..", "", page, false},
		{"../basics", "", group, true},
		{"../basics.md", "", group, true},
		{"../basis", "", group, false},
		{"%73etup.md", "", page, true},
		{"%zz", "", page, false},
	} {
		if got := l.led(c.dest, markup.Ref{Kind: markup.RefPage, Page: "p1", Anchor: c.anchor}, c.g); got != c.want {
			t.Errorf("%q with %q to %+v: %v", c.dest, c.anchor, c.g, got)
		}
	}
}
