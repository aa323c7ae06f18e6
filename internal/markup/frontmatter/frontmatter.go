// Package frontmatter parses and rewrites the head of a page's source: its front
// matter, which is YAML between lines of dashes, and the heading that is its
// title. It does not change the body and does not parse Markdown: the caller
// provides a function that returns the text of a title.
//
// Where a change goes:
//   - a key of front matter: Meta and its reader in meta.go, its writer in changes.go; a
//     field of docs.Page if pages keep it
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// MaxSize is the maximum size of front matter in bytes. Larger front matter is a
// problem.
const MaxSize = 64 << 10

// Head is the part of a source before the body: the front matter and the heading
// that is the title of the page.
type Head struct {
	Meta Meta
	// Title is the title in the front matter, otherwise the text of a leading
	// heading of level 1, otherwise empty.
	Title string
	// Emoji is the emoji at the start of the title heading.
	Emoji string
	// Body is the offset of the body, which begins with a line that is not blank.
	Body     int
	Problems []Problem

	front   front
	heading titleHeading
}

// HasFrontMatter reports whether the source begins with front matter that could
// be read.
func (h Head) HasFrontMatter() bool { return h.front.root != nil }

// InlineText returns the text of one line of inline Markdown as a reader sees it.
// It is markup.InlineText except in tests. It is a parameter because this package
// would otherwise depend on a Markdown parser.
type InlineText func(markdown string) string

// Problem is a defect in the head that a person should look at.
type Problem struct {
	Line    int // from 1
	Message string
}

// span is a half-open range of bytes.
type span struct{ start, end int }

// front is the position of the front matter.
type front struct {
	block span       // including both lines of dashes
	yaml  span       // the text between the lines of dashes
	root  *yaml.Node // a mapping; nil if there is no front matter that can be read
}

// Parse parses the head of a source. It never fails: front matter that cannot be
// read is a problem and remains part of the body, so that it is visible. If such
// front matter seems to have a condition, Meta has one that is never true.
func Parse(src []byte, text InlineText) Head {
	var h Head
	start := 0
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	next, broken := start, false
	if f, ok := findFront(src, start); ok {
		var wrong *yamldoc.Error
		if root, err := parseFront(src[f.yaml.start:f.yaml.end]); errors.As(err, &wrong) {
			// YAML counts a single carriage return as the end of a line; editors do
			// not.
			line := min(wrong.Line+1, bytes.Count(src[:f.block.end], []byte("\n"))+1)
			h.Problems = append(h.Problems, Problem{line, "the front matter cannot be read: " + wrong.Reason})
			broken = true
			if brokenCondition.Match(src[f.yaml.start:f.yaml.end]) {
				h.hide(line)
			}
		} else {
			f.root = root
			h.front = f
			h.readMeta()
			h.checkCondition(src[f.yaml.start:f.yaml.end])
		}
		next = f.block.end
	} else {
		if unclosed(src, start) {
			h.Problems = append(h.Problems, Problem{1, "the front matter has no closing line of three dashes"})
		}
		if line := strayCondition(src, start); line > 0 {
			h.hide(line)
		}
	}

	heading, found := findTitle(src, next, text)
	h.Title = h.Meta.Title
	if found {
		picture, rest := emoji.Split(heading.text)
		switch h.Meta.Title {
		case "":
			h.Title, h.Emoji = rest, picture
		case heading.text:
		case rest:
			h.Emoji = picture
		default:
			found = false // the page has another title, so this heading is content
		}
	}
	switch {
	case broken:
		h.Body = start
	case found:
		h.heading = heading
		h.Body = afterBlank(src, heading.span.end)
		if len(heading.text) > maxTitle {
			h.Problems = append(h.Problems, Problem{lineNumber(src, heading.span.start), fmt.Sprintf("the title is longer than %d bytes; the rest is left out", maxTitle)})
		}
	default:
		h.Body = afterBlank(src, next)
	}
	h.Title = CleanTitle(h.Title)
	return h
}

// findFront returns the position of front matter that begins at the offset start.
func findFront(src []byte, start int) (front, bool) {
	first := afterLine(src, start)
	if !isDashes(src[start:first]) {
		return front{}, false
	}
	for at := first; at < len(src); {
		end := afterLine(src, at)
		if isDashes(src[at:end]) {
			return front{block: span{start, end}, yaml: span{first, at}}, true
		}
		at = end
	}
	return front{}, false
}

func isDashes(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) && len(bytes.TrimRight(line, " \t\r\n")) == 3
}

var keyLine = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*:(\s|$)`)

// unclosed reports whether a source begins with front matter that has no end, and
// not with a divider.
func unclosed(src []byte, start int) bool {
	first := afterLine(src, start)
	return isDashes(src[start:first]) && keyLine.Match(src[first:afterLine(src, first)])
}

// parseFront returns front matter as a mapping, which may be empty. Every error
// is a *yamldoc.Error; its line is counted from the line after the dashes.
func parseFront(text []byte) (*yaml.Node, error) {
	if !utf8.Valid(text) {
		good := 0
		for r, n := utf8.DecodeRune(text); r != utf8.RuneError || n > 1; r, n = utf8.DecodeRune(text[good:]) {
			good += n
		}
		return nil, &yamldoc.Error{Line: lineNumber(text, good), Reason: "it is not UTF-8"}
	}
	root, err := yamldoc.Parse(text, MaxSize)
	if err != nil {
		return nil, err
	}
	if yamldoc.IsNull(root) && root.Value == "" {
		return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, &yamldoc.Error{Line: root.Line, Reason: "it is not a list of keys with values"}
	}
	for key := range yamldoc.Pairs(root) {
		if !yamldoc.IsText(key) {
			return nil, &yamldoc.Error{Line: key.Line, Reason: "a key must be a text"}
		}
	}
	return root, nil
}

// afterLine returns the offset of the line after the one that contains at.
func afterLine(src []byte, at int) int {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

// afterBlank returns the offset of the first line from at on that is not blank.
func afterBlank(src []byte, at int) int {
	for at < len(src) {
		end := afterLine(src, at)
		if len(bytes.Trim(src[at:end], " \t\r\n")) > 0 {
			return at
		}
		at = end
	}
	return at
}

// lineNumber returns the number of the line that contains an offset, from 1.
func lineNumber(src []byte, offset int) int {
	return bytes.Count(src[:offset], []byte("\n")) + 1
}
