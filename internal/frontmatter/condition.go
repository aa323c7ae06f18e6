package frontmatter

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/yamldoc"
)

// never is a condition that does not hold for anybody: a condition that cannot
// be read must not show the page to everybody.
const never = "false"

// maxStrayLines is how many lines are searched for a condition where a source
// begins like front matter that it does not have.
const maxStrayLines = 200

var (
	// brokenCondition finds a condition in front matter that cannot be read.
	brokenCondition = regexp.MustCompile(`(?i)(?:^|[\s\p{Z}\x{FEFF}{\[,?-])["']?if["']?[\s\p{Z}]*:`)
	// unreadCondition finds one that YAML reads as a part of something else,
	// such as "if:x" without a blank. Indented lines can be somebody's text.
	unreadCondition = regexp.MustCompile(`(?im)^\x{FEFF}?["']?if["']?[ \t\p{Z}]*:`)
	strayLine       = regexp.MustCompile(`(?i)^(?:-[ \t]+)?[{\[]?["']?if["']?[\s\p{Z}]*:`)
	strayDashes     = regexp.MustCompile(`^-{3,}$`)
	strayEnd        = regexp.MustCompile("^(?:-{3,}|\\.{3}$|```|~~~)")
)

// condition reads an expression. One that begins with an exclamation mark is a
// tag in YAML. A key without a value is no condition.
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

// hide sets a condition that never holds, in place of the one on a line.
func (h *Head) hide(line int) {
	h.Meta.If = never
	if !slices.Contains(h.Meta.Keys, "if") {
		h.Meta.Keys = append(h.Meta.Keys, "if")
	}
	h.Problems = append(h.Problems, Problem{line, "the condition of the page cannot be read; readers do not see the page until it can"})
}

// checkCondition hides the page if front matter that can be read has a condition
// that cannot: a second one, or one that is no key of its own.
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
	case exact == 0:
		if at := unreadCondition.FindIndex(text); at != nil {
			h.hide(lineNumber(text, at[0]) + 1)
		}
	}
}

// visible returns a text without blanks and characters that nobody sees.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsGraphic(r) {
			return -1
		}
		return r
	}, s)
}

// strayCondition returns the number of the line that looks like a condition in a
// source that begins like front matter and has none: it has no end, other
// dashes, or something in front of it. Without such a line it returns 0.
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
