package markup

// arena allocates nodes, lists of nodes and leaves from larger pieces of memory.
// A page has hundreds of them, and allocating each one separately costs more than
// filling it. The arena also lends buffers that are needed while a page is
// parsed.
type arena struct {
	nodes  []Node
	made   int // number of nodes in all pieces so far
	lists  []*Node
	leaves []Leaf

	open     []*Node // nodes of the containers that are being parsed, outermost first
	builders []*InlineBuilder
}

// node returns an empty node.
func (s *arena) node() *Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]Node, min(max(11, s.made/4), 46)) // 2 KB at first: a comment has few nodes
		s.made += len(s.nodes)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

// list returns a copy of nodes that is allocated from the arena.
func (s *arena) list(nodes ...*Node) []*Node {
	if len(nodes) == 0 {
		return nil
	}
	out := cut(&s.lists, len(nodes), 64)
	copy(out, nodes)
	return out
}

func (s *arena) block(typ string, data map[string]any, nodes []*Node) *Node {
	n := s.node()
	n.Object, n.Type, n.Data, n.Nodes = ObjectBlock, typ, data, nodes
	return n
}

func (s *arena) inline(typ string, data map[string]any) *Node {
	n := s.node()
	n.Object, n.Type, n.Data = ObjectInline, typ, data
	return n
}

func (s *arena) fragment(fragment, typ string, nodes []*Node) *Node {
	n := s.node()
	n.Object, n.Fragment, n.Type, n.Nodes = ObjectFragment, fragment, typ, nodes
	return n
}

// text returns a text node with a copy of leaves, or with one empty leaf if there
// are none.
func (s *arena) text(leaves ...Leaf) *Node {
	n := s.node()
	n.Object = ObjectText
	n.Leaves = cut(&s.leaves, max(1, len(leaves)), 16)
	copy(n.Leaves, leaves)
	return n
}

// paragraph returns a paragraph of inlines, or of one empty text if there are
// none.
func (s *arena) paragraph(inlines []*Node) *Node {
	if len(inlines) == 0 {
		inlines = s.list(s.text())
	}
	return s.block("paragraph", nil, inlines)
}

// cut returns n elements from the rest of a piece, or from a new piece of the
// given size. Large requests are allocated separately. The capacity is n, so that
// appending to the result cannot overwrite elements of another slice.
func cut[T any](piece *[]T, n, size int) []T {
	if len(*piece) < n {
		if n > size/2 {
			return make([]T, n)
		}
		*piece = make([]T, size)
	}
	out := (*piece)[:n:n]
	*piece = (*piece)[n:]
	return out
}

// add appends nodes to the container that is being parsed.
func (s *arena) add(nodes ...*Node) { s.open = append(s.open, nodes...) }

// since removes the nodes that were added after a position of open and returns
// them.
func (s *arena) since(place int) []*Node {
	out := s.list(s.open[place:]...)
	s.open = s.open[:place]
	return out
}

// builder lends an inline builder. take returns it to the arena.
func (s *arena) builder() *InlineBuilder {
	if k := len(s.builders); k > 0 {
		b := s.builders[k-1]
		s.builders = s.builders[:k-1]
		return b
	}
	return &InlineBuilder{arena: s}
}

// take returns the nodes of a builder and puts the builder back into the arena.
func (s *arena) take(b *InlineBuilder) []*Node {
	b.flush()
	out := s.list(b.nodes...)
	b.nodes = b.nodes[:0]
	s.builders = append(s.builders, b)
	return out
}
