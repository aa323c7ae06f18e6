package gitsync

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// insert adds a page and returns its ID.
func (d *fixture) insert(parent *string, meta content.PageMeta) (string, error) {
	body := "Words.\n"
	into := opt.Null[string]()
	if parent != nil {
		into = opt.Of(*parent)
	}
	out, err := d.s.Content.Apply(context.Background(), d.grant(), "", "", []content.Change{{Operation: content.InsertPage, Into: into, Body: &revision.Body{Markdown: &body}, Meta: meta}})
	if err != nil {
		return "", err
	}
	return string(out.Outcomes[0].Page), nil
}

// An export succeeds and writes only below its folder, for any title of a page.
func TestTitlesAreNotPaths(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"docs/README.md": "# Home\n\nWelcome.\n", "docs/SUMMARY.md": "* [Home](README.md)\n", ".github/workflows/ci.yml": "on: push\n", "src/x.md": "# Code\n"})
	before := d.origin.Files("main")
	d.remote.Directory = "docs"
	d.pull("")
	for _, name := range []string{
		"..", "../..", ".git", ".github/workflows/evil", "con", "NUL", "aux.md", "git~1", "a\u202egpj", strings.Repeat("x", 4096), "SUMMARY", "README", "readme", "Summary",
		".gitbook.yaml", "../src/x", "C:\\x", "a/b", "x.", "\n", "-rf", "node_modules", ".gitbook", "é", "É", "x\x00y", ".gitattributes", ".gitmodules", "../../.git/hooks/post-checkout",
	} {
		for _, meta := range []content.PageMeta{{Title: opt.Of(name)}, {Title: opt.Of("T"), Slug: opt.Of(name)}} {
			if _, err := d.insert(nil, meta); err != nil && !errs.Is(err, errs.Invalid) && !errs.Is(err, errs.Conflict) {
				t.Errorf("%.30q: %v", name, err)
			}
		}
	}
	var at *string
	for i := range 30 {
		id, err := d.insert(at, content.PageMeta{Title: opt.Of(fmt.Sprintf("%d%s", i, strings.Repeat("y", 90)))})
		if err != nil {
			t.Fatal(i, err)
		}
		at = &id
	}
	d.push("")
	after := d.origin.Files("main")
	for name, text := range before {
		if name != "docs/SUMMARY.md" && after[name] != text {
			t.Errorf("%s became %q", name, after[name])
		}
	}
	twins := map[string]string{}
	for name := range after {
		if names.Problem(name) != "" || !strings.HasPrefix(name, "docs/") && before[name] == "" {
			t.Errorf("%q was written", name)
		}
		if was := twins[names.Fold(name)]; was != "" {
			t.Errorf("%q and %q", was, name)
		}
		twins[names.Fold(name)] = name
	}
	d.pull(ReasonUnchanged)
}

// A page that is created in the space with the name of a file that the import left out
// does not overwrite that file.
func TestWhatWasNotReadIsNotWrittenOver(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	o := d.origin
	big := o.Blob("# Big\n\n" + strings.Repeat("x ", 3<<20))
	lfs := o.Blob("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n")
	tree := o.Tree(
		[3]string{"100644", "README.md", o.Blob("# Home\n\nHello.\n")},
		[3]string{"100644", "SUMMARY.md", o.Blob("* [Home](README.md)\n")},
		[3]string{"100644", "big.md", big},
		[3]string{"100644", "kept.md", lfs},
		[3]string{"120000", "link.md", o.Blob("README.md")},
		[3]string{"100644", "readme.md", o.Blob("# Twin\n")},
	)
	o.Plant(tree)
	d.pull("")
	for title, want := range map[string]string{"kept": ReasonNotEmpty, "link": ReasonNotEmpty, "readme": "", "big": ""} {
		id, err := d.insert(nil, content.PageMeta{Title: opt.Of(title)})
		if err != nil {
			t.Fatal(err)
		}
		if op := d.do(docs.GitExport, nil); op.Reason != want {
			t.Errorf("%s: %s %s", title, op.Reason, op.Error)
		}
		d.apply("", content.Change{Operation: content.DeletePage, Page: id})
		d.do(docs.GitExport, nil)
		if now := testgit.Git(t, o.Bare, "ls-tree", "main"); now != testgit.Git(t, o.Bare, "ls-tree", tree) {
			t.Errorf("%s: the repository became\n%s", title, now)
		}
	}
}

// Titles and names never become trailers, even on a separate line.
func TestTrailersAreNotForged(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{"Co-authored-by: Eve <eve@example.com>", "Signed-off-by: Boss <b@example.com>"} {
		got := messageOf("Docs\n\n{change_request_subject}\n{author_name}", message{number: "1", subject: subject, author: subject})
		if strings.Contains(got, "-by:") {
			t.Errorf("%q", got)
		}
	}
}

// planted replaces the branch with one folder of many files.
func (d *fixture) planted(dir string, n int, blob func(i int) string) {
	d.t.Helper()
	var e [][3]string
	for i := range n {
		e = append(e, [3]string{"100644", fmt.Sprintf("p%06d.md", i), blob(i)})
	}
	d.origin.Plant(d.origin.Tree([3]string{"40000", dir, d.origin.Tree(e...)}))
}

func (d *fixture) ids() map[docs.PageID]bool {
	d.t.Helper()
	all, err := d.head().All(context.Background())
	if err != nil {
		d.t.Fatal(err)
	}
	out := map[docs.PageID]bool{}
	var walk func([]*revision.PageNode)
	walk = func(list []*revision.PageNode) {
		for _, p := range list {
			out[p.ID] = true
			walk(p.Children)
		}
	}
	walk(all)
	return out
}

// forced runs an import with Force set.
func (d *fixture) forced() docs.GitOperation {
	d.t.Helper()
	return d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Force = true })
}

// replacedInLinearTime plants n entries, imports them, and plants n others. It compares
// the processor time of importing those with the time for fewer entries. It returns the
// fixture with n entries and the pages of the first import.
func replacedInLinearTime(t *testing.T, n int, plant func(d *fixture, side string, n int)) (*fixture, map[docs.PageID]bool) {
	t.Helper()
	replace := func(n int) (d *fixture, first map[docs.PageID]bool, took time.Duration) {
		d = newFixture(t, testdb.SQLite(t))
		plant(d, "a", n)
		d.forced()
		first = d.ids()
		plant(d, "b", n)
		return d, first, testcpu.Once(func() { d.forced() })
	}
	const factor = 8
	_, _, few := replace(n / factor)
	d, first, many := replace(n)
	if many > 3*factor*few {
		t.Errorf("replacing %d entries takes %v of processor time, %d take %v", n/factor, few, n, many)
	}
	return d, first
}

// Thousands of files that are equal or have many lines are matched by their names only.
// Comparing each with each would take hours.
func TestRenamesAreFoundInLinearTime(t *testing.T) {
	t.Parallel()
	d, ids := replacedInLinearTime(t, 4000, func(d *fixture, side string, n int) {
		alike := d.origin.Blob("# Same\n\nwords\n")
		d.planted(side, n, func(int) string { return alike })
	})
	if !maps.Equal(ids, d.ids()) {
		t.Error("the pages have other ids after their files were renamed")
	}
	replacedInLinearTime(t, 160, func(d *fixture, side string, n int) {
		d.planted(side, n, func(i int) string {
			var b strings.Builder
			for j := range 4000 {
				fmt.Fprintf(&b, "%s%d\n", side, i*4000+j)
			}
			return d.origin.Blob(b.String())
		})
	})
}

// A few bytes in a repository can unpack to any number of pages, so the limit is on the
// unpacked size.
func TestTextIsBoundedByWhatItUnpacksTo(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.planted("a", 600, func(i int) string { return d.origin.Blob(fmt.Sprintf("# P %d\n", i)) })
	d.forced()
	one := d.origin.Blob("# Same\n\n" + strings.Repeat("words ", 1<<20/6))
	d.planted("a", 600, func(int) string { return one })
	for _, dir := range []string{"a", "b"} { // once as changed files, once as a whole folder
		if dir == "b" {
			d.planted("b", 600, func(int) string { return one })
		}
		if o := d.forced(); o.Reason != ReasonContent || !strings.Contains(o.Error, "MB together") {
			t.Errorf("%s: %s %s", dir, o.Reason, o.Error)
		}
	}
}

// A SUMMARY.md that is too large ends the import with a reason, and the import is not
// retried.
func TestLargeSummaryEndsWithAReason(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(map[string]string{"README.md": "# Home\n", "SUMMARY.md": strings.Repeat("* [Home](README.md)\n", 110_000)})
	d.pull(ReasonContent)
}

// Entries of the navigation may be links without files.
func TestListsOfLinksAreImportedInLinearTime(t *testing.T) {
	t.Parallel()
	const n = 8000
	d, _ := replacedInLinearTime(t, n, func(d *fixture, side string, n int) {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, "* [%s%d](https://x.example/%s/%d)\n", side, i, side, i)
		}
		d.origin.Plant(d.origin.Tree([3]string{"100644", "README.md", d.origin.Blob("# H\n")}, [3]string{"100644", "SUMMARY.md", d.origin.Blob(s.String())}))
	})
	if got := len(d.ids()); got != n+1 {
		t.Errorf("the space has %d pages, want %d", got, n+1)
	}
}

// One organization cannot occupy all lanes, no matter how slow its servers are. Waiting
// operations do not keep the queue busy.
func TestOneOrganizationDoesNotGetAllPlaces(t *testing.T) {
	t.Parallel()
	var l lanes
	for i := range MaxRunning {
		if got := l.enter("slow"); got != (i < maxOfOrg) {
			t.Errorf("%d of one organization: %v", i+1, got)
		}
	}
	if !l.enter("other") || l.enter("third") {
		t.Error("another organization does not get the last place")
	}
	l.leave("slow")
	if !l.enter("third") || l.enter("fourth") {
		t.Error("a free place is not given, or given twice")
	}
	for range maxOfOrg - 1 {
		l.leave("slow")
	}
	l.leave("other")
	l.leave("third")
	if l.all != 0 || len(l.by) != 0 {
		t.Errorf("%+v", &l)
	}
	now := time.Now()
	o := testdb.SQLite(t)
	o.Clock = func() time.Time { return now }
	d := newFixture(t, o)
	for waited, want := range map[time.Duration]time.Duration{0: wait, time.Second: wait, 20 * time.Second: 5 * time.Second, time.Hour: waitLongest} {
		o := docs.GitOperation{CreatedAt: docs.TimeOf(now.Add(-waited))}
		if got := d.s.retryIn(o, nil); got < want || got > want+10*time.Millisecond {
			t.Errorf("after %v it waits %v", waited, got)
		}
		if got := d.s.retryIn(o, errs.E(errs.Busy, "another large import")); got != busyWait {
			t.Errorf("after %v it waits %v for a large import", waited, got)
		}
	}
}

// The unpacked size of files counts, not their size in the repository.
func TestFilesAreBoundedByWhatTheyUnpackTo(t *testing.T) {
	t.Parallel()
	was := folder.DefaultLimits.Unpacked
	folder.DefaultLimits.Unpacked = 3 << 20
	t.Cleanup(func() { folder.DefaultLimits.Unpacked = was })
	d := newFixture(t, testdb.SQLite(t))
	files := func(size int) {
		zeros := strings.Repeat("\x00", size)
		d.origin.Commit(map[string]string{"README.md": "# H\n\n![](a.png) ![](b.png) ![](c.png)\n", "a.png": "a" + zeros, "b.png": "b" + zeros, "c.png": "c" + zeros})
	}
	files(1 << 20)
	if o := d.do(docs.GitImport, nil); o.Reason != ReasonContent || !strings.Contains(o.Error, "MB together") {
		t.Errorf("the first time: %s %s", o.Reason, o.Error)
	}
	files(1 << 19)
	d.pull("")
	files(2 << 20)
	if o := d.do(docs.GitImport, nil); o.Reason != ReasonContent || !strings.Contains(o.Error, "MB together") {
		t.Errorf("files that changed: %s %s", o.Reason, o.Error)
	}
}

// expel removes a user from the organization.
func (d *fixture) expel(user docs.UserID) {
	d.t.Helper()
	err := d.s.Store.Do(context.Background(), func(tx *store.Tx) error {
		_, err := tx.DropMember(context.Background(), d.org, user)
		return err
	})
	if err != nil {
		d.t.Error(err)
	}
}

// If the user of an operation loses the permission while the operation waits or runs, nothing
// changes on either side.
func TestRightsThatAreLostEndOperations(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*fixture, docs.UserID){"expelled": (*fixture).expel, "a reader": (*fixture).demote} {
		t.Run(name, func(t *testing.T) { rightsAreLost(t, lose) })
	}
}

// demote reduces the role of a member to reading.
func (d *fixture) demote(user docs.UserID) {
	d.t.Helper()
	err := d.s.Store.Do(context.Background(), func(tx *store.Tx) error {
		m, err := tx.Member(context.Background(), d.org, user)
		if err != nil || m.Role == docs.Read {
			return err
		}
		m.Role = docs.Read
		return tx.PutMember(context.Background(), m)
	})
	if err != nil {
		d.t.Error(err)
	}
}

func rightsAreLost(t *testing.T, lose func(*fixture, docs.UserID)) {
	for _, dir := range []docs.GitDirection{docs.GitImport, docs.GitExport} {
		for _, during := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, during %v", dir, during), func(t *testing.T) {
				d := newFixture(t, testdb.SQLite(t))
				d.origin.Commit(small)
				d.pull("")
				eve := docs.User{ID: "eve", Email: "eve@octavo.example", DisplayName: "Eve"}
				err := d.s.Store.Do(context.Background(), func(tx *store.Tx) error {
					if err := tx.AddUser(context.Background(), eve); err != nil {
						return err
					}
					return tx.AddMember(context.Background(), docs.Member{Org: d.org, User: eve, Role: docs.Create})
				})
				if err != nil {
					t.Fatal(err)
				}
				d.edit("Home", "Welcome.", "Welcome here.")
				if dir == docs.GitImport {
					d.origin.Commit(map[string]string{"other.md": "# Other\n\nTheirs.\n"})
				}
				tip, rev := d.origin.Tip(), d.grant().Space.Revision
				// The pair is stored for the address of this server.
				git := d.origin.Handler("", "")
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if during {
						lose(d, eve.ID)
					}
					git.ServeHTTP(w, r)
				}))
				defer server.Close()
				remote := d.remote
				remote.URL = server.URL + "/repo.git"
				pair, _, err := d.s.Store.GitPair(context.Background(), d.id, d.remote.Key())
				if err != nil {
					t.Fatal(err)
				}
				pair.Remote = remote
				if err := d.s.Store.Do(context.Background(), func(tx *store.Tx) error { return tx.PutGitPair(context.Background(), pair) }); err != nil {
					t.Fatal(err)
				}
				queued := d.queue(dir, func(o *docs.GitOperation) { o.User, o.Remote = eve.ID, remote })
				if !during {
					lose(d, eve.ID)
				}
				o, err := d.run(context.Background(), queued)
				if err != nil || o.Reason != ReasonForbidden || o.State != docs.GitFailure {
					t.Errorf("%s %s %s, %v", o.State, o.Reason, o.Error, err)
				}
				if d.origin.Tip() != tip || d.grant().Space.Revision != rev || git.Pushes.Load() > 0 {
					t.Error("something was changed")
				}
				if !during && git.Requests.Load() > 0 {
					t.Error("the server was called")
				}
			})
		}
	}
}
