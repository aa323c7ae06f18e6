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

// unusual is a folder whose files have what tools write and people rarely do.
var unusual = map[string]string{
	"SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [Named elsewhere](mark.md)\n\n## Group\n\n* [Windows](windows.md)\n  * [Mixed](mixed.md)\n* [Heads](heads.md)\n" +
		"* [No head](no-head.md)\n* [Empty](empty.md)\n* [Blank](blank.md)\n* [Only a mark](only-mark.md)\n* [Only front matter](only-front.md)\n* [Only a title](only-title.md)\n" +
		"* [Links](links.md)\n  * [A part](pages/deep.md#part)\n* [Hidden](hidden.md)\n* [🚀 Rocket \\*](title.md)\n* [Pages](pages/README.md)\n  * [Deep](pages/deep.md)\n* [Includes](includes.md)\n\n***\n\n* [日本語](jp/ページ.md)\n",
	"README.md":                       "# Home\n\nWelcome.\n",
	"mark.md":                         "\ufeff# A title\n\nText.\n",
	"windows.md":                      "\ufeff---\r\nicon: x\r\n---\r\n\r\n# Windows\r\n\r\nOne.\r\n\r\nTwo.",
	"mixed.md":                        "# Mixed\r\n\r\nOne.\n\nTwo.\r\n\r\nThree.\n\r\n- a\n- b\r\n- a\r\n",
	"heads.md":                        "---\ndescription: >-\n  Long\n  text\nlayout: wide\ncover: pages/media/a.png\ntags: [a, {tag: b, primary: true}]\nvars:\n  n: 1.50\nunknown: yes\n---\n\nHeads\n=====\nText\n",
	"no-head.md":                      "Only text",
	"empty.md":                        "",
	"blank.md":                        "\n \n\n",
	"only-mark.md":                    "\ufeff",
	"only-front.md":                   "---\nicon: x\n---",
	"only-title.md":                   "# Only a title",
	"links.md":                        "# Links\n\n[a](/pages/deep.md) [b](pages/deep.md#x) ![](/pages/media/a.png) ![](/files/b.png) [gone](/pages/gone.md) [home](/) [group](/files/)\n\n[*j*]({% link pages/deep.md %}) [h]({{< relref \"deep\" >}}) [s](files/b c.png) [n]({{ site.baseurl }}/none \"a \"b\" c\")\n\n{{< note >}}\n[i]({{ '/pages/deep.md' | relative_url }})\n{{< /note >}}\n\n[ref]\n\n[ref]: /pages/deep.md 'T'\n",
	"hidden.md":                       "---\nhidden: true\nif: visitor.claims.beta\n---\n\n# Hidden\n\n{% if visitor.claims.beta %}\nText.\n{% endif %}\n",
	"title.md":                        "# :rocket: **Rocket** `*` &amp; \\_ #\n\nText.  \n",
	"pages/README.md":                 "# Pages\n\n[up](../README.md) [here](/pages/) [same](/pages/README.md)\n",
	"pages/deep.md":                   "# Deep\n\n![](media/a.png) ![](/pages/media/a.png)\n",
	"deep.md":                         "# Another\n",
	"pages/media/a.png":               "a",
	"files/b.png":                     "b",
	"files/b c.png":                   "d",
	"includes.md":                     "# Includes\n\n{% include \"/.gitbook/includes/part.md\" %}\n",
	".gitbook/includes/part.md":       "---\ntitle: Part\n---\n\nPart.\n",
	"jp/ページ.md":                       "# 日本語\n\n**粗体**，text　with wide spaces。\n",
	"reusable-content/unlisted.md":    "# Unlisted\n\n[a](/reusable-content/unlisted.md)\n",
	"reusable-content/unlisted.2.png": "c",
}

// A folder is exported as it was, also if its paths look like the forms with ids that API
// clients write.
func TestPathsThatLookLikeIDs(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		d.Import(t, unusual)
		if diff := testgit.Diff(t, carried(t, unusual), d.Exported()); diff != "" {
			t.Errorf("the folder is exported with changes:\n%s", diff)
		}
		if part := d.FirstPage("A part", func(p docs.Page) bool { return p.Title == "A part" }); part.Target == nil || part.Target.Kind != docs.RefAnchor || part.Target.Page != string(d.PageOf("pages/deep.md").ID) {
			t.Errorf("the link to a part of a page leads to %+v", part.Target)
		}
		if again := d.Import(t, unusual); again.Changed {
			t.Error("importing the same again made a revision")
		}
		v, deep := d.Head(t, d.ID), d.PageOf("pages/deep.md")
		if ref, ok := v.Linker(ctx, "links.md").Current("/pages/deep.md", markup.UseLink); !ok || ref.Page != string(deep.ID) {
			t.Errorf("/pages/deep.md leads to %+v, %v", ref, ok)
		}
		d.Must(content.Change{Operation: content.UpdatePage, Page: string(deep.ID), Into: opt.Of(string(d.PageOf("README.md").ID)), Meta: content.PageMeta{Slug: opt.Of("moved")}})
		if text := d.Exported()["links.md"]; strings.Contains(text, "(/pages/deep.md)") || !strings.Contains(text, "![](/pages/media/a.png)") {
			t.Errorf("after the page was moved, the links are %q", text)
		}
	})
}

// Writing what was read makes no revision, in any form, for one page or for several.
func TestUnchangedPagesMakeNoRevision(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		d.Import(t, unusual)
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
