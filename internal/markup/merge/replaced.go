package merge

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/markup"
)

// A replacement consists of the blocks that a side wrote in place of blocks
// that it deleted. If both sides deleted a block and each wrote blocks there
// that the other side did not write, the new blocks are two versions of the
// same position, which is a conflict. An empty base is such a position too.
//
// New blocks between two blocks that at least one side kept are additions. The
// additions of both sides are kept.

// gap is the range start to end of new nodes of a side. The end is exclusive.
type gap struct{ start, end int }

// gaps returns, for each of n base nodes, the gap in which the side replaced
// it. It is the run of new nodes between the nearest base nodes that the side
// has. The gap is empty for a base node that the side has, and where base nodes
// were moved into the run.
func (side ids) gaps(n int) []gap {
	at := make([]int, n)
	for i := range at {
		at[i] = -1
	}
	for i, id := range side {
		if id < n {
			at[id] = i
		}
	}
	out, last := make([]gap, n), -1
	for id, i := range at {
		if out[id].start = last + 1; i >= 0 {
			last = i
		}
	}
	next := len(side)
	for id, i := range slices.Backward(at) {
		if out[id].end = next; i >= 0 {
			next, out[id] = i, gap{}
		}
	}
	isOld := func(id int) bool { return id < n }
	var checked, result gap // consecutive nodes share a gap, which is checked once
	for i, s := range out {
		if s != checked {
			if checked, result = s, s; s.start >= s.end || slices.ContainsFunc(side[s.start:s.end], isOld) {
				result = gap{}
			}
		}
		out[i] = result
	}
	return out
}

// replaced adds a conflict for each position at which both sides replaced the
// same nodes in different ways. It returns the ids of the nodes that from wrote
// there: they are dropped, because the result has the version of into.
func (m *merger) replaced(base, into, from []*markup.Node, a, c ids) map[int]bool {
	inInto, inFrom, dropped := setOf(a), setOf(c), map[int]bool{}
	// own returns the nodes in a gap of a side that the other side does not
	// have, and their ids.
	own := func(nodes []*markup.Node, side ids, s gap, other map[int]bool) (out []*markup.Node, which ids) {
		for i := s.start; i < s.end; i++ {
			if !other[side[i]] {
				out, which = append(out, nodes[i]), append(which, side[i])
			}
		}
		return out, which
	}
	var last *BlockConflict
	var lastInto, lastFrom gap
	add := func(was []*markup.Node, x, y gap) {
		mine, _ := own(into, a, x, inFrom)
		theirs, leave := own(from, c, y, inInto)
		if len(mine) == 0 || len(theirs) == 0 {
			return
		}
		for _, id := range leave {
			dropped[id] = true
		}
		if last != nil && (x == lastInto || y == lastFrom) { // same position as the last conflict
			last.Base = append(last.Base, was...)
			if x != lastInto {
				last.Into = append(last.Into, mine...)
			}
			if y != lastFrom {
				last.From = append(last.From, theirs...)
			}
		} else {
			m.conflicts = append(m.conflicts, BlockConflict{Base: was, Into: mine, From: theirs})
			last = &m.conflicts[len(m.conflicts)-1]
		}
		lastInto, lastFrom = x, y
	}
	if len(base) == 0 {
		add(nil, gap{0, len(into)}, gap{0, len(from)})
	}
	intoGaps, fromGaps := a.gaps(len(base)), c.gaps(len(base))
	for i := range base {
		if !inInto[i] && !inFrom[i] {
			add([]*markup.Node{base[i]}, intoGaps[i], fromGaps[i])
		}
	}
	return dropped
}

func setOf(side ids) map[int]bool {
	out := make(map[int]bool, len(side))
	for _, id := range side {
		out[id] = true
	}
	return out
}
