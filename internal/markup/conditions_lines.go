package markup

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

var (
	inlineExpression = regexp.MustCompile(`<code class="expression">(.*?)</code>`)

	conditionLine = regexp.MustCompile(`^\s*\{%\s*(if\s+\S.*?|endif)\s*%\}\s*$`)
	fenceLine     = regexp.MustCompile("^[\\s>*+-]*(```+|~~~+)")
	literalText   = regexp.MustCompile("``[^`].*?``|`[^`]*`|\\{%[ \t]*raw[ \t]*%\\}.*?\\{%[ \t]*endraw[ \t]*%\\}")
)

// strayTags returns the lines of a source with condition tags that are not
// blocks. WithoutStrayConditions removes these tags together with the content
// that they apply to. Tags without an end or a beginning are not returned: they
// are in doc.Problems. doc must be the document that was parsed from source.
func strayTags(source []byte, doc *Document) []Problem {
	if WithoutStrayConditions(doc) == doc {
		return nil
	}
	var out []Problem
	tagLines(source, func(number int, line string) {
		if conditionTag.MatchString(line) && (!conditionLine.MatchString(line) || len(conditionTag.FindAllStringIndex(line, 2)) > 1) {
			out = append(out, Problem{Line: number, Message: "the tag of a condition must be {% if … %} or {% endif %} alone in its line; readers do not see what this one is meant for"})
		}
	})
	return out
}

// UnreadExpressions returns the lines of a source with condition tags that are not
// blocks, and with conditions and expressions that cannot be read. It returns no
// tags without an end or a beginning: they are in doc.Problems.
func UnreadExpressions(source []byte, doc *Document) []Problem {
	out := strayTags(source, doc)
	if !conditionTag.Match(source) && !inlineExpression.Match(source) {
		return out
	}
	tagLines(source, func(number int, line string) {
		if m := conditionLine.FindStringSubmatch(line); m != nil && m[1] != "endif" {
			if _, err := expr.Parse(strings.TrimSpace(strings.TrimPrefix(m[1], "if"))); err != nil {
				out = append(out, Problem{Line: number, Message: "the condition cannot be read (" + err.Error() + "); readers do not see what it is meant for"})
			}
		}
		for _, m := range inlineExpression.FindAllStringSubmatch(line, -1) {
			if _, err := expr.Parse(m[1]); err != nil {
				out = append(out, Problem{Line: number, Message: "the expression cannot be read (" + err.Error() + "); readers see nothing in its place"})
			}
		}
	})
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// UnreadConditions is UnreadExpressions with the condition tags that have no end or
// no beginning.
func UnreadConditions(source []byte, doc *Document) []Problem {
	out := UnreadExpressions(source, doc)
	for _, p := range doc.Problems {
		if conditionTag.MatchString(p.Message) {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b Problem) int { return cmp.Compare(a.Line, b.Line) })
	return out
}

// tagLines calls fn for the lines of a source that are neither code nor literal,
// with inline code and inline literal text removed.
func tagLines(source []byte, fn func(number int, line string)) {
	literals := syntax.NewOutline(source).Literals
	fence, number, offset, literal := "", 0, 0, 0
	for line := range strings.Lines(string(source)) {
		number++
		at := syntax.SkipPrefix(source, offset, offset+len(line))
		if offset += len(line); at < literal {
			continue
		}
		if m := fenceLine.FindStringSubmatch(line); m != nil && strings.HasPrefix(m[1], fence) {
			if fence == "" {
				fence = m[1]
			} else {
				fence = ""
			}
			continue
		}
		if fence == "" {
			literal = max(literal, literals[at])
			fn(number, literalText.ReplaceAllString(line, ""))
		}
	}
}
