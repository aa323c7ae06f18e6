package reviews_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// desk is a space with pages, and a user who has all rights on it.
type desk struct {
	s  *store.Store
	c  *content.Service
	r  *reviews.Service
	by authz.Actor
	id docs.SpaceID
}

func newDesk(t testing.TB, o store.Options, pages int) *desk {
	t.Helper()
	ctx := context.Background()
	s := testdb.Open(t, o)
	c := content.New(content.Config{Store: s, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
	d := &desk{s: s, c: c, r: &reviews.Service{Store: s, Content: c}}
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	d.by = authz.Actor{User: b.User}
	top, _, err := authz.NewChecker(s.Reader).Org(ctx, d.by, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := (&spaces.Service{Store: s, Content: c}).Create(ctx, top, spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	d.id = sp.ID
	files := fstest.MapFS{}
	for i := range pages {
		files[fmt.Sprintf("section-%d/page-%d.md", i%100, i)] = &fstest.MapFile{Mode: 0o644, Data: []byte(fmt.Sprintf(
			"# Page %d\n\nThis is page %d.\n\n## Steps\n\n* one\n* two\n\n%s\n", i, i, strings.Repeat("Some words to read. ", 20)))}
	}
	if pages > 0 {
		tree, err := folder.Read(files, folder.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Import(ctx, authz.OperatorGrant(b.User), sp, tree, func(string, int, int) {}); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

func (d *desk) grant(t testing.TB) *authz.Grant {
	g, _, err := authz.NewChecker(d.s.Reader).Space(context.Background(), d.by, authz.MergeSpace, d.id)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func (d *desk) edit(t testing.TB, on content.LineName, page docs.PageID, body string) {
	t.Helper()
	_, err := d.c.Apply(context.Background(), d.grant(t), on, "", []content.Change{{
		Operation: content.UpdatePage, Page: string(page), Body: &revision.Body{Markdown: &body},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// BenchmarkMerge opens a change request, edits one page in it, and merges it into a space that has
// newer revisions.
func BenchmarkMerge(b *testing.B) {
	for _, n := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			d, ctx := newDesk(b, testdb.SQLite(b), n), context.Background()
			v, err := d.c.Source.Head(ctx, d.grant(b).Space)
			if err != nil {
				b.Fatal(err)
			}
			var ids []docs.PageID
			all, err := v.All(ctx)
			if err != nil {
				b.Fatal(err)
			}
			for _, top := range all {
				for _, p := range top.Children {
					ids = append(ids, p.ID)
				}
			}
			i := 0
			text := func() string { i++; return fmt.Sprintf("This is edit %d.\n\n## Steps\n\n* one\n", i) }
			for _, step := range []string{"create", "edit", "merge"} {
				b.Run(step, func(b *testing.B) {
					for b.Loop() {
						b.StopTimer()
						if step == "create" {
							b.StartTimer()
						}
						cr, err := d.r.Create(ctx, d.grant(b), reviews.New{Subject: "Bench"})
						if err != nil {
							b.Fatal(err)
						}
						if step == "create" {
							continue
						}
						if step == "edit" {
							b.StartTimer()
						}
						d.edit(b, content.LineName(cr.ID), ids[i%len(ids)], text())
						if step == "edit" {
							continue
						}
						d.edit(b, "", ids[(i+7)%len(ids)], text()) // the space gets a newer revision
						g := d.grant(b)
						b.StartTimer()
						if out, err := d.r.Merge(ctx, g, string(cr.ID)); err != nil || len(out.Conflicts) > 0 {
							b.Fatal(err, out.Conflicts)
						}
					}
				})
			}
		})
	}
}
