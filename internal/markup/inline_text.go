package markup

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/inline"
)

// ParseHead parses the head of a source: its front matter and its title.
func ParseHead(src []byte) frontmatter.Head { return frontmatter.Parse(src, InlineText) }

// RewriteHead returns a source with another head, see frontmatter.Rewrite.
func RewriteHead(src []byte, m frontmatter.Meta, title, emoji string) []byte {
	return frontmatter.Rewrite(src, InlineText, m, title, emoji)
}

const (
	// maxInline is the length of a line in bytes up to which InlineText parses it;
	// a longer line is returned unchanged.
	maxInline = 2200
	// maxBrackets is the number of opening brackets in a line up to which
	// InlineText parses it, because parsing thousands of them takes long.
	maxBrackets = 32
)

var inlineParser = parser.NewParser(
	parser.WithBlockParsers(util.Prioritized(parser.NewParagraphParser(), 1)),
	parser.WithInlineParsers(
		util.Prioritized(parser.NewCodeSpanParser(), 100),
		util.Prioritized(parser.NewLinkParser(), 200),
		util.Prioritized(parser.NewAutoLinkParser(), 300),
		util.Prioritized(parser.NewRawHTMLParser(), 400),
		util.Prioritized(grammar.DelimiterParser{InlineParser: parser.NewEmphasisParser()}, 500),
		util.Prioritized(grammar.DelimiterParser{InlineParser: extension.NewStrikethroughParser()}, 500),
	),
)

// InlineText returns the text of one line of inline Markdown as a reader sees it:
// without marks, with the text of links and the description of images.
func InlineText(src string) string {
	if len(src) > maxInline || strings.Count(src, "[")-strings.Count(src, `\[`) > maxBrackets {
		return src
	}
	if !strings.ContainsAny(src, "\\`*_[<&~!") {
		return src
	}
	source := []byte(src)
	var out strings.Builder
	_ = ast.Walk(inlineParser.Parse(text.NewReader(source)), func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			if _, ok := n.Parent().(*ast.CodeSpan); ok || n.IsRaw() {
				out.Write(n.Segment.Value(source))
			} else {
				out.WriteString(inline.Unescape(string(n.Segment.Value(source))))
			}
			if n.SoftLineBreak() || n.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.String:
			out.Write(n.Value)
		case *ast.AutoLink:
			out.Write(n.Label(source))
		case *ast.RawHTML:
			if tag := n.Segments.Value(source); bytes.HasPrefix(bytes.ToLower(tag), []byte("<br")) {
				out.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}
