package markup

import (
	"slices"
	"strings"
)

// replacement is a text for a span of the source.
type replacement struct {
	span Span
	text string
}

// alternatives are sets of replacements that may each make one edit, the best one
// first. Each is only a proposal, so the caller has to parse the result again to
// verify it.
type alternatives [][]replacement

// maxAlternatives is the maximum number of alternatives that are tried. Each
// costs a parse.
const maxAlternatives = 6

// sourceEditor finds the replacements in a source that turn the nodes parsed from
// it into other nodes. It leaves unchanged parts of the source alone.
type sourceEditor struct {
	body  string
	p     *printer
	h     Hashes
	edits []alternatives
	// bodies maps edited footnote bodies to the bodies before the edit.
	bodies map[*Node]*Node
	// whole is set if the whole source is edited, and definitions are those of
	// links in it, on first use.
	whole       bool
	definitions map[string]definition
}

// apply returns the part within of the source with the k-th alternative of each
// edit applied. ok is false if no edit has a k-th alternative, or if two
// replacements overlap.
func (ed *sourceEditor) apply(within Span, k int) (string, bool) {
	var all []replacement
	more := false
	for _, w := range ed.edits {
		more = more || k < len(w)
		all = append(all, w[min(k, len(w)-1)]...)
	}
	if !more {
		return "", false
	}
	slices.SortStableFunc(all, func(a, b replacement) int {
		if a.span.Start != b.span.Start {
			return a.span.Start - b.span.Start
		}
		return a.span.End - b.span.End
	})
	var b strings.Builder
	at := within.Start
	for i, e := range all {
		if i > 0 && e == all[i-1] && e.span.Start < e.span.End {
			continue // a definition that several links have
		}
		if e.span.End > within.End && e.span.Start <= within.End && endOfLine(ed.body, within.End) >= e.span.End {
			e.span.End = within.End // the spaces after a block are outside of it
		}
		if e.span.Start < at || e.span.End > within.End {
			return "", false
		}
		b.WriteString(ed.body[at:e.span.Start])
		b.WriteString(ed.lines(e))
		at = e.span.End
	}
	b.WriteString(ed.body[at:within.End])
	return b.String(), true
}

// lines returns the text of a replacement with the line endings of the source around
// it.
func (ed *sourceEditor) lines(e replacement) string {
	if !strings.Contains(e.text, "\n") {
		return e.text
	}
	text := strings.ReplaceAll(e.text, "\r\n", "\n")
	end := strings.IndexByte(ed.body[e.span.Start:], '\n')
	if end < 0 {
		end = strings.LastIndexByte(ed.body, '\n') - e.span.Start
	}
	if at := e.span.Start + end; at > 0 && ed.body[at-1] == '\r' {
		return strings.ReplaceAll(text, "\n", "\r\n")
	}
	return text
}

// attempts returns how many alternatives to try.
func (ed *sourceEditor) attempts() int {
	most := 0
	for _, w := range ed.edits {
		most = max(most, len(w))
	}
	return min(most, maxAlternatives)
}

// node finds the edits that turn one node into another. It returns false if the
// node has to be printed as a whole.
func (ed *sourceEditor) node(old, now *Node) bool {
	if ed.h.Of(old) == ed.h.Of(now) {
		return true
	}
	if old.Object != now.Object || old.Type != now.Type || old.Fragment != now.Fragment {
		return false
	}
	if old.Type == "table" {
		return ed.table(old, now)
	}
	if !equalData(old, now) || !ed.fragments(old, now) {
		return false
	}
	if hasInlines(old) || hasInlines(now) {
		return ed.inlines(old, now)
	}
	return ed.blocks(old, old.Nodes, now.Nodes)
}

// hasInlines reports whether a block contains text instead of blocks.
func hasInlines(n *Node) bool {
	return len(n.Nodes) > 0 && n.Nodes[0].Object != ObjectBlock && n.Object == ObjectBlock
}
