package markup

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/align"
)

// Hashes caches the hashes of nodes.
type Hashes map[*Node]uint64

// Equal reports whether two documents have the same content. It ignores the
// keys of blocks.
func Equal(a, b *Document) bool {
	h := Hashes{}
	return slices.EqualFunc(a.Nodes, b.Nodes, func(x, y *Node) bool { return h.Of(x) == h.Of(y) })
}

// Of returns a hash of a node's content. It excludes keys and meta.
func (h Hashes) Of(n *Node) uint64 {
	if v, ok := h[n]; ok {
		return v
	}
	v := hashNode(n, h.Of)
	h[n] = v
	return v
}

// hashNode computes the hash of a node from the hashes of the nodes inside it.
func hashNode(n *Node, of func(*Node) uint64) uint64 {
	v := align.HashString(align.HashString(align.HashString(align.HashSeed, n.Object), n.Type), n.Fragment)
	for _, l := range n.Leaves {
		v = align.HashString(v, l.Text)
		if l.Raw {
			v = align.Mix(v, 7)
		}
		for _, m := range l.Marks {
			v = align.HashString(v, m.Type)
			if m.Data != nil {
				v = align.HashString(align.HashString(v, m.Data["text"]), m.Data["background"])
			}
		}
	}
	if len(n.Data) > 0 {
		v = HashValue(v, n.Data)
	}
	for _, k := range n.Nodes {
		v = align.Mix(v, of(k))
	}
	v = align.Mix(v, uint64(len(n.Nodes)))
	for _, k := range n.Fragments {
		v = align.Mix(v, of(k))
	}
	return v
}

// HashValue adds a value of Data to a hash.
func HashValue(h uint64, v any) uint64 {
	switch v := v.(type) {
	case string:
		return align.HashString(align.Mix(h, 2), v)
	case bool:
		if v {
			return align.Mix(h, 3)
		}
		return align.Mix(h, 4)
	case map[string]any:
		if str(v, "kind") != "" { // otherwise it is not a reference
			ref, _ := dataRef(v)
			return hashRef(h, ref)
		}
		var few [8]string
		keys := few[:0]
		for k, e := range v {
			if e != nil {
				keys = append(keys, k)
			}
		}
		slices.Sort(keys)
		h = align.Mix(h, 5)
		for _, k := range keys {
			h = HashValue(align.HashString(h, k), v[k])
		}
		return align.Mix(h, uint64(len(keys)))
	case []any:
		h = align.Mix(h, 6)
		for _, e := range v {
			h = HashValue(h, e)
		}
		return align.Mix(h, uint64(len(v)))
	case docs.Ref:
		return hashRef(h, v)
	}
	if f, ok := num(v); ok {
		return align.HashString(align.Mix(h, 8), decimal(f))
	}
	return align.Mix(h, 9)
}

func hashRef(h uint64, r docs.Ref) uint64 {
	h = align.Mix(h, 10)
	length := 0
	for i, s := range [...]string{
		r.Kind, r.File, r.URL, r.Anchor, r.Page, r.User, r.Collection, r.ReusableContent, r.Spec, r.Tag, r.Space,
	} {
		if i > 0 { // the hash of a zero byte between the fields
			h *= align.HashPrime
			length++
		}
		h = align.HashBytes(h, s)
		length += len(s)
	}
	return align.Mix(h, uint64(length))
}

// matchPreferKeys returns for each node of doc the index of the node of old with
// the same content, or -1. Among several equal nodes, the key decides, and then
// the order.
func (h Hashes) matchPreferKeys(old, doc []*Node) []int {
	byHash := make(map[uint64][]int, len(old))
	for i, n := range old {
		byHash[h.Of(n)] = append(byHash[h.Of(n)], i)
	}
	byKey := make(map[string]int, len(old))
	for i, n := range old {
		byKey[n.Key] = i
	}
	from := make([]int, len(doc))
	taken := make([]bool, len(old))
	for i, n := range doc {
		from[i] = -1
		if j, ok := byKey[n.Key]; ok && n.Key != "" && !taken[j] && h.Of(old[j]) == h.Of(n) {
			from[i] = j
			taken[j] = true
		}
	}
	for i, n := range doc {
		if from[i] >= 0 {
			continue
		}
		list := byHash[h.Of(n)]
		for len(list) > 0 && taken[list[0]] {
			list = list[1:]
		}
		if len(list) > 0 {
			from[i] = list[0]
			taken[list[0]] = true
			list = list[1:]
		}
		byHash[h.Of(n)] = list
	}
	return from
}

// InOrder is like matchPreferKeys, but uses only the order: nodes between
// unchanged nodes are matched first.
func (h Hashes) InOrder(old, doc []*Node) []int { return align.InOrder(h.all(old), h.all(doc)) }

// all returns the hashes of nodes.
func (h Hashes) all(nodes []*Node) []uint64 {
	out := make([]uint64, len(nodes))
	for i, n := range nodes {
		out[i] = h.Of(n)
	}
	return out
}
