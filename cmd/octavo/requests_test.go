package main_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Number of users and of change requests in one space.
const (
	people        = 16
	requests      = 400
	requestsShort = 64
	// rounds is the maximum number of times that a user updates a change request whose
	// merge has conflicts, before giving up.
	rounds = 3
)

// Several users edit and merge change requests of one space concurrently. Each merge is
// in the history exactly once, or its response was an error or conflicts. The content
// equals the result of merging sequentially in the order of the history.
func TestChangeRequestsAtOnce(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		admin := bootstrap(t, at, "Crowd")
		if at.database == "" {
			crowded(t, at, admin.Token, string(admin.Organization), serve(t, at))
			return
		}
		nodes := pair(t, at)
		crowded(t, at, admin.Token, string(admin.Organization), nodes[:]...)
	})
}

func crowded(t *testing.T, at place, token, org string, nodes ...*node) {
	count := requests
	if testing.Short() {
		count = requestsShort
	}
	c := &crowd{token: token}
	c.open(t, nodes[0], org, count)
	all := make([]*proposal, count)
	var wg sync.WaitGroup
	for who := range people {
		wg.Go(func() {
			for i := who; i < count; i += people {
				all[i] = c.propose(nodes[who%len(nodes)], who, i)
			}
		})
	}
	wg.Wait()
	outcomes := map[string]int{}
	for i, p := range all {
		if p.err != nil {
			t.Fatalf("request %d: %v", i, p.err)
		}
		outcomes[p.outcome]++
	}
	t.Logf("of %d requests: %v", count, outcomes)
	if outcomes["merge"] < count*3/4 {
		t.Errorf("only %d of %d were merged: the test shows little", outcomes["merge"], count)
	}
	for _, n := range nodes {
		c.check(t, n, all)
	}
	for _, n := range nodes {
		n.stop(t)
	}
	checkWholeTransactions(t, at)
	mustOctavo(t, at, "doctor", "--verify")
}

// crowd is a space with a page for every second change request, and one common page. The
// common page has a paragraph for each user, and one that all of them change.
type crowd struct {
	token, space string
	sheets       []string // pages that are changed by a single request
	common       string
	text         board // initial text of the common page
}

// board is the text of the common page: a shared paragraph, then one for each user.
type board [people + 1]string

func (b board) String() string { return strings.Join(b[:], "\n\n") + "\n" }

func (c *crowd) path(parts ...string) string {
	return "/v1/spaces/" + c.space + "/" + strings.Join(parts, "/")
}

func (c *crowd) open(t *testing.T, n *node, org string, count int) {
	t.Helper()
	c.space = n.made(t, c.token, "POST", "/v1/orgs/"+org+"/spaces", map[string]any{"title": "Crowd", "editMode": "live", "empty": true})
	insert := func(titles ...string) (ids []string) {
		var changes []map[string]any
		for _, title := range titles {
			changes = append(changes, map[string]any{
				"operation": "insert_page", "ref": title, "title": title, "document": map[string]any{"markdown": "Nothing yet.\n"},
			})
		}
		var done outcome
		n.want(t, http.StatusOK, c.token, "POST", c.path("content"), map[string]any{"changes": changes}, &done)
		for _, title := range titles {
			ids = append(ids, done.ids()[title])
		}
		return ids
	}
	for len(c.sheets) < count/2 {
		var titles []string
		for i := range min(50, count/2-len(c.sheets)) {
			titles = append(titles, fmt.Sprint("Sheet ", len(c.sheets)+i))
		}
		c.sheets = append(c.sheets, insert(titles...)...)
	}
	c.common = insert("Common")[0]
	for i := range c.text {
		c.text[i] = fmt.Sprintf("Paragraph %d.", i)
	}
	n.want(t, http.StatusOK, c.token, "POST", c.path("content"), map[string]any{"changes": []any{c.write(c.common, c.text.String())}}, nil)
}

func (c *crowd) write(page, markdown string) map[string]any {
	return map[string]any{"operation": "update_page", "page": page, "document": map[string]any{"markdown": markdown}}
}

// proposal is a change request with its changes and its outcome.
type proposal struct {
	id, revision string
	sheet        string         // page that only this request changes; if empty, it inserts a page
	title        string         // title of the inserted page
	text         string         // text of the changed or inserted page
	board        map[int]string // changed paragraphs of the common page
	outcome      string         // merge, conflicts, or a status
	err          error
}

// propose runs a change request from its creation to its merge. The changes of the common
// page alternate, so that a few conflict and most do not.
func (c *crowd) propose(n *node, who, i int) *proposal {
	p := &proposal{text: fmt.Sprintf("Written by request %d.", i), board: map[int]string{}}
	var made struct {
		ID     string
		Number int
	}
	if p.err = c.ask(n, http.StatusCreated, "POST", c.path("change-requests"), map[string]any{"subject": fmt.Sprint("Request ", i)}, &made); p.err != nil {
		return p
	}
	p.id = made.ID
	change := map[string]any{"operation": "insert_page", "title": fmt.Sprint("Request ", i), "document": map[string]any{"markdown": p.text + "\n"}}
	if p.title = fmt.Sprint("Request ", i); i%2 == 0 {
		p.sheet, p.title = c.sheets[i/2], ""
		change = c.write(p.sheet, p.text+"\n")
	}
	at := c.path("change-requests", p.id)
	if p.err = c.ask(n, http.StatusOK, "POST", at+"/content", map[string]any{"changes": []any{change}}, nil); p.err != nil {
		return p
	}
	if i%3 == 0 {
		p.board[1+who] = fmt.Sprintf("Paragraph of %d by request %d.", who, i)
	}
	if i%12 == 0 {
		p.board[0] = fmt.Sprintf("Paragraph of everybody by request %d.", i)
	}
	if len(p.board) > 0 {
		if p.err = c.paint(n, at, p); p.err != nil {
			return p
		}
	}
	for range rounds {
		if p.err = c.merge(n, at, p); p.err != nil || p.outcome != "conflicts" {
			return p
		}
		if i%24 == 0 { // given up
			return p
		}
		if p.err = c.update(n, at, p, i%36 == 0); p.err != nil {
			return p
		}
	}
	return p
}

// paint changes paragraphs of the common page in the request.
func (c *crowd) paint(n *node, at string, p *proposal) error {
	var page shownPage
	if err := c.ask(n, http.StatusOK, "GET", at+"/content/page/"+c.common+"?format=markdown", nil, &page); err != nil {
		return err
	}
	paragraphs := strings.Split(strings.TrimSpace(strings.TrimPrefix(page.Markdown, "# Common\n")), "\n\n")
	if len(paragraphs) != len(c.text) {
		return fmt.Errorf("the common page is %q", page.Markdown)
	}
	for k, text := range p.board {
		paragraphs[k] = text
	}
	return c.ask(n, http.StatusOK, "POST", at+"/content", map[string]any{"changes": []any{c.write(c.common, strings.Join(paragraphs, "\n\n")+"\n")}}, nil)
}

// merge merges a request and records the outcome.
func (c *crowd) merge(n *node, at string, p *proposal) error {
	a, err := n.call(c.token, "POST", at+"/merge", nil)
	if err != nil {
		return err
	}
	if a.status >= 500 {
		return fmt.Errorf("the merge was answered with %d: %s", a.status, a.body)
	}
	if a.status != http.StatusOK {
		p.outcome = fmt.Sprint(a.status)
		return nil
	}
	var done struct{ Revision, Result string }
	err = json.Unmarshal(a.body, &done)
	p.outcome, p.revision = done.Result, done.Revision
	return err
}

// update brings a request up to date and resolves its conflicts.
func (c *crowd) update(n *node, at string, p *proposal, takeMain bool) error {
	if err := c.ask(n, http.StatusOK, "POST", at+"/update", nil, nil); err != nil {
		return err
	}
	var open struct{ Items []thing }
	if err := c.ask(n, http.StatusOK, "GET", at+"/conflicts", nil, &open); err != nil {
		return err
	}
	how := "mine"
	if takeMain && len(open.Items) > 0 {
		how = "main"
		delete(p.board, 0) // only this paragraph can have conflicts
	}
	for _, conflict := range open.Items {
		if err := c.ask(n, http.StatusOK, "POST", at+"/conflicts/"+conflict.ID, map[string]any{"resolution": how}, nil); err != nil {
			return err
		}
	}
	return nil
}

// ask is like want, but can be called outside of the goroutine of the test.
func (c *crowd) ask(n *node, status int, method, path string, body, out any) error {
	a, err := n.call(c.token, method, path, body)
	switch {
	case err != nil:
		return err
	case a.status != status:
		return fmt.Errorf("%s %s: status %d, want %d\n%s", method, path, a.status, status, a.body)
	case out == nil:
		return nil
	}
	return json.Unmarshal(a.body, out)
}

// check compares the history with the responses, and the content with the result of
// sequential merges.
func (c *crowd) check(t *testing.T, n *node, all []*proposal) {
	t.Helper()
	byID := map[string]*proposal{}
	for _, p := range all {
		byID[p.id] = p
	}
	history := list[struct{ ID, Type, ChangeRequest string }](t, n, c.token, c.path("revisions"))
	texts, board, inserted := map[string]string{}, c.text, map[string]string{}
	merged := map[string]bool{}
	for _, r := range slices.Backward(history) {
		if r.Type != "merge" {
			continue
		}
		p := byID[r.ChangeRequest]
		switch {
		case p == nil || merged[r.ChangeRequest]:
			t.Fatalf("the merge %s of %s is not one that was asked for once", r.ID, r.ChangeRequest)
		case p.outcome != "merge" || p.revision != r.ID:
			t.Fatalf("the history has %s, the merge was answered with %s %s", r.ID, p.outcome, p.revision)
		}
		merged[r.ChangeRequest] = true
		if p.sheet != "" {
			texts[p.sheet] = p.text
		} else {
			inserted[p.title] = p.text
		}
		for k, text := range p.board {
			board[k] = text
		}
	}
	for _, p := range all {
		if p.outcome == "merge" && !merged[p.id] {
			t.Errorf("the merge of %s was acknowledged and is not in the history", p.id)
		}
	}
	var done struct{ Count int }
	n.want(t, http.StatusOK, c.token, "GET", c.path("change-requests")+"?status=merged&limit=0", nil, &done)
	if done.Count != len(merged) {
		t.Errorf("%d requests are merged, %d are in the history", done.Count, len(merged))
	}
	var tree struct{ Pages []shownPage }
	n.want(t, http.StatusOK, c.token, "GET", c.path("content/pages"), nil, &tree)
	if want := len(c.sheets) + 1 + len(inserted); len(tree.Pages) != want {
		t.Errorf("%d pages, want %d", len(tree.Pages), want)
	}
	sheets := map[string]bool{}
	for _, id := range c.sheets {
		sheets[id] = true
	}
	for _, page := range tree.Pages {
		want := "Nothing yet."
		switch {
		case page.ID == c.common:
			want = strings.TrimSpace(board.String())
		case sheets[page.ID] && texts[page.ID] != "":
			want = texts[page.ID]
		case !sheets[page.ID]:
			want = inserted[page.Title]
			delete(inserted, page.Title)
		}
		var got shownPage
		n.want(t, http.StatusOK, c.token, "GET", c.path("content", "page", page.ID)+"?format=markdown", nil, &got)
		if got.Markdown != "# "+page.Title+"\n\n"+want+"\n" {
			t.Errorf("page %s is\n%s\nwant\n%s", page.Title, got.Markdown, want)
		}
	}
	if len(inserted) > 0 {
		t.Errorf("%d pages that were merged are missing", len(inserted))
	}
}

// An operator can restrict the creation of organizations to the command line.
func TestAccountsMakeOrganizationsUnlessTheOperatorForbidsIt(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	b := bootstrap(t, at, "Acme")
	body := map[string]any{"title": "Mine"}
	n := serve(t, at, "--no-create-organizations")
	n.want(t, http.StatusForbidden, b.Token, "POST", "/v1/orgs", body, nil)
	n.stop(t)
	bootstrap(t, at, "By the operator")
	n = serve(t, at)
	n.want(t, http.StatusCreated, b.Token, "POST", "/v1/orgs", body, nil)
}
