package html

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
)

// Limits for renderers of formulas and diagrams. A larger formula or diagram is
// displayed as its source.
const (
	maxFormula  = 4 << 10
	maxFormulas = 64 << 10 // of all formulas of a page
	maxDiagram  = 50 << 10
	maxProps    = 64 << 10 // of an integration block
)

// Commands of diagrams that load resources, add links or relax the rules of their
// renderer. Strict renderers refuse them; these commands are never passed to a renderer
// at all.
var (
	unsafeDiagram = regexp.MustCompile(`(?i)(securityLevel|\bsecure\b|htmlLabels|themeCSS|dompurify|startOnLoad|javascript|data:|<\s*/?[a-z!?])`)
	// Line breaks and class annotations look like HTML tags but are not.
	diagramMarks = regexp.MustCompile(`(?i)<br\s*/?>|<<[a-z]+>>`)
	// Lines that add a click handler to a diagram.
	diagramClicks = regexp.MustCompile(`(?i)^\s*(click\s+[\w-]+\s+[\w"]|links?\s+[^:]+:|callback\s)`)
)

func (h *writer) mathBlock(n *markup.Node) { h.math(n, "div") }
func (h *writer) mathText(n *markup.Node)  { h.math(n, "span") }

// math writes a formula, typeset or as its source.
func (h *writer) math(n *markup.Node, element string) {
	formula := n.Str(markup.FieldFormula)
	if h.o.Math != nil && len(formula) <= min(maxFormula, h.formulas) && markup.SafeFormula(formula) {
		h.formulas -= len(formula)
		if mathML, ok := h.o.Math(formula, element == "div"); ok {
			h.open(element, "class", "math")
			h.w.WriteString(mathML)
			h.close(element)
			return
		}
	}
	h.open(element, "class", "math-source")
	h.element("code", formula)
	h.close(element)
}

// diagram writes the source of a diagram, which a script may draw. Lines that add
// a click handler are omitted.
func (h *writer) diagram(source string) {
	var still strings.Builder
	unsafe := len(source) > maxDiagram
	for line := range strings.Lines(source) {
		if diagramClicks.MatchString(line) {
			continue
		}
		still.WriteString(line)
		unsafe = unsafe || unsafeDiagram.MatchString(diagramMarks.ReplaceAllString(line, ""))
	}
	class, shown := "diagram", still.String()
	if unsafe {
		class, shown = "diagram-source", source
	}
	h.open("pre", "class", class, "data-language", "mermaid")
	h.element("code", shown)
	h.close("pre")
}

// codePiece is a part of a line of code: a run of its text, with the annotation
// that contains it if there is one, or an inline without text.
type codePiece struct {
	length int
	inline *markup.Node
}

// codeBlock writes code in lines, which the style sheet numbers.
func (h *writer) codeBlock(n *markup.Node) {
	language := n.Str(markup.FieldSyntax)
	var code strings.Builder
	lines := make([][]codePiece, len(n.Nodes))
	for i, line := range n.Nodes {
		lines[i] = codePieces(line, &code)
		code.WriteByte('\n')
	}
	if language == "mermaid" {
		h.diagram(strings.TrimSuffix(code.String(), "\n"))
		return
	}
	title := n.Str(markup.FieldTitle)
	element := "div"
	if title != "" {
		element = "figure"
	}
	h.open(element, attrs("class", classes("code", fullWidth(n), when(n.Flag(markup.FieldExpandable), "collapsible")), "data-language", when(highlight.IsLanguage(language), language))...)
	if title != "" {
		h.element("figcaption", title)
	}
	collapsed := ""
	if lines, ok := n.Num(markup.FieldCollapsedLineCount); ok && n.Flag(markup.FieldExpandable) && lines >= 1 {
		collapsed = number(lines)
	}
	// A block that scrolls must be reachable with the keyboard.
	h.open("pre", attrs("class", classes(when(n.Str(markup.FieldOverflow) == "wrap", "wrap"), when(n.Flag(markup.FieldLineNumbers), "line-numbers")),
		"data-collapsed-lines", collapsed, "tabindex", "0")...)
	h.open("code", attrs("class", when(highlight.IsLanguage(language), "language-"+language))...)
	source := code.String()
	spans := []highlight.Span{{Length: len(source)}}
	if len(source) <= h.code {
		if found := h.o.Highlight.Spans(language, source); found != nil {
			h.code -= len(source)
			spans = found
		}
	}
	r := codeRun{h: h, source: source, spans: spans}
	for i, pieces := range lines {
		h.open("span", "class", classes("line", when(n.Nodes[i].Flag(markup.FieldHighlighted), "highlighted")))
		for _, p := range pieces {
			r.piece(p)
		}
		h.close("span")
		r.piece(codePiece{length: 1}) // the line break
	}
	h.close("code")
	h.close("pre")
	h.close(element)
}

// codePieces splits a line at its inlines and appends its text to code.
func codePieces(line *markup.Node, code *strings.Builder) []codePiece {
	var out []codePiece
	for _, n := range line.Nodes {
		from := code.Len()
		switch {
		case n.Object == markup.ObjectText:
			for _, l := range n.Leaves {
				code.WriteString(l.Text)
			}
			out = append(out, codePiece{code.Len() - from, nil})
		case n.Type == "annotation":
			code.WriteString(markup.Text(n.Nodes))
			out = append(out, codePiece{code.Len() - from, n})
		default:
			out = append(out, codePiece{0, n})
		}
	}
	return out
}

// codeRun writes a source piece by piece with the classes of its spans. The spans
// are shared with the cache of the highlighter and must not be modified.
type codeRun struct {
	h      *writer
	source string
	spans  []highlight.Span
	used   int // written bytes of the first span
}

func (r *codeRun) piece(p codePiece) {
	switch {
	case p.inline != nil && p.inline.Type == "annotation":
		r.h.notes = append(r.h.notes, p.inline)
		i := strconv.Itoa(len(r.h.notes))
		r.h.open("a", "class", "annotation", "role", "doc-noteref", "href", "#"+noteID+i, "id", noteRefID+i)
		r.write(p.length)
		r.h.close("a")
	case p.inline != nil:
		r.h.inline(p.inline)
	default:
		r.write(p.length)
	}
}

func (r *codeRun) write(length int) {
	for length > 0 && len(r.spans) > 0 {
		n := min(length, r.spans[0].Length-r.used)
		if class := r.spans[0].Class; class != "" && n > 0 && r.source[:n] != "\n" {
			r.h.element("span", r.source[:n], "class", class)
		} else {
			r.h.text(r.source[:n])
		}
		r.source = r.source[n:]
		length -= n
		if r.used += n; r.used == r.spans[0].Length {
			r.spans, r.used = r.spans[1:], 0
		}
	}
}

// integration writes a placeholder for a block of another program, with its data.
func (h *writer) integration(n *markup.Node) {
	if raw, ok := n.RawSource(); ok {
		h.rawBlock(raw)
		return
	}
	if n.Str(markup.FieldIntegration) == "mermaid" {
		h.diagram(n.Prop("content"))
		return
	}
	props := n.Props()
	data, err := json.Marshal(props)
	if err != nil || len(data) > maxProps || props == nil {
		data = []byte("{}")
	}
	h.open("section", "class", classes("integration", fullWidth(n)), "data-integration", n.Str(markup.FieldIntegration),
		"data-block", n.Str(markup.FieldBlock), "data-props", string(data))
	if url := n.Str(markup.FieldURL); url != "" {
		h.link(docs.Ref{Kind: docs.RefURL, URL: url}, "", func() { h.text(url) })
	}
	h.close("section")
}

// openAPI writes a part of an API description, or a placeholder if it is not
// available.
func (h *writer) openAPI(n *markup.Node) {
	ref, _ := n.Ref(markup.FieldRef)
	method := strings.ToUpper(n.Str(markup.FieldMethod))
	b := markup.NewAPIBlock(n)
	h.open("section", attrs("class", classes("openapi", when(n.Type == "swagger", "openapi-operation"), when(n.Type != "swagger", n.Type), when(b.Untitled, "untitled")),
		"id", idOf(n), "data-spec", ref.Spec, "data-path", n.Str(markup.FieldPath), "data-method", method, "data-name", n.Str(markup.FieldName))...)
	if h.o.API != nil {
		b.Level = min(2+len(h.above), 6)
		if body, ok := h.o.API(b); ok {
			h.w.WriteString(body)
			h.close("section")
			return
		}
	}
	if title := n.Str(markup.FieldTitle); title != "" {
		h.element("p", title)
	}
	h.open("p")
	for _, s := range append([]string{method, n.Str(markup.FieldPath), n.Str(markup.FieldName)}, n.Strings(markup.FieldSchemas)...) {
		if s != "" {
			h.element("code", s)
			h.w.WriteByte(' ')
		}
	}
	h.close("p")
	h.close("section")
}

// inlineAPI writes an operation that is described by tags, in the same form as an
// operation of an API description. It returns false if the node has no such
// operation or the operation cannot be rendered.
func (h *writer) inlineAPI(n *markup.Node) bool {
	if h.o.API == nil {
		return false
	}
	api := markup.DescribedAPI(n, h.o.Link)
	if api == nil {
		return false
	}
	body, ok := h.o.API(markup.APIBlock{Type: "openapi-operation", Method: api.Method, Path: api.Path, Inline: api, Level: min(2+len(h.above), 6)})
	if !ok {
		return false
	}
	h.open("section", attrs("class", "openapi openapi-operation", "id", idOf(n))...)
	h.w.WriteString(body)
	h.close("section")
	return true
}
