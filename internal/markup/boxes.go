package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// MkDocs marks a part of a page with a line such as `!!! note "Title"`, and indents
// what is in it by four spaces. Such a box is a hint with its line in the data,
// so that its content is edited like any other and its form is kept.

// fieldBox has the line of a box in the data of its hint.
var fieldBox = TextField{"marker"}

// boxOf returns the box that a hint is, if it is printed as one.
func boxOf(n *Node) (b grammar.Box, ok bool) {
	line := n.Str(fieldBox)
	if n.Type != "hint" || line == "" || len(n.Data) != 2 || strings.ContainsAny(line, "\r\n") || strings.TrimSpace(line) != line {
		return b, false
	}
	b, ok = grammar.ReadBox(line)
	return b, ok && b.Style() == n.Str(FieldStyle)
}

// box returns the hint of a box.
func (c *converter) box(n *grammar.BoxBlock) *Node {
	b, _ := grammar.ReadBox(n.Line)
	return c.arena.block("hint", map[string]any{"style": b.Style(), fieldBox.name: c.valid(n.Line)}, Filled(c.children(n)))
}

// printBox prints a hint as the box that it is.
func (p *printer) printBox(n *Node) string {
	body := p.body("hint", n.Nodes)
	if body == "" {
		return n.Str(fieldBox)
	}
	return n.Str(fieldBox) + "\n" + hang("    ", "    ", body)
}

// readersTitle returns the title that readers see, with its marks. A hint shows
// what its style is, so that a name that is a style needs no title.
func readersTitle(b grammar.Box) []*Node {
	title := b.Title
	if !b.Titled && (b.Kind == '?' || grammar.MarkerStyles[b.Name] == "") && b.Name != "" {
		title = strings.ToUpper(b.Name[:1]) + b.Name[1:]
	}
	if title == "" {
		return nil
	}
	var inlines InlineBuilder
	addMarkdown(&inlines, title, []Mark{{Type: "bold"}})
	return inlines.Done()
}

// box returns what readers see of the box at the start of nodes, and how many of
// them it takes: tabs that follow each other are one.
func (f *foreign) box(b grammar.Box, nodes []*Node) (shown *Node, taken int) {
	n := nodes[0]
	switch b.Kind {
	case '=':
		tabs := blockNode("tabs", nil)
		for _, k := range nodes {
			b, ok := boxOf(k)
			if !ok || b.Kind != '=' || len(tabs.Nodes) > 0 && strings.HasPrefix(k.Str(fieldBox), "===!") {
				break
			}
			item := blockNode("tabs-item", map[string]any{"title": PlainText(readersTitle(b))}, Filled(f.list(k.Nodes))...)
			item.Key = k.Key
			tabs.Nodes = append(tabs.Nodes, item)
		}
		return tabs, len(tabs.Nodes)
	case '?':
		shown = blockNode("expandable", map[string]any{"defaultExpanded": b.Expanded})
		shown.Fragments = []*Node{
			fragmentNode("expandable-title", "expandable-title", []*Node{paragraphNode(readersTitle(b))}),
			fragmentNode("expandable-body", "expandable-body", Filled(f.list(n.Nodes))),
		}
	default:
		inner := f.list(n.Nodes)
		if title := readersTitle(b); title != nil {
			inner = append([]*Node{paragraphNode(title)}, inner...)
		}
		shown = blockNode("hint", map[string]any{"style": b.Style()}, Filled(inner)...)
	}
	shown.Key = n.Key
	return shown, 1
}
