package gitsync

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/content/reviews"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jobs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// clocked is a fixture with a job runner, and with a clock that only the test advances.
type clocked struct {
	*fixture
	ns   atomic.Int64
	work *jobs.Runner
}

func newClocked(t *testing.T, o store.Options) *clocked {
	t.Helper()
	c := &clocked{}
	c.ns.Store(time.Now().UnixNano())
	o.Clock = func() time.Time { return time.Unix(0, c.ns.Load()) }
	c.fixture = newFixture(t, o)
	c.s.Content.RevisionAdded = RevisionAdded
	c.work = jobs.New(c.s.Store, c.s.Log)
	c.work.Handle(OperationJob, c.s.Run)
	c.work.Handle(ExportJob, c.s.QueueExport)
	return c
}

func (c *clocked) advance(d time.Duration) { c.ns.Add(int64(d)) }

// runJobs runs all jobs that are due. It advances the clock while operations wait for
// each other.
func (c *clocked) runJobs() {
	c.t.Helper()
	for range 50 {
		did, err := c.work.RunOne(context.Background())
		if err != nil {
			c.t.Fatal(err)
		}
		if !did {
			return
		}
		c.advance(wait)
	}
	c.t.Fatal("the jobs never end")
}

func (c *clocked) poll() {
	c.t.Helper()
	if err := c.s.Poll(context.Background(), nil); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clocked) connect(in ConnectionInput) (docs.GitConnection, string) {
	c.t.Helper()
	if in.URL == "" {
		in.URL = c.remote.URL
	}
	in.Ref = cmp.Or(in.Ref, "main")
	conn, secret, err := c.s.Connect(context.Background(), c.grant(), in)
	if err != nil {
		c.t.Fatal(err)
	}
	return conn, secret
}

// list returns the operations of the space, oldest first.
func (c *clocked) list() string {
	c.t.Helper()
	all, _, err := c.s.Store.GitOperations(context.Background(), c.id, store.Page{Limit: 100})
	if err != nil {
		c.t.Fatal(err)
	}
	var out []string
	for _, o := range slices.Backward(all) {
		out = append(out, strings.TrimSuffix(fmt.Sprintf("%s %s %s", o.Direction, o.State, o.Reason), " "))
	}
	return strings.Join(out, ", ")
}

func (c *clocked) want(list string) {
	c.t.Helper()
	if got := c.list(); got != list {
		c.t.Fatalf("operations: %s; want: %s\n%s", got, list, c.log)
	}
}

var pageOfOrigin = map[string]string{"README.md": "# Home\n\nOne.\n\nTwo.\n", "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n"}

func TestConnectedSpaceFollowsAndLeads(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		c.origin.Commit(pageOfOrigin)
		c.connect(ConnectionInput{Poll: opt.Of(60)})
		c.want("import queued, export queued")
		c.poll() // it is not due yet
		c.runJobs()
		c.want("import success, export success unchanged")
		c.checkSameFiles()

		// Edits are exported after a period without edits; each edit postpones the
		// export.
		c.edit("Home", "One.", "One of ours.")
		c.advance(quiet - time.Second)
		c.edit("Home", "Two.", "Two of ours.")
		c.advance(quiet - time.Second)
		c.runJobs()
		c.want("import success, export success unchanged")
		c.advance(time.Second)
		c.runJobs()
		if !strings.HasSuffix(c.list(), "export success") {
			t.Fatal(c.list())
		}
		c.checkSameFiles()
		before := c.list()

		// A merge is exported immediately.
		cr, err := c.s.Reviews.Create(context.Background(), c.grant(), reviews.New{Subject: "Better"})
		if err != nil {
			t.Fatal(err)
		}
		text := "# Home\n\nMerged.\n"
		c.apply(contentBranch(cr), updatePage(c, "Home", text))
		if _, err := c.s.Reviews.Merge(context.Background(), c.grant(), string(cr.ID)); err != nil {
			t.Fatal(err)
		}
		c.runJobs()
		if c.list() == before || !strings.HasSuffix(c.list(), "export success") {
			t.Fatal(c.list())
		}
		c.checkSameFiles()

		// Imported revisions are not exported.
		c.origin.Pull()
		tip := c.origin.Commit(map[string]string{"README.md": "# Home\n\nTheirs.\n"})
		c.advance(time.Minute)
		c.poll()
		c.runJobs()
		c.advance(longest)
		c.runJobs()
		if got := c.origin.Tip(); got != tip || !strings.Contains(c.markdown("Home"), "Theirs.") {
			t.Errorf("tip %s, was %s: %s", got, tip, c.list())
		}
	})
}

func TestPollingLeavesOneLineOfNothing(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	c.origin.Commit(pageOfOrigin)
	c.connect(ConnectionInput{Poll: opt.Of(60), Direction: docs.GitSyncImport})
	audits := func() int {
		t.Helper()
		n := 0
		rows, _, err := c.s.Store.Audit(context.Background(), c.org, store.AuditFilter{}, store.Page{Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range rows {
			if strings.HasPrefix(r.Action, "space.gitsync.") {
				n++
			}
		}
		return n
	}
	for range 5 {
		c.advance(2 * time.Minute)
		c.poll()
		c.runJobs()
	}
	c.want("import success, import success unchanged")
	if n := audits(); n != 2 {
		t.Errorf("%d events were recorded", n)
	}
	// No second operation is queued while one is waiting.
	c.advance(2 * time.Minute)
	c.poll()
	c.advance(2 * time.Minute)
	c.poll()
	c.want("import success, import queued")
	c.runJobs()
	// A remote that fails is polled less often.
	c.connect(ConnectionInput{URL: "http://127.0.0.1:59999/gone.git", Poll: opt.Of(60), Direction: docs.GitSyncImport})
	for range 60 { // until the operation has failed
		c.advance(2 * time.Minute)
		c.poll()
		c.runJobs()
		if strings.HasSuffix(c.list(), "failure unreachable") {
			break
		}
	}
	before := c.list()
	c.advance(2 * time.Minute)
	c.poll() // stores the failure
	c.advance(2 * time.Minute)
	c.poll()
	if got := c.list(); strings.Count(got, "unreachable")+strings.Count(got, "queued") > strings.Count(before, "unreachable")+1 {
		t.Errorf("before %s\nafter %s", before, got)
	}
}

// A failed export is repeated when the connection is polled.
func TestFailedExportsAreRepeated(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	c.origin.Commit(pageOfOrigin)
	c.connect(ConnectionInput{Poll: opt.Of(60)})
	c.runJobs()
	c.origin.Refuse("no")
	c.edit("Home", "One.", "Ours.")
	c.advance(quiet)
	c.runJobs()
	if !strings.Contains(c.list(), "export failure rejected") {
		t.Fatal(c.list())
	}
	c.origin.Allow()
	for range 3 {
		c.advance(20 * time.Minute)
		c.poll()
		c.runJobs()
	}
	c.checkSameFiles()
}

func TestOperationsWithoutAJobAreEnded(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	lost := c.queue(docs.GitImport, nil) // without a job
	c.advance(time.Second)
	conn, _ := c.connect(ConnectionInput{})
	c.poll()
	c.want("import failure internal, import queued, export queued")
	if o, err := c.s.Store.GitOperation(context.Background(), conn.Space, lost.ID); err != nil || o.Error == "" || !o.Ended() {
		t.Errorf("%+v, %v", o, err)
	}
}

func sign(secret, body string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(body))
	return hex.EncodeToString(mac.Sum(nil))
}

// Operations of a connection that users and hosts request count towards the quota.
// Operations that the server starts do not.
func TestConnectionsCountForTheQuota(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		c.ns.Store(time.Now().Truncate(24 * time.Hour).Add(36 * time.Hour).UnixNano()) // noon, so that the day does not end during the test
		ctx := context.Background()
		used := func(want int64) {
			t.Helper()
			u, err := c.s.Store.OrgUsage(ctx, c.org, docs.TimeOf(c.s.Store.Clock()))
			if n := u[docs.QuotaGitOperations]; err != nil || n != want {
				t.Errorf("%d operations were counted, want %d, %v", n, want, err)
			}
		}
		next := func() { // ends all waiting operations
			inTx(t, c.s.Store, func(tx *store.Tx) error { return endConnected(ctx, tx, c.id) })
		}
		_, secret := c.connect(ConnectionInput{Direction: docs.GitSyncBoth})
		used(2)
		sync := func() error {
			_, err := c.s.SyncNow(ctx, c.grant())
			return err
		}
		hook := func() error {
			return c.s.Hook(ctx, c.id, Call{Body: []byte(`{"ref":"refs/heads/main"}`), Header: func(name string) string { return map[string]string{"X-Gitlab-Token": secret}[name] }})
		}
		if err := errors.Join(sync(), hook()); err != nil { // both are already waiting
			t.Error(err)
		}
		used(2)
		next()
		if err := errors.Join(sync(), hook()); err != nil {
			t.Error(err)
		}
		used(4)
		next()
		if err := hook(); err != nil {
			t.Error(err)
		}
		used(5)
		next()
		inTx(t, c.s.Store, func(tx *store.Tx) error {
			return tx.SetQuotas(ctx, c.org, docs.Quotas{docs.QuotaGitOperations: 5})
		})
		_, _, connected := c.s.Connect(ctx, c.grant(), ConnectionInput{URL: c.remote.URL, Ref: "main", Direction: docs.GitSyncImport})
		for name, err := range map[string]error{"sync": sync(), "hook": hook(), "connect": connected} {
			if !errs.Is(err, errs.Quota) {
				t.Errorf("%s beyond the quota: %v", name, err)
			}
		}
		c.advance(DefaultPoll*time.Second + time.Second)
		c.poll()
		if open, err := c.s.Store.OpenGitOperations(ctx, c.id); err != nil || len(open) == 0 {
			t.Errorf("the server does not poll: %v", err)
		}
		used(5)
	})
}

func TestWebhooksOfHosts(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		c := newClocked(t, o)
		ctx := context.Background()
		_, secret := c.connect(ConnectionInput{Direction: docs.GitSyncImport})
		now := c.s.Store.Clock().Unix()
		const main = `{"ref":"refs/heads/main","after":"1234"}`
		form := "payload=" + url.QueryEscape(main)
		ours := func(at int64, body string) string {
			return fmt.Sprintf("t=%d,v1=%s", at, sign(secret, fmt.Sprint(at)+"."+body))
		}
		type callCase struct {
			name    string
			body    string
			headers map[string]string
			want    string // refused, nothing, or the timestamp of the queued operation
		}
		for _, h := range []callCase{
			{"GitHub", main, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign(secret, main)}, "0"},
			{"GitHub as a form", form, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign(secret, form), "Content-Type": "application/x-www-form-urlencoded"}, "0"},
			{"GitHub ping", `{"zen":"x"}`, map[string]string{"X-GitHub-Event": "ping", "X-Hub-Signature-256": "sha256=" + sign(secret, `{"zen":"x"}`)}, "nothing"},
			{"GitHub with another body", main + " ", map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign(secret, main)}, "refused"},
			{"GitHub with another secret", main, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256=" + sign("x", main)}, "refused"},
			{"GitHub without", main, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature-256": "sha256="}, "refused"},
			{"GitHub, old signature", main, map[string]string{"X-GitHub-Event": "push", "X-Hub-Signature": "sha1=00"}, "refused"},
			{"Gitea", main, map[string]string{"X-Gitea-Event": "push", "X-Gitea-Signature": sign(secret, main)}, "0"},
			{"Forgejo", main, map[string]string{"X-Forgejo-Event": "push", "X-Forgejo-Signature": sign(secret, main)}, "0"},
			{"Gitea, wrong", main, map[string]string{"X-Gitea-Event": "push", "X-Gitea-Signature": "zz"}, "refused"},
			{"GitLab", main, map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": secret}, "0"},
			{"GitLab, a part", main, map[string]string{"X-Gitlab-Event": "Push Hook", "X-Gitlab-Token": secret[:20]}, "refused"},
			{"GitLab, issue", main, map[string]string{"X-Gitlab-Event": "Issue Hook", "X-Gitlab-Token": secret}, "nothing"},
			{"ours", main, map[string]string{"X-Octavo-Signature": ours(now, main)}, fmt.Sprint(now * 1000)},
			{"ours without a ref", `{}`, map[string]string{"X-Octavo-Signature": ours(now-200, `{}`)}, fmt.Sprint((now - 200) * 1000)},
			{"ours, too old", main, map[string]string{"X-Octavo-Signature": ours(now-301, main)}, "refused"},
			{"ours, too new", main, map[string]string{"X-Octavo-Signature": ours(now+301, main)}, "refused"},
			{"ours, with another time", main, map[string]string{"X-Octavo-Signature": strings.Replace(ours(now-1, main), fmt.Sprint(now-1), fmt.Sprint(now), 1)}, "refused"},
			{"ours, no time", main, map[string]string{"X-Octavo-Signature": "v1=" + sign(secret, "."+main)}, "refused"},
			{"no signature", main, nil, "refused"},
			{"another branch", `{"ref":"refs/heads/x"}`, map[string]string{"X-Gitlab-Token": secret}, "nothing"},
			{"a tag of the name", `{"ref":"refs/tags/main"}`, map[string]string{"X-Gitlab-Token": secret}, "nothing"},
			{"deleted", `{"ref":"refs/heads/main","deleted":true}`, map[string]string{"X-Gitlab-Token": secret}, "nothing"},
			{"deleted, as GitLab says it", `{"ref":"refs/heads/main","after":"0000000000000000000000000000000000000000"}`, map[string]string{"X-Gitlab-Token": secret}, "nothing"},
			{"no JSON", `ref=main`, map[string]string{"X-Gitlab-Token": secret}, "nothing"},
			{"a time of the host", fmt.Sprintf(`{"ref":"refs/heads/main","repository":{"pushed_at":%d},"head_commit":{"timestamp":"2001-01-01T00:00:00Z"}}`, now-7),
				map[string]string{"X-GitHub-Event": "push", "X-Gitlab-Token": secret}, fmt.Sprint((now - 7) * 1000)},
		} {
			err := c.s.Hook(ctx, c.id, Call{Body: []byte(h.body), Header: func(name string) string { return h.headers[name] }})
			open, oerr := c.s.Store.OpenGitOperations(ctx, c.id)
			if oerr != nil {
				t.Fatal(oerr)
			}
			got := "nothing"
			switch {
			case errs.Is(err, errs.Unauthenticated) && len(open) == 0:
				got = "refused"
			case err != nil || len(open) > 1:
				got = fmt.Sprint(err, open)
			case len(open) == 1:
				got = fmt.Sprint(int64(open[0].Request.Timestamp))
				if o := open[0]; !o.Request.Connected || o.Sealed != "" || o.User != c.by || o.Direction != docs.GitImport {
					t.Errorf("%s: %+v", h.name, o)
				}
			}
			if got != h.want {
				t.Errorf("%s: %s, want %s", h.name, got, h.want)
			}
			inTx(t, c.s.Store, func(tx *store.Tx) error { return endConnected(ctx, tx, c.id) })
		}
		// For spaces that are not connected, the error is the same.
		call := Call{Body: []byte(main), Header: func(name string) string {
			return map[string]string{"X-Gitlab-Token": secret}[name]
		}}
		other := c.space("Other")
		a, b := c.s.Hook(ctx, other, call), c.s.Hook(ctx, "absent", call)
		if a == nil || b == nil || a.Error() != b.Error() || !errs.Is(a, errs.Unauthenticated) {
			t.Errorf("%v, %v", a, b)
		}
		// A repeated call queues no further operation, and a paused connection ignores
		// calls.
		for range 3 {
			if err := c.s.Hook(ctx, c.id, call); err != nil {
				t.Error(err)
			}
		}
		open, err := c.s.Store.OpenGitOperations(ctx, c.id)
		if err != nil || len(open) != 1 {
			t.Errorf("%d are queued, %v", len(open), err)
		}
		c.connect(ConnectionInput{Direction: docs.GitSyncImport, Paused: true, URL: "https://git.example/other.git"})
		if err := c.s.Hook(ctx, c.id, call); err != nil {
			t.Error(err)
		}
		if open, err := c.s.Store.OpenGitOperations(ctx, c.id); err != nil || len(open) != 0 {
			t.Errorf("%d are queued, %v", len(open), err)
		}
	})
}

func inTx(t *testing.T, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Do(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// After secrets were used, neither the database nor the log contains them.
func TestSecretsAreUsedAndLeaveNoTrace(t *testing.T) {
	t.Parallel()
	testdb.Each(t, func(t *testing.T, o store.Options) {
		const password, token, wrong, hook = "hunter2-of-the-import", "hunter2-of-the-connection", "hunter2-that-is-wrong", "hunter2-of-the-webhook"
		c := newClocked(t, o)
		ctx := context.Background()
		c.origin.Commit(pageOfOrigin)
		with := func(server, password string) string {
			return strings.Replace(server, "http://", "http://ada:"+password+"@", 1)
		}
		guarded := c.origin.HTTP("ada", password).URL
		syncs := func() *authz.Grant {
			g, _, err := authz.NewChecker(c.s.Store.Reader).Space(ctx, authz.Actor{User: c.by}, authz.SyncSpace, c.id)
			if err != nil {
				t.Fatal(err)
			}
			return g
		}
		ask := func(url string) docs.GitOperation {
			t.Helper()
			o, err := c.s.Import(ctx, syncs(), ImportInput{Input: Input{URL: url, Ref: "refs/heads/main"}})
			if err != nil {
				t.Fatal(err)
			}
			return o
		}
		queued := ask(with(guarded, password))
		if queued.Sealed == "" || strings.Contains(string(queued.Sealed), password) {
			t.Errorf("sealed as %q", queued.Sealed)
		}
		c.nowhere(t, password, "while it waits")
		c.runJobs()
		c.want("import success")
		if o, err := c.s.Store.GitOperation(ctx, c.id, queued.ID); err != nil || o.Sealed != "" {
			t.Errorf("%q is left of the credentials, %v", o.Sealed, err)
		}
		ask(with(guarded, wrong))
		c.runJobs()
		c.want("import success, import failure authentication")
		ask(guarded)
		c.runJobs()
		c.want("import success, import failure authentication, import failure authentication")

		c.connect(ConnectionInput{
			URL: c.origin.HTTP("ada", token).URL, HookSecret: opt.Of(hook),
			Credentials: opt.Of(CredentialsInput{Username: "ada", Password: token}),
		})
		if _, err := c.s.SyncNow(ctx, syncs()); err != nil {
			t.Fatal(err)
		}
		c.nowhere(t, token, "while a connection waits")
		c.runJobs()
		if !strings.HasSuffix(c.list(), "import success unchanged, export success unchanged") && !strings.HasSuffix(c.list(), "export success") {
			t.Error(c.list())
		}
		for _, secret := range []string{password, token, wrong, hook} {
			c.nowhere(t, secret, "at the end")
		}
		// A user who may only change the address can neither have the secret sent there
		// nor read another repository with it.
		now, _ := c.connect(ConnectionInput{URL: guarded, Credentials: opt.Of(CredentialsInput{Username: "ada", Password: token})})
		for _, url := range []string{"https://evil.example/x.git", strings.Replace(now.Remote.URL, "repo.git", "other.git", 1)} {
			if conn, _ := c.connect(ConnectionInput{URL: url}); conn.HasCredentials || conn.Sealed != "" {
				t.Errorf("%s gets the credentials", url)
			}
			c.connect(ConnectionInput{URL: guarded, Credentials: opt.Of(CredentialsInput{Username: "ada", Password: token})})
		}
		if conn, _ := c.connect(ConnectionInput{URL: guarded, Directory: "docs"}); !conn.HasCredentials {
			t.Error("the credentials of the repository are lost")
		}
	})
}

// nowhere fails if the database or the log contains a secret.
func (c *clocked) nowhere(t *testing.T, secret, when string) {
	t.Helper()
	var b bytes.Buffer
	if _, err := c.s.Store.Backup(context.Background(), &b, "test", nil); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if i := bytes.Index(all, []byte(secret)); i >= 0 {
		t.Errorf("%s, the database has %q", when, all[max(0, i-100):i+50])
	}
	if strings.Contains(c.log.String(), secret) {
		t.Errorf("%s, the log has it: %s", when, c.log)
	}
}

// Credentials can be opened only for the operation that they were sealed for.
func TestCredentialsBelongToTheirOperation(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	ctx := context.Background()
	var a, b docs.GitOperation
	inTx(t, c.s.Store, func(tx *store.Tx) (err error) {
		a, _, err = queue(ctx, tx, docs.GitOperation{Space: c.id, Direction: docs.GitImport, Remote: c.remote, User: c.by}, git.Credentials{Username: "u", Password: "p", KnownHosts: []byte("k")})
		if err != nil {
			return err
		}
		b, _, err = queue(ctx, tx, docs.GitOperation{Space: c.id, Direction: docs.GitExport, Remote: c.remote, User: c.by}, git.Credentials{})
		return err
	})
	got, err := credentials(ctx, c.s.Store.Reader, a)
	if err != nil || got.Username != "u" || got.Password != "p" || string(got.KnownHosts) != "k" {
		t.Errorf("%v, %v", got.Username, err)
	}
	if b.Sealed != "" {
		t.Error("empty credentials are sealed as something")
	}
	b.Sealed = a.Sealed
	if _, err := credentials(ctx, c.s.Store.Reader, b); !errs.Is(err, errs.Precondition) {
		t.Errorf("%v", err)
	}
	a.Request.Connected = true
	if _, err := credentials(ctx, c.s.Store.Reader, a); err != errDisconnected { //nolint:errorlint // it is that one
		t.Errorf("%v", err)
	}
}

func contentBranch(cr docs.ChangeRequest) content.LineName { return content.LineName(cr.ID) }

func updatePage(c *clocked, title, text string) content.Change {
	return content.Change{Operation: content.UpdatePage, Page: string(c.pages()[title].ID), Body: &revision.Body{Markdown: &text}}
}

// A connection has at most one waiting import and one waiting export, even if its
// settings change. An operation that waits for a retry is run immediately when it is
// requested again.
func TestAskingAgainRunsAWaitingOperationNow(t *testing.T) {
	t.Parallel()
	c := newClocked(t, testdb.SQLite(t))
	ctx := context.Background()
	sync := func() {
		t.Helper()
		if _, err := c.s.SyncNow(ctx, c.grant()); err != nil {
			t.Fatal(err)
		}
	}
	absent := ConnectionInput{URL: "http://127.0.0.1:59999/gone.git"}
	c.connect(absent)
	sync()
	absent.Template = "Other words"
	c.connect(absent)
	sync()
	c.want("import queued, export queued")
	open, err := c.s.Store.OpenGitOperations(ctx, c.id)
	if err != nil || open[1].Request.Message != "Other words" {
		t.Errorf("%+v, %v", open, err)
	}
	c.advance(time.Second)
	c.connect(ConnectionInput{URL: "http://127.0.0.1:59999/other.git", Direction: docs.GitSyncImport})
	c.want("import failure disconnected, export failure disconnected, import queued")
	tries := func() int { return strings.Count(c.log.String(), "job failed") }
	for tries() < 3 { // 1 s, 4 s, 16 s
		c.advance(time.Second)
		c.runJobs()
	}
	const all = "import failure disconnected, export failure disconnected, import queued unreachable"
	c.want(all)
	before := tries()
	if c.runJobs(); tries() > before {
		t.Error("nobody asked")
	}
	sync()
	if c.runJobs(); tries() == before {
		t.Error("it still waits")
	}
	c.want(all)
}
