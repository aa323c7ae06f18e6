package search

import (
	"hash/maphash"

	"github.com/octavo-docs/octavo/internal/cache"
)

// Bodies keeps the terms of the texts of sections. Most edits change one section
// of a page, and the words of the others need not be looked up again. It is safe for
// concurrent use.
type Bodies struct {
	texts *cache.Cache[bodyKey, *bodyTerms]
	seed  maphash.Seed
}

// bodyKey names a text by its hash.
type bodyKey struct {
	language string
	sum      uint64
}

// bodyTerms are the terms of a text in their order.
type bodyTerms struct {
	text          string
	words, tokens int
	terms         []bodyTerm
}

// bodyTerm is a term with what it counts.
type bodyTerm struct {
	text  string
	start uint64 // of term
	count
}

// NewBodies returns a cache of about so many bytes.
func NewBodies(size int) *Bodies {
	weigh := func(b *bodyTerms) int { return 256 + len(b.text) + 64*len(b.terms) }
	return &Bodies{cache.New[bodyKey](size, weigh), maphash.MakeSeed()}
}

// These are the numbers of sections with which it is worth to look at each alone.
const leastSections, mostSections = 2, 16

// analyseSections is analyse that looks at each section alone. It reports false if the
// page has too many words, or too few or too many sections.
func (all *Analyser) analyseSections(a *analyser, p Page) (Doc, bool) {
	if all.Bodies == nil || len(p.Sections) < leastSections || len(p.Sections) > mostSections {
		return nil, false
	}
	lists := make([][]bodyTerm, 0, 1+len(p.Sections))
	left := maxTokens
	all.nameTerms(a, p, &left)
	lists = append(lists, all.foundTerms())
	length := 0
	for _, s := range p.Sections {
		b := all.body(a, p.Language, s.Body)
		length += b.words
		if left -= b.tokens; left <= 0 {
			return nil, false
		}
		lists = append(lists, b.terms)
	}
	return all.merged(lists, length), true
}

// body returns the terms of the text of a section.
func (all *Analyser) body(a *analyser, language, text string) *bodyTerms {
	key := bodyKey{language, maphash.String(all.Bodies.seed, text)}
	if b, ok := all.Bodies.texts.Get(key); ok && b.text == text {
		return b
	}
	all.turn(a)
	left := maxTokens
	words := all.words(a, text, &left, func(t *term) { all.count(t).body++ })
	b := &bodyTerms{text: text, words: words, tokens: maxTokens - left, terms: all.foundTerms()}
	all.Bodies.texts.Set(key, b)
	return b
}

// foundTerms returns the terms that were counted, in their order.
func (all *Analyser) foundTerms() []bodyTerm {
	order, place := all.sorted()
	out := make([]bodyTerm, len(order))
	for i, o := range order {
		t := all.found[o&place]
		out[i] = bodyTerm{t.text, t.start, t.count}
	}
	return out
}

// merged returns a Doc of lists of terms that is valid until the next one.
func (all *Analyser) merged(lists [][]bodyTerm, length int) Doc {
	norm := normOf(length)
	all.doc = all.doc[:0]
	for {
		var least *bodyTerm
		for _, l := range lists {
			if len(l) > 0 && (least == nil || l[0].before(least)) {
				least = &l[0]
			}
		}
		if least == nil {
			return all.doc
		}
		sum := count{}
		for i, l := range lists {
			if len(l) > 0 && l[0].start == least.start && l[0].text == least.text {
				sum.title, sum.heading = sum.title+l[0].title, sum.heading+l[0].heading // of the first list alone
				sum.body += l[0].body
				lists[i] = l[1:]
			}
		}
		all.doc = append(all.doc, Entry{least.text, sum.impact(norm)})
	}
}

func (t *bodyTerm) before(other *bodyTerm) bool {
	if t.start != other.start {
		return t.start < other.start
	}
	return t.text < other.text
}
