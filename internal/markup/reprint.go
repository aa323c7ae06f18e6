package markup

import (
	"bytes"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// Reprint returns the source of doc, which is a changed version of old. old was
// parsed from body. Blocks of doc that are also in old keep their bytes and the
// space around them; other blocks are printed. The order is that of doc.
// Without a change, Reprint returns body.
func Reprint(body []byte, old, doc *Document, refs Refs) []byte {
	costly.Note(costly.Print)
	doc = withEditedTitles(old, doc)
	first := newReprinter(body, old, refs)
	if out, ok := first.edited(doc); ok {
		return out
	}
	for _, way := range []way{{sources: true}, {sources: true, spaces: true}, {sources: true, repair: true}, {repair: true}} {
		if way.spaces && bytes.IndexByte(body, '\t') < 0 {
			continue
		}
		r := newReprinter(body, old, refs)
		r.way, r.traced = way, first.traced
		r.plan(doc)
		if r.unchanged() {
			return bytes.Clone(body)
		}
		if out, ok := r.written(); ok {
			return out
		}
	}
	// Some syntax in the source extends beyond its block, such as code that is
	// not closed. The content of the document is more important than the bytes
	// of the source.
	out := Print(doc, refs)
	if bytes.Contains(body, []byte("\r\n")) {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return out
}

// way is how a reprinter composes a source.
type way struct {
	sources bool // blocks that are new or edited use the source that they have elsewhere
	spaces  bool // there, tabs become spaces: they are as wide as their place makes them
	repair  bool // pieces that cannot be side by side are printed
}

// written joins the pieces, if that is parsed as the blocks they were made of.
func (r *reprinter) written() ([]byte, bool) {
	m := &mender{r: r, at: -1}
	tries := 2
	if r.repair {
		tries = maxRepairs
	}
	for try := range tries {
		out := r.write(try > 0)
		at, ok := r.reads(out)
		if ok {
			return out, true
		}
		if try > 0 {
			m.mend(at)
		}
	}
	return nil, false
}

// WithSource records the source of each block in a document, so that a block
// that is copied to another document keeps its bytes there.
func WithSource(body []byte, doc *Document) *Document {
	for i, n := range doc.Nodes {
		alone := (i == 0 || doc.Spans[i-1] != doc.Spans[i]) && (i == len(doc.Nodes)-1 || doc.Spans[i+1] != doc.Spans[i])
		s := body[doc.Spans[i].Start:doc.Spans[i].End]
		if alone && !bytes.Contains(s, []byte("[^")) { // footnotes are defined elsewhere
			n.setExtra(func(e *extras) { e.source = strings.ReplaceAll(string(s), "\r\n", "\n") })
		}
	}
	return doc
}

// reprinter composes a source from pieces of the old source and new text.
type reprinter struct {
	body      []byte
	refs      Refs
	parseRefs Refs // for parsing the output again
	old       *Document
	traced    *Document  // the old document parsed with a trace, on first use
	groups    []oldGroup // pieces of the source
	pieces    []newPiece
	notes     *notes
	marks     []noteMark // footnotes that are defined between the blocks
	crlf      bool
	way
	dests map[destination]docs.Ref // the references of destinations in the old and the new source
	index *sourceIndex             // nil if all new blocks are printed
}

// destination is a written destination and its use, which together name a
// target.
type destination struct {
	dest string
	use  Use
}

// oldGroup is a range of nodes that share a span.
type oldGroup struct {
	span     Span
	from, to int // nodes
}

// newPiece is a group of the old source that is kept, or new text.
type newPiece struct {
	group int // -1 for text
	text  string
	// override is the source of a group with destinations replaced.
	override *string
	nodes    []*Node // the nodes that the piece is parsed as
	blocks   []*Node // the blocks of the new document
}

// noteMark is the definition of a footnote in the source.
type noteMark struct {
	label string
	span  Span
	uses  bool // the footnote is kept
}

func newReprinter(body []byte, old *Document, refs Refs) *reprinter {
	r := &reprinter{body: body, refs: refs, old: old, crlf: bytes.Contains(body, []byte("\r\n"))}
	for i, s := range old.Spans {
		if k := len(r.groups); k > 0 && r.groups[k-1].span == s {
			r.groups[k-1].to = i + 1
			continue
		}
		r.groups = append(r.groups, oldGroup{s, i, i + 1})
	}
	r.dests = map[destination]docs.Ref{}
	eachNode(old.Nodes, func(n *Node) {
		for _, w := range n.extra().written {
			r.dests[destination{w.dest, w.use}] = w.ref()
		}
	})
	// A destination has the meaning that it had when the source was parsed, and
	// a printed destination that of the reference it was printed for. Resolve
	// may return another target now.
	r.parseRefs = Refs{Resolve: func(dest string, use Use) (docs.Ref, bool) {
		if ref, ok := r.dests[destination{dest, use}]; ok {
			return ref, true
		}
		return refs.find(dest, use)
	}}
	r.readNotes()
	return r
}

// unchanged reports whether the pieces are exactly the groups of the source.
func (r *reprinter) unchanged() bool {
	for i, p := range r.pieces {
		if p.group != i {
			return false
		}
	}
	return len(r.pieces) == len(r.groups)
}

// readNotes finds the footnotes that the source defines, so that printed blocks
// can use them and do not reuse their labels.
func (r *reprinter) readNotes() {
	r.notes = newNotes(nil)
	if !bytes.Contains(r.body, []byte("[^")) {
		return
	}
	root, s := read(r.body)
	var problems []Problem
	c := newConverter(string(r.body), s, r.parseRefs, &problems)
	for label := range s.Notes {
		r.notes.used[label] = true
	}
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		note, ok := n.(*grammar.FootnoteBlock)
		if !ok || s.Notes[note.Label] != note {
			continue
		}
		limit := len(r.body)
		if next := n.NextSibling(); next != nil {
			limit = lineStart(r.body, firstOffset(next))
		}
		start := lineStart(r.body, firstOffset(n))
		r.marks = append(r.marks, noteMark{label: note.Label, span: trimSpan(r.body, start, max(limit, start))})
		if body := c.noteBody(note.Label); body != nil {
			if h := hashNodes(body.Nodes); r.notes.known[h] == "" {
				r.notes.known[h] = note.Label
			}
		}
	}
}

// plan decides which nodes keep their source, and prints the others.
func (r *reprinter) plan(doc *Document) {
	h, nodes := Hashes{}, doc.Nodes
	from := h.matchPreferKeys(r.old.Nodes, nodes)
	groupOf := make([]int, len(r.old.Nodes))
	for g, old := range r.groups {
		for i := old.from; i < old.to; i++ {
			groupOf[i] = g
		}
	}
	p := r.printer()
	if r.sources {
		r.index = newSourceIndex(r, doc)
		p.sources = r.index
	}
	forms := r.forms(doc, from)
	var before *Node
	other := false
	for i := 0; i < len(nodes); {
		beside := r.beside(before)
		if g := r.wholeGroup(from, groupOf, i); g >= 0 && !(r.sources && r.conflicts(g, nodes[i], beside)) {
			old := r.groups[g]
			r.pieces = append(r.pieces, newPiece{group: g, nodes: r.old.Nodes[old.from:old.to], blocks: nodes[i : i+old.to-old.from]})
			i += old.to - old.from
			before, other = nodes[i-1], r.otherMarker(g, nodes[i-1])
			continue
		}
		n := nodes[i]
		text, read, elsewhere := r.borrow(n)
		if from[i] < 0 && forms[i] >= 0 && !elsewhere {
			if p, ok := r.editBlock(r.groups[groupOf[forms[i]]], n); ok && !r.joins(n, p.text, before, beside) {
				p.blocks = nodes[i : i+1]
				r.pieces = append(r.pieces, p)
				before, other = n, isList(n) && secondMarker(p.text)
				i++
				continue
			}
			if text, read, ok := r.patch(groupOf[forms[i]], n); ok && !r.joins(n, text, before, beside) {
				r.pieces = append(r.pieces, newPiece{group: -1, text: text, nodes: read, blocks: nodes[i : i+1]})
				before, other = n, isList(n) && secondMarker(text)
				i++
				continue
			}
		}
		if before != nil && isList(n) && isList(before) && (n.Type == "list-ordered") == (before.Type == "list-ordered") {
			other = !other
		} else {
			other = false
		}
		// The next block may be a list that keeps its source.
		if i+1 < len(nodes) && isList(n) && isList(nodes[i+1]) {
			if g := r.wholeGroup(from, groupOf, i+1); g >= 0 {
				other = !r.otherMarker(g, nodes[i+1])
				if sameLists(n, nodes[i+1]) {
					beside += listMark(r.group(g))
				}
			}
		}
		if elsewhere && !(isList(n) && before != nil && isList(before)) {
			r.pieces = append(r.pieces, newPiece{group: -1, text: text, nodes: read, blocks: nodes[i : i+1]})
			before = n
			i++
			continue
		}
		p.openEnd = i == lastWithContent(nodes)
		p.avoid = beside
		if text := p.blocksAfter(nodes[i:i+1], other); text != "" {
			r.pieces = append(r.pieces, newPiece{group: -1, text: text, nodes: r.readsAsNow(n, text), blocks: nodes[i : i+1]})
			before = n
		}
		i++
	}
}

// group returns the source of a group.
func (r *reprinter) group(g int) string {
	return string(r.body[r.groups[g].span.Start:r.groups[g].span.End])
}

// beside returns the marks that a list after the last piece cannot have.
func (r *reprinter) beside(before *Node) string {
	if before == nil || !isList(before) || !r.sources {
		return ""
	}
	last := r.pieces[len(r.pieces)-1]
	if last.group >= 0 {
		return besideOf(before, r.group(last.group))
	}
	return besideOf(before, last.text)
}

// joins reports whether a list would be a part of the one before it.
func (r *reprinter) joins(n *Node, text string, before *Node, beside string) bool {
	return r.sources && before != nil && sameLists(n, before) && containsAny(beside, listMark(text))
}

// conflicts reports whether a group cannot keep its source after a list: it
// would be a part of that list.
func (r *reprinter) conflicts(g int, n *Node, beside string) bool {
	if beside == "" || r.groups[g].to-r.groups[g].from != 1 {
		return false
	}
	source := r.group(g)
	if isList(n) {
		before := r.pieces[len(r.pieces)-1].blocks
		return g != r.pieces[len(r.pieces)-1].group+1 && sameLists(n, before[len(before)-1]) && containsAny(beside, listMark(source))
	}
	return n.Type == "code" && (source[0] == ' ' || source[0] == '\t') && g != r.pieces[len(r.pieces)-1].group+1
}

// printer returns a printer of new text for this source.
func (r *reprinter) printer() *printer {
	p := newPrinter(r.refs, r.notes)
	p.wrote = r.dests
	return p
}

// borrow returns the source that a new block has elsewhere, if it has the same
// meaning in this document.
func (r *reprinter) borrow(n *Node) (string, []*Node, bool) {
	source := n.extra().source
	if !r.sources || source == "" {
		return "", nil, false
	}
	got, h := parse([]byte(source), r.parseRefs).Nodes, Hashes{}
	if len(got) != 1 {
		return "", nil, false
	}
	if h.Of(got[0]) != h.Of(n) { // the names of rows may differ
		if want := r.readBack(n); n.Type != "table" || len(want) != 1 || h.Of(got[0]) != h.Of(want[0]) {
			return "", nil, false
		}
	}
	return source, got, true
}

// otherMarker reports whether a list in the source has the second marker.
func (r *reprinter) otherMarker(g int, n *Node) bool {
	if !isList(n) {
		return false
	}
	return secondMarker(string(r.body[r.groups[g].span.Start:r.groups[g].span.End]))
}

func secondMarker(list string) bool {
	s := strings.TrimLeft(list, " 0123456789")
	return strings.HasPrefix(s, "-") || strings.HasPrefix(s, ")")
}

// wholeGroup returns the group that consists of the nodes from i on, or -1.
func (r *reprinter) wholeGroup(from, groupOf []int, i int) int {
	if from[i] < 0 {
		return -1
	}
	g := groupOf[from[i]]
	old := r.groups[g]
	for k := 0; k < old.to-old.from; k++ {
		if i+k >= len(from) || from[i+k] != old.from+k {
			return -1
		}
	}
	return g
}

// readBack returns the nodes that the printed nodes are parsed as.
func (r *reprinter) readBack(nodes ...*Node) []*Node {
	return parse(Print(&Document{Nodes: nodes}, r.refs), r.parseRefs).Nodes
}

// gap returns the source before a group without unused footnotes. For the
// number of groups, it returns the source after the last one.
func (r *reprinter) gap(g int) string {
	start, end := r.between(g)
	return r.withoutNotes(start, end)
}

// source is like gap, but includes all footnotes.
func (r *reprinter) source(g int) string {
	start, end := r.between(g)
	return string(r.body[start:end])
}

func (r *reprinter) between(g int) (start, end int) {
	end = len(r.body)
	if g > 0 {
		start = r.groups[g-1].span.End
	}
	if g < len(r.groups) {
		end = r.groups[g].span.Start
	}
	return start, end
}

// withoutNotes returns a range of the source without the footnotes that are no
// longer used.
func (r *reprinter) withoutNotes(start, end int) string {
	var b strings.Builder
	at := start
	for _, m := range r.marks {
		if m.uses || m.span.Start < start || m.span.End > end {
			continue
		}
		b.Write(r.body[at:m.span.Start])
		at = m.span.End
		for at < end && (r.body[at] == '\n' || r.body[at] == '\r') {
			at++
		}
	}
	b.Write(r.body[at:end])
	return b.String()
}

// write joins the pieces. If wide is set, there is a blank line on both sides
// of every new piece.
func (r *reprinter) write(wide bool) []byte {
	r.markNotes()
	w := &pieceWriter{r: r, wide: wide, done: make([]bool, len(r.groups)+1)}
	if len(r.groups) > 0 {
		w.gap(0, false)
	} else {
		w.keep(0)
	}
	for i, p := range r.pieces {
		if i > 0 {
			w.between(i)
		} else if p.group > 0 {
			w.keep(p.group) // definitions before a block that moved up
		}
		switch {
		case p.override != nil:
			w.b.WriteString(*p.override)
		case p.group >= 0:
			s := r.groups[p.group].span
			w.b.Write(r.body[s.Start:s.End])
		default:
			w.text(p.text)
		}
	}
	w.end()
	return w.b.Bytes()
}

// markNotes sets which footnotes are kept.
func (r *reprinter) markNotes() {
	if len(r.marks) == 0 {
		return
	}
	var all bytes.Buffer // everything that may use a footnote
	var gone bytes.Buffer
	kept := map[int]bool{}
	for _, p := range r.pieces {
		if p.group >= 0 {
			kept[p.group] = true
			s := r.groups[p.group].span
			all.Write(r.body[s.Start:s.End])
		} else {
			all.WriteString(p.text)
		}
	}
	for g, old := range r.groups {
		if !kept[g] {
			gone.Write(r.body[old.span.Start:old.span.End])
		}
	}
	for i, m := range r.marks {
		all.Write(r.body[m.span.Start+len(m.label)+3 : m.span.End])
		use, element := []byte("[^"+m.label+"]"), []byte(noteHref+m.label+`"`)
		// Keep footnotes that the removed blocks did not use.
		r.marks[i].uses = !bytes.Contains(gone.Bytes(), use) && !bytes.Contains(gone.Bytes(), element)
	}
	for i, m := range r.marks {
		use, element := []byte("[^"+m.label+"]"), []byte(noteHref+m.label+`"`)
		r.marks[i].uses = r.marks[i].uses || bytes.Contains(all.Bytes(), use) || bytes.Contains(all.Bytes(), element)
	}
}

// reads reports whether out is parsed as the blocks that it was composed of, or
// else at which piece it differs.
func (r *reprinter) reads(out []byte) (at int, ok bool) {
	got := parse(out, r.parseRefs).Nodes
	h := Hashes{}
	for i, p := range r.pieces {
		for _, n := range p.nodes {
			if len(got) == 0 || h.Of(got[0]) != h.Of(n) {
				return i, false
			}
			got = got[1:]
		}
	}
	return len(r.pieces), len(got) == 0
}

// maxRepairs is how often a source is written before the whole is printed.
const maxRepairs = 8

// readsAsNow returns the nodes that the text of a block is parsed as: if it is
// from the source, it was parsed before.
func (r *reprinter) readsAsNow(n *Node, text string) []*Node {
	if r.index != nil {
		if s := r.index.blocks[n]; s.ok && s.text == text {
			if got := r.withDefinitions(text); len(got) == 1 {
				return got
			}
		}
	}
	return r.readBack(n)
}

// mender prints pieces at the place where a source is not parsed as what it was
// composed of: there, two pieces cannot be side by side as they are. It tries
// to print one of the two, and then both.
type mender struct {
	r     *reprinter
	at    int
	step  int
	piece newPiece // the piece after the place, as it was
}

// mend prints one more piece. at is where the source differs.
func (m *mender) mend(at int) {
	if at != m.at {
		m.at, m.step = at, 0
	}
	m.step++
	next := at + 1
	switch m.step {
	case 1:
		if next < len(m.r.pieces) {
			m.piece = m.r.pieces[next]
			m.r.printPiece(next)
			return
		}
		m.step++
		fallthrough
	case 2:
		if next < len(m.r.pieces) {
			m.r.pieces[next] = m.piece
		}
		m.r.printPiece(at)
	case 3:
		m.r.printPiece(next)
	default:
		m.r.printPiece(at - 1)
	}
}

// printPiece prints the blocks of a piece without the source.
func (r *reprinter) printPiece(i int) {
	if i < 0 || i >= len(r.pieces) || len(r.pieces[i].blocks) == 0 {
		return
	}
	p, other := &r.pieces[i], false
	if i > 0 && len(r.pieces[i-1].blocks) > 0 {
		before := r.pieces[i-1].blocks
		other = sameLists(p.blocks[0], before[len(before)-1]) && !secondMarker(r.pieces[i-1].text)
	}
	*p = newPiece{group: -1, text: r.printer().blocksAfter(p.blocks, other), nodes: r.readBack(p.blocks...), blocks: p.blocks}
}

type pieceWriter struct {
	r    *reprinter
	b    bytes.Buffer
	wide bool
	done []bool // gaps that were written
}

func (w *pieceWriter) text(s string) {
	if w.r.crlf {
		s = strings.ReplaceAll(s, "\n", "\r\n")
	}
	w.b.WriteString(s)
}

// gap writes the source before a group.
func (w *pieceWriter) gap(g int, blank bool) {
	s := w.withoutSpaces(w.r.gap(g))
	w.done[g] = true
	if blank && strings.Count(s, "\n") < 2 {
		w.text("\n")
		if !strings.Contains(s, "\n") {
			w.text("\n")
		}
	}
	w.b.WriteString(s)
}

// withoutSpaces returns a gap without the spaces at the end of a line that is
// written already: they stay with a text that was moved or split.
func (w *pieceWriter) withoutSpaces(gap string) string {
	if b := w.b.Bytes(); len(b) > 0 && (b[len(b)-1] == ' ' || b[len(b)-1] == '\t') {
		return strings.TrimLeft(gap, " \t")
	}
	return gap
}

// keep writes the definitions before a group that no longer follows its old
// predecessor.
func (w *pieceWriter) keep(g int) {
	if s := strings.TrimSpace(w.r.gap(g)); s != "" && !w.done[g] {
		w.b.WriteString(s)
		w.text("\n\n")
	}
	w.done[g] = true
}

// between writes the space between a piece and the previous one.
func (w *pieceWriter) between(i int) {
	a, b := w.r.pieces[i-1].group, w.r.pieces[i].group
	switch {
	case a >= 0 && b == a+1:
		w.gap(b, false)
	case a >= 0 && b < 0 && w.r.nextKept(i) != a+1 && !w.done[a+1] && a+1 < len(w.r.groups):
		w.gap(a+1, w.wide) // in place of the removed block
	case b >= 0 && a < 0 && !w.done[b]:
		w.gap(b, w.wide)
	case a >= 0 && b >= 0: // the blocks between were removed, or the order changed
		w.text("\n\n")
		if b != a+1 && a+1 < len(w.r.groups) {
			w.keep(a + 1)
		}
		w.keep(b)
	case a < 0 && b < 0 && !w.wide:
		w.text(w.r.sourceGap(i))
	default:
		w.text("\n\n")
	}
}

// sourceGap returns the line breaks between a piece and the previous one: those
// that their blocks have in the source, such as those of a block that is lifted.
func (r *reprinter) sourceGap(i int) string {
	a, b := r.pieces[i-1].blocks, r.pieces[i].blocks
	if r.index != nil && len(a) > 0 && len(b) > 0 {
		if s := r.index.gap(a[len(a)-1], b[0]); s != "" {
			return s
		}
	}
	return "\n\n"
}

// nextKept returns the first kept group from piece i on, or -1.
func (r *reprinter) nextKept(i int) int {
	for ; i < len(r.pieces); i++ {
		if g := r.pieces[i].group; g >= 0 {
			return g
		}
	}
	return -1
}

// end writes the rest: definitions, new footnotes and the end of the source.
func (w *pieceWriter) end() {
	r := w.r
	for g := range r.groups {
		if s := strings.TrimSpace(r.gap(g)); !w.done[g] && s != "" {
			w.text("\n\n")
			w.b.WriteString(s)
		}
	}
	last := w.withoutSpaces(r.gap(len(r.groups)))
	if len(r.groups) == 0 {
		last = "" // it was written as the gap before the first piece
	}
	defs := newPrinter(r.refs, r.notes).definitions()
	if defs == "" {
		if len(r.pieces) > 0 || strings.TrimSpace(last) != "" {
			if r.pieces != nil && r.pieces[len(r.pieces)-1].group < 0 && last == "" {
				w.text("\n")
			}
			w.b.WriteString(last)
		}
		return
	}
	w.b.WriteString(strings.TrimRight(last, " \t\r\n"))
	if w.b.Len() > 0 {
		w.text("\n\n")
	}
	w.text(defs + "\n")
}
