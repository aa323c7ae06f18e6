package gitsync

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// An import that keeps failing and an export that waits for it do not queue each other
// endlessly.
func TestPermanentFailuresAreNotRetriedWithoutEnd(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		c.origin.Commit(map[string]string{"docs/README.md": "# Home\n\nOne.\n", "other.txt": "other"})
		c.connect(ConnectionInput{Directory: "docs", Poll: opt.Of(60)})
		c.runJobs()
		c.want("import success, export success unchanged")
		testgit.Git(t, c.origin.Work, "rm", "-rq", "docs")
		c.origin.Commit(map[string]string{"other.txt": "the folder was deleted"})
		c.edit("Home", "One.", "Ours.")
		c.advance(quiet)
		c.runJobs()
		const failed = ", import failure no-directory, export failure not-fast-forward"
		want := "import success, export success unchanged" + failed + failed
		c.want(want)
		// Without requests for an hour, there is at most one poll every 15 minutes.
		for range 60 {
			c.advance(time.Minute)
			c.poll()
			c.runJobs()
		}
		if n := strings.Count(c.list(), failed); n > 2+5 || strings.Count(c.list(), "failure")%2 != 0 {
			t.Errorf("%d times: %s", n, c.list())
		}
		// Once the folder exists again, synchronization continues automatically.
		c.origin.Commit(map[string]string{"docs/README.md": "# Home\n\nOne.\n"})
		for range 2 {
			c.advance(20 * time.Minute)
			c.poll()
			c.runJobs()
		}
		if got := c.origin.Files("main")["docs/README.md"]; got != "# Home\n\nOurs.\n" {
			t.Errorf("%q: %s", got, c.list())
		}
	})
}

// After a space was connected to another branch, the pair with the first branch is no
// longer used.
func TestAnotherRemoteBeginsAnew(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		ctx := context.Background()
		c.origin.Commit(pageOfOrigin)
		c.connect(ConnectionInput{})
		c.runJobs()
		paired := func(ref string) bool {
			t.Helper()
			_, ok, err := c.s.Store.GitPair(ctx, c.id, docs.GitRemote{URL: c.remote.URL, Ref: ref}.Key())
			if err != nil {
				t.Fatal(err)
			}
			return ok
		}
		if !paired("refs/heads/main") {
			t.Fatal(c.list())
		}
		at := func(ref string) {
			t.Helper()
			if _, _, err := c.s.Connect(ctx, c.grant(), ConnectionInput{URL: c.remote.URL, Ref: ref}); err != nil {
				t.Fatal(err)
			}
		}
		at("main")
		if !paired("refs/heads/main") {
			t.Error("the same remote was forgotten")
		}
		at("other")
		if !paired("refs/heads/main") {
			t.Error("another remote was forgotten")
		}
		at("main")
		if paired("refs/heads/main") {
			t.Error("what was before is still there")
		}
	})
}

// Disconnecting and connecting again continues with the same pair, even if pages were
// edited and exported to another remote in between. If the space imported content from
// another remote since, the pair is dropped, and that content is not exported.
func TestConnectingAgain(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		ctx := context.Background()
		c.origin.Commit(pageOfOrigin)
		other := c.origin.Beside("other")
		web := c.origin.HTTP("", "")
		first, second := web.Of(c.origin), web.Of(other)
		disconnect := func() {
			t.Helper()
			if err := c.s.Disconnect(ctx, c.grant()); err != nil {
				t.Fatal(err)
			}
		}
		c.connect(ConnectionInput{URL: first})
		c.runJobs()
		disconnect()
		c.edit("Home", "One.", "Ours.")
		copied := c.queue(docs.GitExport, func(o *docs.GitOperation) {
			o.Remote = docs.GitRemote{URL: second, Ref: "refs/heads/copy"}
		})
		if copied, err := c.run(ctx, copied); err != nil || copied.State != docs.GitSuccess {
			t.Fatalf("%+v, %v", copied, err)
		}
		c.origin.Commit(map[string]string{"README.md": "# Home\n\nOne.\n\nTheirs.\n"})
		c.connect(ConnectionInput{URL: first})
		c.runJobs()
		const both = "# Home\n\nOurs.\n\nTheirs.\n"
		if got := c.origin.Files("main")["README.md"]; got != both || c.markdown("Home") != "Ours.\n\nTheirs.\n" {
			t.Fatalf("%q: %s", got, c.list())
		}
		disconnect()
		other.Commit(map[string]string{"README.md": "# Elsewhere\n\nAll else.\n"})
		c.connect(ConnectionInput{URL: second})
		c.runJobs()
		if c.pages()["Elsewhere"] == nil {
			t.Fatal(c.list())
		}
		disconnect()
		tip := c.origin.Tip()
		c.connect(ConnectionInput{URL: first})
		c.runJobs()
		if got := c.origin.Files("main")["README.md"]; got != both || c.origin.Tip() != tip {
			t.Errorf("what came from elsewhere was exported: %q: %s", got, c.list())
		}
		if c.pages()["Home"] == nil || c.pages()["Elsewhere"] != nil {
			t.Errorf("%v: %s", c.pages(), c.list())
		}
	})
}

// The pair is also dropped if a person accepted the other content by merging a change
// request.
func TestConnectingAgainAfterARequestFromElsewhere(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		ctx := context.Background()
		c.origin.Commit(pageOfOrigin)
		other := c.origin.Beside("other")
		other.Commit(map[string]string{"README.md": "# Elsewhere\n\nAll else.\n"})
		web := c.origin.HTTP("", "")
		first, second := web.Of(c.origin), web.Of(other)
		c.connect(ConnectionInput{URL: first})
		c.runJobs()
		if err := c.s.Disconnect(ctx, c.grant()); err != nil {
			t.Fatal(err)
		}
		c.edit("Home", "One.", "Ours.")
		c.connect(ConnectionInput{URL: second})
		c.runJobs()
		pair, _, err := c.s.Store.GitPair(ctx, c.id, docs.GitRemote{URL: second, Ref: "refs/heads/main"}.Key())
		if err != nil || pair.Request == "" {
			t.Fatalf("%+v, %v: %s", pair, err, c.list())
		}
		if _, err := c.s.Reviews.Merge(ctx, c.grant(), string(pair.Request)); err != nil {
			t.Fatal(err)
		}
		c.runJobs()
		c.edit("Elsewhere", "All", "Everything") // the pair is now from an export
		c.runJobs()
		if err := c.s.Disconnect(ctx, c.grant()); err != nil {
			t.Fatal(err)
		}
		tip := c.origin.Tip()
		c.connect(ConnectionInput{URL: first})
		c.runJobs()
		if got := c.origin.Files("main"); c.origin.Tip() != tip {
			t.Errorf("what came from elsewhere was exported: %q: %s", got, c.list())
		}
	})
}

// A new connection is tried immediately, unless it is paused or unchanged.
func TestConnectingTries(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	ctx := context.Background()
	c.origin.Commit(pageOfOrigin)
	guarded := c.origin.HTTP("ada", "the-right-one").URL
	with := func(password string) ConnectionInput {
		return ConnectionInput{URL: guarded, Direction: docs.GitSyncImport, Credentials: opt.Of(CredentialsInput{Username: "ada", Password: password})}
	}
	paused := with("the-wrong-one")
	paused.Paused = true
	if conn, _ := c.connect(paused); conn.LastOperation != "" {
		t.Error("a paused connection started something")
	}
	var ended []string
	c.s.Ended = func(d docs.GitDirection, s docs.GitState, reason string) {
		ended = append(ended, string(d)+" "+string(s)+" "+reason)
	}
	conn, _ := c.connect(with("the-wrong-one"))
	c.runJobs()
	c.want("import failure authentication")
	if o, err := c.s.Store.GitOperation(ctx, c.id, conn.LastOperation); err != nil || o.Reason != "authentication" {
		t.Errorf("%+v, %v", o, err)
	}
	again, _ := c.connect(with("the-wrong-one"))
	c.runJobs()
	c.want("import failure authentication")
	if again.LastOperation != conn.LastOperation {
		t.Error("another operation is reported")
	}
	c.connect(with("the-right-one"))
	c.runJobs()
	c.want("import failure authentication, import success")
	kept := with("")
	kept.Credentials = opt.Val[CredentialsInput]{}
	c.connect(kept)
	c.runJobs()
	c.want("import failure authentication, import success")
	if got := strings.Join(ended, ", "); got != "import failure authentication, import success " {
		t.Errorf("counted: %s", got)
	}
	if err := c.s.Disconnect(ctx, c.grant()); err != nil {
		t.Fatal(err)
	}
	if _, ok, err := c.s.Store.GitInfo(ctx, c.id); err != nil || ok {
		t.Errorf("the space still shows its repository: %v", err)
	}
}

// Commits have a message even without a template.
func TestCommitsOfConnectionsHaveAMessage(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	c.origin.Commit(pageOfOrigin)
	if conn, _ := c.connect(ConnectionInput{}); conn.CommitTemplate != DefaultMessage {
		t.Errorf("%q", conn.CommitTemplate)
	}
	c.runJobs()
	c.edit("Home", "One.", "Ours.")
	c.advance(quiet)
	c.runJobs()
	if got := testgit.Git(t, c.origin.Bare, "log", "-1", "--format=%s", "main"); got != "Update Handbook" {
		t.Errorf("%q: %s", got, c.list())
	}
}
