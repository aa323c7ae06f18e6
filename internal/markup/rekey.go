package markup

import "github.com/octavo-docs/octavo/internal/markup/align"

// Rekey assigns keys to a parsed document. A node that is equal to, or an
// edited version of, a node of old gets its key, at any depth. Other nodes keep
// the key that is derived from their content if it is unique, or else get a new
// one. If sent is not nil, it is the changed version of old that a client sent,
// and its keys have precedence.
//
// Rekey returns the skeleton of the document, and the inner keys that SetKeys
// needs for the nodes inside blocks.
func Rekey(old *Skeleton, sent, doc *Document) (*Skeleton, map[int]string) {
	hashes := hashAll(doc.Nodes)
	now := skeletonOf(doc, hashes)
	if len(old.nodes) == 0 && sent == nil {
		now.setKeys(doc.Nodes)
		return now, innerKeys(doc, hashes)
	}
	r := rekeyer{make(map[string]*Node, len(hashes))}
	if sent != nil {
		r.top(NewSkeleton(sent).nodes, now.nodes, doc.Nodes)
	}
	r.top(old.nodes, now.nodes, doc.Nodes)
	top := newKeys(nil, r.used)
	for i, n := range doc.Nodes {
		if r.named(n) {
			continue
		}
		if r.used[n.Key] != nil {
			n.Key = top.newKey(now.nodes[i].hash, n)
		}
		r.used[n.Key] = n
	}
	inner := r.inside(doc, hashes)
	now.setKeys(doc.Nodes)
	return now, inner
}

// rekeyer assigns the keys of other documents to the nodes of one document. Its
// methods take each node together with its bone.
type rekeyer struct {
	used map[string]*Node // the node that was assigned each key
}

// named reports whether a key was assigned to a node. Before that, the node has
// the key from Parse, which may be assigned to another node.
func (r rekeyer) named(n *Node) bool { return r.used[n.Key] == n }

// inside assigns derived keys to the nodes inside blocks that have no key yet.
// It returns the same as innerKeys.
func (r rekeyer) inside(doc *Document, hashes []uint64) map[int]string {
	var in numberedKeys
	k := newTopKeys(doc, hashes)
	k.each(doc.Nodes, func(n *Node, follows string) {
		if !r.named(n) {
			n.Key = follows
			for v := k.hashes[0]; r.used[n.Key] != nil; {
				v = align.Mix(v, 1)
				b := keyText(v)
				n.Key = string(b[:])
			}
			r.used[n.Key] = n
		}
		in.add(n, follows)
	})
	return in.keys
}

// top assigns keys to the top-level blocks of a document and to their
// descendants.
func (r rekeyer) top(old, now []bone, nodes []*Node) {
	for i, j := range cameFrom(old, now, func(int) bool { return false }) {
		if j >= 0 {
			r.pair(&old[j], &now[i], nodes[i])
		}
	}
}

// cameFrom returns for each node the index of the old node that it equals or is
// an edited version of, or -1 for a new node.
func cameFrom(old, now []bone, isNew func(int) bool) []int {
	places, kinds := listed(old)
	nowPlaces, nowKinds := listed(now)
	from := align.InOrder(places, nowPlaces)
	align.Edited(kinds, nowKinds, from, isNew)
	return from
}

func listed(nodes []bone) (places []uint64, kinds []string) {
	places, kinds = make([]uint64, len(nodes)), make([]string, len(nodes))
	for i := range nodes {
		places[i], kinds[i] = nodes[i].place, nodes[i].kind
	}
	return places, kinds
}

// pair assigns the key of an old node to n, and does the same for their
// descendants.
func (r rekeyer) pair(old, now *bone, n *Node) {
	if k := old.key; !r.named(n) && isKey(k) && r.used[k] == nil {
		n.Key, r.used[k] = k, n
	}
	if !holdsKeys(n) {
		return
	}
	if old.hash == now.hash && len(old.nodes) == len(now.nodes) && len(old.fragments) == len(now.fragments) {
		for i, k := range n.Nodes {
			r.inner(&old.nodes[i], &now.nodes[i], k)
		}
		for i, k := range n.Fragments {
			r.inner(&old.fragments[i], &now.fragments[i], k)
		}
		return
	}
	r.kids(old.nodes, now.nodes, n.Nodes)
	r.kids(old.fragments, now.fragments, n.Fragments)
}

// inner is pair for nodes that can be referred to by key. The keys of other
// nodes are derived from those.
func (r rekeyer) inner(old, now *bone, n *Node) {
	switch {
	case n.Object == ObjectBlock || n.Object == ObjectFragment:
		r.pair(old, now, n)
	case n.Type == "annotation":
		r.kids(old.fragments, now.fragments, n.Fragments)
	}
}

// holdsKeys reports whether a node contains nodes that can be referred to by
// key.
func holdsKeys(n *Node) bool {
	if len(n.Fragments) > 0 {
		return true
	}
	for _, k := range n.Nodes {
		if k.Object == ObjectBlock || k.Type == "annotation" {
			return true
		}
	}
	return false
}

// kids matches the nodes of two lists and assigns keys to the matched nodes.
func (r rekeyer) kids(old, now []bone, nodes []*Node) {
	isText := func(i int) bool { return nodes[i].Object == ObjectText }
	for i, j := range cameFrom(old, now, isText) {
		if j >= 0 {
			r.inner(&old[j], &now[i], nodes[i])
		}
	}
}
