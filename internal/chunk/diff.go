package chunk

import "context"

// Diff calls fn for every key whose value differs between two maps, in
// order: before is nil for a new key, after for a removed one. Equal subtrees are
// not read.
func Diff(ctx context.Context, src Source, a, b Hash, fn func(key string, before, after []byte) error) error {
	if a == b {
		return nil
	}
	l, r := &cursor{ctx: ctx, src: src}, &cursor{ctx: ctx, src: src}
	if err := l.start(a); err != nil {
		return err
	}
	if err := r.start(b); err != nil {
		return err
	}
	for !l.done() || !r.done() {
		lh, lLevel := l.subtree()
		rh, rLevel := r.subtree()
		var err error
		switch {
		case lh != "" && lh == rh:
			l.next()
			r.next()
		case lh != "" && (rh == "" || lLevel >= rLevel):
			if err = l.descend(); err == nil && rh != "" && lLevel == rLevel {
				err = r.descend()
			}
		case rh != "":
			err = r.descend()
		default:
			err = pair(l, r, fn)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pair compares the entries at two cursors.
func pair(l, r *cursor, fn func(key string, before, after []byte) error) error {
	switch {
	case r.done() || (!l.done() && l.key() < r.key()):
		k, v := l.key(), l.value()
		l.next()
		return fn(k, v, nil)
	case l.done() || r.key() < l.key():
		k, v := r.key(), r.value()
		r.next()
		return fn(k, nil, v)
	}
	k, before, after := l.key(), l.value(), r.value()
	l.next()
	r.next()
	if string(before) == string(after) {
		return nil
	}
	return fn(k, before, after)
}

// cursor iterates over a tree. Its position is an entry or a whole subtree.
type cursor struct {
	ctx   context.Context
	src   Source
	stack []place
}

type place struct {
	node *Node
	at   int
}

func (c *cursor) start(root Hash) error {
	if root == "" {
		return nil
	}
	n, err := c.src.Node(c.ctx, root)
	if err == nil {
		c.stack = []place{{n, 0}}
	}
	return err
}

func (c *cursor) done() bool { return len(c.stack) == 0 }

func (c *cursor) top() *place { return &c.stack[len(c.stack)-1] }

// subtree returns the hash of the subtree at the cursor. It is empty if the cursor is
// at an entry or at the end.
func (c *cursor) subtree() (Hash, int) {
	if c.done() || c.top().node.Level == 0 {
		return "", 0
	}
	return c.top().node.Children[c.top().at], c.top().node.Level
}

func (c *cursor) key() string   { return c.top().node.Keys[c.top().at] }
func (c *cursor) value() []byte { return c.top().node.Values[c.top().at] }

func (c *cursor) descend() error {
	n, err := c.src.Node(c.ctx, c.top().node.Children[c.top().at])
	if err == nil {
		c.stack = append(c.stack, place{n, 0})
	}
	return err
}

func (c *cursor) next() {
	for len(c.stack) > 0 {
		p := c.top()
		if p.at++; p.at < len(p.node.Keys) {
			return
		}
		c.stack = c.stack[:len(c.stack)-1]
	}
}
