package content_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// The text that an edit starts from was parsed when it was written.
func TestEditParsesOneText(t *testing.T) {
	d := testspace.New(t, testdb.SQLite(t))
	target := d.Must(testspace.Insert("Target", "Text.\n", "")).Outcomes[0].Page
	page := d.Must(testspace.Insert("Page", "Text.\n", "")).Outcomes[0].Page
	text := "A [link](target.md) and [another](nowhere.md).\n\n* an item\n\nVersion %d.\n"
	d.Must(testspace.Write(page, fmt.Sprintf(text, 0)))
	parsed := func(edit func()) int64 {
		var n atomic.Int64
		end := costly.Observe(func(kind string) {
			if kind == costly.Parse {
				n.Add(1)
			}
		})
		defer end()
		edit()
		return n.Load()
	}
	if n := parsed(func() { d.Must(testspace.Write(page, fmt.Sprintf(text, 1))) }); n != 1 {
		t.Errorf("an edit parsed %d texts", n)
	}
	// Where a destination names something else by now, the old text is read again.
	d.Must(content.Change{Operation: content.UpdatePage, Page: string(target), Meta: content.PageMeta{Slug: opt.Of("other")}})
	if n := parsed(func() { d.Must(testspace.Write(page, fmt.Sprintf(text, 2))) }); n < 2 {
		t.Errorf("an edit behind a move parsed %d texts", n)
	}
	d.Verify(t)
}

// Blocks get the same keys whether the text before them was kept in memory or
// is read again.
func TestKeptTextsKeepKeys(t *testing.T) {
	source, err := os.ReadFile("../markup/testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	d := testspace.New(t, testdb.SQLite(t))
	page := d.Must(testspace.Insert("Page", "Text.\n", "")).Outcomes[0].Page
	copied, _, err := d.Spaces.Duplicate(context.Background(), d.Grant(t, d.ID))
	if err != nil {
		t.Fatal(err)
	}
	kept := d.Content
	r := rand.New(rand.NewPCG(1, 2))
	parts := strings.Split(string(source), "\n\n")
	now := slices.Clone(parts)
	for i := range 120 {
		now = changedParts(r, now, parts)
		text := strings.Join(now, "\n\n") + "\n"
		d.Content = kept
		d.Must(testspace.Write(page, text))
		d.Content = content.New(content.Config{Store: d.Store, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
		if _, err := d.Apply(t, copied.ID, testspace.Write(page, text)); err != nil {
			t.Fatal(err)
		}
		a, b := keysIn(t, d.Head(t, d.ID), page), keysIn(t, d.Head(t, copied.ID), page)
		if !slices.Equal(a, b) {
			t.Fatalf("edit %d: the keys differ:\n%v\n%v\n%s", i, a, b, text)
		}
	}
}

// changedParts returns parts of a text after some edits.
func changedParts(r *rand.Rand, now, all []string) []string {
	now = slices.Clone(now)
	for range 1 + r.IntN(3) {
		at := r.IntN(len(now))
		switch r.IntN(4) {
		case 0:
			now = slices.Insert(now, at, all[r.IntN(len(all))])
		case 1:
			now[at] += " more"
		case 2:
			now[at] = all[r.IntN(len(all))]
		case 3:
			if len(now) > len(all)/2 {
				now = slices.Delete(now, at, at+1)
			}
		}
	}
	return now
}

// keysIn returns the keys of all nodes of a page.
func keysIn(t *testing.T, v *revision.View, id docs.PageID) (out []string) {
	t.Helper()
	p, err := v.Page(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := v.Document(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	var all func(nodes []*markup.Node)
	all = func(nodes []*markup.Node) {
		for _, n := range nodes {
			out = append(out, n.Key)
			all(n.Nodes)
			all(n.Fragments)
		}
	}
	all(doc.Nodes)
	return out
}
