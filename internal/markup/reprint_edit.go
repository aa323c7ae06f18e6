package markup

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// maxPatched is the maximum size in bytes of a block that is patched. Larger
// blocks are printed as a whole.
const maxPatched = 256 << 10

// forms returns for each node the index of the old node that it is a version
// of, or -1. from has the matches of equal nodes.
func (r *reprinter) forms(doc *Document, from []int) []int {
	out := slices.Clone(from)
	MatchKeys(r.old.Nodes, doc.Nodes, out)
	editedHere(r.index, r.old.Nodes, doc.Nodes, out, func(n *Node) bool { return doc.Spans == nil && isKey(n.Key) })
	return out
}

// edited returns the source with small edits applied, if these are sufficient
// because no block was added, removed or moved.
func (r *reprinter) edited(doc *Document) ([]byte, bool) {
	if len(doc.Nodes) != len(r.old.Nodes) || len(doc.Nodes) == 0 {
		return nil, false
	}
	ed := r.sourceEditor(newSourceIndex(r, doc))
	ed.whole = true
	byKey, hashes := make(map[string]int, len(r.old.Nodes)), make(map[uint64]bool, len(r.old.Nodes))
	for i, n := range r.old.Nodes {
		byKey[n.Key], hashes[ed.h.Of(n)] = i, true
	}
	for i, n := range doc.Nodes {
		if ed.h.Of(n) == ed.h.Of(r.old.Nodes[i]) {
			continue
		}
		if j, ok := byKey[n.Key]; ok && n.Key != "" && j != i || hashes[ed.h.Of(n)] {
			return nil, false // it moved here
		}
		if n.extra().source != "" || !ed.node(r.trace().Nodes[i], n) {
			return nil, false // a block with a source elsewhere keeps that source
		}
	}
	if len(r.notes.order) > 0 {
		return nil, false // a new footnote needs a definition
	}
	all := Span{0, len(r.body)}
	for k := range ed.attempts() {
		if out, ok := ed.apply(all, k); ok && r.readsAs(parse([]byte(out), r.parseRefs).Nodes, doc.Nodes) {
			return []byte(out), true
		}
	}
	return nil, false
}

func (r *reprinter) sourceEditor(x *sourceIndex) *sourceEditor {
	p := r.printer()
	p.sources = x
	return &sourceEditor{body: string(r.body), p: p, h: Hashes{}}
}

// trace returns the old document with the positions of everything in the
// source.
func (r *reprinter) trace() *Document {
	if r.traced == nil {
		r.traced = parseTraced(r.body, r.parseRefs)
		if len(r.traced.Nodes) != len(r.old.Nodes) { // the caller parsed it with other references
			r.traced = r.old
		}
		copyKeys(r.old.Nodes, r.traced.Nodes)
	}
	return r.traced
}

// copyKeys copies keys to nodes of the same structure.
func copyKeys(from, to []*Node) {
	if len(from) != len(to) {
		return
	}
	for i, n := range to {
		n.Key = from[i].Key
		copyKeys(from[i].Nodes, n.Nodes)
		copyKeys(from[i].Fragments, n.Fragments)
	}
}

// readsAs reports whether the parsed nodes are the wanted ones, or equal to
// them after a round trip through the printer and parser.
func (r *reprinter) readsAs(got, want []*Node) bool {
	if len(got) != len(want) {
		return false
	}
	h := Hashes{}
	for i, n := range got {
		if h.Of(n) == h.Of(want[i]) {
			continue
		}
		if back := r.readBack(want[i]); len(back) != 1 || h.Of(back[0]) != h.Of(n) {
			return false
		}
	}
	return true
}

// patch returns the source of a block with an edit applied. The edit is the
// difference between the printed versions of the block before and after the
// change. The rest of the block keeps its source: the bullets of other items,
// the columns of a table, the line breaks. The result is used only if it is
// parsed as the edited block.
func (r *reprinter) patch(g int, n *Node) (string, []*Node, bool) {
	old := r.groups[g]
	if !r.sources || old.to-old.from != 1 {
		return "", nil, false
	}
	if old.span.End-old.span.Start > maxPatched {
		return "", nil, false
	}
	source := strings.ReplaceAll(string(r.body[old.span.Start:old.span.End]), "\r\n", "\n")
	if strings.Contains(source, "[^") || strings.Contains(source, noteHref) {
		return "", nil, false // footnotes belong to the whole page
	}
	var want []*Node
	for _, other := range []bool{false, true} {
		base, next := r.printed(r.old.Nodes[old.from], other), r.printed(n, other)
		if strings.Contains(next, "[^") || strings.Contains(next, noteHref) {
			break
		}
		for _, filled := range []bool{false, true} {
			var parts []string
			if filled {
				parts = align.Merge(align.Tokens(narrow(base)), align.Tokens(source), align.Tokens(narrow(next)), mergeFilled)
			} else {
				parts = align.Merge(align.Tokens(base), align.Tokens(source), align.Tokens(next), align.MergeRun)
			}
			text := strings.Join(parts, "")
			if text == "" || text == source || text == next {
				continue
			}
			if want == nil {
				want = r.readBack(n)
			}
			if r.sameNodes(text, want) {
				return text, want, true
			}
		}
		if !isList(n) {
			break // only lists have a second marker
		}
	}
	return "", nil, false
}

// editBlock is like patch, but edits only the positions that differ.
func (r *reprinter) editBlock(old oldGroup, n *Node) (newPiece, bool) {
	if !r.sources || old.to-old.from != 1 {
		return newPiece{}, false
	}
	ed, notes := r.sourceEditor(r.index), len(r.notes.order)
	if !ed.node(r.trace().Nodes[old.from], n) || len(r.notes.order) > notes {
		return newPiece{}, false
	}
	var want []*Node
	for k := range ed.attempts() {
		text, ok := ed.apply(old.span, k)
		if !ok {
			continue
		}
		if want == nil {
			want = r.readBack(n)
		}
		if r.sameNodes(text, want) {
			return newPiece{group: -1, text: text, override: &text, nodes: want}, true
		}
	}
	return newPiece{}, false
}

// printed returns the canonical source of one block. It records no footnotes.
func (r *reprinter) printed(n *Node, other bool) string {
	return newPrinter(r.refs, newNotes(nil)).blocksAfter([]*Node{n}, other)
}

// padding matches the spaces and dashes that align the columns of a table.
var padding = regexp.MustCompile(`\S  +|--+`)

// narrow returns a printed block without padding. Padding changes with an edit
// of any cell, and sources seldom have it.
func narrow(s string) string {
	return padding.ReplaceAllStringFunc(s, func(m string) string {
		if m[0] == '-' && m[len(m)-1] == '-' {
			return "---"
		}
		return strings.TrimRight(m, " ") + " "
	})
}

// mergeFilled is mergeRun for tokens with any amount of space around them.
func mergeFilled(base, into, from []string) ([]string, bool) {
	if out, ok := align.MergeRun(base, into, from); ok {
		return out, true
	}
	_, was, _ := cutRoom(base)
	_, now, _ := cutRoom(from)
	before, here, after := cutRoom(into)
	switch {
	case slices.Equal(was, now):
		return into, true
	case slices.Equal(was, here):
		return slices.Concat(before, now, after), true
	}
	return nil, false
}

// cutRoom splits a list into leading spaces, other tokens, and trailing spaces.
func cutRoom(list []string) (before, inside, after []string) {
	i, j := 0, len(list)
	for i < j && strings.Trim(list[i], " ") == "" {
		i++
	}
	for j > i && strings.Trim(list[j-1], " ") == "" {
		j--
	}
	return list[:i], list[i:j], list[j:]
}
