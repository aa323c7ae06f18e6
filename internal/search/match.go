package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Alternatives are the words that answer one term of a query, with how well
// they do.
type Alternatives map[string]float64

// Matcher finds where a text answers a query.
type Matcher struct {
	words    map[string]answer
	analyser *analyser
	// What the words begin with, to pass over others quickly: single letters,
	// and the first two mixed into one byte.
	one, two [256]bool
}

// mixed makes one byte of two, without case.
func mixed(a, b byte) byte { return (a|0x20)*31 + (b | 0x20) }

// starts remembers what a word begins with.
func (m *Matcher) starts(word string) {
	word = strings.TrimPrefix(word, ".") // of .net
	if word == "" {
		return
	}
	m.one[word[0]|0x20] = true
	if len(word) > 1 {
		m.two[mixed(word[0], word[1])] = true
		if word[1] == 'i' { // the one way in which a stem begins unlike its word: dying, die
			m.two[mixed(word[0], 'y')] = true
		}
	}
}

// pass returns a place behind i without passing a match, or i. It passes words
// of small letters, perhaps with a capital in front, and what is between
// words; what has parts is looked at.
func (m *Matcher) pass(text string, i int) int {
	for i < len(text) {
		start := i
		a := text[i]
		if !isWordByte(a) {
			if a >= utf8.RuneSelf {
				return start
			}
			i++
			continue
		}
		i++
		if i == len(text) || !isWordByte(text[i]) {
			if m.one[a|0x20] {
				return start
			}
		} else if m.two[mixed(a, text[i])] {
			return start
		}
		for i < len(text) && isSmallByte(text[i]) {
			i++
		}
		if i < len(text) {
			switch c := text[i]; {
			case c == '.' || c == '\'':
				if i+1 < len(text) && (isWordByte(text[i+1]) || text[i+1] >= utf8.RuneSelf) {
					return start
				}
			case c >= utf8.RuneSelf, isWordByte(c):
				return start
			}
		}
	}
	return i
}

type answer struct {
	term   int
	weight float64
}

// maxScan bounds how much of one text is looked at for matches: those behind
// it are found, but not shown.
const maxScan = 64 << 10

// maxMatches bounds the matches of one text.
const maxMatches = 256

// NewMatcher takes the alternatives of each term of a query.
func NewMatcher(language string, terms []Alternatives) *Matcher {
	m := &Matcher{words: map[string]answer{}, analyser: newAnalyser(language)}
	for i, words := range terms[:min(len(terms), maxQueryTerms)] {
		for w, weight := range words {
			if a, ok := m.words[w]; !ok || weight > a.weight {
				m.words[w] = answer{i, weight}
			}
			m.starts(w)
		}
	}
	return m
}

// match is a place in a text that answers a term.
type match struct {
	start, end int
	term       int
	weight     float64
}

// find returns the matches of a text in order.
func (m *Matcher) find(text string) []match {
	var out []match
	if len(text) > maxScan {
		text = text[:maxScan]
	}
	m.analyser.forget(0)
	look := func(start, end int, unspaced bool) bool {
		m.analyser.word(text, start, end, unspaced, func(f form) {
			a, ok := m.words[f.term.text]
			if !ok {
				return
			}
			// A word and its stem are one match.
			if n := len(out) - 1; n >= 0 && out[n].start == f.start && out[n].term == a.term {
				out[n].weight = max(out[n].weight, a.weight)
				out[n].end = max(out[n].end, f.end)
				return
			}
			out = append(out, match{f.start, f.end, a.term, a.weight})
		})
		return len(out) < maxMatches
	}
	for i, more := m.pass(text, 0), true; more && i < len(text); i = m.pass(text, i) {
		i, more = wordsAt(text, i, look)
	}
	return out
}

// Found is a section that answers a query.
type Found struct {
	Section int // its index
	Score   float64
	Snippet string
}

// Sections returns the sections of a page that answer the query best, in the
// order of the page, each with a snippet of at most size characters.
func (m *Matcher) Sections(sections []Section, most, size int) []Found {
	var out []Found
	places := make([][]match, len(sections))
	for i, s := range sections {
		score := 0.0
		if s.Title != "" {
			score = headingLeast * m.score(m.find(s.Title))
		}
		body := m.find(s.Body)
		score += m.score(body)
		if score > 0 {
			out = append(out, Found{Section: i, Score: score})
			places[i] = body
		}
	}
	slices.SortStableFunc(out, func(a, b Found) int { return cmp.Compare(b.Score, a.Score) })
	out = out[:min(len(out), most)]
	for i, f := range out {
		out[i].Snippet = snippet(sections[f.Section].Body, places[f.Section], size)
	}
	slices.SortFunc(out, func(a, b Found) int { return cmp.Compare(a.Section, b.Section) })
	return out
}

// score of a text: each term counts once by its best match, and a little for
// being there again.
func (m *Matcher) score(found []match) float64 {
	if len(found) == 0 {
		return 0
	}
	var best [maxQueryTerms]float64
	sum := 0.0
	for _, f := range found {
		if f.weight > best[f.term] {
			sum += f.weight - best[f.term]
			best[f.term] = f.weight
		}
	}
	again := float64(len(found))
	return sum + 0.5*again/(again+8)
}

// snippet returns at most size characters of a text around the best match, cut
// between words, on one line. It is plain text: whoever shows it as HTML has
// to escape it.
func snippet(text string, found []match, size int) string {
	if size <= 0 {
		return ""
	}
	// The window that has most of the query in it, the first of equals.
	at, best := 0, 0.0
	for i := range found {
		seen, sum := uint64(0), 0.0
		for _, f := range found[i:min(len(found), i+16)] {
			if f.end-found[i].start > size*3/4 {
				break
			}
			if seen&(1<<f.term) == 0 {
				seen |= 1 << f.term
				sum += f.weight
			}
		}
		if sum > best {
			at, best = found[i].start, sum
		}
	}
	return window(text, at, size)
}

// window cuts about a quarter of the size in front of a place and the rest
// behind it.
func window(text string, at, size int) string {
	if len(text) <= size || utf8.RuneCountInString(text[:min(len(text), 4*size+4)]) <= size && len(text) <= 4*size {
		return oneLine(text)
	}
	start := at
	for n := 0; start > 0 && n < size/4; n++ {
		_, w := utf8.DecodeLastRuneInString(text[:start])
		start -= w
	}
	if start > 0 && start < at {
		// Begin with a whole word, with a sentence if one begins here.
		if i := strings.LastIndexAny(text[start:at], ".!?。\n"); i >= 0 && start+i+1 < at {
			start += i
			_, w := utf8.DecodeRuneInString(text[start:])
			start += w
		} else if i := strings.IndexFunc(text[start:at], unicode.IsSpace); i >= 0 {
			start += i
		}
	}
	// Blanks are collapsed afterwards, so the cut is at most a little short.
	end, n := start, 0
	for end < len(text) && n < size-2 {
		_, w := utf8.DecodeRuneInString(text[end:])
		end += w
		n++
	}
	if end < len(text) {
		if i := strings.LastIndexFunc(text[start:end], unicode.IsSpace); i > (end-start)/2 {
			end = start + i
		}
	}
	out := oneLine(text[start:end])
	if start > 0 {
		out = "…" + out
	}
	if end < len(text) {
		out += "…"
	}
	return out
}

// oneLine collapses blanks and leaves out what cannot be displayed.
func oneLine(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			space = b.Len() > 0
			continue
		case r == utf8.RuneError, unicode.IsControl(r):
			continue
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
