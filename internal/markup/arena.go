package markup

// arena hands out nodes, lists of them and leaves from larger pieces of
// memory: a page has hundreds of them, and to get each by itself costs more
// than to fill it. It also lends what is needed while a page is read.
type arena struct {
	nodes  []Node
	made   int // how many nodes were in the pieces so far
	lists  []*Node
	leaves []Leaf

	open     []*Node // the nodes that were made of the containers around, and of this one so far
	builders []*inlineBuilder
}

// node returns an empty node.
func (s *arena) node() *Node {
	if len(s.nodes) == 0 {
		s.nodes = make([]Node, min(max(11, s.made/4), 46)) // 2 KB of memory at first, a comment needs few
		s.made += len(s.nodes)
	}
	n := &s.nodes[0]
	s.nodes = s.nodes[1:]
	return n
}

// list keeps nodes.
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

// text keeps leaves, which are never none.
func (s *arena) text(leaves ...Leaf) *Node {
	n := s.node()
	n.Object = ObjectText
	n.Leaves = cut(&s.leaves, max(1, len(leaves)), 16)
	copy(n.Leaves, leaves)
	return n
}

// paragraph makes one of inlines, which are never none.
func (s *arena) paragraph(inlines []*Node) *Node {
	if len(inlines) == 0 {
		inlines = s.list(s.text())
	}
	return s.block("paragraph", nil, inlines)
}

// cut returns n of what is left of a piece, or of a new one. Nobody can append
// into what others have.
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

// add adds a node to the container that is being read.
func (s *arena) add(nodes ...*Node) { s.open = append(s.open, nodes...) }

// since returns the nodes that were added behind a place, and takes them off.
func (s *arena) since(place int) []*Node {
	out := s.list(s.open[place:]...)
	s.open = s.open[:place]
	return out
}

// builder lends one, until its nodes are taken.
func (s *arena) builder() *inlineBuilder {
	if k := len(s.builders); k > 0 {
		b := s.builders[k-1]
		s.builders = s.builders[:k-1]
		return b
	}
	return &inlineBuilder{arena: s}
}

// take returns the nodes of a builder and gets it back.
func (s *arena) take(b *inlineBuilder) []*Node {
	b.flush()
	out := s.list(b.nodes...)
	b.nodes = b.nodes[:0]
	s.builders = append(s.builders, b)
	return out
}
