package gitsync

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

// failingGit is a git program in which one call fails, as on a machine that has too many
// processes.
type failingGit struct {
	t    *testing.T
	file string // the number of calls up to the failure, and the commands that are counted
}

func newFailingGit(t *testing.T) failingGit {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	f := failingGit{t, filepath.Join(dir, "fail")}
	script := fmt.Sprintf(`#!/bin/sh
if [ -f %[1]q ]; then
	read -r left commands <%[1]q
	case " $commands " in *" $1 "*)
		left=$((left - 1))
		if [ $left -eq 0 ]; then
			rm %[1]q
			echo "fatal: unable to create thread: Resource temporarily unavailable" >&2
			exit 128
		fi
		echo "$left $commands" >%[1]q
	esac
fi
exec %[2]q "$@"
`, f.file, git)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	return f
}

// fail makes the n-th call of one of the commands fail.
func (f failingGit) fail(n int, commands string) {
	f.t.Helper()
	if err := os.WriteFile(f.file, fmt.Appendf(nil, "%d %s\n", n, commands), 0o600); err != nil {
		f.t.Fatal(err)
	}
}

// failed reports whether the call has failed. After that, no call fails.
func (f failingGit) failed() bool { return os.Remove(f.file) != nil }

// An export in which git fails once, at any point, ends as it would have ended without
// the failure. A commit that git did not find because of the failure is not missing.
func TestExportAfterATemporaryFailureOfGit(t *testing.T) {
	program := newFailingGit(t)
	begin := func(t *testing.T) *fixture {
		t.Helper()
		d := newFixture(t, testdb.SQLite(t))
		d.origin.Commit(small)
		d.pull("")
		d.edit("Home", "Welcome.", "Welcome here.")
		return d
	}
	for _, c := range []struct {
		name string
		// prepare returns the operation, which may have been tried before.
		prepare func(t *testing.T, d *fixture) docs.GitOperation
		reason  string
		commits string // number of commits of the branch, "" if there is none
	}{
		{"its commit was pushed", func(t *testing.T, d *fixture) docs.GitOperation {
			program.fail(2, "update-ref") // the first one is part of the fetch
			o, err := d.run(context.Background(), d.queue(docs.GitExport, nil))
			if !program.failed() || err == nil || o.Ended() || o.Commit == "" || o.Commit != d.origin.Tip() {
				t.Fatalf("the operation was not interrupted after its push: %+v, %v", o, err)
			}
			return o
		}, "", "2"},
		{"others have pushed", func(_ *testing.T, d *fixture) docs.GitOperation {
			d.origin.Commit(map[string]string{"NOTES.txt": "notes\n"})
			return d.queue(docs.GitExport, nil)
		}, "", "3"},
		{"the branch was deleted", func(t *testing.T, d *fixture) docs.GitOperation {
			testgit.Git(t, d.origin.Bare, "branch", "-m", "main", "other")
			return d.queue(docs.GitExport, nil)
		}, "ref-not-found", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for n := 1; ; n++ {
				d := begin(t)
				o := c.prepare(t, d)
				program.fail(n, "cat-file merge-base rev-parse")
				o, err := d.run(context.Background(), o)
				failed := program.failed()
				if !o.Ended() {
					if !failed || err == nil {
						t.Fatalf("%d: %+v, %v", n, o, err)
					}
					o, err = d.run(context.Background(), o)
				}
				if err != nil || !o.Ended() || o.Reason != c.reason {
					t.Fatalf("%d: %s %q %q, %v", n, o.State, o.Reason, o.Error, err)
				}
				commits := ""
				if d.origin.Tip() != "" {
					commits = testgit.Git(t, d.origin.Bare, "rev-list", "--count", "main")
				}
				if commits != c.commits {
					t.Fatalf("%d: the branch has %q commits instead of %q", n, commits, c.commits)
				}
				if !failed {
					return
				}
			}
		})
	}
}

// If git fails for another reason than a missing commit, the import fails. It does not
// compare all files instead.
func TestFailuresOfGitAreNotMissingCommits(t *testing.T) {
	d := newFixture(t, testdb.SQLite(t))
	first := d.origin.Commit(small)
	d.pull("")
	tip := d.origin.Commit(map[string]string{"NOTES.txt": "notes\n"})
	d.pull("")
	ctx := context.Background()
	repo, err := d.s.Git.Open(ctx, git.Remote{URL: d.remote.URL, Ref: d.remote.Ref, Scope: string(d.org)})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	work := &task{s: d.s, o: docs.GitOperation{Space: d.id, Remote: d.remote}, repo: repo, paired: true, pair: docs.GitPair{Commit: first}}
	if up, err := work.upstream(ctx, tip); err != nil || !up.Paired {
		t.Fatalf("%+v, %v", up, err)
	}
	work.pair.Commit = strings.Repeat("1", 40)
	if up, err := work.upstream(ctx, tip); err != nil || up.Paired {
		t.Fatalf("a missing commit: %+v, %v", up, err)
	}
	if err := os.RemoveAll(d.s.Git.Dir); err != nil {
		t.Fatal(err)
	}
	work.pair.Commit = first
	if up, err := work.upstream(ctx, tip); err == nil {
		t.Errorf("the cache is gone: %+v", up)
	}
}

// What a transaction changed in an operation before it failed is not kept: otherwise the
// operation would be queued and ended at once.
func TestATransactionThatFailsLeavesTheOperation(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	o := d.queue(docs.GitImport, nil)
	g, err := d.s.grant(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	run, lost := &task{s: d.s, o: o, g: g}, errors.New("the connection is lost")
	err = run.inTx(t.Context(), func(tx *store.Tx, g *authz.Grant, o docs.GitOperation) (docs.GitOperation, error) {
		o, err := run.complete(t.Context(), tx, g, o, docs.GitSuccess, "", "")
		return o, errors.Join(err, lost)
	})
	if !errors.Is(err, lost) || !reflect.DeepEqual(run.o, o) {
		t.Errorf("%v: the operation is %+v, want %+v", err, run.o, o)
	}
}
