package topics

import (
	"cmp"
	"slices"

	"github.com/octavo-docs/octavo/internal/search"
)

// Words returns the first informative words of a text, at most limit, for use in a
// search.
func Words(text string, limit int) []string {
	language := Language(text)
	var out []string
	search.EachStem(unmasked.Replace(text), language, func(word, stem string) bool {
		if len(appendWord(nil, word, stem, language)) > 0 && !slices.Contains(out, word) {
			out = append(out, word)
		}
		return len(out) < limit
	})
	return out
}

// Shared returns the words that occur in the most texts, the most common first and at most
// limit. Words with the same stem count as one, in the form that occurs first.
func Shared(texts []string, limit int) []string {
	type shared struct {
		word  string
		texts int
	}
	var all []*shared
	known := map[string]*shared{}
	for _, text := range texts {
		language, here := Language(text), map[string]bool{}
		search.EachStem(unmasked.Replace(text), language, func(word, stem string) bool {
			if here[stem] || len(appendWord(nil, word, stem, language)) == 0 {
				return true
			}
			here[stem] = true
			if known[stem] == nil {
				known[stem] = &shared{word: word}
				all = append(all, known[stem])
			}
			known[stem].texts++
			return true
		})
	}
	slices.SortStableFunc(all, func(a, b *shared) int { return cmp.Compare(b.texts, a.texts) })
	var out []string
	for _, s := range all[:min(limit, len(all))] {
		if s.texts > 1 || len(texts) < 3 { // a word of one text among many is not shared
			out = append(out, s.word)
		}
	}
	return out
}

// Coverage returns the weighted share of the terms of topic that occur in text, between 0
// and 1. Words of different languages match if they have the same concept.
func Coverage(topic, text string) float64 {
	have := map[string]bool{}
	for _, t := range terms(text, Language(text)) {
		have[t.name] = true
	}
	all, found := 0.0, 0.0
	for _, t := range terms(topic, Language(topic)) {
		if t.gram {
			continue
		}
		all += t.weight
		if have[t.name] {
			found += t.weight
		}
	}
	if all == 0 {
		return 0
	}
	return found / all
}
