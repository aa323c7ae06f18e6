package frontmatter

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// never is a condition that is false for all readers: a condition that cannot be
// read must not show the page to everybody.
const never = "false"

// maxStrayLines is the maximum number of lines that are searched for a condition
// if a source begins like front matter but has none.
const maxStrayLines = 200

var (
	// brokenCondition matches a condition in front matter that is not valid YAML.
	brokenCondition = regexp.MustCompile(`(?i)(?:^|[\s\p{Z}\x{FEFF}{\[,?-])["']?if["']?[\s\p{Z}]*:`)
	// unreadCondition matches a condition that YAML parses as a part of another
	// value, such as "if:x" without a space. Indented lines are not matched,
	// because they can be ordinary text.
	unreadCondition = regexp.MustCompile(`(?im)^\x{FEFF}?["']?if["']?[ \t\p{Z}]*:`)
	strayLine       = regexp.MustCompile(`(?i)^(?:-[ \t]+)?[{\[]?["']?if["']?[\s\p{Z}]*:`)
	strayDashes     = regexp.MustCompile(`^-{3,}$`)
	strayEnd        = regexp.MustCompile("^(?:-{3,}|\\.{3}$|```|~~~)")
)

// condition reads an expression. YAML parses an expression that begins with an
// exclamation mark as a tag. A key without a value is not a condition.
func (r metaReader) condition(key string, n *yaml.Node) string {
	switch {
	case yamldoc.IsText(n), yamldoc.IsNull(n):
		return r.Text(key, n)
	case n.Kind == yaml.ScalarNode && strings.HasPrefix(n.Tag, "!") && !strings.HasPrefix(n.Tag, "!!"):
		return strings.TrimSpace(n.Tag + " " + n.Value)
	}
	r.Problem(n, "%s must be an expression; readers do not see the page until it is one", key)
	return never
}

// hide sets a condition that is never true, because the condition on the given
// line cannot be read.
func (h *Head) hide(line int) {
	h.Meta.If = never
	if !slices.Contains(h.Meta.Keys, "if") {
		h.Meta.Keys = append(h.Meta.Keys, "if")
	}
	h.unread(line, "")
}

// unread reports that the condition of the page on the given line cannot be read. why is the
// reason in parentheses, after a space, if it is known.
func (h *Head) unread(line int, why string) {
	h.Problems = append(h.Problems, Problem{line, "the condition of the page cannot be read" + why + "; readers do not see the page until it can"})
}

// checkCondition hides the page if valid front matter has a condition that cannot
// be read: a second one, or one that is not a key of its own. A condition that is no
// expression hides the page by itself.
func (h *Head) checkCondition(text []byte) {
	exact, similar := 0, 0
	line := 0
	for key := range yamldoc.Pairs(h.front.root) {
		switch {
		case key.Value == "if":
			exact++
		case strings.EqualFold(visible(key.Value), "if"):
			similar++
		default:
			continue
		}
		line = key.Line + 1
	}
	switch {
	case exact > 1, exact == 0 && similar > 0:
		h.hide(line)
	case exact == 1:
		if _, err := expr.Parse(h.Meta.If); err != nil && h.Meta.If != "" {
			h.unread(line, " ("+err.Error()+")")
		}
	case exact == 0:
		if at := unreadCondition.FindIndex(text); at != nil {
			h.hide(lineNumber(text, at[0]) + 1)
		}
	}
}

// visible returns a text without white space and invisible characters.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
}

// strayCondition returns the number of a line that looks like a condition in a
// source that begins like front matter but has none: it has no end, other dashes,
// or text before it. It returns 0 if there is no such line.
func strayCondition(src []byte, start int) int {
	at := start
	next := func() []byte {
		from := at
		at = afterLine(src, at)
		return bytes.TrimFunc(src[from:at], func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsGraphic(r) })
	}
	var line []byte
	for n := 0; n < maxStrayLines && at < len(src) && len(line) == 0; n++ {
		line = next()
	}
	if !strayDashes.Match(line) {
		return 0
	}
	for n := 0; n < maxStrayLines && at < len(src); n++ {
		number := lineNumber(src, at)
		switch line = next(); {
		case strayLine.Match(line):
			return number
		case strayEnd.Match(line):
			return 0
		}
	}
	return 0
}
