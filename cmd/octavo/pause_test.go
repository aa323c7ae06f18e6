package main_test

import (
	"database/sql"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/testing/testmail"
)

// A restored copy sends nothing to others until it is resumed: neither what waited when
// the backup was written, nor what happens in the copy.
func TestARestoredCopyIsPaused(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		in, mails := newInbox(t), testmail.Start(t)
		admin := bootstrap(t, at, "Acme")
		n := serve(t, at, mayCallUs)
		org, _ := in.hook(t, n, admin.Token, "/copied")
		awaitQuiet(t, n)
		space := n.made(t, admin.Token, "POST", "/v1/orgs/"+org+"/spaces", map[string]any{"title": "Guide"})
		awaitQuiet(t, n)
		n.stop(t)
		backup := filepath.Join(t.TempDir(), "backup")
		mustOctavo(t, at, "backup", "--to="+backup)

		restored := sqlitePlace(t)
		if at.database != "" {
			restored = postgresPlace(t)
		}
		if out := mustOctavo(t, restored, "restore", "--from="+backup); !strings.Contains(out, "are paused; octavo resume") {
			t.Errorf("restore says\n%s", out)
		}
		if out := mustOctavo(t, restored, "doctor"); !strings.Contains(out, "warn  outgoing       git connections, webhooks, mails and translations are paused since 20") {
			t.Errorf("doctor says\n%s", out)
		}
		before := in.count("/copied")
		c := serve(t, restored, mayCallUs, "--smtp="+mails.URL(), "--mail-from=docs@octavo.example")
		c.made(t, admin.Token, "POST", "/v1/orgs/"+org+"/spaces", map[string]any{"title": "In the copy"})
		c.want(t, http.StatusOK, admin.Token, "POST", "/v1/orgs/"+org+"/invites", map[string]any{"emails": []string{"grace@octavo.example"}, "role": "read"}, nil)
		c.want(t, http.StatusNoContent, admin.Token, "POST", "/v1/spaces/"+space+"/git/import", map[string]any{"url": "https://127.0.0.1:9443/a.git", "ref": "main"}, nil)
		time.Sleep(4 * time.Second) // several rounds of all workers
		if got := in.count("/copied"); got != before {
			t.Errorf("the copy sent %d webhooks", got-before)
		}
		if got := mails.Messages(); len(got) > 0 {
			t.Errorf("the copy sent a mail to %s: %s", got[0].To, got[0].Subject)
		}
		a, err := c.call(admin.Token, "GET", "/v1/spaces/"+space+"/git/operations", nil)
		if err != nil || !strings.Contains(string(a.body), "paused synchronization with git since 20") {
			t.Errorf("the import: %v\n%s", err, a.body)
		}
		if a, err := c.call("", "GET", "/metrics", nil); err != nil || !strings.Contains(string(a.body), "\noctavo_paused 1\n") {
			t.Errorf("metrics: %v\n%s", err, a.body)
		}

		mustOctavo(t, restored, "resume")
		awaitQuiet(t, c)
		mails.Await(t, "grace@octavo.example", 0)
		if got := in.count("/copied"); got <= before {
			t.Error("nothing was sent after it was resumed")
		}
		if out := mustOctavo(t, restored, "resume"); !strings.Contains(out, "nothing is paused") {
			t.Errorf("resume says\n%s", out)
		}
		mustOctavo(t, restored, "pause")
		if log := mustOctavo(t, restored, "audit"); !strings.Contains(log, "instance.resume") || !strings.Contains(log, "instance.pause") {
			t.Errorf("the log is\n%s", log)
		}
	})
}

// With --live a restored installation takes the place of the original.
func TestALiveRestoreIsNotPaused(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	bootstrap(t, at, "Acme")
	mustOctavo(t, at, "pause") // what the original was makes no difference
	backup := filepath.Join(t.TempDir(), "backup")
	mustOctavo(t, at, "backup", "--to="+backup)
	restored := sqlitePlace(t)
	if out := mustOctavo(t, restored, "restore", "--live", "--from="+backup); strings.Contains(out, "paused") {
		t.Errorf("restore says\n%s", out)
	}
	if out := mustOctavo(t, restored, "doctor"); !strings.Contains(out, "ok    outgoing ") {
		t.Errorf("doctor says\n%s", out)
	}
}

// A copy that was given the bucket of the original does not delete what the original has stored
// since: while it is paused, nothing deletes files.
func TestAPausedCopyDeletesNoFiles(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	bootstrap(t, at, "Acme")
	mustOctavo(t, at, "pause")
	serve(t, at)
	db, err := sql.Open("sqlite", "file:"+filepath.Join(at.data, "octavo.db")+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	sweeps := func(within time.Duration) (n int) {
		t.Helper()
		for end := time.Now().Add(within); n == 0 && time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
			// A job that repeats is queued for later once it ran.
			err := db.QueryRow(`SELECT COUNT(*) FROM jobs WHERE kind = 'blob.sweep' AND run_at > ?`, time.Now().Add(time.Hour).UnixMilli()).Scan(&n)
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	if sweeps(4*time.Second) != 0 {
		t.Error("files were looked through")
	}
	mustOctavo(t, at, "resume")
	if sweeps(patience) != 1 {
		t.Error("they were not after it was resumed")
	}
}
