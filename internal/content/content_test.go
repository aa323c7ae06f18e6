package content_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// desk is a space to write in, with what it takes to do so.
type desk struct {
	t  testing.TB
	s  *store.Store
	c  *content.Service
	sp *spaces.Service
	by authz.Actor
	id docs.SpaceID
}

func newDesk(t testing.TB, o store.Options) *desk {
	t.Helper()
	ctx := context.Background()
	s := testdb.Open(t, o)
	c := content.New(content.Config{Store: s, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
	d := &desk{t: t, s: s, c: c, sp: &spaces.Service{Store: s, Content: c}}
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	d.by = authz.Actor{User: b.User}
	top, _, err := authz.NewChecker(s.Reader).Org(ctx, d.by, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := d.sp.Create(ctx, top, spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	d.id = sp.ID
	return d
}

// fatal is what a rapid test and a plain one have in common.
type fatal interface{ Fatalf(string, ...any) }

func (d *desk) grant(f fatal, id docs.SpaceID) *authz.Grant {
	g, _, err := authz.NewChecker(d.s.Reader).Space(context.Background(), d.by, authz.EditSpace, id)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return g
}

func (d *desk) head(f fatal, id docs.SpaceID) *revision.View {
	v, err := d.c.Source.Head(context.Background(), d.grant(f, id).Space)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return v
}

func (d *desk) apply(f fatal, id docs.SpaceID, changes ...content.Change) (*content.Applied, error) {
	return d.c.Apply(context.Background(), d.grant(f, id), "", "", changes)
}

func (d *desk) must(changes ...content.Change) *content.Applied {
	d.t.Helper()
	out, err := d.apply(d.t, d.id, changes...)
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

// verify compares everything derived with a rebuild from the content.
func (d *desk) verify(f fatal) {
	ctx := context.Background()
	all, err := d.s.AllSpaces(ctx)
	if err != nil {
		f.Fatalf("%v", err)
	}
	for _, id := range all {
		found, err := d.c.Index.VerifySpace(ctx, id)
		if err != nil || len(found) > 0 {
			f.Fatalf("space %s: %v\n%s", id, err, strings.Join(found, "\n"))
		}
	}
}

func insert(title, body, into string) content.Change {
	md := "# " + title + "\n\n" + body
	c := content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &md}}
	if into != "" {
		c.Into = opt.Of(into)
	}
	return c
}

func write(page docs.PageID, body string) content.Change {
	return content.Change{Operation: content.UpdatePage, Page: string(page), Body: &revision.Body{Markdown: &body}}
}

// A page that is moved or renamed keeps every reference to it: readers get
// the way to where it is now, and nothing else of the text changes.
func TestReferencesFollowTheirTarget(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		out := d.must(
			insert("Start", "See *[the guide](guide.md#steps)* and [gone](gone.md).\n\nUntouched  text.\n", ""),
			insert("Guide", "## Steps\n\nText.\n", ""),
			insert("Section", "Words.\n", ""),
		)
		start, guide, section := out.Outcomes[0].Page, out.Outcomes[1].Page, out.Outcomes[2].Page
		d.must(content.Change{
			Operation: content.UpdatePage, Page: string(guide), Into: opt.Of(string(section)),
			Meta: content.PageMeta{Title: opt.Of("The manual")},
		})
		v := d.head(t, d.id)
		p, err := v.Page(ctx, start)
		if err != nil {
			t.Fatal(err)
		}
		md, err := v.Markdown(ctx, p, false)
		if err != nil {
			t.Fatal(err)
		}
		want := "See *[the guide](section/the-manual.md#steps)* and [gone](gone.md).\n\nUntouched  text.\n"
		if string(md) != want {
			t.Errorf("the text is\n%s\nwant\n%s", md, want)
		}
		if moved, err := v.ByPath(ctx, "guide"); err != nil || moved.ID != guide {
			t.Errorf("the old address leads to %q (%v)", moved.ID, err)
		}
		rev := v.Rev.ID
		d.must(write(start, "# Start\n\n"+want))
		if now := d.head(t, d.id).Rev.ID; now != rev {
			t.Error("writing back what was read made a revision")
		}
		stable, err := v.Markdown(ctx, p, true)
		if err != nil || !strings.Contains(string(stable), "(/pages/"+string(guide)+"#steps)") {
			t.Errorf("stable references: %s (%v)", stable, err)
		}
		d.must(content.Change{Operation: content.DeletePage, Page: string(guide)})
		links, _, stats, err := d.c.Index.Links(ctx, d.grant(t, d.id), d.head(t, d.id), index.LinkFilter{Status: index.LinkBroken}, store.Page{Limit: 10})
		if err != nil || stats.Broken != 2 || len(links) != 2 {
			t.Fatalf("%d broken links, %v (%v)", stats.Broken, links, err)
		}
		for _, l := range links {
			if l.Target.Label != "the guide" && l.Target.Label != "gone" {
				t.Errorf("a broken link has the text %q", l.Target.Label)
			}
		}
		d.verify(t)
		// What was missing comes: the link that was written before works.
		d.must(insert("Gone", "Here.\n", ""))
		if _, _, stats, err = d.c.Index.Links(ctx, d.grant(t, d.id), d.head(t, d.id), index.LinkFilter{}, store.Page{}); err != nil || stats.Broken != 1 {
			t.Errorf("%d broken links (%v)", stats.Broken, err)
		}
		d.verify(t)
	})
}

// Whatever is done in whatever order, search and links are what a rebuild
// would make them, in the space and in its copies.
func TestIndexEqualsRebuild(t *testing.T) {
	d := newDesk(t, testdb.SQLite(t))
	all := []docs.SpaceID{d.id}
	rapid.Check(t, func(rt *rapid.T) {
		ctx := context.Background()
		for range rapid.IntRange(1, 6).Draw(rt, "batches") {
			id := all[rapid.IntRange(0, len(all)-1).Draw(rt, "space")]
			if len(all) < 6 && rapid.IntRange(0, 9).Draw(rt, "copy") == 0 {
				sp, _, err := d.sp.Duplicate(ctx, d.grant(rt, id))
				if err != nil {
					rt.Fatalf("%v", err)
				}
				all = append(all, sp.ID)
				continue
			}
			if rapid.IntRange(0, 12).Draw(rt, "rebuild") == 0 {
				if err := d.c.Index.Rebuild(ctx, fmt.Appendf(nil, `{"space":%q}`, id)); err != nil {
					rt.Fatalf("%v", err)
				}
				continue
			}
			d.random(rt, id)
		}
		d.verify(rt)
	})
}

// random makes a batch of changes; one that is refused changes nothing.
func (d *desk) random(rt *rapid.T, id docs.SpaceID) {
	before := d.head(rt, id)
	if _, err := d.apply(rt, id, d.changes(rt, before)...); err != nil {
		if after := d.head(rt, id).Rev.ID; after != before.Rev.ID {
			rt.Fatalf("a batch that was refused (%v) made a revision", err)
		}
	}
}

// changes returns a batch of changes for a revision.
func (d *desk) changes(rt *rapid.T, v *revision.View) []content.Change {
	ctx := context.Background()
	pages, err := v.All(ctx)
	if err != nil {
		rt.Fatalf("%v", err)
	}
	var ids []string
	var walk func([]*revision.PageNode)
	walk = func(in []*revision.PageNode) {
		for _, p := range in {
			ids = append(ids, string(p.ID))
			walk(p.Children)
		}
	}
	walk(pages)
	pick := func(label string) string {
		if len(ids) == 0 {
			return ""
		}
		return ids[rapid.IntRange(0, len(ids)-1).Draw(rt, label)]
	}
	words := []string{"alpha", "beta", "gamma", "delta"}
	word := func(label string) string { return words[rapid.IntRange(0, len(words)-1).Draw(rt, label)] }
	text := func() string {
		out := ""
		if rapid.IntRange(0, 3).Draw(rt, "head") == 0 {
			out = "---\ncover: " + word("path") + ".png\ndescription: All of " + word("word") + "\n---\n\n"
		}
		for range rapid.IntRange(0, 3).Draw(rt, "blocks") {
			switch rapid.IntRange(0, 4).Draw(rt, "block") {
			case 0:
				out += "## " + word("heading") + "\n\n"
			case 1:
				out += "A [link](" + word("path") + ".md#" + word("anchor") + ") to " + word("word") + ".\n\n"
			case 2:
				out += "[by id](/pages/" + pick("target") + ") and [up](../" + word("path") + ".md)\n\n"
			default:
				out += "Some " + word("word") + " text.\n\n"
			}
		}
		return out
	}
	var changes []content.Change
	for range rapid.IntRange(1, 4).Draw(rt, "changes") {
		switch k := rapid.IntRange(0, 9).Draw(rt, "kind"); {
		case k < 4 || len(ids) == 0:
			into := ""
			if rapid.Bool().Draw(rt, "top") {
				into = pick("into")
			}
			changes = append(changes, insert(word("title"), text(), into))
		case k < 6:
			changes = append(changes, write(docs.PageID(pick("page")), text()))
		case k < 8:
			c := content.Change{Operation: content.UpdatePage, Page: pick("page")}
			if rapid.Bool().Draw(rt, "move") {
				c.Into = opt.Of(pick("into"))
			}
			if rapid.Bool().Draw(rt, "rename") {
				c.Meta.Title = opt.Of(word("title"))
			}
			if rapid.Bool().Draw(rt, "describe") {
				c.Meta.Description = opt.Of(word("description") + " [" + word("word") + "](" + word("path") + ".md)")
			}
			if rapid.IntRange(0, 3).Draw(rt, "slug") == 0 {
				c.Meta.Slug = opt.Of(word("slug"))
			}
			c.Meta.Hidden = opt.Of(rapid.IntRange(0, 5).Draw(rt, "hidden") == 0)
			c.Meta.NoIndex = opt.Of(rapid.IntRange(0, 5).Draw(rt, "noindex") == 0)
			changes = append(changes, c)
		default:
			changes = append(changes, content.Change{Operation: content.DeletePage, Page: pick("page")})
		}
	}
	return changes
}

// What an import reads, an export writes, byte for byte; importing it
// again changes nothing.
func TestFolderRoundTrip(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		d, ctx := newDesk(t, o), context.Background()
		in := fstest.MapFS{
			"README.md":                 {Data: []byte("---\ndescription: Hello\nunknown: kept\n---\n\n# Welcome\n\n{% include \".gitbook/includes/note.md\" %}\n\n![x](.gitbook/assets/dot.png)\n")},
			"SUMMARY.md":                {Data: []byte("# Table of contents\n\n* [Welcome](README.md)\n* [Guide](guide/README.md)\n  * [Steps](guide/steps.md)\n* [Out](https://octavo.test)\n")},
			"guide/README.md":           {Data: []byte("# Guide\n\nSee [steps](steps.md).\n")},
			"guide/steps.md":            {Data: []byte("Steps without a title\r\n=====\r\n\r\n{% unknown a=\"b\" %}\nkept\n{% endunknown %}\n")},
			".gitbook/includes/note.md": {Data: []byte("---\ntitle: Note\n---\n\nA reusable zebra.\n")},
			".gitbook/assets/dot.png":   {Data: []byte("\x89PNG\r\n\x1a\n not really")},
			".gitbook/vars.yaml":        {Data: []byte("name: Octavo\nyear: 2026\n")},
			"notes.md":                  {Data: []byte("not listed\n")},
		}
		read := func() *folder.Tree {
			tree, err := folder.Read(in, folder.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			return tree
		}
		run := func() content.ImportSummary {
			out, err := d.c.Import(ctx, authz.OperatorGrant(d.by.User), d.grant(t, d.id).Space, read(), func(string, int, int) {})
			if err != nil {
				t.Fatal(err)
			}
			return out
		}
		if first := run(); !first.Changed {
			t.Fatalf("%+v", first)
		}
		if again := run(); again.Changed {
			t.Errorf("importing the same again made the revision %s", again.Revision)
		}
		d.verify(t)
		tree, err := d.c.Exchange.Folder(ctx, d.head(t, d.id))
		if err != nil {
			t.Fatal(err)
		}
		out := memorySink{}
		if err := folder.Write(out, tree); err != nil {
			t.Fatal(err)
		}
		for name, f := range in {
			if got := out[name]; got != string(f.Data) {
				t.Errorf("%s is\n%q\nwant\n%q", name, got, f.Data)
			}
			delete(out, name)
		}
		for name := range out {
			t.Errorf("%s was not there before", name)
		}
		// Reusable content is found where it is used.
		hits, _, err := d.c.Search(ctx, []*revision.View{d.head(t, d.id)}, "zebra", 10, nil)
		if err != nil || len(hits) != 1 || hits[0].Title != "Welcome" {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		in[".gitbook/includes/note.md"] = &fstest.MapFile{Data: []byte("---\ntitle: Note\n---\n\nA reusable giraffe.\n")}
		run()
		if hits, _, err := d.c.Search(ctx, []*revision.View{d.head(t, d.id)}, "giraffe", 10, nil); err != nil || len(hits) != 1 {
			t.Errorf("search finds %v (%v)", hits, err)
		}
		d.verify(t)
	})
}
