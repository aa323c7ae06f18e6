package content_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
	"github.com/octavo-docs/octavo/internal/testing/testspace"
)

// Writing what was read makes no revision, in any form, for one page or for several.
func TestUnchangedPagesMakeNoRevision(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := testspace.New(t, o), context.Background()
		d.Import(t, testgit.Repository(t, "unusual"))
		none := ""
		d.Must(testspace.Insert("No text", "", ""), content.Change{Operation: content.InsertPage, Meta: content.PageMeta{Title: opt.Of("No body *here*")}},
			content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &none}}, content.Change{Operation: content.InsertPage, Body: &revision.Body{Document: &markup.Document{}}})
		d.Must(content.Change{Operation: content.DeletePage, Page: string(d.PageOf("no-head.md").ID)})
		v := d.Head(t, d.ID)
		before := d.Exported()
		markdown := func(p docs.Page, stable bool) string {
			text, err := reading.Markdown(ctx, v.Reading(p), reading.Form{}, stable)
			if err != nil {
				t.Fatal(err)
			}
			return text
		}
		written := func(p docs.Page, m content.PageMeta) content.Change {
			return content.Change{Operation: content.UpdatePage, Page: string(p.ID), Meta: m}
		}
		plain := func(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }
		forms := map[string]func(docs.Page) content.Change{
			"Markdown":                      func(p docs.Page) content.Change { return testspace.Write(p.ID, markdown(p, false)) },
			"Markdown with ids":             func(p docs.Page) content.Change { return testspace.Write(p.ID, markdown(p, true)) },
			"Markdown with other line ends": func(p docs.Page) content.Change { return testspace.Write(p.ID, plain(markdown(p, false))) },
			"the whole file":                func(p docs.Page) content.Change { return testspace.Write(p.ID, before[p.File]) },
			"the file with other line ends": func(p docs.Page) content.Change { return testspace.Write(p.ID, plain(before[p.File])) },
			"the file without its order mark": func(p docs.Page) content.Change {
				return testspace.Write(p.ID, strings.TrimPrefix(before[p.File], "\ufeff"))
			},
			"a document": func(p docs.Page) content.Change {
				doc, err := reading.Document(ctx, v.Reading(p), reading.Form{})
				if err != nil {
					t.Fatal(err)
				}
				raw, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if doc, err = markup.DecodeEdit("body.document", raw); err != nil {
					t.Fatal(err)
				}
				c := testspace.Write(p.ID, "")
				c.Body = &revision.Body{Document: doc}
				return c
			},
			"the title": func(p docs.Page) content.Change { return written(p, content.PageMeta{Title: opt.Of(p.Title)}) },
			"fields": func(p docs.Page) content.Change {
				return written(p, content.PageMeta{
					Title: opt.Of(p.Title), Emoji: opt.Of(p.Emoji), Icon: opt.Of(p.Icon), Description: opt.Of(p.Description), Slug: opt.Of(p.Slug),
					Hidden: opt.Of(p.Hidden), NoIndex: opt.Of(p.NoIndex), NoRobotsIndex: opt.Of(p.NoRobotsIndex), Condition: opt.Of(p.Condition),
				})
			},
		}
		order := testspace.Order(t, v)
		for name, form := range forms {
			var batch []content.Change
			for _, id := range order {
				p, err := v.Page(ctx, id)
				if err != nil {
					t.Fatal(err)
				}
				if !p.HasBody() || p.File == "" && strings.Contains(name, "file") {
					continue
				}
				if name == "fields" && !p.Pinned {
					continue // a slug that is written is pinned from then on
				}
				c := form(p)
				batch = append(batch, c)
				d.Must(c)
				if now := d.Head(t, d.ID); now.Rev.ID != v.Rev.ID {
					after, err := now.Page(ctx, id)
					if err != nil {
						t.Fatal(err)
					}
					t.Fatalf("%s: %s (%s) made a revision:\n%+v\n%+v\n%s", name, p.File, p.Title, p, after, testgit.Diff(t, before, d.Exported()))
				}
			}
			for part := range slices.Chunk(batch, 10) {
				if d.Must(part...); d.Head(t, d.ID).Rev.ID != v.Rev.ID {
					t.Fatalf("%s: a batch made a revision:\n%s", name, testgit.Diff(t, before, d.Exported()))
				}
			}
			if len(batch) == 0 {
				t.Errorf("%s: no page was written", name)
			}
		}
	})
}
