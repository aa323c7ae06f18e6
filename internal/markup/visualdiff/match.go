package visualdiff

import (
	"strings"

	dom "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// pair is a node in both versions of a page. One of them is nil if the node was added
// or removed.
type pair struct{ before, after *dom.Node }

// window is the maximum number of removed blocks that an added block is compared with.
const window = 12

// align matches the nodes of two lists. Equal nodes are matched first. Between them,
// the nodes that have the most words in common are matched.
func (d *differ) align(old, now []*dom.Node) (out []pair) {
	var gone, come []*dom.Node
	flush := func() {
		out = append(out, d.similar(gone, come)...)
		gone, come = nil, nil
	}
	i, j := 0, 0
	for _, c := range align.DiffTokens(d.allKeys(old), d.allKeys(now)) {
		switch c.Op {
		case align.WordEqual:
			flush()
			out = append(out, pair{old[i], now[j]})
			i, j = i+1, j+1
		case align.WordDelete:
			gone = append(gone, old[i])
			i++
		case align.WordInsert:
			come = append(come, now[j])
			j++
		}
	}
	flush()
	return out
}

func (d *differ) allKeys(nodes []*dom.Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = d.key(n)
	}
	return out
}

// similar matches nodes that differ, in order.
func (d *differ) similar(gone, come []*dom.Node) (out []pair) {
	alone := len(gone) == 1 && len(come) == 1
	next := 0
	for _, b := range come {
		best, at := 0.0, -1
		for i := next; i < len(gone) && i < next+window; i++ {
			if s := d.similarity(gone[i], b, alone); s > best {
				best, at = s, i
			}
		}
		if at >= 0 {
			for ; next < at; next++ {
				out = append(out, pair{before: gone[next]})
			}
			out = append(out, pair{gone[at], b})
			next = at + 1
			continue
		}
		out = append(out, pair{after: b})
	}
	for ; next < len(gone); next++ {
		out = append(out, pair{before: gone[next]})
	}
	return removedFirst(out)
}

// removedFirst puts removed nodes before the nodes that were added in their place.
func removedFirst(pairs []pair) []pair {
	out, run := make([]pair, 0, len(pairs)), []pair(nil)
	flush := func() {
		for _, p := range run {
			if p.after == nil {
				out = append(out, p)
			}
		}
		for _, p := range run {
			if p.after != nil {
				out = append(out, p)
			}
		}
		run = nil
	}
	for _, p := range pairs {
		if p.before != nil && p.after != nil {
			flush()
			out = append(out, p)
			continue
		}
		run = append(run, p)
	}
	flush()
	return out
}

// enough is the minimum share of common words for two blocks to be versions of one
// block.
const enough = 0.34

// similarity returns the share of words that two nodes have in common, from 0 to 1. It
// returns 0 if they cannot be versions of one node. If alone is set, there are no other
// candidates, and some nodes need fewer words in common.
func (d *differ) similarity(a, b *dom.Node, alone bool) float64 {
	if a.Type != b.Type || a.Data != b.Data || firstClass(a) != firstClass(b) {
		return 0
	}
	x, y := d.bag(a), d.bag(b)
	if d.left -= x.words + y.words; d.left < 0 {
		return 0
	}
	if x.words == 0 && y.words == 0 {
		return 1
	}
	common := 0
	for word, n := range x.count {
		common += min(n, y.count[word])
	}
	s := float64(2*common) / float64(x.words+y.words)
	switch {
	case alone && replaces(b):
		return max(s, 0.01)
	case s < enough:
		return 0
	}
	return s
}

// replaces reports whether a node replaces its predecessor regardless of the content.
// That applies to headings, cells, and elements with parts of their own.
func replaces(n *dom.Node) bool {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Td, atom.Th, atom.Summary, atom.Figcaption, atom.Table, atom.Thead, atom.Tbody, atom.Ul, atom.Ol, atom.Pre, atom.Code, atom.Figure, atom.Picture:
		return true
	}
	if n.DataAtom == atom.P && n.Parent != nil && (n.Parent.DataAtom == atom.Td || n.Parent.DataAtom == atom.Th) {
		return true
	}
	return n.Type == dom.TextNode || n.DataAtom == atom.Div || n.DataAtom == atom.Span && !hasClass(n, "line")
}

// moved returns the nodes of two lists that only changed their position.
func (d *differ) moved(pairs []pair) map[*dom.Node]bool {
	gone := map[string][]*dom.Node{}
	for _, p := range pairs {
		if p.after == nil && d.bag(p.before).words >= minMoved {
			gone[d.key(p.before)] = append(gone[d.key(p.before)], p.before)
		}
	}
	out := map[*dom.Node]bool{}
	for _, p := range pairs {
		if p.before != nil {
			continue
		}
		if from := gone[d.key(p.after)]; len(from) > 0 {
			out[from[0]], out[p.after] = true, true
			gone[d.key(p.after)] = from[1:]
		}
	}
	return out
}

// minMoved is the minimum number of words of a block that is recognized as moved.
const minMoved = 2

// bag holds the words of a node with their counts.
type bag struct {
	words int
	count map[string]int
}

func (d *differ) bag(n *dom.Node) bag {
	if b, ok := d.bags[n]; ok {
		return b
	}
	b := bag{count: map[string]int{}}
	for _, w := range align.Words(textOf(n)) {
		if strings.TrimSpace(w) != "" {
			b.count[w]++
			b.words++
		}
	}
	d.bags[n] = b
	return b
}
