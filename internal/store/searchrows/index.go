package searchrows

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const (
	// foldAt is the number of pending entries that are folded into a segment.
	// A search reads pending entries one by one.
	foldAt = 32
	// mergeAt is the number of segments of a level that are merged into one of
	// the next level.
	mergeAt = 4
	// mergeNow is the maximum number of pages that are merged after a change.
	// Larger merges are left to CompactSearch, because they block the writer.
	mergeNow = 128 * foldAt
	// maxSegments is the number of segments at which they are merged in any case.
	maxSegments = 64
	// rebuildStep is the number of pages that are analysed at a time.
	rebuildStep = 2000
)

// entryTerms is an entry with its terms.
type entryTerms struct {
	id    int64
	terms []byte
}

func scanEntryTerms(s engine.Scanner) (v entryTerms, err error) {
	err = s.Scan(&v.id, &v.terms)
	return v, err
}

// segment is a segment of the index of a layer.
type segment struct {
	number, level, pages int64        // number is 0 until the segment is stored
	first, last          int64        // entry ids
	rows                 []search.Row // set until the segment is stored
}

func (s segment) isStored() bool { return s.number != 0 }

func scanSegment(s engine.Scanner) (v segment, err error) {
	err = s.Scan(&v.number, &v.level, &v.pages, &v.first, &v.last)
	return v, err
}

func (r IndexReads) searchSegments(ctx context.Context, layer string) ([]segment, error) {
	return engine.Many(ctx, r, scanSegment, `
		SELECT segment, level, pages, first_id, last_id FROM search_segments
		WHERE layer_id = $1 ORDER BY segment`, layer)
}

// pendingOf returns how many of n new entries become pending: none if they are enough
// for a segment.
func pendingOf(n int) int {
	if n >= foldAt {
		return 0
	}
	return n
}

// addToIndex stores new entries as pending ones, or makes a segment of them if there
// are enough. pending is the number of all pending entries. A segment is made in the
// background and written by finish.
func (tx IndexWrites) addToIndex(ctx context.Context, layer string, pending int64, added []entryTerms) (finish func() error) {
	switch {
	case len(added) == 0:
		return func() error { return nil }
	case pendingOf(len(added)) > 0:
		return func() error { return tx.addPending(ctx, layer, pending, added) }
	}
	built := make(chan []search.Row, 1)
	go func() { built <- foldEntries(added) }()
	return func() error {
		made := segmentOf(added)
		made.rows = <-built
		if err := tx.newSegment(ctx, layer, &made); err != nil {
			return fmt.Errorf("index %s: %w", layer, err)
		}
		tx.foldLater(layer, pending)
		return nil
	}
}

// segmentOf returns the segment of entries in the order of their ids, without its rows.
func segmentOf(entries []entryTerms) segment {
	pages := int64(len(entries))
	return segment{level: levelOf(pages), pages: pages, first: entries[0].id, last: entries[pages-1].id}
}

// foldEntries returns the rows of the segment of entries.
func foldEntries(entries []entryTerms) []search.Row {
	ids, docs := make([]int64, len(entries)), make([][]byte, len(entries))
	for i, e := range entries {
		ids[i], docs[i] = e.id, e.terms
	}
	return search.FoldDocs(ids, docs)
}

// addPending stores entries as pending ones. pending is the number of all of them.
func (tx IndexWrites) addPending(ctx context.Context, layer string, pending int64, added []entryTerms) error {
	for _, e := range added {
		err := engine.Put(ctx, tx, `INSERT INTO search_pending (layer_id, id, terms) VALUES ($1, $2, $3)`, layer, e.id, e.terms)
		if err != nil {
			return fmt.Errorf("index %s: %w", layer, err)
		}
	}
	switch {
	case pending >= maxPending:
		return tx.foldNow(ctx, layer)
	case pending >= foldAt:
		tx.foldLater(layer, pending)
	}
	return nil
}

// levelOf returns the level of a new segment with a number of pages.
func levelOf(pages int64) (level int64) {
	for ; pages >= foldAt*mergeAt; pages /= mergeAt {
		level++
	}
	return level
}

// searchPending returns the pending entries of a layer.
func (r IndexReads) searchPending(ctx context.Context, layer string) ([]entryTerms, error) {
	return engine.Many(ctx, r, scanEntryTerms, `SELECT id, terms FROM search_pending WHERE layer_id = $1 ORDER BY id`, layer)
}

// newSegment numbers a segment and stores it.
func (tx IndexWrites) newSegment(ctx context.Context, layer string, s *segment) error {
	err := engine.Row(ctx, tx, `UPDATE search_layers SET last_segment = last_segment + 1 WHERE layer_id = $1 RETURNING last_segment`,
		layer).Scan(&s.number)
	if err != nil {
		return err
	}
	err = engine.Put(ctx, tx, `
		INSERT INTO search_segments (layer_id, segment, level, pages, first_id, last_id) VALUES ($1, $2, $3, $4, $5, $6)`,
		layer, s.number, s.level, s.pages, s.first, s.last)
	if err != nil {
		return err
	}
	return tx.putIndexRows(ctx, layer, s.number, s.rows)
}

func (tx IndexWrites) putIndexRows(ctx context.Context, layer string, segment int64, rows []search.Row) error {
	return engine.InsertAll(ctx, tx, `INSERT INTO search_index (layer_id, segment, key, data)`, "", rows,
		func(r search.Row) []any { return []any{layer, segment, r.Key, r.Data} })
}

// dueSegments returns the segments to be merged into one, with at most so many pages:
// those of the lowest level that has mergeAt of them, and those of the levels above
// that reach mergeAt together with the result. Merging them all at once writes each
// page once.
func dueSegments(all []segment, most int64) (some []segment) {
	if len(all) >= maxSegments {
		return all
	}
	levels, top := map[int64][]segment{}, int64(0)
	for _, s := range all {
		levels[s.level] = append(levels[s.level], s)
		top = max(top, s.level)
	}
	for level := range top + 1 {
		group := append(levels[level], some...)
		count := len(levels[level]) + min(1, len(some)) // some become one of this level
		if count >= mergeAt && pagesOf(group) <= most {
			some = group
		} else if some != nil {
			break
		}
	}
	return some
}

// CompactSearch merges all segments of a layer into one, without the entries of changed
// and deleted pages, which makes searches faster. It is for a job, because it takes time
// in proportion to the layer. It reports whether there was something to do.
func (tx IndexWrites) CompactSearch(ctx context.Context, layer string) (bool, error) {
	if err := tx.dropStalePending(ctx, layer); err != nil {
		return false, err
	}
	all, err := tx.searchSegments(ctx, layer)
	if err != nil || len(all) == 0 {
		return false, err
	}
	shown, err := engine.One(ctx, tx, "index", engine.ScanInt, `
		SELECT COUNT(*) FROM search_pages WHERE layer_id = $1 AND state = 'shown'
		AND id NOT IN (SELECT id FROM search_pending WHERE layer_id = $1)`, layer)
	if err != nil || len(all) == 1 && pagesOf(all) <= shown {
		return false, err
	}
	return true, tx.mergeSegments(ctx, layer, all)
}

// dropStalePending deletes the pending entries of pages that have changed since or were
// deleted.
func (tx IndexWrites) dropStalePending(ctx context.Context, layer string) error {
	n, err := engine.Exec(ctx, tx, `
		DELETE FROM search_pending WHERE layer_id = $1 AND id NOT IN (SELECT id FROM search_pages WHERE layer_id = $1)`, layer)
	if err != nil || n == 0 {
		return err
	}
	return engine.Put(ctx, tx, `UPDATE search_layers SET pending = pending - $2 WHERE layer_id = $1`, layer, n)
}

// mergeSegments replaces several segments by one.
func (tx IndexWrites) mergeSegments(ctx context.Context, layer string, some []segment) error {
	merged := span(some)
	living, err := tx.livingEntries(ctx, layer, merged.first, merged.last)
	if err != nil {
		return err
	}
	seen := newIDSet(merged.first, merged.last)
	if err := tx.newSegment(ctx, layer, &merged); err != nil {
		return err
	}
	cuts, err := tx.indexCuts(ctx, layer, largest(some).number)
	if err != nil {
		return err
	}
	for i, from := range cuts {
		to := search.After("")
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		parts := make([][]search.Row, len(some))
		for k, s := range some {
			if parts[k], err = tx.indexRows(ctx, layer, s, from, to); err != nil {
				return err
			}
		}
		rows, err := search.Merge(parts, living.and(seen))
		if err != nil {
			return fmt.Errorf("merge the index of %s: %w", layer, err)
		}
		if err := tx.putIndexRows(ctx, layer, merged.number, rows); err != nil {
			return err
		}
	}
	err = engine.Put(ctx, tx, `UPDATE search_segments SET pages = $3 WHERE layer_id = $1 AND segment = $2`, layer, merged.number, seen.count())
	if err != nil {
		return err
	}
	return tx.dropSegments(ctx, layer, some)
}

// span returns the segment that several are merged into, without rows and the number of pages.
func span(some []segment) segment {
	out := segment{first: math.MaxInt64}
	for _, s := range some {
		out.level = max(out.level, s.level+1)
		out.first, out.last = min(out.first, s.first), max(out.last, s.last)
	}
	return out
}

// pagesOf returns the total number of pages of segments.
func pagesOf(some []segment) (n int64) {
	for _, s := range some {
		n += s.pages
	}
	return n
}

// largest returns the stored segment with the most pages.
func largest(some []segment) (out segment) {
	for _, s := range some {
		if s.isStored() && s.pages >= out.pages {
			out = s
		}
	}
	return out
}

func (tx IndexWrites) dropSegments(ctx context.Context, layer string, some []segment) error {
	for _, s := range some {
		if !s.isStored() {
			continue
		}
		if err := engine.Put(ctx, tx, `DELETE FROM search_index WHERE layer_id = $1 AND segment = $2`, layer, s.number); err != nil {
			return err
		}
		if err := engine.Put(ctx, tx, `DELETE FROM search_segments WHERE layer_id = $1 AND segment = $2`, layer, s.number); err != nil {
			return err
		}
	}
	return nil
}

// idSet is a set of ids within a range.
type idSet struct {
	first int64
	bits  []uint64
}

func newIDSet(first, last int64) idSet { return idSet{first, make([]uint64, (last-first)/64+1)} }

// add adds an id, and reports whether it is in the range.
func (s idSet) add(id int64) bool {
	at := id - s.first
	if at < 0 || at/64 >= int64(len(s.bits)) {
		return false
	}
	s.bits[at/64] |= 1 << uint(at%64)
	return true
}

func (s idSet) has(id int64) bool {
	at := id - s.first
	return at >= 0 && at/64 < int64(len(s.bits)) && s.bits[at/64]&(1<<uint(at%64)) != 0
}

func (s idSet) count() (n int64) {
	for _, b := range s.bits {
		n += int64(bits.OnesCount64(b))
	}
	return n
}

// and returns a function that reports whether an id is in the set, and adds it to
// seen if it is.
func (s idSet) and(seen idSet) func(id int64) bool {
	return func(id int64) bool { return s.has(id) && seen.add(id) }
}

// livingEntries returns the existing entries between two ids.
func (r IndexReads) livingEntries(ctx context.Context, layer string, first, last int64) (idSet, error) {
	set := newIDSet(first, last)
	ids, err := engine.Many(ctx, r, engine.ScanInt, `
		SELECT id FROM search_pages WHERE layer_id = $1 AND id BETWEEN $2 AND $3 AND state = 'shown' ORDER BY id`, layer, first, last)
	for _, id := range ids {
		set.add(id)
	}
	return set, err
}

// indexCuts returns words that divide a segment into parts that fit into memory.
func (r IndexReads) indexCuts(ctx context.Context, layer string, segment int64) ([]string, error) {
	const step = 48 // buckets
	buckets := search.KeyRanges("", search.After(""))[0]
	keys, err := engine.Many(ctx, r, engine.ScanText[string], `
		SELECT key FROM search_index WHERE layer_id = $1 AND segment = $2 AND key >= $3 AND key < $4 ORDER BY key`,
		layer, segment, buckets[0], buckets[1])
	if err != nil {
		return nil, err
	}
	out := []string{""}
	for i := step; i < len(keys); i += step {
		if cut := search.SplitWord(keys[i]); cut > out[len(out)-1] {
			out = append(out, cut)
		}
	}
	return out, nil
}

// indexRows returns the rows of a segment for the words from one to another.
func (r IndexReads) indexRows(ctx context.Context, layer string, of segment, from, to string) (out []search.Row, err error) {
	for _, keys := range search.KeyRanges(from, to) {
		rows := rowsBetween(of.rows, keys[0], keys[1])
		if of.isStored() {
			rows, err = engine.Many(ctx, r, func(s engine.Scanner) (v search.Row, err error) {
				err = s.Scan(&v.Key, &v.Data)
				return v, err
			}, `SELECT key, data FROM search_index WHERE layer_id = $1 AND segment = $2 AND key >= $3 AND key < $4 ORDER BY key`,
				layer, of.number, keys[0], keys[1])
			if err != nil {
				return nil, err
			}
		}
		out = append(out, rows...)
	}
	return out, nil
}

// rowsBetween returns the rows with keys in [from, to); rows must be sorted.
func rowsBetween(rows []search.Row, from, to string) []search.Row {
	byKey := func(r search.Row, key string) int { return strings.Compare(r.Key, key) }
	first, _ := slices.BinarySearchFunc(rows, from, byKey)
	end, _ := slices.BinarySearchFunc(rows, to, byKey)
	return rows[first:end]
}

// StaleSearchLayers returns the layers whose index was made by another search.Version;
// RebuildSearch rebuilds it.
func (r IndexReads) StaleSearchLayers(ctx context.Context) ([]string, error) {
	return engine.Many(ctx, r, engine.ScanText[string], `SELECT layer_id FROM search_layers WHERE analysis <> $1 ORDER BY layer_id`, search.Version)
}

// rebuiltIndex is a new index of a layer.
type rebuiltIndex struct {
	layer    string
	lastID   int64 // of the layer when it was read
	segments []segment
}

// RebuildSearch rebuilds the index of a layer from its pages. It reports false if a
// page was indexed meanwhile; then the index is not changed.
func (x *Index) RebuildSearch(ctx context.Context, layer string) (bool, error) {
	index, err := x.reads().analyseLayer(ctx, layer)
	if err != nil {
		return false, err
	}
	replaced := false
	err = x.do(ctx, "", func(tx IndexWrites) (err error) {
		replaced, err = tx.replaceIndex(ctx, index)
		return err
	})
	return replaced && err == nil, err
}

// analyseLayer makes segments of the pages of a layer.
func (r IndexReads) analyseLayer(ctx context.Context, layer string) (*rebuiltIndex, error) {
	last, err := r.lastEntry(ctx, layer)
	if err != nil {
		return nil, err
	}
	out := &rebuiltIndex{layer: layer, lastID: last}
	for after := int64(0); ; {
		ids, pages, err := r.shownPages(ctx, layer, after)
		if err != nil || len(pages) == 0 {
			return out, err
		}
		build := search.NewSegment()
		for i, p := range AnalysedPages(pages) {
			build.AddEncoded(ids[i], p.terms)
		}
		after = ids[len(ids)-1]
		out.segments = append(out.segments, segment{level: levelOf(int64(len(ids))), pages: int64(len(ids)), first: ids[0], last: after, rows: build.Rows()})
	}
}

func (r IndexReads) lastEntry(ctx context.Context, layer string) (int64, error) {
	return engine.One(ctx, r, "index", engine.ScanInt, `SELECT last_id FROM search_layers WHERE layer_id = $1`, layer)
}

// replaceIndex replaces the index of a layer. It reports false, and does nothing, if
// the layer has new entries.
func (tx IndexWrites) replaceIndex(ctx context.Context, x *rebuiltIndex) (bool, error) {
	if last, err := tx.lastEntry(ctx, x.layer); err != nil || last != x.lastID {
		return false, err
	}
	for _, table := range []string{"search_index", "search_segments", "search_pending"} {
		if err := engine.Put(ctx, tx, `DELETE FROM `+table+` WHERE layer_id = $1`, x.layer); err != nil {
			return false, err
		}
	}
	err := engine.Put(ctx, tx, `UPDATE search_layers SET pending = 0, analysis = $2 WHERE layer_id = $1`, x.layer, search.Version)
	if err != nil {
		return false, err
	}
	for i := range x.segments {
		if err := tx.newSegment(ctx, x.layer, &x.segments[i]); err != nil {
			return false, fmt.Errorf("index %s: %w", x.layer, err)
		}
	}
	return true, nil
}

// shownPages reads the pages of the next entries after an id, except for hidden ones.
func (r IndexReads) shownPages(ctx context.Context, layer string, after int64) ([]int64, []Page, error) {
	var ids []int64
	pages, err := engine.Many(ctx, r, func(s engine.Scanner) (p Page, err error) {
		var id int64
		var sections string
		err = s.Scan(&id, &p.Page, &p.Language, &p.Title, &sections)
		p.Sections = splitSections(sections)
		ids = append(ids, id)
		return p, err
	}, `
		SELECT id, page_id, language, title, sections FROM search_pages
		WHERE layer_id = $1 AND id > $2 AND state = 'shown' ORDER BY id LIMIT $3 + 0`, layer, after, rebuildStep)
	return ids, pages, err
}

// ErrIndex means that an index does not match its pages.
var ErrIndex = errors.New("the search index does not fit its pages: rebuild it")

// CheckSearch compares the index of a layer with its pages: each page has to be
// indexed once, with exactly its terms. r must be the reader of a snapshot.
func (r IndexReads) CheckSearch(ctx context.Context, layer string) error {
	sums := map[int64]uint64{} // by entry: the terms of a page in any order
	add := func(id int64, term []byte, impact search.Impact) {
		h := fnv.New64a()
		_, _ = h.Write(term) // never fails
		_, _ = h.Write([]byte{0, byte(impact)})
		sums[id] += h.Sum64()
	}
	waiting, err := r.searchPending(ctx, layer)
	if err != nil {
		return err
	}
	for _, p := range waiting {
		for term, impact := range search.DecodeDoc(p.terms) {
			add(p.id, term, impact)
		}
	}
	segments, err := r.searchSegments(ctx, layer)
	if err != nil {
		return err
	}
	for _, s := range segments {
		if err := r.eachIndexed(ctx, layer, s, add); err != nil {
			return err
		}
	}
	for after := int64(0); ; {
		ids, pages, err := r.shownPages(ctx, layer, after)
		if err != nil {
			return err
		}
		if len(pages) == 0 {
			return nil
		}
		for i, p := range AnalysedPages(pages) {
			found := sums[ids[i]]
			sums[ids[i]] = 0
			for term, impact := range search.DecodeDoc(p.terms) {
				add(ids[i], term, impact)
			}
			if sums[ids[i]] != found {
				return fmt.Errorf("page %s of layer %s: %w", pages[i].Page, layer, ErrIndex)
			}
		}
		after = ids[len(ids)-1]
	}
}

// eachIndexed calls fn for every posting of a segment.
func (r IndexReads) eachIndexed(ctx context.Context, layer string, s segment, fn func(int64, []byte, search.Impact)) error {
	cuts, err := r.indexCuts(ctx, layer, s.number)
	if err != nil {
		return err
	}
	for i, from := range cuts {
		to := search.After("")
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		rows, err := r.indexRows(ctx, layer, s, from, to)
		if err != nil {
			return err
		}
		if err := search.EachPosting(rows, fn); err != nil {
			return fmt.Errorf("segment %d of layer %s: %w", s.number, layer, ErrIndex)
		}
	}
	return nil
}
