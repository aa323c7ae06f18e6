package topics

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/search"
)

// Words returns the words of a text that say what it is about, as they are searched for: at
// most limit, in their order.
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

// Coverage returns which share of the topic of a text another text is about, between 0 and 1. Words
// of other languages count as the same where their meaning is known.
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
