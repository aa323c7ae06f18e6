// Package yamldoc parses YAML that people wrote, and edits it. All YAML except
// OpenAPI descriptions is parsed here: with a limit of the size, as a single
// document, without anchors and aliases, and with the line of every error.
package yamldoc

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Error is the reason why a document cannot be read.
type Error struct {
	Line   int // from 1; 0 for the document as a whole
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// Parse returns the root of the single document in src. It is null if src is
// empty or has only comments. Every error is an *Error.
func Parse(src []byte, maxBytes int) (*yaml.Node, error) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if len(src) > maxBytes {
		return nil, &Error{0, fmt.Sprintf("it is larger than %d KB", maxBytes>>10)}
	}
	var doc, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(src))
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: nullTag}, nil
	}
	if err == nil {
		if err = d.Decode(&more); err == nil {
			return nil, &Error{more.Line, "it has more than one YAML document"}
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, parseError(err)
	}
	root := doc.Content[0]
	if a := findAnchor(root); a != nil {
		return nil, &Error{a.Line, "anchors and aliases are not allowed; repeat the value"}
	}
	return root, nil
}

var errorLine = regexp.MustCompile(`^line (\d+): `)

func parseError(err error) *Error {
	e := &Error{1, strings.TrimPrefix(err.Error(), "yaml: ")} // the parser does not name line 1 in its errors
	if m := errorLine.FindStringSubmatch(e.Reason); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.Reason = e.Reason[len(m[0]):]
	}
	return e
}

// findAnchor returns the first anchor or alias, or nil. They are rejected because
// a few lines of aliases can expand to billions of values.
func findAnchor(n *yaml.Node) *yaml.Node {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return n
	}
	for _, c := range n.Content {
		if a := findAnchor(c); a != nil {
			return a
		}
	}
	return nil
}

// Encode returns the YAML of a document with the given root, indented by two
// spaces. Characters such as emoji are written as they are; the encoder would
// write their numbers.
func Encode(root *yaml.Node) ([]byte, error) {
	signs := signsOf(root)
	if len(signs) > 0 {
		root = withSigns(root, signs)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(root), e.Close()); err != nil {
		return nil, err
	}
	if len(signs) == 0 {
		return b.Bytes(), nil
	}
	back := make(map[rune]rune, len(signs))
	for r, sign := range signs {
		back[sign] = r
	}
	return bytes.Map(func(r rune) rune { return cmp.Or(back[r], r) }, b.Bytes()), nil
}

// signsOf returns a character for private use for each character of a document
// that the encoder would write as a number. It returns nil if there are none, or
// too many.
func signsOf(root *yaml.Node) map[rune]rune {
	const firstSign, lastSign = 0xe000, 0xf8ff
	used, signs := map[rune]bool{}, map[rune]rune{}
	eachText(root, func(n *yaml.Node) {
		for _, r := range n.Value {
			if r > 0xffff {
				signs[r] = 0
			} else if r >= firstSign && r <= lastSign {
				used[r] = true
			}
		}
	})
	next := rune(firstSign)
	for _, r := range slices.Sorted(maps.Keys(signs)) {
		for used[next] {
			next++
		}
		if next > lastSign {
			return nil
		}
		signs[r] = next
		next++
	}
	return signs
}

func eachText(n *yaml.Node, f func(*yaml.Node)) {
	if utf8.ValidString(n.Value) {
		f(n)
	}
	for _, k := range n.Content {
		eachText(k, f)
	}
}

// withSigns returns a copy of a document with other characters.
func withSigns(n *yaml.Node, signs map[rune]rune) *yaml.Node {
	c := *n
	if utf8.ValidString(n.Value) {
		c.Value = strings.Map(func(r rune) rune { return cmp.Or(signs[r], r) }, n.Value)
	}
	c.Content = make([]*yaml.Node, len(n.Content))
	for i, k := range n.Content {
		c.Content[i] = withSigns(k, signs)
	}
	return &c
}
