package markup

// Rekey assigns keys to doc: blocks that are the same as, or an edited form of,
// a block of old take its key, at any depth; others keep their own where it is
// theirs alone, or get a fresh one. The keys of a document that came from a
// client say which block is which; those of a parsed one follow from its content
// and say nothing.
//
// If sent is there, it is what a client made of old: its keys count more.
func Rekey(old, sent, doc *Document) {
	size := withKeys(doc.Nodes)
	r := &rekeyer{h: make(hashes, 2*size), used: make(map[string]bool, size), named: make(map[*Node]bool, size)}
	if sent != nil {
		r.top(sent, doc)
	}
	if len(old.Nodes) == 0 && doc.Spans != nil && sent == nil {
		return
	}
	r.top(old, doc)
	top := newKeys(nil, r.used) // which hashes nothing: r has done that
	for _, n := range doc.Nodes {
		if r.named[n] {
			continue
		}
		if !isKey(n.Key) || r.used[n.Key] {
			n.Key = top.fresh(r.h.of(n))
		}
		r.used[n.Key] = true
	}
	newTopKeys(doc).each(doc.Nodes, func(n *Node, key string) {
		if r.named[n] {
			return
		}
		for v := r.h.of(n); r.used[key]; {
			v = mix(v, 1)
			b := keyText(v)
			key = string(b[:])
		}
		n.Key = key
		r.used[key] = true
	})
}

// rekeyer assigns the keys of other documents to the nodes of one.
type rekeyer struct {
	h     hashes
	used  map[string]bool
	named map[*Node]bool // the nodes that have got their key
}

// top assigns keys to the blocks of a document and to what is inside of them.
func (r *rekeyer) top(old, doc *Document) {
	var from []int
	named := func(*Node) bool { return false }
	if doc.Spans == nil {
		from = r.h.match(old.Nodes, doc.Nodes)
		sameKeys(old.Nodes, doc.Nodes, from)
		named = func(n *Node) bool { return isKey(n.Key) }
	} else {
		from = r.h.align(old.Nodes, doc.Nodes)
	}
	edited(old.Nodes, doc.Nodes, from, named)
	for i, n := range doc.Nodes {
		if from[i] >= 0 {
			r.pair(old.Nodes[from[i]], n)
		}
	}
}

// pair assigns the key of a node to another one, and does the same for what is inside
// of them.
func (r *rekeyer) pair(old, now *Node) {
	if k := old.Key; !r.named[now] && isKey(k) && !r.used[k] {
		now.Key = k
		r.used[k], r.named[now] = true, true
	}
	if !holdsKeys(now) {
		return
	}
	if r.h.of(old) == r.h.of(now) {
		for i, n := range now.Nodes {
			r.inner(old.Nodes[i], n)
		}
		for i, n := range now.Fragments {
			r.inner(old.Fragments[i], n)
		}
		return
	}
	r.kids(old.Nodes, now.Nodes)
	r.kids(old.Fragments, now.Fragments)
}

// inner is pair for those nodes that somebody may point at; the keys of the
// others follow from these.
func (r *rekeyer) inner(old, now *Node) {
	switch {
	case now.Object == ObjectBlock || now.Object == ObjectFragment:
		r.pair(old, now)
	case now.Type == "annotation":
		r.kids(old.Fragments, now.Fragments)
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
func (r *rekeyer) kids(old, now []*Node) {
	from := r.h.alignBy(old, now, func(n *Node) uint64 {
		if n.Object == ObjectFragment { // its name follows from its place
			return hashNodes(n.Nodes)
		}
		return r.h.of(n)
	})
	edited(old, now, from, func(n *Node) bool { return n.Object == ObjectText })
	for i, n := range now {
		if from[i] >= 0 {
			r.inner(old[from[i]], n)
		}
	}
}
