package publish

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/edition"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/search"
)

// The index of an exported site is made of scripts that call octavoIndex with their name and
// their data, because pages in a folder can load scripts and nothing else:
//
//	pages    every page: the number of its space, its title, what it is below, its
//	         file, and the number of its part of the texts; how many parts the words have
//	terms-N  words that begin alike, each with its pages as differences from the one
//	         before, and how much each is about the word
//	text-N   the sections of some pages: anchor, heading, text
//
// The script that reads it is find.js of package theme.

const (
	textPart   = 48 << 10  // bytes of text in a part
	termsPart  = 12 << 10  // pages of words in a part, on average
	maxIndexed = 256 << 10 // bytes of a page that are searched
	maxTerm    = 40        // characters of a word
)

// How much the places of a word count.
const (
	inTitle   = 24
	inHeading = 6
	inText    = 1
	mostText  = 8 // a word that is in the text very often counts no more
)

// searchIndex collects the words of the pages of a site.
type searchIndex struct {
	x     *exporter
	pages []json.RawMessage
	terms map[string][]posting
	text  bytes.Buffer // of the part that is not written yet
	part  int
}

type posting struct {
	page   int32
	weight int32
}

func newSearchIndex(x *exporter) *searchIndex {
	return &searchIndex{x: x, terms: map[string][]posting{}}
}

// add takes the words of a page that readers come across.
func (s *searchIndex) add(it docs.SiteItem, n *edition.Node, dir string, doc *markup.Document) error {
	if !n.Reachable() || n.NoIndex {
		return nil
	}
	sections := markup.Sections(doc)
	sections[0].Body = strings.TrimSpace(n.Description + "\n" + sections[0].Body)
	left := maxIndexed
	rows := make([][3]string, 0, len(sections))
	for _, sec := range sections {
		body := strings.ToValidUTF8(sec.Body[:min(len(sec.Body), left)], "")
		left -= len(body)
		rows = append(rows, [3]string{sec.Anchor, sec.Title, strings.Join(strings.Fields(body), " ")})
	}
	var where []string
	if len(s.x.number) > 1 {
		where = append(where, it.Title)
		if sec, err := s.x.seen.Structure.Item(docs.SiteSection, it.Parent); err == nil {
			where[0] = sec.Title
		}
	}
	for _, up := range n.Ancestors() {
		where = append(where, up.Title)
	}
	page, err := json.Marshal([]any{s.x.number[it.ID], n.Title, strings.Join(where, " › "), reading.EscapePath(under(dir, indexFile)), s.part})
	if err != nil {
		return err
	}
	s.count(n.Title, rows)
	return s.addText(page, rows)
}

// count adds the words of a page.
func (s *searchIndex) count(title string, rows [][3]string) {
	weights := map[string]int32{}
	texts := map[string]int32{}
	for _, row := range rows {
		eachTerm(row[1], func(t string) { weights[t] = max(weights[t], inHeading) })
		eachTerm(row[2], func(t string) { texts[t] = min(texts[t]+inText, mostText) })
	}
	eachTerm(title, func(t string) { weights[t] = inTitle })
	for t, w := range texts {
		weights[t] += w
	}
	for t, w := range weights {
		s.terms[t] = append(s.terms[t], posting{int32(len(s.pages)), w})
	}
}

// addText adds the text of a page to the current part, and writes the part when it is full.
func (s *searchIndex) addText(page json.RawMessage, rows [][3]string) error {
	b, err := json.Marshal(rows)
	if err != nil {
		return err
	}
	if s.text.Len() > 0 {
		s.text.WriteByte(',')
	}
	fmt.Fprintf(&s.text, "\"%d\":%s", len(s.pages), b)
	s.pages = append(s.pages, page)
	if s.text.Len() < textPart {
		return nil
	}
	return s.endPart()
}

func (s *searchIndex) endPart() error {
	err := s.write(fmt.Sprintf("text-%d", s.part), "{"+s.text.String()+"}")
	s.text.Reset()
	s.part++
	return err
}

// write writes a script of the index.
func (s *searchIndex) write(name, data string) error {
	return s.x.bytes(ownPrefix+"search/"+s.x.version+"/"+name+".js", fmt.Appendf(nil, "octavoIndex(%q,%s);\n", name, data))
}

// end writes the rest of the texts, the words and the pages.
func (s *searchIndex) end() error {
	if err := s.endPart(); err != nil {
		return err
	}
	count := 0
	for _, list := range s.terms {
		count += len(list)
	}
	parts := make([]bytes.Buffer, 1+count/termsPart)
	for _, t := range slices.Sorted(maps.Keys(s.terms)) {
		b := &parts[shard(t, len(parts))]
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(b, "%q:[", t) // letters and digits only, so it is JSON
		last := int32(0)
		for i, p := range s.terms[t] {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(b, "%d,%d", p.page-last, p.weight)
			last = p.page
		}
		b.WriteByte(']')
	}
	for i := range parts {
		if err := s.write(fmt.Sprintf("terms-%d", i), "{"+parts[i].String()+"}"); err != nil {
			return err
		}
	}
	b, err := json.Marshal(map[string]any{"shards": len(parts), "pages": slices.Concat([]json.RawMessage{}, s.pages)})
	if err != nil {
		return err
	}
	return s.write("pages", string(b))
}

// shard returns the part of a word. Words that begin with the same two characters are in the
// same part, so that the beginning of a word is found there.
func shard(term string, count int) int {
	a, n := utf8.DecodeRuneInString(term)
	b, m := utf8.DecodeRuneInString(term[n:])
	if m == 0 {
		b = 0
	}
	return (int(a)*31 + int(b)) % count
}

// unspaced are scripts without blanks between words. Each character is a word.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// eachTerm calls fn with the words of a text, without case and accents.
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
