package frontmatter

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/markup/inline"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// Rewrite returns src with a head that has the values of m, title and emoji. The
// body is not changed, and neither is any line of the head that need not change:
// the order of keys, comments, quotes, unknown keys, and the title heading with
// its marks are preserved. If nothing changes, Rewrite returns src itself.
//
// The title is normalized by CleanTitle, and a page without a title has no emoji.
// Rewrite also returns src if the new head could not be read back, which happens
// only for front matter beyond MaxSize.
func Rewrite(src []byte, text InlineText, m Meta, title, picture string) []byte {
	e := headEdit{src: src, inlineText: text, old: Parse(src, text), meta: m.clean(), title: CleanTitle(title), emoji: picture}
	if e.title == "" || !emoji.Is(picture) {
		e.emoji = ""
	}
	e.eol = "\n"
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		e.eol = "\r\n"
	}
	if e.correct(src) {
		return src
	}
	// The ways to write the head, in the order of how much they change.
	for _, place := range []titlePlace{asBefore, plainHeading, alsoInFront, emptyHeading} {
		for _, form := range []frontForm{changedLines, quotedLines, wholeBlock} {
			if out := e.compose(place, form); e.correct(out) {
				return out
			}
		}
	}
	return src
}

// titlePlace is where and how the title is written.
type titlePlace int

const (
	asBefore     titlePlace = iota // where it was, otherwise as a heading
	plainHeading                   // like asBefore, but without the marks of the old heading
	alsoInFront                    // also in the front matter, because the heading alone would be misread
	emptyHeading                   // no title, before a body that begins with a heading
)

// frontForm is how front matter is written.
type frontForm int

const (
	changedLines frontForm = iota
	quotedLines            // like changedLines, but with texts in quotes
	wholeBlock             // the whole block is encoded again
)

type headEdit struct {
	src        []byte
	inlineText InlineText
	old        Head
	meta       Meta
	title      string
	emoji      string
	eol        string
}

// correct reports whether out has the requested head and preserves the rest of
// the old source.
func (e *headEdit) correct(out []byte) bool {
	h := Parse(out, e.inlineText)
	if h.Title != e.title || h.Emoji != e.emoji || !h.Meta.equal(e.meta) || !bytes.Equal(out[h.Body:], e.src[e.old.Body:]) {
		return false
	}
	changed := e.changes(changedLines, true)
	return slices.EqualFunc(untouched(e.old.front.root, changed), untouched(h.front.root, changed), sameNode)
}

// untouched returns the keys and values that do not change.
func untouched(root *yaml.Node, changed map[string]*yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for key, value := range yamldoc.Pairs(root) {
		if _, ok := changed[key.Value]; !ok {
			out = append(out, key, value)
		}
	}
	return out
}

func sameNode(a, b *yaml.Node) bool {
	if yamldoc.IsNull(a) && yamldoc.IsNull(b) {
		return true // null has several notations
	}
	return a.Kind == b.Kind && a.Tag == b.Tag && a.Value == b.Value && slices.EqualFunc(a.Content, b.Content, sameNode)
}

// compose returns the source with the new head.
func (e *headEdit) compose(place titlePlace, form frontForm) []byte {
	var out []byte
	start := 0
	if bytes.HasPrefix(e.src, []byte("\ufeff")) {
		start = len("\ufeff")
	}
	out = append(out, e.src[:start]...)
	body := e.src[e.old.Body:]

	f, h := e.old.front, e.old.heading
	block := e.frontBlock(place, form)
	out = append(out, block...)
	// The text between the front matter and the heading is preserved.
	gap := e.src[start:e.old.Body]
	switch {
	case f.block.end > 0 && h.span.end > 0:
		gap = e.src[f.block.end:h.span.start]
	case f.block.end > 0:
		gap = e.src[f.block.end:e.old.Body]
	case h.span.end > 0:
		gap = e.src[start:h.span.start]
	}
	heading := e.headingLine(place)
	if len(block) > 0 && (f.block.end == 0 || len(heading) > 0 && h.span.end == 0 && len(gap) == 0) {
		gap = []byte(e.eol)
	}
	if len(block) == 0 && f.block.end > 0 {
		gap = nil
	}
	if len(heading) == 0 && len(body) == 0 && f.block.end == 0 {
		gap = nil
	}
	out = append(out, gap...)
	if len(heading) > 0 {
		if n := len(out); n > start && out[n-1] != '\n' {
			out = append(out, e.eol...)
		}
		if n := len(e.src); h.span.end == n && n > 0 && e.src[n-1] != '\n' {
			heading = bytes.TrimRight(heading, "\r\n") // the source had no final line end
		}
		out = append(out, heading...)
		behind := []byte(e.eol)
		if h.span.end > 0 {
			behind = e.src[h.span.end:e.old.Body]
		}
		if len(body) > 0 || h.span.end > 0 {
			out = append(out, behind...)
		}
	}
	return append(out, body...)
}

// headingLine returns the title heading with its line end, or nil.
func (e *headEdit) headingLine(place titlePlace) []byte {
	h := e.old.heading
	had := h.span.end > 0
	if had && place == asBefore && e.title == e.old.Title && e.emoji == e.old.Emoji {
		return e.src[h.span.start:h.span.end]
	}
	if e.title == "" {
		if place == emptyHeading {
			return []byte("#" + e.eol)
		}
		return nil
	}
	if !had && e.emoji == "" && (e.old.Meta.Title != "" || place == alsoInFront) {
		return nil // the front matter has the title
	}
	text := inline.Escape(e.title)
	if h.anchor != "" {
		text += " " + h.anchor
	}
	if !had || place != asBefore {
		return []byte("# " + emoji.Join(e.emoji, text, "") + e.eol)
	}
	content := string(e.src[h.content.start:h.content.end])
	if e.title == e.old.Title {
		text = strings.TrimLeft(strings.TrimPrefix(content, e.old.Emoji), " \t")
	}
	return slices.Concat(e.src[h.span.start:h.content.start], []byte(emoji.Join(e.emoji, text, content)), e.src[h.content.end:h.span.end])
}

// frontBlock returns the front matter with its lines of dashes, or nil.
func (e *headEdit) frontBlock(place titlePlace, form frontForm) []byte {
	f := e.old.front
	changed := e.changes(form, place == alsoInFront)
	if len(changed) == 0 {
		return e.src[f.block.start:f.block.end]
	}
	if f.block.end == 0 {
		text := e.encode(ordered(changed))
		if len(text) == 0 {
			return nil
		}
		return slices.Concat([]byte("---"+e.eol), text, []byte("---"+e.eol))
	}
	var text []byte
	edited := false
	if form != wholeBlock {
		text, edited = e.editLines(changed)
	}
	if !edited {
		text = e.encode(e.merged(changed))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	return slices.Concat(e.src[f.block.start:f.yaml.start], text, e.src[f.yaml.end:f.block.end])
}

// editLines replaces the lines of changed keys. It returns false if a key does
// not begin a line.
func (e *headEdit) editLines(changed map[string]*yaml.Node) ([]byte, bool) {
	root := e.old.front.root
	text := e.src[e.old.front.yaml.start:e.old.front.yaml.end]
	lines := yamlLines(text)
	if root.Style&yaml.FlowStyle != 0 {
		return nil, false
	}
	column := 1
	if len(root.Content) > 0 {
		column = root.Content[0].Column
	}
	indent := strings.Repeat(" ", column-1)
	var out []byte
	next := 0 // first line that is not written yet
	seen := map[string]bool{}
	for i := 0; i < len(root.Content); i += 2 {
		key := root.Content[i]
		first, limit := key.Line-1, len(lines)
		if i+2 < len(root.Content) {
			limit = root.Content[i+2].Line - 1
		}
		if key.Column != column || first < next || first >= limit || limit > len(lines) || len(bytes.TrimLeft(lines[first], " "))+column-1 != len(lines[first]) {
			return nil, false
		}
		value, ok := changed[key.Value]
		if !ok {
			continue
		}
		last := limit
		for last > first+1 && isBetween(lines[last-1], column) {
			last--
		}
		out = append(out, slices.Concat(lines[next:first]...)...)
		if value != nil && !seen[key.Value] {
			out = append(out, e.indented(key, value, indent)...)
		}
		seen[key.Value] = true
		next = last
	}
	out = append(out, slices.Concat(lines[next:]...)...)
	for key, value := range yamldoc.Pairs(ordered(changed)) {
		if !seen[key.Value] {
			out = append(out, e.indented(key, value, indent)...)
		}
	}
	return out, true
}

// isBetween reports whether a line does not belong to a key: it is blank, or a
// comment that is not indented more than the keys.
func isBetween(line []byte, column int) bool {
	text := bytes.TrimLeft(line, " \t")
	rest := bytes.TrimRight(text, "\r\n")
	return len(rest) == 0 || rest[0] == '#' && len(line)-len(text) < column
}

// yamlLines splits a text into the lines that YAML counts, with their ends.
func yamlLines(text []byte) [][]byte {
	var out [][]byte
	start := 0
	for i := 0; i < len(text); {
		n := 0
		switch {
		case bytes.HasPrefix(text[i:], []byte("\r\n")):
			n = 2
		case text[i] == '\n' || text[i] == '\r':
			n = 1
		case bytes.HasPrefix(text[i:], []byte("\u0085")):
			n = 2
		case bytes.HasPrefix(text[i:], []byte("\u2028")), bytes.HasPrefix(text[i:], []byte("\u2029")):
			n = 3
		}
		if n == 0 {
			i++
			continue
		}
		i += n
		out = append(out, text[start:i])
		start = i
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

func (e *headEdit) indented(key, value *yaml.Node, indent string) []byte {
	plain := *key
	plain.HeadComment, plain.FootComment = "", "" // comments are on separate lines
	text := e.encode(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{&plain, value}})
	if indent == "" {
		return text
	}
	var out []byte
	for _, l := range bytes.SplitAfter(text, []byte("\n")) {
		if len(l) > 0 {
			out = append(append(out, indent...), l...)
		}
	}
	return out
}

// encode returns a mapping as YAML with the line ends of the source.
func (e *headEdit) encode(n *yaml.Node) []byte {
	if len(n.Content) == 0 {
		return nil
	}
	b, err := yamldoc.Encode(n)
	if err != nil {
		return nil // correct rejects the result
	}
	return bytes.ReplaceAll(b, []byte("\n"), []byte(e.eol))
}

// merged returns the old mapping with the changes.
func (e *headEdit) merged(changed map[string]*yaml.Node) *yaml.Node {
	root := &yaml.Node{Kind: yaml.MappingNode}
	done := map[string]bool{}
	for key, was := range yamldoc.Pairs(e.old.front.root) {
		now, ok := changed[key.Value]
		switch {
		case !ok:
			root.Content = append(root.Content, key, was)
		case now != nil && !done[key.Value]:
			root.Content = append(root.Content, key, now)
		}
		done[key.Value] = true
	}
	for key, value := range yamldoc.Pairs(ordered(changed)) {
		if !done[key.Value] {
			root.Content = append(root.Content, key, value)
		}
	}
	return root
}

// keyOrder is the order of new keys.
var keyOrder = []string{
	"title", "linkTitle", "description", "icon", "id", "hidden", "noIndex", "noRobotsIndex", "if", "tags", "vars",
	"cover", "coverY", "coverHeight", "layout", "metaLinks",
}

// ordered returns the changes that do not delete a key as a mapping.
func ordered(changed map[string]*yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, k := range keyOrder {
		if changed[k] != nil {
			n.Content = append(n.Content, yamldoc.String(k, 0), changed[k])
		}
	}
	return n
}

// sortedNames returns the names of variables in order.
func sortedNames(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
