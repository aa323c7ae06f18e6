package markup

import "strings"

// sourceIndex finds the source of blocks that are in the old document, wherever
// they are in the new one. A block that moves into another block, or out of one,
// keeps its bytes; only the indentation and the markers that its new place needs
// are adapted.
type sourceIndex struct {
	r       *reprinter
	doc     *Document // the new document
	h       Hashes
	old     []indexed
	traced  []*Node // the nodes of old with their positions, on first use
	byKey   map[string]int
	byHash  map[uint64][]int // at most maxEqual of each
	byText  map[uint64][]int // blocks of text by their inlines
	sides   map[*Node]beside // of the blocks of the new document
	times   map[uint64]int   // how often a block is in the old document, less how often in the new one
	keys    map[string]bool  // and their keys
	gone    []goneText       // see goneTexts
	texts   bool             // gone is set
	effort  int              // how many bytes may still be compared or parsed
	blocks  map[*Node]sourced
	editing int // how many editors are at work, one inside of the other
}

// indexed is a block of the old document and its place among its siblings.
type indexed struct {
	node   *Node
	parent int // in sourceIndex.old, or -1
	before int // the block before it, or -1
	next   int // the block after it, or -1
	place  int // among its siblings
	number int // among all nodes in document order
}

// beside are the hashes of the blocks before and after a block; 0 if there is none.
type beside struct{ before, next uint64 }

// maxEqual is how many equal blocks are compared by what is beside them.
const maxEqual = 8

// sourced is the source of a block of the new document, without the prefix of
// the blocks around it.
type sourced struct {
	text string
	ok   bool
}

// maxSourceEffort is how many bytes are compared and parsed to find the source
// of blocks that are new. The rest is printed.
const maxSourceEffort = 16 << 20

// maxEditors is how deep an edited block inside of an edited block keeps its
// source if both have moved.
const maxEditors = 4

func newSourceIndex(r *reprinter, doc *Document) *sourceIndex {
	return &sourceIndex{r: r, doc: doc, effort: maxSourceEffort}
}

// build makes the index on first use.
func (x *sourceIndex) build() {
	if x.h != nil {
		return
	}
	x.h, x.byKey, x.byHash, x.byText = Hashes{}, map[string]int{}, map[uint64][]int{}, map[uint64][]int{}
	x.sides = map[*Node]beside{}
	x.times, x.blocks, x.keys = map[uint64]int{}, map[*Node]sourced{}, map[string]bool{}
	number := 0
	var walk func(nodes []*Node, parent int)
	walk = func(nodes []*Node, parent int) {
		before := -1
		for place, n := range nodes {
			here := parent
			if n.Object == ObjectBlock && n.Type != "code-line" {
				here = len(x.old)
				if before >= 0 {
					x.old[before].next = here
				}
				x.add(indexed{n, parent, before, -1, place, number})
				before = here
			}
			number++
			walk(n.Nodes, here)
			walk(n.Fragments, here)
		}
	}
	walk(x.r.old.Nodes, -1)
	x.note(x.doc.Nodes)
	eachNode(x.doc.Nodes, func(n *Node) {
		x.note(n.Nodes)
		x.note(n.Fragments)
		if n.Object == ObjectBlock {
			x.times[x.h.Of(n)]--
			x.keys[n.Key] = true
		}
	})
}

// note records what is beside the blocks of a list of the new document.
func (x *sourceIndex) note(nodes []*Node) {
	var before *Node
	for _, n := range nodes {
		if n.Object != ObjectBlock {
			return
		}
		var s beside
		if before != nil {
			s.before = x.h.Of(before)
			was := x.sides[before]
			was.next = x.h.Of(n)
			x.sides[before] = was
		}
		x.sides[n], before = s, n
	}
}

// likeliest returns the one of several equal old blocks from which a new one comes: the
// first one with the same block before or after it, or else the first one.
func (x *sourceIndex) likeliest(list []int, n *Node) int {
	for _, i := range list {
		if x.isBeside(i, n) {
			return i
		}
	}
	return list[0]
}

// isBeside reports whether an old block and a new one have the same block before or after.
func (x *sourceIndex) isBeside(i int, n *Node) bool {
	s, b := x.sides[n], x.old[i]
	return b.before >= 0 && x.h.Of(x.old[b.before].node) == s.before || b.next >= 0 && x.h.Of(x.old[b.next].node) == s.next
}

func (x *sourceIndex) add(b indexed) {
	i := len(x.old)
	x.old = append(x.old, b)
	first := func(m map[uint64][]int, hash uint64) {
		if len(m[hash]) < maxEqual {
			m[hash] = append(m[hash], i)
		}
	}
	if b.node.Key != "" {
		x.byKey[b.node.Key] = i
	}
	x.times[x.h.Of(b.node)]++
	first(x.byHash, x.h.Of(b.node))
	if isText(b.node) {
		first(x.byText, hashNodes(b.node.Nodes))
	}
}

// isText reports whether a block is a paragraph or a heading.
func isText(n *Node) bool { return n.Type == "paragraph" || n.HeadingLevel() > 0 }

// find returns the number of the old block that a block is equal to, or else
// of the one that has its key, or -1.
func (x *sourceIndex) find(n *Node) (i int, equal bool) {
	if n.Object != ObjectBlock {
		return -1, false
	}
	x.build()
	hash := x.h.Of(n)
	k, named := x.byKey[n.Key]
	named = named && n.Key != ""
	if named && x.h.Of(x.old[k].node) == hash {
		return k, true
	}
	if list := x.byHash[hash]; len(list) > 0 {
		return x.likeliest(list, n), true
	}
	if named && kindOf(x.old[k].node) == kindOf(n) {
		return k, false
	}
	return -1, false
}

// stays reports whether an old block is in the new document as it was, or by
// its key.
func (x *sourceIndex) stays(n *Node) bool {
	x.build()
	return n.Object == ObjectBlock && (n.Key != "" && x.keys[n.Key] || x.times[x.h.Of(n)] <= 0 && !isEmptyParagraph(n))
}

// named reports whether a block has the key of an old one.
func (x *sourceIndex) named(n *Node) bool {
	_, ok := x.byKey[n.Key]
	return ok && n.Key != ""
}

// knows reports whether a block of the new document is in the old one.
func (x *sourceIndex) knows(n *Node) bool {
	i, _ := x.find(n)
	return i >= 0
}

// trace returns an old block with the positions of everything inside.
func (x *sourceIndex) trace(i int) *Node {
	if x.traced == nil {
		eachNode(x.r.trace().Nodes, func(n *Node) { x.traced = append(x.traced, n) })
	}
	if k := x.old[i].number; k < len(x.traced) {
		return x.traced[k]
	}
	return x.old[i].node
}

// spend reports whether n more bytes may be compared or parsed.
func (x *sourceIndex) spend(n int) bool {
	x.effort -= n
	return x.effort >= 0
}

// block returns the source of a block that is in the old document.
func (x *sourceIndex) block(n *Node) (string, bool) {
	x.build()
	if s, ok := x.blocks[n]; ok {
		return s.text, s.ok
	}
	s := sourced{}
	if i, equal := x.find(n); i >= 0 && n.Type != "list-item" {
		s = x.version(i, n, equal, func(text string) bool { return x.reads(text, n, equal) })
	}
	x.blocks[n] = s
	return s.text, s.ok
}

// version returns the source of a block that is equal to an old one, or a
// version of it. ok decides whether a source is the right one.
func (x *sourceIndex) version(i int, n *Node, equal bool, ok func(string) bool) sourced {
	was := x.trace(i)
	span := x.extent(was)
	if span.Start < 0 {
		return sourced{}
	}
	if equal {
		text := x.cut(span.Start, string(x.r.body[span.Start:span.End]))
		return sourced{text, ok(text)}
	}
	if x.editing >= maxEditors || span.End-span.Start > maxPatched {
		return sourced{}
	}
	x.editing++
	defer func() { x.editing-- }()
	ed, notes := x.r.sourceEditor(x), len(x.r.notes.order)
	if !ed.node(was, n) || len(x.r.notes.order) > notes {
		return sourced{}
	}
	for k := range max(ed.attempts(), 1) {
		text := string(x.r.body[span.Start:span.End])
		if len(ed.edits) > 0 {
			var fits bool
			if text, fits = ed.apply(span, k); !fits {
				continue
			}
		}
		if text = x.cut(span.Start, text); text != "" && ok(text) {
			return sourced{text, true}
		}
	}
	return sourced{}
}

// extent returns the span of a block with the indentation that belongs to it.
// Start is -1 if it is not known.
func (x *sourceIndex) extent(n *Node) Span {
	s := spanOr(n.span)
	if s.Start < 0 || s.End > len(x.r.body) || s.End <= s.Start {
		return Span{-1, -1}
	}
	s.End = endOfLine(x.r.body, s.End)
	if n.Type != "code" || strings.IndexByte("`~<{", x.r.body[s.Start]) >= 0 {
		return s
	}
	for cols := 0; cols < 4 && s.Start > 0; cols++ { // code is indented
		c := x.r.body[s.Start-1]
		if c != ' ' && c != '\t' {
			return Span{-1, -1}
		}
		s.Start--
		if c == '\t' {
			break
		}
	}
	return s
}

// cut removes the prefix of the enclosing blocks from the lines of a source
// that begins at an offset.
func (x *sourceIndex) cut(start int, text string) string {
	prefix := string(x.r.body[lineStart(x.r.body, start):start])
	text = strings.ReplaceAll(text, "\r\n", "\n")
	if x.r.spaces {
		return withSpaces(text, prefix)
	}
	if prefix == "" || !strings.Contains(text, "\n") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = cutColumns(lines[i], prefix)
	}
	return strings.Join(lines, "\n")
}

// cutColumns removes from a line the prefix of the first line of its block:
// quote marks, and as many columns of space as everything else has.
func cutColumns(line, prefix string) string {
	want, have := 0, 0 // columns
	for _, c := range prefix {
		switch c {
		case '>':
			rest := strings.TrimLeft(line, " \t")
			if !strings.HasPrefix(rest, ">") {
				return line // the line continues a paragraph
			}
			line = rest[1:]
			want, have = want+1, want+1
			continue
		case '\t':
			want += 4 - want%4
		default:
			want++
		}
		for have < want && line != "" {
			if line[0] == ' ' {
				have++
			} else if line[0] == '\t' {
				have += 4 - have%4
			} else {
				break
			}
			line = line[1:]
		}
		if have > want {
			line = strings.Repeat(" ", have-want) + line
			have = want
		}
	}
	return line
}

// reads reports whether a source is parsed as a block.
func (x *sourceIndex) reads(text string, n *Node, equal bool) bool {
	if !x.spend(len(text)) {
		return false
	}
	if x.sameAlone(text, n) {
		return true
	}
	if want := x.r.readBack(n); !equal || n.Type == "table" {
		return len(want) == 1 && x.sameAlone(text, want[0])
	}
	return false
}

// sameAlone is reprinter.sameNodes, without the definitions elsewhere in the
// page if the source cannot use them.
func (x *sourceIndex) sameAlone(text string, n *Node) bool {
	if strings.Contains(text, "]") || strings.Contains(text, noteHref) {
		return x.r.sameNodes(text, []*Node{n})
	}
	got := parse([]byte(text), x.r.parseRefs).Nodes
	return len(got) == 1 && x.h.Of(got[0]) == x.h.Of(n)
}

// gap returns the line breaks between two blocks that are side by side in the
// source too, or an empty string.
func (x *sourceIndex) gap(before, n *Node) string {
	if before == nil {
		return ""
	}
	i, k := x.findEdge(before, true), x.findEdge(n, false)
	if i < 0 || k < 0 {
		return ""
	}
	return x.gapAfter(i, k)
}

// findEdge is find for the place of a block beside other ones: a list that is a
// part of an old one has its place if it has the last item, or the first one.
func (x *sourceIndex) findEdge(n *Node, last bool) int {
	i, _ := x.find(n)
	if i >= 0 || !isList(n) || len(n.Nodes) == 0 {
		return i
	}
	item := n.Nodes[0]
	if last {
		item = n.Nodes[len(n.Nodes)-1]
	}
	i, _ = x.find(item)
	if i < 0 || last && x.old[i].next >= 0 || !last && x.old[i].place > 0 {
		return -1
	}
	return x.old[i].parent
}

// separator returns the line breaks between the items of the list that an item
// is from, or an empty string.
func (x *sourceIndex) separator(item *Node) string {
	i, _ := x.find(item)
	if i < 0 || x.old[i].parent < 0 {
		return ""
	}
	for k := x.old[i].parent + 1; k >= 0 && k < len(x.old) && x.old[k].next >= 0; k = x.old[k].next {
		if s := x.gapAfter(k, x.old[k].next); s != "" {
			return s
		}
	}
	return ""
}

// gapAfter returns the line breaks between two old blocks if they are side by
// side.
func (x *sourceIndex) gapAfter(i, k int) string {
	if x.old[i].next != k {
		return ""
	}
	a, b := x.extent(x.trace(i)), x.extent(x.trace(k))
	if a.Start < 0 || b.Start < a.End || strings.Trim(string(x.r.body[a.End:b.Start]), " \t\r\n>") != "" {
		return ""
	}
	return strings.Repeat("\n", max(strings.Count(string(x.r.body[a.End:b.Start]), "\n"), 1))
}

// marker returns the marker of an item in the source and the space after it. It
// returns empty strings for an item that is not in the source.
func (x *sourceIndex) marker(n *Node) (marker, space string) {
	i, _ := x.find(n)
	if i < 0 {
		return "", ""
	}
	s := x.extent(x.trace(i))
	if s.Start < 0 {
		return "", ""
	}
	m := itemMarker.FindStringSubmatch(string(x.r.body[s.Start:s.End]))
	if m == nil {
		return "", ""
	}
	return m[1] + m[2] + m[3], m[4]
}

// tagLine returns the first line of the old version of a tag that has the same
// attributes, or an empty string.
func (x *sourceIndex) tagLine(n *Node) string {
	i, _ := x.find(n)
	if i < 0 || x.old[i].node.Type != n.Type || !equalData(x.old[i].node, n) {
		return ""
	}
	s := x.extent(x.trace(i))
	if s.Start < 0 {
		return ""
	}
	line, _, _ := strings.Cut(string(x.r.body[s.Start:s.End]), "\n")
	line = strings.TrimRight(line, " \t\r")
	if _, end, ok := strings.Cut(line, "%}"); !ok || end != "" || !strings.HasPrefix(line, "{%") {
		return ""
	}
	return line
}

// tabs reports whether the lines of an item are indented by tabs.
func (x *sourceIndex) tabs(n *Node) bool {
	i, _ := x.find(n)
	if i < 0 || x.r.spaces {
		return false
	}
	s := x.extent(x.trace(i))
	return s.Start >= 0 && lineStart(x.r.body, s.Start) == s.Start && strings.Contains(string(x.r.body[s.Start:s.End]), "\n\t")
}

// item returns the source of an item with another marker.
func (x *sourceIndex) item(n *Node, marker string) (string, bool) {
	i, equal := x.find(n)
	if i < 0 || n.Type != "list-item" {
		return "", false
	}
	s, ok := x.blocks[n]
	if !ok {
		s = x.version(i, n, equal, func(text string) bool { return x.readsItem(text, n, equal) })
		x.blocks[n] = s
	}
	if !s.ok {
		return "", false
	}
	return remark(s.text, marker)
}

func (x *sourceIndex) readsItem(text string, n *Node, equal bool) bool {
	if !x.spend(len(text)) {
		return false
	}
	want := []*Node{n}
	if !equal {
		list := blockNode("list-unordered", nil, n)
		if n.Has(FieldChecked) {
			list.Type = "list-tasks"
		}
		if back := x.r.readBack(list); len(back) == 1 && isList(back[0]) {
			want = back[0].Nodes
		}
	}
	got := parse([]byte(text), x.r.parseRefs).Nodes
	if strings.Contains(text, "]") {
		got = x.r.withDefinitions(text)
	}
	return len(got) == 1 && isList(got[0]) && len(got[0].Nodes) == 1 && len(want) == 1 && x.h.Of(got[0].Nodes[0]) == x.h.Of(want[0])
}

// remark returns an item with another marker. The indentation of its lines
// changes with the width of the marker.
func remark(text, marker string) (string, bool) {
	m := itemMarker.FindStringSubmatch(text)
	if m == nil {
		return "", false
	}
	was := m[1] + m[2] + m[3]
	rest := text[len(was):]
	if len(was) == len(marker) {
		return marker + rest, true
	}
	lines := strings.Split(rest, "\n")
	cut, add := strings.Repeat(" ", max(len(was)-len(marker), 0)), strings.Repeat(" ", max(len(marker)-len(was), 0))
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" {
			lines[i] = add + cutColumns(lines[i], cut)
		}
	}
	return marker + strings.Join(lines, "\n"), true
}

// listMark returns the bullet of a list, or the character after its numbers.
func listMark(list string) string {
	m := itemMarker.FindStringSubmatch(strings.TrimLeft(list, " "))
	if m == nil {
		return ""
	}
	return m[1] + m[3]
}

// withSpaces returns a block without the prefix of the enclosing blocks, and
// with spaces in place of the tabs before its text.
func withSpaces(text, prefix string) string {
	lines := strings.Split(text, "\n")
	column := len(expand(prefix, 0))
	for i, l := range lines {
		if i > 0 {
			l = cutColumns(expand(l, 0), strings.Map(func(c rune) rune {
				if c == '>' {
					return c
				}
				return ' '
			}, expand(prefix, 0)))
			lines[i] = l
			continue
		}
		lines[i] = expand(l, column)
	}
	return strings.Join(lines, "\n")
}

// expand replaces the tabs before the text of a line, and after its marker.
func expand(line string, column int) string {
	if strings.IndexByte(line, '\t') < 0 {
		return line
	}
	var b strings.Builder
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\t':
			n := 4 - column%4
			b.WriteString(strings.Repeat(" ", n))
			column += n
		case c == ' ' || c == '>' || itemMarker.MatchString(line[i:]) && strings.HasPrefix(line[i+len(listMarker(line[i:])):], "\t"):
			if c != ' ' && c != '>' {
				m := listMarker(line[i:])
				b.WriteString(m)
				column += len(m)
				i += len(m) - 1
				continue
			}
			b.WriteByte(c)
			column++
		default:
			return b.String() + line[i:]
		}
	}
	return b.String()
}

// listMarker returns the marker at the beginning of a line.
func listMarker(line string) string {
	m := itemMarker.FindStringSubmatch(line)
	if m == nil {
		return ""
	}
	return m[1] + m[2] + m[3]
}

// inPlace reports whether an item has the place in its list that it had.
func (x *sourceIndex) inPlace(item *Node, place int) bool {
	i, _ := x.find(item)
	return i >= 0 && x.old[i].place == place
}
