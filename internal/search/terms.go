package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// role is the relation of a form to its word.
type role uint8

const (
	surface role = iota // the word, or a part of it, as written
	stemmed             // its stem, if that differs from it
	whole               // the word that the other forms are parts of
)

// form is one of the terms under which a word is indexed.
type form struct {
	term       *term
	role       role
	start, end int
}

// analyser splits texts of one language into forms.
type analyser struct {
	lexicon
	stemmer *stemmer
	parts   [][2]int // scratch
}

func newAnalyser(language string) *analyser {
	return &analyser{lexicon: lexicon{terms: map[string]*term{}}, stemmer: newStemmer(language)}
}

// stem returns the stem of a term, which may be the term itself.
func (a *analyser) stem(t *term) *term {
	if t.stem == nil {
		t.stem = a.named(a.stemmer.stem(t.text))
	}
	return t.stem
}

// word calls fn for the forms of one word, or of one run of a script without
// spaces.
func (a *analyser) word(text string, start, end int, unspaced bool, fn func(form)) {
	if unspaced {
		eachPiece(text, start, end, func(s, e int) bool {
			if t := a.of(text[s:e]); t != nil {
				fn(form{t, surface, s, e})
			}
			return true
		})
		return
	}
	if isSimple(text[start:end]) {
		a.simple(text, start, end, fn)
	} else {
		a.compound(text, start, end, fn)
	}
	a.symbols(text, start, end, fn)
}

// isSimple reports whether a word has a single part: letters of one case, with
// an optional capital at the start.
func isSimple(w string) bool {
	lower := false
	for i := 0; i < len(w); i++ {
		switch c := w[i]; {
		case 'a' <= c && c <= 'z':
			lower = true
		case 'A' <= c && c <= 'Z':
			if lower {
				return false
			}
		case '0' <= c && c <= '9':
		default:
			return false // compound handles words that are not ASCII
		}
	}
	// HTTPServer is two words, Hello is one.
	return !lower || len(w) < 2 || w[1] >= 'a' || w[1] <= '9'
}

func (a *analyser) simple(text string, start, end int, fn func(form)) {
	t := a.of(text[start:end])
	if t == nil {
		return
	}
	fn(form{t, surface, start, end})
	if s := a.stem(t); s != t {
		fn(form{s, stemmed, start, end})
	}
}

// compound calls fn for the parts of a word, and for the whole word without
// separators.
func (a *analyser) compound(text string, start, end int, fn func(form)) {
	w := text[start:end]
	a.parts = split(w, a.parts[:0])
	if len(a.parts) == 0 {
		return
	}
	if len(a.parts) == 1 {
		p := a.parts[0]
		a.simple(text, start+p[0], start+p[1], fn)
		return
	}
	possessive := false
	for i, p := range a.parts {
		// The 's of it's and the 't of don't are not words.
		if i > 0 && p[1]-p[0] <= 2 && isApostrophe(w, p[0]) && p[1] == len(w) {
			possessive = true
			continue
		}
		a.simple(text, start+p[0], start+p[1], fn)
	}
	if possessive && len(a.parts) == 2 {
		return
	}
	if t := a.of(joined(w)); t != nil {
		fn(form{t, whole, start, end})
	}
}

func isApostrophe(w string, at int) bool {
	return strings.HasSuffix(w[:at], "'") || strings.HasSuffix(w[:at], "’")
}

// joined returns a word without its separators, so that foo_bar and fooBar are
// the same term. Separators between digits stay, because 1.23 is not 12.3.
func joined(w string) string {
	var b strings.Builder
	var prev rune
	var pending rune
	for _, r := range w {
		switch {
		case isAlphanumeric(r) || unicode.IsMark(r):
			if pending != 0 && (unicode.IsNumber(prev) && unicode.IsNumber(r)) {
				b.WriteRune(pending)
			}
			b.WriteRune(r)
			prev, pending = r, 0
		case prev != 0:
			pending = r
		}
	}
	return b.String()
}

// split appends the parts of a word. A part ends at every character that is not
// a letter or a digit, and before a capital letter that follows a small one.
func split(w string, parts [][2]int) [][2]int {
	start := -1
	var prev rune
	end := func(at int) {
		if start >= 0 && len(parts) < maxParts {
			parts = append(parts, [2]int{start, at})
		}
		start = -1
	}
	for i, r := range w {
		switch {
		case unicode.IsMark(r) && start >= 0:
			continue // belongs to the letter before it
		case !isAlphanumeric(r):
			end(i)
		case start >= 0 && unicode.IsUpper(r) && unicode.IsLower(prev):
			end(i)
			start = i
		case start >= 0 && unicode.IsUpper(prev) && unicode.IsUpper(r) && startsLower(w[i+utf8.RuneLen(r):]):
			// A capital before small letters starts a new part: HTTPServer, but
			// not URLs.
			end(i)
			start = i
		case start < 0:
			start = i
		}
		prev = r
	}
	end(len(w))
	return parts
}

// startsLower reports whether s starts with at least two small letters.
func startsLower(s string) bool {
	r, n := utf8.DecodeRuneInString(s)
	if !unicode.IsLower(r) {
		return false
	}
	r, _ = utf8.DecodeRuneInString(s[n:])
	return unicode.IsLower(r)
}

// symbols calls fn for names that include signs around a word: C++, C#, .NET.
func (a *analyser) symbols(text string, start, end int, fn func(form)) {
	if end < len(text) && (text[end] == '+' || text[end] == '#') && end-start <= 8 {
		e := end + 1
		for e < len(text) && e < end+2 && text[e] == text[end] {
			e++
		}
		if e == len(text) || !isWordByte(text[e]) && text[e] < utf8.RuneSelf && text[e] != text[end] {
			if t := fold(text[start:end]); t != "" {
				fn(form{a.named(t + text[end:e]), whole, start, e})
			}
		}
	}
	if start > 0 && text[start-1] == '.' && end-start <= 8 && (start == 1 || isSpaceByte(text[start-2]) || text[start-2] == '(') {
		if t := fold(text[start:end]); t != "" && isAlphanumeric(rune(t[0])) {
			fn(form{a.named("." + t), whole, start - 1, end})
		}
	}
}
