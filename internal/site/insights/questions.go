package insights

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/support/topics"
)

const (
	// MinReaders is how many readers must ask a question within a week before it is stored.
	MinReaders = 3

	minQuestion = 3      // characters of a question
	maxQuestion = 200    // longer texts are stories about somebody
	maxHeard    = 50_000 // readers of questions in memory
	maxAsked    = 1_000  // questions that wait for a flush
	week        = 7
)

// questions are what readers asked lately, in memory, by each node for itself. They forget
// everything each week.
type questions struct {
	week    int64
	seed    maphash.Seed // new each week, so that nothing can be compared with it later
	heard   map[questionSum]*heard
	readers int // of all questions in heard
	waiting map[questionSum]store.QuestionCount
}

// questionSum is a hash of a site and a question. The text is not kept until it is counted.
type questionSum [12]byte

// heard is who asked a question.
type heard struct {
	readers []uint64 // hashes, sorted
	found   int      // how many of them found a page
}

// Question is a text that a reader sent to search a site or to ask it something.
type Question struct {
	Text    string
	Address string // of the reader; a hash of its neighbourhood is in memory for at most a week
	Found   bool   // whether a page was found
}

// Ask counts a question if the site keeps questions. It is masked, and it is stored only
// after readers in MinReaders different neighbourhoods asked it within a week. What a client
// says about its reader does not count: one reader could be many.
func (s *Service) Ask(site docs.Site, q Question) {
	if !site.KeepsQuestions {
		return
	}
	text := clean(q.Text)
	if text == "" {
		return
	}
	hash := sha256.Sum256([]byte(string(site.ID) + "\n" + text))
	sum := questionSum(hash[:])
	today := dayOf(docs.TimeOf(s.Store.Clock()))
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.asked
	a.forget(today)
	asked, found := a.hear(sum, authz.NeighbourhoodOf(q.Address), q.Found)
	if asked == 0 || a.waiting[sum].Asked == 0 && len(a.waiting) >= maxAsked {
		return
	}
	if a.waiting == nil {
		a.waiting = map[questionSum]store.QuestionCount{}
	}
	c := a.waiting[sum]
	a.waiting[sum] = store.QuestionCount{
		Site: site.ID, ID: docs.SiteQuestionID("siteq_" + hex.EncodeToString(sum[:])), Question: text,
		Day: cmp.Or(c.Day, today), Asked: c.Asked + asked, Answered: c.Answered + found,
	}
}

// forget drops what is known of readers when a week is over.
func (a *questions) forget(today int64) {
	if today/week != a.week {
		a.week, a.seed, a.heard, a.readers = today/week, maphash.MakeSeed(), nil, 0
	}
}

// hear remembers that a reader asked a question. It returns how many times the question counts
// for that, and how many of them found a page: 0 before enough readers asked it, and if this
// reader has asked it already.
func (a *questions) hear(sum questionSum, reader string, found bool) (asked, answered int64) {
	h := a.heard[sum]
	if h == nil {
		h = &heard{}
	}
	who := maphash.String(a.seed, string(sum[:])+reader)
	at, known := slices.BinarySearch(h.readers, who)
	if known {
		return 0, 0
	}
	if a.readers >= maxHeard {
		for other, o := range a.heard { // any one
			a.readers -= len(o.readers)
			delete(a.heard, other)
			break
		}
		if a.heard[sum] == nil {
			h, at = &heard{}, 0
		}
	}
	if a.heard == nil {
		a.heard = map[questionSum]*heard{}
	}
	a.heard[sum] = h
	h.readers = slices.Insert(h.readers, at, who)
	a.readers++
	one := 0
	if found {
		one = 1
	}
	h.found += one
	switch n := len(h.readers); {
	case n < MinReaders:
		return 0, 0
	case n == MinReaders:
		return int64(n), int64(h.found)
	}
	return 1, int64(one)
}

// clean returns a question in the form in which questions are compared: masked, in lower
// case, with single spaces. It is empty if the text is too short or too long for a question.
func clean(text string) string {
	if len(text) > utf8.UTFMax*maxQuestion {
		return ""
	}
	text = strings.ToLower(strings.Join(strings.Fields(topics.Mask(text)), " "))
	if n := utf8.RuneCountInString(text); n < minQuestion || n > maxQuestion || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return ""
	}
	return text
}

// takeQuestions returns the questions that wait for the flush, in the order in which all nodes
// write them.
func (s *Service) takeQuestions() []store.QuestionCount {
	s.mu.Lock()
	waiting := s.asked.waiting
	s.asked.waiting = nil
	s.asked.forget(dayOf(docs.TimeOf(s.Store.Clock()))) // also when nobody asks any more
	s.mu.Unlock()
	out := make([]store.QuestionCount, 0, len(waiting))
	for _, c := range waiting {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b store.QuestionCount) int {
		return cmp.Or(cmp.Compare(a.Site, b.Site), cmp.Compare(a.Day, b.Day), cmp.Compare(a.ID, b.ID))
	})
	return out
}

// QuestionFilter selects questions of a site. Zero times mean no limit.
type QuestionFilter struct {
	From, To docs.Time
	Answered []string
	Recent   bool
	Asc      bool
}

func (s *Service) filter(f QuestionFilter) store.QuestionFilter {
	today := dayOf(docs.TimeOf(s.Store.Clock()))
	out := store.QuestionFilter{From: dayOf(f.From), To: today, Today: today, Answered: f.Answered, Recent: f.Recent, Asc: f.Asc}
	if !f.To.IsZero() {
		out.To = dayOf(f.To)
	}
	return out
}

// Questions lists the questions of the site of a grant.
func (s *Service) Questions(g *authz.Grant, f QuestionFilter) store.List[store.SiteQuestion] {
	by := s.filter(f)
	return store.List[store.SiteQuestion]{
		Page: func(ctx context.Context, p store.Page) ([]store.SiteQuestion, store.Key, error) {
			if err := s.Flush(ctx); err != nil {
				return nil, nil, err
			}
			return s.Store.SiteQuestions(ctx, g.Site.ID, by, p)
		},
		Count: func(ctx context.Context) (int64, error) { return s.Store.CountSiteQuestions(ctx, g.Site.ID, by) },
	}
}

// Question returns a question of the site of a grant. The filter is for its sums.
func (s *Service) Question(ctx context.Context, g *authz.Grant, id docs.SiteQuestionID, f QuestionFilter) (store.SiteQuestion, error) {
	all, some := s.filter(QuestionFilter{}), s.filter(f)
	all.ID, some.ID = id, id
	q, err := s.Store.SiteQuestion(ctx, g.Site.ID, all)
	if err != nil {
		return q, err
	}
	_, q.Sums, err = s.Store.SiteQuestionsTogether(ctx, g.Site.ID, some)
	return q, err
}

// QuestionsTogether returns how many questions the site of a grant has, and their sum.
func (s *Service) QuestionsTogether(ctx context.Context, g *authz.Grant, f QuestionFilter) (int64, store.QuestionSums, error) {
	if err := s.Flush(ctx); err != nil {
		return 0, store.QuestionSums{}, err
	}
	return s.Store.SiteQuestionsTogether(ctx, g.Site.ID, s.filter(f))
}
