package grammar

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// Limits of the parser. Content beyond them is kept verbatim and reported.
const (
	// MaxDepth is the maximum nesting depth of blocks.
	MaxDepth = syntax.MaxDepth
	// MaxTableCells is the maximum number of cells in a table.
	MaxTableCells = 20_000
	// maxInlineMarks is the maximum number of characters with a syntactic
	// meaning in one paragraph. The time for matching them is more than linear.
	maxInlineMarks = 4_000
	// MaxLines is the maximum number of non-blank lines in a source. Each line
	// may be a block, and a client cannot send a document of more nodes.
	MaxLines = 200_000
	// MaxBlank is the maximum number of blank lines that follow a blank line.
	// The library records each of them once per enclosing block.
	MaxBlank = 10_000
	// MaxUses is the maximum number of uses of one footnote. Each use has a
	// copy of its body.
	MaxUses = 32
	// MaxProblems is the maximum number of problems that are reported for a
	// source.
	MaxProblems = 100
	// MaxElements is the maximum number of tags in one piece of HTML.
	MaxElements = 5 * MaxTableCells
)

// The grammars parse Markdown into goldmark's tree. They have no state.
// wordGrammar looks for addresses at every word, which takes a third longer, so
// it is used only for sources that need it.
var (
	grammar     = newGrammar(schemeParser{})
	wordGrammar = newGrammar(addressParser{})
)

func newGrammar(addresses parser.InlineParser) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(tagParser{}, 50),
			util.Prioritized(markerParser{}, 55),
			util.Prioritized(elementParser{}, 60),
			util.Prioritized(shallow{boxParser{}}, 65),
			util.Prioritized(mathParser{}, 70),
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(shallow{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(shallow{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(htmlParser{parser.NewHTMLBlockParser()}, 900),
			util.Prioritized(shallow{footnoteParser{}}, 950),
			util.Prioritized(parser.NewParagraphParser(), 1000),
		),
		parser.WithInlineParsers(
			util.Prioritized(taskParser{extension.NewTaskCheckBoxParser()}, 0),
			util.Prioritized(literalParser{}, 80),
			util.Prioritized(shortcodeParser{}, 85),
			util.Prioritized(inlineMathParser{}, 90),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(footnoteRefParser{}, 150),
			util.Prioritized(looseLinkParser{parser.NewLinkParser()}, 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(inlineElementParser{}, 350),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(DelimiterParser{parser.NewEmphasisParser()}, 500),
			util.Prioritized(DelimiterParser{extension.NewStrikethroughParser()}, 500),
			util.Prioritized(emojiParser{}, 600),
			util.Prioritized(addresses, 999),
		),
		parser.WithParagraphTransformers(
			util.Prioritized(heavyTransformer{rows: true}, 50),
			util.Prioritized(parser.LinkReferenceParagraphTransformer, 100),
			util.Prioritized(tableTransformer{extension.NewTableParagraphTransformer()}, 200),
			util.Prioritized(heavyTransformer{}, 300),
		),
		parser.WithASTTransformers(util.Prioritized(extension.NewTableASTTransformer(), 0)),
	)
}

// Scan is the state of one run of the grammar.
type Scan struct {
	*syntax.Outline
	Source []byte
	known  func(name string) bool // of a tag
	mails  bool                   // the source may contain email addresses
	Deep   map[ast.Node]bool      // top-level blocks that are nested too deeply
	Notes  map[string]*FootnoteBlock
	// Undefined has the offsets of what looks like a use of a footnote that is not there,
	// one for each label.
	Undefined map[string]int
	// Before the offset literal, nothing is a tag.
	literal int
	// unclosed maps an element name to the offset before which the block unclosedIn
	// has no end tag.
	unclosed   map[string]int
	unclosedIn ast.Node
}

var scanKey = parser.NewContextKey()

func scanOf(pc parser.Context) *Scan { return pc.Get(scanKey).(*Scan) }

// Read parses a source. known reports whether a tag is one that becomes a block.
func Read(source []byte, known func(name string) bool) (ast.Node, *Scan) {
	if bytes.IndexByte(source, '@') >= 0 || bytes.Contains(source, []byte("www.")) {
		return ReadByWords(source, known)
	}
	return readAs(grammar, source, known)
}

// ReadByWords is Read with the grammar that looks for an address at every word. It has the
// same result and takes longer.
func ReadByWords(source []byte, known func(name string) bool) (ast.Node, *Scan) {
	return readAs(wordGrammar, source, known)
}

func readAs(g parser.Parser, source []byte, known func(string) bool) (ast.Node, *Scan) {
	s := &Scan{known: known, Outline: syntax.NewOutline(source), Source: source, mails: bytes.IndexByte(source, '@') >= 0}
	pc := parser.NewContext()
	pc.Set(scanKey, s)
	return g.Parse(text.NewReader(source), parser.WithContext(pc)), s
}

// tooDeep reports whether no further block may be opened. If so, it records the
// current top-level block in deep.
func tooDeep(pc parser.Context) bool {
	open := pc.OpenedBlocks()
	if len(open) < MaxDepth {
		return false
	}
	s := scanOf(pc)
	if s.Deep == nil {
		s.Deep = map[ast.Node]bool{}
	}
	s.Deep[open[0].Node] = true
	return true
}

// shallow limits the nesting depth of a container parser.
type shallow struct{ parser.BlockParser }

func (p shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(pc) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// RawBlock is source that is kept verbatim.
type RawBlock struct {
	ast.BaseBlock
	Problem string
}

var kindRaw = ast.NewNodeKind("Raw")

func (*RawBlock) Kind() ast.NodeKind { return kindRaw }
func (*RawBlock) IsRaw() bool        { return true }
func (n *RawBlock) Dump(b []byte, l int) {
	ast.DumpHelper(n, b, l, nil, nil)
}

// heavyTransformer replaces paragraphs that would take the inline parser too
// long by raw blocks. Before tables are parsed (rows), it checks single lines,
// which may become rows. After that, it checks whole paragraphs.
type heavyTransformer struct{ rows bool }

func (t heavyTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	if lines.Len() == 0 || lines.At(lines.Len()-1).Stop-lines.At(0).Start < maxInlineMarks {
		return
	}
	marks, most, pipes, definitions := 0, 0, 0, 0
	for _, l := range lines.Sliced(0, lines.Len()) {
		before := marks
		if reader.Source()[l.Start] == '[' {
			definitions++
		}
		for _, c := range reader.Source()[l.Start:l.Stop] {
			switch c {
			case '*', '_', '~', '[', ']', '<', '`', '$', '!':
				marks++
			case '|':
				pipes++
			}
		}
		most = max(most, marks-before)
	}
	problem := ""
	switch {
	case t.rows && pipes > MaxTableCells:
		problem = "the table has too many cells; it is kept as it is"
	case t.rows && max(most, definitions) > maxInlineMarks, !t.rows && marks > maxInlineMarks:
		problem = "the paragraph has too many marks; it is kept as it is"
	default:
		return
	}
	raw := &RawBlock{Problem: problem}
	raw.SetLines(lines)
	raw.SetPos(node.Pos())
	parent := node.Parent()
	parent.ReplaceChild(parent, node, raw)
}

// tableTransformer parses tables only in paragraphs that contain a vertical
// bar.
type tableTransformer struct{ parser.ParagraphTransformer }

func (t tableTransformer) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines := node.Lines()
	for i := range lines.Len() {
		if l := lines.At(i); bytes.IndexByte(l.Value(reader.Source()), '|') >= 0 {
			t.ParagraphTransformer.Transform(node, reader, pc)
			return
		}
	}
}
