// Package pdf writes books as PDF: a cover, a table of contents, chapters from documents
// of package markup, an outline, and working links.
//
// It writes in one pass: a page is written when it is full, a picture when it is first
// used. Only the current page, one chapter and the data for the end of the file stay in
// memory: offsets of objects, titles, destinations and the used glyphs. The table of
// contents is written last, but its pages come first.
//
// Where a change goes:
//   - how a PDF looks: sizes and colours in style.go, a block in blocks.go, groups.go,
//     table.go or code.go; OCTAVO_TEST_PDF=rich.pdf go test -run Rich writes one to look
//     at
package pdf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/print/typeface"
)

// Book is the content and the settings of a PDF.
type Book struct {
	Title    string
	Subtitle string   // below the title, such as the organization
	Facts    []string // at the bottom of the cover, such as date and revision
	Date     time.Time
	Chapters iter.Seq2[Chapter, error]
	// Within reports whether a page is a chapter of this book.
	Within func(page string) bool
	// Link returns the address of a target outside of the book. Name returns the title
	// for a reference without text. Both may be nil.
	Link func(docs.Ref) (url string, ok bool)
	Name func(docs.Ref) (title string, ok bool)
	// Size returns the size of a file. It may be nil.
	Size func(docs.Ref) (bytes int64, ok bool)
	// Open opens a picture of the book. If it is nil or fails, the picture is shown as a
	// link.
	Open func(docs.Ref) (io.ReadCloser, error)
	// Highlight highlights code. If it is nil, code is plain.
	Highlight *highlight.Highlighter
	// Formulas typesets formulas. If it is nil, or has no time left, formulas are shown as
	// source.
	Formulas *formula.Work
	// Fonts are fonts for characters that the bundled ones lack. It may be nil.
	Fonts *typeface.Fonts
	// Contents controls whether the book has a table of contents. A book of one page
	// needs none.
	Contents bool
	// Missing is called with the characters that no font has. It may be nil.
	Missing func([]rune)
}

// Chapter is a page of the book, or the title of a group of pages.
type Chapter struct {
	ID          string // page id, the target of links
	Title       string
	Icon        string // before the title
	Description string
	Depth       int              // depth of the page in the tree, from 0
	Document    *markup.Document // nil for a group
}

// A4, in points.
const (
	pageWidth  = 595.28
	pageHeight = 841.89
	left       = 62.0
	right      = pageWidth - 62
	top        = 74.0
	bottom     = pageHeight - 66
	textWidth  = right - left
)

// Limits of one book.
const (
	// MaxPages is the maximum number of PDF pages of a book.
	MaxPages   = 20_000
	maxDests   = 500_000 // destinations of links
	maxOutline = 100_000 // entries
	maxDepth   = 200     // of nodes; deeper ones are omitted
)

// ErrTooLong is the error for a book with more than MaxPages.
var ErrTooLong = fmt.Errorf("the document would have more than %d pages", MaxPages)

// Write writes a book.
func Write(ctx context.Context, w io.Writer, b Book) error {
	d := &document{
		Book: b, ctx: ctx, w: newWriter(w), fonts: b.Fonts, glyphs: map[glyphKey]chosenGlyph{}, missing: map[rune]bool{},
		dests: map[string]dest{}, pictures: map[docs.Ref]*picture{}, emojis: map[string]*picture{},
	}
	d.parent = d.w.reserve()
	d.pages = &pager{d: d, y: top, empty: true}
	d.body = flow{d: d, w: textWidth, emit: d.pages.emit, size: bodySize, color: inkColor}
	return d.write()
}

// document is the state of a book while it is written.
type document struct {
	Book
	ctx     context.Context
	w       *writer
	parent  object // the page tree
	front   []object
	inside  []object
	pages   *pager
	body    flow
	failed  error
	running string // title of the current chapter, in the page header

	fonts   *typeface.Fonts
	used    []*docFont
	extra   []*typeface.Face // fonts found for characters of this document
	glyphs  map[glyphKey]chosenGlyph
	missing map[rune]bool
	shaper  shaper

	dests    map[string]dest
	entries  []entry // of the table of contents
	outline  []entry
	chapter  string // id of the current chapter
	notes    []note
	code     int // bytes of this chapter that may still be highlighted
	formulas int // bytes of this chapter that may still be typeset
	shift    int // offset of heading levels in this chapter
	level    int // depth of this chapter
	numbered bool
	pictures map[docs.Ref]*picture
	emojis   map[string]*picture
	work     int64  // pixels processed
	pixels   []byte // buffer for the pixels of PNGs, reused
}

// dest is a destination. A destination that is linked but not placed yet has no page.
type dest struct {
	page  object
	y     float64
	other string // fallback destination if this one is never placed
}

// entry is a line of the contents or of the outline.
type entry struct {
	title string
	depth int
	page  int // from 1
	dest  string
	group bool
}

func (d *document) err() error {
	if d.failed != nil {
		return d.failed
	}
	return d.w.err
}

func (d *document) fail(err error) {
	if d.failed == nil {
		d.failed = err
	}
}

func (d *document) write() error {
	d.cover()
	d.numbered = true
	group := false
	for ch, err := range d.Chapters {
		if err == nil {
			err = d.ctx.Err()
		}
		if err != nil {
			return err
		}
		if !group {
			d.pages.end()
		}
		d.writeChapter(ch)
		group = ch.Document == nil
		if d.err() != nil {
			return d.err()
		}
	}
	d.pages.end()
	d.numbered = false
	if d.Contents {
		d.contents()
	}
	if d.err() != nil {
		return d.err()
	}
	return d.finish()
}

func pageDest(page string) string { return "p:" + page }

// registerDest registers a destination that a link needs. It reports false if there are
// maxDests.
func (d *document) registerDest(name string) bool {
	if _, ok := d.dests[name]; ok {
		return true
	}
	if len(d.dests) >= maxDests {
		return false
	}
	page, _, _ := strings.Cut(name, "#")
	d.dests[name] = dest{other: page}
	return true
}

// placeDest sets the position of a destination. The first position of a name counts.
func (d *document) placeDest(name string, c *canvas, y float64) {
	if have, ok := d.dests[name]; ok && have.page != 0 || !ok && len(d.dests) >= maxDests {
		return
	}
	d.dests[name] = dest{page: c.ref, y: pageHeight - max(0, y-8)}
}

// newPage starts a page.
func (d *document) newPage() *canvas {
	if err := d.ctx.Err(); err != nil {
		d.fail(err)
	}
	if len(d.inside) >= MaxPages {
		d.fail(ErrTooLong)
	}
	c := newCanvas(d)
	if d.numbered {
		d.inside = append(d.inside, c.ref)
		c.number = len(d.inside)
	} else {
		d.front = append(d.front, c.ref)
	}
	return c
}

// endPage adds the header and the footer, and writes the page.
func (d *document) endPage(c *canvas) {
	if c.number > 0 {
		d.headerFooter(c, strconv.Itoa(c.number), d.running)
	}
	c.finish(d.parent)
}

// headerFooter draws the header and the footer of a page.
func (d *document) headerFooter(c *canvas, number, running string) {
	st := style{size: 8, color: paleColor, back: none}
	const head, foot = 44.0, pageHeight - 36
	d.drawLine(c, d.Title, st, left, head, textWidth/2-10, 0)
	d.drawLine(c, running, st, left+textWidth/2+10, head, textWidth/2-10, 1)
	c.front(stroke(ruleColor), "0.5 w", path(left, head+8, right, head+8), "S")
	d.drawLine(c, number, style{size: 9, color: paleColor, back: none}, left, foot, textWidth, 1)
}

// drawLine draws one line of text, truncated to a width. align is the alignment, from 0
// for left to 1 for right.
func (d *document) drawLine(c *canvas, s string, st style, x, base, width, align float64) float64 {
	whole := d.truncated(oneLine(s), st, width)
	c.line(whole, x+(width-whole.width)*align, base)
	return whole.width
}

// maxTitle is the number of characters of a text that is too long which are tried for
// one line.
const maxTitle = 500

// truncated returns a text as one line. If it is wider than width, it is cut between
// characters and ends with an ellipsis.
func (d *document) truncated(s string, st style, width float64) line {
	var first line
	fits := func(text string) bool {
		n := 0
		d.lines([]span{{text: text, st: st}}, width, func(l line) {
			if n++; n == 1 {
				first = l
			}
		})
		return n == 1
	}
	if fits(s) {
		return first
	}
	s = strings.ToValidUTF8(s, "\ufffd")
	ends := []int{0} // of characters, with the marks on them
	at := 0
	for r, text := range characters(s) {
		if len(ends) > maxTitle {
			break
		}
		if unicode.Is(unicode.M, r) {
			ends = ends[:max(1, len(ends)-1)]
		}
		at += max(len(text), utf8.RuneLen(r))
		ends = append(ends, at)
	}
	cut := func(i int) string { return strings.TrimRight(s[:ends[i]], " ") + "…" }
	n := sort.Search(len(ends), func(i int) bool { return !fits(cut(i)) })
	fits(cut(max(0, n-1)))
	return first
}

// finish writes the objects of the whole book: fonts, page tree, outline, destinations
// and metadata.
func (d *document) finish() error {
	for _, f := range d.used {
		if err := f.write(d.w); err != nil {
			return err
		}
	}
	kids := make([]string, 0, len(d.front)+len(d.inside))
	for _, o := range slices.Concat(d.front, d.inside) {
		kids = append(kids, o.String())
	}
	d.w.put(d.parent, "<</Type/Pages/Count %d/Kids[%s]>>", len(kids), strings.Join(kids, "\n"))
	outline := d.writeOutline()
	labels := fmt.Sprintf("/PageLabels<</Nums[0<</S/r>>%d<</S/D>>]>>", len(d.front))
	if len(d.inside) == 0 {
		labels = ""
	}
	root := d.w.add("<</Type/Catalog/Pages %s/Outlines %s/PageMode/UseOutlines/Names<</Dests %s>>%s/ViewerPreferences<</DisplayDocTitle true>>>>",
		d.parent, outline, d.writeDests(), labels)
	date := d.Date.UTC().Format("D:20060102150405Z")
	info := d.w.add("<</Title %s/Creator(Octavo)/Producer(Octavo)/CreationDate(%s)/ModDate(%s)>>", text(d.Title), date, date)
	// The id is derived from the book, so that the same book results in the same file.
	id := sha256.Sum256([]byte(strings.Join(append([]string{d.Title, d.Subtitle, date}, d.Facts...), "\x00")))
	if err := d.w.close(root, info, hex.EncodeToString(id[:16])); err != nil {
		return err
	}
	if len(d.missing) > 0 && d.Missing != nil {
		d.Missing(slices.Sorted(maps.Keys(d.missing)))
	}
	return nil
}

// writeDests writes the destinations as a name tree.
func (d *document) writeDests() object {
	const inLeaf = 64
	names := slices.Sorted(maps.Keys(d.dests))
	var kids []string
	var firsts, lasts []string
	for chunk := range slices.Chunk(names, inLeaf) {
		var b strings.Builder
		count := 0
		first, last := "", ""
		for _, name := range chunk {
			at := d.dests[name]
			if at.page == 0 { // never placed: use the beginning of its page
				at = d.dests[at.other]
			}
			if at.page == 0 {
				continue
			}
			if count++; count == 1 {
				first = name
			}
			last = name
			fmt.Fprintf(&b, "%s[%s/XYZ null %s null]\n", literal(name), at.page, num(at.y))
		}
		if count > 0 {
			o := d.w.add("<</Limits[%s%s]/Names[%s]>>", literal(first), literal(last), b.String())
			kids, firsts, lasts = append(kids, o.String()), append(firsts, first), append(lasts, last)
		}
	}
	for len(kids) > inLeaf { // inner levels of the tree
		var up, f, l []string
		for i := 0; i < len(kids); i += inLeaf {
			j := min(i+inLeaf, len(kids))
			o := d.w.add("<</Limits[%s%s]/Kids[%s]>>", literal(firsts[i]), literal(lasts[j-1]), strings.Join(kids[i:j], " "))
			up, f, l = append(up, o.String()), append(f, firsts[i]), append(l, lasts[j-1])
		}
		kids, firsts, lasts = up, f, l
	}
	return d.w.add("<</Kids[%s]>>", strings.Join(kids, " "))
}

// writeOutline writes the bookmarks as a tree by the depth of the entries.
func (d *document) writeOutline() object {
	root := d.w.reserve()
	type node struct {
		o                 object
		parent            int // -1 is the root
		first, last, next int
		prev              int
		depth             int
		count             int
	}
	nodes := make([]node, len(d.outline))
	var stack []int
	rootFirst, rootLast, top := -1, -1, 0
	for i, e := range d.outline {
		for len(stack) > 0 && nodes[stack[len(stack)-1]].depth >= e.depth {
			stack = stack[:len(stack)-1]
		}
		n := node{o: d.w.reserve(), parent: -1, first: -1, last: -1, next: -1, prev: -1, depth: e.depth}
		if len(stack) > 0 {
			n.parent = stack[len(stack)-1]
			up := &nodes[n.parent]
			if up.first < 0 {
				up.first = i
			} else {
				n.prev = up.last
				nodes[up.last].next = i
			}
			up.last = i
			up.count++
		} else {
			if rootFirst < 0 {
				rootFirst = i
			} else {
				n.prev = rootLast
				nodes[rootLast].next = i
			}
			rootLast = i
			top++
		}
		nodes[i] = n
		stack = append(stack, i)
	}
	for i, n := range nodes {
		var b strings.Builder
		up := root
		if n.parent >= 0 {
			up = nodes[n.parent].o
		}
		fmt.Fprintf(&b, "<</Title %s/Parent %s/Dest %s", text(d.outline[i].title), up, literal(d.outline[i].dest))
		for _, l := range []struct {
			key string
			at  int
		}{{"Prev", n.prev}, {"Next", n.next}, {"First", n.first}, {"Last", n.last}} {
			if l.at >= 0 {
				fmt.Fprintf(&b, "/%s %s", l.key, nodes[l.at].o)
			}
		}
		if n.count > 0 {
			fmt.Fprintf(&b, "/Count -%d", n.count) // closed
		}
		d.w.put(n.o, "%s>>", b.String())
	}
	if top == 0 {
		d.w.put(root, "<</Type/Outlines/Count 0>>")
	} else {
		d.w.put(root, "<</Type/Outlines/First %s/Last %s/Count %d>>", nodes[rootFirst].o, nodes[rootLast].o, top)
	}
	return root
}
