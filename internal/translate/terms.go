package translate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Glossary finds terms in texts. It may have very many of them: what is looked up is
// the words of the text.
type Glossary struct{ byFirst map[string][]entry }

type entry struct {
	term  Term
	words []string // in lower case
}

// NewGlossary returns a glossary of terms. Those without words are left out.
func NewGlossary(terms []Term) *Glossary {
	g := &Glossary{byFirst: map[string][]entry{}}
	for _, t := range terms {
		e := entry{term: t}
		for _, w := range wordsOf(escaper.Replace(t.From)) {
			e.words = append(e.words, w.text)
		}
		if len(e.words) > 0 && strings.TrimSpace(t.To) != "" {
			g.byFirst[e.words[0]] = append(g.byFirst[e.words[0]], e)
		}
	}
	for _, list := range g.byFirst { // the longest first, then an order that is always the same
		slices.SortFunc(list, func(a, b entry) int {
			return cmp.Or(len(b.words)-len(a.words), cmp.Compare(a.term.From, b.term.From), cmp.Compare(a.term.To, b.term.To))
		})
	}
	return g
}

// Terms returns the terms that occur in a text in the protected form, each once.
func (g *Glossary) Terms(text string) []Term {
	var out []Term
	for _, m := range g.find(text) {
		if !slices.Contains(out, m.term) {
			out = append(out, m.term)
		}
	}
	slices.SortFunc(out, func(a, b Term) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return out
}

// match is a place where a term is.
type match struct {
	start, end int
	term       Term
}

func (g *Glossary) find(text string) []match {
	if g == nil || len(g.byFirst) == 0 {
		return nil
	}
	words := wordsOf(text)
	var out []match
	for i := 0; i < len(words); i++ {
		for _, e := range g.byFirst[words[i].text] {
			if k := len(e.words); follows(text, words[i:], e.words) {
				out = append(out, match{words[i].start, words[i+k-1].end, e.term})
				i += k - 1
				break
			}
		}
	}
	return out
}

// follows reports whether words begin with those of a term, without a placeholder
// between them.
func follows(text string, words []word, term []string) bool {
	if len(words) < len(term) {
		return false
	}
	for i, w := range term {
		if words[i].text != w || i > 0 && strings.ContainsAny(text[words[i-1].end:words[i].start], "<>") {
			return false
		}
	}
	return true
}

// word is a word of a text in the protected form.
type word struct {
	text       string // in lower case
	start, end int
}

// wordsOf returns the words outside of placeholders and entities. In scripts without
// spaces each character is one.
func wordsOf(text string) []word {
	var out []word
	start := -1
	end := func(at int) {
		if start >= 0 {
			out = append(out, word{strings.ToLower(text[start:at]), start, at})
			start = -1
		}
	}
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case r == '<':
			end(i)
			if k := strings.IndexByte(text[i:], '>'); k >= 0 {
				size = k + 1
			}
		case r == '&':
			end(i)
			if k := strings.IndexByte(text[i:], ';'); k > 0 && k < 8 {
				size = k + 1
			}
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
			end(i)
			start = i
			end(i + size)
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if start < 0 {
				start = i
			}
		default:
			end(i)
		}
		i += size
	}
	end(len(text))
	return out
}

// Context identifies what besides a text decides about its translation.
func Context(instructions string, terms []Term) string {
	if instructions == "" && len(terms) == 0 {
		return ""
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q", instructions)
	for _, t := range terms {
		fmt.Fprintf(h, "\n%q=%q", t.From, t.To)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// mask replaces terms by placeholders, for engines that know no glossaries. unmask
// puts the translations of the terms into an answer; it returns an empty text if
// one was lost.
func mask(text string, g *Glossary) (masked string, unmask func(string) string) {
	found := g.find(text)
	if len(found) == 0 {
		return text, func(s string) string { return s }
	}
	const first = 100_000 // ids of the text itself are lower
	var b strings.Builder
	at := 0
	for i, m := range found {
		_, _ = io.WriteString(&b, text[at:m.start])
		fmt.Fprintf(&b, `<x id="%d"/>`, first+i)
		at = m.end
	}
	b.WriteString(text[at:])
	return b.String(), func(s string) string {
		for i, m := range found {
			before, after, ok := strings.Cut(s, fmt.Sprintf(`<x id="%d"/>`, first+i))
			if !ok {
				return ""
			}
			s = before + escaper.Replace(m.term.To) + after
		}
		return s
	}
}
