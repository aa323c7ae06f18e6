package markup

import (
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// hashCache caches the hashes of nodes.
type hashCache map[*Node]uint64

const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func mix(a, b uint64) uint64 {
	a ^= b + 0x9e3779b97f4a7c15 + (a << 6) + (a >> 2)
	a *= hashPrime
	return a ^ a>>29
}

func hashString(h uint64, s string) uint64 { return mix(hashBytes(h, s), uint64(len(s))) }

func hashBytes(h uint64, s string) uint64 {
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// Equal reports whether two documents have the same content. It ignores the
// keys of blocks.
func Equal(a, b *Document) bool {
	h := hashCache{}
	return slices.EqualFunc(a.Nodes, b.Nodes, func(x, y *Node) bool { return h.of(x) == h.of(y) })
}

// of returns a hash of a node's content. It excludes keys and meta.
func (h hashCache) of(n *Node) uint64 {
	if v, ok := h[n]; ok {
		return v
	}
	v := hashNode(n, h.of)
	h[n] = v
	return v
}

// hashNode computes the hash of a node from the hashes of the nodes inside it.
func hashNode(n *Node, of func(*Node) uint64) uint64 {
	v := hashString(hashString(hashString(hashSeed, n.Object), n.Type), n.Fragment)
	for _, l := range n.Leaves {
		v = hashString(v, l.Text)
		if l.Raw {
			v = mix(v, 7)
		}
		for _, m := range l.Marks {
			v = hashString(v, m.Type)
			if m.Data != nil {
				v = hashString(hashString(v, m.Data["text"]), m.Data["background"])
			}
		}
	}
	if len(n.Data) > 0 {
		v = hashValue(v, n.Data)
	}
	for _, k := range n.Nodes {
		v = mix(v, of(k))
	}
	v = mix(v, uint64(len(n.Nodes)))
	for _, k := range n.Fragments {
		v = mix(v, of(k))
	}
	return v
}

func hashValue(h uint64, v any) uint64 {
	switch v := v.(type) {
	case string:
		return hashString(mix(h, 2), v)
	case bool:
		if v {
			return mix(h, 3)
		}
		return mix(h, 4)
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
		h = mix(h, 5)
		for _, k := range keys {
			h = hashValue(hashString(h, k), v[k])
		}
		return mix(h, uint64(len(keys)))
	case []any:
		h = mix(h, 6)
		for _, e := range v {
			h = hashValue(h, e)
		}
		return mix(h, uint64(len(v)))
	case docs.Ref:
		return hashRef(h, v)
	}
	if f, ok := num(v); ok {
		return hashString(mix(h, 8), decimal(f))
	}
	return mix(h, 9)
}

func hashRef(h uint64, r docs.Ref) uint64 {
	h = mix(h, 10)
	length := 0
	for i, s := range [...]string{
		r.Kind, r.File, r.URL, r.Anchor, r.Page, r.User, r.Collection, r.ReusableContent, r.Spec, r.Tag, r.Space,
	} {
		if i > 0 { // the hash of a zero byte between the fields
			h *= hashPrime
			length++
		}
		h = hashBytes(h, s)
		length += len(s)
	}
	return mix(h, uint64(length))
}

// matchPreferKeys returns for each node of doc the index of the node of old with
// the same content, or -1. Among several equal nodes, the key decides, and then
// the order.
func (h hashCache) matchPreferKeys(old, doc []*Node) []int {
	byHash := make(map[uint64][]int, len(old))
	for i, n := range old {
		byHash[h.of(n)] = append(byHash[h.of(n)], i)
	}
	byKey := make(map[string]int, len(old))
	for i, n := range old {
		byKey[n.Key] = i
	}
	from := make([]int, len(doc))
	taken := make([]bool, len(old))
	for i, n := range doc {
		from[i] = -1
		if j, ok := byKey[n.Key]; ok && n.Key != "" && !taken[j] && h.of(old[j]) == h.of(n) {
			from[i] = j
			taken[j] = true
		}
	}
	for i, n := range doc {
		if from[i] >= 0 {
			continue
		}
		list := byHash[h.of(n)]
		for len(list) > 0 && taken[list[0]] {
			list = list[1:]
		}
		if len(list) > 0 {
			from[i] = list[0]
			taken[list[0]] = true
			list = list[1:]
		}
		byHash[h.of(n)] = list
	}
	return from
}

// matchInOrder is like matchPreferKeys, but uses only the order: nodes between
// unchanged nodes are matched first.
func (h hashCache) matchInOrder(old, doc []*Node) []int { return alignHashes(h.all(old), h.all(doc)) }

// all returns the hashes of nodes.
func (h hashCache) all(nodes []*Node) []uint64 {
	out := make([]uint64, len(nodes))
	for i, n := range nodes {
		out[i] = h.of(n)
	}
	return out
}

// alignHashes is hashCache.matchInOrder for hashes a and b of old and new nodes.
func alignHashes(a, b []uint64) []int {
	from := make([]int, len(b))
	for i := range from {
		from[i] = -1
	}
	alignRange(a, b, 0, 0, from, 0)
	// Match blocks that moved.
	left := map[uint64][]int{}
	taken := make([]bool, len(a))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	for j, v := range a {
		if !taken[j] {
			left[v] = append(left[v], j)
		}
	}
	for i, v := range b {
		if list := left[v]; from[i] < 0 && len(list) > 0 {
			from[i], left[v] = list[0], list[1:]
		}
	}
	return from
}

// alignRange matches equal prefixes and suffixes. Between them it matches the
// elements that occur once on both sides, in the longest common order, and then
// recursively the ranges between these.
func alignRange(a, b []uint64, ai, bi int, from []int, depth int) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		from[bi] = ai
		a, b, ai, bi = a[1:], b[1:], ai+1, bi+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		from[bi+len(b)-1] = ai + len(a) - 1
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	const deepest = 32
	if len(a) == 0 || len(b) == 0 || depth > deepest {
		return
	}
	type place struct{ na, nb, ia, ib int }
	places := map[uint64]*place{}
	for i, v := range a {
		p := places[v]
		if p == nil {
			p = &place{}
			places[v] = p
		}
		p.na, p.ia = p.na+1, i
	}
	for i, v := range b {
		if p := places[v]; p != nil {
			p.nb, p.ib = p.nb+1, i
		}
	}
	var once []*place // in the order of b
	for i, v := range b {
		if p := places[v]; p != nil && p.na == 1 && p.nb == 1 && p.ib == i {
			once = append(once, p)
		}
	}
	la, lb := 0, 0
	for _, i := range lis.Longest(once, func(a, b *place) int { return a.ia - b.ia }) {
		p := once[i]
		from[bi+p.ib] = ai + p.ia
		alignRange(a[la:p.ia], b[lb:p.ib], ai+la, bi+lb, from, depth+1)
		la, lb = p.ia+1, p.ib+1
	}
	if la > 0 || lb > 0 {
		alignRange(a[la:], b[lb:], ai+la, bi+lb, from, depth+1)
	}
}

// sameKeys adds matches to from for the blocks of doc that have the key of a
// block of old.
func sameKeys(old, doc []*Node, from []int) {
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	byKey := make(map[string]int, len(old))
	for j, n := range old {
		if !taken[j] && n.Key != "" {
			byKey[n.Key] = j
		}
	}
	for i, n := range doc {
		if j, ok := byKey[n.Key]; ok && from[i] < 0 && !taken[j] {
			from[i] = j
			taken[j] = true
		}
	}
}

// edited adds matches to from for the blocks of doc that are a version of a
// block of old: a block of the same kind between the same blocks. A block for
// which named returns true is new.
func edited(old, doc []*Node, from []int, named func(*Node) bool) {
	editedKinds(kinds(old), kinds(doc), from, func(i int) bool { return named(doc[i]) })
}

func kinds(nodes []*Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = kindOf(n)
	}
	return out
}

// editedHere is edited for blocks of which some were moved: a block that is
// elsewhere in the other document is no version of another one.
func editedHere(x *sourceIndex, old, doc []*Node, from []int, named func(*Node) bool) {
	before := kinds(old)
	if x != nil {
		for j, n := range old {
			if x.stays(n) {
				before[j] = ""
			}
		}
	}
	editedKinds(before, kinds(doc), from, func(i int) bool { return named(doc[i]) || x != nil && x.knows(doc[i]) })
}

// editedKinds is edited for the kinds of nodes.
func editedKinds(old, doc []string, from []int, named func(int) bool) {
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	// limits[i] is the old index of the next matched block from i on.
	limits := make([]int, len(doc)+1)
	limits[len(doc)] = len(old)
	for i := len(doc) - 1; i >= 0; i-- {
		limits[i] = limits[i+1]
		if from[i] >= 0 {
			limits[i] = from[i]
		}
	}
	next := 0 // the first old block that the next one can match
	for i, kind := range doc {
		if from[i] >= 0 {
			next = from[i] + 1
			continue
		}
		if named(i) {
			continue
		}
		const window = 32 // how many blocks may be removed before an edited one
		for j := next; j < min(limits[i], next+window); j++ {
			if !taken[j] && old[j] == kind {
				from[i] = j
				taken[j] = true
				next = j + 1
				break
			}
		}
	}
}

// kindOf returns the kind of a node. A node can be an edited version of another
// only if their kinds are equal.
func kindOf(n *Node) string {
	for _, family := range []string{"heading-", "list-"} {
		if strings.HasPrefix(n.Type, family) && n.Type != "list-item" {
			return family
		}
	}
	return n.Type
}
