package markup

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxPatched is the size of a block beyond which an edit prints all of it.
const maxPatched = 256 << 10

// forms returns for each node the node of the source that it is another form
// of, or -1. from has those that are the same.
func (r *reprinter) forms(doc *Document, from []int) []int {
	out := slices.Clone(from)
	sameKeys(r.old.Nodes, doc.Nodes, out)
	edited(r.old.Nodes, doc.Nodes, out, func(n *Node) bool { return doc.Spans == nil && keyForm.MatchString(n.Key) })
	return out
}

// patch returns the source of a block with an edit in it. What the edit changes
// is what the printed forms of the block before and after it differ in, so
// that everything else of the block stays as it is written: the bullets of
// other items, the columns of a table, where lines break. What comes out is
// taken if it reads as the edited block.
func (r *reprinter) patch(g int, n *Node) (string, []*Node, bool) {
	old := r.groups[g]
	if !r.sources || old.to-old.from != 1 || old.span.End-old.span.Start > maxPatched {
		return "", nil, false
	}
	source := strings.ReplaceAll(string(r.body[old.span.Start:old.span.End]), "\r\n", "\n")
	if strings.Contains(source, "[^") || strings.Contains(source, noteHref) {
		return "", nil, false // a footnote belongs to the whole page
	}
	var want []*Node
	for _, other := range []bool{false, true} {
		base, next := r.printed(r.old.Nodes[old.from], other), r.printed(n, other)
		if strings.Contains(next, "[^") || strings.Contains(next, noteHref) {
			break
		}
		for _, filled := range []bool{false, true} {
			var parts []string
			if filled {
				parts = mergeParts(tokens(narrow(base)), tokens(source), tokens(narrow(next)), mergeFilled)
			} else {
				parts = mergeParts(tokens(base), tokens(source), tokens(next), mergeRun)
			}
			text := strings.Join(parts, "")
			if text == "" || text == source || text == next {
				continue
			}
			if want == nil {
				want = r.readBack(n)
			}
			if r.sameNodes(text, want) {
				r.borrowed = true
				return text, want, true
			}
		}
		if !isList(n) {
			break // only lists have another form
		}
	}
	return "", nil, false
}

// printed returns the canonical form of one block. Nothing of it is remembered.
func (r *reprinter) printed(n *Node, other bool) string {
	return newPrinter(r.refs, newNotes(nil)).blocksAfter([]*Node{n}, other)
}

// MergeWords puts what differs between two forms of a text into a third form
// of the first, word by word; empty when it cannot be done. It is a proposal:
// whoever uses it reads it back.
func MergeWords(base, into, from string) string {
	return strings.Join(mergeParts(tokens(base), tokens(into), tokens(from), mergeRun), "")
}

// tokens cuts a source into words, line breaks, and runs of one other
// character.
func tokens(s string) []string {
	var out []string
	word := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.IsMark(c) }
	for s != "" {
		first, n := utf8.DecodeRuneInString(s)
		for n < len(s) && first != '\n' {
			c, size := utf8.DecodeRuneInString(s[n:])
			if c != first && !(word(c) && word(first)) {
				break
			}
			n += size
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// padding is what makes the columns of a table stand below each other.
var padding = regexp.MustCompile(`\S  +|--+`)

// narrow returns a printed block without padding: it changes with an edit of
// any cell, and sources seldom have it.
func narrow(s string) string {
	return padding.ReplaceAllStringFunc(s, func(m string) string {
		if m[0] == '-' && m[len(m)-1] == '-' {
			return "---"
		}
		return strings.TrimRight(m, " ") + " "
	})
}

// mergeFilled is mergeRun for tokens around which there may be more or less
// room.
func mergeFilled(base, into, from []string) ([]string, bool) {
	if out, ok := mergeRun(base, into, from); ok {
		return out, true
	}
	_, was, _ := cutRoom(base)
	_, now, _ := cutRoom(from)
	before, here, behind := cutRoom(into)
	switch {
	case slices.Equal(was, now):
		return into, true
	case slices.Equal(was, here):
		return slices.Concat(before, now, behind), true
	}
	return nil, false
}

// cutRoom takes the spaces around tokens off.
func cutRoom(list []string) (before, inside, behind []string) {
	i, j := 0, len(list)
	for i < j && strings.Trim(list[i], " ") == "" {
		i++
	}
	for j > i && strings.Trim(list[j-1], " ") == "" {
		j--
	}
	return list[:i], list[i:j], list[j:]
}
