package merge

import (
	"cmp"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// BlockConflict is a block that both sides changed in different ways, or the
// blocks that they wrote in its place. The list of a side is empty if that side
// deleted the block.
type BlockConflict struct {
	Base, Into, From []*markup.Node
	After            string // key of the preceding block in the result; empty at the start
}

// Key identifies the conflict. It is the key of the block in the base. If the
// base has no block there, it is the key that both sides share, or else empty.
func (c BlockConflict) Key() string {
	switch {
	case len(c.Base) > 0:
		return c.Base[0].Key
	case len(c.Into) == 1 && len(c.From) == 1 && c.Into[0].Key == c.From[0].Key:
		return c.Into[0].Key // both sides got the block from elsewhere
	}
	return ""
}

// Keys returns the keys of all blocks in the conflict, without duplicates.
func (c BlockConflict) Keys() []string {
	var out []string
	seen := map[string]bool{}
	for _, n := range slices.Concat(c.Base, c.Into, c.From) {
		if !seen[n.Key] {
			out, seen[n.Key] = append(out, n.Key), true
		}
	}
	return out
}

// Merge applies the changes between base and from to into, another version of
// the same document. Top-level blocks are matched by their keys. Identical
// changes of both sides agree.
//
// Lists, tabs, tables and other containers are merged recursively, by the
// blocks and rows in them. Changes to different words of one block are both
// applied if there is an unchanged word between them. Blocks that both sides
// added at the same position are both kept, unless they replace the same block
// or the base is empty. Where the sides differ, the result has the version of
// into and a conflict is returned.
func Merge(base, into, from *markup.Document) (*markup.Document, []BlockConflict) {
	m := &merger{h: markup.Hashes{}}
	nodes := m.list(base.Nodes, into.Nodes, from.Nodes, true)
	m.place(nodes, from.Nodes)
	return &markup.Document{Nodes: nodes}, m.conflicts
}

type merger struct {
	h         markup.Hashes
	conflicts []BlockConflict
}

// place sets After of each conflict. It is the key of the nearest preceding
// block that is also in the result, on the side that has the conflicting block.
// Every block may be in conflict, so each list is walked once.
func (m *merger) place(nodes, from []*markup.Node) {
	if len(m.conflicts) == 0 {
		return
	}
	there := make(map[string]bool, len(nodes))
	for _, n := range nodes {
		there[n.Key] = true
	}
	above := func(list []*markup.Node) map[*markup.Node]string {
		out, last := make(map[*markup.Node]string, len(list)), ""
		for _, n := range list {
			if out[n] = last; there[n.Key] {
				last = n.Key
			}
		}
		return out
	}
	inResult, inFrom := above(nodes), above(from)
	for i, c := range m.conflicts {
		if len(c.Into) > 0 {
			m.conflicts[i].After = inResult[c.Into[0]]
		} else {
			m.conflicts[i].After = inFrom[c.From[0]]
		}
	}
}

// ids maps each node of a side to a node of the base: it holds the index in the
// base, or a number from len(base) on for a new node.
type ids []int

// identify matches the nodes of a side with the nodes of the base. It returns
// -1 for a new node. Top-level nodes (keyed) are matched by key. Keys inside
// blocks are derived from the content, so nodes there are matched by content
// and order.
func (m *merger) identify(base, side []*markup.Node, keyed bool) ids {
	var from []int
	if keyed {
		from = make([]int, len(side))
		for i := range from {
			from[i] = -1
		}
		markup.MatchKeys(base, side, from)
		return from
	}
	from = m.h.InOrder(base, side)
	markup.MatchEdited(base, side, from, func(*markup.Node) bool { return false })
	return from
}

// list merges two versions of a list of nodes.
func (m *merger) list(base, into, from []*markup.Node, keyed bool) []*markup.Node {
	a, c := m.identify(base, into, keyed), m.identify(base, from, keyed)
	next := len(base)
	added := map[uint64][]int{} // ids of the nodes that into added, by content
	named := map[string]int{}   // ids of the same nodes, by key
	intoAt, fromAt := map[int]*markup.Node{}, map[int]*markup.Node{}
	for i, n := range into {
		if a[i] < 0 {
			a[i] = next
			next++
			added[m.h.Of(n)] = append(added[m.h.Of(n)], a[i])
			named[n.Key] = a[i]
		}
		intoAt[a[i]] = n
	}
	for i, n := range from {
		if same := added[m.h.Of(n)]; c[i] < 0 && len(same) > 0 { // both sides added the node
			c[i], added[m.h.Of(n)] = same[0], same[1:]
		}
		if c[i] >= 0 {
			fromAt[c[i]] = n
		}
	}
	for i, n := range from {
		if c[i] >= 0 {
			continue
		}
		if id, known := named[n.Key]; known && keyed && fromAt[id] == nil {
			c[i] = id // both sides got the node from elsewhere and changed it
		} else {
			c[i] = next
			next++
		}
		fromAt[c[i]] = n
	}
	var out []*markup.Node
	dropped := m.replaced(base, into, from, a, c)
	for _, id := range mergeOrder(len(base), a, c) {
		if dropped[id] {
			continue
		}
		var b *markup.Node
		if id < len(base) {
			b = base[id]
		}
		if n := m.node(b, intoAt[id], fromAt[id]); n != nil {
			out = append(out, n)
		}
	}
	return out
}

// node merges two versions of a node. A nil node is absent on that side.
func (m *merger) node(base, into, from *markup.Node) *markup.Node {
	same := func(x, y *markup.Node) bool {
		return x == nil && y == nil || x != nil && y != nil && m.h.Of(x) == m.h.Of(y)
	}
	switch {
	case same(into, from), same(base, from):
		return into
	case same(base, into):
		return from
	case base != nil && into != nil && from != nil:
		if n := m.inside(base, into, from); n != nil {
			return n
		}
	}
	// A side that left the source of a block as it was has not changed the
	// block, even if a target that the block refers to was renamed since.
	worded := func(x, y *markup.Node) bool {
		return x != nil && y != nil && x.Source() != "" && x.Source() == y.Source()
	}
	switch {
	case into != nil && worded(base, from):
		return into
	case from != nil && worded(base, into):
		return from
	}
	m.conflicts = append(m.conflicts, BlockConflict{Base: present(base), Into: present(into), From: present(from)})
	return into
}

// present returns a list of the node, or an empty list for nil.
func present(n *markup.Node) []*markup.Node {
	if n == nil {
		return nil
	}
	return []*markup.Node{n}
}

// inside merges the content of two versions of a container. It returns nil if
// they cannot be merged.
func (m *merger) inside(base, into, from *markup.Node) *markup.Node {
	if !sameContainer(base, into) || !sameContainer(base, from) || len(into.Nodes)+len(into.Fragments) == 0 {
		return nil
	}
	if into.Type == "table" && !slices.ContainsFunc([]*markup.Node{base, into, from}, func(n *markup.Node) bool { return n.Has(markup.FieldCellMerges) }) {
		return m.table(base, into, from)
	}
	sub := &merger{h: m.h}
	out := mergedNode(base, into, from)
	var ok bool
	if out.Data, ok = mergeData(base.Data, into.Data, from.Data); !ok {
		return nil
	}
	if !onlyBlocks(base.Nodes) || !onlyBlocks(into.Nodes) || !onlyBlocks(from.Nodes) {
		if out.Nodes, ok = m.words(base, into, from); !ok {
			return nil
		}
		return out
	}
	out.Nodes = sub.list(base.Nodes, into.Nodes, from.Nodes, false)
	for i, f := range into.Fragments {
		if len(base.Fragments) != len(into.Fragments) || len(from.Fragments) != len(into.Fragments) {
			return nil
		}
		b, c := base.Fragments[i], from.Fragments[i]
		if b.Fragment != f.Fragment || c.Fragment != f.Fragment {
			return nil
		}
		n := sub.node(b, f, c)
		if n == nil {
			return nil
		}
		out.Fragments = append(out.Fragments, n)
	}
	if len(sub.conflicts) > 0 || len(into.Nodes) > 0 && len(out.Nodes) == 0 {
		return nil
	}
	return out
}

// mergedNode returns a copy of into without content. It carries the merged
// source, if there is one, as a proposal for how the node is written.
func mergedNode(base, into, from *markup.Node) *markup.Node {
	n := &markup.Node{Object: into.Object, Type: into.Type, Key: into.Key, Fragment: into.Fragment, Meta: into.Meta}
	if s := mergeSource(into.Type, base.Source(), into.Source(), from.Source()); s != "" {
		n.SetSource(s)
	}
	return n
}

// sameContainer reports whether two nodes can be versions of the same container.
func sameContainer(a, b *markup.Node) bool {
	return a.Object == b.Object && a.Type == b.Type && a.Fragment == b.Fragment && len(a.Leaves) == 0 && len(b.Leaves) == 0
}

func onlyBlocks(nodes []*markup.Node) bool {
	for _, n := range nodes {
		if n.Object != markup.ObjectBlock {
			return false
		}
	}
	return true
}

// mergeData merges attributes one by one. It returns false if both sides
// changed the same attribute in different ways.
func mergeData(base, into, from map[string]any) (map[string]any, bool) {
	hash := func(m map[string]any, k string) uint64 {
		if m[k] == nil {
			return 0
		}
		return markup.HashValue(align.HashSeed, m[k])
	}
	out := maps.Clone(into)
	for _, k := range slices.Concat(slices.Collect(maps.Keys(base)), slices.Collect(maps.Keys(from))) {
		b, a, c := hash(base, k), hash(into, k), hash(from, k)
		switch {
		case a == c || b == c:
		case a != b:
			return nil, false
		case c == 0:
			delete(out, k)
		default:
			if out == nil {
				out = map[string]any{}
			}
			out[k] = from[k]
		}
	}
	return out, true
}

// mergeOrder returns the ids of both sides in one order. It is the order of
// into. A node that from added or moved follows the node that precedes it in
// from. Ids below n are indexes of base nodes.
func mergeOrder(n int, into, from ids) ids {
	moved := func(side ids) map[int]bool {
		var known []int
		for _, id := range side {
			if id < n {
				known = append(known, id)
			}
		}
		out := map[int]bool{}
		for _, id := range known {
			out[id] = true
		}
		for _, i := range lis.Longest(known, cmp.Compare[int]) {
			delete(out, known[i])
		}
		return out
	}
	movedInto, movedFrom := moved(into), moved(from)
	inInto := map[int]bool{}
	for _, id := range into {
		inInto[id] = true
	}
	// Nodes that from added or moved are left out first and inserted below.
	put := map[int]bool{}
	inFrom := map[int]bool{}
	for _, id := range from {
		inFrom[id] = true
		if !inInto[id] || movedFrom[id] && !movedInto[id] {
			put[id] = true
		}
	}
	type entry struct{ id, next int }      // a linked list; -1 ends it
	entries := []entry{{id: -1, next: -1}} // the first entry is a head without a node
	at := map[int]int{-1: 0}
	insert := func(id, after int) {
		entries = append(entries, entry{id: id, next: entries[after].next})
		at[id] = len(entries) - 1
		entries[after].next = at[id]
	}
	end := 0
	for _, id := range into {
		if !put[id] {
			insert(id, end)
			end = at[id]
		}
	}
	before := -1
	for _, id := range from {
		if put[id] {
			place := at[before]
			// Insert after the nodes that into added at the same position.
			for e := entries[place].next; e >= 0 && entries[e].id >= n && !inFrom[entries[e].id]; e = entries[place].next {
				place = e
			}
			insert(id, place)
		}
		if _, known := at[id]; known {
			before = id
		}
	}
	var out ids
	for e := entries[0].next; e >= 0; e = entries[e].next {
		out = append(out, entries[e].id)
	}
	return out
}
