package markup

// Rekey assigns keys to a parsed document: blocks that are the same as, or an
// edited form of, a block of old take its key, at any depth; others keep their
// own, which follows from their content, where it is theirs alone, or get a
// fresh one. If sent is there, it is what a client made of old: its keys count
// more.
//
// It returns the skeleton of the document, and what SetKeys needs for the keys
// inside of blocks.
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
			n.Key = top.fresh(now.nodes[i].hash, n)
		}
		r.used[n.Key] = n
	}
	inner := r.inside(doc, hashes)
	now.setKeys(doc.Nodes)
	return now, inner
}

// rekeyer assigns the keys of other documents to the nodes of one. Beside a
// node it has the one of the skeleton.
type rekeyer struct {
	used map[string]*Node // who has got a key
}

// named reports whether a node has got its key. Before that it has the one
// that Parse made, which another node may have got.
func (r rekeyer) named(n *Node) bool { return r.used[n.Key] == n }

// inside assigns the keys that follow from those around them to the nodes that
// have none yet. It returns what innerKeys returns.
func (r rekeyer) inside(doc *Document, hashes []uint64) map[int]string {
	var in numberedKeys
	k := newTopKeys(doc, hashes)
	k.each(doc.Nodes, func(n *Node, follows string) {
		if !r.named(n) {
			n.Key = follows
			for v := k.hashes[0]; r.used[n.Key] != nil; {
				v = mix(v, 1)
				b := keyText(v)
				n.Key = string(b[:])
			}
			r.used[n.Key] = n
		}
		in.add(n, follows)
	})
	return in.keys
}

// top assigns keys to the blocks of a document and to what is inside of them.
func (r rekeyer) top(old, now []bone, nodes []*Node) {
	for i, j := range cameFrom(old, now, func(int) bool { return false }) {
		if j >= 0 {
			r.pair(&old[j], &now[i], nodes[i])
		}
	}
}

// cameFrom returns for each node the old one that it is, or is another form of;
// -1 for a new one.
func cameFrom(old, now []bone, fresh func(int) bool) []int {
	places, kinds := listed(old)
	nowPlaces, nowKinds := listed(now)
	from := align(places, nowPlaces)
	editedKinds(kinds, nowKinds, from, fresh)
	return from
}

func listed(nodes []bone) (places []uint64, kinds []string) {
	places, kinds = make([]uint64, len(nodes)), make([]string, len(nodes))
	for i := range nodes {
		places[i], kinds[i] = nodes[i].place, nodes[i].kind
	}
	return places, kinds
}

// pair assigns the key of a node to another one, and does the same for what is inside
// of them.
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

// inner is pair for those nodes that somebody may point at; the keys of the
// others follow from these.
func (r rekeyer) inner(old, now *bone, n *Node) {
	switch {
	case n.Object == ObjectBlock || n.Object == ObjectFragment:
		r.pair(old, now, n)
	case n.Type == "annotation":
		r.kids(old.fragments, now.fragments, n.Fragments)
	}
}

// holdsKeys reports whether there are such nodes in a node.
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

// kids pairs the nodes of two lists by their order.
func (r rekeyer) kids(old, now []bone, nodes []*Node) {
	isText := func(i int) bool { return nodes[i].Object == ObjectText }
	for i, j := range cameFrom(old, now, isText) {
		if j >= 0 {
			r.inner(&old[j], &now[i], nodes[i])
		}
	}
}
