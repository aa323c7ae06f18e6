package markup

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	"golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
	"github.com/octavo-docs/octavo/internal/names"
)

// Mistakes returns the parts of a source that a person should check: those that the parser
// found, conditions and expressions that cannot be read, and what is open at the end of the
// page. doc must be the document that was parsed from source.
func Mistakes(source []byte, doc *Document) []Problem {
	if doc.isKeptWhole() {
		return doc.Problems
	}
	open, swallowed := unfinished(source)
	out := slices.DeleteFunc(slices.Clone(doc.Problems), func(p Problem) bool {
		return p.lacks != "" && strings.Contains(swallowed, p.lacks) // its end is in code that is not closed
	})
	out = slices.Concat(out, UnreadExpressions(source, doc), open)
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column)) })
	return out
}

// misspelled reports an attribute of a tag that is almost a known one. Attributes of other
// programs are no mistakes.
func (c *converter) misspelled(name string, piece *grammar.TagPiece) bool {
	var known []string
	if form := tagsByName[name]; form != nil {
		known = form.attributes
	}
	for _, a := range syntax.ReadAttributes(piece.Tag.Args) {
		if known == nil || slices.Contains(known, a.Name) || !syntax.AttributeName.MatchString(a.Name) {
			continue
		}
		if near := names.Nearest(a.Name, known); near != "" {
			at := max(strings.Index(piece.Source, a.Name), 0)
			c.problem(piece.At+at, fmt.Sprintf("{%% %s %%} has no attribute %s; did you mean %s?", piece.Tag.Name, a.Name, near))
			return true
		}
	}
	return false
}

var (
	closableTag = regexp.MustCompile(`(?i)<(/?)(details|table|figure)(?:\s[^<>]*)?>`)
	footnoteTag = regexp.MustCompile(`\[\^[^\s\[\]]+\]:?`)
)

// unfinished returns the elements that are not closed, uses of footnotes that are not
// defined, and code that goes on to the end of the page, with the text of that code.
func unfinished(source []byte) (out []Problem, code string) {
	if !mayBeUnfinished(source) {
		return nil, ""
	}
	u := &unfinishedFinder{source: source}
	root, scan := read(source)
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering && n.Type() == ast.TypeBlock {
			u.block(n)
		}
		return ast.WalkContinue, nil
	})
	u.elements()
	for label, off := range scan.Undefined {
		u.add(off, fmt.Sprintf("there is no footnote [^%s]: begin a line with [^%s]: and its text", label, label))
	}
	return u.out, u.open
}

// mayBeUnfinished reports whether it is worth to read a source again: its tags do not pair,
// a fence has no end, or a footnote seems to have no definition.
func mayBeUnfinished(source []byte) bool {
	fence, open := "", 0
	for line := range strings.Lines(string(source)) {
		m := fenceLine.FindStringSubmatchIndex(line)
		switch {
		case m != nil && fence == "":
			fence = line[m[2]:m[3]]
		case m != nil && strings.HasPrefix(line[m[2]:], fence) && strings.TrimSpace(line[m[3]:]) == "":
			fence = ""
		case fence == "" && strings.Contains(line, "<"):
			for _, tag := range closableTag.FindAllString(line, -1) {
				if tag[1] == '/' {
					open--
				} else {
					open++
				}
			}
		}
	}
	return open > 0 || fence != "" || lacksNotes(source)
}

func lacksNotes(source []byte) bool {
	defined := map[string]bool{}
	tags := footnoteTag.FindAllString(string(source), -1)
	for _, t := range tags {
		if label, ok := strings.CutSuffix(t, ":"); ok {
			defined[label] = true
		}
	}
	return slices.ContainsFunc(tags, func(t string) bool { return !defined[strings.TrimSuffix(t, ":")] })
}

type unfinishedFinder struct {
	source []byte
	out    []Problem
	open   string     // the code that goes on to the end of the page
	starts []closable // opening tags, in their order
	code   []Span     // that is closed
}

type closable struct {
	at   int
	name string
}

func (u *unfinishedFinder) add(off int, message string) {
	if len(u.out) < grammar.MaxProblems {
		line := bytes.Count(u.source[:off], []byte("\n")) + 1
		u.out = append(u.out, Problem{Line: line, Column: columnOf(u.source, off), Message: message})
	}
}

func (u *unfinishedFinder) block(n ast.Node) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		u.fence(n)
	case *ast.CodeBlock:
		u.code = append(u.code, linesSpan(n))
	case *ast.HTMLBlock:
		if n.HTMLBlockType == ast.HTMLBlockType6 || n.HTMLBlockType == ast.HTMLBlockType7 { // the others are code and comments
			u.tags(n)
		}
	case *grammar.ElementBlock:
		u.tags(n)
	}
}

// fence reports code without an end. Its tags are no tags.
func (u *unfinishedFinder) fence(n *ast.FencedCodeBlock) {
	start := firstOffset(n)
	span := linesSpan(n)
	if span.End == 0 {
		span.End = len(u.source)
		if i := bytes.IndexByte(u.source[start:], '\n'); i >= 0 {
			span.End = start + i + 1
		}
		span.Start = span.End
	}
	if len(bytes.TrimSpace(u.source[span.End:])) > 0 {
		u.code = append(u.code, span)
		return
	}
	fence := bytes.TrimLeft(u.source[start:], " \t")
	length := len(fence) - len(bytes.TrimLeft(fence, string(fence[:1])))
	u.open = string(u.source[span.Start:span.End])
	u.add(start, fmt.Sprintf("the code has no end and goes on to the end of the page: put a line %s behind it", fence[:length]))
}

func linesSpan(n ast.Node) Span {
	if n.Lines().Len() == 0 {
		return Span{}
	}
	return Span{n.Lines().At(0).Start, n.Lines().At(n.Lines().Len() - 1).Stop}
}

// tags collects the opening tags of a block of HTML.
func (u *unfinishedFinder) tags(n ast.Node) {
	lines := n.Lines()
	z := html.NewTokenizer(bytes.NewReader(lines.Value(u.source)))
	line, inLine := 0, 0
	for tt := z.Next(); tt != html.ErrorToken; tt = z.Next() {
		raw := z.Raw()
		length := len(raw)
		if name, _ := z.TagName(); tt == html.StartTagToken && (string(name) == "details" || string(name) == "table" || string(name) == "figure") {
			u.starts = append(u.starts, closable{lines.At(line).Start + inLine - lines.At(line).Padding, string(name)})
		}
		for inLine += length; line+1 < lines.Len(); line++ {
			l := lines.At(line)
			width := len(l.Value(u.source))
			if inLine < width {
				break
			}
			inLine -= width
		}
	}
}

// elements reports the opening tags without an end.
func (u *unfinishedFinder) elements() {
	var ends []closable
	code := u.code
	for _, m := range closableTag.FindAllSubmatchIndex(u.source, -1) {
		for len(code) > 0 && code[0].End <= m[0] {
			code = code[1:]
		}
		if m[2] < m[3] && (len(code) == 0 || m[0] < code[0].Start) {
			ends = append(ends, closable{m[0], strings.ToLower(string(u.source[m[4]:m[5]]))})
		}
	}
	open := map[string][]closable{}
	for _, s := range u.starts {
		for len(ends) > 0 && ends[0].at < s.at {
			open[ends[0].name] = withoutLast(open[ends[0].name])
			ends = ends[1:]
		}
		open[s.name] = append(open[s.name], s)
	}
	for _, e := range ends {
		open[e.name] = withoutLast(open[e.name])
	}
	for _, list := range open {
		for _, s := range list {
			u.add(s.at, fmt.Sprintf("<%s> is not closed: put </%s> behind what is in it", s.name, s.name))
		}
	}
}

func withoutLast[T any](list []T) []T { return list[:max(len(list)-1, 0)] }
