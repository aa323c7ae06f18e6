package store

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/search"
)

// read finds the words of the index that answer the query, and where they
// are.
func (s *searcher) read(ctx context.Context, typos bool) error {
	for _, g := range s.groups {
		for try := 1; ; try++ {
			whole, err := g.read(ctx, s.r, typos)
			if err != nil {
				return err
			}
			if whole {
				break
			}
			// A segment that a bucket speaks of is gone: it was merged
			// between two statements.
			if try == searchTries {
				return search.ErrDamaged
			}
		}
	}
	return nil
}

// layersAtOnce bounds how many layers one statement reads.
const layersAtOnce = 16

func (g *searchGroup) read(ctx context.Context, r Reader, typos bool) (whole bool, err error) {
	g.pages, g.matcher = 0, nil
	for _, t := range g.terms {
		t.words = map[string]*searchWord{}
	}
	var parts []*layerPart
	for from := 0; from < len(g.layers); from += layersAtOnce {
		p := newLayerPart(g, from, min(from+layersAtOnce, len(g.layers)))
		if err := p.readWords(ctx, r, typos); err != nil {
			return false, err
		}
		parts = append(parts, p)
	}
	for _, t := range g.terms {
		t.choose()
	}
	for _, p := range parts {
		if err := p.readLists(ctx, r); err != nil {
			return false, err
		}
		if len(p.missing()) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// choose keeps a bounded number of words for the term.
func (t *searchTerm) choose() {
	var continued, meant []string
	for w, v := range t.words {
		switch {
		case v.weight >= search.WeightStem:
		case v.weight == search.WeightPrefix:
			continued = append(continued, w)
		default:
			meant = append(meant, w)
		}
	}
	better := func(a, b string) int {
		va, vb := t.words[a], t.words[b]
		return cmp.Or(cmp.Compare(vb.weight, va.weight), cmp.Compare(vb.pages, va.pages), cmp.Compare(a, b))
	}
	cut := func(words []string, most int) {
		if len(words) <= most {
			return
		}
		slices.SortFunc(words, better)
		for _, w := range words[most:] {
			delete(t.words, w)
		}
	}
	cut(continued, maxContinued)
	cut(meant, maxMeant)
}

// note adds a place where a word of the index is, to the terms it answers.
func (g *searchGroup) note(word []byte, typos bool, pages int, list wordList) {
	for _, t := range g.terms {
		if !t.mayBe(word, typos) {
			continue
		}
		if v, ok := t.words[string(word)]; ok {
			list.data = bytes.Clone(list.data)
			v.pages += int64(pages)
			v.lists = append(v.lists, list)
			continue
		}
		w := string(word)
		if weight := t.Weight(w, typos); weight > 0 {
			list.data = bytes.Clone(list.data)
			t.words[w] = &searchWord{weight: weight, pages: int64(pages), lists: []wordList{list}}
		}
	}
}

// mayBe is a quick look whether a word can answer the term at all.
func (t *searchTerm) mayBe(word []byte, typos bool) bool {
	if len(word) == 0 {
		return false
	}
	if typos && t.Typos > 0 {
		return word[0] == t.Text[0] || len(t.Text) > 1 && (t.Text[1] == word[0] || t.Text[0] >= utf8.RuneSelf)
	}
	return string(word) == t.Text || string(word) == t.Stem || t.Prefix && len(word) > len(t.Text) && string(word[:len(t.Text)]) == t.Text
}

// layerPart is some layers of a group, as many as a statement reads.
type layerPart struct {
	*searchGroup
	first, end int
	args       []any  // the layers, as the first arguments of a statement
	in         string // their place in it
	index      map[string]int
	lists      map[listPlace][]byte
	wanted     []wanted
}

// listPlace is where the postings of a common word are.
type listPlace struct {
	layer   int
	segment int64
	word    string
}

func newLayerPart(g *searchGroup, first, end int) *layerPart {
	p := &layerPart{searchGroup: g, first: first, end: end, index: map[string]int{}, lists: map[listPlace][]byte{}, wanted: wantedBy(g.terms)}
	for i := first; i < end; i++ {
		p.args = append(p.args, g.layers[i].id)
		p.index[g.layers[i].id] = i
	}
	p.in = holes(1, &p.args, len(p.args))
	return p
}

// CROSS JOIN tells SQLite in which order to read: the few segments first.
const fromIndex = `
	SELECT i.layer_id, i.segment, i.key, i.data
	FROM search_segments s CROSS JOIN search_index i
	WHERE i.layer_id = s.layer_id AND i.segment = s.segment AND s.layer_id IN `

// readWords finds the words that answer the query. One statement reads what
// waits, the number of pages and what segments say, so that a page that
// becomes part of a segment meanwhile is neither missed nor found twice.
func (p *layerPart) readWords(ctx context.Context, r Reader, typos bool) error {
	var ranges [][2]string
	keys := map[string]bool{}
	for _, t := range p.terms {
		for _, w := range []string{t.Text, t.Stem} {
			keys[search.ListKey(w)] = true
			for _, k := range search.BucketKeys(w) {
				keys[k] = true
			}
		}
		if t.Prefix {
			ranges = append(ranges, t.PrefixKeys())
		}
		if typos {
			ranges = append(ranges, t.TypoKeys()...)
		}
	}
	ranges = joinRanges(ranges)
	// No bucket is read twice.
	maps.DeleteFunc(keys, func(k string, _ bool) bool {
		return slices.ContainsFunc(ranges, func(r [2]string) bool { return r[0] <= k && k < r[1] })
	})
	args := slices.Clone(p.args)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		args = append(args, k)
	}
	in := holes(len(p.args)+1, &args, len(keys))
	err := p.readRows(ctx, r, typos, `
		SELECT layer_id, id, '', terms FROM search_pending WHERE layer_id IN `+p.in+`
		UNION ALL
		SELECT layer_id, pages, '#', NULL FROM search_segments WHERE layer_id IN `+p.in+`
		UNION ALL`+fromIndex+p.in+` AND i.key IN `+in, args)
	for _, keys := range ranges {
		if err != nil {
			return err
		}
		n := int64(len(p.args))
		err = p.readRows(ctx, r, typos, fromIndex+p.in+` AND i.key >= $`+itoa(n+1)+` AND i.key < $`+itoa(n+2),
			append(slices.Clone(p.args), keys[0], keys[1]))
	}
	return err
}

// readRows takes rows of four kinds: an entry that waits, the size of a
// segment, a bucket and a list.
func (p *layerPart) readRows(ctx context.Context, r Reader, typos bool, text string, args []any) error {
	rows, err := r.run.query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var layer, key string
		var number int64
		var data sql.RawBytes // valid until the next row: what is kept is copied
		if err := rows.Scan(&layer, &number, &key, &data); err != nil {
			return err
		}
		at := p.index[layer]
		switch {
		case key == "#":
			p.pages += number
		case key == "":
			p.pages++
			for word, impact := range p.termsOf(data, typos) {
				p.note(word, typos, 1, wordList{layer: at, posting: search.Posting{ID: number, Impact: impact}})
			}
		case search.IsList(key):
			p.lists[listPlace{at, number, search.ListWord(key)}] = bytes.Clone(data)
		default:
			if !p.eachWord(data, typos, func(w search.Word) bool {
				p.note(w.Term, typos, w.Pages, wordList{layer: at, segment: number, data: w.Postings})
				return true
			}) {
				return search.ErrDamaged
			}
		}
	}
	return rows.Err()
}

// wanted is a word that a query asks for, or the beginning of one.
type wanted struct {
	word      string
	beginning bool
}

// wantedBy gives what terms ask for as they are written. No word of an index
// answers two of them.
func wantedBy(terms []*searchTerm) []wanted {
	var all []wanted
	for _, t := range terms {
		all = append(all, wanted{t.Text, t.Prefix}, wanted{t.Stem, false})
	}
	var out []wanted
	for i, w := range all {
		if !slices.ContainsFunc(all, func(v wanted) bool {
			return v.beginning && strings.HasPrefix(w.word, v.word) && v != w
		}) && !slices.Contains(all[:i], w) {
			out = append(out, w)
		}
	}
	return out
}

// termsOf gives the terms of a page that waits that may answer the query.
func (p *layerPart) termsOf(data []byte, typos bool) iter.Seq2[[]byte, search.Impact] {
	if typos {
		return search.DecodeDoc(data)
	}
	return func(yield func([]byte, search.Impact) bool) {
		for _, w := range p.wanted {
			for term, impact := range search.DocTerms(data, w.word, w.beginning) {
				if !yield(term, impact) {
					return
				}
			}
		}
	}
}

// eachWord reads the words of a bucket that may answer the query; false if
// it is damaged.
func (p *layerPart) eachWord(data []byte, typos bool, fn func(search.Word) bool) bool {
	if typos {
		return search.EachWord(data, fn)
	}
	for _, w := range p.wanted {
		if !search.EachWordOf(data, w.word, w.beginning, fn) {
			return false
		}
	}
	return true
}

// joinRanges gives ranges that do not overlap, so that nothing is read twice.
func joinRanges(ranges [][2]string) [][2]string {
	slices.SortFunc(ranges, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	var out [][2]string
	for _, r := range ranges {
		if n := len(out) - 1; n >= 0 && r[0] <= out[n][1] {
			out[n][1] = max(out[n][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}

// missing gives the words whose postings in the part are still to be read,
// after filling in those that were.
func (p *layerPart) missing() map[string]bool {
	out := map[string]bool{}
	for _, t := range p.terms {
		for word, v := range t.words {
			for i := range v.lists {
				l := &v.lists[i]
				if l.data != nil || l.posting.ID != 0 || l.layer < p.first || l.layer >= p.end {
					continue
				}
				if l.data = p.lists[listPlace{l.layer, l.segment, word}]; l.data == nil {
					out[word] = true
				}
			}
		}
	}
	return out
}

// readLists reads the postings of common words.
func (p *layerPart) readLists(ctx context.Context, r Reader) error {
	words := p.missing()
	if len(words) == 0 {
		return nil
	}
	args := slices.Clone(p.args)
	for _, w := range slices.Sorted(maps.Keys(words)) {
		args = append(args, search.ListKey(w))
	}
	in := holes(len(p.args)+1, &args, len(words))
	return p.readRows(ctx, r, false, fromIndex+p.in+` AND i.key IN `+in, args)
}

// scored is an entry and how well it answers.
type scored struct {
	id    int64
	score float64
	share float64 // of the query that it answers
}

// rankedTerm is a term with its entries in each layer.
type rankedTerm struct {
	optional bool
	weight   float64
	layers   [][]scored
}

// rank gives the entries that answer each term, in the order of their ids.
func (g *searchGroup) rank() ([]rankedTerm, error) {
	out := make([]rankedTerm, len(g.terms))
	for i, t := range g.terms {
		out[i] = rankedTerm{optional: t.Optional, layers: make([][]scored, len(g.layers))}
		var buffer []search.Posting
		for _, name := range slices.Sorted(maps.Keys(t.words)) {
			w := t.words[name]
			for _, l := range w.lists {
				var whole bool
				if l.posting.ID != 0 {
					buffer, whole = append(buffer[:0], l.posting), true
				} else {
					buffer, whole = search.ReadPostings(buffer[:0], l.data)
				}
				if !whole {
					return nil, search.ErrDamaged
				}
				list := out[i].layers[l.layer]
				if room := maxPostings - len(list); len(buffer) > room {
					buffer = buffer[:room]
				}
				list = slices.Grow(list, len(buffer))
				for _, p := range buffer {
					list = append(list, scored{p.ID, w.weight * p.Impact.Float(), 0})
				}
				out[i].layers[l.layer] = list
			}
		}
		pages := 0
		for l, list := range out[i].layers {
			out[i].layers[l] = inOrder(list)
			pages += len(out[i].layers[l])
		}
		if pages == 0 {
			continue // nobody can have it, so it does not count
		}
		// A rare word says more.
		all := max(float64(g.pages), float64(pages))
		rare := math.Log(1 + (all-float64(pages)+0.5)/(float64(pages)+0.5))
		out[i].weight = rare
		for _, list := range out[i].layers {
			for j := range list {
				list[j].score *= rare
			}
		}
	}
	return out, nil
}

// inOrder sorts entries by id and keeps the best of those that are there
// twice.
func inOrder(list []scored) []scored {
	ascending := true
	for i := 1; i < len(list) && ascending; i++ {
		ascending = list[i-1].id < list[i].id
	}
	if ascending {
		return list
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(a.id, b.id) })
	out := list[:1]
	for _, s := range list[1:] {
		if last := &out[len(out)-1]; last.id == s.id {
			last.score = max(last.score, s.score)
			continue
		}
		out = append(out, s)
	}
	return out
}

// combine gives the entries of a layer that have all terms, or most of them.
func combine(terms []rankedTerm, layer int, most bool) []scored {
	var out []scored
	total := 0.0
	started := false
	// The rarest first: what it does not have is not looked at again.
	order := slices.Clone(terms)
	slices.SortStableFunc(order, func(a, b rankedTerm) int { return cmp.Compare(len(a.layers[layer]), len(b.layers[layer])) })
	for _, t := range order {
		if t.optional {
			continue
		}
		total += t.weight
		list := t.layers[layer]
		switch {
		case most:
			out = union(out, list, t.weight)
		case !started:
			out = slices.Clone(list)
		default:
			out = intersect(out, list)
		}
		started = true
		if !most && len(out) == 0 {
			return nil
		}
	}
	if most {
		out = slices.DeleteFunc(out, func(s scored) bool { return s.share < total/2 })
	}
	for _, t := range terms {
		if t.optional {
			addTo(out, t.layers[layer])
		}
	}
	return out
}

// intersect keeps the entries of a that are in b too.
func intersect(a, b []scored) []scored {
	out := a[:0]
	j := 0
	for _, s := range a {
		j += gallop(b[j:], s.id)
		if j == len(b) {
			break
		}
		if b[j].id == s.id {
			s.score += b[j].score
			out = append(out, s)
		}
	}
	return out
}

// gallop gives the index of the first entry that is not before id.
func gallop(list []scored, id int64) int {
	step := 1
	for step < len(list) && list[step-1].id < id {
		step *= 2
	}
	from := step / 2
	n, _ := slices.BinarySearchFunc(list[from:min(step, len(list))], id, func(s scored, id int64) int { return cmp.Compare(s.id, id) })
	return from + n
}

// addTo adds the scores of b to those entries of a that it has.
func addTo(a, b []scored) {
	j := 0
	for i := range a {
		if j += gallop(b[j:], a[i].id); j == len(b) {
			return
		}
		if b[j].id == a[i].id {
			a[i].score += b[j].score
		}
	}
}

// union merges two lists.
func union(a, b []scored, share float64) []scored {
	out := make([]scored, 0, len(a)+len(b))
	i := 0
	for _, s := range b {
		for i < len(a) && a[i].id < s.id {
			out = append(out, a[i])
			i++
		}
		s.share = share
		if i < len(a) && a[i].id == s.id {
			s.score += a[i].score
			s.share += a[i].share
			i++
		}
		out = append(out, s)
	}
	return append(out, a[i:]...)
}
