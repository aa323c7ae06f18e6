package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// code parses `<pre><code>`. Lines inside `<strong>` are highlighted lines.
func (h *htmlReader) code(e *syntax.Element) []*Node {
	kids, ok := e.Elements()
	if !ok || len(kids) != 1 || kids[0].Name != "code" {
		return h.fail()
	}
	data := map[string]any{}
	language := classAfter(kids[0], "lang-")
	if language == "" {
		language = classAfter(e, "language-")
	}
	if language != "" {
		data["syntax"] = language
	}
	for _, a := range e.Attrs {
		switch a.Key {
		case "class":
		case "data-title":
			if a.Val != "" {
				data["title"] = cleanLines(a.Val)
			}
		case "data-overflow":
			if a.Val == "wrap" || a.Val == "scroll" {
				data["overflow"] = a.Val
			}
		case "data-line-numbers":
			data["lineNumbers"] = a.Val != "false"
		case "data-expandable":
			data["expandable"] = a.Val != "false"
		case "data-full-width":
			data["fullWidth"] = a.Val != "false"
		case "data-collapsed-line-count":
			if v, ok := readLength(a.Val); ok {
				data["collapsedLineCount"] = v
			}
		default:
			name, ok := strings.CutPrefix(a.Key, unknownAttr)
			if name = readAttrKey(name); !ok || codeKeys[name] || !attrName.MatchString(name) {
				return h.fail()
			}
			data[name] = syntax.Valid(a.Val)
		}
	}
	r := &codeReader{h: h}
	r.begin()
	r.walk(kids[0].Kids, false)
	r.end()
	if h.failed {
		return nil
	}
	lines := r.lines
	// The line break before the closing tag ends the last line.
	if k := len(lines); k > 1 && len(lines[k-1].Nodes) == 1 && PlainText(lines[k-1].Nodes) == "" && lines[k-1].Nodes[0].Object == ObjectText && !lines[k-1].Flag(FieldHighlighted) {
		lines = lines[:k-1]
	}
	return []*Node{blockNode("code", data, lines...)}
}

func classAfter(e *syntax.Element, prefix string) string {
	for _, c := range strings.Fields(e.Attr("class")) {
		if s, ok := strings.CutPrefix(c, prefix); ok {
			return s
		}
	}
	return ""
}

// codeReader splits the content of a code element into lines.
type codeReader struct {
	h *htmlReader
	b InlineBuilder
	marked,
	plain bool // whether the line has marked text, and unmarked text
	lines []*Node
}

func (r *codeReader) begin() { r.b, r.marked, r.plain = InlineBuilder{}, false, false }

func (r *codeReader) end() {
	nodes := r.b.Done()
	if len(nodes) == 0 {
		nodes = []*Node{textNode()}
	}
	line := blockNode("code-line", nil, nodes...)
	if r.marked && !r.plain {
		line.Data = map[string]any{"highlighted": true}
	} else if r.marked {
		r.h.fail() // a marked part of a line has no form in the model
	}
	r.lines = append(r.lines, line)
}

func (r *codeReader) walk(kids []*syntax.Element, marked bool) {
	for _, k := range kids {
		switch k.Name {
		case "":
			for i, s := range strings.Split(k.Text, "\n") {
				if i > 0 {
					r.end()
					r.begin()
				}
				if s != "" {
					r.mark(marked)
					r.b.Text(s, nil)
				} else if marked && i == 0 {
					r.mark(true)
				}
			}
		case "strong":
			if len(k.Attrs) > 0 || marked {
				r.h.fail()
				return
			}
			if len(k.Kids) == 0 {
				r.mark(true)
			}
			r.walk(k.Kids, true)
		case "a", "code":
			r.mark(marked)
			before := len(r.b.nodes)
			r.h.c.inlineElement(&r.b, k, r.h.source, nil)
			if len(r.b.nodes) == before || r.b.nodes[len(r.b.nodes)-1].Type != "annotation" && r.b.nodes[len(r.b.nodes)-1].Type != "expression" {
				r.h.fail()
				return
			}
		default:
			r.h.fail()
			return
		}
	}
}

func (r *codeReader) mark(marked bool) {
	if marked {
		r.marked = true
	} else {
		r.plain = true
	}
}
