package markup

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// tagWriter writes a tag like `{% name a="b" %}`.
type tagWriter struct {
	name string
	b    strings.Builder
}

func openTag(name string) *tagWriter {
	w := &tagWriter{name: name}
	w.b.WriteString("{% " + name)
	return w
}

func (w *tagWriter) attr(name, value string) *tagWriter {
	w.b.WriteString(" " + name + "=" + syntax.QuoteValue(cleanLines(value)))
	return w
}

// strings writes the named attributes that are not empty.
func (w *tagWriter) strings(n *Node, fields ...TextField) *tagWriter {
	for _, f := range fields {
		if s := n.Str(f); s != "" {
			w.attr(f.name, s)
		}
	}
	return w
}

// flags writes the named attributes that are booleans.
func (w *tagWriter) flags(n *Node, fields ...FlagField) *tagWriter {
	for _, f := range fields {
		if v, ok := n.FlagSet(f); ok {
			w.attr(f.name, flagText(v))
		}
	}
	return w
}

func flagText(v bool) string {
	if v {
		return "true"
	}
	return "false"
}

// others writes the data that is not in known, such as unsupported attributes.
func (w *tagWriter) others(n *Node, known ...string) *tagWriter { return w.rest(n.Data, known) }

func (w *tagWriter) rest(data map[string]any, known []string) *tagWriter {
	for k, v := range sortedPairs(data) {
		if slices.Contains(known, k) || !syntax.AttributeName.MatchString(k) || v == nil {
			continue
		}
		w.attr(k, valueText(v))
	}
	return w
}

func valueText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return flagText(v)
	}
	if f, ok := num(v); ok {
		return decimal(f)
	}
	b, _ := json.Marshal(v)
	return string(b)
}

func (w *tagWriter) done() string { return w.b.String() + " %}" }

// enclose returns the tag with its content and its end tag.
func (w *tagWriter) enclose(body string) string {
	return w.done() + "\n" + body + "\n{% end" + w.name + " %}"
}

// openBlock returns the opening tag of a block, or nil if blocks of its type
// have no tag.
func (p *printer) openBlock(n *Node) *tagWriter {
	if t := blockTypes[n.Type]; t != nil && t.open != nil {
		return t.open(p, n)
	}
	return nil
}

func openHint(_ *printer, n *Node) *tagWriter {
	return openTag("hint").strings(n, FieldStyle, FieldIcon).others(n, FieldStyle.name, FieldIcon.name)
}

func openTabs(_ *printer, n *Node) *tagWriter { return openTag("tabs").flags(n, FieldFullWidth) }

func openTab(_ *printer, n *Node) *tagWriter {
	return openTag("tab").attr("title", n.Str(FieldTitle)).strings(n, FieldIcon, FieldSlug).others(n, FieldTitle.name, FieldIcon.name, FieldSlug.name)
}

func openStepper(*printer, *Node) *tagWriter { return openTag("stepper") }

func openStep(_ *printer, n *Node) *tagWriter {
	return openTag("step").strings(n, FieldIcon).others(n, FieldIcon.name)
}

func openColumns(_ *printer, n *Node) *tagWriter {
	return openTag("columns").flags(n, FieldFullWidth).others(n, FieldFullWidth.name)
}

func openColumn(_ *printer, n *Node) *tagWriter {
	w := openTag("column")
	if l := lengthText(n.value(FieldWidth)); l != "" {
		w.attr("width", l)
	}
	if v := n.Str(FieldVerticalAlignment); v != "" {
		w.attr("valign", v)
	}
	return w
}

func openIf(_ *printer, n *Node) *tagWriter {
	w := openTag("if")
	w.b.WriteString(" " + expressionText(n.Str(FieldExpression)))
	return w
}

func openUpdates(_ *printer, n *Node) *tagWriter {
	return openTag("updates").strings(n, FieldFormat)
}

func openPrompt(_ *printer, n *Node) *tagWriter {
	return openTag("prompt").attr("description", n.Str(FieldDescription)).strings(n, FieldIcon).flags(n, FieldOpenInAIProviders).strings(n, FieldPromptExpanded)
}

func openEmbed(_ *printer, n *Node) *tagWriter {
	return openTag("embed").attr("url", n.Str(FieldURL)).flags(n, FieldFullWidth).others(n, FieldURL.name, FieldFullWidth.name)
}

func openFile(p *printer, n *Node) *tagWriter {
	dest, _ := p.dest(n, FieldRef, UseFile)
	return openTag("file").attr("src", dest).others(n, FieldRef.name)
}

func openContentRef(p *printer, n *Node) *tagWriter {
	dest, _ := p.dest(n, FieldRef, UseLink)
	if ref, _ := dataRef(n.value(FieldRef)); n.Str(fieldTag) == "include" && len(n.Data) == 2 && isPlace(ref) {
		return openInclude(dest)
	}
	return openTag("content-ref").attr("url", dest).others(n, FieldRef.name)
}

func openReusable(p *printer, n *Node) *tagWriter {
	dest, _ := p.dest(n, FieldRef, UseInclude)
	return openInclude(dest)
}

func openIntegration(_ *printer, n *Node) *tagWriter {
	return openTag("@"+n.Str(FieldIntegration)+"/"+n.Str(FieldBlock)).rest(n.Props(), []string{FieldFullWidth.name, FieldURL.name}).strings(n, FieldURL).flags(n, FieldFullWidth)
}

func openInclude(dest string) *tagWriter {
	w := openTag("include")
	w.b.WriteString(" " + syntax.QuoteValue(dest))
	return w
}

// container prints a tag around blocks.
func (p *printer) container(n *Node) string {
	w := p.openBlock(n)
	return p.withTagLine(n, w.enclose(p.body(w.name, n.Nodes)))
}

// parts prints a tag around the tags of its parts.
func (p *printer) parts(n *Node) string {
	return p.withTagLine(n, p.tagWithParts(p.openBlock(n), n.Nodes))
}

// captionedTag prints a tag around a caption.
func (p *printer) captionedTag(n *Node) string {
	w := p.openBlock(n)
	body := p.body(w.name, captionOf(n))
	if body != "" || p.inside[w.name] > 0 { // the end tag of the enclosing tag would end this one
		return w.enclose(body)
	}
	return w.done()
}

func (p *printer) contentRef(n *Node) string {
	w := p.openBlock(n)
	if w.name == "include" {
		return w.done()
	}
	dest, _ := p.dest(n, FieldRef, UseLink)
	return w.enclose(p.mentionLink(dest, ""))
}

func (p *printer) reusable(n *Node) string { return p.openBlock(n).done() }

func (p *printer) integration(n *Node) string {
	w := p.openBlock(n)
	if source, ok := n.RawSource(); ok {
		return p.raw(source)
	}
	if body := n.Str(fieldBody); body != "" {
		return w.enclose(body)
	}
	return w.done()
}

func (p *printer) swagger(n *Node) string {
	w, body := p.openBlock(n), n.Str(fieldBody)
	if dest, _ := p.dest(n, FieldRef, UseFile); body == "" && w.name == "openapi" {
		body = "[" + dest + "](" + dest + ")"
	}
	return w.enclose(body)
}

func (p *printer) openAPI(n *Node) string { return p.openBlock(n).enclose(n.Str(fieldBody)) }

// withTagLine returns a printed tag with the first line that it has in the
// source.
func (p *printer) withTagLine(n *Node, s string) string {
	if p.sources != nil {
		if line := p.sources.tagLine(n); line != "" {
			if _, rest, ok := strings.Cut(s, "\n"); ok {
				return line + "\n" + rest
			}
		}
	}
	return s
}

// body returns the content of a tag.
func (p *printer) body(tag string, nodes []*Node) string {
	before := p.openEnd
	p.openEnd = false
	p.inside[tag]++
	s := p.blocks(nodes)
	p.inside[tag]--
	p.openEnd = before
	return s
}

func join(s, end string) string {
	if s == "" {
		return ""
	}
	return s + end
}

// expressionText returns an expression on one line that does not end its tag.
func expressionText(s string) string {
	s = strings.TrimSpace(oneLineFormula(s))
	whole := "{% if " + s + " %}"
	if t, ok := syntax.ReadTag([]byte(whole)); ok && t.End == len(whole) {
		return s
	}
	return strings.ReplaceAll(s, "%}", "% }")
}

// tagWithParts returns a tag that contains parts, with a blank line between them.
func (p *printer) tagWithParts(w *tagWriter, nodes []*Node) string {
	var parts []string
	p.inside[w.name]++
	for _, n := range nodes {
		parts = append(parts, p.block(n, false))
	}
	p.inside[w.name]--
	return w.enclose(strings.Join(parts, "\n\n"))
}

func lengthText(v any) string {
	value, unit, ok := lengthOf(v)
	if !ok {
		return ""
	}
	return decimal(value) + unit
}

func openUpdate(_ *printer, n *Node) *tagWriter {
	w := openTag("update").attr("date", writeDate(n.Str(FieldDate)))
	var tags []string
	list, _ := n.value(FieldTags).([]any)
	for _, v := range list {
		if ref, ok := dataRef(v); ok {
			tags = append(tags, ref.Tag)
		}
	}
	if len(tags) > 0 {
		w.attr("tags", strings.Join(tags, ","))
	}
	return w.others(n, FieldDate.name, FieldTags.name)
}

func captionOf(n *Node) []*Node {
	for _, f := range n.Fragments {
		if f.Slot() == "caption" {
			return f.Nodes
		}
	}
	return nil
}

// raw returns source that is kept verbatim. A client may send any source: if it
// would not be parsed as the same block, it is printed as a code block instead.
func (p *printer) raw(source string) string {
	source = cleanSource(source)
	if p.rawForm(source) == rawClosed && !p.disturbs(source) {
		return source
	}
	return p.fence("", strings.Split(source, "\n"))
}

// rawForm is the behavior of raw source as a block.
type rawForm int

const (
	rawNone   rawForm = iota + 1 // the source is not one block
	rawOpen                      // the block would include the text that follows
	rawClosed                    // the block is independent
)

// rawForm returns the form of a source. It caches the result.
func (p *printer) rawForm(source string) rawForm {
	if f := p.forms[source]; f != 0 {
		return f
	}
	f := rawNone
	if doc := parse([]byte(source), Refs{}); isRawBlock(doc, source) {
		f = rawOpen
		if !doc.isKeptWhole() { // otherwise all text that follows would be part of it
			doc = parse([]byte(source+"\n\nx\n"), Refs{})
			if len(doc.Nodes) == 2 && doc.Nodes[1].Type == "paragraph" {
				f = rawClosed
			}
		}
	}
	p.forms[source] = f
	return f
}

func (p *printer) isOpenRaw(n *Node) bool {
	source, ok := n.RawSource()
	return ok && p.rawForm(cleanSource(source)) == rawOpen
}

// disturbs reports whether source opens or closes one of the enclosing tags.
func (p *printer) disturbs(source string) bool {
	open := map[string]int{}
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		switch {
		case line == "</details>":
			open["<details"]--
		case strings.HasPrefix(line, "<details"):
			open["<details"]++
		case strings.HasPrefix(line, "{%"):
			for _, piece := range grammar.TagPieces([]byte(line), 0) {
				if piece.Tag == nil {
					continue
				}
				if name := piece.Tag.Closes(); name != "" {
					open[name]--
				} else {
					open[piece.Tag.Name]++
				}
			}
		}
	}
	for name, n := range open {
		if n != 0 && p.inside[name] > 0 {
			return true
		}
	}
	return false
}

// isRawBlock reports whether the whole source was parsed as one raw block.
func isRawBlock(doc *Document, source string) bool {
	if len(doc.Nodes) != 1 {
		return false
	}
	s, ok := doc.Nodes[0].RawSource()
	return ok && s == source && doc.Spans[0] == Span{0, len(source)}
}

func openSwagger(p *printer, n *Node) *tagWriter {
	name := "openapi"
	if n.Str(fieldTag) == "swagger" {
		name = "swagger"
	}
	dest, _ := p.dest(n, FieldRef, UseFile)
	w := openTag(name).attr("src", dest).strings(n, FieldPath, FieldMethod).flags(n, FieldExpanded, FieldFullWidth)
	return w.others(n, FieldRef.name, FieldPath.name, FieldMethod.name, FieldExpanded.name, FieldFullWidth.name, fieldTag.name, fieldBody.name)
}

func openOpenAPI(_ *printer, n *Node) *tagWriter {
	ref, _ := dataRef(n.value(FieldRef))
	w := openTag(n.Type).attr("spec", ref.Spec)
	if n.Type == "openapi-schemas" {
		w.attr("schemas", strings.Join(n.Strings(FieldSchemas), ",")).strings(n, FieldTitle).flags(n, FieldGrouped)
	} else {
		w.strings(n, FieldPath, FieldName, FieldMethod)
	}
	return w.others(n, FieldRef.name, FieldPath.name, FieldName.name, FieldMethod.name, FieldSchemas.name, FieldTitle.name, FieldGrouped.name, fieldBody.name)
}

func (p *printer) expandable(n *Node) string {
	open, body := p.details(n)
	end := "\n\n"
	if k := len(body); k > 0 && p.items > 0 && endsEmpty(body[k-1]) {
		end = "\n"
	}
	return strings.Replace(open, "<summary>", "\n\n<summary>", 1) + "\n\n" + join(p.body("<details", body), end) + "</details>"
}

// details returns the start of an expandable as HTML, up to the end of its
// title, and the body.
func (p *printer) details(n *Node) (open string, body []*Node) {
	var title []*Node
	for _, f := range n.Fragments {
		switch f.Slot() {
		case "expandable-title":
			title = f.Nodes
		case "expandable-body":
			body = f.Nodes
		}
	}
	open = "<details>"
	if n.Flag(FieldDefaultExpanded) {
		open = "<details open>"
	}
	summary := ""
	for i, t := range title {
		if i > 0 {
			summary += "<br>"
		}
		summary += p.htmlInlines(t.Nodes)
	}
	return open + "<summary>" + summary + "</summary>", body
}
