package store_test

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	contents "github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/spaces"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// spaceIn returns a store with a space, and who made it.
func spaceIn(t *testing.T, o store.Options) (*store.Store, docs.Space, docs.UserID, func(title string) docs.Space) {
	t.Helper()
	ctx := context.Background()
	s := testdb.Open(t, o)
	b, err := orgs.New(s, orgs.Config{}).Operator.Bootstrap(ctx, "ada@octavo.example", "Ada", "label")
	if err != nil {
		t.Fatal(err)
	}
	containers := &spaces.Service{Store: s, Content: contents.New(contents.Config{Store: s, Blobs: testdb.Blobs(t)})}
	begin := func(title string) docs.Space {
		t.Helper()
		g, _, err := authz.NewChecker(s.Reader).Org(ctx, authz.Actor{User: b.User}, authz.CreateContent, b.Organization)
		if err != nil {
			t.Fatal(err)
		}
		sp, _, err := containers.Create(ctx, g, spaces.NewSpace{Title: title, Empty: true})
		if err != nil {
			t.Fatal(err)
		}
		return sp
	}
	return s, begin("Docs"), b.User, begin
}

func inTx(t *testing.T, s *store.Store, fn func(ctx context.Context, tx *store.Tx) error) {
	t.Helper()
	ctx := context.Background()
	if err := s.Do(ctx, func(tx *store.Tx) error { return fn(ctx, tx) }); err != nil {
		t.Fatal(err)
	}
}

func TestGitOperationsAreKeptAsTheyAre(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s, sp, user, more := spaceIn(t, o)
		other := more("Other")
		op := docs.GitOperation{
			ID: "o1", Space: sp.ID, Direction: docs.GitImport, State: docs.GitRunning, Stage: docs.GitFinalize,
			Remote:  docs.GitRemote{URL: "https://example.com/a.git", Ref: "refs/heads/main", Directory: "docs/ä"},
			Request: docs.GitRequest{Force: true, Standalone: true, Timestamp: 12, CacheID: "c", TreeURL: "t", CommitURL: "u", Message: "m\n", Provider: "github", InfoURL: "i", Connected: true},
			Sealed:  "sealed", Done: 1, Total: 2, Commit: "c", Revision: "r", ChangeRequest: "q", Reason: "conflict", Error: "e",
			Problems: []docs.GitProblem{{File: "a.md", Line: 3, Code: "link", Message: "x"}}, ProblemCount: 7,
			User: user, CreatedAt: 1, StartedAt: 2, UpdatedAt: 3,
		}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.AddGitOperation(ctx, op) })
		got, err := s.GitOperation(ctx, sp.ID, op.ID)
		if err != nil || !reflect.DeepEqual(got, op) {
			t.Errorf("got  %+v\nwant %+v\n%v", got, op, err)
		}
		if _, err := s.GitOperation(ctx, other.ID, op.ID); !errs.Is(err, errs.NotFound) {
			t.Errorf("of another space: %v", err)
		}
		for id, want := range map[docs.SpaceID]bool{sp.ID: true, other.ID: false} {
			if busy, err := s.GitFinalizing(ctx, id); err != nil || busy != want {
				t.Errorf("finalizing %v, %v", busy, err)
			}
		}
		op.State, op.CompletedAt, op.Problems = docs.GitFailure, 4, nil
		for i := range 2 * docs.MaxGitProblems {
			op.Problems = append(op.Problems, docs.GitProblem{Code: "x", Line: i})
		}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutGitOperation(ctx, op) })
		op.Sealed, op.Problems = "", op.Problems[:docs.MaxGitProblems]
		if got, err = s.GitOperation(ctx, sp.ID, op.ID); err != nil || !reflect.DeepEqual(got, op) {
			t.Errorf("after its end\ngot  %+v\nwant %+v\n%v", got, op, err)
		}
		if busy, err := s.GitFinalizing(ctx, sp.ID); err != nil || busy {
			t.Errorf("finalizing %v, %v", busy, err)
		}
		err = s.Do(ctx, func(tx *store.Tx) error {
			return tx.PutGitOperation(ctx, docs.GitOperation{Space: other.ID, ID: op.ID, User: user})
		})
		if !errs.Is(err, errs.NotFound) {
			t.Errorf("of another space: %v", err)
		}
	})
}

func TestGitOperationsAreListedAndTidied(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s, sp, user, _ := spaceIn(t, o)
		const n = 130
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
			for i := range n {
				op := docs.GitOperation{ID: docs.GitOperationID(fmt.Sprintf("%03d", i)), Space: sp.ID, Direction: docs.GitExport, State: docs.GitSuccess, User: user, CompletedAt: 1}
				if i%50 == 7 {
					op.State, op.CompletedAt, op.Sealed = docs.GitQueued, 0, "sealed"
				}
				if err := tx.AddGitOperation(ctx, op); err != nil {
					return err
				}
			}
			return nil
		})
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.TidyGitOperations(ctx, sp.ID) })
		var got []string
		for at := (store.Page{Limit: 40}); ; {
			items, next, err := s.GitOperations(ctx, sp.ID, at)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range items {
				got = append(got, string(o.ID))
			}
			if next == nil {
				break
			}
			at.After = next
		}
		count, err := s.CountGitOperations(ctx, sp.ID)
		if err != nil || count != 101 || len(got) != 101 || got[0] != "129" || got[99] != "030" || got[100] != "007" {
			t.Errorf("%d of them, %v: %s", count, err, strings.Join(got, " "))
		}
		open, err := s.OpenGitOperations(ctx, sp.ID)
		first, ok, ferr := s.FirstGitOperation(ctx, sp.ID)
		if err != nil || ferr != nil || !ok || len(open) != 3 || open[0].ID != "007" || open[2].ID != "107" || first.ID != "007" {
			t.Errorf("open %v, first %v: %v, %v", open, first, err, ferr)
		}
	})
}

func TestGitPairsInfoAndConnection(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s, sp, user, more := spaceIn(t, o)
		other := more("Other")
		remote := docs.GitRemote{URL: "https://example.com/a.git", Ref: "refs/heads/main"}
		elsewhere := remote
		elsewhere.Directory = "docs"
		if _, ok, err := s.GitPair(ctx, sp.ID, remote.Key()); ok || err != nil {
			t.Errorf("there is a pair: %v", err)
		}
		pair := docs.GitPair{Space: sp.ID, Remote: remote, Commit: "c", Revision: "r", Line: "l", Request: "q", Timestamp: 5, UpdatedAt: 6}
		for range 2 { // stored, then replaced
			inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutGitPair(ctx, pair) })
			if got, ok, err := s.GitPair(ctx, sp.ID, remote.Key()); err != nil || !ok || got != pair {
				t.Errorf("pair %+v, want %+v: %v", got, pair, err)
			}
			pair.Commit, pair.Revision, pair.Line, pair.Request, pair.Timestamp, pair.UpdatedAt = "c2", "r2", "l2", "", 7, 8
		}
		if _, ok, err := s.GitPair(ctx, sp.ID, elsewhere.Key()); ok || err != nil {
			t.Errorf("another folder has the pair: %v", err)
		}

		info := docs.GitInfo{Provider: "github", RepoName: "a/b", URL: "u", TreeURL: "t", CommitURL: "c", UpdatedAt: 3}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutGitInfo(ctx, sp.ID, info) })
		got, ok, err := s.GitInfo(ctx, sp.ID)
		now, serr := s.Space(ctx, sp.ID)
		if err != nil || serr != nil || !ok || got != info || now.It.Git == nil || *now.It.Git != info {
			t.Errorf("info %+v, of the space %+v: %v, %v", got, now.It.Git, err, serr)
		}
		// Settings of the space are stored without touching it.
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutSpace(ctx, sp) })
		for _, want := range []bool{true, false} {
			inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
				had, err := tx.DropGitInfo(ctx, sp.ID)
				if had != want {
					t.Errorf("it was there: %v", had)
				}
				return err
			})
		}
		if _, ok, err := s.GitInfo(ctx, sp.ID); ok || err != nil {
			t.Errorf("it is still there: %v", err)
		}

		c := docs.GitConnection{
			Space: sp.ID, Remote: remote, Direction: docs.GitSyncBoth, Sealed: "sealed", HasCredentials: true, CommitTemplate: "t", PollSeconds: 60,
			Paused: true, HookSealed: "hook", Provider: "gitlab", User: user, CreatedAt: 1, UpdatedAt: 2, DueAt: 10, LastOperation: "o1",
		}
		for range 2 {
			inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutGitConnection(ctx, c) })
			if got, ok, err := s.GitConnection(ctx, sp.ID); err != nil || !ok || got != c {
				t.Errorf("connection %+v, want %+v: %v", got, c, err)
			}
			c.Remote, c.Sealed, c.HasCredentials, c.Paused, c.LastOperation = elsewhere, "", false, false, "o2"
		}
		later := c
		later.Space, later.DueAt = other.ID, 0
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PutGitConnection(ctx, later) })
		for now, want := range map[docs.Time]int{9: 0, 10: 1} {
			if due, err := s.DueGitConnections(ctx, now, 10); err != nil || len(due) != want {
				t.Errorf("at %d due: %v, %v", now, due, err)
			}
		}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
			had, err := tx.DropGitConnection(ctx, sp.ID)
			if !had {
				t.Error("there was none")
			}
			return err
		})
		if _, ok, err := s.GitConnection(ctx, sp.ID); ok || err != nil {
			t.Errorf("it is still there: %v", err)
		}
	})
}

func TestRevisionsKnowTheirCommitLaterAndSomeStandAside(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s, sp, user, _ := spaceIn(t, o)
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
			return tx.AddRevision(ctx, docs.Revision{ID: "zz", Space: sp.ID, Type: docs.RevisionEdits, Author: user, Git: &docs.GitCommit{OID: "first"}, Aside: true})
		})
		if rev, err := s.Revision(ctx, sp.ID, sp.Revision); err != nil || rev.Git != nil || rev.Aside {
			t.Errorf("%+v, %v", rev, err)
		}
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
			for _, id := range []docs.RevisionID{sp.Revision, "zz"} {
				if err := tx.PutGitCommit(ctx, sp.ID, id, docs.GitCommit{OID: "later", ByOctavo: true}); err != nil {
					return err
				}
			}
			return tx.PutGitBlobs(ctx, sp.ID, []docs.GitBlob{{ID: "p", Body: "b", OID: "1", Path: "p.md"}, {ID: "q", Body: "c", OID: "2", Path: "q.md"}})
		})
		if rev, err := s.Revision(ctx, sp.ID, sp.Revision); err != nil || rev.Git == nil || rev.Git.OID != "later" || !rev.Git.ByOctavo {
			t.Errorf("after the export %+v, %v", rev, err)
		}
		// What it was read from is the first to know.
		if rev, err := s.Revision(ctx, sp.ID, "zz"); err != nil || !rev.Aside || rev.Git.OID != "first" {
			t.Errorf("aside %+v, %v", rev, err)
		}
		list, _, err := s.Revisions(ctx, sp.ID, "", store.Page{Limit: 10})
		n, cerr := s.CountRevisions(ctx, sp.ID, "")
		if err != nil || cerr != nil || n != 1 || len(list) != 1 || list[0].ID != sp.Revision || list[0].Git == nil {
			t.Errorf("%d revisions %+v: %v, %v", n, list, err, cerr)
		}
		b, ok, err := s.GitBlob(ctx, sp.ID, "q")
		_, none, nerr := s.GitBlob(ctx, sp.ID, "x")
		all, aerr := s.GitBlobs(ctx, sp.ID)
		if err != nil || nerr != nil || aerr != nil || !ok || none || b != (docs.GitBlob{ID: "q", Body: "c", OID: "2", Path: "q.md"}) || len(all) != 2 {
			t.Errorf("blob %v %v %v %v", b, ok, none, all)
		}
	})
}

func TestPurgeForgetsGit(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, sp, user, _ := spaceIn(t, o)
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error {
			for _, err := range []error{
				tx.AddGitOperation(ctx, docs.GitOperation{Space: sp.ID, ID: "o", User: user}),
				tx.PutGitPair(ctx, docs.GitPair{Space: sp.ID}),
				tx.PutGitConnection(ctx, docs.GitConnection{Space: sp.ID, User: user}),
				tx.PutGitCommit(ctx, sp.ID, sp.Revision, docs.GitCommit{OID: "c"}),
				tx.PutGitBlobs(ctx, sp.ID, []docs.GitBlob{{ID: "p", Body: "b", OID: "1"}}),
				tx.PutGitInfo(ctx, sp.ID, docs.GitInfo{URL: "u"}),
			} {
				if err != nil {
					return err
				}
			}
			return nil
		})
		inTx(t, s, func(ctx context.Context, tx *store.Tx) error { return tx.PurgeSpace(ctx, sp) })
		db := raw(t, o)
		for _, table := range []string{"git_operations", "git_pairs", "git_connections", "git_commits", "git_blobs", "spaces"} {
			if n := number(t, db, `SELECT COUNT(*) FROM `+table); n > 0 {
				t.Errorf("%d rows of %s are left", n, table)
			}
		}
	})
}
