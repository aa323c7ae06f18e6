package markup

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/octavo-docs/octavo/internal/budget/costly"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/defect"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Parse parses a body, which is the source after the front matter and the
// title, into a document. It accepts every input. Source that has no block form
// is kept verbatim in a block of the integration "octavo". Problems lists the
// places that a person should look at. Nodes that come from one piece of
// source, such as the blocks inside one layout element, share its span.
func Parse(body []byte, refs Refs) *Document {
	costly.Note(costly.Parse)
	doc := parse(body, refs)
	nameAnchors(doc.Nodes)
	DeriveKeys(doc.Nodes)
	return doc
}

// Reasons for keeping a source as one raw block. The first one is reported when
// the Markdown library panicked, because a panic must not make a page
// unavailable.
const (
	unreadable = "the source cannot be read; it is kept as one piece"
	tooMany    = "the page has too many blocks; it is kept as one piece: make several pages of it"
)

func keptWhole(body []byte, why string) *Document {
	doc := &Document{Problems: []Problem{{Line: 1, Message: why}}}
	if s := trimSpan(body, 0, len(body)); s.Start < s.End {
		doc.Nodes, doc.Spans = []*Node{indentedRaw(string(body[s.Start:s.End]))}, []Span{s}
	}
	return doc
}

// converter converts the syntax tree of one source to nodes.
type converter struct {
	*grammar.Scan
	*arena
	text      string // the source
	clean     bool   // the source is valid UTF-8 without NUL, as JSON requires
	refs      Refs
	problems  *[]Problem
	inNote    bool // inside a footnote, where no other footnote may be used
	nested    int  // how many sources enclose this source
	level     int  // how many blocks enclose the current block
	tooDeep   bool
	parentTag string // the enclosing tag
	trace     bool   // record where everything is written
	inner     bool   // the source is inside another one,
	where     places // at these positions
	limit     int    // offset where the enclosing block ends
	// line is the number of line breaks before the offset counted, for
	// problems.
	counted, line int
}

func newConverter(text string, s *grammar.Scan, refs Refs, problems *[]Problem) *converter {
	clean := utf8.ValidString(text) && strings.IndexByte(text, 0) < 0
	return &converter{Scan: s, arena: &arena{}, text: text, clean: clean, refs: refs, problems: problems}
}

// parse is Parse without deriving keys and anchors.
func parse(body []byte, refs Refs) *Document { return parseAs(body, refs, false) }

// parseTraced is like parse and records where everything is written.
func parseTraced(body []byte, refs Refs) *Document { return parseAs(body, refs, true) }

func parseAs(body []byte, refs Refs, traced bool) (doc *Document) {
	defer func() {
		if why := recover(); why != nil {
			defect.Note("markup: a page could not be parsed and is kept as it is", why)
			doc = keptWhole(body, unreadable)
		}
	}()
	doc = &Document{}
	if len(body) == 0 {
		return doc
	}
	if hasTooManyLines(body) {
		return keptWhole(body, tooMany)
	}
	root, s := read(body)
	c := newConverter(string(body), s, refs, &doc.Problems)
	c.trace = traced
	count := 0
	starts, blocks := make([]int, 0, root.ChildCount()), make([]ast.Node, 0, root.ChildCount())
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		blocks = append(blocks, n)
		starts = append(starts, lineStart(body, firstOffset(n)))
	}
	items := group(root)
	for _, i := range items {
		if k := i.node.Kind(); k == ast.KindLinkReferenceDefinition || k == grammar.KindFootnote {
			continue // definitions stay between the blocks
		}
		limit := len(body)
		if i.to+1 < len(starts) {
			limit = max(starts[i.to+1], starts[i.from])
		}
		sp := trimSpan(body, starts[i.from], limit)
		c.limit = limit
		nodes := c.topLevel(i, blocks, sp)
		if count += countNodesAndLeaves(nodes); count > maxNodes {
			return keptWhole(body, tooMany)
		}
		if doc.Nodes == nil && len(nodes) > 0 {
			doc.Nodes, doc.Spans = make([]*Node, 0, len(items)), make([]Span, 0, len(items))
		}
		doc.add(nodes, sp)
	}
	return doc
}

func (d *Document) isKeptWhole() bool {
	return len(d.Problems) > 0 && (d.Problems[0].Message == tooMany || d.Problems[0].Message == unreadable)
}

func hasTooManyLines(body []byte) bool {
	if len(body) < grammar.MaxBlank {
		return false
	}
	lines, blank, before := 0, 0, false
	for line := range bytes.Lines(body) {
		isBlank := len(bytes.TrimLeft(line, " \t\r\n>")) == 0
		if !isBlank {
			lines++
		} else if before {
			blank++
		}
		before = isBlank
	}
	return lines > grammar.MaxLines || blank > grammar.MaxBlank
}

// countNodesAndLeaves counts nodes and leaves as Decode does.
func countNodesAndLeaves(nodes []*Node) int {
	n := 0
	for _, k := range nodes {
		n += 1 + len(k.Leaves) + countNodesAndLeaves(k.Nodes) + countNodesAndLeaves(k.Fragments)
	}
	return n
}

// topLevel returns the nodes of an item. An item that is nested too deeply is
// kept verbatim.
func (c *converter) topLevel(i *item, blocks []ast.Node, sp Span) []*Node {
	c.tooDeep = false
	for _, n := range blocks[i.from : i.to+1] {
		c.tooDeep = c.tooDeep || c.Deep[n]
	}
	if !c.tooDeep {
		place := len(c.open)
		c.item(i)
		if nodes := c.since(place); !c.tooDeep {
			return nodes
		}
	}
	c.problem(sp.Start, fmt.Sprintf("blocks are nested more than %d levels deep; they are kept as they are", grammar.MaxDepth))
	return []*Node{indentedRaw(string(c.Source[sp.Start:sp.End]))}
}

// add appends nodes with their span. If the span overlaps the previous one
// because they share a line, both get the union of the two.
func (d *Document) add(nodes []*Node, sp Span) {
	if k := len(d.Spans); k > 0 && sp.Start < d.Spans[k-1].End {
		before := d.Spans[k-1]
		sp = Span{before.Start, max(before.End, sp.End)}
		for j := k - 1; sp != before && j >= 0 && d.Spans[j] == before; j-- {
			d.Spans[j] = sp
		}
	}
	for _, n := range nodes {
		d.Nodes = append(d.Nodes, n)
		d.Spans = append(d.Spans, sp)
	}
}

func (c *converter) problem(off int, message string) {
	if c.nested > 0 {
		return
	}
	if off < c.counted {
		c.counted, c.line = 0, 0
	}
	off = min(off, len(c.Source))
	c.line += bytes.Count(c.Source[c.counted:off], []byte("\n"))
	c.counted = off
	if len(*c.problems) < grammar.MaxProblems {
		*c.problems = append(*c.problems, Problem{Line: c.line + 1, Column: columnOf(c.Source, off), Message: message})
	}
}

// columnOf returns how many characters of its line are before an offset, from 1.
func columnOf(source []byte, off int) int {
	return utf8.RuneCount(source[lineStart(source, off):off]) + 1
}

// firstOffset returns an offset on the first line of a block.
func firstOffset(n ast.Node) int {
	switch n := n.(type) {
	case *extast.Table:
		if row := n.FirstChild(); row != nil && row.FirstChild() != nil && row.FirstChild().Lines().Len() > 0 {
			return row.FirstChild().Lines().At(0).Start
		}
	case *ast.Paragraph, *ast.TextBlock, *ast.HTMLBlock, *ast.CodeBlock, *ast.Heading, *ast.LinkReferenceDefinition,
		*grammar.RawBlock, *grammar.TagBlock, *grammar.ElementBlock:
		if n.Lines().Len() > 0 {
			return n.Lines().At(0).Start
		}
	}
	return max(n.Pos(), 0)
}

func lineStart(b []byte, off int) int {
	return bytes.LastIndexByte(b[:min(off, len(b))], '\n') + 1
}

// trimSpan returns the span without the trailing blank lines and the final line
// break. Spaces and tabs at the end of the last line are kept.
func trimSpan(b []byte, start, end int) Span {
	e := start + len(bytes.TrimRight(b[start:end], " \t\r\n"))
	for e < end && (b[e] == ' ' || b[e] == '\t') {
		e++
	}
	return Span{start, e}
}

// value returns the text of a segment.
func (c *converter) value(s text.Segment) string {
	if s.Padding > 0 || s.ForceNewline {
		return string(s.Value(c.Source))
	}
	return c.text[s.Start:s.Stop]
}

// valid is like the function valid, for text from the source. It skips the
// conversion if the whole source is clean.
func (c *converter) valid(s string) string {
	if c.clean {
		return s
	}
	return syntax.Valid(s)
}

// textOf joins lines. It avoids a copy if they are contiguous, which is the
// usual case.
func (c *converter) textOf(lines []text.Segment) string {
	whole := true
	for i, l := range lines {
		whole = whole && l.Padding == 0 && !l.ForceNewline && (i == 0 || l.Start == lines[i-1].Stop)
	}
	if whole && len(lines) > 0 {
		return c.text[lines[0].Start:lines[len(lines)-1].Stop]
	}
	var b strings.Builder
	for _, l := range lines {
		b.Write(l.Value(c.Source))
	}
	return b.String()
}

// sub parses a source that is inside this one, like the content of a tag that
// is written on one line.
func (c *converter) sub(source string, where places) []*Node {
	const deepest = 8
	if c.nested >= deepest {
		return []*Node{rawNode(source)}
	}
	root, s := read([]byte(source))
	if len(s.Deep) > 0 {
		return []*Node{rawNode(source)}
	}
	inner := newConverter(source, s, c.refs, c.problems)
	inner.arena, inner.inNote, inner.nested, inner.level = c.arena, c.inNote, c.nested+1, c.level
	inner.trace, inner.inner, inner.where = c.trace, true, where
	nodes := inner.children(root)
	c.tooDeep = c.tooDeep || inner.tooDeep
	return nodes
}

// children returns the nodes of the blocks in a container.
func (c *converter) children(parent ast.Node) []*Node {
	if hasTags(parent) {
		return c.convert(group(parent))
	}
	place := len(c.open)
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		limit := c.limitTo(n.NextSibling())
		c.item(&item{node: n})
		c.limit = limit
	}
	return c.since(place)
}

// Filled returns nodes, or one empty paragraph if there are none, so that a
// container has a place to write.
func Filled(nodes []*Node) []*Node {
	if len(nodes) == 0 {
		return []*Node{paragraphNode(nil)}
	}
	return nodes
}

const rawIntegration, rawKind = "octavo", "raw"

// rawNode returns a block that keeps source verbatim, without leading spaces
// and tabs.
func rawNode(source string) *Node { return indentedRaw(strings.TrimLeft(source, " \t")) }

func indentedRaw(source string) *Node {
	return &Node{Object: ObjectBlock, Type: "integration", Data: map[string]any{
		"integration": rawIntegration, "block": rawKind,
		"props": map[string]any{"source": cleanSource(source)},
	}}
}

// cleanSource returns source in a form that a node can hold. It removes all
// carriage returns before a line break: a remaining one would become part of
// the line break in the next parse.
func cleanSource(s string) string {
	return strings.TrimRight(syntax.Valid(lineEnds.ReplaceAllString(s, "\n")), " \t\r\n")
}

var lineEnds = regexp.MustCompile(`\r+\n`)

func blockNode(typ string, data map[string]any, nodes ...*Node) *Node {
	return &Node{Object: ObjectBlock, Type: typ, Data: data, Nodes: nodes}
}

// NewBlock returns a block without attributes.
func NewBlock(typ string, nodes ...*Node) *Node { return blockNode(typ, nil, nodes...) }

// NewText returns a text without marks.
func NewText(s string) *Node { return textNode(Leaf{Text: s}) }

func inlineNode(typ string, data map[string]any) *Node {
	return &Node{Object: ObjectInline, Type: typ, Data: data}
}

func textNode(leaves ...Leaf) *Node {
	if len(leaves) == 0 {
		leaves = []Leaf{{}}
	}
	return &Node{Object: ObjectText, Leaves: leaves}
}

func fragmentNode(fragment, typ string, nodes []*Node) *Node {
	return &Node{Object: ObjectFragment, Fragment: fragment, Type: typ, Nodes: nodes}
}

// paragraphNode returns a paragraph of inlines. An empty list becomes an empty
// text.
func paragraphNode(inlines []*Node) *Node {
	if len(inlines) == 0 {
		inlines = []*Node{textNode()}
	}
	return blockNode("paragraph", nil, inlines...)
}

// dataRef reads a reference. It is a Ref, or the JSON object of one in data
// from a client that was not checked.
func dataRef(v any) (docs.Ref, bool) {
	switch r := v.(type) {
	case docs.Ref:
		return r, r.Kind != ""
	case map[string]any:
		ref := docs.Ref{
			Kind: str(r, "kind"), File: str(r, "file"), URL: str(r, "url"), Anchor: str(r, "anchor"),
			Page: str(r, "page"), User: str(r, "user"), Collection: str(r, "collection"),
			ReusableContent: str(r, "reusableContent"), Spec: str(r, "spec"), Tag: str(r, "tag"), Space: str(r, "space"),
		}
		return ref, ref.Kind != ""
	}
	return docs.Ref{}, false
}

// readGrammar is a variable, because tests compare the grammars.
var readGrammar = grammar.Read

// read parses a source with the grammar.
func read(source []byte) (ast.Node, *grammar.Scan) { return readGrammar(source, isKnownTag) }
