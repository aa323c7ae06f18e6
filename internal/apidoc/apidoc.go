// Package apidoc shows descriptions of APIs in pages: as HTML that is complete
// without a script, and as blocks for all other forms of a page.
package apidoc

import (
	"bytes"
	"html"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// The limits of what one page shows. What is beyond is named, and a model that is
// named leads to where it is shown.
const (
	maxDepth      = 6         // of schemas within schemas
	maxFields     = 500       // fields in one block
	maxPageFields = 3000      // fields in all blocks of a page
	maxModels     = 60        // models below an operation that it leads to
	maxCode       = 256 << 10 // bytes of code with colours
	maxText       = 1 << 20   // bytes of Markdown
	maxSource     = 2 << 20   // bytes of code, with and without colours
	maxHTML       = 8 << 20   // bytes of blocks, after which no other one begins
	maxWritten    = 4 << 20   // bytes of Markdown that Blocks makes, after which no other one is written out
	maxResponses  = 60        // of an operation
)

// Find returns the description that a reference names, or nil.
type Find func(docs.Ref) *openapi.Description

// Page writes the blocks of one page. Methods are called in the order of the
// blocks.
type Page struct {
	find    Find
	o       markup.HTMLOptions
	l       *markup.APILabels
	models  map[modelKey]string // the anchors of models that the page has
	used    map[string]bool     // anchors
	fields  int                 // that may still be shown
	code    int
	text    int
	sources int
	html    int
	tryAt   string // address that sends requests; empty: operations cannot be tried
}

type modelKey struct {
	d    *openapi.Description
	name string
}

// NewPage returns the writer of a page. The options are those of the page around
// it, of which it uses how code, icons and links look.
func NewPage(find Find, o markup.HTMLOptions) *Page {
	o.API, o.Link, o.Title, o.Size, o.Extent = nil, nil, nil, nil, nil
	p := &Page{find: find, o: o, l: &markup.EnglishLabels.API, models: map[modelKey]string{}, used: map[string]bool{},
		fields: maxPageFields, code: maxCode, text: maxText, sources: maxSource, html: maxHTML}
	if o.Labels != nil {
		p.l = &o.Labels.API
	}
	return p
}

// HTML returns what a block shows, or reports that it shows nothing.
func (p *Page) HTML(b markup.APIBlock) (string, bool) {
	if p.html <= 0 {
		return "", false
	}
	var d *openapi.Description
	if b.Inline != nil {
		d = inlineDescription(b.Inline)
	} else {
		d = p.find(b.Ref)
	}
	if d == nil {
		return "", false
	}
	w := &writer{Page: p, d: d, level: b.Level, left: min(maxFields, p.fields), above: map[openapi.SchemaID]bool{}}
	before := w.left
	switch b.Type {
	case "openapi-schemas":
		if !w.schemas(b) {
			return "", false
		}
	default:
		o := operation(d, b)
		if o == nil {
			return "", false
		}
		if b.Untitled {
			w.level--
		}
		w.operation(o, string(b.Ref.Spec), b.Untitled)
	}
	w.wantedModels()
	p.fields -= before - w.left
	p.html -= w.b.Len()
	return w.b.String(), true
}

// Title returns what a block shows in a few words, for the outline of a page. A block
// whose title is above it has no entry of its own.
func Title(find Find, b markup.APIBlock) string {
	if b.Untitled {
		return ""
	}
	d := find(b.Ref)
	if d == nil || b.Type == "openapi-schemas" {
		return b.Title
	}
	if o := operation(d, b); o != nil {
		return o.Title()
	}
	return ""
}

// operation returns the operation or the webhook that a block shows.
func operation(d *openapi.Description, b markup.APIBlock) *openapi.Operation {
	if b.Type == "openapi-webhook" {
		return d.Webhook(b.Name, b.Method)
	}
	return d.Operation(b.Method, b.Path)
}

// Blocks returns a document with the blocks that show parts of descriptions written
// out, for Markdown, books and search.
func Blocks(find Find, doc *markup.Document) *markup.Document {
	left := maxWritten
	return markup.ReplaceAPI(doc, func(b markup.APIBlock) (*markup.Document, bool) {
		if left <= 0 {
			return nil, false
		}
		d := find(b.Ref)
		if d == nil {
			return nil, false
		}
		text := ""
		if b.Type == "openapi-schemas" {
			text = d.SchemaMarkdown(b.Schemas, b.Level)
		} else if o := operation(d, b); o != nil && b.Untitled {
			text = o.UntitledMarkdown(b.Level)
		} else if o != nil {
			text = o.Markdown(b.Level)
		}
		if text == "" {
			return nil, false
		}
		left -= len(text)
		return markup.Parse([]byte(text), markup.Refs{}), true
	})
}

// writer writes one block.
type writer struct {
	*Page
	d      *openapi.Description
	b      strings.Builder
	level  int
	left   int // fields that may still be shown
	above  map[openapi.SchemaID]bool
	wanted []openapi.Schema // models that the block leads to
	// omits reports whether the body that is written never has such a field; nil: it may have all.
	omits func(*openapi.View) bool
}

// What requests never have, and what answers never have.
func readOnly(v *openapi.View) bool  { return v.ReadOnly }
func writeOnly(v *openapi.View) bool { return v.WriteOnly }

// tag writes an element with a class and what is in it. Texts in it are HTML.
func (w *writer) tag(element, class string, inner func()) {
	w.b.WriteString("<" + element)
	if class != "" {
		w.b.WriteString(` class="` + class + `"`)
	}
	w.b.WriteString(">")
	inner()
	w.b.WriteString("</" + element + ">")
}

// say writes an element with a text.
func (w *writer) say(element, class, text string) {
	w.tag(element, class, func() { w.escape(text) })
}

func (w *writer) escape(s string) { w.b.WriteString(html.EscapeString(printable(s))) }

// printable returns a text without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// heading writes a heading below the title of the block.
func (w *writer) heading(below int, text string) {
	w.say("h"+strconv.Itoa(min(w.level+below, 6)), "api-heading", text)
}

// markdown writes Markdown of the description.
func (w *writer) markdown(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if w.text -= len(text); w.text < 0 {
		return
	}
	if !strings.ContainsAny(text, "\n`*_[]<>#&{}\\|~$!:") {
		w.tag("div", "api-text", func() { w.say("p", "", text) })
		return
	}
	var b bytes.Buffer
	doc := markup.Parse([]byte(openapi.WithoutHeadings(text)), markup.Refs{})
	o := w.o
	if w.code -= len(text); w.code < 0 {
		o.Highlight = nil
	}
	if err := markup.HTML(&b, doc, o); err == nil {
		w.tag("div", "api-text", func() { w.b.Write(bytes.TrimSpace(b.Bytes())) })
	}
}

// source writes code.
func (w *writer) source(language, code string) {
	if w.sources -= len(code); w.sources < 0 {
		w.say("p", "", "…")
		return
	}
	o := w.o
	if w.code -= len(code); w.code < 0 {
		o.Highlight = nil
	}
	var b bytes.Buffer
	if err := markup.HTML(&b, markup.Parse([]byte(openapi.Fenced(language, code)+"\n"), markup.Refs{}), o); err == nil {
		w.b.Write(bytes.TrimSpace(b.Bytes()))
	}
}

// tabs writes parts of which a script shows one at a time.
func (w *writer) tabs(class string, n int, title func(i int), inner func(i int)) {
	w.tag("div", strings.TrimSpace("tabs "+class), func() {
		for i := range n {
			w.tag("section", "tab", func() {
				w.tag("p", "tab-title", func() { title(i) })
				inner(i)
			})
		}
	})
}
