package markup

import (
	"slices"
	"strings"
)

// touch is a replacement in a source.
type touch struct {
	span Span
	text string
}

// ways are the ways in which one edit can be written, the best one first. Each
// is a proposal: whoever uses it reads it back.
type ways [][]touch

// maxWays is how many ways are tried: each costs a parse.
const maxWays = 6

// toucher finds what has to change in a source for the nodes that were read
// from it to become others. What did not change is not touched.
type toucher struct {
	body  string
	p     *printer
	h     hashes
	edits []ways
	// bodies are those of footnotes that were edited, with what they were.
	bodies map[*Node]*Node
}

// apply returns the source with the k-th way of each edit; ok is false when
// there is no such way of any, or when two are at the same place.
func (t *toucher) apply(within Span, k int) (string, bool) {
	var all []touch
	more := false
	for _, w := range t.edits {
		more = more || k < len(w)
		all = append(all, w[min(k, len(w)-1)]...)
	}
	if !more {
		return "", false
	}
	slices.SortStableFunc(all, func(a, b touch) int {
		if a.span.Start != b.span.Start {
			return a.span.Start - b.span.Start
		}
		return a.span.End - b.span.End
	})
	var b strings.Builder
	at := within.Start
	for _, e := range all {
		if e.span.Start < at || e.span.End > within.End {
			return "", false
		}
		b.WriteString(t.body[at:e.span.Start])
		b.WriteString(t.lines(e))
		at = e.span.End
	}
	b.WriteString(t.body[at:within.End])
	return b.String(), true
}

// lines returns the text of a touch with the line ends that are used around
// it.
func (t *toucher) lines(e touch) string {
	if !strings.Contains(e.text, "\n") {
		return e.text
	}
	text := strings.ReplaceAll(e.text, "\r\n", "\n")
	end := strings.IndexByte(t.body[e.span.Start:], '\n')
	if end < 0 {
		end = strings.LastIndexByte(t.body, '\n') - e.span.Start
	}
	if at := e.span.Start + end; at > 0 && t.body[at-1] == '\r' {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// most returns how many ways there are to try.
func (t *toucher) most() int {
	most := 0
	for _, w := range t.edits {
		most = max(most, len(w))
	}
	return min(most, maxWays)
}

// node finds the edits that make one node another. It returns false when
// there is no way but to write the node anew.
func (t *toucher) node(old, now *Node) bool {
	if t.h.of(old) == t.h.of(now) {
		return true
	}
	if old.Object != now.Object || old.Type != now.Type || old.Fragment != now.Fragment {
		return false
	}
	if old.Type == "table" {
		return t.table(old, now)
	}
	if !equalData(old, now) || !t.fragments(old, now) {
		return false
	}
	if hasInlines(old) || hasInlines(now) {
		return t.inlines(old, now)
	}
	return t.blocks(old, old.Nodes, now.Nodes)
}

// hasInlines reports whether a block holds text, not blocks.
func hasInlines(n *Node) bool {
	return len(n.Nodes) > 0 && n.Nodes[0].Object != ObjectBlock && n.Object == ObjectBlock
}
