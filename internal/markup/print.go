package markup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Print returns a document as Markdown in one canonical form. Parse converts it
// back to the same nodes, except for what Markdown cannot express: paragraphs
// without content, and texts that are split without need.
func Print(doc *Document, refs Refs) []byte {
	costly.Note(costly.Print)
	p := newPrinter(refs, newNotes(nil))
	nodes, last := doc.Nodes, []*Node(nil)
	if k := len(nodes); k > 0 && p.isOpenRaw(nodes[k-1]) {
		// The raw block would include the footnotes that follow it.
		nodes, last = nodes[:k-1], nodes[k-1:]
	}
	var parts []string
	for _, s := range []string{p.blocks(nodes), p.definitions(), p.openBlocks(last)} {
		if s != "" {
			parts = append(parts, s)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	return []byte(strings.Join(parts, "\n\n") + "\n")
}

// printer prints blocks. All methods return text without a line break at the
// end.
type printer struct {
	refs  Refs
	notes *notes
	inRef bool // inside a footnote
	wrote map[destination]docs.Ref
	// inside counts the enclosing tags by name, items the enclosing list items.
	inside map[string]int
	items  int
	// openEnd is set if the enclosing block has an implicit end, so that its
	// last block may have no end of its own.
	openEnd bool
	forms   map[string]rawForm
	// sources has the blocks that keep the source that they have in the old
	// version of the document; nil if there is none. avoid has the marks of the
	// lists beside the next block.
	sources *sourceIndex
	avoid   string
}

func newPrinter(refs Refs, n *notes) *printer {
	return &printer{refs: refs, notes: n, inside: map[string]int{}, forms: map[string]rawForm{}}
}

// notes holds the footnotes of one source.
type notes struct {
	used   map[string]bool // labels in use
	bodies map[string]string
	order  []string
	next   int
	// known maps hashes of bodies that are already defined to their labels.
	known map[uint64]string
}

func newNotes(used map[string]bool) *notes {
	if used == nil {
		used = map[string]bool{}
	}
	return &notes{used: used, bodies: map[string]string{}, known: map[uint64]string{}}
}

// label returns the label of a footnote with this body. It adds the footnote if
// it is new.
func (p *printer) label(body []*Node) string {
	hash := hashNodes(body)
	if l, ok := p.notes.known[hash]; ok {
		return l
	}
	var label string
	for label == "" || p.notes.used[label] {
		p.notes.next++
		label = fmt.Sprint(p.notes.next)
	}
	p.notes.used[label] = true
	p.notes.known[hash] = label
	p.notes.order = append(p.notes.order, label)
	p.inRef = true
	p.notes.bodies[label] = p.openBlocks(body)
	p.inRef = false
	return label
}

func hashNodes(nodes []*Node) uint64 {
	h, v := Hashes{}, uint64(align.HashSeed)
	for _, n := range nodes {
		v = align.Mix(v, h.Of(n))
	}
	return v
}

// definitions returns the definitions of the footnotes that were used.
func (p *printer) definitions() string {
	var defs []string
	for _, l := range p.notes.order {
		defs = append(defs, strings.TrimRight(hang("[^"+l+"]: ", "    ", p.notes.bodies[l]), " "))
	}
	return strings.Join(defs, "\n\n")
}

// hang adds the prefix first to the first line, and the prefix rest to the
// other lines that are not empty.
func hang(first, rest, s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = first + l
		case l != "":
			lines[i] = rest + l
		}
	}
	return strings.Join(lines, "\n")
}

func (p *printer) blocks(nodes []*Node) string { return p.blocksAfter(nodes, false) }

// blocksAfter returns blocks as Markdown. other is whether a list at the
// beginning has the second marker.
func (p *printer) blocksAfter(nodes []*Node, other bool) string {
	var b strings.Builder
	var before *Node
	last := "" // the text of before
	for i, n := range nodes {
		switch {
		case before == nil:
		case sameLists(n, before):
			other = !other
		default:
			other = false
		}
		if before != nil {
			p.avoid = besideOf(before, last)
		}
		s := ""
		if p.openEnd && i == lastWithContent(nodes) && p.isOpenRaw(n) {
			s, _ = n.RawSource()
			s = cleanSource(s) // a client may send any line ends
		} else {
			s = p.block(n, other)
		}
		if s == "" {
			continue
		}
		switch {
		case b.Len() == 0:
		case p.items > 0 && endsEmpty(before):
			// The parser treats a blank line after an empty item as the end of
			// all enclosing lists.
			b.WriteString("\n")
		default:
			b.WriteString(p.gap(before, n, "\n\n"))
		}
		b.WriteString(s)
		before, last = n, s
	}
	return b.String()
}

// gap returns the line breaks between two blocks: those of the source, if they
// are side by side there.
func (p *printer) gap(before, n *Node, otherwise string) string {
	if p.sources != nil {
		s := p.sources.gap(before, n)
		if s == "\n" && p.items == 0 && before.Type == "paragraph" && isList(n) && !interrupts(n) {
			return otherwise // only in an item such a list can follow a text
		}
		if s != "" {
			return s
		}
	}
	return otherwise
}

// sameLists reports whether two lists that are side by side need different
// marks.
func sameLists(a, b *Node) bool {
	return isList(a) && isList(b) && (a.Type == "list-ordered") == (b.Type == "list-ordered")
}

// besideOf returns the marks that a list beside a block cannot have.
func besideOf(n *Node, text string) string {
	if !isList(n) {
		return ""
	}
	return listMark(text) + " " // indented code would be a part of the list
}

// lastWithContent returns the index of the last block that has content, or -1.
func lastWithContent(nodes []*Node) int {
	for i := len(nodes) - 1; i >= 0; i-- {
		if !isEmptyParagraph(nodes[i]) {
			return i
		}
	}
	return -1
}

// openBlocks is like blocks, but the last block may have no end.
func (p *printer) openBlocks(nodes []*Node) string {
	before := p.openEnd
	p.openEnd = true
	s := p.blocks(nodes)
	p.openEnd = before
	return s
}

func isList(n *Node) bool {
	return n.Type == "list-unordered" || n.Type == "list-ordered" || n.Type == "list-tasks"
}

func (p *printer) block(n *Node, other bool) string {
	avoid := p.avoid
	p.avoid = ""
	if p.sources != nil {
		if s, ok := p.sources.block(n); ok && !(isList(n) && containsAny(avoid, listMark(s))) && !(avoid != "" && strings.HasPrefix(s, " ")) {
			return s
		}
	}
	if isList(n) {
		return p.list(n, other, avoid) // not a lookup: it depends on the lists beside it
	}
	if t := blockTypes[n.Type]; t != nil && t.print != nil {
		return t.print(p, n)
	}
	// The content of a part outside its container, or of an unknown type, must
	// not be lost.
	return p.blocks(n.Nodes)
}

func (p *printer) divider(*Node) string { return "***" }

func (p *printer) hint(n *Node) string {
	if _, ok := boxOf(n); ok {
		return p.printBox(n)
	}
	return p.container(n)
}

func (p *printer) paragraph(n *Node) string {
	align := n.Str(FieldAlign)
	if align != "" {
		return "<p align=" + quoteAttr(htmlAlign(align)) + ">" + p.htmlInlines(n.Nodes) + "</p>"
	}
	if isEmptyParagraph(n) {
		return ""
	}
	return p.text(n, 0)
}

// text returns the inlines of a paragraph or a heading.
func (p *printer) text(n *Node, mode inlineMode) string {
	if p.sources != nil {
		if s, ok := p.sources.text(n, mode); ok {
			return s
		}
	}
	return p.inlines(n.Nodes, mode)
}

// htmlAlign returns the HTML name of an alignment.
func htmlAlign(align string) string {
	switch align {
	case "start":
		return "left"
	case "end":
		return "right"
	}
	return align
}

func (p *printer) heading(n *Node) string {
	level := n.HeadingLevel()
	id := n.Str(FieldID)
	if id != "" && !IsAnchor(id) {
		id = ""
	}
	if n.Str(FieldAlign) != "" || n.Str(FieldClass) != "" {
		return p.htmlHeading(n)
	}
	s := p.text(n, singleLineText)
	if head, ok := strings.CutSuffix(s, "#"); ok && (len(head)-len(strings.TrimRight(head, `\`)))%2 == 0 {
		s = head + `\#` // it would close the heading
	}
	if at := bracedAnchor.FindStringIndex(s); at != nil && id == "" {
		open := at[0] + strings.IndexByte(s[at[0]:], '{')
		s = s[:open] + `\` + s[open:] // it would be parsed as the anchor
	}
	if id != "" {
		if s != "" {
			s += " "
		}
		s += fmt.Sprintf(`<a href="#%s" id="%s"></a>`, id, id)
	}
	return strings.TrimRight(strings.Repeat("#", level)+" "+s, " ")
}

func (p *printer) list(n *Node, other bool, avoid string) string {
	var b strings.Builder
	number := 1
	if f, ok := n.Num(FieldStart); ok {
		number = int(min(max(f, 0), 999_999_999))
	}
	mark, space := p.listStyle(n, other, avoid)
	shift, shifted := 0, false // of the numbers in the source
	for i, item := range n.Nodes {
		marker := mark
		if n.Type == "list-ordered" {
			was, ok := p.numberOf(item)
			switch {
			case ok && !shifted:
				shifted = true
				if !p.sources.named(n) { // a part of another list
					shift = number - was
				}
			case ok && (was+shift > number || was+shift > 0 && (p.gap(n.Nodes[i-1], item, "") != "" || p.sources.inPlace(item, i))):
				number = was + shift
			}
			marker = fmt.Sprint(number) + mark
		}
		number = min(number+1, 999_999_999)
		if i > 0 {
			b.WriteString(p.gap(n.Nodes[i-1], item, p.separator(n.Nodes[i-1], item)))
		}
		b.WriteString(p.anyItem(item, marker, space, n.Type == "list-tasks"))
	}
	return b.String()
}

// separator returns the line breaks between two items that are new neighbors:
// those between the items of the list they are from.
func (p *printer) separator(items ...*Node) string {
	if p.sources != nil {
		for _, item := range items {
			if s := p.sources.separator(item); s != "" {
				return s
			}
		}
	}
	return "\n"
}

// numberOf returns the number that an item has in the source.
func (p *printer) numberOf(item *Node) (int, bool) {
	if p.sources == nil {
		return 0, false
	}
	marker, _ := p.sources.marker(item)
	n, err := strconv.Atoi(strings.TrimRight(marker, ".)"))
	return n, err == nil
}

// listStyle returns the bullet of a list, or the character after its numbers,
// and the space after its markers.
func (p *printer) listStyle(n *Node, other bool, avoid string) (mark, space string) {
	marks := "*-+"
	if n.Type == "list-ordered" {
		marks = ".)"
	}
	mark, space = marks[:1], " "
	if other {
		mark = marks[1:2]
	}
	if p.sources == nil {
		return mark, space
	}
	for _, item := range n.Nodes {
		m, s := p.sources.marker(item)
		if m == "" {
			continue
		}
		if space = s; strings.Contains(marks, m[len(m)-1:]) {
			mark = m[len(m)-1:]
		}
		break
	}
	for k := 0; k < len(marks) && containsAny(avoid, mark); k++ {
		mark = marks[k : k+1]
	}
	return mark, space
}

func containsAny(avoid, mark string) bool { return mark != "" && strings.Contains(avoid, mark) }

// anyItem returns an item from the source, or prints it.
func (p *printer) anyItem(n *Node, marker, space string, task bool) string {
	if p.sources != nil {
		if s, ok := p.sources.item(n, marker); ok {
			return s
		}
		if _, s := p.sources.marker(n); s != "" {
			space = s
		}
		if space == "\t" && p.sources.tabs(n) {
			space = "\t\t"
		}
	}
	return p.item(n, marker, space, task)
}

func (p *printer) item(n *Node, marker, space string, task bool) string {
	before := p.openEnd
	p.items++
	p.openEnd = true
	body := p.itemBlocks(n.Nodes, marker)
	p.items--
	p.openEnd = before
	checked, isTask := n.FlagSet(FieldChecked)
	if isTask || task {
		box := "[ ]"
		if checked {
			box = "[x]"
		}
		switch {
		case body == "":
			body = box
		case n.Nodes[0].Type == "paragraph" && n.Nodes[0].Str(FieldAlign) == "" && !isEmptyParagraph(n.Nodes[0]):
			body = box + " " + body
		default:
			body = box + "\n\n" + body
		}
	}
	if body == "" {
		return marker
	}
	return hangItem(marker, space, body)
}

// hangItem returns the text of an item after its marker. The other lines are
// indented as far as the first one, by a tab if the space is two of them.
func hangItem(marker, space, body string) string {
	width := len(marker) + len(space)
	switch {
	case space == "\t\t" && body[0] != ' ' && body[0] != '\t':
		return hang(marker+"\t", "\t", body)
	case space == "\t":
		width = len(marker)/4*4 + 4
	case space == "" || len(space) > 4 || strings.Contains(space, "\t"):
		space, width = " ", len(marker)+1
	}
	if strings.HasPrefix(body, " ") || strings.HasPrefix(body, "\t") { // code: more space would be a part of it
		space, width = " ", len(marker)+1
	}
	return hang(marker+space, strings.Repeat(" ", width), body)
}

// itemBlocks returns the blocks of an item as Markdown. A list follows a
// paragraph without a blank line if possible.
func (p *printer) itemBlocks(nodes []*Node, marker string) string {
	out := ""
	from := 0
	for i := 1; i <= len(nodes); i++ {
		if i < len(nodes) && !(isList(nodes[i]) && nodes[i-1].Type == "paragraph" && !isEmptyParagraph(nodes[i-1])) {
			continue
		}
		part := p.itemPart(nodes[from:i], marker)
		switch {
		case out == "" || part == "":
		case p.gap(nodes[from-1], nodes[from], "") != "":
			out += p.gap(nodes[from-1], nodes[from], "")
		case endsAsText(out) && interrupts(nodes[from]):
			out += "\n"
		default:
			out += "\n\n"
		}
		out += part
		from, marker = i, ""
	}
	return out
}

// endsAsText reports whether s ends with a paragraph that a list may interrupt.
func endsAsText(s string) bool {
	if i := strings.LastIndex(s, "\n\n"); i >= 0 {
		s = s[i+2:]
	}
	return !strings.HasPrefix(s, "<")
}

// itemPart returns blocks of an item as Markdown. It avoids block markers that
// would be ambiguous together with the marker of the item.
func (p *printer) itemPart(nodes []*Node, marker string) string {
	if len(nodes) > 0 && nodes[0].Type == "divider" {
		rule := "---"
		if marker == "-" {
			rule = "***"
		}
		if rest := p.blocks(nodes[1:]); rest != "" {
			return rule + "\n\n" + rest
		}
		return rule
	}
	return p.blocksAfter(nodes, marker == "*") // "* * *" would be a divider
}

// endsEmpty reports whether a list ends with an item without content.
func endsEmpty(n *Node) bool {
	if !isList(n) || len(n.Nodes) == 0 {
		return false
	}
	item := n.Nodes[len(n.Nodes)-1]
	for i := len(item.Nodes) - 1; i >= 0; i-- {
		if !isEmptyParagraph(item.Nodes[i]) {
			return endsEmpty(item.Nodes[i])
		}
	}
	return n.Type != "list-tasks" && !item.Has(FieldChecked)
}

// interrupts reports whether a list may follow a line of text without a blank
// line.
func interrupts(list *Node) bool {
	if start, ok := list.Num(FieldStart); ok && start != 1 && list.Type == "list-ordered" || len(list.Nodes) == 0 {
		return false
	}
	for _, n := range list.Nodes[0].Nodes {
		if !isEmptyParagraph(n) {
			return n.Type == "paragraph"
		}
	}
	return false
}

func (p *printer) quote(n *Node) string {
	lines := strings.Split(p.openBlocks(n.Nodes), "\n")
	for i, l := range lines {
		if l == "" {
			lines[i] = ">"
		} else {
			lines[i] = "> " + l
		}
	}
	return strings.Join(lines, "\n")
}

func (p *printer) math(n *Node) string {
	lines := strings.Split(cleanLines(n.Str(FieldFormula)), "\n")
	for i, l := range lines {
		if syntax.IsMathFence([]byte(l)) {
			lines[i] = "$ $" // it would end the formula
		}
	}
	return "$$\n" + strings.Join(lines, "\n") + "\n$$"
}

// cleanLines converts all line breaks to "\n", and makes s valid text.
func cleanLines(s string) string {
	return syntax.Valid(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// dest returns the destination of a reference of a node. If the target is
// missing, it is the destination that the source had.
func (p *printer) dest(n *Node, f RefField, use Use) (string, bool) {
	ref, ok := dataRef(n.value(f))
	if !ok {
		return "", false
	}
	return p.destOf(n, ref, use), true
}

func (p *printer) destOf(n *Node, ref docs.Ref, use Use) string {
	dest := p.place(n, ref, use)
	if p.wrote != nil {
		p.wrote[destination{dest, use}] = ref
	}
	return dest
}

func (p *printer) place(n *Node, ref docs.Ref, use Use) string {
	if ref.Kind == docs.RefURL {
		return ref.URL
	}
	if p.refs.Locate != nil {
		if dest, ok := p.refs.Locate(ref, use); ok {
			return dest
		}
	}
	for _, w := range n.extra().written {
		if w.what == ref && w.use == use {
			return w.dest
		}
	}
	return writeLost(ref)
}
