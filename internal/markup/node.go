package markup

import "github.com/octavo-docs/octavo/internal/docs"

// Document is a page as a tree of blocks.
type Document struct {
	Nodes []*Node
	// Spans are the places of the blocks in the source that was parsed, one per
	// node; nil for a document that did not come from Parse.
	Spans []Span
	// Problems are what the parser could not read as it was meant.
	Problems []Problem

	strange []address // of a document from a client
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

	span   Span    // where it is written, from a traced parse
	extras *extras // nil for none; read with extra, changed with setExtra
}

// extras are what few nodes have. They are apart from the node, which is
// smaller for that.
type extras struct {
	written []written // destinations of Data's references, from Parse
	source  string    // as the node is written elsewhere, see WithSource
	table   *tableTrace
	aliases []string // of a heading
	api     *inlineAPI
	literal bool // the node was between lines of `{% raw %}` and `{% endraw %}`
}

// extra returns the extras of the node, zero for none.
func (n *Node) extra() extras {
	if n.extras == nil {
		return extras{}
	}
	return *n.extras
}

// setExtra changes the extras of this node only: a copy of a node shares them
// until then.
func (n *Node) setExtra(change func(*extras)) {
	e := n.extra()
	change(&e)
	n.extras = &e
}

// Leaf is a run of text with the same marks.
type Leaf struct {
	Text  string
	Marks []Mark
	// Raw is inline HTML that is kept as it was written.
	Raw bool

	trace    *trace    // from a traced parse
	literals *literals // parts of the text that were between `{% raw %}` and `{% endraw %}`
}

// Mark is a style of text.
type Mark struct {
	Type string            `json:"type"`
	Data map[string]string `json:"data,omitempty"`
}

// Ref is a reference of a node.
type Ref = docs.Ref

// Kinds of references.
const (
	RefFile       = docs.RefFile
	RefURL        = docs.RefURL
	RefPage       = docs.RefPage
	RefAnchor     = docs.RefAnchor
	RefUser       = docs.RefUser
	RefCollection = docs.RefCollection
	RefSpace      = docs.RefSpace
	RefReusable   = docs.RefReusable
	RefOpenAPI    = docs.RefOpenAPI
	RefTag        = docs.RefTag
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
	// Resolve returns what a destination names. ok is false when it names
	// nothing that is known; the destination is then kept as an address.
	Resolve func(dest string, use Use) (ref docs.Ref, ok bool)
	// Locate returns how a reference is written in this source. ok is false
	// when its target is gone.
	Locate func(ref docs.Ref, use Use) (dest string, ok bool)
	// Keep reports whether a destination that is written in another way than
	// Locate would can stay, because it leads to the same. Nil: it cannot.
	Keep func(dest string, use Use, ref docs.Ref) bool
}

// voids are the types that have no nodes of their own.
var voids = map[string]bool{
	"divider": true, "math": true, "image": true, "file": true, "drawing": true, "embed": true, "expandable": true,
	"table": true, "content-ref": true, "reusable-content": true, "integration": true, "swagger": true,
	"openapi-operation": true, "openapi-schemas": true, "openapi-webhook": true,
	"emoji": true, "icon": true, "expression": true, "inline-math": true, "inline-image": true, "mention": true, "button": true,
}

// IsVoid reports whether a block or an inline has no nodes of its own.
func (n *Node) IsVoid() bool { return voids[n.Type] }

// written is a destination as it is in the source that was parsed.
type written struct {
	what any // a Ref: the value that is in Data
	use  Use
	dest string
}

func (w written) ref() docs.Ref { return w.what.(docs.Ref) }

// setRef puts a reference into the node's data and remembers how it was
// written.
func (n *Node) setRef(key string, ref docs.Ref, dest string, use Use) {
	var what any = ref
	n.Data[key] = what
	n.addWritten(what, use, dest)
}

func (n *Node) addWritten(what any, use Use, dest string) {
	n.setExtra(func(e *extras) { e.written = append(e.written, written{what, use, dest}) })
}
