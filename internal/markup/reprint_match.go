package markup

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup/align"
)

// MatchKeys adds matches to from for the blocks of doc that have the key of a
// block of old.
func MatchKeys(old, doc []*Node, from []int) {
	taken := make([]bool, len(old))
	for _, j := range from {
		if j >= 0 {
			taken[j] = true
		}
	}
	byKey := make(map[string]int, len(old))
	for j, n := range old {
		if !taken[j] && n.Key != "" {
			byKey[n.Key] = j
		}
	}
	for i, n := range doc {
		if j, ok := byKey[n.Key]; ok && from[i] < 0 && !taken[j] {
			from[i] = j
			taken[j] = true
		}
	}
}

// MatchEdited adds matches to from for the blocks of doc that are a version of a
// block of old: a block of the same kind between the same blocks. A block for
// which named returns true is new.
func MatchEdited(old, doc []*Node, from []int, named func(*Node) bool) {
	align.Edited(kinds(old), kinds(doc), from, func(i int) bool { return named(doc[i]) })
}

func kinds(nodes []*Node) []string {
	out := make([]string, len(nodes))
	for i, n := range nodes {
		out[i] = kindOf(n)
	}
	return out
}

// editedHere is edited for blocks of which some were moved: a block that is
// elsewhere in the other document is no version of another one.
func editedHere(x *sourceIndex, old, doc []*Node, from []int, named func(*Node) bool) {
	before := kinds(old)
	if x != nil {
		for j, n := range old {
			if x.stays(n) {
				before[j] = ""
			}
		}
	}
	align.Edited(before, kinds(doc), from, func(i int) bool { return named(doc[i]) || x != nil && x.knows(doc[i]) })
}

// kindOf returns the kind of a node. A node can be an edited version of another
// only if their kinds are equal.
func kindOf(n *Node) string {
	for _, family := range []string{"heading-", "list-"} {
		if strings.HasPrefix(n.Type, family) && n.Type != "list-item" {
			return family
		}
	}
	return n.Type
}
