package chunk

import (
	"context"
	"slices"
)

// Edit sets the value of a key, or removes the key if Value is nil. An empty value
// that is not nil is a value.
type Edit struct {
	Key   string
	Value []byte
}

// NewNode is a new node of Apply.
type NewNode struct {
	Hash Hash
	Node *Node
	Data []byte // Node.Encode
	Base Hash   // the node that it replaces; empty if there is none
}

// Apply returns the root of the map after edits, which must be sorted by key and
// contain each key once. It calls put for every new node.
func Apply(ctx context.Context, src Source, root Hash, edits []Edit, put func(NewNode)) (Hash, error) {
	if replaced, err := replace(ctx, src, root, edits); err != nil || replaced != nil {
		return replaced.put(put), err
	}
	b := &builder{src: src, put: put, made: map[Hash]*Node{}}
	if root == "" {
		b.addEdits(edits)
	} else if err := b.walk(ctx, root, edits); err != nil {
		return "", err
	}
	return b.finish(ctx)
}

// replacement is a node with changed values, and the changed nodes below it.
type replacement struct {
	NewNode
	below []*replacement
}

// replace is Apply for edits that only change the values of existing keys, as most
// edits do: all nodes end after the same keys as before, so the keys are not hashed.
// It returns nil if an edit adds or removes a key.
func replace(ctx context.Context, src Source, h Hash, edits []Edit) (*replacement, error) {
	if h == "" || len(edits) == 0 {
		return nil, nil
	}
	old, err := src.Node(ctx, h)
	if err != nil {
		return nil, err
	}
	n := *old
	out := &replacement{}
	if n.Level == 0 {
		n.Values = slices.Clone(n.Values)
	} else {
		n.Children = slices.Clone(n.Children)
	}
	for len(edits) > 0 {
		at := n.find(edits[0].Key)
		if at == len(n.Keys) {
			return nil, nil
		}
		if n.Level == 0 {
			if n.Keys[at] != edits[0].Key || edits[0].Value == nil {
				return nil, nil
			}
			n.Values[at], edits = edits[0].Value, edits[1:]
			continue
		}
		end := 1
		for end < len(edits) && edits[end].Key <= n.Keys[at] {
			end++
		}
		child, err := replace(ctx, src, n.Children[at], edits[:end])
		if err != nil || child == nil {
			return nil, err
		}
		out.below = append(out.below, child)
		n.Children[at], edits = child.Hash, edits[end:]
	}
	data := n.Encode()
	out.NewNode = NewNode{Hash: Sum(data), Node: &n, Data: data, Base: h}
	return out, nil
}

// put calls fn for the new nodes and returns the hash of the top one.
func (r *replacement) put(fn func(NewNode)) Hash {
	if r == nil {
		return ""
	}
	for _, b := range r.below {
		b.put(fn)
	}
	fn(r.NewNode)
	return r.Hash
}

// builder builds a tree from left to right. It reuses the subtrees of the old tree in
// which nothing changes.
type builder struct {
	src  Source
	put  func(NewNode)
	open [maxLevel + 2]Node // the node of each level that is not finished
	made map[Hash]*Node
	old  [maxLevel + 2]Hash // the node of each level of the old tree that was read last
}

// walk adds a subtree with edits.
func (b *builder) walk(ctx context.Context, h Hash, edits []Edit) error {
	n, err := b.src.Node(ctx, h)
	if err != nil {
		return err
	}
	b.old[n.Level] = h
	if n.Level == 0 {
		b.merge(n, edits)
		return nil
	}
	for i, last := range n.Keys {
		mine := edits
		if i < len(n.Keys)-1 { // the last child gets the edits after its last key too
			end, found := slices.BinarySearchFunc(edits, last, func(e Edit, key string) int { return compare(e.Key, key) })
			if found {
				end++
			}
			mine, edits = edits[:end], edits[end:]
		}
		if len(mine) == 0 && b.aligned(n.Level) {
			b.add(n.Level, last, nil, n.Children[i], n.Counts[i])
			continue
		}
		if err := b.walk(ctx, n.Children[i], mine); err != nil {
			return err
		}
	}
	return nil
}

// aligned reports whether no node below a level is open, so that a subtree of that
// level can be added.
func (b *builder) aligned(level int) bool {
	for i := range level {
		if len(b.open[i].Keys) > 0 {
			return false
		}
	}
	return true
}

// merge adds the entries of a leaf with edits.
func (b *builder) merge(n *Node, edits []Edit) {
	for i, k := range n.Keys {
		for len(edits) > 0 && edits[0].Key < k {
			b.addEdits(edits[:1])
			edits = edits[1:]
		}
		if len(edits) > 0 && edits[0].Key == k {
			b.addEdits(edits[:1])
			edits = edits[1:]
			continue
		}
		b.add(0, k, n.Values[i], "", 1)
	}
	b.addEdits(edits)
}

func (b *builder) addEdits(edits []Edit) {
	for _, e := range edits {
		if e.Value != nil {
			b.add(0, e.Key, e.Value, "", 1)
		}
	}
}

// add appends an entry to the open node of a level, and closes the node if it ends
// after that key.
func (b *builder) add(level int, key string, value []byte, child Hash, count int) {
	n := &b.open[level]
	n.Keys = append(n.Keys, key)
	if level == 0 {
		n.Values = append(n.Values, value)
	} else {
		n.Children = append(n.Children, child)
		n.Counts = append(n.Counts, count)
	}
	if level < maxLevel && levelOf(key) > level {
		b.flush(level)
	}
}

// flush closes the open node of a level.
func (b *builder) flush(level int) {
	n := b.open[level]
	n.Level = level
	b.open[level] = Node{}
	data := n.Encode()
	h := Sum(data)
	if _, known := b.made[h]; !known {
		b.made[h] = &n
		b.put(NewNode{Hash: h, Node: &n, Data: data, Base: b.old[level]})
	}
	b.add(level+1, n.Keys[len(n.Keys)-1], nil, h, n.count())
}

// finish closes all open nodes and returns the root: the lowest node that contains
// all entries.
func (b *builder) finish(ctx context.Context) (Hash, error) {
	top := -1
	for level := range b.open {
		if len(b.open[level].Keys) > 0 {
			top = level
		}
	}
	if top < 0 {
		return "", nil
	}
	for level := 0; level <= top; level++ {
		if level == top && level > 0 && len(b.open[level].Children) == 1 {
			return b.lower(ctx, b.open[level].Children[0])
		}
		if len(b.open[level].Keys) > 0 {
			b.flush(level)
			top = max(top, level+1)
		}
	}
	return "", nil // unreachable: the last flush leaves one child above
}

// lower descends from a node as long as there is only one child.
func (b *builder) lower(ctx context.Context, h Hash) (Hash, error) {
	for {
		n, ok := b.made[h]
		if !ok {
			var err error
			if n, err = b.src.Node(ctx, h); err != nil {
				return "", err
			}
		}
		if n.Level == 0 || len(n.Children) != 1 {
			return h, nil
		}
		h = n.Children[0]
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
