package markup

import (
	"maps"
	"regexp"
	"slices"
	"strings"
)

// conditionTag matches text that looks like the tag of a condition, in the
// variants of common template languages.
var conditionTag = regexp.MustCompile(`(?i)\{%[-+~]?[\s\p{Z}\p{Cf}]*(if|elseif|elsif|elif|else|endif)\b`)

// WithoutStrayConditions returns the document without the blocks in which the tag
// of a condition was left as text: because it is not closed, is within a line or
// is written in another form. It also removes the blocks that such a tag applies
// to: from an opening tag or an alternative up to the closing tag, or to the end.
// The readers that this content is meant for are unknown, so it is shown to
// nobody. Tags in code are code, and tags in literal text are text. doc is not
// modified, and is returned if it has no such tags.
func WithoutStrayConditions(doc *Document) *Document {
	if !mayHaveTags(doc.Nodes) { // most documents have no tags
		return doc
	}
	nodes, changed := new(strayConditions).list(doc.Nodes)
	if !changed {
		return doc
	}
	return &Document{Nodes: nodes, Problems: doc.Problems}
}

// mayHaveTags reports whether a tag can begin in the texts of nodes that are not
// code.
func mayHaveTags(nodes []*Node) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool {
		return beginsTag(n) || n.Type != "code" && (mayHaveTags(n.Nodes) || mayHaveTags(n.Fragments))
	})
}

// beginsTag reports whether a tag can begin in a text of the node, not of its
// children. The rest of the tag may be in the next leaf.
func beginsTag(n *Node) bool {
	for _, l := range n.Leaves {
		if strings.Contains(l.Text, "{%") || strings.HasSuffix(l.Text, "{") {
			return true
		}
	}
	return dataHas(n.Data, "{%")
}

func dataHas(v any, part string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, part)
	case map[string]any:
		for _, e := range v {
			if dataHas(e, part) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return dataHas(e, part) })
	}
	return false
}

// strayConditions tracks the tags that are left as text, in document order: a tag
// may open in one block and be closed in another one.
type strayConditions struct {
	open  int  // conditions that are not closed yet
	other bool // after an alternative, such as else, of a condition that is a block
}

// list returns the blocks that remain, or the same list if all of them do.
func (s *strayConditions) list(nodes []*Node) (out []*Node, changed bool) {
	for i, n := range nodes {
		left := s.block(n)
		if left != n && !changed {
			out = append(make([]*Node, 0, len(nodes)), nodes[:i]...)
			changed = true
		}
		if changed && left != nil {
			out = append(out, left)
		}
	}
	if !changed {
		return nodes, false
	}
	return out, true
}

// block returns the part of a block that remains, or nil if nothing does.
func (s *strayConditions) block(n *Node) *Node {
	hidden := s.open > 0 || s.other
	if !holdsBlockNodes(n) {
		if s.follow(n, true) || hidden {
			return nil
		}
		return n
	}
	hidden = s.follow(n, false) || hidden
	around := s.other
	if n.Type == "if" {
		s.other = false
	}
	c := *n
	nodes, changed := s.list(n.Nodes)
	c.Nodes = nodes
	for i, f := range n.Fragments {
		if f.Fragment == "expandable-title" {
			hidden = s.follow(f, true) || hidden
			continue
		}
		inner, other := s.list(f.Nodes)
		if !other {
			continue
		}
		slot := *f
		slot.Nodes = inner
		c.Fragments = slices.Clone(c.Fragments)
		c.Fragments[i] = &slot
		changed = true
		hidden = hidden || len(inner) == 0
	}
	if n.Type == "if" {
		s.other = around // an alternative ends with its condition
	}
	switch {
	case hidden, changed && len(n.Nodes) > 0 && len(nodes) == 0:
		return nil
	case !changed:
		return n
	}
	return &c
}

// holdsBlockNodes reports whether parts of a block can be removed separately.
func holdsBlockNodes(n *Node) bool {
	return n.Type == "expandable" || n.Type != "code" && len(n.Nodes) > 0 && n.Nodes[0].Object == ObjectBlock
}

// follow processes the tags in the texts of a node, including its descendants if
// deep is true. It reports whether there are any tags.
func (s *strayConditions) follow(n *Node, deep bool) bool {
	var b strings.Builder
	gatherText(&b, n, deep)
	found := conditionTag.FindAllStringSubmatch(b.String(), -1)
	for _, tag := range found {
		switch strings.ToLower(tag[1]) {
		case "if":
			s.open++
		case "endif":
			if s.open > 0 {
				s.open--
			} else {
				s.other = false
			}
		default:
			s.other = s.other || s.open == 0
		}
	}
	return len(found) > 0
}

// gatherText writes all texts of a node that are neither code nor literal,
// including data that readers do not see. A NUL separates texts that cannot be
// parts of one tag.
func gatherText(b *strings.Builder, n *Node, deep bool) {
	if n.extra().literal {
		b.WriteByte(0)
		return
	}
	gatherData(b, n.Data)
	for _, l := range n.Leaves {
		if slices.ContainsFunc(l.Marks, func(m Mark) bool { return m.Type == "code" }) {
			b.WriteByte(0)
		} else {
			b.WriteString(l.withoutLiterals())
		}
	}
	if !deep || n.Object == ObjectBlock && n.Type == "code" {
		return
	}
	for _, list := range [][]*Node{n.Nodes, n.Fragments} {
		for _, c := range list {
			gatherText(b, c, true)
			if c.Object != ObjectText && c.Object != ObjectInline {
				b.WriteByte(0)
			}
		}
	}
}

func gatherData(b *strings.Builder, v any) {
	switch v := v.(type) {
	case string:
		if strings.Contains(v, "{") {
			b.WriteByte(0)
			b.WriteString(v)
			b.WriteByte(0)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) { // tags are processed in a fixed order
			gatherData(b, v[key])
		}
	case []any:
		for _, e := range v {
			gatherData(b, e)
		}
	}
}

// Unconditional returns a text of one line, such as a title, up to the first tag
// of a condition. Such a text has no blocks, so the readers that the rest is
// meant for are unknown.
func Unconditional(s string) string {
	if at := conditionTag.FindStringIndex(s); at != nil {
		return strings.TrimSpace(s[:at[0]])
	}
	return s
}
