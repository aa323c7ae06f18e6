package markup

import (
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// Limits of a document that a client sends. They are far above the size of pages
// that people write and far below the size that would overload the server.
const (
	maxDocument = 16 << 20         // bytes of JSON
	maxText     = 8 << 20          // bytes of all strings that are kept
	maxValues   = 2_000_000        // JSON values, in data too
	maxNodes    = grammar.MaxLines // blocks, inlines, texts, leaves and fragments
	maxNesting  = 256              // nodes in nodes, of every kind
	maxCells    = 50_000           // cells of all tables
	maxMarks    = 16               // of one leaf
	maxLine     = 64 << 10         // bytes of a title, a name, a path
	maxURL      = 8 << 10          // bytes of an address or an id in a reference
	maxSpan     = 50               // rows or columns that one cell covers

	// Nested blocks: the limit of the parser (grammar.MaxDepth), and a few more for blocks
	// in cells and notes.
	maxBlockDepth = grammar.MaxDepth + 8

	// A node is an object in a list, so it is two levels of JSON. Its data may be
	// nested a little deeper.
	maxJSONDepth = 2*maxNesting + 32
)

// Decode reads a document that a client sent. An error names the path of the
// invalid value, beginning with the given path. Meta is set by the service only
// and is not read.
func Decode(path string, raw []byte) (*Document, error) {
	return decodeAs(path, raw, nil)
}

// DecodeEdit reads a document that may be an edited version of another one. It
// accepts unsafe addresses in references. The caller must call CheckAddresses
// with the edited document.
func DecodeEdit(path string, raw []byte) (*Document, error) {
	unsafeAddresses := []unsafeAddress{}
	doc, err := decodeAs(path, raw, &unsafeAddresses)
	if err == nil {
		doc.unsafeAddresses = unsafeAddresses
	}
	return doc, err
}

func decodeAs(path string, raw []byte, unsafeAddresses *[]unsafeAddress) (*Document, error) {
	d := &decoder{raw: raw, at: []step{{path, -1}}, unsafeAddresses: unsafeAddresses}
	if len(raw) > maxDocument {
		return nil, d.fail("must have at most %s", errs.Size(maxDocument))
	}
	if !utf8.Valid(raw) {
		return nil, d.fail("must be UTF-8")
	}
	if !json.Valid(raw) {
		return nil, d.fail("is not valid JSON")
	}
	root, err := d.value(0)
	if err != nil {
		return nil, err
	}
	m, ok := root.(map[string]any)
	if !ok || m["object"] != "document" {
		return nil, d.failAt("object", `must be "document"`)
	}
	if v, given := m["data"]; given && v != nil {
		if _, ok := v.(map[string]any); !ok {
			return nil, d.failAt("data", "must be an object")
		}
	}
	nodes, err := d.nodes(m, parentType{name: "the document", holds: holdsBlocks}, depth{1, 0})
	if err != nil {
		return nil, err
	}
	return &Document{Nodes: nodes}, nil
}

// decoder reads one document. Its position is a stack, so that a path is
// formatted only for an error.
type decoder struct {
	raw    []byte
	off    int // current offset in raw
	at     []step
	values int
	count  int // nodes
	text   int
	cells  int
	// unsafeAddresses collects unsafe addresses for CheckAddresses; if nil, they are
	// rejected.
	unsafeAddresses *[]unsafeAddress
}

// step is a key, or an index if index is not negative.
type step struct {
	key   string
	index int
}

func (d *decoder) enter(key string) { d.at = append(d.at, step{key, -1}) }
func (d *decoder) enterIndex(i int) { d.at = append(d.at, step{"", i}) }
func (d *decoder) leave()           { d.at = d.at[:len(d.at)-1] }

// spend adds n bytes to the kept text and returns an error above the limit.
func (d *decoder) spend(n int) error {
	if d.text += n; d.text > maxText {
		return d.fail("brings the document over %s of text; split the page", errs.Size(maxText))
	}
	return nil
}

func (d *decoder) fail(format string, args ...any) error {
	var b strings.Builder
	for i, s := range d.at {
		if s.index >= 0 {
			fmt.Fprintf(&b, "[%d]", s.index)
			continue
		}
		if i > 0 && b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(short(s.key))
	}
	return errs.Field(b.String(), format, args...)
}

func (d *decoder) failAt(key, format string, args ...any) error {
	d.enter(key)
	return d.fail(format, args...)
}

// short truncates text of a client, so that it does not make the response long.
func short(s string) string { return docs.ClipBytes(s, 80) }

func quoted(s string) string { return strconv.Quote(short(s)) }

// object reads an object with the given fields. A null is treated as absent. If
// closed is true, other keys are rejected.
func (d *decoder) object(v any, closed bool, fields fields) (map[string]any, error) {
	in, ok := v.(map[string]any)
	if !ok {
		return nil, d.fail("must be an object")
	}
	for key, f := range sortedPairs(fields) {
		if f.required && in[key] == nil {
			return nil, d.failAt(key, "is required")
		}
	}
	var out map[string]any
	for key, v := range sortedPairs(in) {
		if v == nil {
			continue
		}
		d.enter(key)
		if f, known := fields[key]; known {
			kept, err := f.read(d, v)
			if err != nil {
				return nil, err
			}
			v = kept
		} else if closed {
			return nil, d.fail("is not known here")
		}
		if out == nil {
			out = make(map[string]any, len(in))
		}
		out[key] = v
		d.leave()
	}
	return out, nil
}

// sortedPairs iterates over a map in the order of its keys, so that the first
// error of a document is always the same one.
func sortedPairs[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			if !yield(k, m[k]) {
				return
			}
		}
	}
}

// parentType describes the parent of the nodes that are read.
type parentType struct {
	name  string
	holds holds
	parts []string
}

// nodes reads the list of nodes of an object, which is required.
func (d *decoder) nodes(m map[string]any, in parentType, at depth) ([]*Node, error) {
	d.enter("nodes")
	if m["nodes"] == nil {
		return nil, d.fail("is required")
	}
	list, ok := m["nodes"].([]any)
	if !ok {
		return nil, d.fail("must be a list")
	}
	var out []*Node
	for i, v := range list {
		d.enterIndex(i)
		n, err := d.node(v, in, at)
		if err != nil {
			return nil, err
		}
		out = append(out, n)
		d.leave()
	}
	d.leave()
	return out, nil
}

// depth is the nesting depth of a node, in nodes of every kind and in blocks.
type depth struct{ nodes, blocks int }

func (d depth) below() depth { return depth{d.nodes + 1, d.blocks} }

func (d *decoder) node(v any, in parentType, at depth) (*Node, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, d.fail("must be an object")
	}
	if in.holds == holdsBlocks {
		at.blocks++
	}
	if at.nodes > maxNesting || at.blocks > maxBlockDepth {
		return nil, d.fail("is nested too deeply: at most %d blocks in blocks", maxBlockDepth)
	}
	if err := d.countNode(); err != nil {
		return nil, err
	}
	object, _ := m["object"].(string)
	want, types := ObjectBlock, blockTypes
	if in.holds == holdsInlines {
		want, types = ObjectInline, inlineTypes
		if object == ObjectText {
			return d.textNode(m)
		}
	}
	if object != want {
		return nil, d.failAt("object", "is %s, but %s holds a %s here", quoted(object), in.name, want)
	}
	n := &Node{Object: object, Key: nodeKey(m)}
	n.Type, _ = m["type"].(string)
	t := types[n.Type]
	switch {
	case t == nil:
		return nil, d.failAt("type", "is %s, which is not a type of %s", quoted(n.Type), want)
	case len(in.parts) > 0 && !slices.Contains(in.parts, n.Type):
		return nil, d.failAt("type", "is %s, but %s holds %s", quoted(n.Type), in.name, strings.Join(in.parts, ", "))
	case len(in.parts) == 0 && t.partOf != "":
		return nil, d.failAt("type", "is %s, which is allowed in %s only", quoted(n.Type), t.partOf)
	}
	if v, given := m["isVoid"]; given && v != t.void {
		return nil, d.failAt("isVoid", "must be %t for %s", t.void, n.Type)
	}

	d.enter("data")
	data := m["data"]
	if data == nil {
		data = map[string]any{}
	}
	var err error
	if n.Data, err = d.object(data, t.closed, t.fields); err != nil {
		return nil, err
	}
	d.leave()
	if t.read != nil {
		t.read(n.Data)
	}
	if t.void {
		if list, _ := m["nodes"].([]any); len(list) > 0 {
			return nil, d.failAt("nodes", "is not allowed in %s, which is void", n.Type)
		}
	} else if n.Nodes, err = d.nodes(m, parentType{n.Type, t.holds, t.parts}, at.below()); err != nil {
		return nil, err
	}
	if t.single && len(n.Nodes) != 1 {
		return nil, d.failAt("nodes", "must be exactly one %s", t.parts[0])
	}
	names, err := d.fragments(n, t, m["fragments"], at.below())
	if err == nil && t.cells {
		err = d.checkTable(n.Data, names)
	}
	return n, err
}

// fragments reads the rich parts of a node and returns their names.
func (d *decoder) fragments(n *Node, t *nodeType, v any, at depth) (map[string]bool, error) {
	d.enter("fragments")
	if n.Object == ObjectInline {
		at.blocks = 0 // a note is not nested in the blocks around its line
	}
	list, ok := v.([]any)
	if v != nil && !ok {
		return nil, d.fail("must be a list")
	}
	if len(list) > 0 && len(t.fragments) == 0 && !t.cells {
		return nil, d.fail("is not allowed in %s", n.Type)
	}
	names := make(map[string]bool, len(list))
	for i, v := range list {
		d.enterIndex(i)
		f, err := d.fragment(v, at)
		if err != nil {
			return nil, err
		}
		name := f.Fragment
		if !t.cells {
			if name = slotName(t, f); name == "" {
				return nil, d.failAt("fragment", "is %s, which %s does not have", quoted(f.Fragment), n.Type)
			}
		}
		if name == "" || names[name] {
			return nil, d.failAt("fragment", "must be a name that no other fragment of this block has")
		}
		names[name] = true
		n.Fragments = append(n.Fragments, f)
		d.leave()
	}
	for _, s := range t.fragments {
		if s.required && !names[s.name] {
			return nil, d.fail("must have the fragment %s", s.name)
		}
	}
	d.leave()
	return names, nil
}

func (d *decoder) fragment(v any, at depth) (*Node, error) {
	m, ok := v.(map[string]any)
	if !ok || m["object"] != ObjectFragment {
		return nil, d.failAt("object", "must be %q", ObjectFragment)
	}
	if at.nodes > maxNesting {
		return nil, d.fail("is nested more than %d deep", maxNesting)
	}
	if err := d.countNode(); err != nil {
		return nil, err
	}
	f := &Node{Object: ObjectFragment, Key: nodeKey(m)}
	for key, to := range sortedPairs(map[string]*string{"fragment": &f.Fragment, "type": &f.Type}) {
		if m[key] == nil {
			continue
		}
		d.enter(key)
		s, err := readLine(d, m[key])
		if err != nil {
			return nil, err
		}
		*to = s.(string)
		d.leave()
	}
	var err error
	f.Nodes, err = d.nodes(m, parentType{name: "a fragment", holds: holdsBlocks}, at.below())
	return f, err
}

// slotName returns the slot that a fragment fills, by its name or by its type.
func slotName(t *nodeType, f *Node) string {
	for _, s := range t.fragments {
		if s.name == f.Fragment || f.Fragment == "" && s.name == f.Type {
			return s.name
		}
	}
	return ""
}

func (d *decoder) countNode() error {
	if d.count++; d.count > maxNodes {
		return d.fail("brings the document over %d nodes; split the page", maxNodes)
	}
	return nil
}

// maxKey is the maximum length of a key.
const maxKey = 64

// isKey reports whether a text has the form of a key.
func isKey(s string) bool {
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '_' || c == '-') {
			return false
		}
	}
	return s != "" && len(s) <= maxKey
}

// nodeKey returns the key of a node, or an empty string if it does not have the
// form of a key. Such a node gets a new key when it is stored.
func nodeKey(m map[string]any) string {
	if key, _ := m["key"].(string); isKey(key) {
		return key
	}
	return ""
}
