package markup

import "strings"

// code parses `<pre><code>`. Lines inside `<strong>` are highlighted lines.
func (h *htmlReader) code(e *element) []*Node {
	kids, ok := e.elements()
	if !ok || len(kids) != 1 || kids[0].name != "code" {
		return h.fail()
	}
	data := map[string]any{}
	syntax := classAfter(kids[0], "lang-")
	if syntax == "" {
		syntax = classAfter(e, "language-")
	}
	if syntax != "" {
		data["syntax"] = syntax
	}
	for _, a := range e.attrs {
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
			data[name] = valid(a.Val)
		}
	}
	r := &codeReader{h: h}
	r.begin()
	r.walk(kids[0].kids, false)
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

func classAfter(e *element, prefix string) string {
	for _, c := range strings.Fields(e.attr("class")) {
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

func (r *codeReader) walk(kids []*element, marked bool) {
	for _, k := range kids {
		switch k.name {
		case "":
			for i, s := range strings.Split(k.text, "\n") {
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
			if len(k.attrs) > 0 || marked {
				r.h.fail()
				return
			}
			if len(k.kids) == 0 {
				r.mark(true)
			}
			r.walk(k.kids, true)
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
