package gitsync

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// fixture is a space, a repository on a server, and a user with all permissions.
type fixture struct {
	t      testing.TB
	s      *Service
	by     docs.UserID
	org    docs.OrgID
	id     docs.SpaceID
	origin *testgit.Origin
	remote docs.GitRemote
	log    *strings.Builder
}

func newFixture(t testing.TB, o store.Options) *fixture {
	t.Helper()
	ctx := context.Background()
	st := testdb.Open(t, o)
	c := content.New(content.Config{Store: st, Blobs: testdb.Blobs(t), BaseURL: "http://octavo.test"})
	loopback, err := outbound.Parse("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	d := &fixture{t: t, origin: testgit.New(t), log: &strings.Builder{}}
	d.s = &Service{
		Store: st, Content: c, Reviews: &reviews.Service{Store: st, Content: c},
		Git: &git.Runner{Dir: t.TempDir(), Outbound: loopback},
		Log: slog.New(slog.NewTextHandler(d.log, nil)), BaseURL: "http://octavo.test",
	}
	b, err := orgs.New(st, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	d.by, d.org = b.User, b.Organization
	d.id = d.space("Handbook")
	d.remote = docs.GitRemote{URL: d.origin.HTTP("", "").URL, Ref: "refs/heads/main"}
	return d
}

func (d *fixture) space(title string) docs.SpaceID {
	d.t.Helper()
	top, _, err := authz.NewChecker(d.s.Store.Reader).Org(context.Background(), authz.Actor{User: d.by}, authz.CreateContent, d.org)
	if err != nil {
		d.t.Fatal(err)
	}
	sp, _, err := (&spaces.Service{Store: d.s.Store, Content: d.s.Content}).Create(context.Background(), top,
		spaces.NewSpace{Title: title, EditMode: docs.EditLive, Empty: true})
	if err != nil {
		d.t.Fatal(err)
	}
	return sp.ID
}

// queue stores a queued operation without a job.
func (d *fixture) queue(dir docs.GitDirection, change func(*docs.GitOperation)) docs.GitOperation {
	d.t.Helper()
	o := docs.GitOperation{Space: d.id, Direction: dir, State: docs.GitQueued, Remote: d.remote, User: d.by}
	if dir == docs.GitExport {
		o.Request.Message = "OCTAVO-{change_request_number}: {change_request_subject}"
	}
	if change != nil {
		change(&o)
	}
	err := d.s.Store.Do(context.Background(), func(tx *store.Tx) error {
		o.ID, o.CreatedAt = store.NewID[docs.GitOperationID](tx), tx.Now()
		if err := tx.PutGitInfo(context.Background(), d.id, infoOf(o.Remote, o.Request, tx.Now())); err != nil {
			return err
		}
		return tx.AddGitOperation(context.Background(), o)
	})
	if err != nil {
		d.t.Fatal(err)
	}
	return o
}

// run runs an operation in the same way as its job.
func (d *fixture) run(ctx context.Context, o docs.GitOperation) (docs.GitOperation, error) {
	payload, err := json.Marshal(OperationPayload{Space: o.Space, Operation: o.ID})
	if err != nil {
		d.t.Fatal(err)
	}
	failure := d.s.Run(ctx, payload)
	o, err = d.s.Store.GitOperation(context.Background(), o.Space, o.ID)
	if err != nil {
		d.t.Fatal(err)
	}
	return o, failure
}

func (d *fixture) do(dir docs.GitDirection, change func(*docs.GitOperation)) docs.GitOperation {
	d.t.Helper()
	o, err := d.run(context.Background(), d.queue(dir, change))
	if err != nil {
		d.t.Fatalf("%s: %v", dir, err)
	}
	return o
}

// pull and push run an operation and fail unless it ends with the given reason.
func (d *fixture) pull(reason string) docs.GitOperation { return d.expect(docs.GitImport, reason) }
func (d *fixture) push(reason string) docs.GitOperation { return d.expect(docs.GitExport, reason) }

func (d *fixture) expect(dir docs.GitDirection, reason string) docs.GitOperation {
	d.t.Helper()
	o := d.do(dir, nil)
	if o.Reason != reason {
		d.t.Fatalf("%s ended with %q (%s) instead of %q\n%s", dir, o.Reason, o.Error, reason, d.log)
	}
	return o
}

func (d *fixture) grant() *authz.Grant {
	d.t.Helper()
	g, _, err := authz.NewChecker(d.s.Store.Reader).Space(context.Background(), authz.Actor{User: d.by}, authz.MergeSpace, d.id)
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

// sync returns a grant to connect the space.
func (d *fixture) sync() *authz.Grant {
	d.t.Helper()
	g, _, err := authz.NewChecker(d.s.Store.Reader).Space(context.Background(), authz.Actor{User: d.by}, authz.SyncSpace, d.id)
	if err != nil {
		d.t.Fatal(err)
	}
	return g
}

func (d *fixture) head() *revision.View {
	d.t.Helper()
	v, err := d.s.Content.Source.Head(context.Background(), d.grant().Space)
	if err != nil {
		d.t.Fatal(err)
	}
	return v
}

// pages returns the pages by title.
func (d *fixture) pages() map[string]*revision.PageNode {
	d.t.Helper()
	all, err := d.head().All(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[string]*revision.PageNode{}
	var walk func([]*revision.PageNode)
	walk = func(list []*revision.PageNode) {
		for _, p := range list {
			out[p.Title] = p
			walk(p.Children)
		}
	}
	walk(all)
	return out
}

func (d *fixture) markdown(title string) string {
	d.t.Helper()
	p, ok := d.pages()[title]
	if !ok {
		d.t.Fatalf("there is no page %q, only %v", title, maps.Keys(d.pages()))
	}
	b, err := d.head().Markdown(context.Background(), p.Page, false)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(b)
}

func (d *fixture) apply(on content.LineName, changes ...content.Change) {
	d.t.Helper()
	if _, err := d.s.Content.Apply(context.Background(), d.grant(), on, "", changes); err != nil {
		d.t.Fatal(err)
	}
}

// edit replaces the first occurrence of a text on a page.
func (d *fixture) edit(title, old, new string) {
	d.t.Helper()
	text := d.markdown(title)
	if !strings.Contains(text, old) {
		d.t.Fatalf("%q is not in %q", old, text)
	}
	text = strings.Replace(text, old, new, 1)
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()[title].ID), Body: &revision.Body{Markdown: &text}})
}

// exported returns the files of the newest revision.
func (d *fixture) exported() map[string]string { return d.filesOf(d.head()) }

// filesOf returns the files of a revision.
func (d *fixture) filesOf(v *revision.View) map[string]string {
	d.t.Helper()
	list, err := d.s.Content.Exchange.AllFiles(context.Background(), v)
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[string]string{}
	for _, f := range list {
		data := f.Data
		if f.Open != nil {
			r, _, err := f.Open()
			if err != nil {
				d.t.Fatal(err)
			}
			data, err = io.ReadAll(r)
			if err := errors.Join(err, r.Close()); err != nil {
				d.t.Fatal(err)
			}
		}
		out[f.Path] = string(data)
	}
	return out
}

// checkSameFiles fails if the space and the repository differ.
func (d *fixture) checkSameFiles() {
	d.t.Helper()
	ours, theirs := d.exported(), d.origin.Files("main")
	if !maps.Equal(ours, theirs) {
		var diff strings.Builder
		for name := range union(ours, theirs) {
			if ours[name] != theirs[name] {
				fmt.Fprintf(&diff, "%s: space %q, repository %q\n", name, ours[name], theirs[name])
			}
		}
		d.t.Fatalf("the two differ:\n%s", diff.String())
	}
}

// checkNames fails if the path or the object name that the space stores for a page or a
// file differs from the repository.
func (d *fixture) checkNames() {
	d.t.Helper()
	ctx, v := context.Background(), d.head()
	names, err := d.s.Content.Exchange.GitNames(ctx, v)
	if err != nil {
		d.t.Fatal(err)
	}
	there := map[string]string{}
	for line := range strings.Lines(testgit.Git(d.t, d.origin.Bare, "ls-tree", "-r", "main")) {
		what, path, _ := strings.Cut(strings.TrimSpace(line), "\t")
		there[path] = strings.Fields(what)[2]
	}
	for title, p := range d.pages() {
		if oid, path := names.Page(p.Page); p.HasBody() && (path == "" || there[path] != oid) {
			d.t.Errorf("page %s is %q in %q, and the repository has %q there", title, oid, path, there[path])
		}
	}
	files, err := v.Files(ctx, "", 0)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, f := range files {
		if oid, path := names.File(f); path == "" || there[path] != oid {
			d.t.Errorf("file %s is %q in %q, and the repository has %q there", f.Name, oid, path, there[path])
		}
	}
}

func union(a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	for k := range a {
		out[k] = true
	}
	for k := range b {
		out[k] = true
	}
	return out
}

func reviewsPatch(s docs.ChangeRequestStatus) reviews.Patch { return reviews.Patch{Status: s} }
