package main_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// mayCallUs allows a node to send webhooks to the test.
const mayCallUs = "--outbound-allow=127.0.0.1"

// inbox is a receiver of webhooks. Each webhook has a separate path.
type inbox struct {
	*httptest.Server
	mu      sync.Mutex
	secrets map[string]string // by path
	came    map[string][]sent // by path, in order
	forged  int
	slow    time.Duration
}

type sent struct {
	EventID string
	Type    string
	Subject struct{ ID string }
}

func newInbox(t testing.TB) *inbox {
	t.Helper()
	in := &inbox{secrets: map[string]string{}, came: map[string][]sent{}}
	in.Server = httptest.NewServer(in)
	t.Cleanup(in.Close)
	return in
}

func (in *inbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var s sent
	if err != nil || json.Unmarshal(body, &s) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	stamp, mac, _ := strings.Cut(r.Header.Get("X-GitBook-Signature"), ",")
	in.mu.Lock()
	h := hmac.New(sha256.New, []byte(in.secrets[r.URL.Path]))
	fmt.Fprintf(h, "%s.%s", strings.TrimPrefix(stamp, "t="), body)
	if mac != "v1="+hex.EncodeToString(h.Sum(nil)) {
		in.forged++
	}
	in.came[r.URL.Path] = append(in.came[r.URL.Path], s)
	slow := in.slow
	in.mu.Unlock()
	time.Sleep(rand.N(slow + 1)) // a kill before the delivery is recorded causes a second delivery
	w.WriteHeader(http.StatusNoContent)
}

func (in *inbox) count(path string) int {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.came[path])
}

// hook creates an organization with a webhook that sends every event to the inbox.
func (in *inbox) hook(t testing.TB, n *node, token, path string) (org, id string) {
	t.Helper()
	org = n.made(t, token, "POST", "/v1/orgs", map[string]any{"title": path})
	in.mu.Lock()
	secret := "the-secret-of-hook-" + path[1:]
	in.secrets[path] = secret
	in.mu.Unlock()
	return org, n.made(t, token, "POST", "/v1/orgs/"+org+"/webhooks", map[string]any{"url": in.URL + path, "secret": secret})
}

// quiet are the lines of the metrics when everything is delivered.
var quiet = []string{"\noctavo_events_waiting 0\n", "\noctavo_webhook_deliveries_pending 0\n"}

// awaitQuiet waits until everything is delivered. After a kill this takes as long as a
// lease, so the polling interval increases.
func awaitQuiet(t testing.TB, n *node) {
	t.Helper()
	pause := 10 * time.Millisecond
	for end := time.Now().Add(patience); ; time.Sleep(pause) {
		pause = min(2*pause, time.Second)
		a, err := n.call("", "GET", "/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		waiting := slices.ContainsFunc(quiet, func(line string) bool { return !strings.Contains(string(a.body), line) })
		if !waiting {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("events still wait\n%s", n.logged())
		}
	}
}

// check compares the received events with the audit log. All events since the creation of
// the webhook must have arrived, in order for each subject. It returns the number of
// events and of duplicates.
func (in *inbox) check(t testing.TB, n *node, token, org, hook, path string) (events, twice int) {
	t.Helper()
	in.mu.Lock()
	defer in.mu.Unlock()
	type entry struct {
		ID, Action string
		Subject    struct{ ID string }
	}
	log := list[entry](t, n, token, "/v1/orgs/"+org+"/audit")
	place := map[string]int{}
	for i := range log {
		place[log[i].ID] = len(log) - i // newest first
	}
	seen := map[string]bool{}
	last := map[string]int{} // position of the last event that came for the first time, by subject
	for _, s := range in.came[path] {
		if place[s.EventID] == 0 {
			t.Errorf("%s: event %s %s is not of this organization", path, s.EventID, s.Type)
		}
		if seen[s.EventID] {
			twice++
			continue
		}
		seen[s.EventID] = true
		if place[s.EventID] < last[s.Subject.ID] {
			t.Errorf("%s: %s of %s came after a later event", path, s.Type, s.Subject.ID)
		}
		last[s.Subject.ID] = place[s.EventID]
	}
	for _, e := range log {
		if !seen[e.ID] {
			t.Errorf("%s: %s of %s was never delivered", path, e.Action, e.Subject.ID)
		}
		if e.Action == "webhook.create" && e.Subject.ID == hook {
			break // older events happened before the webhook existed
		}
	}
	if in.forged > 0 {
		t.Errorf("%d signatures are wrong", in.forged)
	}
	return len(seen), twice
}

func TestWebhooksSurviveKill9(t *testing.T) {
	t.Parallel()
	eachKilled(t, 12, killWhileDelivering)
}

func killWhileDelivering(t *testing.T, at place, rounds int) {
	in := newInbox(t)
	in.slow = 30 * time.Millisecond
	token := bootstrap(t, at, "Crash").Token
	type made struct{ org, hook, path string }
	var all []made
	for round := range rounds {
		n := serve(t, at, mayCallUs)
		m := made{path: fmt.Sprint("/round-", round)}
		m.org, m.hook = in.hook(t, n, token, m.path)
		all = append(all, m)
		var clients sync.WaitGroup
		stop := make(chan struct{})
		for range 3 {
			clients.Go(func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(rand.N(40 * time.Millisecond)):
					}
					id, ok := tryMake(n, token, "/v1/orgs/"+m.org+"/collections")
					if !ok {
						return
					}
					if _, err := n.call(token, "PATCH", "/v1/collections/"+id, map[string]any{"title": "Changed"}); err != nil {
						return
					}
				}
			})
		}
		enough := 1 + rand.IntN(40)
		for end := time.Now().Add(patience); in.count(m.path) < enough; time.Sleep(time.Millisecond) {
			if time.Now().After(end) {
				close(stop)
				t.Fatalf("only %d events came\n%s", in.count(m.path), n.logged())
			}
		}
		time.Sleep(rand.N(10 * time.Millisecond))
		n.kill()
		close(stop)
		clients.Wait()
	}
	n := serve(t, at, mayCallUs)
	awaitQuiet(t, n)
	events, twice := 0, 0
	for _, m := range all {
		e, d := in.check(t, n, token, m.org, m.hook, m.path)
		events, twice = events+e, twice+d
	}
	t.Logf("%d kills, %d events, %d came twice", rounds, events, twice)
	if log := n.logged(); strings.Contains(log, "the-secret-of") {
		t.Error("the log holds a secret")
	}
	n.stop(t)
	checkWholeTransactions(t, at)
}

// With two nodes on one database, each event is sent by one of them. If one node is gone,
// the other sends the events.
func TestNodesDeliverOnce(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		in := newInbox(t)
		in.slow = 5 * time.Millisecond
		token := bootstrap(t, at, "Nodes").Token
		nodes := pair(t, at, mayCallUs)
		const hooks, changes = 3, 40
		var orgs, ids [hooks]string
		for i := range hooks {
			orgs[i], ids[i] = in.hook(t, nodes[i%2], token, fmt.Sprint("/", i))
		}
		work := func(nodes ...*node) {
			for i := range changes {
				n, org := nodes[i%len(nodes)], orgs[i%hooks]
				id := n.made(t, token, "POST", "/v1/orgs/"+org+"/collections", map[string]any{})
				nodes[(i+1)%len(nodes)].want(t, http.StatusOK, token, "PATCH", "/v1/collections/"+id, map[string]any{"title": "Changed"}, nil)
			}
		}
		check := func(n *node) (twice int) {
			awaitQuiet(t, n)
			for i := range hooks {
				_, d := in.check(t, n, token, orgs[i], ids[i], fmt.Sprint("/", i))
				twice += d
			}
			return twice
		}
		work(nodes[0], nodes[1])
		if twice := check(nodes[0]); twice > 0 {
			t.Errorf("%d events came twice although nothing went wrong", twice)
		}
		// One node is killed while both deliver.
		work(nodes[0], nodes[1])
		nodes[0].kill()
		work(nodes[1])
		t.Logf("%d events came twice because of the kill", check(nodes[1]))
		nodes[1].stop(t)
		checkWholeTransactions(t, at)
	})
}
