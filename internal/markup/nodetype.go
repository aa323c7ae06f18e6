package markup

// nodeType is a row of the table of types: everything that is known of one type of
// block or inline. The parser of its tag, the printer, the writer of HTML and the
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
}

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
)

func init() {
	for i := range blockTable {
		t := &blockTable[i]
		nodeTypes[t.name], blockTypes[t.name] = t, t
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
