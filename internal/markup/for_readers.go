package markup

import (
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// alertStyles are the styles of quotes that begin with `[!NAME]`.
var alertStyles = map[string]string{
	"note": "info", "info": "info", "important": "warning", "tip": "success", "success": "success", "warning": "warning", "attention": "warning",
	"caution": "danger", "danger": "danger", "error": "danger",
}

// ForReaders returns the document as readers see it: without the markers of other
// tools, and with hints for containers and quotes that are hints there. A
// shortcode in a line is shown as it is written, if it does not mark a part of
// the line. doc is not modified, and is returned if it has nothing of the kind.
func ForReaders(doc *Document) *Document {
	if !hasForeign(doc.Nodes) { // most documents
		return doc
	}
	f := foreign{closed: map[string]bool{}}
	eachNode(doc.Nodes, f.collect)
	return &Document{Nodes: f.list(doc.Nodes), Problems: doc.Problems}
}

// hasForeign reports whether ForReaders may have something to change.
func hasForeign(nodes []*Node) bool {
	return slices.ContainsFunc(nodes, func(n *Node) bool {
		if n.Type == "code" {
			return false
		}
		if source, ok := n.RawSource(); ok && (strings.HasPrefix(source, "{") || strings.HasPrefix(source, ":::")) {
			return true
		}
		for _, l := range n.Leaves {
			if l.literals != nil || strings.Contains(l.Text, "{{<") || strings.Contains(l.Text, "{{%") {
				return true
			}
		}
		if n.Type == "hint" && n.Has(fieldBox) || docsifyStyle(n) != "" {
			return true
		}
		return n.Type == "blockquote" && alertOf(n) != "" || hasForeign(n.Nodes) || hasForeign(n.Fragments)
	})
}

type foreign struct {
	closed map[string]bool // the names of shortcodes that have an end somewhere
}

func (f *foreign) collect(n *Node) {
	if source, ok := n.RawSource(); ok {
		for _, m := range grammar.Markers(source) {
			f.closed[m.Name] = f.closed[m.Name] || m.Closes && m.Kind == '{'
		}
	}
	for _, l := range n.Leaves {
		eachShortcode(l.Text, func(_, _ int, m grammar.Marker) { f.closed[m.Name] = f.closed[m.Name] || m.Closes })
	}
}

// eachShortcode calls see with every shortcode in a text and its position.
func eachShortcode(s string, see func(from, to int, m grammar.Marker)) {
	for at := 0; ; {
		k := strings.Index(s[at:], "{{")
		if k < 0 {
			return
		}
		at += k
		if m, n := grammar.Shortcode(s[at:]); n > 0 {
			see(at, at+n, m)
			at += n
		} else {
			at++
		}
	}
}

// list returns the blocks that readers see.
func (f *foreign) list(nodes []*Node) []*Node {
	ends := map[int]int{} // indexes of markers and of those that close them
	var found [][]grammar.Marker
	for i, n := range nodes {
		if source, ok := n.RawSource(); ok {
			if found == nil {
				found = make([][]grammar.Marker, len(nodes))
			}
			found[i] = grammar.Markers(source)
		}
	}
	if found != nil {
		ends = pairMarkers(found)
	}
	return f.part(nodes, found, ends, 0, len(nodes))
}

// pairMarkers returns for each block with a marker that opens a part the index of
// the block that closes it. Only blocks of one marker are paired. A marker that
// is still open inside of a pair has none.
func pairMarkers(found [][]grammar.Marker) map[int]int {
	ends := map[int]int{}
	open, alive := map[string][]int{}, make([]bool, len(found))
	var order []int // indexes of those that are open
	for i, ms := range found {
		if len(ms) != 1 {
			continue
		}
		key := string(ms[0].Kind)
		if ms[0].Kind != ':' {
			key += ms[0].Name
		}
		if !ms[0].Closes {
			open[key] = append(open[key], i)
			order, alive[i] = append(order, i), true
			continue
		}
		list := open[key]
		for len(list) > 0 && !alive[list[len(list)-1]] {
			list = list[:len(list)-1] // it was closed by the end of one around it
		}
		if len(list) > 0 {
			from := list[len(list)-1]
			ends[from] = i
			for alive[from] {
				alive[order[len(order)-1]] = false
				order = order[:len(order)-1]
			}
			list = list[:len(list)-1]
		}
		open[key] = list
	}
	return ends
}

// part is list for the blocks from an index up to another one.
func (f *foreign) part(nodes []*Node, found [][]grammar.Marker, ends map[int]int, from, to int) (out []*Node) {
	for i := from; i < to; i++ {
		n := nodes[i]
		if b, ok := boxOf(n); ok {
			shown, taken := f.box(b, nodes[i:to])
			out, i = append(out, shown), i+taken-1
			continue
		}
		if found == nil || found[i] == nil {
			if n := f.block(n); n != nil {
				out = append(out, n)
			}
			continue
		}
		end, paired := ends[i]
		if !paired {
			source, _ := n.RawSource()
			out = append(out, shownOf(n, source)...)
			continue
		}
		m := found[i][0]
		inner := append(labelOf(&m), f.part(nodes, found, ends, i+1, end)...)
		if style := grammar.MarkerStyles[m.Style()]; style != "" {
			inner = []*Node{{Object: ObjectBlock, Type: "hint", Key: n.Key, Data: map[string]any{"style": style}, Nodes: Filled(inner)}}
		}
		out, i = append(out, inner...), end
	}
	return out
}

// labelOf returns the title of a part as a paragraph, if it has one.
func labelOf(m *grammar.Marker) []*Node {
	title := ""
	if m.Kind == ':' {
		title = m.Args
	} else {
		as := syntax.ReadAttributes(m.Args)
		for _, name := range []string{"title", "name", "label", "header"} {
			if v, ok := as.Get(name); ok && title == "" {
				title = v
			}
		}
	}
	if title = singleLine(title); title == "" {
		return nil
	}
	return []*Node{paragraphNode([]*Node{textNode(Leaf{Text: title, Marks: []Mark{{Type: "bold"}}})})}
}

// block returns a block as readers see it, or nil if nothing of it is left.
func (f *foreign) block(n *Node) *Node {
	if n.Type == "code" || !hasForeign([]*Node{n}) {
		return n
	}
	if source, ok := n.RawSource(); ok {
		return codeOfTag(n, source)
	}
	out := *n
	if alert := alertOf(n); alert != "" {
		out.Type, out.Data, out.Nodes = "hint", map[string]any{"style": alertStyles[alert]}, withoutAlert(n.Nodes)
	}
	if style := docsifyStyle(n); style != "" {
		out.Nodes = withoutStart(n.Nodes, len("!> "))
		if inner := f.text(&out); inner != nil {
			return blockNode("hint", map[string]any{"style": style}, inner)
		}
		return nil
	}
	if hasText(n) {
		return f.text(&out)
	}
	out.Nodes, out.Fragments = f.list(out.Nodes), f.list(out.Fragments)
	return &out
}

// hasText reports whether a block holds inlines and not blocks.
func hasText(n *Node) bool {
	return slices.ContainsFunc(n.Nodes, func(k *Node) bool { return k.Object == ObjectText || k.Object == ObjectInline })
}

// docsifyStyle returns the style of the hint that a paragraph is in docsify: it
// begins with `!>` or `?>`.
func docsifyStyle(n *Node) string {
	if n.Type != "paragraph" {
		return ""
	}
	switch s := firstLeaf(n); {
	case strings.HasPrefix(s, "!> "):
		return "warning"
	case strings.HasPrefix(s, "?> "):
		return "info"
	}
	return ""
}

// text removes the shortcodes in a line that readers do not see. A paragraph of
// which nothing else is left is removed, and one between the two ends of a hint
// is the text of that hint.
func (f *foreign) text(n *Node) *Node {
	var ends []grammar.Marker
	first, last := Text(n.Nodes), ""
	eachShortcode(first, func(from, to int, m grammar.Marker) {
		if strings.TrimSpace(first[:from]) == "" || strings.TrimSpace(first[to:]) == "" {
			ends, last = append(ends, m), first[to:]
		}
	})
	n.Nodes = f.inlines(n.Nodes)
	if n.Type != "paragraph" {
		return n
	}
	if strings.TrimSpace(Text(n.Nodes)) == "" && !slices.ContainsFunc(n.Nodes, func(k *Node) bool { return k.Object == ObjectInline }) {
		return nil
	}
	if len(ends) == 2 && strings.TrimSpace(last) == "" && !ends[0].Closes && ends[1].Closes && ends[0].Name == ends[1].Name {
		if style := grammar.MarkerStyles[ends[0].Style()]; style != "" {
			return blockNode("hint", map[string]any{"style": style}, append(labelOf(&ends[0]), n)...)
		}
	}
	return n
}

func (f *foreign) inlines(nodes []*Node) []*Node {
	out := make([]*Node, 0, len(nodes))
	for _, n := range nodes {
		c := *n
		c.Leaves, c.Nodes = slices.Clone(n.Leaves), f.inlines(n.Nodes)
		for k, l := range c.Leaves {
			if !l.Raw && l.literals == nil && !hasMark(l.Marks, Mark{Type: "code"}) {
				c.Leaves[k].Text = f.shown(l.Text)
			}
		}
		c.Fragments = f.list(n.Fragments)
		if slices.ContainsFunc(n.Leaves, func(l Leaf) bool { return l.literals != nil }) {
			out = append(out, literalMarkdown(&c)...)
		} else {
			out = append(out, &c)
		}
	}
	return out
}

// shown returns a text without the shortcodes that mark parts of it.
func (f *foreign) shown(s string) string {
	var b strings.Builder
	at := 0
	eachShortcode(s, func(from, to int, m grammar.Marker) {
		if m.Closes || f.closed[m.Name] {
			b.WriteString(s[at:from])
			at = to
		}
	})
	return b.String() + s[at:]
}

// codeOfTag returns the block for a tag whose content is code, or the node itself
// for any other source, and nil for a comment.
func codeOfTag(n *Node, source string) *Node {
	t, ok := syntax.ReadTag([]byte(source))
	end := strings.LastIndex(source, "{%")
	if !ok || !codeTags[t.Name] || end < t.End {
		return n
	}
	if t.Name == "comment" {
		return nil
	}
	syntax, _, _ := strings.Cut(t.Args, " ")
	code := blockNode("code", setString(nil, "syntax", strings.TrimPrefix(syntax, "lang:")))
	for line := range strings.SplitSeq(strings.Trim(source[t.End:end], "\r\n"), "\n") {
		code.Nodes = append(code.Nodes, blockNode("code-line", nil, textNode(Leaf{Text: strings.TrimSuffix(line, "\r")})))
	}
	code.Key = n.Key
	return code
}

var alertStart = regexp.MustCompile(`^\[!([A-Za-z]{3,12})\][-+]?(?:\s|$)`)

// alertOf returns the name of the hint that a quote is: it begins with `[!NAME]`.
func alertOf(n *Node) string {
	if n.Type != "blockquote" || len(n.Nodes) == 0 || n.Nodes[0].Type != "paragraph" {
		return ""
	}
	m := alertStart.FindStringSubmatch(firstLeaf(n.Nodes[0]))
	if m == nil || alertStyles[strings.ToLower(m[1])] == "" {
		return ""
	}
	return strings.ToLower(m[1])
}

func firstLeaf(paragraph *Node) string {
	if len(paragraph.Nodes) == 0 || len(paragraph.Nodes[0].Leaves) == 0 {
		return ""
	}
	return paragraph.Nodes[0].Leaves[0].Text
}

// withoutStart returns inlines without the first bytes of their first text.
func withoutStart(inlines []*Node, n int) []*Node {
	out, t := slices.Clone(inlines), *inlines[0]
	t.Leaves = slices.Clone(t.Leaves)
	t.Leaves[0].Text = strings.TrimLeft(t.Leaves[0].Text[n:], "\n")
	out[0] = &t
	return out
}

// withoutAlert returns the blocks of a quote without the name of the hint.
func withoutAlert(nodes []*Node) []*Node {
	out := slices.Clone(nodes)
	p := *nodes[0]
	p.Nodes = withoutStart(p.Nodes, len(alertStart.FindString(firstLeaf(&p))))
	if out[0] = &p; strings.TrimSpace(Text(p.Nodes)) == "" && len(p.Nodes) == 1 && len(out) > 1 {
		out = out[1:]
	}
	return out
}
