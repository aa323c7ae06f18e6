package revision

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
)

// Sidecar is stored beside a source and holds what its bytes cannot express.
type Sidecar struct {
	// Start is where the body begins, behind front matter and title.
	Start int `json:"a,omitempty"`
	// Links holds the targets of destinations when they were written,
	// so that they still lead there when the target is moved.
	Links map[string]markup.Ref `json:"p,omitempty"`
	// Keys of the blocks, where they differ from those of the parser.
	Keys []string `json:"k,omitempty"`
	// Inner holds the keys of nested nodes that are not derived from the key of
	// their block, by the number of the node.
	Inner map[int]string `json:"i,omitempty"`
}

func (t *Tree) Sidecar(ctx context.Context, h chunk.Hash) (s Sidecar, err error) {
	b, err := t.src.Bytes(ctx, h)
	if err == nil && b != nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// Text is a source with its owner and the file that its references are relative to.
type Text struct {
	Owner   string // page or reusable content
	File    string
	Body    chunk.Hash
	Sidecar chunk.Hash
}

func (t *Tree) PageText(ctx context.Context, p docs.Page) (Text, error) {
	file, err := t.FileOf(ctx, p)
	return Text{string(p.ID), file, p.Body, p.Sidecar}, err
}

func ReusableText(r docs.Reusable) Text { return Text{string(r.ID), r.File, r.Body, r.Sidecar} }

// Body returns the body of a source, without its head, and its sidecar.
func (t *Tree) Body(ctx context.Context, x Text) ([]byte, Sidecar, error) {
	src, err := t.src.Bytes(ctx, x.Body)
	if err != nil {
		return nil, Sidecar{}, err
	}
	s, err := t.Sidecar(ctx, x.Sidecar)
	return src[min(s.Start, len(src)):], s, err
}

// DocumentOf parses a source with the references of this tree.
func (t *Tree) DocumentOf(ctx context.Context, x Text) (*markup.Document, error) {
	body, s, err := t.Body(ctx, x)
	if err != nil {
		return nil, err
	}
	return t.Parse(ctx, body, x.File, s)
}

func (t *Tree) Parse(ctx context.Context, body []byte, file string, s Sidecar) (*markup.Document, error) {
	return t.ParseLoose(ctx, body, file, s, nil)
}

// ParseLoose is Parse that also adds to loose the references that were resolved
// by their path in the current tree, not by the sidecar.
func (t *Tree) ParseLoose(ctx context.Context, body []byte, file string, s Sidecar, loose map[markup.Ref]bool) (*markup.Document, error) {
	l := t.reader(ctx, file, s, loose)
	doc := markup.Parse(body, l.refs())
	if len(s.Keys) > 0 || len(s.Inner) > 0 {
		markup.SetKeys(doc, s.Keys, s.Inner)
	}
	return doc, l.Err
}

// reader returns a linker for a stored source.
func (t *Tree) reader(ctx context.Context, file string, s Sidecar, loose map[markup.Ref]bool) *Linker {
	return &Linker{ctx: ctx, t: t.whole(), base: t.src.s.BaseURL, file: file, Resolved: s.Links, ResolvedFirst: true, loose: loose, trace: t.trace}
}

// Document returns the blocks of a page.
func (t *Tree) Document(ctx context.Context, p docs.Page) (*markup.Document, error) {
	x, err := t.PageText(ctx, p)
	if err != nil {
		return nil, err
	}
	return t.DocumentOf(ctx, x)
}

// ReusableDocument returns the blocks of a reusable content.
func (t *Tree) ReusableDocument(ctx context.Context, r docs.Reusable) (*markup.Document, error) {
	return t.DocumentOf(ctx, ReusableText(r))
}

// Markdown returns the body of a page with the current paths of its references.
// These are the stored bytes unless a target was moved since. If stable is true,
// references carry ids instead of paths.
func (t *Tree) Markdown(ctx context.Context, p docs.Page, stable bool) ([]byte, error) {
	x, err := t.PageText(ctx, p)
	if err != nil {
		return nil, err
	}
	body, s, err := t.Body(ctx, x)
	if err != nil {
		return nil, err
	}
	return t.Relocated(ctx, body, x.File, s, stable)
}

func (t *Tree) Relocated(ctx context.Context, body []byte, file string, s Sidecar, stable bool) ([]byte, error) {
	l := &Linker{ctx: ctx, t: t.whole(), base: t.src.s.BaseURL, file: file, Resolved: s.Links, ResolvedFirst: true, Stable: stable}
	if !stable {
		moved := false
		for dest, target := range s.Links {
			moved = moved || !l.leads(dest, target)
		}
		if !moved || l.Err != nil {
			return body, l.Err
		}
	}
	doc, err := t.Parse(ctx, body, file, s)
	if err != nil {
		return nil, err
	}
	l.ResolvedFirst = false // destinations are resolved by the current tree first
	out := markup.Relocate(body, doc, markup.Refs{Resolve: l.resolve, Locate: l.Locate, Keep: l.stays})
	return out, l.Err
}

// leads reports whether a destination, in any use, still needs no rewriting to
// name its target.
func (l *Linker) leads(dest string, target markup.Ref) bool {
	for _, use := range []markup.Use{markup.UseLink, markup.UseImage, markup.UseInclude} {
		if ref, ok := l.Current(dest, use); ok && ref == target && !l.byID(dest, use, ref) {
			return true
		}
	}
	if g, gone := l.Tombstone(target); gone && l.led(dest, target, g) {
		return true
	}
	// A target without a location or a tombstone cannot be written any other way.
	_, ok := l.Locate(target, markup.UseLink)
	return !ok
}

// stays reports whether a destination can stay as it is written: it resolves to
// its target in the current tree, or did so until the target was deleted.
// Destinations by id are always written again, and with stable references all are.
func (l *Linker) stays(dest string, use markup.Use, ref markup.Ref) bool {
	if l.Stable {
		return false
	}
	if now, ok := l.Current(dest, use); ok && now == ref {
		return !l.byID(dest, use, ref)
	}
	g, gone := l.Tombstone(ref)
	return gone && l.led(dest, ref, g)
}

// hasStableForm reports whether a source may have a destination that Locate returns if Stable
// is set.
func hasStableForm(source []byte) bool {
	for _, form := range []string{"/pages/", "/files/", "/reusable-content/"} {
		if bytes.Contains(source, []byte(form)) {
			return true
		}
	}
	return false
}

// byID reports whether a destination that leads to ref has one of the forms that API
// clients write, such as /pages/ID. In a folder of files they would lead nowhere. The path of
// a file is none of them, even if the file is in a folder with the name pages.
func (l *Linker) byID(dest string, use markup.Use, ref markup.Ref) bool {
	where, anchor, _ := strings.Cut(dest, "#")
	where, _, _ = strings.Cut(where, "?")
	if plain, err := url.PathUnescape(where); err == nil {
		where = plain
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(where, "/"), "/")
	if !strings.HasPrefix(where, "/") || !slices.Contains([]string{"pages", "files", "reusable-content"}, kind) {
		return false
	}
	named, ok := l.ByName(path.Clean(where[1:]), anchor, use)
	return !ok || named != ref
}

// Writing is a body that a change sets.
type Writing struct {
	Path     string // of the field, for errors
	Markdown []byte // or
	Doc      *markup.Document
	Whole    bool                  // Markdown is the whole file, including its head
	Given    *frontmatter.Head     // the head of Markdown, if it is parsed already
	Head     *[]byte               // with Doc: the new head; nil keeps the old one
	Resolved map[string]markup.Ref // with Doc: targets of further destinations
	File     string                // the path that references are relative to; empty: the file of the page
	// Written makes references resolve by the source alone, ignoring their
	// previous targets. Imports set it, because files of a repository may have
	// been renamed.
	Written bool

	// What Compose has read, for Problems.
	doc   *markup.Document
	asked []answer
}

// ReadHead returns the head of the Markdown. It parses the head only once.
func (w *Writing) ReadHead() frontmatter.Head {
	if w.Given == nil {
		h := markup.ParseHead(w.Markdown)
		w.Given = &h
	}
	return *w.Given
}

// ComposeBodies composes the sources of all written pages. It is called after all
// changes of a batch to the tree, so that references find their targets.
func (d *Draft) ComposeBodies(ctx context.Context) error {
	if err := d.UpdateTombstones(ctx); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(d.Written)) {
		p, ok, err := d.Lookup(ctx, id)
		if err != nil {
			return err
		}
		if !ok {
			continue // dropped by a later change
		}
		x, err := d.PageText(ctx, p)
		if err != nil {
			return err
		}
		body, sd, doc, err := d.Compose(ctx, x, d.Written[id])
		if err != nil {
			return err
		}
		if w := d.Written[id]; w.Markdown != nil {
			if h := w.ReadHead(); slices.Contains(h.Meta.Keys, "cover") {
				p.Cover = CoverOf(h, &Linker{ctx: ctx, t: d.Tree, base: d.src.s.BaseURL, file: x.File, names: d.Refs})
			}
		}
		if body != p.Body {
			p.OID = "" // it is that of the old source
		}
		if body != p.Body || sd != p.Sidecar {
			// Only texts just written have all their references in the sidecar.
			d.Parsed[DocKey(body, sd)] = doc
		}
		p.Body, p.Sidecar = body, sd
		if err := d.Put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func DocKey(body, sd chunk.Hash) chunk.Hash { return body + "/" + sd }

// composed is a text in parts: its head, body and sidecar, and the blocks of
// the body.
type composed struct {
	head, body []byte
	side       Sidecar
	doc        *markup.Document // nil for the old text if Markdown is written: only its skeleton is needed
	skeleton   *markup.Skeleton
}

// Compose stores the source and the sidecar that w makes of a text, and returns
// their hashes and the new document. An unchanged head and unchanged blocks keep
// their bytes.
func (d *Draft) Compose(ctx context.Context, x Text, w *Writing) (chunk.Hash, chunk.Hash, *markup.Document, error) {
	old, err := d.src.Bytes(ctx, x.Body)
	if err != nil {
		return "", "", nil, err
	}
	was, err := d.current(ctx, x, old, w)
	if err != nil {
		return "", "", nil, err
	}
	l := &Linker{ctx: ctx, t: d.Tree, base: d.src.s.BaseURL, file: cmp.Or(w.File, x.File), Resolved: was.side.Links, names: d.Refs, found: map[string]markup.Ref{}}
	if w.Written {
		l.Resolved = nil
	}
	now := composed{}
	if w.Doc != nil {
		now.head, now.body, err = d.printed(ctx, x, w, was, l)
	} else {
		now.head, now.body, err = d.given(ctx, x, w, was)
	}
	if err != nil {
		return "", "", nil, err
	}
	if !w.Whole && len(was.body) == 0 && len(now.body) > 0 && bytes.Equal(now.head, was.head) {
		now.head = withBlankLine(now.head)
	}
	if len(now.head)+len(now.body) > docs.MaxSource {
		return "", "", nil, errs.Field(w.Path, "is larger than %d MB", docs.MaxSource>>20)
	}
	if err := now.read(l, was, w); err != nil {
		return "", "", nil, err
	}
	w.doc, w.asked = now.doc, l.asked
	file := w.Whole && x.Body == "" // a new file has a source even if it is empty
	named := maps.Equal(now.side.Links, was.side.Links) || !w.Written && !l.rebound(was.side.Links, now.side.Links)
	same := bytes.Equal(now.body, was.body) && bytes.Equal(now.head, was.head) && slices.Equal(now.skeleton.Keys(), was.skeleton.Keys()) && maps.Equal(now.side.Inner, was.side.Inner)
	if !file && named && same {
		return x.Body, x.Sidecar, now.doc, nil
	}
	body, side, err := d.storeText(x, w, now, file)
	if err == nil && !d.Uncached {
		d.src.s.skeletons.keep(x, body, side, now.skeleton, l.asked)
	}
	return body, side, now.doc, err
}

// current returns the text before w, with the current paths of its references.
func (d *Draft) current(ctx context.Context, x Text, old []byte, w *Writing) (was composed, err error) {
	if was.side, err = d.Sidecar(ctx, x.Sidecar); err != nil {
		return was, err
	}
	start := min(was.side.Start, len(old))
	was.head, was.body = old[:start], old[start:]
	if !w.Written {
		if was.body, err = d.Relocated(ctx, was.body, x.File, was.side, false); err != nil {
			return was, err
		}
		here := &Linker{ctx: ctx, t: d.Tree, file: x.File}
		if was.side.Links = here.carried(was.side.Links); here.Err != nil {
			return was, here.Err
		}
	}
	if w.Doc == nil {
		was.skeleton, err = d.skeletonBefore(ctx, x, old, was.body, was.side)
		return was, err
	}
	if was.doc, err = d.Parse(ctx, was.body, x.File, was.side); err == nil {
		was.skeleton = markup.NewSkeleton(was.doc)
	}
	return was, err
}

// printed returns the head and the body of a writing that is a document.
func (d *Draft) printed(ctx context.Context, x Text, w *Writing, was composed, l *Linker) (head, body []byte, err error) {
	if err := w.Doc.CheckAddresses(was.doc); err != nil {
		return nil, nil, err
	}
	if w.Doc, err = d.repositoryPaths(ctx, was.doc, w.Doc, x.File); err != nil {
		return nil, nil, err
	}
	if head = was.head; w.Head != nil {
		head = *w.Head
	}
	if len(w.Resolved) > 0 {
		l.Resolved = maps.Clone(l.carried(w.Resolved))
		maps.Copy(l.Resolved, was.side.Links)
	}
	return head, markup.Reprint(was.body, was.doc, w.Doc, l.refs()), nil
}

// given returns the head and the body of a writing that is Markdown.
func (d *Draft) given(ctx context.Context, x Text, w *Writing, was composed) (head, body []byte, err error) {
	read := w.ReadHead()
	body = w.Markdown[read.Body:]
	if !bytes.Equal(body, was.body) && hasStableForm(body) {
		// A body that was read with ids instead of paths and sent back is unchanged.
		stable, err := d.Relocated(ctx, was.body, x.File, was.side, true)
		if err != nil {
			return nil, nil, err
		}
		if bytes.Equal(body, stable) {
			body = was.body
		}
	}
	blank := len(was.head)+len(was.body) == 0
	if blank && len(body) == 0 && !w.Whole && !read.HasFrontMatter() {
		return was.head, was.body, nil // an empty page is read as its title
	}
	head = w.Markdown[:read.Body]
	if w.Whole || blank {
		return head, body, nil
	}
	body = withLineEnds(was.head, was.body, body)
	if !read.HasFrontMatter() {
		// A heading at the top repeats the title and is not part of the body. A file
		// without one gets none.
		return was.head, body, nil
	}
	return sameMark(was.head, withLineEnds(was.body, was.head, head)), body, nil
}

// sameMark returns the new head of a file with the byte order mark of the old head, if it
// has one.
func sameMark(was, now []byte) []byte {
	mark := []byte("\ufeff")
	if !bytes.HasPrefix(was, mark) || bytes.HasPrefix(now, mark) {
		return now
	}
	return slices.Concat(mark, now)
}

// read parses the new body. Unchanged blocks keep their keys.
func (now *composed) read(l *Linker, was composed, w *Writing) error {
	clear(l.found)
	l.asked = nil
	now.doc = markup.Parse(now.body, markup.Refs{Resolve: l.answer})
	if l.Err != nil {
		return l.Err
	}
	parsed := markup.Keys(now.doc)
	now.side = Sidecar{Start: len(now.head)}
	now.skeleton, now.side.Inner = markup.Rekey(was.skeleton, w.Doc, now.doc)
	if len(l.found) > 0 {
		now.side.Links = l.found
	}
	if keys := now.skeleton.Keys(); !slices.Equal(keys, parsed) {
		now.side.Keys = keys
	}
	return nil
}

// storeText stores a composed text and its sidecar as objects of the draft. If
// file is true, an empty text is stored too.
func (d *Draft) storeText(x Text, w *Writing, now composed, file bool) (body, side chunk.Hash, err error) {
	source := w.Markdown
	if body, ok := bytes.CutPrefix(source, now.head); !ok || !bytes.Equal(body, now.body) { // otherwise no copy is needed
		source = slices.Concat(now.head, now.body)
	}
	if len(source) > 0 || file || x.Body != "" {
		body = d.Object(source, x.Body)
	}
	if s := now.side; s.Start > 0 || s.Links != nil || s.Keys != nil || s.Inner != nil {
		b, err := json.Marshal(s)
		if err != nil {
			return "", "", err
		}
		if side = chunk.Sum(b); side != x.Sidecar { // else it is stored already
			side = d.Object(b, x.Sidecar)
		}
	}
	return body, side, nil
}

// DocumentIDOf returns the id of a document: that of its owner and a hash of its
// source and sidecar.
func DocumentIDOf(owner string, body, sd chunk.Hash) string {
	if body == "" {
		return ""
	}
	return owner + "-" + string(chunk.Sum([]byte(DocKey(body, sd))))
}

// Print returns doc, such as an evaluated document, as Markdown of the page p.
func (t *Tree) Print(ctx context.Context, p docs.Page, doc *markup.Document, stable bool) ([]byte, error) {
	file, err := t.FileOf(ctx, p)
	if err != nil {
		return nil, err
	}
	l := &Linker{ctx: ctx, t: t, base: t.src.s.BaseURL, file: file, Stable: stable}
	out := markup.Print(doc, l.refs())
	return out, l.Err
}

// A note is a short text beside the pages of a space, such as a comment. It
// is stored as Markdown whose references carry ids.

// NoteSource returns the Markdown under which a note is stored. path is that of
// its field, for errors. was is the note before, of which the blocks that are not
// edited keep their bytes.
func (t *Tree) NoteSource(ctx context.Context, path, was string, b Body) (string, error) {
	l := &Linker{ctx: ctx, t: t, base: t.src.s.BaseURL, Stable: true}
	out := ""
	switch {
	case b.Markdown != nil:
		out = *b.Markdown
	case b.Document != nil:
		if err := b.Document.CheckAddresses(nil); err != nil {
			return "", err
		}
		before, err := t.NoteDocument(ctx, was)
		if err != nil {
			return "", err
		}
		out = string(markup.Reprint([]byte(was), before, b.Document, l.refs()))
	}
	if len(out) > MaxNote {
		return "", errs.Field(path, "is longer than %d KB", MaxNote>>10)
	}
	return out, l.Err
}

// MaxNote is how long a note may be, in bytes.
const MaxNote = 64 << 10

// NoteDocument returns the blocks of a note.
func (t *Tree) NoteDocument(ctx context.Context, source string) (*markup.Document, error) {
	return t.Parse(ctx, []byte(source), "", Sidecar{})
}

// Body is the content of a page as clients send it: Markdown or a document.
type Body struct {
	Markdown *string
	Document *markup.Document
}

// Writing returns the Writing that sets the body of a page to b, or nil if b is
// empty. at is the path of the change or of the input that has it, for errors.
func (b *Body) Writing(at string) (*Writing, error) {
	switch {
	case b == nil || (b.Markdown == nil && b.Document == nil):
		return nil, nil
	case b.Markdown == nil:
		return &Writing{Path: errs.In(at, "document.document"), Doc: b.Document}, nil
	case len(*b.Markdown) > docs.MaxSource:
		return nil, errs.Field(errs.In(at, "document.markdown"), "is larger than %d MB", docs.MaxSource>>20)
	}
	return &Writing{Path: errs.In(at, "document.markdown"), Markdown: []byte(*b.Markdown)}, nil
}

// Write sets the body of a page, unless w is nil.
func (d *Draft) Write(id docs.PageID, w *Writing) {
	if w != nil {
		d.Written[id] = w
	}
}

// DocumentID returns the id of the document of a page; empty when it has none.
func DocumentID(p docs.Page) string { return DocumentIDOf(string(p.ID), p.Body, p.Sidecar) }

// ReusableDocumentID returns the id of the document of a reusable content.
func ReusableDocumentID(r docs.Reusable) string {
	return DocumentIDOf(string(r.ID), r.Body, r.Sidecar)
}
