package main_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// publicAddress is the prefix of links to the server itself. It must be the same for
// every start of the server and for doctor, although the ports differ.
const publicAddress = "https://docs.octavo.example"

const (
	authors = 3
	// copyEvery is the number of kills after which the authors continue in a copy of
	// their space. A copy shares content and index with the original. After many copies
	// of copies, the server merges their layers.
	copyEvery = 5
	// maxBatches is the maximum number of batches that are acknowledged before a kill.
	maxBatches = 30
	// fullSection is the maximum number of pages of an author.
	fullSection = 20
)

func TestAcknowledgedRevisionsSurviveKill9(t *testing.T) {
	t.Parallel()
	eachKilled(t, crashes, crashContent)
}

func crashContent(t *testing.T, at place, rounds int) {
	admin := bootstrap(t, at, "Crash")
	d := &desk{token: admin.Token}
	for round := range rounds {
		n := serve(t, at, "--base-url="+publicAddress)
		switch {
		case round == 0:
			d.open(t, n, string(admin.Organization))
		default:
			d.compare(t, n)
			if round%copyEvery == 0 {
				d.continueInACopy(t, n)
			}
		}
		d.writeUntilKilled(t, n)
	}
	n := serve(t, at, "--base-url="+publicAddress)
	d.compare(t, n)
	d.checkSearch(t, n)
	n.stop(t)
	t.Logf("%d kills, %d batches acknowledged; %d more were cut off, %d of them after they had become durable",
		rounds, d.acknowledged, d.cutOff, d.durable)
	if d.acknowledged < rounds {
		t.Errorf("only %d batches were acknowledged: the test shows nothing", d.acknowledged)
	}
	checkWholeTransactions(t, at)
	out := mustOctavo(t, at, "doctor", "--verify", "--base-url="+publicAddress)
	if !strings.Contains(out, "agree with their content") {
		t.Errorf("doctor compared nothing:\n%s", out)
	}
}

// importPages makes an import long enough to be killed at any point.
const importPages = 300

// An import is a single revision, no matter how long it takes. An import that is killed
// has changed nothing or everything.
func TestKilledImportChangesNothingOrEverything(t *testing.T) {
	t.Parallel()
	rounds := crashes / 4
	if testing.Short() {
		rounds = crashesShort
	}
	l := openLibrary(t, sqlitePlace(t))
	var dirs []string
	for _, word := range []string{"ebb", "flood"} {
		dir := handbook(t)
		grow(t, dir, importPages, word)
		dirs = append(dirs, dir)
	}
	began := time.Now()
	l.importFrom(t, dirs[1])
	took := time.Since(began)
	is, killed := 1, 0
	for round := range rounds {
		before := l.head(t)
		next := (is + 1) % 2
		cmd := exec.Command(binary, append([]string{"import", "--space=" + l.space, dirs[next]}, l.at.flags()...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		// The kills are spread over the duration of an import; the last ones come when
		// most imports have ended.
		after := took * time.Duration(round+1) / time.Duration(rounds+1)
		timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() }) // fails if the process has already ended
		err := cmd.Wait()
		timer.Stop()
		if err != nil {
			killed++
		}
		if l.head(t) != before {
			is = next
		} else if err == nil {
			t.Errorf("round %d: an import reported success and changed nothing", round)
		}
		wantSame(t, dirs[is], l.take(t))
	}
	t.Logf("%d of %d imports were killed", killed, rounds)
	if killed == 0 {
		t.Error("no import was killed: the test shows nothing")
	}
	l.verify(t)
	l.n.stop(t)
}

// desk is a space in which several authors write, each in a separate section. Each author
// therefore has the expected state of the section.
type desk struct {
	token   string
	space   string
	head    string // at the last comparison
	authors []*author

	acknowledged, cutOff, durable int
}

// author is a client with its expected state.
type author struct {
	name  string
	root  *sheet // after the last acknowledged batch
	next  *sheet // after the batch in progress; nil if there is none
	kept  []keptRevision
	count int
	err   error // set if a batch was refused
}

// keptRevision is an acknowledged revision.
type keptRevision struct {
	id    string
	root  *sheet
	marks map[string]string // page -> text that the batch wrote
	file  string
}

// sheet is the expected state of a page.
type sheet struct {
	id    string // empty until the response arrives
	ref   string // reference within the batch in progress
	title string
	mark  string // a word that the last write added to the text
	below []*sheet
}

func (s *sheet) copy() *sheet {
	c := *s
	c.below = nil
	for _, b := range s.below {
		c.below = append(c.below, b.copy())
	}
	return &c
}

// all returns a sheet and its descendants.
func (s *sheet) all() []*sheet {
	out := []*sheet{s}
	for _, b := range s.below {
		out = append(out, b.all()...)
	}
	return out
}

func (s *sheet) name() string {
	if s.id != "" {
		return s.id
	}
	return s.ref
}

func (s *sheet) detach(c *sheet) bool {
	if i := slices.Index(s.below, c); i >= 0 {
		s.below = slices.Delete(s.below, i, i+1)
		return true
	}
	return slices.ContainsFunc(s.below, func(b *sheet) bool { return b.detach(c) })
}

func (s *sheet) attach(c *sheet, at int) { s.below = slices.Insert(s.below, at, c) }

// shownPage is a page in a response.
type shownPage struct {
	ID       string
	Title    string
	Markdown string
	Pages    []shownPage
}

// is reports whether a page and all its descendants match the expected state. An unknown
// ID matches any ID, and a text that was not requested matches any text.
func (p shownPage) is(s *sheet) bool {
	if p.Title != s.title || s.id != "" && p.ID != s.id || len(p.Pages) != len(s.below) {
		return false
	}
	if p.Markdown != "" && !strings.Contains(p.Markdown, s.mark) {
		return false
	}
	for i, b := range s.below {
		if !p.Pages[i].is(b) {
			return false
		}
	}
	return true
}

// adopt sets the IDs from a page of a response.
func (s *sheet) adopt(p shownPage) {
	s.id = p.ID
	for i, b := range s.below {
		b.adopt(p.Pages[i])
	}
}

func (d *desk) path(parts ...string) string {
	return "/v1/spaces/" + d.space + "/" + strings.Join(parts, "/")
}

// open creates the space and a section for every author.
func (d *desk) open(t *testing.T, n *node, org string) {
	t.Helper()
	d.space = n.made(t, d.token, "POST", "/v1/orgs/"+org+"/spaces", map[string]any{"title": "Crash", "editMode": "live"})
	var changes []map[string]any
	for i := range authors {
		a := &author{name: string(rune('a' + i))}
		a.root = &sheet{title: "Section " + a.name, ref: "section-" + a.name, mark: a.word()}
		d.authors = append(d.authors, a)
		changes = append(changes, map[string]any{
			"operation": "insert_page", "ref": a.root.ref, "title": a.root.title, "document": map[string]any{"markdown": a.root.mark + "\n"},
		})
	}
	var done outcome
	n.want(t, http.StatusOK, d.token, "POST", d.path("content"), map[string]any{"changes": changes}, &done)
	for _, a := range d.authors {
		a.root.id = done.ids()[a.root.ref]
	}
	d.head = done.Revision
}

func (d *desk) continueInACopy(t *testing.T, n *node) {
	t.Helper()
	var copied struct{ ID, Revision string }
	n.want(t, http.StatusCreated, d.token, "POST", d.path("duplicate"), map[string]any{}, &copied)
	n.want(t, http.StatusOK, d.token, "PATCH", "/v1/spaces/"+copied.ID, map[string]any{"editMode": "live"}, nil)
	d.space, d.head = copied.ID, copied.Revision
	if unknown := d.checkHead(t, n); unknown != 0 {
		t.Errorf("the copy has %d batches that the original had not", unknown)
	}
}

// outcome is the response to a batch.
type outcome struct {
	Revision string
	Changes  []struct {
		Ref  string
		Page json.RawMessage // an object; only the ID if the page was deleted
	}
	InsertedFiles []thing
}

// ids returns the IDs of inserted pages by their reference in the batch.
func (o outcome) ids() map[string]string {
	out := map[string]string{}
	for _, c := range o.Changes {
		var p thing
		if c.Ref != "" && json.Unmarshal(c.Page, &p) == nil {
			out[c.Ref] = p.ID
		}
	}
	return out
}

// batch is a list of changes that is being composed.
type batch struct {
	a       *author
	root    *sheet // the state after the changes
	changes []map[string]any
	written map[*sheet]bool
}

// compose returns a batch of random changes. The first one always changes the section
// itself, so that every batch changes something.
func (a *author) compose(space string) *batch {
	b := &batch{a: a, root: a.root.copy(), written: map[*sheet]bool{}}
	b.update(b.root, space)
	for range rand.IntN(7) {
		all := b.root.all()
		some := all[rand.IntN(len(all))]
		switch what := rand.IntN(10); {
		case len(all) >= fullSection && some != b.root:
			b.remove(some)
		case what < 4 || len(all) < 4:
			b.insert(some, space)
		case some == b.root:
		case what < 6:
			b.update(some, space)
		case what < 9:
			b.move(some, all[rand.IntN(len(all))])
		default:
			b.remove(some)
		}
	}
	if rand.IntN(10) == 0 {
		b.changes = append(b.changes, map[string]any{"operation": "insert_files", "files": []any{map[string]any{
			"name": b.root.mark + ".txt", "contentType": "text/plain", "base64": base64.StdEncoding.EncodeToString([]byte(b.root.mark)),
		}}})
	}
	return b
}

// word returns a unique word of letters. No such word is a prefix of another.
func (a *author) word() string {
	a.count++
	return "zq" + a.name + strings.Map(func(r rune) rune { return 'a' + r - '0' }, fmt.Sprintf("%05d", a.count))
}

// text returns the content of a page: a unique word, and links within the section, to the
// space and to an external address.
func (b *batch) text(s *sheet, space string) map[string]any {
	s.mark = b.a.word()
	b.written[s] = true
	all := b.root.all()
	other := all[rand.IntN(len(all))]
	return map[string]any{"markdown": fmt.Sprintf("Text with %s and [a page](/pages/%s).\n\n## Further\n\nSee [the space](%s/s/%s) or <https://example.com/%s>.\n",
		s.mark, other.name(), publicAddress, space, s.mark)}
}

func (b *batch) insert(into *sheet, space string) {
	word := b.a.word()
	s := &sheet{ref: "new-" + word, title: "Page " + word}
	at := rand.IntN(len(into.below) + 1)
	b.changes = append(b.changes, map[string]any{
		"operation": "insert_page", "into": into.name(), "at": at, "ref": s.ref, "title": s.title, "document": b.text(s, space),
	})
	into.attach(s, at)
}

func (b *batch) update(s *sheet, space string) {
	c := map[string]any{"operation": "update_page", "page": s.name(), "document": b.text(s, space)}
	if s != b.root && rand.IntN(3) == 0 {
		s.title = "Renamed " + s.mark
		c["title"] = s.title
	}
	b.changes = append(b.changes, c)
}

func (b *batch) move(s, into *sheet) {
	if slices.Contains(s.all(), into) {
		return
	}
	b.root.detach(s)
	at := rand.IntN(len(into.below) + 1)
	into.attach(s, at)
	b.changes = append(b.changes, map[string]any{"operation": "update_page", "page": s.name(), "into": into.name(), "at": at})
}

func (b *batch) remove(s *sheet) {
	b.root.detach(s)
	b.changes = append(b.changes, map[string]any{"operation": "delete_page", "page": s.name()})
}

// write sends a batch. It reports whether the server responded as expected.
func (d *desk) write(n *node, a *author) bool {
	b := a.compose(d.space)
	a.next = b.root
	got, err := n.call(d.token, "POST", d.path("content"), map[string]any{"changes": b.changes})
	for err == nil && got.status == http.StatusConflict { // on a slow machine the other authors were always faster; nothing was changed
		got, err = n.call(d.token, "POST", d.path("content"), map[string]any{"changes": b.changes})
	}
	if err != nil {
		return false // the outcome is unknown
	}
	var done outcome
	if err := json.Unmarshal(got.body, &done); err != nil || got.status != http.StatusOK {
		sent, _ := json.Marshal(b.changes)
		a.err = fmt.Errorf("a batch was refused with status %d: %s\nit was %s", got.status, got.body, sent)
		return false
	}
	ids := done.ids()
	k := keptRevision{id: done.Revision, root: b.root, marks: map[string]string{}}
	for _, s := range b.root.all() {
		if s.id == "" {
			s.id = ids[s.ref]
		}
		if b.written[s] {
			k.marks[s.id] = s.mark
		}
	}
	if len(done.InsertedFiles) > 0 {
		k.file = done.InsertedFiles[0].ID
	}
	a.kept = append(a.kept, k)
	a.root, a.next = b.root, nil
	return true
}

// writeUntilKilled lets the authors write, and kills the server shortly after it has
// acknowledged a random number of batches.
func (d *desk) writeUntilKilled(t *testing.T, n *node) {
	t.Helper()
	enough := 1 + rand.IntN(maxBatches)
	acknowledged := make(chan struct{}, 1<<10)
	var clients sync.WaitGroup
	for _, a := range d.authors {
		clients.Go(func() {
			for d.write(n, a) {
				acknowledged <- struct{}{}
			}
		})
	}
	late := time.After(patience)
	for range enough {
		select {
		case <-acknowledged:
		case <-late:
			n.kill()
			t.Fatalf("fewer than %d batches were acknowledged\n%s", enough, n.logged())
		}
	}
	time.Sleep(rand.N(10 * time.Millisecond)) // about the duration of a batch
	n.kill()
	clients.Wait()
}

// compare compares the expected state with the server, and finds the outcome of batches
// that were interrupted.
func (d *desk) compare(t *testing.T, n *node) {
	t.Helper()
	known := map[string]bool{}
	for _, a := range d.authors {
		if a.err != nil {
			t.Fatal(a.err)
		}
		for _, k := range a.kept {
			known[k.id] = true
			d.checkKept(t, n, a, k)
		}
		d.acknowledged += len(a.kept)
		a.kept = nil
	}
	before := d.head
	durable := d.checkHead(t, n)
	d.durable += durable
	d.checkHistory(t, n, before, known, durable)
	if t.Failed() {
		t.FailNow()
	}
}

// checkKept reads an acknowledged revision and the texts that it wrote.
func (d *desk) checkKept(t *testing.T, n *node, a *author, k keptRevision) {
	t.Helper()
	var rev struct {
		ID    string
		Pages []shownPage
	}
	n.want(t, http.StatusOK, d.token, "GET", d.path("revisions", k.id), nil, &rev)
	i := slices.IndexFunc(rev.Pages, func(p shownPage) bool { return p.ID == a.root.id })
	if rev.ID != k.id || i < 0 || !rev.Pages[i].is(k.root) {
		t.Errorf("the revision %s was acknowledged with\n%s\nand has now\n%s", k.id, k.root, rev.Pages)
	}
	for page, mark := range k.marks {
		var p shownPage
		n.want(t, http.StatusOK, d.token, "GET", d.path("revisions", k.id, "page", page)+"?format=markdown", nil, &p)
		if !strings.Contains(p.Markdown, mark) {
			t.Errorf("page %s of revision %s has lost %q:\n%s", page, k.id, mark, p.Markdown)
		}
	}
	if k.file != "" {
		n.want(t, http.StatusOK, d.token, "GET", d.path("revisions", k.id, "files", k.file), nil, nil)
	}
}

// checkHead reads the whole newest revision. The section of an author must be in the
// state after the last acknowledged batch or after the batch in progress, and not in
// between. It returns the number of interrupted batches that became durable.
func (d *desk) checkHead(t *testing.T, n *node) (durable int) {
	t.Helper()
	var rev struct {
		ID    string
		Pages []shownPage
	}
	n.want(t, http.StatusOK, d.token, "GET", d.path("content"), nil, &rev)
	d.head = rev.ID
	for i := range rev.Pages {
		d.fill(t, n, &rev.Pages[i])
	}
	for _, a := range d.authors {
		i := slices.IndexFunc(rev.Pages, func(p shownPage) bool { return p.ID == a.root.id })
		if a.next != nil {
			d.cutOff++
		}
		switch {
		case i < 0:
			t.Errorf("the section of %s is lost", a.name)
		case rev.Pages[i].is(a.root):
		case a.next != nil && rev.Pages[i].is(a.next):
			durable++
			a.next.adopt(rev.Pages[i])
			a.root = a.next
		default:
			t.Errorf("the section of %s is\n%s\nacknowledged was\n%s\nunder way was\n%v", a.name, rev.Pages[i:i+1], a.root, a.next)
		}
		a.next = nil
	}
	return durable
}

// fill reads the texts of a page and its descendants.
func (d *desk) fill(t *testing.T, n *node, p *shownPage) {
	t.Helper()
	below := p.Pages
	n.want(t, http.StatusOK, d.token, "GET", d.path("content", "page", p.ID)+"?format=markdown", nil, p)
	p.Pages = below
	for i := range below {
		d.fill(t, n, &below[i])
	}
}

// checkHistory requires a linear history from the head to an earlier revision. It must
// consist of the acknowledged revisions and those that became durable without an
// acknowledgement.
func (d *desk) checkHistory(t *testing.T, n *node, before string, known map[string]bool, durable int) {
	t.Helper()
	all := list[struct {
		ID      string
		Parents []string
	}](t, n, d.token, d.path("revisions"))
	if all[0].ID != d.head {
		t.Errorf("the history begins with %s, the head is %s", all[0].ID, d.head)
	}
	unknown := 0
	for i, r := range all {
		if r.ID == before {
			if len(known) > 0 {
				t.Errorf("the history lacks %d revisions that were acknowledged: %v", len(known), known)
			}
			if unknown != durable {
				t.Errorf("the history has %d revisions that nobody asked for", unknown-durable)
			}
			return
		}
		if !known[r.ID] {
			unknown++
		}
		delete(known, r.ID)
		if i+1 == len(all) || len(r.Parents) != 1 || r.Parents[0] != all[i+1].ID {
			t.Errorf("revision %s has the parents %v, and is followed by %v", r.ID, r.Parents, all[i+1:min(i+2, len(all))])
		}
	}
	t.Errorf("the history does not reach %s, which was the head", before)
}

// checkSearch searches for the words of all pages. Each word is on one page only.
func (d *desk) checkSearch(t *testing.T, n *node) {
	t.Helper()
	for _, a := range d.authors {
		for _, s := range a.root.all() {
			var found struct{ Items []thing }
			n.want(t, http.StatusOK, d.token, "GET", d.path("search")+"?query="+s.mark, nil, &found)
			if len(found.Items) == 0 || found.Items[0].ID != s.id {
				t.Errorf("a search for %q, which is on %s (%s), finds %v", s.mark, s.id, s.title, found.Items)
			}
		}
	}
}

// String formats a page and its descendants.
func (s *sheet) String() string {
	var b strings.Builder
	s.print(&b, 1)
	return b.String()
}

func (s *sheet) print(b *strings.Builder, depth int) {
	fmt.Fprintf(b, "%*s%s %q %s\n", 2*depth, "", s.id, s.title, s.mark)
	for _, c := range s.below {
		c.print(b, depth+1)
	}
}
