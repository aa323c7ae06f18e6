package markup

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// oldTags maps former names of tags to the current ones.
var oldTags = map[string]string{"code-tabs": "tabs", "code-tabs-item": "tab"}

// tagName returns the current name of a tag.
func tagName(name string) string {
	if now, ok := oldTags[name]; ok {
		return now
	}
	return name
}

// tag returns the nodes of a tag and its content.
func (c *converter) tag(i *item) []*Node {
	t, name := i.piece.Tag, tagName(i.piece.Tag.Name)
	raw := func(why string) []*Node {
		if why != "" {
			c.problem(i.piece.At, why+"; it is kept as it is")
		}
		return []*Node{rawNode(c.sourceOf(i))}
	}
	if isMarkerTag(t) || isForeignInclude(t) {
		raw(foreignTag(i))
		return []*Node{c.rawMarker(c.sourceOf(i))}
	}
	if t.Closes() != "" {
		return raw(fmt.Sprintf("{%% %s %%} closes nothing here", t.Name))
	}
	if !isKnownTag(name) {
		return raw("")
	}
	form := tagsByName[name]
	if form == nil {
		form = &tagType{name: name}
	}
	if parent := form.in; parent != "" && c.parentTag != parent {
		return raw(fmt.Sprintf("{%% %s %%} is allowed directly in {%% %s %%} only", t.Name, parent))
	}
	part := form.part
	if !i.closed && form.container && !form.alone {
		return c.lacksEnd(raw, t)
	}
	if part != "" && (len(i.kids) == 0 || slices.ContainsFunc(i.kids, func(k *item) bool { return !k.isTag(part) || !k.closed })) {
		return raw(fmt.Sprintf("{%% %s %%} holds {%% %s %%} only, each with its end", t.Name, part))
	}
	if name == grammar.LiteralTag {
		if !i.closed {
			return c.lacksEnd(raw, t)
		}
		if nodes := c.inside(i); len(nodes) > 0 {
			if i.close != nil && c.Literals[i.piece.At] == i.close.At { // nothing up to the end tag was parsed as a tag
				markLiteral(nodes)
			}
			return nodes
		}
		return raw("")
	}
	if apiPart(name) != "" {
		return raw(fmt.Sprintf("{%% %s %%} is a part of the description of an operation, which it is not in here", t.Name))
	}
	if apiTags[name] && !isSpecification(t) {
		if !i.closed {
			return c.lacksEnd(raw, t)
		}
		return []*Node{c.apiNode(i)}
	}
	var kids []*Node
	body := ""
	if form.container {
		c.within(i, name, func() { kids = c.convert(i.kids) })
	} else if i.closed {
		body = c.bodyOf(i)
	}
	if part != "" && slices.ContainsFunc(kids, func(k *Node) bool { return k.Type == "integration" }) {
		return raw("") // a part was kept verbatim, which was already reported
	}
	wrong := c.misspelled(name, i.piece)
	if n := c.tagNode(name, t.Args, kids, body); n != nil {
		c.checkStyle(i, n)
		return []*Node{n}
	} else if wrong {
		return raw("")
	}
	why := "lacks an attribute that it needs"
	if form.lacks != nil {
		if why = form.lacks(cleanAttributes(t.Args)); why == "" {
			return raw("")
		}
	}
	return raw(fmt.Sprintf("{%% %s %%} %s", t.Name, why))
}

func lacksCode(syntax.Attributes) string { return "holds one block of code and nothing else" }

func lacksDate(syntax.Attributes) string { return `needs a date such as date="2026-01-31"` }

func lacksContent(as syntax.Attributes) string {
	if dest, _ := as.Get(""); dest != "" {
		return "" // whoever resolves destinations reports it as missing
	}
	return "names no reusable content"
}

// checkStyle reports a style of a hint that is none: readers see another one.
func (c *converter) checkStyle(i *item, n *Node) {
	if n.Type != "hint" {
		return
	}
	if style, _ := cleanAttributes(i.piece.Tag.Args).Get("style"); style != "" && style != n.Str(FieldStyle) {
		c.problem(i.piece.At, fmt.Sprintf("{%% hint %%} has no style %q, and is shown as %s; styles are %s", style, n.Str(FieldStyle), strings.Join(HintStyles, ", ")))
	}
}

// foreignTag returns the problem of a tag of another tool. Its end is not
// reported, so that each part of a page is reported once. Neither is a condition
// of another form: UnreadExpressions names it.
func foreignTag(i *item) string {
	if i.piece.Tag.Closes() != "" || conditionTag.MatchString(i.piece.Source) {
		return ""
	}
	return fmt.Sprintf("{%% %s %%} is a tag of another tool: readers see what is in it, but not the tag", i.piece.Tag.Name)
}

// lacksEnd reports a tag that is not closed.
func (c *converter) lacksEnd(raw func(why string) []*Node, t *syntax.Tag) []*Node {
	before := len(*c.problems)
	nodes := raw(fmt.Sprintf("{%% %s %%} is not closed: put {%% end%s %%} at the same depth", t.Name, t.Name))
	if found := (*c.problems)[before:]; len(found) > 0 {
		found[0].lacks = "end" + t.Name
	}
	return nodes
}

// within calls read to convert the content of an item, with parent as the
// enclosing tag.
func (c *converter) within(i *item, parent string, read func()) {
	previous, limit := c.parentTag, c.limit
	c.parentTag = parent
	if i.close != nil {
		c.limit = i.close.At
	}
	read()
	c.parentTag, c.limit = previous, limit
}

// inside returns the blocks in a tag.
func (c *converter) inside(i *item) (nodes []*Node) {
	c.within(i, "", func() { nodes = c.convert(i.kids) })
	return nodes
}

// bodyOf returns the text between a tag and its end tag.
func (c *converter) bodyOf(i *item) string {
	body := strings.TrimSpace(strings.TrimPrefix(cleanSource(c.sourceOf(i)), cleanSource(i.piece.Source)))
	if at := strings.LastIndex(body, "{%"); at >= 0 {
		body = strings.TrimSpace(body[:at])
	}
	return body
}

// isTag reports whether an item is an opening tag with a name.
func (i *item) isTag(name string) bool {
	return i.piece != nil && i.piece.Tag != nil && i.opens() != "" && tagName(i.piece.Tag.Name) == name
}

func isKnownTag(name string) bool {
	return oldTags[name] != "" || tagsByName[name] != nil || name == grammar.LiteralTag || apiTags[name] || apiPart(name) != "" || strings.HasPrefix(name, "@") || strings.HasPrefix(name, "end") && isKnownTag(name[3:])
}

// cleanAttributes parses attributes and makes their values valid for a node.
func cleanAttributes(args string) syntax.Attributes {
	as := syntax.ReadAttributes(args)
	for i := range as {
		as[i].Value = cleanLines(as[i].Value)
	}
	return as
}

// isSpecification reports whether a swagger tag names a specification file.
func isSpecification(t *syntax.Tag) bool {
	src, _ := syntax.ReadAttributes(t.Args).Get("src")
	return t.Name == "swagger" && src != ""
}

// tagNode returns the block of a tag, or nil if the tag is not valid.
func (c *converter) tagNode(name, args string, kids []*Node, body string) *Node {
	as := cleanAttributes(args)
	if name, ok := strings.CutPrefix(name, "@"); ok {
		return integrationNode(name, as, body)
	}
	if form := tagsByName[name]; form != nil {
		return form.block(c, &tagContent{form, args, as, kids, body})
	}
	return nil
}

func tabsNode(_ *converter, t *tagContent) *Node {
	return blockNode("tabs", t.as.Flags(nil, "fullWidth"), t.kids...)
}

func tabNode(_ *converter, t *tagContent) *Node {
	return blockNode("tabs-item", t.as.Strings(t.others(), "title", "icon", "slug"), Filled(t.kids)...)
}

func stepperNode(_ *converter, t *tagContent) *Node { return blockNode("stepper", nil, t.kids...) }

func stepNode(_ *converter, t *tagContent) *Node {
	return blockNode("stepper-step", t.as.Strings(t.others(), "icon"), Filled(t.kids)...)
}

func columnsNode(_ *converter, t *tagContent) *Node {
	return blockNode("columns", t.as.Flags(t.others(), "fullWidth"), t.kids...)
}

func ifNode(_ *converter, t *tagContent) *Node {
	if t.args == "" {
		return nil
	}
	return blockNode("if", map[string]any{"expression": oneLineFormula(t.args)}, Filled(t.kids)...)
}

func updatesNode(_ *converter, t *tagContent) *Node {
	data := map[string]any{"format": "full"}
	if v, _ := t.as.Get("format"); v == "numeric" || v == "short" {
		data["format"] = v
	}
	return blockNode("updates", data, t.kids...)
}

func embedNode(_ *converter, t *tagContent) *Node {
	url, _ := t.as.Get("url")
	if _, safe := SafeURL(url); !safe || url == "" {
		return nil
	}
	n := blockNode("embed", t.as.Flags(t.others(), "fullWidth"))
	n.Data = setString(n.Data, "url", url)
	return captioned(n, t.kids)
}

func fileNode(c *converter, t *tagContent) *Node {
	src, ok := t.as.Get("src")
	if !ok {
		return nil
	}
	n := blockNode("file", orEmpty(t.others()))
	n.setRef(FieldRef, c.resolve(src, UseFile), src, UseFile)
	return captioned(n, t.kids)
}

func contentRefNode(c *converter, t *tagContent) *Node {
	url, ok := t.as.Get(t.attributes[0])
	if !ok {
		return nil
	}
	n := blockNode("content-ref", orEmpty(t.as.Others("url", "page")))
	n.setRef(FieldRef, c.resolve(url, UseLink), url, UseLink)
	return n
}

// reusableNode returns the block of a reusable content. An include of a whole
// page, as in older repositories, becomes a reference to that page.
func reusableNode(c *converter, t *tagContent) *Node {
	dest, _ := t.as.Get("")
	if dest == "" {
		return nil
	}
	if ref, ok := c.refs.find(dest, UseInclude); ok && ref.Kind == docs.RefReusable {
		n := blockNode("reusable-content", map[string]any{})
		n.setRef(FieldRef, ref, dest, UseInclude)
		return n
	}
	if ref, ok := c.refs.find(dest, UseLink); ok && isPlace(ref) {
		n := blockNode("content-ref", map[string]any{"tag": "include"})
		n.setRef(FieldRef, ref, dest, UseLink)
		return n
	}
	return nil
}

// isPlace reports whether a reference is to a page or an anchor.
func isPlace(ref docs.Ref) bool { return ref.Kind == docs.RefPage || ref.Kind == docs.RefAnchor }

// captioned sets the content of a tag as the caption of its block.
func captioned(n *Node, kids []*Node) *Node {
	if len(kids) > 0 {
		n.Fragments = []*Node{fragmentNode("caption", "caption", kids)}
	}
	return n
}

func integrationNode(name string, as syntax.Attributes, body string) *Node {
	integration, block, ok := strings.Cut(name, "/")
	if !ok || integration == "" || block == "" || integration == rawIntegration {
		return nil
	}
	props := map[string]any{}
	data := map[string]any{"integration": integration, "block": block, "props": props}
	for _, a := range as {
		switch {
		case !syntax.AttributeName.MatchString(a.Name):
			return nil
		case a.Name == "fullWidth":
			data["fullWidth"] = a.Value == "true"
		case a.Name == "url":
			if a.Value != "" {
				data["url"] = a.Value
			}
		default:
			props[a.Name] = a.Value
		}
	}
	if body != "" {
		data["body"] = body
	}
	return blockNode("integration", data)
}

func hintNode(_ *converter, t *tagContent) *Node {
	data := setString(t.others(), "style", "info")
	if v, _ := t.as.Get("style"); slices.Contains(HintStyles, v) {
		data["style"] = v
	}
	return blockNode("hint", t.as.Strings(data, "icon"), Filled(t.kids)...)
}

func columnNode(_ *converter, t *tagContent) *Node {
	data := map[string]any{}
	if v, ok := t.as.Get("width"); ok {
		if l, ok := readLength(v); ok {
			data["width"] = l
		}
	}
	if v, _ := t.as.Get("valign"); slices.Contains(VerticalAlignments, v) {
		data["verticalAlignment"] = v
	}
	return blockNode("column", data, Filled(t.kids)...)
}

// readLength parses a length like "50%", "120px" or "120".
func readLength(s string) (any, bool) {
	s = strings.TrimSpace(s)
	i := len(s)
	for i > 0 && (s[i-1] == '%' || s[i-1] >= 'a' && s[i-1] <= 'z') {
		i--
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	if err != nil || !(v >= 0 && v <= 1e6) || len(s)-i > 8 || strings.ContainsAny(s[:i], "xXpPeE_+") {
		return nil, false
	}
	if unit := s[i:]; unit != "" && unit != "px" {
		return map[string]any{"unit": unit, "value": v}, true
	}
	return v, true
}

// codeTag applies the options of a code tag to the code block in it.
func codeTag(_ *converter, t *tagContent) *Node {
	if len(t.kids) != 1 || t.kids[0].Type != "code" {
		return nil
	}
	as, n := t.as, t.kids[0]
	data := t.others()
	for k, v := range n.Data {
		data = orEmpty(data)
		data[k] = v
	}
	data = as.Strings(data, "title")
	data = as.Flags(data, "lineNumbers", "expandable", "fullWidth")
	if v, _ := as.Get("overflow"); v == "wrap" || v == "scroll" {
		data = setString(data, "overflow", v)
	}
	if v, _ := as.Get("collapsedLineCount"); v != "" {
		if k, err := strconv.ParseUint(v, 10, 31); err == nil && k > 0 {
			data = orEmpty(data)
			data["collapsedLineCount"] = float64(k)
		}
	}
	n.Data = orEmpty(data)
	return n
}

const wireTime = "2006-01-02T15:04:05.000Z"

func updateNode(_ *converter, t *tagContent) *Node {
	data := orEmpty(t.others())
	value, _ := t.as.Get("date")
	date, ok := parseDate(value)
	if !ok {
		return nil
	}
	data["date"] = date.Format(wireTime)
	if v, _ := t.as.Get("tags"); v != "" {
		var tags []any
		for _, s := range strings.Split(v, ",") {
			if s = strings.TrimSpace(s); s != "" {
				tags = append(tags, docs.Ref{Kind: docs.RefTag, Tag: s})
			}
		}
		if tags != nil {
			data["tags"] = tags
		}
	}
	return blockNode("update", data, Filled(t.kids)...)
}

// writeDate returns the shortest form of a date with the same meaning.
func writeDate(s string) string {
	if t, err := time.Parse(time.RFC3339, s); err == nil && t.UTC().Equal(t.UTC().Truncate(24*time.Hour)) {
		return t.UTC().Format(time.DateOnly)
	}
	return s
}

func promptNode(_ *converter, t *tagContent) *Node {
	if len(t.kids) != 1 || t.kids[0].Type != "code" {
		return nil
	}
	as := t.as
	data := as.Strings(nil, "icon")
	description, _ := as.Get("description")
	data = setString(data, "description", description)
	data = as.Flags(data, "openInAIProviders")
	if v, _ := as.Get("defaultExpanded"); v == "partial" || v == "full" || v == "hidden" {
		data["defaultExpanded"] = v
	}
	return blockNode("prompt", data, t.kids...)
}

func orEmpty(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return m
}

func setString(m map[string]any, key, value string) map[string]any {
	m = orEmpty(m)
	m[key] = value
	return m
}

// codeTags are tags of other tools whose content is not Markdown. They are kept
// with it as one block.
var codeTags = map[string]bool{
	"highlight": true, "codeblock": true, "code_block": true, "sourcecode": true, "prism": true, "comment": true, "mermaid": true,
	"uml": true, "plantuml": true, "puml": true, "graphviz": true, "dot": true, "math": true, "mathjax": true, "katex": true,
	"chart": true, "jsfiddle": true, "verbatim": true, "style": true, "javascript": true, "css": true, "script": true, "graph": true,
}

// isMarkerTag reports whether a tag is one of another tool that is a mark
// alone: what is between it and its end is content of the page.
func isMarkerTag(t *syntax.Tag) bool {
	name := t.Name
	if closed := t.Closes(); closed != "" {
		name = closed
	}
	return !isKnownTag(tagName(name)) && !codeTags[name]
}
