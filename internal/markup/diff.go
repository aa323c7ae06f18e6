package markup

import (
	"cmp"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/lis"
)

// ChangeKind is what became of a block.
type ChangeKind string

// What becomes of blocks.
const (
	BlockAdded   ChangeKind = "added"
	BlockRemoved ChangeKind = "removed"
	BlockEdited  ChangeKind = "edited"
	BlockMoved   ChangeKind = "moved" // among its siblings; one that was edited too is listed twice
)

// BlockChange is a block that differs between two forms of a document.
type BlockChange struct {
	Kind ChangeKind
	Key  string // as it is after the change; of a removed block, as it was
	Type string
	// Parent is the key of the block or the cell that it is in; empty on the
	// top level.
	Parent string
	// Before and After are it as Markdown, at most MaxChangeText bytes of it:
	// plain text would hide that a link leads elsewhere.
	Before, After string
	// Words tell how the text of an edited block differs.
	Words []WordChange

	from, to place
}

// place is where a block is in a form of a document.
type place struct {
	in *Node // nil: the top level
	at int
	n  *Node // nil: it is not there
}

// MaxChangeText is how much of the text of a block a change contains.
const MaxChangeText = 4000

// Diff reports what differs between two forms of a document, in the order of
// the new one, with what was removed where it stood. On the top level keys
// say what is what, inside of blocks the order does. Where a list, a tab, a
// cell or another container is the same but for what is in it, the blocks in
// it are listed.
func Diff(before, after *Document) []BlockChange {
	d := &differ{h: hashes{}, dests: map[docs.Ref]string{}}
	for _, doc := range []*Document{before, after} {
		eachNode(doc.Nodes, func(n *Node) {
			for _, w := range n.extra().written {
				d.dests[w.ref()] = w.dest
			}
		})
	}
	d.list(nil, nil, before.Nodes, after.Nodes)
	return d.out
}

type differ struct {
	h     hashes
	out   []BlockChange
	dests map[docs.Ref]string // how references are written
}

// text returns a block as Markdown.
func (d *differ) text(n *Node) string {
	refs := Refs{Locate: func(ref docs.Ref, _ Use) (string, bool) {
		dest, ok := d.dests[ref]
		return dest, ok
	}}
	out := strings.TrimSpace(string(Print(&Document{Nodes: []*Node{n}}, refs)))
	if out == "" { // a part that is no block by itself
		out = Text([]*Node{n})
	}
	return cutBytes(out, MaxChangeText)
}

// identify returns for each node of a list the node that it was, or -1.
func (d *differ) identify(old, doc []*Node, top bool) []int {
	if !top {
		from := d.h.align(old, doc)
		edited(old, doc, from, func(*Node) bool { return false })
		return from
	}
	from := make([]int, len(doc))
	taken := make([]bool, len(old))
	keyed := make(map[string][]int, len(old))
	for j, n := range old {
		keyed[n.Key] = append(keyed[n.Key], j)
	}
	for i, n := range doc {
		from[i] = -1
		if same := keyed[n.Key]; len(same) > 0 && n.Key != "" {
			from[i], keyed[n.Key] = same[0], same[1:]
			taken[same[0]] = true
		}
	}
	// The same words under another key are the same block.
	left := map[uint64][]int{}
	for j, n := range old {
		if !taken[j] {
			left[d.h.of(n)] = append(left[d.h.of(n)], j)
		}
	}
	for i, n := range doc {
		if same := left[d.h.of(n)]; from[i] < 0 && len(same) > 0 {
			from[i], left[d.h.of(n)] = same[0], same[1:]
		}
	}
	return from
}

// list compares two forms of the nodes of a container.
func (d *differ) list(was, is *Node, old, doc []*Node) {
	from := d.identify(old, doc, is == nil)
	kept := make([]bool, len(old))
	var known []int // those of doc that were there
	for i, j := range from {
		if j >= 0 {
			kept[j] = true
			known = append(known, i)
		}
	}
	moved := make([]bool, len(doc))
	for _, i := range known {
		moved[i] = true
	}
	for _, k := range lis.Longest(known, func(i, j int) int { return from[i] - from[j] }) {
		moved[known[k]] = false
	}
	next := 0 // of old: what was deleted is listed behind what it was behind
	gone := func(until int) {
		for ; next < until; next++ {
			if !kept[next] {
				d.add(BlockRemoved, place{was, next, old[next]}, place{in: is})
			}
		}
	}
	for i, n := range doc {
		j := from[i]
		if j < 0 {
			d.add(BlockAdded, place{in: was}, place{is, i, n})
			continue
		}
		a, b := place{was, j, old[j]}, place{is, i, n}
		if moved[i] {
			d.add(BlockMoved, a, b)
		} else {
			gone(j)
		}
		d.node(a, b)
	}
	gone(len(old))
}

// node compares two forms of a block.
func (d *differ) node(a, b place) {
	switch {
	case d.h.of(a.n) == d.h.of(b.n):
	case d.container(a.n, b.n):
		d.list(a.n, b.n, a.n.Nodes, b.n.Nodes)
		for i, f := range b.n.Fragments {
			d.list(a.n.Fragments[i], f, a.n.Fragments[i].Nodes, f.Nodes)
		}
	default:
		d.add(BlockEdited, a, b)
	}
}

// container reports whether only what is in a block differs, and can be listed
// by itself. Code is listed as a whole: a line of it says little.
func (d *differ) container(a, b *Node) bool {
	if !alike(a, b) || a.Type == "code" || !sameData(a, b) || !onlyBlocks(a.Nodes) || !onlyBlocks(b.Nodes) ||
		len(a.Fragments) != len(b.Fragments) || (len(a.Nodes) == 0) != (len(b.Nodes) == 0) {
		return false
	}
	for i, f := range b.Fragments {
		was := a.Fragments[i]
		if d.h.of(was) == d.h.of(f) {
			continue
		}
		if !alike(was, f) || !sameData(was, f) || !onlyBlocks(was.Nodes) || !onlyBlocks(f.Nodes) || len(was.Fragments)+len(f.Fragments) > 0 {
			return false
		}
	}
	return true
}

func sameData(a, b *Node) bool {
	return hashValue(hashSeed, a.Data) == hashValue(hashSeed, b.Data)
}

func (d *differ) add(kind ChangeKind, from, to place) {
	n, in := cmp.Or(to.n, from.n), to.in
	if to.n == nil {
		in = from.in
	}
	c := BlockChange{Kind: kind, Key: n.Key, Type: n.Type, from: from, to: to}
	if in != nil {
		c.Parent = in.Key
	}
	if from.n != nil {
		c.Before = d.text(from.n)
	}
	switch {
	case kind == BlockMoved:
		c.Before = d.text(to.n)
		c.After = c.Before
	case to.n != nil:
		c.After = d.text(to.n)
	}
	if kind == BlockEdited {
		c.Words = DiffWords(c.Before, c.After)
	}
	d.out = append(d.out, c)
}

// cutBytes returns the beginning of a text, in whole characters.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most]
}
