package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// Skeleton holds the parts of a document that Rekey needs: the keys of its
// nodes, and the hashes that nodes of another document are compared with. It
// takes a fraction of the memory of the document.
type Skeleton struct{ nodes []bone }

// bone is a node of a skeleton.
type bone struct {
	key   string
	kind  string // from kindOf
	hash  uint64 // of the content
	place uint64 // hash for matching the node among its siblings
	// Children, only of nodes that contain nodes with keys.
	nodes, fragments []bone
}

// NewSkeleton returns the skeleton of a document.
func NewSkeleton(doc *Document) *Skeleton { return skeletonOf(doc, hashAll(doc.Nodes)) }

// skeletonOf is NewSkeleton with the hashes of all nodes from hashAll.
func skeletonOf(doc *Document, hashes []uint64) *Skeleton {
	m := &skeletonMaker{hashes}
	return &Skeleton{m.list(doc.Nodes)}
}

// Keys returns the keys of the top-level nodes, like the function Keys.
func (s *Skeleton) Keys() []string {
	keys := make([]string, len(s.nodes))
	for i, n := range s.nodes {
		keys[i] = n.key
	}
	return keys
}

// Size returns the approximate memory size of the skeleton in bytes.
func (s *Skeleton) Size() int { return 64 + sizeOfBones(s.nodes) }

func sizeOfBones(nodes []bone) (size int) {
	const node = 112
	for _, n := range nodes {
		size += node + len(n.key) + sizeOfBones(n.nodes) + sizeOfBones(n.fragments)
	}
	return size
}

// setKeys sets the keys to those of the document's nodes. All keys are
// substrings of one string, so that the skeleton keeps no other memory alive.
func (s *Skeleton) setKeys(nodes []*Node) {
	size := 0
	eachBone(s.nodes, nodes, func(_ *bone, n *Node) { size += len(n.Key) })
	var text strings.Builder
	text.Grow(size)
	eachBone(s.nodes, nodes, func(_ *bone, n *Node) { text.WriteString(n.Key) })
	rest := text.String()
	eachBone(s.nodes, nodes, func(b *bone, n *Node) {
		b.key, rest = rest[:len(n.Key)], rest[len(n.Key):]
	})
}

// eachBone calls f for every bone of a skeleton and its node in the document.
func eachBone(list []bone, nodes []*Node, f func(*bone, *Node)) {
	for i := range list {
		b, n := &list[i], nodes[i]
		f(b, n)
		eachBone(b.nodes, n.Nodes, f)
		eachBone(b.fragments, n.Fragments, f)
	}
}

// skeletonMaker builds a skeleton of nodes in the order in which they were
// hashed.
type skeletonMaker struct{ hashes []uint64 }

func (m *skeletonMaker) list(nodes []*Node) []bone {
	if len(nodes) == 0 {
		return nil
	}
	out := make([]bone, len(nodes))
	for i, n := range nodes {
		out[i] = m.node(n)
	}
	return out
}

func (m *skeletonMaker) node(n *Node) bone {
	out := bone{key: n.Key, kind: kindOf(n), hash: m.hashes[0], place: m.hashes[0]}
	m.hashes = m.hashes[1:]
	if n.Object != ObjectFragment && !holdsKeys(n) {
		m.hashes = m.hashes[countNodes(n.Nodes)+countNodes(n.Fragments):]
		return out
	}
	out.nodes, out.fragments = m.list(n.Nodes), m.list(n.Fragments)
	if n.Object == ObjectFragment { // the name of a fragment depends on its position
		out.place = align.HashSeed
		for _, k := range out.nodes {
			out.place = align.Mix(out.place, k.hash)
		}
	}
	return out
}
