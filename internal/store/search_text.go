package store

import (
	"fmt"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/search"
)

// Results show the text of a page around the words that were found. The text
// of a page is its source without the markup, so a row holds only how to make
// it from the source (see chunk.Delta).

// searchText is the text of the sections of a page as it is stored.
type searchText struct {
	sections string     // the text itself; empty if there is a source
	source   chunk.Hash // object
	delta    []byte     // from the source to the text; never nil
}

// newSearchText returns the text of a page. Without a source that has most of
// it, the text is stored as it is.
func newSearchText(sections string, source chunk.Hash, data []byte) searchText {
	if source != "" {
		if delta := chunk.Delta(data, []byte(sections)); len(delta) <= len(sections)/2 {
			return searchText{source: source, delta: delta}
		}
	}
	return searchText{sections: sections, delta: []byte{}}
}

func (t searchText) size() int { return len(t.sections) + len(t.source) + len(t.delta) }

// storedText is a text with the rows of its source and of the base of that.
type storedText struct {
	searchText
	object storedObject
}

const (
	textColumns = `p.sections, p.source, p.delta, COALESCE(o.hash, ''), o.data, COALESCE(o.base, ''), b.data`
	textFrom    = ` FROM search_pages p LEFT JOIN objects o ON p.source <> '' AND o.hash = p.source
		LEFT JOIN objects b ON o.base <> '' AND b.hash = o.base AND b.base = ''`
)

// into returns where to scan other columns and textColumns to.
func (t *storedText) into(others ...any) []any {
	return append(others, &t.sections, &t.source, &t.delta, &t.object.hash, &t.object.data, &t.object.base, &t.object.baseData)
}

// text returns the sections in one text.
func (t *storedText) text() (string, error) {
	if t.source == "" {
		return t.sections, nil
	}
	source, err := t.object.bytes()
	if err == nil {
		var text []byte
		if text, err = chunk.Patch(source, t.delta); err == nil {
			return string(text), nil
		}
	}
	return "", fmt.Errorf("the text of a page from source %s: %w", t.source, err)
}

// Sections are stored in one text. The separators are characters that no text
// contains, so that reading it back is cheap.
const (
	sectionEnd = "\x1e"
	fieldEnd   = "\x1f"
)

func joinSections(sections []search.Section) string {
	var b strings.Builder
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

// cleanText removes what a text of the databases cannot hold, and the
// separators.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "")
	if !strings.ContainsAny(s, "\x00\x1e\x1f") {
		return s
	}
	return strings.NewReplacer("\x00", "", "\x1e", " ", "\x1f", " ").Replace(s)
}
