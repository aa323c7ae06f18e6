package markup

import (
	"slices"
	"strings"
)

// mergeSource merges three versions of the source of a block of the given type,
// line by line or else word by word. It returns an empty string if they cannot
// be merged. The result is only a proposal for how the merged block is written,
// so the caller has to parse it again to verify it.
func mergeSource(typ, base, into, from string) string {
	if base == "" || into == "" || from == "" {
		return ""
	}
	run := mergeAdded
	if typ == "list-ordered" { // items that both sides added would have the same numbers
		run = mergeRun
	}
	lines := mergeParts(strings.Split(base, "\n"), strings.Split(into, "\n"), strings.Split(from, "\n"), run)
	if lines == nil {
		return MergeWords(base, into, from)
	}
	return strings.Join(lines, "\n")
}

// mergeAdded is mergeRun for lines that both sides added, removed and changed
// at the same position, such as rows of a table. The lines are matched like
// blocks.
func mergeAdded(base, into, from []string) ([]string, bool) {
	if out, ok := mergeRun(base, into, from); ok {
		return out, true
	}
	next := len(base)
	identify := func(side []string) (ids, map[int]string) {
		nodes := func(lines []string) []*Node {
			out := make([]*Node, len(lines))
			for i, l := range lines {
				out[i] = textNode(Leaf{Text: l})
			}
			return out
		}
		was, is := nodes(base), nodes(side)
		out, text := ids(hashCache{}.matchInOrder(was, is)), map[int]string{}
		edited(was, is, out, func(*Node) bool { return false })
		for i, id := range out {
			if id < 0 {
				out[i] = next
				next++
			}
			text[out[i]] = side[i]
		}
		return out, text
	}
	a, intoText := identify(into)
	c, fromText := identify(from)
	var out []string
	for _, id := range mergeOrder(len(base), a, c) {
		x, inInto := intoText[id]
		y, inFrom := fromText[id]
		switch {
		case id < len(base) && !(inInto && inFrom): // a side removed the line
		case !inInto || inFrom && x == base[id]:
			out = append(out, y)
		default:
			out = append(out, x)
		}
	}
	return out, true
}

// mergeRunFunc merges three versions of a run of parts between two unchanged
// parts.
type mergeRunFunc func(base, into, from []string) ([]string, bool)

// mergeParts merges three lists of lines, or of other parts of a source. It
// returns nil if they cannot be merged.
func mergeParts(b, a, c []string, run mergeRunFunc) []string {
	inA, inC := alignLines(b, a), alignLines(b, c)
	var out []string
	bi, ai, ci := 0, 0, 0
	for i := 0; i <= len(b); i++ {
		x, y := len(a), len(c)
		if i < len(b) {
			x, y = inA[i], inC[i]
		}
		if x < ai || y < ci { // not on both sides, or not in order
			continue
		}
		lines, ok := run(b[bi:i], a[ai:x], c[ci:y])
		if !ok {
			return nil
		}
		out = append(out, lines...)
		if i < len(b) {
			out = append(out, b[i])
		}
		bi, ai, ci = i+1, x+1, y+1
	}
	return out
}

// alignLines returns for each line of the base its index in side, or -1.
func alignLines(base, side []string) []int {
	hash := func(lines []string) []uint64 {
		out := make([]uint64, len(lines))
		for i, l := range lines {
			out[i] = hashString(hashSeed, l)
		}
		return out
	}
	from := make([]int, len(side))
	for i := range from {
		from[i] = -1
	}
	alignRange(hash(base), hash(side), 0, 0, from, 0)
	at := make([]int, len(base))
	for i := range at {
		at[i] = -1
	}
	for i, j := range from {
		if j >= 0 {
			at[j] = i
		}
	}
	return at
}

// mergeRun returns the version of the side that changed the run. If both sides
// did and the number of lines is unchanged, it merges line by line.
func mergeRun(base, into, from []string) ([]string, bool) {
	switch {
	case slices.Equal(into, from), slices.Equal(base, from):
		return into, true
	case slices.Equal(base, into):
		return from, true
	case len(base) != len(into) || len(base) != len(from):
		return nil, false
	}
	out := slices.Clone(into)
	for i := range base {
		switch {
		case into[i] == from[i], base[i] == from[i]:
		case base[i] == into[i]:
			out[i] = from[i]
		default:
			return nil, false
		}
	}
	return out, true
}
