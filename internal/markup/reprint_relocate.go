package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Relocate returns body with the current destinations. doc was parsed from
// body. If Locate returns another destination for a reference of doc than the
// written one, the destination is replaced in the source. All other bytes are
// unchanged, except that a block is printed if the destination cannot be found
// in it, such as in a link that uses a definition elsewhere.
func Relocate(body []byte, doc *Document, refs Refs) []byte {
	costly.Note(costly.Print)
	if refs.Locate == nil {
		return body
	}
	r := newReprinter(body, doc, refs)
	moved := false
	for g, old := range r.groups {
		nodes := doc.Nodes[old.from:old.to]
		p := newPiece{group: g, nodes: nodes}
		if moves := movesOf(nodes, refs); len(moves) > 0 {
			moved = true
			for _, m := range moves {
				r.dests[destination{m.to, m.use}] = m.ref
			}
			p = r.relocate(p, moves)
		}
		r.pieces = append(r.pieces, p)
	}
	if !moved {
		return body
	}
	for _, wide := range []bool{false, true} {
		out := r.write(wide)
		if _, ok := r.reads(out); ok {
			return out
		}
	}
	return Print(doc, refs)
}

// move is a destination that changed.
type move struct {
	from, to string
	use      Use
	ref      docs.Ref
}

func movesOf(nodes []*Node, refs Refs) []move {
	var moves []move
	seen := map[move]bool{}
	eachNode(nodes, func(n *Node) {
		for _, w := range n.extra().written {
			ref := w.ref()
			if ref.Kind == docs.RefURL || refs.keeps(w) {
				continue
			}
			to, ok := refs.Locate(ref, w.use)
			m := move{w.dest, to, w.use, ref}
			if ok && to != w.dest && !seen[m] {
				seen[m] = true
				moves = append(moves, m)
			}
		}
	})
	return moves
}

// keeps reports whether a destination can stay as it is written, also one that
// means a path in the form of another tool.
func (r Refs) keeps(w written) bool {
	if r.Keep == nil {
		return false
	}
	if r.Keep(w.dest, w.use, w.ref()) {
		return true
	}
	return grammar.HasExpression(w.dest) && slices.ContainsFunc(grammar.ExpressionPaths(w.dest), func(path string) bool { return r.Keep(path, w.use, w.ref()) })
}

// relocate returns a group with its destinations replaced. It keeps the source
// if that is parsed as the same nodes, and prints the group otherwise.
func (r *reprinter) relocate(p newPiece, moves []move) newPiece {
	span := r.groups[p.group].span
	source := string(r.body[span.Start:span.End])
	p.nodes = withMoves(p.nodes, moves)
	if text, ok := replaceDests(source, moves); ok && r.sameNodes(text, p.nodes) {
		p.override = &text
		return p
	}
	text := r.printer().blocks(p.nodes)
	return newPiece{group: -1, text: text, nodes: r.readBack(p.nodes...)}
}

// withMoves returns nodes with the destinations replaced in the sources of marks of
// other tools.
func withMoves(nodes []*Node, moves []move) []*Node {
	var r rewriter = func(n *Node) ([]*Node, bool) {
		source, raw := n.RawSource()
		if !raw || n.extra().shown == nil {
			return nil, false
		}
		now, _ := replaceDests(source, moves)
		c := rawNode(now)
		c.Key = n.Key
		return []*Node{c}, true
	}
	out, _ := r.list(nodes)
	return out
}

// sameNodes reports whether a source is parsed as the given nodes, together
// with the definitions elsewhere in the page.
func (r *reprinter) sameNodes(text string, nodes []*Node) bool {
	got := r.withDefinitions(text)
	if len(got) != len(nodes) {
		return false
	}
	h := Hashes{}
	for i, n := range got {
		if h.Of(n) != h.Of(nodes[i]) {
			return false
		}
	}
	return true
}

// withDefinitions parses a source together with the definitions elsewhere in
// the page.
func (r *reprinter) withDefinitions(text string) []*Node {
	var b strings.Builder
	b.WriteString(text)
	b.WriteString("\n\n")
	for g := range len(r.groups) + 1 {
		if s := strings.TrimSpace(r.source(g)); s != "" {
			b.WriteString(s + "\n\n")
		}
	}
	return parse([]byte(b.String()), r.parseRefs).Nodes
}

// replaceDests replaces destinations in link targets after `](`, in attribute
// values and in includes. It returns false if a destination was not found.
func replaceDests(source string, moves []move) (string, bool) {
	to := map[string]string{}
	for _, m := range moves {
		if old, ok := to[m.from]; ok && old != m.to {
			return "", false // one destination has two new ones
		}
		to[m.from] = m.to
	}
	var b strings.Builder
	found := map[string]bool{}
	at := 0
	for i := 0; i < len(source); {
		from, written, form := destAt(source, i, to)
		if form == noForm {
			i++
			continue
		}
		found[from] = true
		start, dest := i, writeForm(to[from], form)
		// The label of a mention is the name of its target.
		if label := "[" + mentionLabel(from) + "]("; form == linkForm && strings.HasSuffix(source[at:i], label) {
			start -= len(label)
			dest = "[" + mentionLabel(to[from]) + "](" + dest
		}
		b.WriteString(source[at:start])
		b.WriteString(dest)
		i += len(written)
		at = i
	}
	b.WriteString(source[at:])
	return b.String(), len(found) == len(to)
}

type destForm int

const (
	noForm destForm = iota
	linkForm
	pointyForm
	attrForm
	tagForm
)

// destAt parses the destination at index i and returns which of the wanted ones
// it is.
func destAt(source string, i int, want map[string]string) (from, written string, form destForm) {
	before := source[:i]
	rest := source[i:]
	switch {
	case strings.HasSuffix(before, "]("):
		if strings.HasPrefix(rest, "<") {
			return "", "", noForm
		}
		end := strings.IndexAny(rest, " \t\n)")
		for end > 0 && rest[end] == ')' && strings.Count(rest[:end], "(") > strings.Count(rest[:end], ")") {
			next := strings.IndexAny(rest[end+1:], " \t\n)")
			if next < 0 {
				return "", "", noForm
			}
			end += next + 1
		}
		if end < 0 {
			return "", "", noForm
		}
		written, form = rest[:end], linkForm
		from = decode(written)
	case strings.HasSuffix(before, "](<"):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			return "", "", noForm
		}
		written, form = rest[:end], pointyForm
		from = decode(written)
	case strings.HasSuffix(before, `="`) || strings.HasSuffix(before, ` "`):
		end := strings.IndexByte(rest, '"')
		if end < 0 {
			return "", "", noForm
		}
		written = rest[:end]
		// A tag has its own quoting; an HTML element has character references.
		form = attrForm
		from = syntax.DecodeHTML(written, false)
		if open := strings.LastIndexAny(before, "<{"); open >= 0 && strings.HasPrefix(before[open:], "{%") {
			form = tagForm
			from = written
		} else if strings.HasSuffix(before, ` "`) {
			return "", "", noForm
		}
	default:
		return "", "", noForm
	}
	if _, ok := want[from]; !ok {
		return "", "", noForm
	}
	return from, written, form
}

func writeForm(dest string, form destForm) string {
	switch form {
	case pointyForm:
		if s := writeDest(dest); strings.HasPrefix(s, "<") {
			return s[1 : len(s)-1]
		}
		return strings.NewReplacer("<", `\<`, ">", `\>`).Replace(dest)
	case attrForm:
		s := quoteAttr(dest)
		return s[1 : len(s)-1]
	case tagForm:
		s := syntax.QuoteValue(dest)
		return s[1 : len(s)-1]
	}
	return writeDest(dest)
}
