package searchrows

import (
	"context"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// searchTries is the maximum number of attempts of a search. It starts again if
// segments were merged while it read them, or if a page was written that it was about
// to return.
const searchTries = 5

// layersAtOnce is the maximum number of layers that one statement reads.
const layersAtOnce = 16

// read reads the rows that answer the query in all groups.
func (s *searcher) read(ctx context.Context, typos bool) error {
	for _, g := range s.groups {
		for try := 1; ; try++ {
			complete, err := g.read(ctx, s.r, typos)
			if err != nil {
				return err
			}
			if complete && !(g.folded && try < searchTries) {
				break
			}
			// A bucket refers to a row of a segment that was merged into
			// another one between two statements.
			if try == searchTries {
				return search.ErrDamaged
			}
		}
	}
	return nil
}

// read reads the rows that answer the query. It reports false if rows are
// missing.
func (g *searchGroup) read(ctx context.Context, r IndexReads, typos bool) (complete bool, err error) {
	left := budget.FromContext(ctx)
	spend := func(words int) bool { return left.Spend(budget.Words, int64(words)) == nil }
	g.lookup, g.matcher, g.folded = search.NewLookup(g.terms, len(g.layers), typos, spend), nil, false
	var blocks []*layerBlock
	for from := 0; from < len(g.layers); from += layersAtOnce {
		b := newLayerBlock(g, from, min(from+layersAtOnce, len(g.layers)))
		if err := b.readWords(ctx, r); err != nil {
			return false, err
		}
		blocks = append(blocks, b)
	}
	g.lookup.LimitWords()
	for _, b := range blocks {
		if err := b.readLists(ctx, r); err != nil {
			return false, err
		}
		if len(g.lookup.MissingLists(b.first, b.end)) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// layerBlock is as many layers of a group as one statement reads.
type layerBlock struct {
	group      *searchGroup
	lookup     *search.Lookup
	first, end int
	args       []any          // the layers, as the first arguments of a statement
	in         string         // their parameters
	index      map[string]int // from the id of a layer to its number in the group
}

func newLayerBlock(g *searchGroup, first, end int) *layerBlock {
	b := &layerBlock{group: g, lookup: g.lookup, first: first, end: end, index: map[string]int{}}
	var ids []string
	for i := first; i < end; i++ {
		g.layers[i].wasRead, g.layers[i].segment = true, 0
		ids = append(ids, g.layers[i].id)
		b.index[g.layers[i].id] = i
	}
	b.in = engine.ListOf(&b.args, ids)
	return b
}

// CROSS JOIN makes SQLite read the few segments first.
const fromIndex = `
	SELECT i.layer_id, i.segment, i.key, i.data
	FROM search_segments s CROSS JOIN search_index i
	WHERE i.layer_id = s.layer_id AND i.segment = s.segment AND s.layer_id IN `

// readWords reads the rows with the words that answer the query. One statement
// reads the pending pages, the sizes of the segments and their rows, so that a
// page that moves into a segment meanwhile is neither missed nor found twice. Ranges
// are read by further ones, which notice new segments.
func (b *layerBlock) readWords(ctx context.Context, r IndexReads) error {
	keys, ranges := b.lookup.Keys()
	args := slices.Clone(b.args)
	in := engine.ListOf(&args, keys)
	err := b.readRows(ctx, r, `
		SELECT layer_id, id, '', terms FROM search_pending WHERE layer_id IN `+b.in+`
		UNION ALL
		SELECT layer_id, pages, '#', NULL FROM search_segments WHERE layer_id IN `+b.in+`
		UNION ALL
		SELECT layer_id, last_id, '!', NULL FROM search_layers WHERE layer_id IN `+b.in+`
		UNION ALL
		SELECT layer_id, last_segment, '?', NULL FROM search_layers WHERE layer_id IN `+b.in+`
		UNION ALL`+fromIndex+b.in+` AND i.key IN `+in, args, whole)
	for _, keys := range ranges {
		if err != nil || b.lookup.Truncated() {
			return err
		}
		n := int64(len(b.args))
		err = b.readRows(ctx, r, `
			SELECT layer_id, last_segment, '?', NULL FROM search_layers WHERE layer_id IN `+b.in+`
			UNION ALL`+fromIndex+b.in+` AND i.key >= $`+strconv.FormatInt(n+1, 10)+` AND i.key < $`+strconv.FormatInt(n+2, 10),
			append(slices.Clone(b.args), keys[0], keys[1]), b.lookup.Truncated)
	}
	return err
}

// whole reads all rows.
func whole() bool { return false }

// readRows reads rows of five kinds, which differ by the key: a pending page, the
// size of a segment, the newest entry and the newest segment of a layer, and a row of
// a segment. It stops where enough reports true.
func (b *layerBlock) readRows(ctx context.Context, r IndexReads, text string, args []any, enough func() bool) error {
	rows, err := engine.Query(ctx, r, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for !enough() && rows.Next() {
		var layer, key string
		var number int64
		var data engine.RawBytes // valid until the next row
		if err := rows.Scan(&layer, &number, &key, &data); err != nil {
			return err
		}
		at := b.index[layer]
		switch key {
		case "!":
			b.group.layers[at].lastID = number
		case "?":
			l := b.group.layers[at]
			b.group.folded = b.group.folded || l.segment != 0 && l.segment != number
			l.segment = number
		case "#":
			b.lookup.AddPages(number)
		case "":
			b.lookup.AddPending(at, number, data)
		default:
			if err := b.lookup.AddRow(at, number, key, data); err != nil {
				return err
			}
		}
	}
	return rows.Err()
}

// readLists reads the postings of common words.
func (b *layerBlock) readLists(ctx context.Context, r IndexReads) error {
	keys := b.lookup.MissingLists(b.first, b.end)
	if len(keys) == 0 {
		return nil
	}
	args := slices.Clone(b.args)
	in := engine.ListOf(&args, keys)
	return b.readRows(ctx, r, fromIndex+b.in+` AND i.key IN `+in, args, whole)
}
