package markup

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/util"
)

// markOrder is the order of the marks of a leaf. Marks are a set; a fixed order
// makes equal sets comparable.
var markOrder = []string{"bold", "italic", "strikethrough", "code", "keyboard", "superscript", "subscript", "color"}

// addMark returns marks with m, which replaces a mark of the same type.
func addMark(marks []Mark, m Mark) []Mark {
	out := make([]Mark, 0, len(marks)+1)
	for _, o := range marks {
		if o.Type != m.Type {
			out = append(out, o)
		}
	}
	out = append(out, m)
	slices.SortStableFunc(out, func(a, b Mark) int {
		return slices.Index(markOrder, a.Type) - slices.Index(markOrder, b.Type)
	})
	return out
}

func sameMarks(a, b []Mark) bool {
	return slices.EqualFunc(a, b, func(a, b Mark) bool { return a.Type == b.Type && maps.Equal(a.Data, b.Data) })
}

// InlineBuilder joins adjacent texts with the same marks into leaves, and leaves
// into text nodes.
type InlineBuilder struct {
	arena  *arena // nil: nodes are allocated separately
	nodes  []*Node
	leaves []Leaf
	// last or tail is the text of the last leaf, if that is not raw. Most texts
	// are one piece, which is in last. The text is in tail if it has several
	// pieces.
	last string
	tail []byte
	// where is the position of the last leaf in the source, in a traced parse.
	where    *trace
	literals *literals // of the last leaf
}

// Text adds a text with marks.
func (b *InlineBuilder) Text(s string, marks []Mark) {
	if s == "" {
		return
	}
	if k := len(b.leaves); k == 0 || b.leaves[k-1].Raw || !sameMarks(b.leaves[k-1].Marks, marks) {
		b.commit()
		b.leaves = append(b.leaves, Leaf{Marks: marks})
		b.last = s
		return
	}
	b.tail = append(b.lastText(), s...)
}

// commit sets the text of the last leaf.
func (b *InlineBuilder) commit() {
	if k := len(b.leaves); k > 0 && !b.leaves[k-1].Raw {
		b.leaves[k-1].Text = b.last
		if len(b.tail) > 0 {
			b.leaves[k-1].Text = string(b.tail)
		}
	}
	if b.where != nil {
		b.leaves[len(b.leaves)-1].trace = b.where
	}
	if b.literals != nil {
		b.leaves[len(b.leaves)-1].literals = b.literals
	}
	b.last, b.tail, b.where, b.literals = "", b.tail[:0], nil, nil
}

// lastText returns the text of the last leaf. It is empty if there is none or if
// it is raw.
func (b *InlineBuilder) lastText() []byte {
	if len(b.tail) == 0 {
		b.last, b.tail = "", append(b.tail, b.last...)
	}
	return b.tail
}

// Raw adds inline HTML that is kept verbatim.
func (b *InlineBuilder) Raw(s string, marks []Mark) {
	s = strings.ReplaceAll(cleanLines(s), "\n", " ")
	if strings.ContainsRune(s, '\uFFFD') { // the parser would not recognize a tag in it again
		b.Text(s, marks)
		return
	}
	b.commit()
	b.leaves = append(b.leaves, Leaf{Text: s, Marks: marks, Raw: true})
}

// Inline adds an inline.
func (b *InlineBuilder) Inline(n *Node) {
	b.flush()
	b.nodes = append(b.nodes, n)
}

func (b *InlineBuilder) flush() {
	b.commit()
	if len(b.leaves) == 0 {
		return
	}
	if b.arena != nil {
		b.nodes = append(b.nodes, b.arena.text(b.leaves...))
		b.leaves = b.leaves[:0]
		return
	}
	b.nodes = append(b.nodes, textNode(b.leaves...))
	b.leaves = nil
}

// Done returns the texts and inlines.
func (b *InlineBuilder) Done() []*Node {
	b.flush()
	return b.nodes
}

// decode resolves backslash escapes and character references.
func decode(s string) string {
	if strings.IndexByte(s, '\\') < 0 && strings.IndexByte(s, '&') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && util.IsPunct(s[i+1]):
			i++
			b.WriteByte(s[i])
		case s[i] == '&':
			if r, n := characterReference(s[i:]); n > 0 {
				b.WriteString(r)
				i += n - 1
				continue
			}
			b.WriteByte('&')
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

// characterReference parses `&name;`, `&#10;` or `&#xa;` at the start of s. It
// returns the text and the length of the reference, or 0 if there is none.
func characterReference(s string) (string, int) {
	end := strings.IndexByte(s[:min(len(s), 40)], ';')
	if end < 2 {
		return "", 0
	}
	name := s[1:end]
	if name[0] == '#' {
		num, base, digits := name[1:], 10, 7
		if num != "" && (num[0] == 'x' || num[0] == 'X') {
			num, base, digits = num[1:], 16, 6
		}
		v, err := strconv.ParseUint(num, base, 32)
		if err != nil || len(num) > digits || strings.ContainsAny(num, "+_") {
			return "", 0
		}
		r := rune(v)
		if r == 0 || r > 0x10FFFF || r >= 0xD800 && r < 0xE000 {
			r = '\uFFFD'
		}
		return string(r), end + 1
	}
	if e, ok := util.LookUpHTML5EntityByName(name); ok {
		return string(e.Characters), end + 1
	}
	return "", 0
}
