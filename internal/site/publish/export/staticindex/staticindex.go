// Package staticindex writes the search index of a site that is exported to files. There is
// no server: the script find.js of package theme loads the parts of the index that it
// needs.
//
// The files are scripts that call octavoIndex with their name and their data, because pages
// that are opened from a folder can load scripts but no other data:
//
//	pages    for each page: the number of its space, its title, the titles of its
//	         ancestors, its file, the number of its text part, and if it has one, its
//	         emoji or the number of its icon; also the icons, and the number of terms parts
//	terms-N  words whose first two characters have the same shard. Each has its pages,
//	         as differences from the page before, and a weight for each page
//	text-N   the sections of some pages: anchor, heading, text
package staticindex

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

const (
	textPart   = 48 << 10  // bytes of a text part
	termsPart  = 12 << 10  // postings of a terms part, on average
	maxIndexed = 256 << 10 // bytes of a page that are indexed
	maxTerm    = 40        // maximum characters of a word
)

// Weights of a word by where it occurs.
const (
	inTitle   = 24
	inHeading = 6
	inText    = 1
	mostText  = 8 // maximum weight of all occurrences in the text
)

// Page is a page that readers can find.
type Page struct {
	Space     int // number of the site space
	Title     string
	Ancestors string // titles of the ancestors
	File      string // address of the file, relative to the folder of the site
	Emoji     string
	Icon      *theme.Shape // nil: none
	Sections  []markup.Section
}

// Writer collects the words of pages in memory, and writes the texts of pages as they are
// added.
type Writer struct {
	put   func(name string, script []byte) error
	pages []json.RawMessage
	icons []theme.Shape
	known map[theme.Shape]int // indexes of icons
	terms map[string][]posting
	text  bytes.Buffer // the current text part, not written yet
	part  int          // number of the current text part
}

type posting struct {
	page   int32
	weight int32
}

// New returns a writer that calls put with each file of the index.
func New(put func(name string, script []byte) error) *Writer {
	return &Writer{put: put, known: map[theme.Shape]int{}, terms: map[string][]posting{}}
}

// Add adds a page.
func (w *Writer) Add(p Page) error {
	left := maxIndexed
	rows := make([][3]string, 0, len(p.Sections))
	for _, sec := range p.Sections {
		body := strings.ToValidUTF8(sec.Body[:min(len(sec.Body), left)], "")
		left -= len(body)
		rows = append(rows, [3]string{sec.Anchor, sec.Title, strings.Join(strings.Fields(body), " ")})
	}
	page, err := json.Marshal(w.row(p))
	if err != nil {
		return err
	}
	w.count(p.Title, rows)
	return w.addText(page, rows)
}

// row returns what the list of pages has of a page.
func (w *Writer) row(p Page) []any {
	row := []any{p.Space, p.Title, p.Ancestors, p.File, w.part}
	switch {
	case p.Emoji != "":
		return append(row, p.Emoji)
	case p.Icon == nil:
		return row
	}
	at, ok := w.known[*p.Icon]
	if !ok {
		at = len(w.icons)
		w.known[*p.Icon], w.icons = at, append(w.icons, *p.Icon)
	}
	return append(row, at)
}

// count adds the words of a page to the terms.
func (w *Writer) count(title string, rows [][3]string) {
	weights := map[string]int32{}
	texts := map[string]int32{}
	for _, row := range rows {
		eachTerm(row[1], func(t string) { weights[t] = max(weights[t], inHeading) })
		eachTerm(row[2], func(t string) { texts[t] = min(texts[t]+inText, mostText) })
	}
	eachTerm(title, func(t string) { weights[t] = inTitle })
	for t, n := range texts {
		weights[t] += n
	}
	for t, weight := range weights {
		w.terms[t] = append(w.terms[t], posting{int32(len(w.pages)), weight})
	}
}

// addText adds the text of a page to the current text part, and writes the part when it is
// full.
func (w *Writer) addText(page json.RawMessage, rows [][3]string) error {
	b, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	if w.text.Len() > 0 {
		w.text.WriteByte(',')
	}
	fmt.Fprintf(&w.text, "\"%d\":%s", len(w.pages), b)
	w.pages = append(w.pages, page)
	if w.text.Len() < textPart {
		return nil
	}
	return w.endPart()
}

func (w *Writer) endPart() error {
	err := w.write(fmt.Sprintf("text-%d", w.part), "{"+w.text.String()+"}")
	w.text.Reset()
	w.part++
	return err
}

// write writes a file of the index.
func (w *Writer) write(name, data string) error {
	return w.put(name+".js", fmt.Appendf(nil, "octavoIndex(%q,%s);\n", name, data))
}

// Close writes the last text part, the terms parts and the pages.
func (w *Writer) Close() error {
	if err := w.endPart(); err != nil {
		return err
	}
	count := 0
	for _, list := range w.terms {
		count += len(list)
	}
	parts := make([]bytes.Buffer, 1+count/termsPart)
	for _, t := range slices.Sorted(maps.Keys(w.terms)) {
		b := &parts[shard(t, len(parts))]
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:[", t) // a term has only letters and digits, so %q writes valid JSON
		last := int32(0)
		for i, p := range w.terms[t] {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%d,%d", p.page-last, p.weight)
			last = p.page
		}
		b.WriteByte(']')
	}
	for i := range parts {
		if err := w.write(fmt.Sprintf("terms-%d", i), "{"+parts[i].String()+"}"); err != nil {
			return err
		}
	}
	b, err := json.Marshal(map[string]any{
		"shards": len(parts), "pages": slices.Concat([]json.RawMessage{}, w.pages), "icons": slices.Concat([]theme.Shape{}, w.icons),
	})
	if err != nil {
		return err
	}
	return w.write("pages", string(b))
}

// shard returns the number of the terms part of a word. Words with the same first two
// characters are in the same part, so that a search for a prefix needs one part.
func shard(term string, count int) int {
	a, n := utf8.DecodeRuneInString(term)
	b, m := utf8.DecodeRuneInString(term[n:])
	if m == 0 {
		b = 0
	}
	return (int(a)*31 + int(b)) % count
}

// unspaced are scripts without spaces between words. Each of their characters is a word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// eachTerm calls fn with each word of a text, folded to ignore case and accents.
func eachTerm(text string, fn func(string)) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && r != '\u00ad'
	}) {
		word = search.Fold(word)
		start, length := 0, 0
		for i, r := range word {
			alone := r >= 0x0e00 && unicode.In(r, unspaced...)
			if alone || length == maxTerm {
				emit(word[start:i], fn)
				start, length = i, 0
			}
			length++
			if alone {
				fn(string(r))
				start, length = i+utf8.RuneLen(r), 0
			}
		}
		emit(word[start:], fn)
	}
}

func emit(word string, fn func(string)) {
	if word != "" {
		fn(word)
	}
}
