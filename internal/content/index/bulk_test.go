package index_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// largeFolder has several portions of text, with links, an include, a link
// page and a hidden page.
func largeFolder(t testing.TB) *folder.Tree {
	t.Helper()
	files, pages := fstest.MapFS{}, 700
	summary := "# Table of contents\n\n* [Home](README.md)\n\n## Part\n\n* [Elsewhere](https://example.com)\n"
	put := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	put("README.md", "# Home\n\nWelcome.\n")
	put(".gitbook/includes/note.md", "---\ntitle: Note\n---\n\nMind the [first](../../p0000.md) includedword.\n")
	for i := range pages {
		head, more := "", ""
		if i == 7 {
			head, more = "---\nhidden: true\n---\n\n", "Zebra. "
		}
		summary += fmt.Sprintf("* [Page %d](p%04d.md)\n", i, i)
		put(fmt.Sprintf("p%04d.md", i), fmt.Sprintf(
			"%s# Page %d\n\n%sWord%d. See [next](p%04d.md#part) and [gone](gone%d.md).\n\n{%% include \".gitbook/includes/note.md\" %%}\n\n## Part\n\n%s\n",
			head, i, more, i, (i+1)%pages, i, strings.Repeat("Some more words. ", 700)))
	}
	put("SUMMARY.md", summary)
	tree, err := folder.Read(files, folder.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func quietly(string, int, int) {}

// layers returns how many layers exist that no space reads.
func (d *desk) unusedLayers() []string {
	d.T.Helper()
	all, err := d.Store.UnusedLayers(context.Background(), time.Now().Add(time.Hour))
	if err != nil {
		d.T.Fatal(err)
	}
	return all
}

// A large import is stored in portions; what comes out is what one transaction
// would have made.
func TestALargeImportIsStoredInPortions(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		d.Must(testspace.Insert("Before", "A page that goes.\n", "")) // the index is not empty
		before := d.Grant(t, d.ID).Space.Layer
		out, err := d.Content.Import(ctx, d.Grant(t, d.ID), d.Grant(t, d.ID).Space, largeFolder(t), quietly)
		if err != nil || !out.Changed {
			t.Fatalf("%+v: %v", out, err)
		}
		if d.Grant(t, d.ID).Space.Layer == before {
			t.Error("the import was not stored in advance")
		}
		d.Verify(t)
		if left := d.unusedLayers(); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		for word, want := range map[string]int{"word699": 1, "includedword": 20, "zebra": 0} {
			found := d.search(word)
			if len(found) != want {
				t.Errorf("%s is found on %d pages, want %d", word, len(found), want)
			}
		}
		// Equally good ones are in the order of the pages.
		if found := d.search("includedword"); found[0] != "Page 0" || found[1] != "Page 1" {
			t.Errorf("found in the order %v", found)
		}
	})
}

// An import that is broken off leaves the space as it is and nothing behind.
func TestALargeImportBrokenOff(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	d.Must(testspace.Insert("Before", "A page that stays.\n", ""))
	before := d.Grant(t, d.ID).Space
	ctx, cancel := context.WithCancel(context.Background())
	_, err := d.Content.Import(ctx, d.Grant(t, d.ID), before, largeFolder(t), func(stage string, done, _ int) {
		if stage == "pages" && done >= 500 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("it ended with %v", err)
	}
	if now := d.Grant(t, d.ID).Space; now.Revision != before.Revision || now.Layer != before.Layer {
		t.Error("the space has changed")
	}
	if left := d.unusedLayers(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	d.Verify(t)
}

// What others do to the space while it is imported: it is copied, so both
// read through other layers, or its language changes, so the words of the
// index are others.
func TestALargeImportAmongOthers(t *testing.T) {
	for name, others := range map[string]func(d *desk) error{
		"copied": func(d *desk) error {
			_, _, err := d.Spaces.Duplicate(context.Background(), d.Grant(d.T, d.ID))
			return err
		},
		"another language": func(d *desk) error {
			return d.Store.Do(context.Background(), func(tx *store.Tx) error {
				sp, err := tx.Space(context.Background(), d.ID)
				if err != nil {
					return err
				}
				sp.It.Language = "de"
				return tx.PutSpace(context.Background(), sp.It)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, ctx, once := newDesk(t, testdb.SQLite(t)), context.Background(), true
			d.Must(testspace.Insert("Before", "A page that is copied.\n", ""))
			_, err := d.Content.Import(ctx, d.Grant(t, d.ID), d.Grant(t, d.ID).Space, largeFolder(t), func(stage string, done, _ int) {
				if stage == "pages" && done >= 500 && once {
					once = false
					if err := others(d); err != nil {
						t.Error(err)
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			d.Verify(t)
			if left := d.unusedLayers(); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// A small import writes to the layer that the space reads at the time of the
// commit, too.
func TestASmallImportIntoASpaceThatIsCopiedMeanwhile(t *testing.T) {
	d, ctx, once := newDesk(t, testdb.SQLite(t)), context.Background(), true
	d.Must(testspace.Insert("Before", "A page that is copied.\n", ""))
	tree, err := folder.Read(fstest.MapFS{"README.md": {Data: []byte("# Home\n\nWelcome.\n")}}, folder.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Content.Import(ctx, d.Grant(t, d.ID), d.Grant(t, d.ID).Space, tree, func(string, int, int) {
		if once {
			once = false
			if _, _, err := d.Spaces.Duplicate(ctx, d.Grant(t, d.ID)); err != nil {
				t.Error(err)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	d.Verify(t)
}

// What a killed import leaves behind is dropped a day later.
func TestLayersThatNobodyFinished(t *testing.T) {
	now := time.Now()
	o := testdb.SQLite(t)
	o.Clock = func() time.Time { return now }
	d, ctx := newDesk(t, o), context.Background()
	d.Must(testspace.Insert("Stays", "Words.\n", ""))
	f := searchrows.NewBulk(docs.NewID[string](now))
	err := d.Store.Do(ctx, func(tx *store.Tx) error {
		if err := tx.AddLayer(ctx, store.Layer{ID: f.Layer}); err != nil {
			return err
		}
		if err := tx.PutNewLayerPages(ctx, f.Layer, []store.LayerPage{{ID: "p1", Links: []store.Link{{Kind: "url", Target: "https://example.com"}}}}); err != nil {
			return err
		}
		return tx.PutBulk(ctx, f, []searchrows.Page{{Page: "p1", Title: "Half"}})
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{time.Hour, 1}, {25 * time.Hour, 0}} {
		now = now.Add(c.after)
		if err := d.Content.Index.TidySearch(ctx, nil); err != nil {
			t.Fatal(err)
		}
		left, err := d.Store.UnusedLayers(ctx, now.Add(time.Hour))
		if err != nil || len(left) != c.left {
			t.Errorf("after %v: %v, %v", c.after, left, err)
		}
	}
	d.Verify(t)
}

// What the index says of pages is more than they are where they include much:
// a few kilobytes are stored in portions too.
func TestPagesThatIncludeMuch(t *testing.T) {
	d, ctx := newDesk(t, testdb.SQLite(t)), context.Background()
	files := fstest.MapFS{}
	put := func(name, text string) { files[name] = &fstest.MapFile{Data: []byte(text)} }
	put("README.md", "# Home\n")
	put(".gitbook/includes/note.md", "---\ntitle: Note\n---\n\nIncludedword. "+strings.Repeat("Somemorewords, ", 130_000)+"\n")
	for i := range 20 {
		put(fmt.Sprintf("p%02d.md", i), fmt.Sprintf("# Page %d\n\n{%% include \".gitbook/includes/note.md\" %%}\n", i))
	}
	load := func() {
		t.Helper()
		tree, err := folder.Read(files, folder.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Content.Import(ctx, d.Grant(t, d.ID), d.Grant(t, d.ID).Space, tree, quietly); err != nil {
			t.Fatal(err)
		}
	}
	before := d.Grant(t, d.ID).Space.Layer
	load()
	if d.Grant(t, d.ID).Space.Layer == before {
		t.Error("the import was not stored in advance")
	}
	d.Verify(t)
	look := func(words string, want int) {
		t.Helper()
		if found := d.search(words); len(found) != want {
			t.Errorf("%s is found on %d pages, want %d", words, len(found), want)
		}
	}
	look("includedword", 20)
	// All pages that include it are indexed again by one change.
	put(".gitbook/includes/note.md", strings.Replace(string(files[".gitbook/includes/note.md"].Data), "Includedword", "Otherword", 1))
	load()
	d.Verify(t)
	look("includedword", 0)
	look("otherword", 20)
}

// search returns the titles of the pages that are found.
func (d *desk) search(words string) []string {
	d.T.Helper()
	found, _, err := d.Content.Search(context.Background(), []*revision.View{d.Head(d.T, d.ID)}, words, 20, nil)
	if err != nil {
		d.T.Fatal(err)
	}
	var out []string
	for _, f := range found {
		out = append(out, f.Title)
	}
	return out
}
