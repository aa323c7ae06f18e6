package gitsync

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/testing/testgit"
)

var (
	stories   = flag.Int("stories", 8, "how many random stories run on SQLite")
	firstSeed = flag.Uint64("seed", 1, "of the first story")
)

// Two sides edit, synchronize in any order, are interrupted at any point and continue. No
// text is lost, changes of different things do not conflict, and in the end both sides
// are equal.
func TestTwoSides(t *testing.T) {
	t.Parallel()
	run := func(t *testing.T, o store.Options, n int) {
		d := newFixture(t, o)
		for i := range n {
			seed := *firstSeed + uint64(i)
			t.Run(fmt.Sprint(seed), func(t *testing.T) { newStory(t, d, seed).play() })
		}
	}
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		run(t, testdb.SQLite(t), *stories)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		run(t, testdb.Postgres(t), max(1, *stories/4))
	})
}

// story is one space and one repository. Every text contains a unique marker, by which
// the test finds it.
type story struct {
	*fixture
	r      *rand.Rand
	next   int
	events []string
	// must are the markers that were written and not deleted.
	must map[string]bool
	// ours and theirs are the things that each side changed since the last
	// synchronization.
	ours, theirs map[string]bool
	ids          map[string]docs.PageID // by the first word of the title
	replaced     bool                   // the branch was replaced, and not imported since
	// lines is the maximum number of lines that the edits of blocks since the last export
	// may remove. It is -1 after any other change.
	lines   int
	pending *docs.GitOperation // an interrupted operation
	killIn  atomic.Int64       // the server interrupts the operation after this many responses
	kill    atomic.Pointer[context.CancelFunc]
}

func newStory(t *testing.T, base *fixture, seed uint64) *story {
	t.Helper()
	d := *base
	d.t, d.origin = t, testgit.New(t)
	d.id = d.space(fmt.Sprintf("Story %d", seed))
	s := &story{
		fixture: &d, r: rand.New(rand.NewPCG(seed, 7)), must: map[string]bool{}, ours: map[string]bool{}, theirs: map[string]bool{}, ids: map[string]docs.PageID{},
	}
	h := d.origin.Handler("", "")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		if s.killIn.Add(-1) == 0 {
			(*s.kill.Load())()
		}
	}))
	t.Cleanup(server.Close)
	d.remote = docs.GitRemote{URL: server.URL + "/repo.git", Ref: "refs/heads/main"}
	return s
}

// play runs a story from start to end.
func (s *story) play() {
	defer func() {
		if s.t.Failed() {
			s.t.Logf("what happened:\n%s", strings.Join(s.events, "\n"))
		}
	}()
	s.begin()
	for range 8 + s.r.IntN(16) {
		switch n := s.r.IntN(10); {
		case n < 3:
			s.editHere()
		case n < 6:
			if s.r.IntN(12) == 0 {
				s.replace()
			} else {
				s.editThere()
			}
		case n < 7:
			s.sync(docs.GitImport)
		case n < 8:
			s.sync(docs.GitExport)
		case n < 9:
			s.sync(docs.GitImport)
			s.sync(docs.GitExport)
		default:
			s.decide()
		}
		s.check()
	}
	s.finish()
}

func (s *story) say(format string, args ...any) {
	s.events = append(s.events, fmt.Sprintf(format, args...))
}

func (s *story) name(kind string) string {
	s.next++
	return fmt.Sprintf("%s%d", kind, s.next)
}

// marker returns a word that occurs nowhere else.
func (s *story) marker() string {
	m := "{" + s.name("m") + "}"
	m = strings.NewReplacer("{", "mark", "}", "x").Replace(m)
	s.must[m] = true
	return m
}

var markers = regexp.MustCompile(`markm\d+x`)

// drop removes the markers of texts that were deleted intentionally.
func (s *story) drop(texts ...string) {
	for _, text := range texts {
		for _, m := range markers.FindAllString(text, -1) {
			delete(s.must, m)
		}
	}
}

// begin fills the repository and imports it.
func (s *story) begin() {
	files := map[string]string{}
	summary := "# Table of contents\n\n"
	for i := range 4 + s.r.IntN(4) {
		page, file := s.name("P"), fmt.Sprintf("pages/p%d.md", i)
		if i == 0 {
			file = "README.md"
		}
		files[file] = s.text(page)
		if to := fmt.Sprintf("p%d.md", 1+s.r.IntN(4)); i == 0 {
			files[file] += "\n" + s.name("b") + " leads to [a page](pages/" + to + ")\n"
		} else {
			files[file] += "\n" + s.name("b") + " leads to [a page](" + to + ")\n"
		}
		indent := ""
		if i > 1 && s.r.IntN(3) == 0 {
			indent = "  "
		}
		summary += indent + "* [" + strings.TrimPrefix(strings.SplitN(files[file], "\n", 2)[0], "# ") + "](" + file + ")\n"
	}
	files["SUMMARY.md"] = summary
	files[".gitbook/assets/first.txt"] = "asset " + s.marker() + "\n"
	s.origin.Commit(files)
	s.pull("")
	s.checkSameFiles()
	s.check()
}

// text returns a page with a few blocks.
func (s *story) text(page string) string {
	out := "# " + page + " " + s.marker() + "\n"
	for range 1 + s.r.IntN(4) {
		out += "\n" + s.block()
	}
	return out
}

// block returns a paragraph, a list or a hint. Each has unique words, by which a renamed
// file is recognized.
func (s *story) block() string {
	words := func() string {
		return fmt.Sprintf("%s %s wrote %x and %x", s.name("b"), s.marker(), s.r.Uint64(), s.r.Uint64())
	}
	switch s.r.IntN(4) {
	case 0:
		return "- " + words() + "\n- " + words() + "\n"
	case 1:
		return "{% hint style=\"info\" %}\n" + words() + "\n{% endhint %}\n"
	default:
		return words() + "\n"
	}
}

// sync runs an operation, and sometimes interrupts it.
func (s *story) sync(dir docs.GitDirection) {
	s.t.Helper()
	if s.pending != nil {
		o := *s.pending
		s.pending = nil
		s.run(o, false)
	}
	s.run(s.queue(dir, nil), s.r.IntN(3) == 0)
}

func (s *story) run(o docs.GitOperation, kill bool) {
	s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.kill.Store(&cancel)
	s.killIn.Store(0)
	if kill && s.r.IntN(2) == 0 {
		s.killIn.Store(1 + s.r.Int64N(6))
	} else if kill {
		defer time.AfterFunc(time.Duration(s.r.IntN(300))*time.Millisecond, cancel).Stop()
	}
	tip := s.origin.Tip()
	o, err := s.fixture.run(ctx, o)
	s.killIn.Store(0)
	s.say("%s: %s %q %s (%v) %s", o.Direction, o.State, o.Reason, o.Error, err, s.origin.Tip())
	if !o.Ended() {
		if err == nil || !kill {
			s.t.Fatalf("an operation did not end: %+v, %v\n%s", o, err, s.log)
		}
		s.pending = &o
		return
	}
	switch {
	case o.Reason == "" || o.Reason == ReasonUnchanged:
		if o.Direction == docs.GitImport {
			clear(s.theirs)
		} else if o.Revision == s.head().Rev.ID {
			s.untouched(tip)
			clear(s.ours)
		} else {
			s.lines = -1 // it completed an earlier export; more was written since
		}
	case o.Direction == docs.GitImport && o.Reason == ReasonReplaced:
		if !s.replaced {
			s.t.Fatalf("nobody replaced the branch: %+v", o)
		}
		clear(s.theirs)
	case o.Direction == docs.GitImport && o.Reason == ReasonConflict:
		if !s.clash() {
			s.t.Fatalf("a conflict, although here %v and there %v were touched", slices.Sorted(maps.Keys(s.ours)), slices.Sorted(maps.Keys(s.theirs)))
		}
		clear(s.theirs)
	case o.Reason == ReasonOpenRequest:
		if s.waiting() == nil {
			s.t.Fatalf("no request is open: %+v", o)
		}
		if o.Direction == docs.GitImport {
			clear(s.theirs)
		}
	case o.Direction == docs.GitExport && o.Reason == "not-fast-forward":
		if len(s.theirs) == 0 {
			s.t.Fatalf("nobody else pushed: %+v", o)
		}
	default:
		s.t.Fatalf("%s ended with %s: %s\n%s", o.Direction, o.Reason, o.Error, s.log)
	}
	if o.Direction == docs.GitImport {
		s.replaced = false
	}
	if o.Direction == docs.GitExport && o.Reason == ReasonUnchanged && !kill && s.origin.Tip() != tip {
		s.t.Fatal("an export of nothing made a commit")
	}
}

// untouched checks that an export of edited blocks changed no other lines.
func (s *story) untouched(before string) {
	s.t.Helper()
	most := s.lines
	s.lines = 0
	if now := s.origin.Tip(); most >= 0 && now != before {
		removed := 0
		for line := range strings.Lines(testgit.Git(s.t, s.origin.Bare, "diff", "--numstat", before, now)) {
			n := 0
			if _, err := fmt.Sscan(line, new(int), &n); err != nil {
				s.t.Fatalf("%q: %v", line, err)
			}
			removed += n
		}
		if removed > most {
			s.t.Fatalf("edits of %d lines changed %d:\n%s", most, removed, testgit.Git(s.t, s.origin.Bare, "diff", before, now))
		}
	}
}

// clash reports whether both sides changed the same thing, or one side deleted a page
// that the other side edited.
func (s *story) clash() bool {
	for _, sides := range [][2]map[string]bool{{s.ours, s.theirs}, {s.theirs, s.ours}} {
		for what := range sides[0] {
			page, deleted := strings.CutPrefix(what, "page ")
			if sides[1][what] || deleted && sides[1]["text "+page] {
				return true
			}
		}
	}
	return false
}

// waiting returns the change request that waits for a decision, or nil.
func (s *story) waiting() *docs.ChangeRequest {
	s.t.Helper()
	pair, ok, err := s.s.Store.GitPair(context.Background(), s.id, s.remote.Key())
	if err != nil {
		s.t.Fatal(err)
	}
	if !ok || pair.Request == "" {
		return nil
	}
	cr, err := s.s.Store.ChangeRequest(context.Background(), s.id, string(pair.Request))
	if err != nil {
		s.t.Fatal(err)
	}
	if content.Editable(cr) != nil {
		return nil
	}
	return &cr
}

func (s *story) requestFiles(cr docs.ChangeRequest) map[string]string {
	s.t.Helper()
	v, err := s.s.Content.Source.At(context.Background(), s.s.Store.Reader, s.grant().Space, cr.Revision)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.filesOf(v)
}

func found(files ...map[string]string) map[string]bool {
	out := map[string]bool{}
	for _, list := range files {
		for _, text := range list {
			for _, m := range markers.FindAllString(text, -1) {
				out[m] = true
			}
		}
	}
	return out
}

// check fails if a marker is lost or a page has another ID.
func (s *story) check() {
	s.t.Helper()
	all := []map[string]string{s.filesOf(s.head()), s.origin.Files("main")}
	if cr := s.waiting(); cr != nil {
		all = append(all, s.requestFiles(*cr))
	}
	there := found(all...)
	for _, m := range slices.Sorted(maps.Keys(s.must)) {
		if !there[m] {
			s.t.Fatalf("%s is lost", m)
		}
	}
	now := map[string]docs.PageID{} // a deleted page may be created again as a new one
	for title, p := range s.pages() {
		word, _, _ := strings.Cut(title, " ")
		if was, ok := s.ids[word]; ok && was != p.ID {
			s.t.Fatalf("page %s was %s and is %s", word, was, p.ID)
		}
		now[word] = p.ID
	}
	s.ids = now
}

// decide handles the waiting change request in one of the ways that users have.
func (s *story) decide() {
	s.t.Helper()
	cr := s.waiting()
	if cr == nil || s.pending != nil { // nothing is merged while an operation is incomplete
		return
	}
	s.lines = -1
	ctx, name := context.Background(), string(cr.ID)
	before, beside := s.filesOf(s.head()), s.requestFiles(*cr)
	// The changes of the repository on a page that the request no longer has are only in
	// the conflict.
	pair, _, err := s.s.Store.GitPair(ctx, s.id, s.remote.Key())
	if err != nil {
		s.t.Fatal(err)
	}
	brought := s.requestFiles(docs.ChangeRequest{Revision: pair.Revision})
	if s.r.IntN(4) == 0 {
		if _, err := s.s.Reviews.Update(ctx, s.grant(), name, reviewsPatch(docs.ChangeArchived)); err != nil {
			s.t.Fatal(err)
		}
		s.say("archived")
		s.forget(found(beside, brought), before)
		s.refuse(before, brought)
		return
	}
	conflicts := 0
	for range 10 {
		list, _, err := s.s.Store.Conflicts(ctx, cr.ID, true, store.Page{Limit: 1000})
		if err != nil {
			s.t.Fatal(err)
		}
		for _, c := range list {
			conflicts++
			how := []string{"main", "mine"}[s.r.IntN(2)]
			s.say("resolve %s with %s", c.Data, how)
			if _, err := s.s.Reviews.Resolve(ctx, s.grant(), name, c.ID, how, nil); err != nil {
				s.t.Fatalf("resolve %s: %v", c.Data, err)
			}
		}
		out, err := s.s.Reviews.Merge(ctx, s.grant(), name)
		if err != nil {
			s.t.Fatalf("merge: %v", err)
		}
		if len(out.Conflicts) > 0 { // conflicts with changes of the space since the request was opened
			if _, err := s.s.Reviews.BringUpToDate(ctx, s.grant(), name); err != nil {
				s.t.Fatalf("update: %v", err)
			}
			continue
		}
		s.say("merged, %d conflicts", conflicts)
		if conflicts > 0 {
			s.forget(found(before, beside, brought), s.filesOf(s.head()))
		}
		s.ours["merged"] = true
		return
	}
	s.t.Fatal("the request has new conflicts again and again")
}

// refuse marks the differences between the request and the space as changed in the space,
// because archiving the request decides for the space.
func (s *story) refuse(here, brought map[string]string) {
	for name := range union(here, brought) {
		if here[name] == brought[name] {
			continue
		}
		s.ours["archived "+name] = true
		for _, text := range []string{here[name], brought[name]} {
			touch(s.ours, text)
			if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "# ") {
				for _, what := range []string{"page ", "text ", "title ", "place ", "file "} {
					s.ours[what+word(first[2:])] = true
				}
			}
		}
	}
}

// forget drops the markers that a decision removed from the space.
func (s *story) forget(known map[string]bool, now map[string]string) {
	there := found(now)
	for m := range known {
		if !there[m] {
			delete(s.must, m)
		}
	}
}

// finish decides about all change requests, synchronizes both sides and compares them.
func (s *story) finish() {
	s.t.Helper()
	for range 8 {
		s.decide()
		tip, head := s.origin.Tip(), s.head().Rev.ID
		s.sync(docs.GitImport)
		s.sync(docs.GitExport)
		s.check()
		if s.pending == nil && s.waiting() == nil && tip == s.origin.Tip() && head == s.head().Rev.ID {
			break
		}
	}
	if s.waiting() != nil {
		s.t.Fatal("a request is still open")
	}
	s.checkSameFiles()
	s.checkNames()
	tip := s.origin.Tip()
	s.pull(ReasonUnchanged)
	s.push(ReasonUnchanged)
	if s.origin.Tip() != tip {
		s.t.Error("there is a commit although nothing changed")
	}
	for line := range strings.Lines(testgit.Git(s.t, s.origin.Bare, "log", "--format=%H %T %P", "main")) {
		f := strings.Fields(line)
		if len(f) == 3 && testgit.Git(s.t, s.origin.Bare, "rev-parse", f[2]+"^{tree}") == f[1] {
			s.t.Errorf("commit %s is empty", f[0])
		}
	}
	sp := s.grant().Space
	if list, err := s.s.Content.Index.VerifySpace(context.Background(), sp.ID); err != nil || len(list) > 0 {
		s.t.Errorf("the index differs from the content: %v, %v", list, err)
	}
}

// A page that was created in the space has a file that is named after its address. If the
// parent page is renamed in the repository, the file keeps its path and the page its
// title.
func TestNewPagesStayInTheirFiles(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	d.origin.Commit(small)
	d.pull("")
	body := "Made here.\n"
	d.apply("", content.Change{
		Operation: content.InsertPage, Into: opt.Of(string(d.pages()["Guide"].ID)), Body: &revision.Body{Markdown: &body}, Meta: content.PageMeta{Title: opt.Of("Born")},
	})
	d.push("")
	d.checkSameFiles()
	id := d.pages()["Born"].ID
	d.origin.Pull()
	summary := d.origin.Files("main")["SUMMARY.md"]
	testgit.Git(t, d.origin.Work, "mv", "guide/README.md", "manual.md")
	d.origin.Commit(map[string]string{
		"SUMMARY.md": strings.Replace(summary, "guide/README.md", "manual.md", 1),
		"manual.md":  strings.Replace(small["guide/README.md"], "setup.md", "guide/setup.md", 1),
	})
	d.edit("Born", "Made", "Written") // a merge keeps the front matter of the file
	d.pull("")
	d.push("")
	d.checkSameFiles()
	if got := d.origin.Files("main")["guide/born.md"]; got != "# Born\n\nWritten here.\n" || d.pages()["Born"].ID != id {
		t.Errorf("%q", got)
	}
	d.pull(ReasonUnchanged)
}

// If a file is renamed in the repository without updating the links to it, the links are
// broken on both sides. No page is exported that was not edited, and the export of an
// edit contains only that edit.
func TestBrokenLinksStayAsWritten(t *testing.T) {
	t.Parallel()
	d := newFixture(t, testdb.SQLite(t))
	files := maps.Clone(small)
	files["other.md"] = "---\ncover: .gitbook/assets/old.svg\n---\n\n# Other\n\nWords.\n\n![x](.gitbook/assets/old.svg) and [setup](guide/setup.md#there).\n"
	files[".gitbook/assets/old.svg"] = "<svg/>\n"
	d.origin.Commit(files)
	d.pull("")
	ids := map[string]docs.PageID{}
	for title, p := range d.pages() {
		ids[title] = p.ID
	}
	testgit.Git(t, d.origin.Work, "mv", "guide/setup.md", "install.md")
	testgit.Git(t, d.origin.Work, "mv", ".gitbook/assets/old.svg", ".gitbook/assets/new.svg")
	d.origin.Commit(map[string]string{"SUMMARY.md": strings.Replace(small["SUMMARY.md"], "guide/setup.md", "install.md", 1)})
	tip := d.origin.Tip()
	d.edit("Home", "Welcome.", "Welcome here.")
	d.edit("Guide", "Second, see", "Second here, see") // next to the link: no conflict
	d.pull("")
	d.push("")
	d.checkSameFiles()
	if stat := testgit.Git(t, d.origin.Bare, "diff", "--numstat", tip, "main"); stat != "1\t1\tREADME.md\n1\t1\tguide/README.md" {
		t.Errorf("the export changes %q", stat)
	}
	tip = d.origin.Tip()
	d.edit("Other", "Words.", "Other words.")
	d.push("")
	d.checkSameFiles()
	if stat := testgit.Git(t, d.origin.Bare, "diff", "--numstat", tip, "main"); stat != "1\t1\tother.md" {
		t.Errorf("the export changes %q", stat)
	}
	for title, id := range ids {
		if d.pages()[title].ID != id {
			t.Errorf("%s has another id now", title)
		}
	}
	if list, err := d.s.Content.Index.VerifySpace(context.Background(), d.grant().Space.ID); err != nil || len(list) > 0 {
		t.Errorf("the index differs from the content: %v, %v", list, err)
	}
}
