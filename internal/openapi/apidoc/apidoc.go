// Package apidoc renders descriptions of APIs in pages: as HTML that is complete without
// a script, and as blocks for all other formats of a page.
//
// An operation has two columns: what it is and takes (operation.go, schema.go), and code beside it
// (samples.go), with the form that sends a request (try.go). The style sheet and the script of sites
// decide how they look: api.css and api.js of package theme. The second column begins beside the
// title, wherever that is, and stays while a reader scrolls. The address of the servers is shown once
// on a page (servers.go), and paths without it elsewhere. Each field has an anchor (anchors.go).
package apidoc

import (
	"bytes"
	"cmp"
	stdhtml "html"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Limits of one page. Schemas beyond them are shown by name, with a link to the model if
// the page shows it.
const (
	maxDepth      = 6         // nested schemas
	maxFields     = 500       // fields in one block
	maxPageFields = 3000      // fields in all blocks of a page
	maxModels     = 60        // models that one block adds because it links to them
	maxCode       = 256 << 10 // bytes of highlighted code
	maxText       = 1 << 20   // bytes of Markdown
	maxSource     = 2 << 20   // bytes of code, highlighted or not
	maxHTML       = 8 << 20   // bytes of blocks, after which no further block is rendered
	maxWritten    = 4 << 20   // bytes of Markdown, after which Blocks replaces no further block
	maxResponses  = 60        // of an operation
)

// Find returns the description that a reference names, or nil.
type Find func(docs.Ref) *openapi.Description

// Page renders the blocks of one page. Its methods must be called in the order of the
// blocks.
type Page struct {
	find    Find
	o       html.Options
	l       *html.APILabels
	models  map[modelKey]string // anchors of the models on the page
	used    map[string]bool     // anchors in use
	servers map[string]bool     // the lists of servers that the page shows, by their key
	columns bool                // a block has samples beside it
	fields  int                 // how many fields may still be shown
	code    int
	text    int
	sources int
	html    int
	tryAt   string // URL that sends requests; "" disables trying operations
}

type modelKey struct {
	d    *openapi.Description
	name string
}

// NewPage returns the renderer of a page. o are the options of the surrounding page; they
// determine the rendering of code, icons and links.
func NewPage(find Find, o html.Options) *Page {
	o.API, o.Link, o.Title, o.Size, o.Extent = nil, nil, nil, nil, nil
	o.Untitled, o.Lead = false, false
	p := &Page{find: find, o: o, models: map[modelKey]string{}, used: map[string]bool{}, servers: map[string]bool{},
		fields: maxPageFields, code: maxCode, text: maxText, sources: maxSource, html: maxHTML}
	p.l = &p.labels().API
	return p
}

// Columns reports whether a block of the page has samples beside it, so that the page needs its
// whole width.
func (p *Page) Columns() bool { return p.columns }

// labels returns the labels of the language of the page that are not only about APIs.
func (p *Page) labels() *html.Labels { return cmp.Or(p.o.Labels, &html.EnglishLabels) }

// HTML returns the HTML of a block. It reports false if there is nothing to show.
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

// Title returns the entry of a block in the outline of a page. It is empty for a block
// whose title is in a heading above it.
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

// operation returns the operation or the webhook that a block shows, or nil.
func operation(d *openapi.Description, b markup.APIBlock) *openapi.Operation {
	if b.Type == "openapi-webhook" {
		return d.Webhook(b.Name, b.Method)
	}
	return d.Operation(b.Method, b.Path)
}

// Blocks returns a document in which blocks of descriptions are replaced by their
// content, for Markdown, books and search.
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

// writer renders one block.
type writer struct {
	*Page
	d      *openapi.Description
	b      strings.Builder
	level  int
	left   int // how many fields may still be shown
	above  map[openapi.SchemaID]bool
	block  string           // what the anchors of the operation begin with
	at     string           // what the anchors of the current fields begin with
	wanted []openapi.Schema // models that the block links to and that follow it
	// omits reports whether a field never occurs in the current body. It is nil if all
	// fields can occur.
	omits func(*openapi.View) bool
}

// readOnly and writeOnly report whether a field never occurs in requests, or in
// responses.
func readOnly(v *openapi.View) bool  { return v.ReadOnly }
func writeOnly(v *openapi.View) bool { return v.WriteOnly }

// tag writes an element with a class around the output of inner.
func (w *writer) tag(element, class string, inner func()) {
	w.b.WriteString("<" + element)
	if class != "" {
		w.b.WriteString(` class="` + class + `"`)
	}
	w.b.WriteString(">")
	inner()
	w.b.WriteString("</" + element + ">")
}

// textElement writes an element with an escaped text.
func (w *writer) textElement(element, class, text string) {
	w.tag(element, class, func() { w.escape(text) })
}

func (w *writer) escape(s string) { w.b.WriteString(stdhtml.EscapeString(printable(s))) }

// printable returns a text without control characters.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r
	}, s)
}

// heading writes a heading; below is its level relative to the title of the block.
func (w *writer) heading(below int, text string) {
	w.textElement("h"+strconv.Itoa(min(w.level+below, 6)), "api-heading", text)
}

// markdown renders Markdown of the description, within the limits of the page.
func (w *writer) markdown(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if w.text -= len(text); w.text < 0 {
		return
	}
	if !strings.ContainsAny(text, "\n`*_[]<>#&{}\\|~$!:") {
		w.tag("div", "api-text", func() { w.textElement("p", "", text) })
		return
	}
	var b bytes.Buffer
	doc := markup.Parse([]byte(openapi.WithoutHeadings(text)), markup.Refs{})
	o := w.o
	if w.code -= len(text); w.code < 0 {
		o.Highlight = nil
	}
	if err := html.Write(&b, doc, o); err == nil {
		w.tag("div", "api-text", func() { w.b.Write(bytes.TrimSpace(b.Bytes())) })
	}
}

// source writes a code block, or an ellipsis beyond the limit of the page.
func (w *writer) source(language, code string) {
	if w.sources -= len(code); w.sources < 0 {
		w.textElement("p", "", "…")
		return
	}
	o := w.o
	if w.code -= len(code); w.code < 0 {
		o.Highlight = nil
	}
	var b bytes.Buffer
	if err := html.Write(&b, markup.Parse([]byte(openapi.Fenced(language, code)+"\n"), markup.Refs{}), o); err == nil {
		w.b.Write(bytes.TrimSpace(b.Bytes()))
	}
}

// tabs writes sections of which a script shows one at a time.
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
