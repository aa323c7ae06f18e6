package revision

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

// tombstones returns where deleted things of a revision were.
func tombstones(t *testing.T, s *Source, root chunk.Hash) map[string]Tombstone {
	t.Helper()
	out := map[string]Tombstone{}
	at := s.Tree(store.Reader{}, root)
	err := at.Scan(context.Background(), KeyTombstone, "", func(id string, b []byte) (bool, error) {
		var g Tombstone
		err := json.Unmarshal(b, &g)
		out[id] = g
		return true, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func revisionOf(t *testing.T, s *Source, from docs.Revision, change func(d *Draft)) docs.Revision {
	t.Helper()
	d := s.View(docs.Space{}, from).Draft(1, nil)
	change(d)
	changes, err := d.ChangeSet(context.Background())
	var tree *NewTree
	if err == nil {
		tree, err = changes.Apply(context.Background(), d.Base)
	}
	if err != nil {
		t.Fatal(err)
	}
	return docs.Revision{ID: from.ID + "x", Root: tree.Root}
}

// What is kept of deleted things is bounded, and gone when they are back.
func TestTombstones(t *testing.T) {
	s, ctx := NewSource(&store.Store{}, ""), context.Background()
	id := func(i int) docs.FileID { return docs.FileID(fmt.Sprintf("file%06d", i)) }
	put := func(d *Draft, from, to int) {
		for i := from; i < to; i++ {
			if err := d.PutFile(docs.File{ID: id(i), Path: fmt.Sprintf("a/%d.png", i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	drop := func(d *Draft, from, to int) {
		for i := from; i < to; i++ {
			if err := d.ReplaceFile(ctx, string(id(i)), nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	const all = maxTombstones + 100
	full := revisionOf(t, s, docs.Revision{}, func(d *Draft) { put(d, 0, all) })
	if got := tombstones(t, s, full.Root); len(got) != 0 {
		t.Fatalf("%d tombstones, and nothing was deleted", len(got))
	}
	less := revisionOf(t, s, full, func(d *Draft) { drop(d, 0, 50) })
	if got := tombstones(t, s, less.Root); len(got) != 50 || got[string(id(7))].File != "a/7.png" {
		t.Fatalf("%v", got)
	}
	back := revisionOf(t, s, less, func(d *Draft) { put(d, 0, 20) })
	if got := tombstones(t, s, back.Root); len(got) != 30 {
		t.Fatalf("%d tombstones", len(got))
	}
	none := revisionOf(t, s, back, func(d *Draft) { drop(d, 0, 20); drop(d, 50, all) })
	if got := tombstones(t, s, none.Root); len(got) != maxTombstones || got[string(id(all-1))] == (Tombstone{}) || got[string(id(0))] != (Tombstone{}) {
		t.Fatalf("%d tombstones", len(got))
	}
}

// A destination led to a page in all the ways in which one leads there.
func TestWhatLedThere(t *testing.T) {
	l := &Linker{ctx: context.Background(), t: &Tree{}, file: "guide/README.md"}
	page := Tombstone{File: "guide/setup.md", Path: "guide/set-up"}
	home := Tombstone{File: "README.md", Path: "home", Home: true}
	group := Tombstone{Path: "basics"}
	for _, c := range []struct {
		dest, anchor string
		g            Tombstone
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
		{"#a", "a", Tombstone{File: "guide/README.md"}, true},
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
