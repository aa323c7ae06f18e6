package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Alternatives are the words that match one term of a query, with their weights.
type Alternatives map[string]float64

// Matcher finds the places in a text that match a query.
type Matcher struct {
	words    map[string]weightedTerm
	analyser *analyser
	// The starts of the words, to skip other words quickly: the bytes of words of one
	// letter, and the hashes of the first two bytes of longer ones.
	one, two [256]bool
}

// hashPair returns a hash of two bytes that ignores the case of letters.
func hashPair(a, b byte) byte { return (a|0x20)*31 + (b | 0x20) }

// addStart adds the start of a word.
func (m *Matcher) addStart(word string) {
	word = strings.TrimPrefix(word, ".") // of .net
	if word == "" {
		return
	}
	m.one[word[0]|0x20] = true
	if len(word) > 1 {
		m.two[hashPair(word[0], word[1])] = true
		if word[1] == 'i' { // the only stems that start differently from their word: dying, die
			m.two[hashPair(word[0], 'y')] = true
		}
	}
}

// skip returns the position of the next word at or after i that may match. It skips
// separators and words of small letters with an optional capital at the start.
// Words with parts may always match.
func (m *Matcher) skip(text string, i int) int {
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
		} else if m.two[hashPair(a, text[i])] {
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

// weightedTerm is the term of a query that a word matches, by its index.
type weightedTerm struct {
	term   int
	weight float64
}

// maxScan is the size of the part of a text that is searched for matches, in bytes.
// Matches after it are found by the index, but not shown in snippets.
const maxScan = 64 << 10

// maxMatches is the maximum number of matches of one text.
const maxMatches = 256

// NewMatcher returns a Matcher for the alternatives of each term of a query.
func NewMatcher(language string, terms []Alternatives) *Matcher {
	m := &Matcher{words: map[string]weightedTerm{}, analyser: newAnalyser(language)}
	for i, words := range terms[:min(len(terms), maxQueryTerms)] {
		for w, weight := range words {
			if a, ok := m.words[w]; !ok || weight > a.weight {
				m.words[w] = weightedTerm{i, weight}
			}
			m.addStart(w)
		}
	}
	return m
}

// match is a place in a text that matches a term.
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
	for i, more := m.skip(text, 0), true; more && i < len(text); i = m.skip(text, i) {
		i, more = wordsAt(text, i, look)
	}
	return out
}

// Found is a section that matches a query.
type Found struct {
	Section int // its index
	Score   float64
	Snippet string
}

// Sections returns the sections of a page that match the query best, at most most of
// them, in the order of the page. Each has a snippet of at most size characters.
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

// score returns the score of a text: the sum of the best matches of each term, and
// a small bonus for further matches.
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

// snippet returns at most size characters of a text around the best match, on one
// line. It starts and ends between words. It is plain text: callers must escape it
// for HTML.
func snippet(text string, found []match, size int) string {
	if size <= 0 {
		return ""
	}
	// The first of the windows that match most of the query.
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

// window returns the part of a text around a position: about a quarter of the size
// before it and the rest after it.
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
		// Start with a sentence if one starts here, otherwise with a whole word.
		if i := strings.LastIndexAny(text[start:at], ".!?。\n"); i >= 0 && start+i+1 < at {
			start += i
			_, w := utf8.DecodeRuneInString(text[start:])
			start += w
		} else if i := strings.IndexFunc(text[start:at], unicode.IsSpace); i >= 0 {
			start += i
		}
	}
	// Spaces are collapsed afterwards, so the result may be a little shorter.
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

// oneLine collapses spaces and removes control characters and invalid UTF-8.
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
