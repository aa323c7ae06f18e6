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
	maxWords      = 150 // of an issue that are compared
	minGramWord   = 6   // letters of a word that is compared by parts too
	gramLetters   = 4
	conceptWeight = 1.7
	gramWeight    = 0.12
)

// term is something that issues are compared by: a concept, the stem of a word, or a
// part of a word, which lets misspelt and compound words match.
type term struct {
	name   string
	gram   bool
	weight float64
}

// unmasked drops what personal data was replaced by, which is no topic.
var unmasked = strings.NewReplacer(maskedEmail, " ", maskedPhone, " ", maskedCard, " ")

// terms returns what a text in a language is compared by, sorted by name. The order
// matters: sums of floating-point numbers depend on it.
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

// counted sorts terms and joins equal ones: what is there twice weighs more, but not twice
// as much.
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
