package testspace

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// Desk is a space to write in, with what it takes to do so.
type Desk struct {
	T       testing.TB
	Store   *store.Store
	Content *content.Service
	Spaces  *spaces.Service
	By      authz.Actor // an admin of the organization
	ID      docs.SpaceID
}

// New returns a desk with an empty space in a new store.
func New(t testing.TB, o store.Options) *Desk {
	t.Helper()
	ctx := context.Background()
	s := testdb.Open(t, o)
	c := content.New(content.Config{Store: s, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
	d := &Desk{T: t, Store: s, Content: c, Spaces: &spaces.Service{Store: s, Content: c}}
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	d.By = authz.Actor{User: b.User}
	top, _, err := authz.NewChecker(s.Reader).Org(ctx, d.By, authz.CreateContent, b.Organization)
	if err != nil {
		t.Fatal(err)
	}
	sp, _, err := d.Spaces.Create(ctx, top, spaces.NewSpace{Title: "Handbook", EditMode: docs.EditLive, Empty: true})
	if err != nil {
		t.Fatal(err)
	}
	d.ID = sp.ID
	return d
}

// Fatal is what a rapid test and a plain one have in common.
type Fatal interface{ Fatalf(string, ...any) }

// Grant returns the grant to edit a space, as it is now.
func (d *Desk) Grant(f Fatal, id docs.SpaceID) *authz.Grant {
	g, _, err := authz.NewChecker(d.Store.Reader).Space(context.Background(), d.By, authz.EditSpace, id)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return g
}

// Head returns the newest revision of a space.
func (d *Desk) Head(f Fatal, id docs.SpaceID) *revision.View {
	v, err := d.Content.Source.Head(context.Background(), d.Grant(f, id).Space)
	if err != nil {
		f.Fatalf("%v", err)
	}
	return v
}

// Apply makes a batch of changes in a space.
func (d *Desk) Apply(f Fatal, id docs.SpaceID, changes ...content.Change) (*content.Applied, error) {
	return d.Content.Apply(context.Background(), d.Grant(f, id), "", "", changes)
}

// Must makes a batch of changes that is not refused.
func (d *Desk) Must(changes ...content.Change) *content.Applied {
	d.T.Helper()
	out, err := d.Apply(d.T, d.ID, changes...)
	if err != nil {
		d.T.Fatal(err)
	}
	return out
}

// Verify compares everything derived with a rebuild from the content.
func (d *Desk) Verify(f Fatal) {
	ctx := context.Background()
	all, err := d.Store.AllSpaces(ctx)
	if err != nil {
		f.Fatalf("%v", err)
	}
	for _, id := range all {
		found, err := d.Content.Index.VerifySpace(ctx, id)
		if err != nil || len(found) > 0 {
			f.Fatalf("space %s: %v\n%s", id, err, strings.Join(found, "\n"))
		}
	}
}

// Insert returns the change that makes a page with a title and a body below a page, or at
// the top.
func Insert(title, body, into string) content.Change {
	md := "# " + title + "\n\n" + body
	c := content.Change{Operation: content.InsertPage, Body: &revision.Body{Markdown: &md}}
	if into != "" {
		c.Into = opt.Of(into)
	}
	return c
}

// Write returns the change that gives a page another body.
func Write(page docs.PageID, body string) content.Change {
	return content.Change{Operation: content.UpdatePage, Page: string(page), Body: &revision.Body{Markdown: &body}}
}

// Import makes files the content of the space.
func (d *Desk) Import(f Fatal, files map[string]string) content.ImportSummary {
	in := fstest.MapFS{}
	for name, text := range files {
		in[name] = &fstest.MapFile{Data: []byte(text)}
	}
	tree, err := folder.Read(in, folder.Limits{})
	if err != nil {
		f.Fatalf("%v", err)
	}
	out, err := d.Content.Import(context.Background(), authz.OperatorGrant(d.By.User), d.Grant(f, d.ID).Space, tree, func(string, int, int) {})
	if err != nil {
		f.Fatalf("%v", err)
	}
	return out
}

// Exported returns the files of the newest revision.
func (d *Desk) Exported() map[string]string {
	d.T.Helper()
	tree, err := d.Content.Exchange.Folder(context.Background(), d.Head(d.T, d.ID))
	if err != nil {
		d.T.Fatal(err)
	}
	out := Files{}
	if err := folder.Write(out, tree); err != nil {
		d.T.Fatal(err)
	}
	return out
}

// Files are files in memory, by their names.
type Files map[string]string

// WriteFile implements folder.Sink.
func (m Files) WriteFile(name string, data io.Reader) error {
	b, err := io.ReadAll(data)
	m[name] = string(b)
	return err
}

// PageOf returns the page that came from a file.
func (d *Desk) PageOf(file string) docs.Page {
	d.T.Helper()
	return d.FirstPage(file, func(p docs.Page) bool { return p.File == file })
}

// FirstPage returns the first page that a function chooses.
func (d *Desk) FirstPage(what string, is func(docs.Page) bool) docs.Page {
	d.T.Helper()
	v := d.Head(d.T, d.ID)
	for _, id := range Order(d.T, v) {
		if p, err := v.Page(context.Background(), id); err == nil && is(p) {
			return p
		}
	}
	d.T.Fatalf("there is no page %s", what)
	return docs.Page{}
}

// Order returns the pages of a revision in their order.
func Order(f Fatal, v *revision.View) (order []docs.PageID) {
	all, err := v.All(context.Background())
	if err != nil {
		f.Fatalf("%v", err)
	}
	var walk func([]*revision.PageNode)
	walk = func(in []*revision.PageNode) {
		for _, p := range in {
			order = append(order, p.ID)
			walk(p.Children)
		}
	}
	walk(all)
	return order
}
