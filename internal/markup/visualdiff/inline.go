package visualdiff

import (
	"slices"
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// token is a word of a text, or an element that is not compared further.
type token struct {
	text   string
	atom   *dom.Node
	around []*dom.Node // the enclosing elements, the outermost first
	key    string
}

// tokens returns the tokens of nodes. In code, spans are ignored, so that the colours
// of syntax highlighting make no difference.
func (d *differ) tokens(nodes []*dom.Node, code bool) (out []token) {
	var walk func(nodes, around []*dom.Node, prefix string)
	walk = func(nodes, around []*dom.Node, prefix string) {
		for _, n := range nodes {
			switch {
			case n.Type == dom.TextNode:
				for _, w := range align.Words(n.Data) {
					out = append(out, token{text: w, around: around, key: prefix + w})
				}
			case n.Type != dom.ElementNode || n.DataAtom == atom.Wbr:
			case isAtom(n) || isAnchor(n) || n.FirstChild == nil:
				out = append(out, token{atom: n, around: around, key: prefix + "\x02" + d.key(n)})
			case code && n.DataAtom == atom.Span:
				walk(children(n), append(slices.Clip(around), n), prefix)
			default:
				walk(children(n), append(slices.Clip(around), n), prefix+d.attributes(n)+"\x03")
			}
		}
	}
	walk(nodes, nil, "")
	return out
}

// change is a token and the operation on it.
type change struct {
	op align.WordOp
	token
}

// inline merges two versions of a text.
func (d *differ) inline(old, now []*dom.Node, code bool) []*dom.Node {
	a := slices.DeleteFunc(d.tokens(old, code), func(t token) bool { return t.atom != nil && isAnchor(t.atom) })
	var b, anchors []token
	for _, t := range d.tokens(now, code) {
		if t.atom != nil && isAnchor(t.atom) {
			anchors = append(anchors, t)
		} else {
			b = append(b, t)
		}
	}
	w := &inlineWriter{d: d}
	for _, c := range joined(compared(a, b)) {
		w.write(c)
	}
	for _, t := range anchors {
		w.write(change{align.WordEqual, t})
	}
	return w.out
}

func compared(a, b []token) (out []change) {
	keys := func(list []token) []string {
		out := make([]string, len(list))
		for i, t := range list {
			out[i] = t.key
		}
		return out
	}
	i, j := 0, 0
	for _, c := range align.DiffTokens(keys(a), keys(b)) {
		switch c.Op {
		case align.WordDelete:
			out = append(out, change{c.Op, a[i]})
			i++
		default:
			out = append(out, change{c.Op, b[j]})
			j++
			if c.Op == align.WordEqual {
				i++
			}
		}
	}
	return out
}

// joined merges changes that only a space or a punctuation mark separates, and puts
// removed tokens before added ones.
func joined(in []change) (out []change) {
	var gone, come []change
	flush := func() {
		out = append(append(out, gone...), come...)
		gone, come = nil, nil
	}
	for i, c := range in {
		switch {
		case c.op == align.WordDelete:
			gone = append(gone, c)
		case c.op == align.WordInsert:
			come = append(come, c)
		case c.atom == nil && separates(c.text) && len(gone) > 0 && len(come) > 0 && i+1 < len(in) && in[i+1].op != align.WordEqual:
			gone = append(gone, change{align.WordDelete, c.token})
			come = append(come, change{align.WordInsert, c.token})
		default:
			flush()
			out = append(out, c)
		}
	}
	flush()
	return out
}

// separates reports whether a word is only a separator.
func separates(word string) bool {
	return strings.TrimSpace(word) == "" || len(word) == 1 && strings.Contains(".-/_:", word)
}

// inlineWriter converts tokens back to nodes. Consecutive words with the same operation
// and the same enclosing elements share a mark.
type inlineWriter struct {
	d    *differ
	out  []*dom.Node
	open []*dom.Node // copies of the open elements
	of   []*dom.Node // the originals of these copies
	mark *dom.Node   // the open ins or del element
	op   align.WordOp

	changing bool // the last word was removed or added
}

func (w *inlineWriter) write(c change) {
	same := 0
	for same < len(w.open) && same < len(c.around) && w.shares(w.of[same], c.around[same], c.op) {
		same++
	}
	if same < len(w.open) || same < len(c.around) || c.op != w.op {
		w.mark = nil
	}
	w.open, w.of = w.open[:same], w.of[:same]
	for _, n := range c.around[same:] {
		e := shallow(n)
		if c.op == align.WordDelete {
			withoutNames(e)
		}
		w.add(e)
		w.open, w.of = append(w.open, e), append(w.of, n)
	}
	w.op = c.op
	defer func() { w.changing = c.op != align.WordEqual }()
	if c.op != align.WordEqual && w.mark == nil {
		tag := atom.Ins
		if c.op == align.WordDelete {
			tag = atom.Del
		}
		mark := element(tag, "")
		if !w.changing { // a removal and the addition that replaces it are one change
			w.d.count(mark)
		}
		w.add(mark)
		w.mark = mark
	}
	n := &dom.Node{Type: dom.TextNode, Data: c.text}
	if c.atom != nil {
		n = copyOf(c.atom)
		if c.op == align.WordDelete {
			withoutNames(n)
		}
	}
	w.add(n)
}

// shares reports whether a word can be in an open element: its own element, or the
// corresponding one in the other version of the text.
func (w *inlineWriter) shares(open, own *dom.Node, op align.WordOp) bool {
	return open == own || (op == align.WordDelete) != (w.op == align.WordDelete) && w.d.attributes(open) == w.d.attributes(own)
}

// add appends a node at the current position.
func (w *inlineWriter) add(n *dom.Node) {
	last := func() *dom.Node {
		if w.mark != nil {
			return w.mark
		}
		if len(w.open) > 0 {
			return w.open[len(w.open)-1]
		}
		return nil
	}()
	if last == nil {
		if k := len(w.out); n.Type == dom.TextNode && k > 0 && w.out[k-1].Type == dom.TextNode {
			w.out[k-1].Data += n.Data
			return
		}
		w.out = append(w.out, n)
		return
	}
	if end := last.LastChild; n.Type == dom.TextNode && end != nil && end.Type == dom.TextNode {
		end.Data += n.Data
		return
	}
	last.AppendChild(n)
}
