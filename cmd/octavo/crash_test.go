package main_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"
)

// Number of kills. The points in time differ in each run.
const (
	crashes         = 50
	crashesShort    = 5
	crashesPostgres = 5
)

func TestAcknowledgedWritesSurviveKill9(t *testing.T) {
	t.Parallel()
	eachKilled(t, crashes, crashAndCheck)
}

func crashAndCheck(t *testing.T, at place, rounds int) {
	token := bootstrap(t, at, "Crash").Token
	var ledgers []*ledger
	for round := range rounds {
		n := serve(t, at)
		if round > 0 {
			ledgers[round-1].check(t, n, token)
		}
		checkPurgeQueue(t, n, ledgers)
		// Every round has a separate organization, so that checking one costs the same in
		// every round.
		l := &ledger{org: n.made(t, token, "POST", "/v1/orgs", map[string]any{"title": fmt.Sprint("Round ", round)})}
		ledgers = append(ledgers, l)
		l.writeUntilKilled(t, n, token)
	}
	n := serve(t, at)
	acknowledged, deleted := 0, 0
	for _, l := range ledgers {
		l.check(t, n, token)
		acknowledged, deleted = acknowledged+len(l.created), deleted+len(l.deleted)
	}
	checkPurgeQueue(t, n, ledgers)
	n.stop(t)
	t.Logf("%d kills, %d creates and %d deletions acknowledged", rounds, acknowledged, deleted)
	if acknowledged < rounds {
		t.Errorf("only %d creates were acknowledged: the test shows nothing", acknowledged)
	}
	checkWholeTransactions(t, at)
	mustOctavo(t, at, "doctor")
}

// ledger records the expectations of clients in one round. Acknowledged changes must
// exist afterwards; requested ones may.
type ledger struct {
	org string

	mu      sync.Mutex
	created []string // collections
	deleted []string // spaces
	asked   int      // number of requested deletions, acknowledged or not
}

const (
	creators = 3
	deleters = 1
)

// writeUntilKilled lets clients write, and kills the server shortly after it has
// acknowledged a random number of creates.
func (l *ledger) writeUntilKilled(t *testing.T, n *node, token string) {
	t.Helper()
	enough := 1 + rand.IntN(60)
	reached := make(chan struct{})
	var clients sync.WaitGroup
	for range creators {
		clients.Go(func() {
			for l.create(n, token) {
				l.mu.Lock()
				if len(l.created) == enough {
					close(reached)
				}
				l.mu.Unlock()
			}
		})
	}
	for range deleters {
		clients.Go(func() {
			for l.createAndDelete(n, token) {
			}
		})
	}
	select {
	case <-reached:
	case <-time.After(patience):
		n.kill()
		t.Fatalf("fewer than %d creates were acknowledged\n%s", enough, n.logged())
	}
	time.Sleep(rand.N(3 * time.Millisecond)) // about the duration of a commit
	n.kill()
	clients.Wait()
}

// create creates a collection. It reports whether the server still responds.
func (l *ledger) create(n *node, token string) bool {
	id, ok := tryMake(n, token, "/v1/orgs/"+l.org+"/collections")
	if ok {
		l.mu.Lock()
		l.created = append(l.created, id)
		l.mu.Unlock()
	}
	return ok
}

// createAndDelete creates a space and moves it to the trash, which queues a purge.
func (l *ledger) createAndDelete(n *node, token string) bool {
	id, ok := tryMake(n, token, "/v1/orgs/"+l.org+"/spaces")
	if !ok {
		return false
	}
	l.mu.Lock()
	l.asked++
	l.mu.Unlock()
	a, err := n.call(token, "DELETE", "/v1/spaces/"+id, nil)
	if err != nil || a.status/100 != 2 {
		return false
	}
	l.mu.Lock()
	l.deleted = append(l.deleted, id)
	l.mu.Unlock()
	return true
}

var idField = regexp.MustCompile(`"id":"(\w+)"`)

func tryMake(n *node, token, path string) (string, bool) {
	a, err := n.call(token, "POST", path, map[string]any{})
	if err != nil || a.status != http.StatusCreated {
		return "", false
	}
	m := idField.FindSubmatch(a.body)
	return string(m[1]), true
}

// check compares the expectations of the clients with the server.
func (l *ledger) check(t *testing.T, n *node, token string) {
	t.Helper()
	there := map[string]bool{}
	for _, c := range list[thing](t, n, token, "/v1/orgs/"+l.org+"/collections") {
		there[c.ID] = true
	}
	for _, id := range l.created {
		if !there[id] {
			t.Errorf("collection %s was acknowledged and is lost", id)
		}
	}
	// A client that was interrupted had one request in progress.
	if extra := len(there) - len(l.created); extra > creators {
		t.Errorf("%d collections are there that nobody asked for", extra-creators)
	}
	for _, s := range list[thing](t, n, token, "/v1/orgs/"+l.org+"/spaces") {
		for _, id := range l.deleted {
			if s.ID == id {
				t.Errorf("the deletion of space %s was acknowledged and is lost", id)
			}
		}
	}
}

var queuedPurges = regexp.MustCompile(`octavo_jobs\{kind="space.purge",state="queued"\} (\d+)`)

// checkPurgeQueue checks that one purge is queued for each deletion.
func checkPurgeQueue(t *testing.T, n *node, ledgers []*ledger) {
	t.Helper()
	least, most, have := 0, 0, 0
	for _, l := range ledgers {
		least, most = least+len(l.deleted), most+l.asked
	}
	a, err := n.call("", "GET", "/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := queuedPurges.FindSubmatch(a.body); m != nil {
		have, _ = strconv.Atoi(string(m[1])) // the expression matches only digits
	}
	if have < least || have > most {
		t.Errorf("%d purges are queued, want %d to %d", have, least, most)
	}
}

// checkWholeTransactions searches for incomplete transactions. The audit record and the
// job of a change must be written together with the change.
func checkWholeTransactions(t *testing.T, at place) {
	t.Helper()
	db := at.sql(t)
	for _, halves := range []struct{ what, query string }{
		{"collections without an audit record", `SELECT COUNT(*) FROM collections c WHERE NOT EXISTS (
			SELECT 1 FROM audit a WHERE a.subject_id = c.id AND a.action = 'collection.create')`},
		{"audit records without a collection", `SELECT COUNT(*) FROM audit a WHERE a.action = 'collection.create' AND NOT EXISTS (
			SELECT 1 FROM collections c WHERE c.id = a.subject_id)`},
		{"audit records without an event", `SELECT COUNT(*) FROM audit a JOIN webhooks w ON w.org_id = a.org_id AND w.id < a.id
			WHERE NOT EXISTS (SELECT 1 FROM outbox o WHERE o.id = a.id) AND NOT EXISTS (
				SELECT 1 FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.event_id = a.id)`},
		{"events that were queued twice", `SELECT COUNT(*) FROM (
			SELECT 1 FROM webhook_deliveries WHERE kind = 'event' GROUP BY webhook_id, event_id HAVING COUNT(*) > 1) AS twice`},
		{"events that were queued and kept", `SELECT COUNT(*) FROM outbox o JOIN webhook_deliveries d ON d.event_id = o.id`},
		{"trashed spaces without a purge", `SELECT COUNT(*) FROM spaces s WHERE s.deleted_at > 0 AND NOT EXISTS (
			SELECT 1 FROM jobs j WHERE j.kind = 'space.purge' AND j.key = s.id)`},
		{"purges without a trashed space", `SELECT COUNT(*) FROM jobs j WHERE j.kind = 'space.purge' AND NOT EXISTS (
			SELECT 1 FROM spaces s WHERE s.id = j.key AND s.deleted_at > 0)`},
		{"spaces without their first revision", `SELECT COUNT(*) FROM spaces s WHERE NOT EXISTS (
			SELECT 1 FROM revisions r WHERE r.id = s.revision_id)`},
		{"merged change requests without their revision", `SELECT COUNT(*) FROM change_requests c WHERE c.status = 'merged' AND NOT EXISTS (
			SELECT 1 FROM revisions r WHERE r.id = c.merged_id AND r.merged_from = c.id)`},
		{"merges of change requests that are not merged", `SELECT COUNT(*) FROM revisions r WHERE r.merged_from <> '' AND NOT EXISTS (
			SELECT 1 FROM change_requests c WHERE c.id = r.merged_from AND c.merged_id = r.id AND c.status = 'merged')`},
		{"change requests without their newest revision", `SELECT COUNT(*) FROM change_requests c WHERE NOT EXISTS (
			SELECT 1 FROM revisions r WHERE r.id = c.revision_id)`},
		{"spaces that count their change requests wrong", `SELECT COUNT(*) FROM spaces s
			WHERE s.change_requests <> (SELECT COUNT(*) FROM change_requests c WHERE c.space_id = s.id)
			OR s.change_requests_draft <> (SELECT COUNT(*) FROM change_requests c WHERE c.space_id = s.id AND c.status = 'draft')`},
	} {
		var found int
		if err := db.QueryRow(halves.query).Scan(&found); err != nil {
			t.Fatalf("%s: %v", halves.what, err)
		}
		if found > 0 {
			t.Errorf("%d %s", found, halves.what)
		}
	}
}
