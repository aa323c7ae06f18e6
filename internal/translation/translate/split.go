package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/markup"
)

// MaxSegment limits the size of a text in the protected form, in bytes. A longer text is
// not translated.
const MaxSegment = 32 << 10

// Segment is a text of a document that is translated as a unit: the text of a block, or a
// field such as the title of a tab.
type Segment struct {
	// Block is the key of the top-level block that contains the text.
	Block string
	// Text is the protected form.
	Text string

	pieces  []piece
	replace func(text string) error
}

// Renumber returns the text of other, a translation of s, with its placeholders
// renumbered to those of s. It reports false if the two do not have the same protected
// pieces.
func (s *Segment) Renumber(other *Segment) (string, bool) {
	if len(s.pieces) != len(other.pieces) {
		return "", false
	}
	ids := make([]int, len(s.pieces)) // ids of s, by id of other
	taken := make([]bool, len(s.pieces))
	first := 1
	for id := 1; id < len(ids); id++ {
		for first < len(taken) && taken[first] {
			first++
		}
		for j := first; j < len(taken) && ids[id] == 0; j++ {
			if !taken[j] && samePiece(s.pieces[j], other.pieces[id]) {
				ids[id], taken[j] = j, true
			}
		}
		if ids[id] == 0 {
			return "", false
		}
	}
	return placeholder.ReplaceAllStringFunc(other.Text, func(tag string) string {
		var kind byte
		id := 0
		if _, err := fmt.Sscanf(tag, `<%c id="%d"`, &kind, &id); err != nil || id < 1 || id >= len(ids) {
			return tag // the end of a pair
		}
		return strings.Replace(tag, strconv.Itoa(id), strconv.Itoa(ids[id]), 1)
	}), true
}

// Hash returns a hash of the text of a segment. Segments that differ only in protected
// pieces, such as the address of a link, have the same hash.
func (s *Segment) Hash() string { return HashText(s.Text) }

// HashText returns the hash of a text in the protected form.
func HashText(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}

// Replace replaces the text by its translation. It fails and changes nothing if the
// translation does not have all placeholders.
func (s *Segment) Replace(text string) error {
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("the answer is empty")
	}
	return s.replace(text)
}

// Split returns a copy of a document, and its segments in reading order. Replacing a
// segment changes the copy. Headings and tabs whose text is replaced get an explicit
// anchor, so that links to them work in every language.
func Split(doc *markup.Document) (*markup.Document, []*Segment) {
	s := &splitter{}
	out := *doc
	out.Nodes = make([]*markup.Node, len(doc.Nodes))
	for i, n := range doc.Nodes {
		s.block = n.Key
		out.Nodes[i] = s.node(n)
	}
	return &out, s.segments
}

type splitter struct {
	block    string
	segments []*Segment
}

// skipped are the types of blocks whose content is not natural language.
var skipped = map[string]bool{"code": true, "math": true, "integration": true, "swagger": true, "openapi-operation": true, "openapi-webhook": true}

// fieldsOf maps types of nodes to the keys of their data that hold text.
var fieldsOf = map[string][]string{
	"image": {"alt"}, "inline-image": {"alt", "caption"}, "tabs-item": {"title"}, "prompt": {"description"},
	"openapi-schemas": {"title"}, "button": {"label"}, "link": {"title"},
}

// node copies a node with its descendants, and adds their segments.
func (s *splitter) node(n *markup.Node) *markup.Node {
	if skipped[n.Type] && n.Object == markup.ObjectBlock {
		return n
	}
	c := *n
	c.Data = maps.Clone(n.Data)
	s.fields(&c)
	if isText(n.Nodes) {
		s.inlines(&c)
	} else {
		c.Nodes = s.list(n.Nodes)
	}
	c.Fragments = s.list(n.Fragments)
	if n.Type == "table" && n.Object == markup.ObjectBlock {
		s.table(&c)
	}
	return &c
}

func (s *splitter) list(nodes []*markup.Node) []*markup.Node {
	if nodes == nil {
		return nil
	}
	out := make([]*markup.Node, len(nodes))
	for i, n := range nodes {
		out[i] = s.node(n)
	}
	return out
}

// isText reports whether nodes are inlines and not blocks.
func isText(nodes []*markup.Node) bool {
	return slices.ContainsFunc(nodes, func(n *markup.Node) bool {
		return n.Object == markup.ObjectText || n.Object == markup.ObjectInline
	})
}

// inlines adds a segment for the inlines of a block. Fields and fragments of these
// inlines, such as the label of a button or the body of an annotation, are separate
// segments.
func (s *splitter) inlines(c *markup.Node) {
	own := &splitter{block: s.block}
	c.Nodes = own.inner(c.Nodes)
	if hasWords(c.Nodes) {
		p := protect(c.Nodes)
		if len(p.text) <= MaxSegment {
			s.add(p, func(text string) error {
				nodes, err := p.restore(text)
				if err == nil {
					c.Nodes = nodes
					keepAnchor(c)
				}
				return err
			})
		}
	}
	s.segments = append(s.segments, own.segments...)
}

// inner copies inlines. Their texts belong to the segment of the block; their fields and
// fragments become segments of s.
func (s *splitter) inner(nodes []*markup.Node) []*markup.Node {
	out := make([]*markup.Node, len(nodes))
	for i, n := range nodes {
		c := *n
		if n.Object != markup.ObjectText {
			c.Data = maps.Clone(n.Data)
			c.Nodes = s.inner(n.Nodes)
			c.Fragments = s.list(n.Fragments)
			// Restoring the block copies the inline, but not its data.
			s.fields(&c)
		}
		out[i] = &c
	}
	return out
}

// fields adds segments for the texts in the data of a node.
func (s *splitter) fields(c *markup.Node) {
	for _, key := range fieldsOf[c.Type] {
		s.field(c.Data, key, func() { keepAnchor(c) })
	}
}

// field adds a segment for the text with a key of m, unless it has no letters or is too
// long. m must be a copy, because replacing the segment changes it. then is called after
// each replacement.
func (s *splitter) field(m map[string]any, key string, then func()) {
	was, _ := m[key].(string)
	p := protect([]*markup.Node{{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: was}}}})
	if !strings.ContainsFunc(fixed.ReplaceAllString(was, ""), unicode.IsLetter) || len(p.text) > MaxSegment {
		return
	}
	s.add(p, func(text string) error {
		nodes, err := p.restore(text)
		if err == nil {
			m[key] = plain(nodes)
			then()
		}
		return err
	})
}

// plain returns the text of restored inlines without marks.
func plain(nodes []*markup.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		for _, l := range n.Leaves {
			b.WriteString(l.Text)
		}
	}
	return b.String()
}

// table adds segments for the titles of columns and the labels of options. It skips
// titles that are also fragments, which are those with more than plain text.
func (s *splitter) table(c *markup.Node) {
	was := c.Map(markup.FieldDefinition)
	if was == nil {
		return
	}
	definition := make(map[string]any, len(was))
	for _, id := range slices.Sorted(maps.Keys(was)) {
		column, ok := was[id].(map[string]any)
		if !ok {
			definition[id] = was[id]
			continue
		}
		column = maps.Clone(column)
		definition[id] = column
		if !slices.ContainsFunc(c.Fragments, func(f *markup.Node) bool { return f.Fragment == "title-"+id }) {
			s.field(column, "title", func() {})
		}
		options, ok := column["options"].([]any)
		if !ok {
			continue
		}
		options = slices.Clone(options)
		column["options"] = options
		for i, o := range options {
			option, ok := o.(map[string]any)
			if !ok {
				continue
			}
			option = maps.Clone(option)
			options[i] = option
			s.field(option, "label", func() {})
		}
	}
	c.Data["definition"] = definition
}

// keepAnchor makes the anchor explicit that a heading or a tab has by its text.
func keepAnchor(c *markup.Node) {
	id, _ := c.Meta["id"].(string)
	own := markup.FieldSlug
	switch {
	case c.HeadingLevel() > 0:
		own = markup.FieldID
	case c.Type != "tabs-item":
		return
	}
	if id != "" && c.Str(own) == "" {
		c.SetStr(own, id)
	}
}

func (s *splitter) add(p protected, replace func(string) error) {
	s.segments = append(s.segments, &Segment{Block: s.block, Text: p.text, pieces: p.pieces, replace: replace})
}

// Line returns a segment for a text without blocks, such as a title. It returns nil if
// the text has no words. Replacing the segment calls set with the translation.
func Line(text string, set func(string)) *Segment {
	m := map[string]any{"": text}
	s := &splitter{}
	s.field(m, "", func() { set(m[""].(string)) })
	if len(s.segments) == 0 {
		return nil
	}
	return s.segments[0]
}
