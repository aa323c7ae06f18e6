package markup

import (
	"bytes"
	"encoding/json"
)

// Document is a page as a tree of blocks.
type Document struct {
	Nodes []*Node
	// Spans are where the blocks stand in the source that was parsed, one per
	// node; nil for a document that did not come from Parse.
	Spans []Span
	// Problems are what the parser could not read as it was meant.
	Problems []Problem
}

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Problem is something in a source that a person should look at.
type Problem struct {
	Line    int // from 1
	Message string
}

// Kinds of nodes.
const (
	ObjectBlock    = "block"
	ObjectInline   = "inline"
	ObjectText     = "text"
	ObjectFragment = "fragment"
)

// Node is a block, an inline, a text or a fragment.
type Node struct {
	Object   string
	Type     string // of blocks, inlines and some fragments
	Key      string
	Fragment string         // the slot of a fragment in its block
	Data     map[string]any // JSON values; references are Ref
	Nodes    []*Node
	// Fragments hold the rich parts of a void block.
	Fragments []*Node
	Leaves    []Leaf         // of a text
	Meta      map[string]any // read-only for clients

	written []written // destinations of Data's references, from Parse
}

// Leaf is a run of text with the same marks.
type Leaf struct {
	Text  string
	Marks []Mark
	// Raw is inline HTML that is kept as it was written.
	Raw bool
}

// Mark is a style of text.
type Mark struct {
	Type string            `json:"type"`
	Data map[string]string `json:"data,omitempty"`
}

// Ref points to a page, a file, an address or another thing. Kind names the
// one field that counts; Space and Page are relative when they are empty.
type Ref struct {
	Kind            string `json:"kind"`
	File            string `json:"file,omitempty"`
	URL             string `json:"url,omitempty"`
	Anchor          string `json:"anchor,omitempty"`
	Page            string `json:"page,omitempty"`
	User            string `json:"user,omitempty"`
	Collection      string `json:"collection,omitempty"`
	ReusableContent string `json:"reusableContent,omitempty"`
	Spec            string `json:"spec,omitempty"`
	Tag             string `json:"tag,omitempty"`
	Space           string `json:"space,omitempty"`
}

// Kinds of references.
const (
	RefFile       = "file"
	RefURL        = "url"
	RefPage       = "page"
	RefAnchor     = "anchor"
	RefUser       = "user"
	RefCollection = "collection"
	RefSpace      = "space"
	RefReusable   = "reusable-content"
	RefOpenAPI    = "openapi"
	RefTag        = "tag"
)

// Use says what a destination in a source is for, which decides what it can
// name.
type Use string

// Uses of destinations.
const (
	UseLink    Use = "link"    // a link, a mention, a button, a content reference
	UseImage   Use = "image"   // an image, a cover, a drawing
	UseFile    Use = "file"    // a file block
	UseInclude Use = "include" // a reusable content
)

// Refs connects destinations as they are written with what they name. Both
// functions may be nil: then every destination is an address.
type Refs struct {
	// Resolve gives what a destination names. ok is false when it names
	// nothing that is known; the destination is then kept as an address.
	Resolve func(dest string, use Use) (ref Ref, ok bool)
	// Locate gives how a reference is written in this source. ok is false
	// when its target is gone.
	Locate func(ref Ref, use Use) (dest string, ok bool)
	// Keep tells whether a destination that is written in another way than
	// Locate would can stay, because it leads to the same. Nil: it cannot.
	Keep func(dest string, use Use, ref Ref) bool
}

// voids are the types that have no nodes of their own.
var voids = map[string]bool{
	"divider": true, "math": true, "image": true, "file": true, "drawing": true, "embed": true, "expandable": true,
	"table": true, "content-ref": true, "reusable-content": true, "integration": true, "swagger": true,
	"openapi-operation": true, "openapi-schemas": true, "openapi-webhook": true,
	"emoji": true, "icon": true, "expression": true, "inline-math": true, "inline-image": true, "mention": true, "button": true,
}

// IsVoid tells whether a block or an inline has no nodes of its own.
func (n *Node) IsVoid() bool { return voids[n.Type] }

type wireLeaf struct {
	Object string     `json:"object"`
	Text   string     `json:"text"`
	Marks  []wireMark `json:"marks"`
	Raw    bool       `json:"raw,omitempty"`
}

type wireMark struct {
	Object string `json:"object"`
	Mark
}

type wireText struct {
	Object string     `json:"object"`
	Key    string     `json:"key,omitempty"`
	Leaves []wireLeaf `json:"leaves"`
}

type wireFragment struct {
	Object   string  `json:"object"`
	Key      string  `json:"key,omitempty"`
	Fragment string  `json:"fragment,omitempty"`
	Type     string  `json:"type,omitempty"`
	Nodes    []*Node `json:"nodes"`
}

type wireNode struct {
	Object    string         `json:"object"`
	Type      string         `json:"type"`
	IsVoid    bool           `json:"isVoid"`
	Data      map[string]any `json:"data"`
	Key       string         `json:"key,omitempty"`
	Nodes     *[]*Node       `json:"nodes,omitempty"`
	Fragments []*Node        `json:"fragments,omitempty"`
	Meta      map[string]any `json:"meta,omitempty"`
}

// MarshalJSON writes the form that clients know.
func (n *Node) MarshalJSON() ([]byte, error) {
	switch n.Object {
	case ObjectText:
		w := wireText{Object: n.Object, Key: n.Key, Leaves: make([]wireLeaf, len(n.Leaves))}
		for i, l := range n.Leaves {
			marks := make([]wireMark, len(l.Marks))
			for j, m := range l.Marks {
				marks[j] = wireMark{"mark", m}
			}
			w.Leaves[i] = wireLeaf{"leaf", l.Text, marks, l.Raw}
		}
		return encode(w)
	case ObjectFragment:
		return encode(wireFragment{n.Object, n.Key, n.Fragment, n.Type, list(n.Nodes)})
	}
	w := wireNode{n.Object, n.Type, n.IsVoid(), n.Data, n.Key, nil, n.Fragments, n.Meta}
	if w.Data == nil {
		w.Data = map[string]any{}
	}
	if !w.IsVoid {
		nodes := list(n.Nodes)
		w.Nodes = &nodes
	}
	return encode(w)
}

// MarshalJSON writes the form that clients know.
func (d *Document) MarshalJSON() ([]byte, error) {
	return encode(struct {
		Object string         `json:"object"`
		Data   map[string]any `json:"data"`
		Nodes  []*Node        `json:"nodes"`
	}{"document", map[string]any{}, list(d.Nodes)})
}

func list(n []*Node) []*Node {
	if n == nil {
		return []*Node{}
	}
	return n
}

// encode is json.Marshal without escaping of HTML, which the API does not
// need and which makes documents harder to read.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// written is a destination as it stands in the source that was parsed.
type written struct {
	ref  Ref
	use  Use
	dest string
}

// setRef puts a reference into the node's data and remembers how it was
// written.
func (n *Node) setRef(key string, ref Ref, dest string, use Use) {
	n.Data[key] = ref
	n.written = append(n.written, written{ref, use, dest})
}
