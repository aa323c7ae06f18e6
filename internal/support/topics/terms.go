package topics

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/search"
)

const (
	maxWords      = 150 // words of an issue that are compared
	minGramWord   = 6   // letters of a word from which on its grams are compared too
	gramLetters   = 4
	conceptWeight = 1.7
	gramWeight    = 0.12
)

// term is a feature by which issues are compared: a concept, the stem of a word, or a gram
// of a word. Grams let misspelt and compound words match.
type term struct {
	name   string
	gram   bool
	weight float64
}

// unmasked removes the replacements of personal data, which are not part of a topic.
var unmasked = strings.NewReplacer(maskedEmail, " ", maskedPhone, " ", maskedCard, " ")

// terms returns the terms of a text in a language, sorted by name. The order matters,
// because sums of floating-point numbers depend on it.
func terms(text, language string) []term {
	var words, stems []string
	search.EachStem(unmasked.Replace(text), language, func(word, stem string) bool {
		words, stems = append(words, word), append(stems, stem)
		return len(words) < maxWords
	})
	var out []term
	for i := 0; i < len(words); {
		if e, n := lexicon.phrase(words[i:]); n > 0 {
			out = append(out, term{"c:" + e.concept, false, conceptWeight})
			i += n
			continue
		}
		out = appendWord(out, words[i], stems[i], language)
		i++
	}
	return counted(out)
}

func appendWord(out []term, word, stem, language string) []term {
	if wordSets[language][word] {
		return out
	}
	if e, ok := lexicon.word(word); ok {
		return append(out, term{"c:" + e.concept, false, conceptWeight})
	}
	if lexicon.ignored[word] || lexicon.ignored[stem] || utf8.RuneCountInString(word) < 2 || isNumber(word) {
		return out
	}
	out = append(out, term{"w:" + stem, false, 1})
	letters := []rune(word)
	if len(letters) < minGramWord {
		return out
	}
	for i := 0; i+gramLetters <= len(letters); i++ {
		out = append(out, term{"g:" + string(letters[i:i+gramLetters]), true, gramWeight})
	}
	return out
}

func isNumber(w string) bool {
	return strings.IndexFunc(w, func(r rune) bool { return !unicode.IsDigit(r) }) < 0
}

// counted sorts terms and combines equal ones. The weight of a repeated term grows with
// the logarithm of its count.
func counted(all []term) []term {
	slices.SortFunc(all, func(a, b term) int { return cmp.Compare(a.name, b.name) })
	out := all[:0]
	for i := 0; i < len(all); {
		j := i
		for j < len(all) && all[j].name == all[i].name {
			j++
		}
		t := all[i]
		t.weight *= 1 + math.Log(float64(j-i))
		out = append(out, t)
		i = j
	}
	return out
}
