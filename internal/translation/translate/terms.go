package translate

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Glossary finds terms in texts. It may have very many terms: it is a trie by the words
// of terms, so the cost of a search depends on the text and on the longest term only.
type Glossary struct {
	next map[string]*Glossary
	term Term // the term that ends at this node; zero: none
}

// NewGlossary returns a glossary of terms. It leaves out terms without words or without a
// translation. Of several terms with the same words, it keeps the first in the order of
// byText.
func NewGlossary(terms []Term) *Glossary {
	root := &Glossary{}
	for _, t := range terms {
		at := root
		for _, w := range wordsOf(escaper.Replace(t.From)) {
			if at.next[w.text] == nil {
				if at.next == nil {
					at.next = map[string]*Glossary{}
				}
				at.next[w.text] = &Glossary{}
			}
			at = at.next[w.text]
		}
		if at != root && strings.TrimSpace(t.To) != "" && (at.term == Term{} || byText(t, at.term) < 0) {
			at.term = t
		}
	}
	return root
}

// byText compares two terms, for a deterministic order.
func byText(a, b Term) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) }

// Terms returns the terms that occur in texts in the protected form, each once.
func (g *Glossary) Terms(texts ...string) []Term {
	found := map[Term]bool{}
	for _, t := range texts {
		for _, m := range g.find(t) {
			found[m.term] = true
		}
	}
	return slices.SortedFunc(maps.Keys(found), byText)
}

// match is an occurrence of a term in a text.
type match struct {
	start, end int
	term       Term
}

// find returns the occurrences of terms in a text: the longest one at each word, without
// overlaps.
func (g *Glossary) find(text string) []match {
	if g == nil || len(g.next) == 0 {
		return nil
	}
	words := wordsOf(text)
	var out []match
	for i := 0; i < len(words); i++ {
		last := i - 1
		for at, k := g.next[words[i].text], i; at != nil; at = at.next[words[k].text] {
			if at.term != (Term{}) {
				if last >= i {
					out = out[:len(out)-1] // replace a shorter match
				}
				out = append(out, match{words[i].start, words[k].end, at.term})
				last = k
			}
			// A placeholder is never inside of a term.
			if k++; k == len(words) || strings.ContainsAny(text[words[k-1].end:words[k].start], "<>") {
				break
			}
		}
		i = max(i, last)
	}
	return out
}

// word is a word of a text in the protected form.
type word struct {
	text       string // in lower case
	start, end int
}

// wordsOf returns the words outside of placeholders and entities. In scripts without
// spaces, each character is a word.
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

// Context returns a hash of everything except the text itself that affects its
// translation, or "" if there are neither instructions nor terms.
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

// mask replaces terms by placeholders, for engines without support for glossaries. unmask
// replaces these placeholders in an answer by the translations of the terms. It returns
// "" if a placeholder was lost or duplicated.
func mask(text string, g *Glossary) (masked string, unmask func(string) string) {
	found := g.find(text)
	if len(found) == 0 {
		return text, func(s string) string { return s }
	}
	const first = 100_000 // greater than the ids of the text
	var b strings.Builder
	at := 0
	for i, m := range found {
		_, _ = io.WriteString(&b, text[at:m.start])
		fmt.Fprintf(&b, `<x id="%d"/>`, first+i)
		at = m.end
	}
	b.WriteString(text[at:])
	return b.String(), func(s string) string {
		seen := map[int]bool{}
		lost := false
		s = placeholder.ReplaceAllStringFunc(s, func(tag string) string {
			id := 0
			if _, err := fmt.Sscanf(tag, `<x id="%d"`, &id); err != nil || id < first || id-first >= len(found) {
				return tag
			}
			lost = lost || seen[id]
			seen[id] = true
			return escaper.Replace(found[id-first].term.To)
		})
		if lost || len(seen) != len(found) {
			return ""
		}
		return s
	}
}
