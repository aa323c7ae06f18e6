package main_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	requestCrashes = 20
	// maxMerges is the maximum number of merges that are acknowledged before a kill.
	maxMerges = 8
)

// A server is killed while users edit, update and merge change requests. Acknowledged
// changes exist afterwards, and each merge happened completely or not at all.
func TestAcknowledgedMergesSurviveKill9(t *testing.T) {
	t.Parallel()
	eachKilled(t, requestCrashes, crashRequests)
}

func crashRequests(t *testing.T, at place, rounds int) {
	admin := bootstrap(t, at, "Crash")
	o := &office{crowd: crowd{token: admin.Token}, merges: map[string]string{}}
	for round := range rounds {
		n := serve(t, at)
		if round == 0 {
			o.open(t, n, string(admin.Organization))
		} else {
			o.compare(t, n)
		}
		o.workUntilKilled(t, n)
	}
	n := serve(t, at)
	o.compare(t, n)
	n.stop(t)
	t.Logf("%d kills, %d edits, %d updates and %d merges acknowledged; %d merges became durable without",
		rounds, o.edits, o.updates, len(o.merges)-o.durable, o.durable)
	if len(o.merges) < rounds || o.updates == 0 {
		t.Errorf("only %d merges and %d updates were acknowledged: the test shows nothing", len(o.merges), o.updates)
	}
	checkWholeTransactions(t, at)
	mustOctavo(t, at, "doctor", "--verify")
}

// office is a space in which several users work with change requests, each on a separate
// page. Each user therefore has the expected state of the page.
type office struct {
	crowd
	clerks []*clerk

	merges                  map[string]string // revision of the merge by change request
	edits, updates, durable int
}

// clerk is a client with its expected state.
type clerk struct {
	name, page string
	count      int
	text       string // text of the page in the space
	request    *draftRequest
	done       []*draftRequest // merged since the last comparison
	edits      int
	updates    int
	err        error
}

// draftRequest is a change request in progress.
type draftRequest struct {
	id       string
	text     string // acknowledged text of its page
	next     string // text in progress; empty if there is none
	merging  bool   // a merge is in progress
	revision string // revision of its merge
}

func (o *office) open(t *testing.T, n *node, org string) {
	t.Helper()
	o.space = n.made(t, o.token, "POST", "/v1/orgs/"+org+"/spaces", map[string]any{"title": "Crash", "editMode": "live", "empty": true})
	for i := range authors {
		c := &clerk{name: string(rune('a' + i))}
		c.text = c.word()
		var done outcome
		n.want(t, http.StatusOK, o.token, "POST", o.path("content"), map[string]any{"changes": []any{map[string]any{
			"operation": "insert_page", "ref": c.name, "title": "Desk " + c.name, "document": map[string]any{"markdown": c.text + "\n"},
		}}}, &done)
		c.page = done.ids()[c.name]
		o.clerks = append(o.clerks, c)
	}
}

func (c *clerk) word() string {
	c.count++
	return fmt.Sprintf("Text %s%d.", c.name, c.count)
}

// work performs the next steps of a change request. It reports whether the request was
// merged. An error means that the server is gone, or that it refused a request, which is
// recorded in the clerk.
func (o *office) work(n *node, c *clerk) (merged bool, err error) {
	ask := func(status int, method, path string, body, out any) error {
		a, err := n.call(o.token, method, path, body)
		if err != nil {
			return err // the outcome is unknown
		}
		if a.status != status {
			c.err = fmt.Errorf("%s %s was answered with %d: %s", method, path, a.status, a.body)
			return c.err
		}
		if out == nil {
			return nil
		}
		return json.Unmarshal(a.body, out)
	}
	if c.request == nil {
		var made thing
		if err := ask(http.StatusCreated, "POST", o.path("change-requests"), map[string]any{"subject": c.name}, &made); err != nil {
			return false, err
		}
		c.request = &draftRequest{id: made.ID, text: c.text}
	}
	r, at := c.request, o.path("change-requests", c.request.id)
	for range 1 + rand.IntN(3) {
		r.next = c.word()
		if err := ask(http.StatusOK, "POST", at+"/content", map[string]any{"changes": []any{o.write(c.page, r.next+"\n")}}, nil); err != nil {
			return false, err
		}
		r.text, r.next = r.next, ""
		c.edits++
		if rand.IntN(2) == 0 {
			var out struct{ Result string }
			if err := ask(http.StatusOK, "POST", at+"/update", nil, &out); err != nil {
				return false, err
			}
			if c.updates++; out.Result != "update" {
				c.err = fmt.Errorf("the update of %s has the result %s", r.id, out.Result)
				return false, c.err
			}
		}
	}
	r.merging = true
	var out struct{ Result, Revision string }
	if err := ask(http.StatusOK, "POST", at+"/merge", nil, &out); err != nil {
		return false, err
	}
	if out.Result != "merge" {
		c.err = fmt.Errorf("the merge of %s has the result %s", r.id, out.Result)
		return false, c.err
	}
	r.revision, c.text = out.Revision, r.text
	c.done, c.request = append(c.done, r), nil
	return true, nil
}

// workUntilKilled lets the clerks work, and kills the server shortly after it has
// acknowledged a random number of merges.
func (o *office) workUntilKilled(t *testing.T, n *node) {
	t.Helper()
	enough := 1 + rand.IntN(maxMerges)
	merged := make(chan struct{}, 1<<10)
	var clients sync.WaitGroup
	for _, c := range o.clerks {
		clients.Go(func() {
			for {
				done, err := o.work(n, c)
				if err != nil {
					return
				}
				if done {
					merged <- struct{}{}
				}
			}
		})
	}
	late := time.After(patience)
	for range enough {
		select {
		case <-merged:
		case <-late:
			n.kill()
			t.Fatalf("fewer than %d merges were acknowledged\n%s", enough, n.logged())
		}
	}
	time.Sleep(rand.N(10 * time.Millisecond)) // about the duration of a merge
	n.kill()
	clients.Wait()
}

// compare compares the expected state with the server, and finds the outcome of the
// interrupted steps.
func (o *office) compare(t *testing.T, n *node) {
	t.Helper()
	read := func(path string) string {
		var p shownPage
		n.want(t, http.StatusOK, o.token, "GET", path+"?format=markdown", nil, &p)
		_, text, _ := strings.Cut(p.Markdown, "\n\n") // after the title
		return strings.TrimSpace(text)
	}
	for _, c := range o.clerks {
		if c.err != nil {
			t.Fatal(c.err)
		}
		o.edits, o.updates, c.edits, c.updates = o.edits+c.edits, o.updates+c.updates, 0, 0
		for _, r := range c.done {
			o.merges[r.id] = r.revision
		}
		c.done = nil
		if r := c.request; r != nil {
			var is struct{ Status, RevisionMerged string }
			n.want(t, http.StatusOK, o.token, "GET", o.path("change-requests", r.id), nil, &is)
			has := read(o.path("change-requests", r.id, "content", "page", c.page))
			if has != r.text && has != r.next {
				t.Errorf("request %s has %q, acknowledged was %q, under way was %q", r.id, has, r.text, r.next)
			}
			r.text, r.next = has, ""
			switch {
			case is.Status == "merged" && r.merging:
				c.text, c.request = has, nil
				o.merges[r.id] = is.RevisionMerged
				o.durable++
			case is.Status != "draft":
				t.Errorf("request %s is %s", r.id, is.Status)
			default:
				r.merging = false
			}
		}
		if got := read(o.path("content", "page", c.page)); got != c.text {
			t.Errorf("the space has %q of %s, want %q", got, c.name, c.text)
		}
	}
	o.checkHistory(t, n)
	if t.Failed() {
		t.FailNow()
	}
}

// checkHistory requires that the history contains every merge exactly once, and no
// others.
func (o *office) checkHistory(t *testing.T, n *node) {
	t.Helper()
	found := map[string]string{}
	for _, r := range list[struct{ ID, Type, ChangeRequest string }](t, n, o.token, o.path("revisions")) {
		if r.Type != "merge" {
			continue
		}
		if found[r.ChangeRequest] != "" || o.merges[r.ChangeRequest] != r.ID {
			t.Errorf("request %s became %s, the history has %s and %s", r.ChangeRequest, o.merges[r.ChangeRequest], r.ID, found[r.ChangeRequest])
		}
		found[r.ChangeRequest] = r.ID
	}
	if len(found) != len(o.merges) {
		t.Errorf("%d merges are known, %d are in the history", len(o.merges), len(found))
	}
}
