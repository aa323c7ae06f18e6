package markup

import "github.com/octavo-docs/octavo/internal/markup/syntax"

// nodeType is a row of the table of types: what is known of one type of block or inline,
// except how it is shown. The parser of its tag, the printer, references, search and the
// check of a client's document find it here.
type nodeType struct {
	name string
	void bool // its nodes have no child nodes
	// partOf says in words which type may hold this one, if others may not.
	partOf string
	holds  holds
	parts  []string // the types of its nodes, if only these are allowed
	single bool     // exactly one node
	// fields describe its data. Decode keeps other data as it is, or rejects it if
	// the type is closed.
	fields fields
	closed bool
	// fragments are the slots of a void block. A fragment fills the slot that has
	// its name, or its type if it has no name.
	fragments []fragmentSlot
	cells     bool // the fragments are named by the cells of a table
	// framed is set if clients expect the list of fragments even if it is empty.
	framed bool

	// The tags of its source.
	tags []tagType
	// open returns its opening tag; nil if it has none.
	open func(p *printer, n *Node) *tagWriter
	// print returns a block as Markdown; nil: its blocks, without what is around them.
	print func(p *printer, n *Node) string
	// write writes an inline as Markdown; nil: its HTML.
	write func(w *inlineWriter, n *Node, active []Mark)
	// printHTML returns the source in HTML, for cells, captions and what Markdown
	// cannot express; nil: a block as its tag, an inline as its texts.
	printHTML func(p *printer, n *Node) string

	// text writes what is found of the node itself, without the nodes that it holds;
	// the text of cells is written too. nil: nothing.
	text func(p *plain, n *Node)
	// refs adds its references; nil: it has none.
	refs func(c *referenceCollector, n *Node)
	// anchor returns the anchor that the author wrote and the text from which another
	// one is derived; nil: links cannot lead to it.
	anchor func(n *Node) (id, text string)
	// wire returns its data in the form of clients; nil: as it is. read is the inverse
	// and changes the data.
	wire func(n *Node) map[string]any
	read func(data map[string]any)
}

// tagType is a tag that is parsed as a block.
type tagType struct {
	name string
	// container is set if the content of the tag is blocks. The content of other tags
	// is kept verbatim up to the end tag.
	container bool
	alone     bool   // a container that needs no end tag
	in        string // the only tag that it is allowed in
	part      string // the tag of its parts
	// attributes are the known ones; others are kept. nil: no attribute is a mistake.
	attributes []string
	// block returns the block, or nil if the tag is not valid.
	block func(c *converter, t *tagContent) *Node
	// lacks says why a tag is not valid; nil: it lacks an attribute. The empty string
	// means that somebody else reports it.
	lacks func(as syntax.Attributes) string
}

// tagContent is a tag with its content.
type tagContent struct {
	*tagType
	args string
	as   syntax.Attributes
	kids []*Node
	body string
}

// others returns the data of the attributes that are not known, which are kept.
func (t *tagContent) others() map[string]any { return t.as.Others(t.attributes...) }

// holds is the kind of nodes that a type holds.
type holds uint8

const (
	holdsNothing holds = iota
	holdsInlines       // texts and inlines
	holdsBlocks        // blocks that are not parts of another type, or only the types in parts
)

type fragmentSlot struct {
	name     string
	required bool
}

// The table by name. It is filled by init, because the functions in its rows look up
// the rows of other types.
var (
	nodeTypes   = map[string]*nodeType{} // blocks and inlines
	blockTypes  = map[string]*nodeType{}
	inlineTypes = map[string]*nodeType{}
	tagsByName  = map[string]*tagType{}
)

func init() {
	for i := range blockTable {
		t := &blockTable[i]
		nodeTypes[t.name], blockTypes[t.name] = t, t
		for i := range t.tags {
			tagsByName[t.tags[i].name] = &t.tags[i]
		}
	}
	for i := range inlineTable {
		t := &inlineTable[i]
		nodeTypes[t.name], inlineTypes[t.name] = t, t
	}
}

// IsVoid reports whether a block or an inline is of a type that has no child
// nodes.
func (n *Node) IsVoid() bool {
	t := nodeTypes[n.Type]
	return t != nil && t.void
}
