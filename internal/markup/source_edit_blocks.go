package markup

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// siblings are the blocks of a list or the rows of a table, some of which were
// added, removed or moved.
type siblings struct {
	old  []Span // source spans of the old siblings
	from []int  // for each new sibling the index of the old one, or -1
	// print prints the new sibling i. like is the span of an old sibling next
	// to it, and off the distance from that sibling.
	print func(i int, like Span, off int) string
	// closer reports whether the new sibling i can be on the line after the one
	// before. It may be nil.
	closer func(i int) bool
	// separator is used if no two siblings in the source show one.
	separator string
	// joined reports whether a new sibling ends with the text of an old one that is gone.
	joined func(now, gone int) bool
}

// arrange puts siblings in their new order. Siblings that stay in place and
// siblings that move keep their bytes.
func (ed *sourceEditor) arrange(s siblings) bool {
	kept := keptInOrder(s.from)
	if len(kept) == len(s.old) && len(kept) == len(s.from) {
		return true
	}
	s.old = slices.Clone(s.old)
	for i, o := range s.old {
		s.old[i].End = endOfLine(ed.body, o.End)
		if o.End == 0 || o.Start < 0 || o.End < o.Start {
			return false
		}
	}
	if len(s.old) == 0 {
		return false
	}
	var list []replacement
	before, at := -1, 0 // the last kept old sibling, and the index after its new one
	for _, i := range append(kept, len(s.from)) {
		next := len(s.old)
		if i < len(s.from) {
			next = s.from[i]
		}
		if next-before > 1 || i > at {
			e, ok := ed.between(s, before, next, at, i)
			if !ok {
				return false
			}
			list = append(list, e)
		}
		before, at = next, i+1
	}
	ed.edits = append(ed.edits, alternatives{list})
	return true
}

// endOfLine returns the offset at, or that of the end of the line if there are
// only spaces before it.
func endOfLine[S string | []byte](body S, at int) int {
	for k := max(at, 0); ; k++ {
		switch {
		case k >= len(body) || body[k] == '\n' || body[k] == '\r':
			return k
		case body[k] != ' ' && body[k] != '\t':
			return at
		}
	}
}

// keptInOrder returns the indexes of the new siblings that are old ones in
// their old order.
func keptInOrder(from []int) []int {
	var list []int
	for i, j := range from {
		if j >= 0 {
			list = append(list, i)
		}
	}
	var kept []int
	for _, k := range lis.Longest(list, func(a, b int) int { return from[a] - from[b] }) {
		kept = append(kept, list[k])
	}
	return kept
}

// between replaces the old siblings between two kept ones by new siblings.
func (ed *sourceEditor) between(s siblings, before, next, from, to int) (replacement, bool) {
	like, off := s.old[max(before, 0)], 1
	if before < 0 {
		off = 0
	}
	var parts []string
	for i := from; i < to; i++ {
		if j := s.from[i]; j >= 0 {
			parts = append(parts, ed.body[s.old[j].Start:s.old[j].End])
		} else {
			parts = append(parts, ed.indent(s.print(i, like, off+i-from), like))
		}
	}
	gap := ed.gap(s, max(before, 0), like)
	if s.closer != nil && to == from+1 && s.closer(from) && before == len(s.old)-1 {
		gap = ed.indent("\n", like)
	}
	text := strings.Join(parts, gap)
	switch gone := next-before > 1; {
	case gone && text != "":
		return replacement{Span{s.old[before+1].Start, s.old[next-1].End}, text}, true
	case gone && next < len(s.old) && before < 0:
		// The first item of a list defines the number that the list starts at.
		first, second := s.old[0], s.old[next]
		return replacement{Span{first.Start + ed.digits(first), second.Start + ed.digits(second)}, ""}, true
	case gone && next < len(s.old) && s.joined != nil && s.joined(from-1, next-1):
		return replacement{Span{s.old[before].End, s.old[next-1].End}, ""}, true // what follows keeps its distance
	case gone && next < len(s.old):
		return replacement{Span{s.old[before+1].Start, s.old[next].Start}, ""}, true
	case gone && before >= 0:
		return replacement{Span{s.old[before].End, s.old[next-1].End}, ""}, true
	case gone || text == "":
		return replacement{}, false
	case before >= 0:
		return replacement{Span{like.End, like.End}, gap + text}, true
	}
	// The first part takes the number that the list starts at, and gives away its own.
	if number, ok := ed.otherNumber(parts[0], like); ok {
		own := parts[0][:len(number)]
		return replacement{Span{like.Start, like.Start + len(number)}, number + text[len(number):] + gap + own}, true
	}
	return replacement{Span{like.Start, like.Start}, text + gap}, true
}

// otherNumber returns the number of the list item at like if item has another number of the
// same length. With another length, the other lines of both would have to move.
func (ed *sourceEditor) otherNumber(item string, like Span) (string, bool) {
	n := ed.digits(like)
	m := itemMarker.FindStringSubmatch(item)
	if n == 0 || m == nil || len(m[2]) != n {
		return "", false
	}
	number := ed.body[like.Start : like.Start+n]
	return number, number != m[2]
}

// digits returns the length of the number of a list item.
func (ed *sourceEditor) digits(s Span) int {
	if m := itemMarker.FindStringSubmatch(ed.body[s.Start:s.End]); m != nil {
		return len(m[2])
	}
	return 0
}

// gap returns the source between siblings.
func (ed *sourceEditor) gap(s siblings, at int, like Span) string {
	if at+1 >= len(s.old) {
		at--
	}
	if at >= 0 && at+1 < len(s.old) && s.old[at].End <= s.old[at+1].Start {
		if gap := ed.body[s.old[at].End:s.old[at+1].Start]; strings.TrimLeft(gap, " \t\r\n>") == "" && strings.Count(gap, "\n") >= strings.Count(s.separator, "\n") {
			return gap
		}
	}
	return ed.indent(s.separator, like)
}

// indent returns a text with its lines indented like the block at like.
func (ed *sourceEditor) indent(text string, like Span) string { return ed.indentAt(text, like.Start) }

func (ed *sourceEditor) indentAt(text string, at int) string {
	prefix := ed.prefix(at)
	if prefix == "" {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := 1; i < len(lines); i++ {
		if lines[i] != "" || i == len(lines)-1 {
			lines[i] = prefix + lines[i]
		} else {
			lines[i] = strings.TrimRight(prefix, " \t")
		}
	}
	return strings.Join(lines, "\n")
}

// taskBox matches the check box before the text of an item.
var taskBox = regexp.MustCompile(`([-+*.)][ \t]+)\[[ xX]\][ \t]*$`)

// prefix returns the prefix of continuation lines of a block at an offset:
// quote marks, and spaces for everything else.
func (ed *sourceEditor) prefix(at int) string {
	start := strings.LastIndexByte(ed.body[:at], '\n') + 1
	first := taskBox.ReplaceAllString(ed.body[start:at], "$1")
	if i := strings.LastIndexByte(first, '>') + 1; i > 0 && i < len(first) && first[i] != ' ' && first[i] != '\t' {
		first = first[:i] + " " + first[i:] // a space after a quote mark is a part of it
	}
	if strings.IndexByte(first, '\t') < 0 {
		return strings.Map(func(c rune) rune {
			if c == '>' {
				return c
			}
			return ' '
		}, first)
	}
	tabs := ed.indentsByTabs(at)
	var b strings.Builder
	column, from := 0, 0 // from is the column where the space before a tab begins
	for _, c := range first {
		width := 1
		switch {
		case c == '>':
			b.WriteString(strings.Repeat(" ", column-from) + ">")
			from = column + 1
		case c == '\t':
			if width = 4 - column%4; tabs {
				b.WriteByte('\t')
				from = column + width
			}
		}
		column += width
	}
	return b.String() + strings.Repeat(" ", column-from)
}

// indentsByTabs reports whether the first line after an offset that has text is
// indented by a tab.
func (ed *sourceEditor) indentsByTabs(at int) bool {
	for line := range strings.Lines(ed.body[at+max(strings.IndexByte(ed.body[at:], '\n'), 0):]) {
		if text := strings.TrimLeft(line, " \t>\r\n"); text != "" {
			return strings.IndexByte(line[:len(line)-len(text)], '\t') >= 0
		}
	}
	return true
}

// blocks finds the edits of a list of blocks.
func (ed *sourceEditor) blocks(parent *Node, old, now []*Node) bool {
	if parent.Has(FieldChecked) && (len(now) == 0 || len(old) == 0 || (old[0].Type == "paragraph") != (now[0].Type == "paragraph")) {
		return false // the check box is on the line of a paragraph
	}
	from := ed.h.matchPreferKeys(old, now)
	MatchKeys(old, now, from)
	editedHere(ed.p.sources, old, now, from, func(*Node) bool { return false })
	s := siblings{from: from, separator: "\n\n"}
	if parent.Type == "list-item" {
		s.closer = func(i int) bool {
			return i > 0 && isList(now[i]) && now[i-1].Type == "paragraph" && !isEmptyParagraph(now[i-1]) && interrupts(now[i])
		}
	}
	s.joined = func(i, j int) bool {
		text := PlainText(old[j].Nodes)
		return isText(now[i]) && isText(old[j]) && strings.TrimSpace(text) != "" && strings.HasSuffix(PlainText(now[i].Nodes), text)
	}
	for _, n := range old {
		s.old = append(s.old, n.span)
	}
	s.print = func(i int, _ Span, _ int) string {
		other := false
		ed.p.avoid, other = ed.beside(old, now, from, i)
		return ed.p.block(now[i], other)
	}
	switch {
	case isList(parent):
		s.separator = "\n"
		if len(s.old) > 0 && s.old[0].End > 0 && strings.HasPrefix(ed.body[max(s.old[0].Start, 0):], "<") {
			s.separator = ""
		}
		s.print = func(i int, like Span, off int) string { return ed.item(parent, now[i], like, off) }
	case parent.Type == "code":
		s.separator = "\n"
		s.print = func(i int, _ Span, _ int) string { return PlainText(now[i].Nodes) }
	}
	for i, j := range from {
		if j < 0 {
			continue
		}
		mark := len(ed.edits)
		if !ed.node(old[j], now[i]) {
			ed.edits = ed.edits[:mark]
			if !ed.rewrite(old[j], now[i], func(n *Node) string {
				if isList(parent) {
					return ed.item(parent, n, old[j].span, 0)
				}
				return ed.p.block(n, false)
			}) {
				return false
			}
		}
	}
	if !ed.arrange(s) {
		return false
	}
	if parent.Type == "list-item" && len(now) > 1 && len(old) > 1 && isList(now[0]) && from[0] < 0 && from[1] == 1 {
		ed.widenMarker(old[0].span, old[1].span)
	}
	return true
}

// widenMarker adds an alternative to the last edit, which replaces the first block of an
// item by a list. If the second block stands further to the right than the first one, it
// would come into the new list. With more spaces after the marker, it stays where it is.
func (ed *sourceEditor) widenMarker(first, second Span) {
	last := &ed.edits[len(ed.edits)-1]
	edit := (*last)[0]
	text := edit[0].text
	before, after := ed.body[:first.Start], ed.body[:second.Start]
	before, after = before[strings.LastIndexByte(before, '\n')+1:], after[strings.LastIndexByte(after, '\n')+1:]
	more := len(after) - len(before)
	spaces := len(before) - len(strings.TrimRight(before, " "))
	if more <= 0 || spaces == 0 || spaces+more > 4 || strings.Contains(after+before, "\t") || strings.Contains(text, "\n") || edit[0].span.Start != first.Start {
		return
	}
	wider := slices.Clone(edit)
	wider[0].text = strings.Repeat(" ", more) + text
	*last = append(*last, wider)
}

// beside returns the marks that a new list cannot have because of the lists
// beside it, and whether a printed list has the second mark.
func (ed *sourceEditor) beside(old, now []*Node, from []int, i int) (avoid string, other bool) {
	for _, k := range [...]int{i - 1, i + 1} {
		if k < 0 || k >= len(now) || k > i && !isList(now[i]) || !isList(now[k]) {
			continue
		}
		mark := "*."
		if j := from[k]; j >= 0 && old[j].span.End > 0 && old[j].span.Start >= 0 {
			mark = listMark(ed.body[old[j].span.Start:old[j].span.End])
		}
		if k < i {
			avoid += " "
		}
		if sameLists(now[k], now[i]) {
			avoid += mark
			other = other || strings.ContainsAny(mark, "*.")
		}
	}
	return avoid, other
}

// rewrite replaces one block. The first alternative applies the difference between its
// printed versions to its source; the second one is the printed block.
func (ed *sourceEditor) rewrite(old, now *Node, printed func(*Node) string) bool {
	at := old.span
	if at.Start < 0 || at.End <= at.Start || old.Object != ObjectBlock {
		return false
	}
	was, next := printed(old), printed(now)
	prefix := ed.prefix(at.Start)
	lines := strings.Split(strings.ReplaceAll(ed.body[at.Start:at.End], "\r\n", "\n"), "\n")
	for i := 1; i < len(lines); i++ {
		lines[i] = cutPrefix(lines[i], prefix)
	}
	var w alternatives
	if merged := strings.Join(align.Merge(align.Tokens(was), align.Tokens(strings.Join(lines, "\n")), align.Tokens(next), align.MergeRun), ""); merged != "" {
		w = append(w, []replacement{{at, ed.indent(merged, at)}})
	}
	ed.edits = append(ed.edits, append(w, []replacement{{at, ed.indent(next, at)}}))
	return true
}

var itemMarker = regexp.MustCompile(`^(?:([-+*])|([0-9]{1,9})([.)]))([ \t]*)`)

// item prints a list item with the marker of another item.
func (ed *sourceEditor) item(list, n *Node, like Span, off int) string {
	if strings.HasPrefix(ed.body[like.Start:], "<") {
		return ed.p.htmlItem(n, list.Type == "list-tasks")
	}
	m := itemMarker.FindStringSubmatch(ed.body[like.Start:like.End])
	if m == nil {
		return ed.p.anyItem(n, "*", " ", list.Type == "list-tasks")
	}
	marker := m[1]
	if marker == "" {
		marker = addNumber(m[2], off) + m[3]
	}
	return ed.p.anyItem(n, marker, m[4], list.Type == "list-tasks")
}

// addNumber returns the decimal number digits plus off.
func addNumber(digits string, off int) string {
	n := 0
	for _, c := range digits {
		n = n*10 + int(c-'0')
	}
	return decimal(float64(min(n+off, 999_999_999)))
}

func equalData(a, b *Node) bool {
	return HashValue(align.HashSeed, orEmpty(a.Data)) == HashValue(align.HashSeed, orEmpty(b.Data))
}

// fragments finds the edits in the fragments of a block.
func (ed *sourceEditor) fragments(old, now *Node) bool {
	if len(old.Fragments) != len(now.Fragments) {
		return false
	}
	for i, f := range old.Fragments {
		g := now.Fragments[i]
		if f.Slot() != g.Slot() || !equalData(f, g) || !ed.slot(f, g) {
			return false
		}
	}
	return true
}

func (ed *sourceEditor) slot(f, g *Node) bool {
	return ed.h.Of(f) == ed.h.Of(g) || ed.blocks(f, f.Nodes, g.Nodes)
}

func cloneBut(m map[string]any, names ...string) map[string]any {
	out := map[string]any{}
	for k, v := range m {
		if !slices.Contains(names, k) {
			out[k] = v
		}
	}
	return out
}
