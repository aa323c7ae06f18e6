package content_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// Many people edit one space at the same time: pages of their own, a page that
// all of them edit, and the tree. Every change is kept, and the index is what a
// rebuild makes of the result.
func TestManyWritersOfOneSpace(t *testing.T) {
	d, ctx := testspace.New(t, testdb.SQLite(t)), context.Background()
	const writers, edits = 8, 12
	var pages []docs.PageID
	for i := range writers {
		out := d.Must(content.Change{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of(fmt.Sprintf("Page %d", i))}})
		pages = append(pages, out.Outcomes[0].Page)
	}
	before := revisions(t, d)
	var all sync.WaitGroup
	failed := make(chan error, writers*edits)
	for w := range writers {
		all.Go(func() {
			for n := range edits {
				text := fmt.Sprintf("# Page %d\n\nWords of writer %d, number %d, see [the first](/pages/%s).\n", w, w, n, pages[0])
				c := content.Change{Operation: content.UpdatePage, Page: string(pages[w]), Body: &revision.Body{Markdown: &text}}
				if n%4 == 3 { // which nothing else is independent of
					c = content.Change{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of(fmt.Sprintf("New %d %d", w, n))}}
				}
				if _, err := d.Content.Apply(ctx, d.Grant(t, d.ID), "", "", []content.Change{c}); err != nil {
					failed <- err
				}
			}
		})
	}
	all.Wait()
	close(failed)
	for err := range failed {
		t.Error(err)
	}
	if got := revisions(t, d) - before; got != writers*edits {
		t.Errorf("%d revisions were made, want %d", got, writers*edits)
	}
	head := d.Head(t, d.ID)
	for w, id := range pages {
		p, err := head.Page(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		body, err := head.Markdown(ctx, p, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("Words of writer %d, number %d", w, edits-2); !strings.Contains(string(body), want) {
			t.Errorf("page %d is %q, want %q", w, body, want)
		}
	}
	d.Verify(t)
}

// revisions counts the revisions of the space.
func revisions(t *testing.T, d *testspace.Desk) (n int) {
	rev := d.Head(t, d.ID).Rev
	for ; len(rev.Parents) > 0; n++ {
		var err error
		if rev, err = d.Content.Store.Revision(context.Background(), d.ID, rev.Parents[0]); err != nil {
			t.Fatal(err)
		}
	}
	return n
}
