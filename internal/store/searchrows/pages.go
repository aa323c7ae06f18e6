package searchrows

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Page is the entry of a page in the search index of a layer.
type Page struct {
	Page     string
	Title    string
	Language string // of the space
	Hidden   bool   // kept out of results
	Sections []search.Section

	terms    []byte // result of search.Doc.Encode, much smaller than the Doc
	joined   string // the sections as they are stored
	analysed bool
}

// analysers are reused: one that knows the words of other pages is several times as
// fast.
var analysers = sync.Pool{New: func() any { return new(search.Analyser) }}

// Analysed returns p with the data that PutSearchPages would compute otherwise. Callers
// use it before the transaction, so that other writers do not wait for it. The page
// must not be changed afterwards.
func (p Page) Analysed() Page {
	if p.analysed {
		return p
	}
	p.analysed = true
	if !p.Hidden {
		a := analysers.Get().(*search.Analyser)
		defer analysers.Put(a)
		p.terms = a.Encoded(search.Page{Title: p.Title, Language: p.Language, Sections: p.Sections})
		p.joined, p.Sections = joinSections(p.Sections), nil
	}
	return p
}

// Size returns the approximate size of the entry in bytes.
func (p Page) Size() int {
	return len(p.joined) + len(p.terms) + sizeOf(p.Sections)
}

// sizeOf returns the size of the texts of sections, in bytes.
func sizeOf(sections []search.Section) (size int) {
	for _, s := range sections {
		size += len(s.Anchor) + len(s.Title) + len(s.Body)
	}
	return size
}

// States of an entry.
const (
	searchVisible = "shown"
	searchHidden  = "hidden"
	searchDeleted = "gone"
)

// PutSearchPage is PutSearchPages for one page.
func (tx IndexWrites) PutSearchPage(ctx context.Context, layer string, p Page) error {
	return tx.PutSearchPages(ctx, layer, []Page{p})
}

// PutSearchPages replaces the entries of pages in a layer. They are found by the
// first search after the transaction. Many pages at once cost much less than one
// after the other. No page may be in the list twice.
func (tx IndexWrites) PutSearchPages(ctx context.Context, layer string, pages []Page) error {
	return tx.PutSearchPagesAnd(ctx, layer, pages, func() error { return nil })
}

// PutSearchPagesAnd is PutSearchPages that calls other while another goroutine makes
// the segment.
func (tx IndexWrites) PutSearchPagesAnd(ctx context.Context, layer string, pages []Page, other func() error) error {
	if len(pages) == 0 {
		return other()
	}
	pages = AnalysedPages(pages)
	shown := 0
	for _, p := range pages {
		if !p.Hidden {
			shown++
		}
	}
	id, pending, err := tx.reserveEntries(ctx, layer, len(pages), pendingOf(shown))
	if err != nil {
		return fmt.Errorf("index %s: %w", layer, err)
	}
	added := make([]entryTerms, 0, shown)
	for i, p := range pages {
		if !p.Hidden {
			added = append(added, entryTerms{id + int64(i), p.terms})
		}
	}
	finish := tx.addToIndex(ctx, layer, pending, added)
	for i, p := range pages {
		if err := tx.putSearchEntry(ctx, layer, p, id+int64(i), p.state()); err != nil {
			return fmt.Errorf("index page %s: %w", p.Page, err)
		}
	}
	if err := other(); err != nil {
		return err
	}
	return finish()
}

// DropSearchPage deletes a page from a layer. A tombstone also hides the page in the
// layers below.
func (tx IndexWrites) DropSearchPage(ctx context.Context, layer, page string, tombstone bool) error {
	if !tombstone {
		return engine.Put(ctx, tx, `DELETE FROM search_pages WHERE layer_id = $1 AND page_id = $2`, layer, page)
	}
	id, _, err := tx.reserveEntries(ctx, layer, 1, 0)
	if err != nil {
		return fmt.Errorf("index %s: %w", layer, err)
	}
	return tx.putSearchEntry(ctx, layer, Page{Page: page}, id, searchDeleted)
}

// DropSearchLayer deletes the whole search index of a layer.
func (tx IndexWrites) DropSearchLayer(ctx context.Context, layer string) error {
	return DropLayer(ctx, tx, layer)
}

// DropLayer deletes the whole search index of a layer.
func DropLayer(ctx context.Context, tx engine.Writer, layer string) error {
	for _, table := range []string{"search_index", "search_segments", "search_pending", "search_pages", "search_layers"} {
		if err := engine.Put(ctx, tx, `DELETE FROM `+table+` WHERE layer_id = $1`, layer); err != nil {
			return fmt.Errorf("drop the index of %s: %w", layer, err)
		}
	}
	return nil
}

// reserveEntries reserves n entry ids and returns the first one. It adds to the number
// of pending entries and returns the new number.
func (tx IndexWrites) reserveEntries(ctx context.Context, layer string, n, add int) (first, pending int64, err error) {
	err = engine.Row(ctx, tx, `
		INSERT INTO search_layers (layer_id, last_id, last_segment, pending, analysis) VALUES ($1, $2, 0, $3, $4)
		ON CONFLICT (layer_id) DO UPDATE SET last_id = search_layers.last_id + excluded.last_id,
			pending = search_layers.pending + excluded.pending
		RETURNING last_id, pending`, layer, n, add, search.Version).Scan(&first, &pending)
	return first - int64(n) + 1, pending, err
}

const searchEntryInsert = `INSERT INTO search_pages (layer_id, page_id, id, state, language, title, sections)`

func (tx IndexWrites) putSearchEntry(ctx context.Context, layer string, p Page, id int64, state string) error {
	return engine.Put(ctx, tx, searchEntryInsert+` VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (layer_id, page_id) DO UPDATE
		SET id = excluded.id, state = excluded.state, language = excluded.language, title = excluded.title, sections = excluded.sections`,
		searchEntry(layer, p, id, state)...)
}

// searchEntry returns the values of a row.
func searchEntry(layer string, p Page, id int64, state string) []any {
	sections := ""
	if state == searchVisible {
		sections = p.text()
	}
	return []any{layer, p.Page, id, state, p.Language, cleanText(p.Title), sections}
}

func (p *Page) state() string {
	if p.Hidden {
		return searchHidden
	}
	return searchVisible
}

// text returns the sections as they are stored.
func (p *Page) text() string {
	if p.joined != "" {
		return p.joined
	}
	return joinSections(p.Sections)
}

// AnalysedPages is Analysed for several pages, on all processors if there are many.
func AnalysedPages(pages []Page) []Page {
	out := slices.Clone(pages)
	workers := max(1, min(budget.Processors(), len(out)/8))
	work := func(w int) {
		for i := w; i < len(out); i += workers {
			out[i] = out[i].Analysed()
		}
	}
	if workers == 1 {
		work(0)
		return out
	}
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() { work(w) })
	}
	all.Wait()
	return out
}

// Sections are stored in one text, with separators that no text contains, because
// that is fast to decode.
const (
	sectionEnd = "\x1e"
	fieldEnd   = "\x1f"
)

func joinSections(sections []search.Section) string {
	var b strings.Builder
	b.Grow(sizeOf(sections) + len(sections)*(2*len(fieldEnd)+len(sectionEnd)))
	for _, s := range sections {
		b.WriteString(cleanText(s.Anchor))
		b.WriteString(fieldEnd)
		b.WriteString(cleanText(s.Title))
		b.WriteString(fieldEnd)
		b.WriteString(cleanText(s.Body))
		b.WriteString(sectionEnd)
	}
	return b.String()
}

func splitSections(text string) []search.Section {
	var out []search.Section
	for text != "" {
		var s search.Section
		var one string
		one, text, _ = strings.Cut(text, sectionEnd)
		s.Anchor, one, _ = strings.Cut(one, fieldEnd)
		s.Title, s.Body, _ = strings.Cut(one, fieldEnd)
		out = append(out, s)
	}
	return out
}

// cleanText removes characters that the databases cannot store, and the separators.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "")
	if !strings.ContainsAny(s, "\x00\x1e\x1f") {
		return s
	}
	return strings.NewReplacer("\x00", "", "\x1e", " ", "\x1f", " ").Replace(s)
}

// Hash is equal for two states of a page with the same search results. It does not
// include the language: if that changes, a job rebuilds the index of the space.
func (p Page) Hash() string {
	return searchHash(p.state(), cleanText(p.Title), p.text())
}

func searchHash(state, title, sections string) string {
	if state != searchVisible {
		return state // the rest is neither found nor shown
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{state, title, sections}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Entry is the hash of the entry of a page, to compare it with the content.
type Entry struct {
	Page string
	Hash string // Page.Hash, or "gone" for a tombstone
}

// SearchEntries returns the entries of a layer in the order of their pages.
func (r IndexReads) SearchEntries(ctx context.Context, layer string) ([]Entry, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (e Entry, err error) {
		var state, title, sections string
		err = s.Scan(&e.Page, &state, &title, &sections)
		e.Hash = searchHash(state, title, sections)
		return e, err
	}, `SELECT page_id, state, title, sections FROM search_pages WHERE layer_id = $1 ORDER BY page_id`, layer)
}
