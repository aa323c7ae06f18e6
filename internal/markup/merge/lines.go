package merge

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/align"
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
		run = align.MergeRun
	}
	lines := align.Merge(strings.Split(base, "\n"), strings.Split(into, "\n"), strings.Split(from, "\n"), run)
	if lines == nil {
		return align.MergeWords(base, into, from)
	}
	return strings.Join(lines, "\n")
}

// mergeAdded is mergeRun for lines that both sides added, removed and changed
// at the same position, such as rows of a table. The lines are matched like
// blocks.
func mergeAdded(base, into, from []string) ([]string, bool) {
	if out, ok := align.MergeRun(base, into, from); ok {
		return out, true
	}
	next := len(base)
	identify := func(side []string) (ids, map[int]string) {
		nodes := func(lines []string) []*markup.Node {
			out := make([]*markup.Node, len(lines))
			for i, l := range lines {
				out[i] = markup.NewText(l)
			}
			return out
		}
		was, is := nodes(base), nodes(side)
		out, text := ids(markup.Hashes{}.InOrder(was, is)), map[int]string{}
		markup.MatchEdited(was, is, out, func(*markup.Node) bool { return false })
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
