package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// tenant is the second organization, which continuously reads and edits a page.
type tenant struct {
	s           *servers // nil in the tenant process, which uses address
	address     string
	token       string
	space, page string

	stop context.CancelFunc
	done sync.WaitGroup

	mu            sync.Mutex
	reads, writes []time.Duration
	failed        int
	failure       string
}

// observed holds the latencies and failures that a tenant measured.
type observed struct {
	Reads, Writes, Slowest time.Duration // p99 of reads, p99 of writes, maximum of both
	Readings, Edits        int
	Failed                 int
	Failure                string
}

func newTenant(ctx context.Context, s *servers) (*tenant, error) {
	t := &tenant{s: s}
	a := &attacker{s: s}
	if err := a.sign(ctx, "Tenant"); err != nil {
		return nil, err
	}
	var err error
	if t.space, err = a.space(ctx); err != nil {
		return nil, err
	}
	if t.page, err = a.insert(ctx, t.space, "Home", "Text."); err != nil {
		return nil, err
	}
	t.token = a.token
	return t, nil
}

// begin starts the requests of the tenant, which run until end.
func (t *tenant) begin(ctx context.Context) {
	ctx, t.stop = context.WithCancel(ctx)
	t.mu.Lock()
	t.reads, t.writes, t.failed = nil, nil, 0
	t.mu.Unlock()
	t.every(ctx, 10*time.Millisecond, func(int) error {
		return t.ask(ctx, http.MethodGet, "/v1/spaces/"+t.space+"/content/page/"+t.page, "", &t.reads)
	})
	t.every(ctx, 50*time.Millisecond, func(i int) error {
		body := fmt.Sprintf(`{"changes":[{"operation":"update_page","page":%q,"document":{"markdown":"# Home\n\nText %d."}}]}`, t.page, i)
		return t.ask(ctx, http.MethodPost, "/v1/spaces/"+t.space+"/content", body, &t.writes)
	})
}

// at returns the address of the tenant's server. It is another node than the attacker's, if
// there is more than one.
func (t *tenant) at() string {
	if t.s == nil {
		return t.address
	}
	return t.s.nodes[len(t.s.nodes)-1].address
}

// every calls fn repeatedly in a goroutine, with a pause after each call.
func (t *tenant) every(ctx context.Context, pause time.Duration, fn func(i int) error) {
	t.done.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if err := fn(i); err != nil && ctx.Err() == nil {
				t.mu.Lock()
				t.failed++
				t.failure = err.Error()
				t.mu.Unlock()
			}
			select {
			case <-ctx.Done():
			case <-time.After(pause):
			}
		}
	})
}

func (t *tenant) ask(ctx context.Context, method, path, body string, into *[]time.Duration) error {
	began := time.Now()
	status, b, err := ask(ctx, t.at(), t.token, method, path, strings.NewReader(body))
	took := time.Since(began)
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("%s %s: %d %.200s", method, path, status, b)
	}
	if err == nil {
		t.mu.Lock()
		*into = append(*into, took)
		t.mu.Unlock()
	}
	return err
}

// end stops the tenant and returns its measurements since begin. It waits for requests in
// progress, because one of them may be the slowest.
func (t *tenant) end() observed {
	time.AfterFunc(30*time.Second, t.stop)
	t.mu.Lock()
	waiting := len(t.writes)
	t.mu.Unlock()
	for range 1000 {
		t.mu.Lock()
		more := len(t.writes) > waiting+1
		t.mu.Unlock()
		if more {
			break
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.stop()
	t.done.Wait()
	slices.Sort(t.reads)
	slices.Sort(t.writes)
	o := observed{Reads: at99(t.reads), Writes: at99(t.writes), Readings: len(t.reads), Edits: len(t.writes), Failed: t.failed, Failure: t.failure}
	for _, list := range [][]time.Duration{t.reads, t.writes} {
		if len(list) > 0 {
			o.Slowest = max(o.Slowest, list[len(list)-1])
		}
	}
	return o
}

func at99(sorted []time.Duration) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[(len(sorted)-1)*99/100]
}

// attacker is an ordinary account with an organization of its own.
type attacker struct {
	s          *servers
	org, token string
	at         map[string]string // IDs of the objects that prepare created, by kind
	more       []string
	neighbor   *attacker // another organization that is measured; nil if there is none
}

func (a *attacker) sign(ctx context.Context, title string) (err error) {
	a.at = map[string]string{}
	a.org, a.token, err = a.s.bootstrap(ctx, title)
	return err
}

// send returns the status and the body of a request to the first node.
func (a *attacker) send(ctx context.Context, method, path, body string) (int, []byte, error) {
	return ask(ctx, a.s.nodes[0].address, a.token, method, path, strings.NewReader(body))
}

// must is send for requests that must succeed. It sends body as JSON and decodes the
// response into into.
func (a *attacker) must(ctx context.Context, method, path string, body, into any) error {
	b, err := json.Marshal(body)
	if err != nil {
		return err
	}
	status, answer, err := a.send(ctx, method, path, string(b))
	if err == nil && status/100 != 2 {
		err = fmt.Errorf("%s %s: %d %.300s", method, path, status, answer)
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer, into)
}

// space creates a space with live edits.
func (a *attacker) space(ctx context.Context) (string, error) {
	var made struct{ ID string }
	err := a.must(ctx, http.MethodPost, "/v1/orgs/"+a.org+"/spaces", map[string]any{"title": "Space", "editMode": "live", "empty": true}, &made)
	return made.ID, err
}

// insert creates a page and returns its ID.
func (a *attacker) insert(ctx context.Context, space, title, text string) (string, error) {
	changes := []any{map[string]any{"operation": "insert_page", "title": title, "document": map[string]any{"markdown": "# " + title + "\n\n" + text + "\n"}}}
	var out struct {
		Changes []struct{ Page struct{ ID string } }
	}
	if err := a.must(ctx, http.MethodPost, "/v1/spaces/"+space+"/content", map[string]any{"changes": changes}, &out); err != nil {
		return "", err
	}
	return out.Changes[0].Page.ID, nil
}
