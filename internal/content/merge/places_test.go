package merge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/content/merge"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
)

// chain inserts pages, each below the one before it.
func (d *modelDesk) chain(l *modelLine, name, parent string, n int) (last string) {
	for i := range n {
		id := fmt.Sprintf("%s%d", name, i)
		d.insert(l, id, parent, d.fresh("w"))
		parent = id
	}
	return parent
}

// move puts a page below another one.
func (d *modelDesk) move(l *modelLine, id, to string) {
	d.place(l, id, to, 0)
	l.tree[id].parent = to
}

// branch returns a line that begins where another one is.
func (l modelLine) branch() modelLine { return modelLine{l.rev, l.tree.clone()} }

// depth returns how many pages are above a page, with it.
func (m modelTree) depth(id string) int {
	n := 0
	for ; id != ""; id = m[id].parent {
		n++
	}
	return n
}

// Whatever both sides did to the places of pages, all pages are there afterwards, in a tree that is not
// deeper than allowed, and each side may be merged into the other one.
func TestMergeOfPlaces(t *testing.T) {
	s := newIndex()
	for _, c := range []struct {
		name      string
		base      func(d *modelDesk, l *modelLine)
		one       func(d *modelDesk, l *modelLine)
		two       func(d *modelDesk, l *modelLine)
		conflicts bool
		places    map[string]string // what must be where
	}{
		{
			name: "a subtree moved down grows",
			base: func(d *modelDesk, l *modelLine) { d.chain(l, "c", "", 20); d.chain(l, "x", "", 10) },
			one:  func(d *modelDesk, l *modelLine) { d.move(l, "x0", "c19") },
			two:  func(d *modelDesk, l *modelLine) { d.chain(l, "y", "x9", 8) },
		},
		{
			name: "two pages below each other",
			base: func(d *modelDesk, l *modelLine) { d.chain(l, "a", "", 1); d.chain(l, "b", "", 1) },
			one:  func(d *modelDesk, l *modelLine) { d.move(l, "a0", "b0") },
			two:  func(d *modelDesk, l *modelLine) { d.move(l, "b0", "a0") }, conflicts: true,
		},
		{
			name: "three pages below each other",
			base: func(d *modelDesk, l *modelLine) {
				d.chain(l, "a", "", 1)
				d.chain(l, "b", "", 1)
				d.chain(l, "c", "", 1)
			},
			one: func(d *modelDesk, l *modelLine) { d.move(l, "a0", "b0"); d.move(l, "b0", "c0") },
			two: func(d *modelDesk, l *modelLine) { d.move(l, "c0", "a0") }, conflicts: true,
		},
		{
			name: "a page below one that is gone",
			base: func(d *modelDesk, l *modelLine) { d.chain(l, "a", "", 3); d.chain(l, "b", "", 1) },
			one: func(d *modelDesk, l *modelLine) {
				d.drop(l, "a1")
				delete(l.tree, "a1")
				delete(l.tree, "a2")
			},
			two:    func(d *modelDesk, l *modelLine) { d.chain(l, "new", "a2", 1); d.move(l, "b0", "a1") },
			places: map[string]string{"new0": "a0", "b0": "a0"},
		},
	} {
		for _, swap := range []bool{false, true} {
			t.Run(fmt.Sprint(c.name, swap), func(t *testing.T) {
				rapid.Check(t, func(rt *rapid.T) {
					d := &modelDesk{T: rt, s: s}
					base := modelLine{rev: d.revision(""), tree: modelTree{modelSpace: newModelPage(modelSpace)}}
					c.base(d, &base)
					into, from := base.branch(), base.branch()
					c.one(d, &into)
					c.two(d, &from)
					if swap {
						into, from = from, into
					}
					dir := merge.Direction(rapid.IntRange(0, int(merge.FromRepository)).Draw(rt, "direction"))
					dr, conflicts, err := merge.Into(context.Background(), dir, d.view(into.rev), base.rev, from.rev, 1, func() string { return d.fresh("new") })
					if err != nil {
						rt.Fatalf("%v", err)
					}
					got := d.read(d.stored(dr))
					want, _ := modelMerge(base.tree, into.tree, from.tree)
					for id := range want {
						if got[id] == nil {
							rt.Fatalf("%s is lost", id)
						}
						if n := got.depth(id); n > docs.MaxPageDepth {
							rt.Fatalf("%s is at level %d", id, n)
						}
					}
					if len(got) != len(want) || c.conflicts != (len(conflicts) > 0) {
						rt.Fatalf("%d pages, want %d; %+v", len(got), len(want), conflicts)
					}
					for id, parent := range c.places {
						if got[id].parent != parent {
							rt.Fatalf("%s is below %q, want %q", id, got[id].parent, parent)
						}
					}
				})
			})
		}
	}
}

// What has no place in the tree of pages is merged by its name.
func TestMergeOfNamedThings(t *testing.T) {
	s := newIndex()
	title := func(title string) func(*revision.Draft) error {
		return func(dr *revision.Draft) error {
			if title == "" {
				return nil
			}
			return dr.PutReusable(docs.Reusable{ID: "r1", Title: title, File: ".gitbook/includes/r.md"})
		}
	}
	value := func(key, value string) func(*revision.Draft) error {
		return func(dr *revision.Draft) error {
			if value == "-" {
				dr.Remove(key)
			} else if value != "" {
				dr.Set(key, []byte(value))
			}
			return nil
		}
	}
	variable, redirect := revision.KeyVariable+"v", revision.KeyRedirect+"old"
	for _, c := range []struct {
		name             string
		base, into, from func(*revision.Draft) error
		key, want        string // what the key has in it
		conflicts        int
	}{
		{"title of one side", title("A"), title(""), title("C"), revision.KeyReusable + "r1", "C", 0},
		{"title of the other side", title("A"), title("B"), title(""), revision.KeyReusable + "r1", "B", 0},
		{"equal titles", title("A"), title("B"), title("B"), revision.KeyReusable + "r1", "B", 0},
		{"two titles", title("A"), title("B"), title("C"), revision.KeyReusable + "r1", "B", 1},
		{"variable of one side", value(variable, `"1"`), value(variable, ""), value(variable, `"2"`), variable, `"2"`, 0},
		{"two values", value(variable, `"1"`), value(variable, `"3"`), value(variable, `"2"`), variable, `"3"`, 1},
		{"a variable removed and changed", value(variable, `"1"`), value(variable, `"3"`), value(variable, "-"), variable, `"3"`, 1},
		{"a variable removed", value(variable, `"1"`), value(variable, ""), value(variable, "-"), variable, "", 0},
		{"a new redirect", value(redirect, ""), value(redirect, ""), value(redirect, "p1"), redirect, "p1", 0},
		{"two redirects from one address", value(redirect, ""), value(redirect, "p2"), value(redirect, "p1"), redirect, "p2", 0},
		{"a redirect stays", value(redirect, "p1"), value(redirect, ""), value(redirect, "-"), redirect, "p1", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				d := &modelDesk{T: rt, s: s}
				apply := func(on docs.Revision, change func(*revision.Draft) error) docs.Revision {
					dr := d.draft(on)
					if err := change(dr); err != nil {
						rt.Fatalf("%v", err)
					}
					return d.stored(dr)
				}
				base := apply(d.revision(""), c.base)
				base = apply(base, value(revision.KeySetting+"x", "y")) // so that both sides have changed since
				into, from := apply(apply(base, c.into), value(revision.KeySetting+"x", "z")), apply(base, c.from)
				dr, conflicts, err := merge.Into(context.Background(), merge.IntoSpace, d.view(into), base, from, 1, func() string { return d.fresh("new") })
				if err != nil || len(conflicts) != c.conflicts {
					rt.Fatalf("%+v, %v", conflicts, err)
				}
				b, _, err := d.view(d.stored(dr)).Get(context.Background(), c.key)
				if err != nil || !strings.Contains(string(b), c.want) || c.want == "" && b != nil {
					rt.Fatalf("%s, %v, want %s", b, err, c.want)
				}
			})
		})
	}
}
