package insights

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// curious returns a service and a site that keeps questions, which start on a Thursday: the
// first day of a week by which readers are counted.
func curious(t *testing.T, o store.Options) (s *Service, site docs.Site, now *time.Time) {
	t.Helper()
	at := time.Date(2026, 3, 5, 12, 0, 0, 0, time.UTC)
	o.Clock = func() time.Time { return at }
	s, id := open(t, o)
	stored, err := s.Store.Site(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return s, s.keep(t, stored.It, true), &at
}

// keep turns the switch of a site.
func (s *Service) keep(t *testing.T, site docs.Site, on bool) docs.Site {
	t.Helper()
	g, _, err := authz.NewChecker(s.Store.Reader).Site(t.Context(), authz.OperatorGrant(site.CreatedBy).Actor, authz.AdminSite, site.Org, site.ID)
	if err != nil {
		t.Fatal(err)
	}
	site, err = sites.New(s.Store, sites.Config{}).Update(t.Context(), g, sites.SitePatch{KeepsQuestions: opt.Of(on)})
	if err != nil || site.KeepsQuestions != on {
		t.Fatalf("%v: %+v", err, site)
	}
	return site
}

// ask sends a question from some networks, the first of which has a number.
func (s *Service) ask(site docs.Site, text string, first, networks int, found bool) {
	for n := range networks {
		s.Ask(site, Question{Text: text, Address: fmt.Sprintf("10.%d.%d.1", (first+n)/250, (first+n)%250), Found: found})
	}
}

// kept returns the stored questions, the most common first, each with its counts.
func (s *Service) kept(t *testing.T, site docs.Site, f QuestionFilter) string {
	t.Helper()
	if err := s.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	list := s.Questions(&authz.Grant{Site: site}, f)
	items, _, err := list.Page(t.Context(), store.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := list.Count(t.Context()); err != nil || int(n) != len(items) {
		t.Errorf("%v: %d are counted of %d", err, n, len(items))
	}
	var out []string
	for _, q := range items {
		out = append(out, fmt.Sprintf("%s %d/%d", q.Question, q.Sums.Answered, q.Sums.Asked))
	}
	return strings.Join(out, ", ")
}

// A question is stored when enough readers have asked it in a week, not earlier, and in the form
// in which it is about nobody.
func TestQuestionsOfSeveralReaders(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, site, now := curious(t, o)
		s.ask(site, "my secret plan", 0, MinReaders-1, false)
		for _, address := range []string{"10.0.0.1", "10.0.0.77", "::ffff:10.0.1.5"} { // networks that have asked
			s.Ask(site, Question{Text: "My  SECRET plan", Address: address})
		}
		s.ask(site, "Reset for ada@acme.test?", 0, MinReaders, true)
		s.ask(site, " reset FOR\nbob@acme.test? ", 10, 2, false)
		s.ask(site, "ab", 0, MinReaders, true)
		s.ask(site, strings.Repeat("a", maxQuestion+1), 0, MinReaders, true)
		s.ask(site, "bad \xff text\x00", 0, MinReaders, true)
		if got := s.kept(t, site, QuestionFilter{}); got != "reset for [email]? 3/5" {
			t.Errorf("stored: %s", got)
		}
		*now = now.Add(week * day) // the readers of another week
		s.ask(site, "my secret plan", 20, 1, false)
		s.ask(site, "reset for eve@acme.test?", 0, MinReaders-1, true)
		if got := s.kept(t, site, QuestionFilter{}); got != "reset for [email]? 3/5" {
			t.Errorf("stored in the next week: %s", got)
		}
		s.ask(site, "reset for eve@acme.test?", 30, 1, true)
		if got := s.kept(t, site, QuestionFilter{}); got != "reset for [email]? 6/8" {
			t.Errorf("after the third reader of the next week: %s", got)
		}
	})
}

// Only a site whose owner wants it keeps questions, on any node. What is stored goes with the switch, with
// the site, and after 90 days.
func TestQuestionsGo(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, site, now := curious(t, o)
		other := &Service{Store: s.Store} // another node
		s.ask(site, "how to moor", 0, MinReaders, true)
		other.ask(site, "how to moor", 0, MinReaders, false)
		if err := other.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.kept(t, site, QuestionFilter{}); got != "how to moor 3/6" {
			t.Errorf("two nodes: %s", got)
		}
		other.ask(site, "how to row", 0, MinReaders, false) // waits on a node while the site changes
		was := site
		site = s.keep(t, site, false)
		s.ask(site, "how to sail", 0, MinReaders, true)
		s.ask(was, "how to swim", 0, MinReaders, true) // a node that does not know it yet
		if err := other.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := s.kept(t, site, QuestionFilter{}); got != "" {
			t.Errorf("kept without the switch: %s", got)
		}
		site = s.keep(t, site, true)
		s.ask(site, "how to dive", 0, MinReaders, true)
		*now = now.Add(2 * day)
		s.ask(site, "how to fly", 0, MinReaders, true)
		s.kept(t, site, QuestionFilter{})
		*now = now.Add(Kept - day)
		if err := s.Tidy(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if got := s.kept(t, site, QuestionFilter{}); got != "how to fly 3/3" {
			t.Errorf("after 90 days: %s", got)
		}
		if err := s.Store.Do(t.Context(), func(tx *store.Tx) error { return tx.DropSite(t.Context(), site) }); err != nil {
			t.Fatal(err)
		}
		if got := s.kept(t, site, QuestionFilter{}); got != "" {
			t.Errorf("a site that is gone has %s", got)
		}
	})
}

func TestQuestionFilters(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, site, now := curious(t, o)
		first := docs.TimeOf(*now)
		s.ask(site, "always", 0, 3, true)
		s.ask(site, "often", 0, 2, true)
		s.ask(site, "often", 5, 3, false)
		s.kept(t, site, QuestionFilter{})
		*now = now.Add(8 * day)
		s.ask(site, "never", 0, 4, false)
		s.ask(site, "always", 0, 3, true)
		for _, c := range []struct {
			f    QuestionFilter
			want string
		}{
			{QuestionFilter{}, "always 6/6, often 2/5, never 0/4"},
			{QuestionFilter{Asc: true}, "never 0/4, often 2/5, always 6/6"},
			{QuestionFilter{Answered: []string{"no"}}, "never 0/4"},
			{QuestionFilter{Answered: []string{"partially"}}, "often 2/5"},
			{QuestionFilter{Answered: []string{"yes", "no"}}, "always 6/6, never 0/4"},
			{QuestionFilter{To: first}, "often 2/5, always 3/3"},
			{QuestionFilter{From: docs.TimeOf(*now)}, "never 0/4, always 3/3"},
			{QuestionFilter{From: docs.TimeOf(now.Add(day))}, ""},
		} {
			if got := s.kept(t, site, c.f); got != c.want {
				t.Errorf("%+v: %s", c.f, got)
			}
		}
		g := &authz.Grant{Site: site}
		n, sums, err := s.QuestionsTogether(t.Context(), g, QuestionFilter{})
		if err != nil || n != 3 || sums.Asked != 15 || sums.Answered != 8 || sums.Pulse != [store.QuestionWeeks]int64{11: 8, 12: 7} {
			t.Errorf("%v: %d questions: %+v", err, n, sums)
		}
		s.pages(t, g)
	})
}

// pages reads the list one by one, in both directions of both orders.
func (s *Service) pages(t *testing.T, g *authz.Grant) {
	t.Helper()
	for _, f := range []QuestionFilter{{}, {Asc: true}, {Recent: true}, {Recent: true, Asc: true}} {
		list := s.Questions(g, f)
		all, _, err := list.Page(t.Context(), store.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var after store.Key
		for i, want := range all {
			var one []store.SiteQuestion
			if one, after, err = list.Page(t.Context(), store.Page{Limit: 1, After: after}); err != nil || len(one) != 1 || one[0] != want {
				t.Errorf("%+v: %d: %v %+v, want %+v", f, i, err, one, want)
			}
		}
		if after != nil {
			t.Errorf("%+v: there is more after the last", f)
		}
	}
}

// Neither a site nor a reader takes more than its share of the table and of the memory.
func TestQuestionsAreBounded(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s, site, now := curious(t, o)
		for _, name := range []string{"one", "other"} { // in several flushes, on several nodes
			node := &Service{Store: s.Store}
			for i := range store.MaxQuestions {
				node.ask(site, fmt.Sprintf("question of %s %d", name, i), 0, MinReaders, true)
			}
			node.kept(t, site, QuestionFilter{})
		}
		n, sums, err := s.QuestionsTogether(t.Context(), &authz.Grant{Site: site}, QuestionFilter{})
		if err != nil || n != store.MaxQuestions || sums.Asked != MinReaders*store.MaxQuestions {
			t.Errorf("%v: %d questions are stored, asked %d times", err, n, sums.Asked)
		}
		for i := range maxHeard + 10 {
			s.ask(site, fmt.Sprint("text ", i), 0, 1, true)
		}
		for i := range maxAsked + 10 {
			s.ask(site, fmt.Sprint("several ", i), 0, MinReaders, true)
		}
		sum := 0
		for _, h := range s.asked.heard {
			sum += len(h.readers)
		}
		if s.asked.readers > maxHeard || s.asked.readers != sum || len(s.asked.waiting) > maxAsked || len(s.asked.waiting) == 0 {
			t.Errorf("%d readers are remembered, %d are counted, %d questions wait", sum, s.asked.readers, len(s.asked.waiting))
		}
		*now = now.Add(week * day)
		if err := s.Flush(t.Context()); err != nil || len(s.asked.heard)+s.asked.readers+len(s.asked.waiting) != 0 {
			t.Errorf("%v: %d questions are remembered for longer than a week", err, len(s.asked.heard))
		}
	})
}
