package markup

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Limits of the parser. Content beyond them is kept verbatim and reported.
const (
	// maxDepth is how many blocks may be open inside each other.
	maxDepth = 64
	// maxTableCells is how many cells one table may have.
	maxTableCells = 20_000
	// maxInlineMarks is how many characters with a meaning one paragraph may
	// hold: matching them is more than linear.
	maxInlineMarks = 4_000
	// maxLines is how many lines with text one source may have. Each may be a
	// block, and a document of more than maxNodes is none that a client could
	// send.
	maxLines = maxNodes
	// maxBlank is how many blank lines may follow a blank one. The library
	// remembers each as often as there are blocks around it.
	maxBlank = 10_000
	// maxUses is how often one footnote may be used: each use carries its
	// body.
	maxUses = 32
	// maxProblems is how many problems of one source are reported.
	maxProblems = 100
	// maxElements is how many tags one piece of HTML may have.
	maxElements = 5 * maxTableCells
)

// Grammars read Markdown into goldmark's tree; they have no state of their
// own. One that looks for addresses at every word takes a third longer, so
// that is for sources that need it.
var (
	grammar     = newGrammar(schemeParser{})
	wordGrammar = newGrammar(addressParser{})
)

func newGrammar(addresses parser.InlineParser) parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(tagParser{}, 50),
			util.Prioritized(elementParser{}, 60),
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
			util.Prioritized(inlineMathParser{}, 90),
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(footnoteRefParser{}, 150),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(inlineElementParser{}, 350),
			util.Prioritized(parser.NewRawHTMLParser(), 400),
			util.Prioritized(parser.NewEmphasisParser(), 500),
			util.Prioritized(extension.NewStrikethroughParser(), 500),
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

// scan is what one run of the grammar shares.
type scan struct {
	*outline
	source []byte
	mails  bool              // there may be addresses of mail in it
	deep   map[ast.Node]bool // top-level blocks that are nested too deeply
	notes  map[string]*footnoteBlock
	// literal is up to where nothing is a tag.
	literal int
	// unclosed is up to where no end of an element was found.
	unclosed map[string]int
}

var scanKey = parser.NewContextKey()

func scanOf(pc parser.Context) *scan { return pc.Get(scanKey).(*scan) }

// read runs the grammar over a source.
func read(source []byte) (ast.Node, *scan) {
	s := &scan{outline: newOutline(source), source: source, mails: bytes.IndexByte(source, '@') >= 0}
	pc := parser.NewContext()
	pc.Set(scanKey, s)
	g := grammar
	if s.mails || bytes.Contains(source, []byte("www.")) {
		g = wordGrammar
	}
	return g.Parse(text.NewReader(source), parser.WithContext(pc)), s
}

// tooDeep reports whether no further block may be opened, and remembers the
// block of the top level that this happened in.
func tooDeep(pc parser.Context) bool {
	open := pc.OpenedBlocks()
	if len(open) < maxDepth {
		return false
	}
	s := scanOf(pc)
	if s.deep == nil {
		s.deep = map[ast.Node]bool{}
	}
	s.deep[open[0].Node] = true
	return true
}

// shallow keeps a container parser from nesting without end.
type shallow struct{ parser.BlockParser }

func (p shallow) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if tooDeep(pc) {
		return nil, parser.NoChildren
	}
	return p.BlockParser.Open(parent, reader, pc)
}

// rawBlock is source that is kept as it is.
type rawBlock struct {
	ast.BaseBlock
	problem string
}

var kindRaw = ast.NewNodeKind("Raw")

func (*rawBlock) Kind() ast.NodeKind { return kindRaw }
func (*rawBlock) IsRaw() bool        { return true }
func (n *rawBlock) Dump(b []byte, l int) {
	ast.DumpHelper(n, b, l, nil, nil)
}

// heavyTransformer takes paragraphs that would take too long out of the
// inline parser's hands. Before tables are made it looks at single lines,
// which may become rows; after that at whole paragraphs.
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
	case t.rows && pipes > maxTableCells:
		problem = "the table has too many cells; it is kept as it is"
	case t.rows && max(most, definitions) > maxInlineMarks, !t.rows && marks > maxInlineMarks:
		problem = "the paragraph has too many marks; it is kept as it is"
	default:
		return
	}
	raw := &rawBlock{problem: problem}
	raw.SetLines(lines)
	raw.SetPos(node.Pos())
	parent := node.Parent()
	parent.ReplaceChild(parent, node, raw)
}

// tableTransformer makes tables of paragraphs that have a bar somewhere.
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
