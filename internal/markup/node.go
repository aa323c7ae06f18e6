package markup

import "github.com/octavo-docs/octavo/internal/docs"

// Document is a page as a tree of blocks.
type Document struct {
	Nodes []*Node
	// Spans are the source ranges of the blocks, one per node. It is nil for a
	// document that was not returned by Parse.
	Spans []Span
	// Problems lists the parts of the source that could not be parsed as
	// intended.
	Problems []Problem

	unsafeAddresses []unsafeAddress // addresses that CheckAddresses has to check, from DecodeEdit
}

// Span is a half-open range of bytes.
type Span struct{ Start, End int }

// Problem is a part of a source that a person should check.
type Problem struct {
	Line    int // from 1
	Column  int // in characters from 1; 0 if it is not known
	Message string

	lacks string // the end tag that is missing
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

	span   Span    // source range, from a traced parse
	extras *extras // may be nil; read with extra, changed with setExtra
}

// extras holds the fields that few nodes have. They are in a separate struct to
// keep Node small.
type extras struct {
	written []written // destinations of the references in Data, from Parse
	source  string    // source of the node in another document, see WithSource
	table   *tableTrace
	aliases []string // of a heading
	api     *inlineAPI
	literal bool // the node was between lines of `{% raw %}` and `{% endraw %}`
	// shown is what readers see in the place of a line of marks of another tool.
	shown []*Node
}

// extra returns the extras of the node. It returns the zero value if there are
// none.
func (n *Node) extra() extras {
	if n.extras == nil {
		return extras{}
	}
	return *n.extras
}

// setExtra changes the extras of this node only. It copies them, because copies
// of a node share their extras.
func (n *Node) setExtra(change func(*extras)) {
	e := n.extra()
	change(&e)
	n.extras = &e
}

// Source returns the source of the node in another document, or how its source should be
// written. It is empty if there is none.
func (n *Node) Source() string { return n.extra().source }

// SetSource proposes how the source of the node is written. It is used only if it is
// parsed as the node.
func (n *Node) SetSource(s string) { n.setExtra(func(e *extras) { e.source = s }) }

// Leaf is a run of text with the same marks.
type Leaf struct {
	Text  string
	Marks []Mark
	// Raw is set for inline HTML that is kept verbatim.
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

// Use is the purpose of a destination in a source. It determines the kinds of
// targets that the destination can name.
type Use string

// Uses of destinations.
const (
	UseLink    Use = "link"    // a link, a mention, a button, a content reference
	UseImage   Use = "image"   // an image, a cover, a drawing
	UseFile    Use = "file"    // a file block
	UseInclude Use = "include" // a reusable content
)

// Refs converts written destinations to references and back. All functions may
// be nil. Without Resolve, every destination is treated as a URL.
type Refs struct {
	// Resolve returns the reference that a destination names. ok is false if
	// the target is not known. The destination is then kept as a URL.
	Resolve func(dest string, use Use) (ref docs.Ref, ok bool)
	// Locate returns the destination of a reference as it is written in this
	// source. ok is false if the target does not exist.
	Locate func(ref docs.Ref, use Use) (dest string, ok bool)
	// Keep reports whether a destination that differs from the result of Locate
	// can stay, because it leads to the same target. If Keep is nil, it cannot.
	Keep func(dest string, use Use, ref docs.Ref) bool
	// Any is called instead of Resolve, if it is set, for a destination in the form
	// of another tool, with the paths that it may mean, best first. needed is
	// false if the source is good without the target.
	Any func(dest string, paths []string, use Use, needed bool) (ref docs.Ref, ok bool)

	// inMarker is set for the content of a mark of another tool. Marks in it
	// have no content of their own, so that nesting them costs nothing.
	inMarker bool
}

// written is a destination as it is written in the parsed source.
type written struct {
	what any // a Ref, as in Data
	use  Use
	dest string
}

func (w written) ref() docs.Ref { return w.what.(docs.Ref) }

// setRef sets a reference in the node's data and records its written
// destination.
func (n *Node) setRef(f RefField, ref docs.Ref, dest string, use Use) {
	var what any = ref
	n.set(f, what)
	n.addWritten(what, use, dest)
}

func (n *Node) addWritten(what any, use Use, dest string) {
	n.setExtra(func(e *extras) { e.written = append(e.written, written{what, use, dest}) })
}

// eachNode calls f for all nodes and their descendants, parents first, including
// nodes that readers do not see.
func eachNode(nodes []*Node, f func(*Node)) {
	for _, n := range nodes {
		f(n)
		eachNode(n.Nodes, f)
		eachNode(n.Fragments, f)
	}
}
