package merge

import (
	"cmp"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// ChangeKind is the kind of a change of a block.
type ChangeKind string

// Kinds of changes.
const (
	BlockAdded   ChangeKind = "added"
	BlockRemoved ChangeKind = "removed"
	BlockEdited  ChangeKind = "edited"
	BlockMoved   ChangeKind = "moved" // among its siblings; a block that was also edited is listed twice
)

// BlockChange is a block that differs between two versions of a document.
type BlockChange struct {
	Kind ChangeKind
	Key  string // the key after the change, or before it for a removed block
	Type string
	// Parent is the key of the parent block, or of the fragment of a cell; empty
	// on the top level.
	Parent string
	// Before and After are the block as Markdown, at most MaxChangeText bytes
	// each. Plain text would hide that the target of a link changed.
	Before, After string
	// Words are the differences in the text of an edited block.
	Words []align.WordChange

	from, to place
}

// place is the position of a block in one version of a document.
type place struct {
	in *markup.Node // parent; nil for the top level
	at int
	n  *markup.Node // nil if the block is not in this version
}

// MaxChangeText is the maximum length of the text of a block in a change, in
// bytes.
const MaxChangeText = 4000

// Diff returns the differences between two versions of a document, in the order
// of the new version. A removed block is listed at its old position. Blocks are
// matched by their keys on the top level, and by their order and content inside
// of other blocks. If a list, a tab, a cell or another container differs only in
// its blocks, these blocks are listed instead of the container.
func Diff(before, after *markup.Document) []BlockChange {
	d := &differ{h: markup.Hashes{}, dests: map[docs.Ref]string{}}
	for _, doc := range []*markup.Document{before, after} {
		markup.Destinations(doc, func(ref docs.Ref, dest string) { d.dests[ref] = dest })
	}
	d.list(nil, nil, before.Nodes, after.Nodes)
	return d.out
}

type differ struct {
	h     markup.Hashes
	out   []BlockChange
	dests map[docs.Ref]string // destinations of references in the sources
}

// text returns a block as Markdown.
func (d *differ) text(n *markup.Node) string {
	refs := markup.Refs{Locate: func(ref docs.Ref, _ markup.Use) (string, bool) {
		dest, ok := d.dests[ref]
		return dest, ok
	}}
	out := strings.TrimSpace(string(markup.Print(&markup.Document{Nodes: []*markup.Node{n}}, refs)))
	if out == "" { // a part that cannot be printed as a block
		out = markup.Text([]*markup.Node{n})
	}
	return cutBytes(out, MaxChangeText)
}

// identify returns for each node of doc the index of the corresponding node of
// old, or -1.
func (d *differ) identify(old, doc []*markup.Node, top bool) []int {
	if !top {
		from := d.h.InOrder(old, doc)
		markup.MatchEdited(old, doc, from, func(*markup.Node) bool { return false })
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
	// Blocks with equal content and different keys are the same block.
	left := map[uint64][]int{}
	for j, n := range old {
		if !taken[j] {
			left[d.h.Of(n)] = append(left[d.h.Of(n)], j)
		}
	}
	for i, n := range doc {
		if same := left[d.h.Of(n)]; from[i] < 0 && len(same) > 0 {
			from[i], left[d.h.Of(n)] = same[0], same[1:]
		}
	}
	return from
}

// list compares two versions of the nodes of a container.
func (d *differ) list(was, is *markup.Node, old, doc []*markup.Node) {
	from := d.identify(old, doc, is == nil)
	kept := make([]bool, len(old))
	var known []int // indices of doc that have a node in old
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
	next := 0 // index in old: a removed block is listed after the block that preceded it
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

// node compares two versions of a block.
func (d *differ) node(a, b place) {
	switch {
	case d.h.Of(a.n) == d.h.Of(b.n):
	case d.container(a.n, b.n):
		d.list(a.n, b.n, a.n.Nodes, b.n.Nodes)
		for i, f := range b.n.Fragments {
			d.list(a.n.Fragments[i], f, a.n.Fragments[i].Nodes, f.Nodes)
		}
	default:
		d.add(BlockEdited, a, b)
	}
}

// container reports whether two versions of a block differ only in their blocks,
// which can then be listed separately. Code is listed as a whole, because a
// single line of it means little.
func (d *differ) container(a, b *markup.Node) bool {
	if !sameContainer(a, b) || a.Type == "code" || !sameData(a, b) || !onlyBlocks(a.Nodes) || !onlyBlocks(b.Nodes) ||
		len(a.Fragments) != len(b.Fragments) || (len(a.Nodes) == 0) != (len(b.Nodes) == 0) {
		return false
	}
	for i, f := range b.Fragments {
		was := a.Fragments[i]
		if d.h.Of(was) == d.h.Of(f) {
			continue
		}
		if !sameContainer(was, f) || !sameData(was, f) || !onlyBlocks(was.Nodes) || !onlyBlocks(f.Nodes) || len(was.Fragments)+len(f.Fragments) > 0 {
			return false
		}
	}
	return true
}

func sameData(a, b *markup.Node) bool {
	return markup.HashValue(align.HashSeed, a.Data) == markup.HashValue(align.HashSeed, b.Data)
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
		c.Words = align.DiffWords(c.Before, c.After)
	}
	d.out = append(d.out, c)
}

// cutBytes returns the beginning of a text, at most the given number of bytes, in
// whole characters.
func cutBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && s[most]&0xC0 == 0x80 {
		most--
	}
	return s[:most]
}
