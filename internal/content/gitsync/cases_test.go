package gitsync

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// refused runs an operation that must fail with a reason and must not change anything.
func (d *fixture) refused(dir docs.GitDirection, reason string, change func(*docs.GitOperation)) docs.GitOperation {
	d.t.Helper()
	before, tip := d.grant().Space.Revision, d.origin.Tip()
	o := d.do(dir, change)
	if o.State != docs.GitFailure || o.Reason != reason || o.Error == "" {
		d.t.Errorf("%s: %s %q %q instead of %q", dir, o.State, o.Reason, o.Error, reason)
	}
	if after := d.grant().Space.Revision; after != before || d.origin.Tip() != tip {
		d.t.Errorf("%s: a failure changed something", reason)
	}
	return o
}

func TestWhatGoesWrongHasAReason(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.refused(docs.GitImport, "empty", nil)
	d.origin.Commit(small)
	d.pull("")
	with := func(change func(*docs.GitRemote)) func(*docs.GitOperation) {
		return func(o *docs.GitOperation) { change(&o.Remote) }
	}
	d.refused(docs.GitImport, "ref-not-found", with(func(r *docs.GitRemote) { r.Ref = "refs/heads/nowhere" }))
	d.refused(docs.GitImport, "not-a-repository", with(func(r *docs.GitRemote) { r.URL += "x" }))
	d.refused(docs.GitImport, "refused", with(func(r *docs.GitRemote) { r.URL = "http://169.254.169.254/x.git" }))
	d.refused(docs.GitImport, "no-directory", with(func(r *docs.GitRemote) { r.Directory = "absent" }))
	locked := d.origin.HTTP("ada", "pass-word-1")
	d.refused(docs.GitImport, "authentication", with(func(r *docs.GitRemote) { r.URL = locked.URL }))
	d.refused(docs.GitExport, "authentication", with(func(r *docs.GitRemote) { r.URL = locked.URL }))
	d.origin.Protect("refs/heads/main")
	d.edit("Home", "Welcome.", "Welcome here.")
	o := d.refused(docs.GitExport, "rejected", nil)
	if !strings.Contains(o.Error, "pull request") {
		t.Errorf("the message of the remote is lost: %q", o.Error)
	}
	d.origin.Allow()
	d.push("")

	// No documentation is left in the repository.
	deleted := map[string]string{}
	for name := range d.origin.Files("main") {
		deleted[name] = testgit.Deleted
	}
	deleted["keep.txt"] = "not a page"
	d.origin.Pull()
	d.origin.Commit(deleted)
	d.refused(docs.GitImport, "empty", nil)
	if op := d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Force = true }); op.State != docs.GitSuccess || len(d.pages()) != 0 {
		t.Errorf("%+v", op)
	}

	// The operation is retried if the server is unreachable.
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	op := d.queue(docs.GitImport, with(func(r *docs.GitRemote) { r.URL = away.URL + "/x.git" }))
	op, err := d.run(context.Background(), op)
	if err == nil || op.State != docs.GitQueued || op.Reason != "unreachable" || op.Ended() {
		t.Errorf("%+v, %v", op, err)
	}
}

func TestCredentialsAreUsedAndForgotten(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	const secret = "s3cret-of-ada"
	check := func(o docs.GitOperation) {
		t.Helper()
		o, err := d.run(context.Background(), o)
		if err != nil || o.State != docs.GitSuccess || o.Sealed != "" {
			t.Fatalf("%+v, %v", o, err)
		}
		if text := fmt.Sprintf("%+v", o) + d.log.String(); strings.Contains(text, secret) {
			t.Errorf("the secret is in %s", text)
		}
	}
	with := func(url string, c git.Credentials) docs.GitOperation {
		o := d.queue(docs.GitImport, func(o *docs.GitOperation) { o.Remote.URL = url })
		ctx := context.Background()
		err := d.s.Store.Do(ctx, func(tx *store.Tx) error {
			var err error
			if o.Sealed, err = sealCredentials(ctx, tx.Reader, seal.GitOperation, string(o.ID), c); err != nil {
				return err
			}
			return tx.PutGitOperation(ctx, o)
		})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	check(with(d.origin.HTTP("ada", secret).URL, git.Credentials{Username: "ada", Password: secret}))
	ssh := d.origin.SSH(true)
	check(with(ssh.URL, git.Credentials{PrivateKey: ssh.Key, KnownHosts: ssh.KnownHosts()}))
	// A key that the server does not accept is reported.
	other := testgit.New(t).SSH(true)
	o, err := d.run(context.Background(), with(ssh.URL, git.Credentials{PrivateKey: other.Key, KnownHosts: ssh.KnownHosts()}))
	if err != nil || o.Reason != "authentication" {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestOlderEventsAreIgnored(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	at := func(n docs.Time, force bool) func(*docs.GitOperation) {
		return func(o *docs.GitOperation) { o.Request.Timestamp, o.Request.Force = n, force }
	}
	d.origin.Commit(small)
	if op := d.do(docs.GitImport, at(2000, false)); op.Reason != "" {
		t.Fatalf("%+v", op)
	}
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nNewer.\n"})
	if op := d.do(docs.GitImport, at(1000, false)); op.Reason != ReasonStale || op.State != docs.GitSuccess || d.markdown("Other") == "Newer.\n" {
		t.Errorf("%+v", op)
	}
	if op := d.do(docs.GitImport, at(1000, true)); op.Reason != "" || d.markdown("Other") != "Newer.\n" {
		t.Errorf("%+v", op)
	}
	if op := d.do(docs.GitImport, at(3000, false)); op.Reason != ReasonUnchanged {
		t.Errorf("%+v", op)
	}
}

func TestStandaloneMovesNothing(t *testing.T) {
	t.Parallel()
	d, ctx := newFixture(t, testdb.SQLite(t)), context.Background()
	d.origin.Commit(small)
	d.pull("")
	before := d.grant().Space.Revision
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nOn a branch.\n"})
	op := d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Standalone = true })
	if op.State != docs.GitSuccess || op.Revision == before || d.grant().Space.Revision != before {
		t.Fatalf("%+v", op)
	}
	v, err := d.s.Content.Source.At(ctx, d.s.Store.Reader, d.grant().Space, op.Revision)
	if err != nil || v.Rev.Git == nil || v.Rev.Git.OID != op.Commit {
		t.Fatal(v.Rev, err)
	}
	if n, err := d.s.Store.CountRevisions(ctx, d.id, ""); err != nil || n != 2 {
		t.Errorf("%d revisions in the history, %v", n, err)
	}
	d.pull("") // the space can still import the commit
}

func TestExportsBegin(t *testing.T) {
	t.Parallel()
	body := "Made here.\n"
	page := func(title string) content.Change {
		return content.Change{Operation: content.InsertPage, Into: opt.Null[string](), Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of(title)}}
	}
	d := newFixture(t, testdb.SQLite(t))
	d.apply("", page("Start"), page("Second"))
	d.push("") // an empty repository has no pages that could be lost
	d.checkSameFiles()
	d.pull(ReasonUnchanged)

	// A branch that does not exist is created.
	on := func(ref string, force bool) func(*docs.GitOperation) {
		return func(o *docs.GitOperation) { o.Remote.Ref, o.Request.Force = ref, force }
	}
	if op := d.do(docs.GitExport, on("refs/heads/docs", false)); op.State != docs.GitSuccess {
		t.Fatalf("%+v", op)
	}
	if !maps.Equal(d.origin.Files("docs"), d.origin.Files("main")) {
		t.Error("the branches differ")
	}

	// A branch that somebody else created.
	d.origin.Pull()
	testgit.Git(t, d.origin.Work, "checkout", "-q", "-b", "theirs")
	d.origin.Write(map[string]string{"README.md": "# Theirs\n", "code.go": "package x\n"})
	testgit.Git(t, d.origin.Work, "add", "-A")
	testgit.Git(t, d.origin.Work, "commit", "-q", "-m", "theirs")
	d.origin.Push("origin", "theirs")
	d.refused(docs.GitExport, ReasonNotEmpty, on("refs/heads/theirs", false))
	if op := d.do(docs.GitExport, on("refs/heads/theirs", true)); op.State != docs.GitSuccess {
		t.Fatalf("%+v", op)
	}
	files := d.origin.Files("theirs")
	if files["code.go"] == "" || files["README.md"] == "# Theirs\n" {
		t.Errorf("%q", files)
	}
}

func TestForceReplacesWhatWasSeen(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	d.edit("Home", "Welcome.", "Welcome here.")
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nTheirs.\n"})
	d.refused(docs.GitExport, "not-fast-forward", nil)
	if op := d.do(docs.GitExport, func(o *docs.GitOperation) { o.Request.Force = true }); op.State != docs.GitSuccess {
		t.Fatalf("%+v", op)
	}
	d.checkSameFiles()
}

// Every revision becomes a commit of its author, and titles cannot add trailers.
func TestCommitsHaveAuthorAndMessage(t *testing.T) {
	t.Parallel()
	d, ctx := newFixture(t, testdb.SQLite(t)), context.Background()
	d.origin.Commit(small)
	d.pull("")
	d.edit("Home", "Welcome.", "Welcome, live.")
	cr, err := d.s.Reviews.Create(ctx, d.grant(), reviews.New{Subject: "Fix it\n\nCo-authored-by: Eve <eve@example.com>"})
	if err != nil {
		t.Fatal(err)
	}
	text := "Changed words.\n"
	d.apply(content.LineName(cr.ID), content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Other"].ID), Body: &revision.Body{Markdown: &text}})
	if _, err := d.s.Reviews.Merge(ctx, d.grant(), string(cr.ID)); err != nil {
		t.Fatal(err)
	}
	d.push("")
	d.checkSameFiles()
	log := testgit.Git(t, d.origin.Bare, "log", "--format=%an <%ae>|%B|%(trailers)|", "--name-only", "-2", "main")
	want := "ada <ada@octavo.example>|OCTAVO-1: Fix it Co-authored-by: Eve <eve@example.com>\n||\n\nother.md\n" +
		"ada <ada@octavo.example>|Update Handbook\n||\n\nREADME.md"
	if log != want {
		t.Errorf("the log is\n%s\ninstead of\n%s", log, want)
	}
	revs, _, err := d.s.Store.Revisions(ctx, d.id, "", store.Page{Limit: 2})
	if err != nil || revs[0].Git == nil || revs[1].Git == nil || !revs[0].Git.ByOctavo || revs[0].Git.OID != d.origin.Tip() {
		t.Errorf("%+v, %v", revs, err)
	}
}

// Two folders of one repository are two spaces. Nothing else of the repository changes.
func TestDirectoriesOfOneRepository(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	all := testgit.Repository(t, "monorepo")
	all["src/main.go"] = "package main\n"
	d.origin.Commit(all)
	d.remote.Directory = "products/kiln"
	d.pull("")
	for title := range d.pages() {
		d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()[title].ID), Meta: content.PageMeta{Description: opt.Of("Changed here")}})
		break
	}
	d.push("")
	after := d.origin.Files("main")
	changed := 0
	for name, text := range after {
		if text != all[name] {
			if changed++; !strings.HasPrefix(name, "products/kiln/") {
				t.Errorf("%s was changed", name)
			}
		}
	}
	if changed != 1 || len(after) != len(all) {
		t.Errorf("%d files changed, %d instead of %d are there", changed, len(after), len(all))
	}
}

// Entries that are not plain files are reported, never followed, and never changed.
func TestOnlyPlainFilesAreChanged(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	o := d.origin
	blob := func(text string) string { return o.Blob(text) }
	lfs := "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("a", 64) + "\nsize 12345\n"
	tree := o.Tree(
		[3]string{"100644", "README.md", blob("# Home\n\nHello. ![x](big.png)\n")},
		[3]string{"100644", "SUMMARY.md", blob("* [Home](README.md)\n* [Passwords](link.md)\n* [Up](../../etc/passwd)\n")},
		[3]string{"100644", "big.png", blob(lfs)},
		[3]string{"120000", "link.md", blob("/etc/passwd")},
		[3]string{"100644", "readme.md", blob("# Twin\n")},
		[3]string{"160000", "sub", strings.Repeat("1", 40)},
	)
	o.Plant(tree)
	op := d.pull("")
	codes := map[string]bool{}
	for _, p := range op.Problems {
		codes[p.Code] = true
	}
	for _, code := range []string{"symlink", "submodule", "case-twin", "lfs", "bad-path"} {
		if !codes[code] {
			t.Errorf("%s is not reported: %+v", code, op.Problems)
		}
	}
	d.edit("Home", "Hello.", "Hello here.")
	d.push("")
	before := testgit.Git(t, o.Bare, "ls-tree", tree)
	after := testgit.Git(t, o.Bare, "ls-tree", "main")
	differ := 0
	for i, line := range strings.Split(before, "\n") {
		if line != strings.Split(after, "\n")[i] {
			differ++
		}
	}
	if differ != 1 {
		t.Errorf("%s\nbecame\n%s", before, after)
	}
}

// An operation that is interrupted at any point is completed exactly once when it is run
// again.
func TestInterruptedOperationsAreCompletedOnce(t *testing.T) {
	t.Parallel()
	for _, dir := range []docs.GitDirection{docs.GitImport, docs.GitExport} {
		t.Run(string(dir), func(t *testing.T) {
			d := newFixture(t, testdb.SQLite(t))
			d.origin.Commit(small)
			d.pull("")
			// The server interrupts the operation after its n-th response.
			var left atomic.Int64
			var stop atomic.Pointer[context.CancelFunc]
			h := d.origin.Handler("", "")
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				h.ServeHTTP(w, r)
				if left.Add(-1) == 0 {
					(*stop.Load())()
				}
			}))
			defer s.Close()
			d.remote.URL = s.URL + "/repo.git"
			d.pull(ReasonUnchanged) // the remote has a new address, so there is no pair yet
			for n := int64(1); n < 12; n++ {
				ctx, cancel := context.WithCancel(context.Background())
				stop.Store(&cancel)
				left.Store(n)
				commits := testgit.Git(t, d.origin.Bare, "rev-list", "--count", "main")
				if dir == docs.GitImport {
					d.origin.Pull()
					d.origin.Commit(map[string]string{"other.md": fmt.Sprintf("# Other\n\nThere %d.\n", n)})
				} else {
					d.edit("Home", d.markdown("Home"), fmt.Sprintf("Here %d.\n", n))
				}
				op, err := d.run(ctx, d.queue(dir, nil))
				cancel()
				if !op.Ended() {
					if err == nil {
						t.Fatalf("%d: it was ended and says nothing: %+v", n, op)
					}
					left.Store(0)
					if op, err = d.run(context.Background(), op); err != nil {
						t.Fatal(n, err)
					}
				}
				if op.State != docs.GitSuccess || op.Reason == ReasonOpenRequest || op.ChangeRequest != "" {
					t.Fatalf("%d: %+v", n, op)
				}
				d.checkSameFiles()
				if now := testgit.Git(t, d.origin.Bare, "rev-list", "--count", "main"); dir == docs.GitExport {
					if was, _ := strconv.Atoi(commits); fmt.Sprint(was+1) != now {
						t.Fatalf("%d: %s commits became %s", n, commits, now)
					}
				}
				if revs := d.grant().Space.Revision; op.Revision != revs {
					t.Fatalf("%d: the operation made %s, the space has %s", n, op.Revision, revs)
				}
			}
		})
	}
}

// Importing and exporting a repository with every syntax creates no commit. An edit of
// one page changes one file.
func TestUneditedIsUntouched(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"every", "inferred", "odd", "monorepo"} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t, testdb.SQLite(t))
			first := d.origin.Commit(testgit.Repository(t, name))
			if name == "monorepo" {
				d.remote.Directory = "products/wheel"
			}
			d.pull("")
			d.push(ReasonUnchanged)
			if d.origin.Tip() != first {
				t.Fatal("there is a new commit")
			}
			var edited content.Change
			for _, p := range d.pages() {
				if p.HasBody() && p.Body != "" {
					text, err := d.head().Markdown(context.Background(), p.Page, false)
					if err != nil {
						t.Fatal(err)
					}
					next := "# " + p.Title + "\n\n" + string(text) + "\nOne more paragraph.\n" // as returned by the API
					edited = content.Change{Operation: content.UpdatePage, Page: string(p.ID), Body: &revision.Body{Markdown: &next}}
					break
				}
			}
			d.apply("", edited)
			d.push("")
			if stat := testgit.Git(t, d.origin.Bare, "show", "--format=", "--numstat", "main"); strings.Contains(stat, "\n") {
				t.Errorf("one edit changed\n%s", stat)
			}
			d.pull(ReasonUnchanged)
		})
	}
}

// Commits that do not change the documentation do not block exports.
func TestOtherCommitsDoNotMatter(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	all := maps.Clone(small)
	all["src/main.go"] = "package main\n"
	d.origin.Commit(all)
	d.pull("")
	d.edit("Home", "Welcome.", "Welcome here.")
	theirs := d.origin.Commit(map[string]string{"src/main.go": "package main // changed\n", ".github/workflows/x.yml": "on: push\n"})
	d.push("")
	if testgit.Git(t, d.origin.Bare, "rev-parse", "main^") != theirs {
		t.Error("it does not continue from their commit")
	}
	if files := d.origin.Files("main"); files["README.md"] != "# Home\n\nWelcome here.\n" || files["src/main.go"] != "package main // changed\n" {
		t.Errorf("%q", files)
	}
	d.edit("Home", "Welcome here.", "Welcome again.")
	d.origin.Pull()
	d.origin.Commit(map[string]string{"other.md": "# Other\n\nChanged there.\n"})
	d.refused(docs.GitExport, "not-fast-forward", nil)
	// A deleted branch is not created again unless the request forces it.
	d.pull("")
	testgit.Git(t, d.origin.Bare, "branch", "-m", "main", "gone")
	d.refused(docs.GitExport, "ref-not-found", nil)
}

// If both sides created a file with the same name, the file of the repository keeps the
// name.
func TestCommittedNamesStay(t *testing.T) {
	t.Parallel()
	d, ctx := newFixture(t, testdb.SQLite(t)), context.Background()
	d.origin.Commit(small)
	d.pull("")
	up, err := d.s.Content.Upload(ctx, d.grant(), "", "pic.txt", strings.NewReader("ours"))
	if err != nil {
		t.Fatal(err)
	}
	next := "Welcome. [ours](/files/" + string(up.ID) + ")\n"
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Home"].ID), Body: &revision.Body{Markdown: &next}})
	d.origin.Commit(map[string]string{".gitbook/assets/pic.txt": "theirs", "other.md": "# Other\n\n[theirs](.gitbook/assets/pic.txt)\n"})
	d.pull("")
	d.push("")
	files := d.origin.Files("main")
	if files[".gitbook/assets/pic.txt"] != "theirs" || files[".gitbook/assets/pic-1.txt"] != "ours" ||
		files["other.md"] != "# Other\n\n[theirs](.gitbook/assets/pic.txt)\n" || files["README.md"] != "# Home\n\nWelcome. [ours](.gitbook/assets/pic-1.txt)\n" {
		t.Errorf("%q", files)
	}
}

// If both sides made changes, every commit has its author, and none reverts changes of
// others.
func TestCommitsOfBothSides(t *testing.T) {
	t.Parallel()
	d, ctx := newFixture(t, testdb.SQLite(t)), context.Background()
	d.origin.Commit(small)
	d.pull("")
	d.apply("", content.Change{Operation: content.UpdatePage, Page: string(d.pages()["Other"].ID), Meta: content.PageMeta{Slug: opt.Of("another")}})
	d.origin.Commit(map[string]string{"other.md": small["other.md"] + "\nTheir line.\n"})
	d.pull("")
	d.push("")
	for _, commit := range strings.Fields(testgit.Git(t, d.origin.Bare, "rev-list", "main", "--max-count=2")) {
		all := ""
		for _, text := range d.origin.Files(commit) {
			all += text
		}
		if !strings.Contains(all, "Their line.") {
			t.Errorf("%s is without what they wrote", commit)
		}
	}
	// The resolution of a conflict is a commit by the person who resolved it.
	d.origin.Pull()
	d.edit("Home", "Welcome.", "Welcome of ours.")
	d.origin.Commit(map[string]string{"README.md": "# Home\n\nWelcome of theirs.\n"})
	op := d.pull(ReasonConflict)
	conflicts, _, err := d.s.Store.Conflicts(ctx, op.ChangeRequest, true, store.Page{Limit: 10})
	if err != nil || len(conflicts) != 1 {
		t.Fatal(conflicts, err)
	}
	both := "Welcome of both.\n"
	if _, err := d.s.Reviews.Resolve(ctx, d.grant(), string(op.ChangeRequest), conflicts[0].ID, "document", &revision.Body{Markdown: &both}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.s.Reviews.Merge(ctx, d.grant(), string(op.ChangeRequest)); err != nil {
		t.Fatal(err)
	}
	d.push("")
	d.checkSameFiles()
	if subject := testgit.Git(t, d.origin.Bare, "log", "-1", "--format=%s", "main"); subject != "OCTAVO-1: Git: conflicts with main" {
		t.Errorf("%q", subject)
	}
}

// The first import of a connection does not replace text that exists nowhere else.
func TestFirstImportOfAConnectionOpensARequest(t *testing.T) {
	t.Parallel()
	d, ctx := newFixture(t, testdb.SQLite(t)), context.Background()
	body := "Precious.\n"
	d.apply("", content.Change{Operation: content.InsertPage, Into: opt.Null[string](), Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Own")}})
	d.origin.Commit(small)
	if _, _, err := d.s.Connect(ctx, d.sync(), ConnectionInput{URL: d.remote.URL, Ref: "main", Paused: true}); err != nil {
		t.Fatal(err)
	}
	op := d.do(docs.GitImport, func(o *docs.GitOperation) { o.Request.Connected = true })
	if op.Reason != ReasonFirst || op.ChangeRequest == "" || d.markdown("Own") != body {
		t.Fatalf("%+v", op)
	}
	if _, err := d.s.Reviews.Merge(ctx, d.grant(), string(op.ChangeRequest)); err != nil {
		t.Fatal(err)
	}
	d.checkSameFiles()
	d.push(ReasonUnchanged)
}

// TestImportFromElsewhereReplacesRetries checks that an import that waits for a retry
// does not delay what a user requests next.
func TestImportFromElsewhereReplacesRetries(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	away := httptest.NewServer(http.NotFoundHandler())
	away.Close()
	request := func(url string, standalone bool) docs.GitOperation {
		t.Helper()
		o, err := d.s.Import(ctx, d.sync(), ImportInput{Input: Input{URL: url, Ref: d.remote.Ref}, Standalone: standalone})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	retried := func() docs.GitOperation {
		t.Helper()
		o, err := d.run(ctx, request(away.URL+"/x.git", false))
		if err == nil || o.State != docs.GitQueued || o.Reason != "unreachable" {
			t.Fatalf("%+v, %v", o, err)
		}
		return o
	}
	want := func(o docs.GitOperation, state docs.GitState, reason string) {
		t.Helper()
		o, err := d.s.Store.GitOperation(ctx, o.Space, o.ID)
		if err != nil || o.State != state || o.Reason != reason {
			t.Errorf("%s %s, want %s %s (%v)", o.State, o.Reason, state, reason, err)
		}
	}

	first := retried()
	second := request(d.remote.URL, false)
	want(first, docs.GitFailure, ReasonSuperseded)
	if o, err := d.run(ctx, second); err != nil || o.State != docs.GitSuccess {
		t.Errorf("%+v, %v", o, err)
	}

	// A standalone import changes nothing in the space and replaces no other one.
	first = retried()
	second = request(d.remote.URL, true)
	want(first, docs.GitQueued, "unreachable")

	if _, _, err := d.s.Connect(ctx, d.sync(), ConnectionInput{URL: d.remote.URL, Ref: d.remote.Ref}); err != nil {
		t.Fatal(err)
	}
	want(first, docs.GitFailure, ReasonSuperseded)
	want(second, docs.GitQueued, "")
}
