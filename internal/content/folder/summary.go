package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// kind is the kind of an entry of SUMMARY.md.
type kind int

const (
	entryLink     kind = iota // a bullet with a link: a page or an address
	entryPlain                // a bullet without a link
	entryComputed             // a bullet with YAML
	entryGroup                // a heading
	entryRule                 // a thematic break, which ends a group
)

// entry is an entry of SUMMARY.md. It is one line; a computed page has several.
type entry struct {
	kind        kind
	indent      int
	text        string // the visible text, including its emoji
	label       string // the title attribute of the link
	dest        string // with the escapes of Markdown resolved
	slug        string // of a group; empty if it is derived from the title
	computed    map[string]any
	first, last int // half-open range of lines, from 0
}

// line returns the number of the first line, from 1.
func (e entry) line() int { return e.first + 1 }

var (
	headingLine   = regexp.MustCompile(`^(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$`)
	underlineLine = regexp.MustCompile(`^ {0,3}(?:-+|=+)[ \t]*$`)
	fenceStart    = regexp.MustCompile("^(`{3,}|~{3,})[ \t]*([^`]*)$")
	groupAnchor   = regexp.MustCompile(`[ \t]*<a\b[^<>]*\bid="([^"<>]*)"[^<>]*></a>[ \t]*$`)
)

// bullet is the beginning of a list item.
type bullet struct {
	indent, mark, space, content string
}

// splitBullet splits a list item into its bullet and its content. It is called for every
// line, so it does not use a regular expression.
func splitBullet(line string) (bullet, bool) {
	rest := strings.TrimLeft(line, " \t")
	b := bullet{indent: line[:len(line)-len(rest)]}
	n := 0
	switch {
	case rest == "":
		return b, false
	case strings.IndexByte("-*+", rest[0]) >= 0:
		n = 1
	default:
		for n < len(rest) && n < 9 && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		if n == 0 || n == len(rest) || rest[n] != '.' && rest[n] != ')' {
			return b, false
		}
		n++
	}
	b.mark = rest[:n]
	b.content = strings.TrimLeft(rest[n:], " \t")
	b.space = rest[n : len(rest)-len(b.content)]
	return b, b.space != ""
}

func isBullet(line string) bool {
	_, ok := splitBullet(line)
	return ok
}

// isRule reports whether a line is a thematic break: three or more stars, dashes or
// underscores.
func isRule(line string) bool {
	text := strings.TrimRight(strings.TrimLeft(line, " "), " \t")
	if len(line)-len(strings.TrimLeft(line, " ")) > 3 || len(text) < 3 || strings.IndexByte("*-_", text[0]) < 0 {
		return false
	}
	n := 0
	for i := range len(text) {
		switch text[i] {
		case text[0]:
			n++
		case ' ', '\t':
		default:
			return false
		}
	}
	return n >= 3
}

// parseSummary returns the entries of a SUMMARY.md and reports its problems. It skips the
// front matter and the title of the file.
func parseSummary(src []byte, l Limits, report func(line int, code, format string, args ...any)) ([]entry, error) {
	p := summaryParser{lines: splitLines(src), limits: l, report: report}
	if len(p.lines) > 0 {
		p.lines[0] = strings.TrimPrefix(p.lines[0], "\ufeff")
	}
	h := markup.ParseHead(src)
	p.at = bytes.Count(src[:h.Body], []byte("\n"))
	p.entries = make([]entry, 0, min(len(p.lines), l.Entries))
	for p.at < len(p.lines) {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	return p.entries, nil
}

// splitLines splits a text into lines that include their line ends.
func splitLines(src []byte) []string {
	lines := strings.SplitAfter(string(src), "\n")
	if last := len(lines) - 1; lines[last] == "" {
		lines = lines[:last]
	}
	return lines
}

func trimEOL(line string) string { return strings.TrimRight(line, "\r\n") }

type summaryParser struct {
	lines   []string
	at      int
	entries []entry
	limits  Limits
	report  func(line int, code, format string, args ...any)
}

// next parses the element that begins in the current line and advances past it.
func (p *summaryParser) next() error {
	first := p.at
	line := trimEOL(p.lines[first])
	p.at++
	text := strings.TrimSpace(line)
	switch {
	case text == "":
	case len(line) > maxLine:
		p.report(first+1, CodeSummary, "the line is ignored: it is longer than %d bytes", maxLine)
	case strings.HasPrefix(text, "<!--"):
		for rest := text; !strings.Contains(rest, "-->") && p.at < len(p.lines); p.at++ {
			rest = trimEOL(p.lines[p.at])
		}
	case isRule(line):
		return p.add(entry{kind: entryRule, first: first, last: p.at})
	case text[0] == '#' && headingLine.MatchString(text) && strings.Index(line, "#") <= 3:
		m := headingLine.FindStringSubmatch(text)
		if len(m[1]) == 1 && len(p.entries) == 0 {
			return nil // the title of the file
		}
		return p.group(first, m[2])
	case isBullet(line):
		b, _ := splitBullet(line)
		return p.bullet(first, b)
	case fenceStart.MatchString(text):
		p.report(first+1, CodeSummary, "the code block is ignored; the YAML of a computed page belongs into a list item")
		p.fence(fenceStart.FindStringSubmatch(text)[1], 0)
	case line[0] > ' ' && p.at < len(p.lines) && underlineLine.MatchString(trimEOL(p.lines[p.at])):
		p.at++
		return p.group(first, text)
	}
	return nil
}

func (p *summaryParser) add(e entry) error {
	if len(p.entries) >= p.limits.Entries {
		return errs.E(errs.Invalid, "the summary has more than %d entries", p.limits.Entries)
	}
	p.entries = append(p.entries, e)
	return nil
}

func (p *summaryParser) group(first int, text string) error {
	e := entry{kind: entryGroup, first: first, last: p.at}
	if m := groupAnchor.FindStringSubmatch(text); m != nil {
		e.slug = cleanSlug(m[1])
		text = strings.TrimSuffix(text, m[0])
	}
	e.text = frontmatter.CleanTitle(markup.InlineText(text))
	if e.text == "" {
		p.report(first+1, CodeSummary, "a group needs a title")
		return nil
	}
	return p.add(e)
}

func (p *summaryParser) bullet(first int, b bullet) error {
	e := entry{indent: width(b.indent), first: first}
	content := strings.TrimRight(b.content, " \t")
	if fence := fenceStart.FindStringSubmatch(content); fence != nil {
		source := p.fence(fence[1], e.indent+len(b.mark)+len(b.space))
		e.kind, e.last = entryComputed, p.at
		computed, why := parseComputed(source)
		if why != "" {
			p.report(first+1, CodeSummary, "the computed page cannot be read: %s", why)
			e.kind = entryPlain
		}
		e.computed = computed
		return p.add(e)
	}
	e.last = p.at
	text, dest, label, ok := findLink(content)
	if !ok || dest == "" {
		e.kind = entryPlain
		e.text = frontmatter.CleanTitle(markup.InlineText(content))
		p.report(first+1, CodeNoLink, "%q has no link to a page, so it is not shown; the entries below it move up", e.text)
		return p.add(e)
	}
	e.text = frontmatter.CleanTitle(markup.InlineText(text))
	e.label = frontmatter.CleanTitle(inline.Unescape(label))
	e.dest = inline.Unescape(dest)
	return p.add(e)
}

// width returns the width of white space in columns. Tab stops are every four columns.
func width(space string) int {
	n := 0
	for _, c := range space {
		if c == '\t' {
			n += 4 - n%4
		} else {
			n++
		}
	}
	return n
}

// fence returns the text of a fenced code block without the indentation of its list item,
// and advances past the block. As in Markdown, a fence without an end extends to the end
// of the file.
func (p *summaryParser) fence(mark string, indent int) string {
	var b strings.Builder
	for p.at < len(p.lines) {
		line := trimEOL(p.lines[p.at])
		p.at++
		if text := strings.TrimSpace(line); strings.HasPrefix(text, mark) && strings.Trim(text, mark[:1]) == "" {
			break
		}
		cut := 0
		for cut < len(line) && cut < indent && (line[cut] == ' ' || line[cut] == '\t') {
			cut++
		}
		b.WriteString(line[cut:])
		b.WriteByte('\n')
	}
	return b.String()
}

// parseComputed returns the YAML of a computed page as JSON values, or the reason why it
// is invalid.
func parseComputed(source string) (map[string]any, string) {
	n, err := yamldoc.Parse([]byte(source), maxComputed)
	var wrong *yamldoc.Error
	if errors.As(err, &wrong) {
		return nil, wrong.Reason
	}
	var m map[string]any
	if n.Kind != yaml.MappingNode || n.Decode(&m) != nil {
		return nil, "it is not a list of keys with values"
	}
	// Encoding and decoding as JSON leaves only the types that the API has.
	raw, err := json.Marshal(m)
	if err != nil {
		return nil, "it has values that JSON does not know"
	}
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, "it has values that JSON does not know"
	}
	if s, _ := out["type"].(string); s == "" {
		return nil, "it has no type"
	}
	return out, ""
}

// maxAttempts is the maximum number of brackets of a line that are tried as a link.
const maxAttempts = 16

// findLink returns the text, the destination and the title of the first inline link in a
// line of Markdown. Escapes are not resolved.
func findLink(s string) (text, dest, title string, ok bool) {
	var open []int
	attempts := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
			if end := closingRun(s[i+run:], run); end >= 0 {
				i += run + end + run - 1
			} else {
				i += run - 1
			}
		case '[':
			open = append(open, i)
		case ']':
			if len(open) == 0 {
				continue
			}
			start := open[len(open)-1]
			open = open[:len(open)-1]
			image := start > 0 && s[start-1] == '!' && (start < 2 || s[start-2] != '\\')
			if i+1 >= len(s) || s[i+1] != '(' || attempts >= maxAttempts {
				continue
			}
			attempts++
			dest, title, end := linkTarget(s[i+2:])
			switch {
			case end < 0:
			case image:
				i += 1 + end
			default:
				return s[start+1 : i], dest, title, true
			}
		}
	}
	return "", "", "", false
}

// closingRun returns the offset of the first run of exactly n backticks, or -1.
func closingRun(s string, n int) int {
	for i := 0; i < len(s); {
		if s[i] != '`' {
			i++
			continue
		}
		run := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if run == n {
			return i
		}
		i += run
	}
	return -1
}

// linkTarget parses the destination and the title of a link. s begins after the opening
// parenthesis. end is the offset after the closing parenthesis, or -1 if s is not a link.
func linkTarget(s string) (dest, title string, end int) {
	i := 0
	space := func() bool {
		was := i
		for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
			i++
		}
		return i > was
	}
	space()
	if i < len(s) && s[i] == '<' {
		start := i + 1
		for i++; i < len(s) && s[i] != '>'; i++ {
			switch s[i] {
			case '\\':
				i++
			case '<':
				return "", "", -1
			}
		}
		if i >= len(s) {
			return "", "", -1
		}
		dest = s[start:i]
		i++
	} else {
		start, depth := i, 0
	scan:
		for ; i < len(s); i++ {
			switch s[i] {
			case '\\':
				if i+1 < len(s) && isPunct(s[i+1]) {
					i++
				}
			case '(':
				depth++
			case ')':
				if depth == 0 {
					break scan
				}
				depth--
			case ' ', '\t':
				break scan
			}
		}
		if i > len(s) || depth != 0 {
			return "", "", -1
		}
		dest = s[start:i]
	}
	if space() && i < len(s) && strings.IndexByte(`"'(`, s[i]) >= 0 {
		quote := s[i]
		if quote == '(' {
			quote = ')'
		}
		start := i + 1
		for i++; i < len(s) && s[i] != quote; i++ {
			if s[i] == '\\' {
				i++
			}
		}
		if i >= len(s) {
			return "", "", -1
		}
		title = s[start:i]
		i++
		space()
	}
	if i >= len(s) || s[i] != ')' {
		return "", "", -1
	}
	return dest, title, i + 1
}

func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}
