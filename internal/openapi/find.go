package openapi

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/cache"
)

// Match is an operation that matches a query.
type Match struct {
	Operation *Operation
	Score     int
	// Words are the words of the operation that match the query.
	Words []string
}

// Weights of the places where words occur.
const (
	weightID       = 8
	weightPath     = 6
	weightTitle    = 5
	weightTag      = 3
	weightName     = 3 // name of a parameter or a schema
	weightProperty = 2
)

// Limits of the indexed words of an operation, of the words of a query, and of nested
// schemas.
const (
	maxFindWords   = 400
	maxQueryWords  = 10
	maxFoundLevels = 2
)

// word is a word of an operation in lower case.
type word struct {
	text   string
	weight int
}

// words holds the words of all operations. It is filled by the first search.
type words struct {
	once sync.Once
	of   [][]word // in the order of Operations, then Webhooks
}

// Find returns the operations that contain all words of a query, best match first. Words
// are searched in the path, id, title, tags, parameters, and names of schemas and
// properties. A query with a slash matches a part of the method and path instead.
func (d *Description) Find(query string, limit int) []Match {
	d.words.once.Do(func() {
		for _, o := range slices.Concat(d.Operations, d.Webhooks) {
			d.words.of = append(d.words.of, o.indexed())
		}
	})
	var out []Match
	asked := splitWords(query)
	asked = asked[:min(len(asked), maxQueryWords)]
	path := strings.ToLower(strings.TrimSpace(query))
	for i, o := range slices.Concat(d.Operations, d.Webhooks) {
		m := Match{Operation: o}
		if strings.Contains(path, "/") {
			if strings.Contains(strings.ToLower(o.Method+" "+o.Path), path) {
				m.Score = weightPath
			}
		} else if len(asked) > 0 {
			m.Score, m.Words = score(d.words.of[i], asked)
		}
		if m.Score > 0 {
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b Match) int { return cmp.Compare(b.Score, a.Score) })
	return out[:min(len(out), limit)]
}

// MatchTitle returns how well a title, and a text about the same thing, answer a query
// whose words they have all, or 0.
func MatchTitle(query, title, about string) int {
	b := &wordList{have: map[string]int{}}
	b.add(weightTitle, title)
	b.add(weightProperty, about)
	asked := splitWords(query)
	total, _ := score(b.words, asked[:min(len(asked), maxQueryWords)])
	return total
}

// score returns how well the words of an operation match a query, and the words that
// match. It returns 0 if a word of the query has no match.
func score(have []word, asked []string) (total int, found []string) {
	for _, q := range asked {
		best := word{}
		for _, w := range have {
			weight := 2 * w.weight
			if w.text != q {
				weight = w.weight
			}
			if weight > best.weight && strings.HasPrefix(w.text, q) {
				best = word{w.text, weight}
			}
		}
		if best.weight == 0 {
			return 0, nil
		}
		total += best.weight
		found = append(found, best.text)
	}
	return total, found
}

// indexes caches the words of operations by fingerprint, because a new version of a
// description shares most operations with the version before it.
var indexes = cache.New[string](maxIndexes, func(list []word) int { return indexWeight * len(list) })

const (
	maxIndexes  = 32 << 20 // bytes
	indexWeight = 40       // bytes per word
)

// indexed returns the words of an operation from the cache, or collects them.
func (o *Operation) indexed() []word {
	key := o.Fingerprint()
	if list, ok := indexes.Get(key); ok {
		return list
	}
	costly.Note(costly.Analyse)
	list := o.findWords()
	indexes.Set(key, list)
	return list
}

// findWords collects the words of an operation.
func (o *Operation) findWords() []word {
	b := &wordList{have: map[string]int{}}
	b.add(weightID, o.ID)
	b.add(weightPath, o.Path)
	b.add(weightPath, o.Method)
	b.add(weightTitle, o.Summary)
	for _, t := range o.Tags {
		b.add(weightTag, t)
	}
	for _, p := range o.Parameters() {
		b.add(weightName, p.Name)
		b.schema(p.Schema, 0)
	}
	if body := o.Body(); body != nil {
		for _, m := range body.Content {
			b.schema(m.Schema, 0)
		}
	}
	for _, r := range o.Responses() {
		for _, m := range r.Content {
			b.schema(m.Schema, 0)
		}
	}
	return b.words
}

// wordList collects words, each once with its highest weight.
type wordList struct {
	words []word
	have  map[string]int
}

func (b *wordList) add(weight int, s string) {
	list := splitWords(s)
	if whole := strings.ToLower(s); !strings.ContainsFunc(s, unicode.IsSpace) && len(list) > 1 {
		list = append(list, whole) // the whole name, as it is copied into a query
	}
	for _, w := range list {
		at, known := b.have[w]
		switch {
		case known:
			b.words[at].weight = max(b.words[at].weight, weight)
		case len(b.words) < maxFindWords:
			b.have[w] = len(b.words)
			b.words = append(b.words, word{w, weight})
		}
	}
}

// schema adds the names of a schema and of its properties, items and options.
func (b *wordList) schema(s Schema, depth int) {
	if s.IsZero() || depth > maxFoundLevels || len(b.words) >= maxFindWords {
		return
	}
	b.add(weightName, s.Name())
	v := s.view(false)
	for _, p := range v.Properties {
		if len(b.words) >= maxFindWords {
			return
		}
		b.add(weightProperty, p.Name)
		b.add(weightProperty, p.Schema.Name())
	}
	b.schema(v.Items, depth+1)
	for _, o := range v.Options[:min(len(v.Options), maxQueryWords)] {
		b.schema(o.Schema, depth+1)
	}
}

// splitWords returns the words of a text in lower case. A capital letter after a
// lower-case letter or a digit begins a new word.
func splitWords(s string) []string {
	var out []string
	var now []rune
	end := func() {
		if len(now) > 0 {
			out = append(out, strings.ToLower(string(now)))
			now = now[:0]
		}
	}
	lower := false
	for _, r := range s[:min(len(s), 1000)] {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			end()
			lower = false
			continue
		}
		if unicode.IsUpper(r) && lower {
			end()
		}
		lower = unicode.IsLower(r) || unicode.IsDigit(r)
		now = append(now, r)
	}
	end()
	return out
}
