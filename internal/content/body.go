package content

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup"
)

// side is what is kept beside a source: what its bytes alone do not tell.
type side struct {
	// Start is where the body begins, behind front matter and title.
	Start int `json:"a,omitempty"`
	// Pins are what destinations were found to name when they were written,
	// so that they keep naming it when it is moved.
	Pins map[string]markup.Ref `json:"p,omitempty"`
	// Keys of the blocks, where they are not those that the parser gives.
	Keys []string `json:"k,omitempty"`
}

func (t *tree) sideOf(ctx context.Context, h chunk.Hash) (s side, err error) {
	b, err := t.src.Bytes(ctx, h)
	if err == nil && b != nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// text is a source with the place that its references are relative to.
type text struct {
	owner string // page or reusable content
	file  string
	body  chunk.Hash
	side  chunk.Hash
}

func (t *tree) pageText(ctx context.Context, p docs.Page) (text, error) {
	file, err := t.fileOf(ctx, p)
	return text{string(p.ID), file, p.Body, p.Side}, err
}

func reusableText(r docs.Reusable) text { return text{string(r.ID), r.File, r.Body, r.Side} }

// read gives the body of a source, without its head, and what is beside it.
func (t *tree) read(ctx context.Context, x text) ([]byte, side, error) {
	src, err := t.src.Bytes(ctx, x.body)
	if err != nil {
		return nil, side{}, err
	}
	s, err := t.sideOf(ctx, x.side)
	return src[min(s.Start, len(src)):], s, err
}

// documentOf parses a source as it stands in this tree.
func (t *tree) documentOf(ctx context.Context, x text) (*markup.Document, error) {
	body, s, err := t.read(ctx, x)
	if err != nil {
		return nil, err
	}
	return t.parse(ctx, body, x.file, s)
}

func (t *tree) parse(ctx context.Context, body []byte, file string, s side) (*markup.Document, error) {
	return t.parseNoting(ctx, body, file, s, nil)
}

// parseNoting is parse that notes the references that are not tied to their
// targets.
func (t *tree) parseNoting(ctx context.Context, body []byte, file string, s side, loose map[markup.Ref]bool) (*markup.Document, error) {
	l := &linker{ctx: ctx, t: t, base: t.src.s.BaseURL, file: file, pins: s.Pins, first: true, loose: loose}
	doc := markup.Parse(body, l.refs())
	if len(s.Keys) > 0 {
		markup.SetKeys(doc, s.Keys)
	}
	return doc, l.err
}

// Document gives the blocks of a page.
func (t *tree) Document(ctx context.Context, p docs.Page) (*markup.Document, error) {
	x, err := t.pageText(ctx, p)
	if err != nil {
		return nil, err
	}
	return t.documentOf(ctx, x)
}

// ReusableDocument gives the blocks of a reusable content.
func (t *tree) ReusableDocument(ctx context.Context, r docs.Reusable) (*markup.Document, error) {
	return t.documentOf(ctx, reusableText(r))
}

// Markdown gives the body of a page with references as they have to be
// written now: the bytes as they came in unless something was moved since.
func (t *tree) Markdown(ctx context.Context, p docs.Page, stable bool) ([]byte, error) {
	x, err := t.pageText(ctx, p)
	if err != nil {
		return nil, err
	}
	body, s, err := t.read(ctx, x)
	if err != nil {
		return nil, err
	}
	return t.relocated(ctx, body, x.file, s, stable)
}

func (t *tree) relocated(ctx context.Context, body []byte, file string, s side, stable bool) ([]byte, error) {
	l := &linker{ctx: ctx, t: t, base: t.src.s.BaseURL, file: file, pins: s.Pins, first: true, stable: stable}
	if !stable {
		moved := false
		for dest, pin := range s.Pins {
			moved = moved || !l.leads(dest, pin)
		}
		if !moved || l.err != nil {
			return body, l.err
		}
	}
	doc, err := t.parse(ctx, body, file, s)
	if err != nil {
		return nil, err
	}
	l.first = false // the new destinations first, and the pins of what did not move
	out := markup.Relocate(body, doc, markup.Refs{Resolve: l.resolve, Locate: l.locate, Keep: l.stays})
	return out, l.err
}

// leads tells whether a destination names its pin now, whatever it is used
// for.
func (l *linker) leads(dest string, pin markup.Ref) bool {
	for _, use := range []markup.Use{markup.UseLink, markup.UseImage, markup.UseInclude} {
		if ref, ok := l.current(dest, use); ok && ref == pin && !byID(dest) {
			return true
		}
	}
	if g, gone := l.grave(pin); gone && l.led(dest, pin, g) {
		return true
	}
	// What is gone without a trace cannot be written any other way.
	_, ok := l.locate(pin, markup.UseLink)
	return !ok
}

// stays tells whether a destination can stay as it is written: it leads to
// its target by the current tree, or led there until that was deleted. With
// stable references nothing does unless it carries an id.
func (l *linker) stays(dest string, use markup.Use, ref markup.Ref) bool {
	if l.stable || byID(dest) {
		return false
	}
	if now, ok := l.current(dest, use); ok && now == ref {
		return true
	}
	g, gone := l.grave(ref)
	return gone && l.led(dest, ref, g)
}

// byID tells whether a destination names a page, a file or a reusable
// content of the space by its id. That is how programs write them; in a
// folder nobody could follow it.
func byID(dest string) bool {
	return strings.HasPrefix(dest, "/pages/") || strings.HasPrefix(dest, "/files/") || strings.HasPrefix(dest, "/reusable-content/")
}

// writing is a body that a change sets.
type writing struct {
	path     string // of the field, for errors
	markdown []byte // or
	doc      *markup.Document
	whole    bool                  // markdown is the whole file, head and all
	given    *frontmatter.Head     // of markdown, where somebody has read it already
	head     *[]byte               // of a document: another head
	pins     map[string]markup.Ref // of a document: what more destinations name
	file     string                // where it stands for its own references; empty: where the page is
	// written says that references lead where the source says, not to what they
	// were found to name before: so it is in a repository whose files were
	// renamed.
	written bool
}

// settle turns what was written into the source of a page, after all changes
// of a batch to the tree, so that references find their targets.
func (d *draft) settle(ctx context.Context) error {
	if err := d.bury(ctx); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(d.written)) {
		p, ok, err := d.page(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			continue // dropped by a later change
		}
		x, err := d.pageText(ctx, p)
		if err != nil {
			return err
		}
		body, sd, doc, err := d.compose(ctx, x, d.written[id])
		if err != nil {
			return err
		}
		if md := d.written[id].markdown; md != nil {
			if h := markup.ParseHead(md); slices.Contains(h.Meta.Keys, "cover") {
				p.Cover = coverOf(h, &linker{ctx: ctx, t: d.tree, base: d.src.s.BaseURL, file: x.file, names: d.refs})
			}
		}
		if body != p.Body {
			p.OID = "" // git knows another one
		}
		if body != p.Body || sd != p.Side {
			// Only what was just written is tied to all that it refers to.
			d.parsed[docKey(body, sd)] = doc
		}
		p.Body, p.Side = body, sd
		if err := d.put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func docKey(body, sd chunk.Hash) chunk.Hash { return body + "/" + sd }

// compose gives the source and the side of a text after a writing. What did
// not change keeps its bytes: the head, and every block that is the same.
func (d *draft) compose(ctx context.Context, x text, w *writing) (chunk.Hash, chunk.Hash, *markup.Document, error) {
	old, err := d.src.Bytes(ctx, x.body)
	if err != nil {
		return "", "", nil, err
	}
	was, err := d.sideOf(ctx, x.side)
	if err != nil {
		return "", "", nil, err
	}
	start := min(was.Start, len(old))
	head, body := old[:start], old[start:]
	if !w.written {
		if body, err = d.relocated(ctx, body, x.file, was, false); err != nil {
			return "", "", nil, err
		}
		here := &linker{ctx: ctx, t: d.tree, file: x.file}
		if was.Pins = here.carried(was.Pins); here.err != nil {
			return "", "", nil, here.err
		}
	}
	before, err := d.parse(ctx, body, x.file, was)
	if err != nil {
		return "", "", nil, err
	}
	l := &linker{ctx: ctx, t: d.tree, base: d.src.s.BaseURL, file: cmp.Or(w.file, x.file), pins: was.Pins, names: d.refs, found: map[string]markup.Ref{}}
	if w.written {
		l.pins = nil
	}
	next := body
	if w.doc != nil {
		if w.doc, err = d.unread(ctx, before, w.doc, x.file); err != nil {
			return "", "", nil, err
		}
		if w.head != nil {
			head = *w.head
		}
		if len(w.pins) > 0 {
			l.pins = maps.Clone(l.carried(w.pins))
			maps.Copy(l.pins, was.Pins)
		}
		next = markup.Reprint(body, before, w.doc, l.refs())
	} else {
		given := w.given
		if given == nil {
			read := markup.ParseHead(w.markdown)
			given = &read
		}
		next = w.markdown[given.Body:]
		if bytes.Contains(next, []byte("/pages/")) || bytes.Contains(next, []byte("/files/")) {
			// What was read with ids in place of paths is what it was.
			stable, err := d.relocated(ctx, body, x.file, was, true)
			if err != nil {
				return "", "", nil, err
			}
			if bytes.Equal(next, stable) {
				next = body
			}
		}
		same := bytes.Equal(next, body)
		switch {
		case w.whole, given.HasFrontMatter(), len(head) == 0 && !same:
			head = w.markdown[:given.Body]
		case len(head) == 0:
			head = nil // a heading that only repeats the title of a page without one
		}
	}
	if len(head)+len(next) > docs.MaxSource {
		return "", "", nil, errs.Field(w.path, "is larger than %d MB", docs.MaxSource>>20)
	}
	clear(l.found)
	doc := markup.Parse(next, l.refs())
	if l.err != nil {
		return "", "", nil, l.err
	}
	fresh := markup.Keys(doc)
	markup.Rekey(before, doc)
	if w.doc != nil {
		markup.Rekey(w.doc, doc)
	}
	s := side{Start: len(head)}
	if len(l.found) > 0 {
		s.Pins = l.found
	}
	if keys := markup.Keys(doc); !slices.Equal(keys, fresh) {
		s.Keys = keys
	}
	file := w.whole && x.body == "" // an empty one is one too
	named := maps.Equal(s.Pins, was.Pins) || !w.written && !l.rebound(was.Pins, s.Pins)
	if !file && named && bytes.Equal(next, body) && bytes.Equal(head, old[:start]) && slices.Equal(markup.Keys(doc), markup.Keys(before)) {
		return x.body, x.side, doc, nil
	}
	source := w.markdown
	if w.doc != nil || len(head)+len(next) != len(source) { // else they are its two parts
		source = slices.Concat(head, next)
	}
	bodyHash, sideHash := chunk.Hash(""), chunk.Hash("")
	if len(source) > 0 || file || x.body != "" {
		bodyHash = d.object(source)
	}
	if s.Start > 0 || s.Pins != nil || s.Keys != nil {
		b, err := json.Marshal(s)
		if err != nil {
			return "", "", nil, err
		}
		sideHash = d.object(b)
	}
	return bodyHash, sideHash, doc, nil
}

// documentID names a source of a page for good.
func documentID(owner string, body, sd chunk.Hash) string {
	if body == "" {
		return ""
	}
	return owner + "-" + string(chunk.Sum([]byte(docKey(body, sd))))
}

// Print gives a document, such as an evaluated one, as Markdown of a page.
func (t *tree) Print(ctx context.Context, p docs.Page, doc *markup.Document, stable bool) ([]byte, error) {
	file, err := t.fileOf(ctx, p)
	if err != nil {
		return nil, err
	}
	l := &linker{ctx: ctx, t: t, base: t.src.s.BaseURL, file: file, stable: stable}
	out := markup.Print(doc, l.refs())
	return out, l.err
}

// A note is a short text beside the pages of a space, such as a comment. It
// is kept as Markdown whose references carry ids.

// NoteSource gives a note as it is kept.
func (t *tree) NoteSource(ctx context.Context, path string, b Body) (string, error) {
	l := &linker{ctx: ctx, t: t, base: t.src.s.BaseURL, stable: true}
	out := ""
	switch {
	case b.Markdown != nil:
		out = *b.Markdown
	case b.Document != nil:
		out = string(markup.Print(b.Document, l.refs()))
	}
	if len(out) > MaxNote {
		return "", errs.Field(path, "is longer than %d KB", MaxNote>>10)
	}
	return out, l.err
}

// MaxNote is how long a note may be, in bytes.
const MaxNote = 64 << 10

// NoteDocument gives the blocks of a note.
func (t *tree) NoteDocument(ctx context.Context, source string) (*markup.Document, error) {
	return t.parse(ctx, []byte(source), "", side{})
}

// Body is the content of a page as somebody sends it: Markdown, or a
// document.
type Body struct {
	Markdown *string
	Document *markup.Document
}

func (d *draft) write(at string, id docs.PageID, b *Body) error {
	switch {
	case b == nil || (b.Markdown == nil && b.Document == nil):
	case b.Markdown != nil:
		if len(*b.Markdown) > docs.MaxSource {
			return errs.Field(at+".document.markdown", "is larger than %d MB", docs.MaxSource>>20)
		}
		d.written[id] = &writing{path: at + ".document.markdown", markdown: []byte(*b.Markdown)}
	default:
		d.written[id] = &writing{path: at + ".document.document", doc: b.Document}
	}
	return nil
}
