package align

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WordOp is the kind of a change of a piece of text.
type WordOp string

// Kinds of changes of words.
const (
	WordEqual  WordOp = "equal"
	WordInsert WordOp = "insert"
	WordDelete WordOp = "delete"
)

// WordChange is a piece of text that is in both versions, or in one of them.
type WordChange struct {
	Op   WordOp
	Text string
}

// maxWordEdits is the maximum number of edits for which two texts are compared
// word by word. The work grows with its square.
const maxWordEdits = 300

// DiffWords returns the differences between two texts, word by word. Equal and
// deleted pieces are the text before, equal and inserted pieces the text after.
// Texts that have little in common are one deletion and one insertion.
func DiffWords(before, after string) []WordChange {
	w := diffTokens(wordsOf(before), wordsOf(after))
	return w.done()
}

// DiffTokens is DiffWords for tokens of the caller: parts of a text or their
// names. Each token is a change of its own.
func DiffTokens(before, after []string) []WordChange { return diffTokens(before, after).ops }

// Words splits a text into words, spaces and single other characters, whose
// concatenation is the text. Scripts without spaces are split by character.
func Words(s string) []string { return wordsOf(s) }

// diffTokens compares two lists of tokens.
func diffTokens(a, b []string) *wordDiff {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	w := &wordDiff{}
	w.add(WordEqual, a[:head]...)
	w.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	w.add(WordEqual, a[len(a)-tail:]...)
	return w
}

type wordDiff struct{ ops []WordChange }

func (w *wordDiff) add(op WordOp, words ...string) {
	for _, s := range words {
		w.ops = append(w.ops, WordChange{op, s})
	}
}

// middle compares words by the shortest edit path between the texts (Myers, An
// O(ND) Difference Algorithm).
func (w *wordDiff) middle(a, b []string) {
	var trace [][]int // for each step, how far each diagonal reached
	reach := []int{0} // of the diagonals -d to d
	for d := 0; d <= min(maxWordEdits, len(a)+len(b)); d++ {
		if d > 0 {
			last := trace[d-1]
			reach = make([]int, 2*d+1)
			for k := -d; k <= d; k += 2 {
				if k == -d || k != d && last[k-1+d-1] < last[k+1+d-1] {
					reach[k+d] = last[k+1+d-1] // down: insert a word of b
				} else {
					reach[k+d] = last[k-1+d-1] + 1 // right: delete a word of a
				}
			}
		}
		for k := -d; k <= d; k += 2 {
			x := reach[k+d]
			for x < len(a) && x-k >= 0 && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			reach[k+d] = x
			if x >= len(a) && x-k >= len(b) {
				w.back(a, b, trace, d, k)
				return
			}
		}
		trace = append(trace, reach)
	}
	w.add(WordDelete, a...)
	w.add(WordInsert, b...)
}

// back follows the path that middle found from its end to its beginning.
func (w *wordDiff) back(a, b []string, trace [][]int, d, k int) {
	var ops []WordChange
	x := len(a)
	same := func(until int) {
		for ; x > until; x-- {
			ops = append(ops, WordChange{WordEqual, a[x-1]})
		}
	}
	for ; d > 0; d-- {
		last := trace[d-1]
		if k == -d || k != d && last[k-1+d-1] < last[k+1+d-1] {
			k++
			same(last[k+d-1])
			ops = append(ops, WordChange{WordInsert, b[x-k]})
		} else {
			k--
			same(last[k+d-1] + 1)
			x--
			ops = append(ops, WordChange{WordDelete, a[x]})
		}
	}
	same(0)
	slices.Reverse(ops)
	w.ops = append(w.ops, ops...)
}

// done joins adjacent changes: between two equal pieces there are at most one
// deletion, followed by one insertion.
func (w *wordDiff) done() []WordChange {
	var out []WordChange
	var text [3]strings.Builder // equal, deleted, inserted
	ops := [3]WordOp{WordEqual, WordDelete, WordInsert}
	flush := func(which ...int) {
		for _, i := range which {
			if text[i].Len() > 0 {
				out = append(out, WordChange{ops[i], text[i].String()})
				text[i].Reset()
			}
		}
	}
	for _, o := range w.ops {
		if o.Op == WordEqual {
			flush(1, 2)
		} else {
			flush(0)
		}
		text[slices.Index(ops[:], o.Op)].WriteString(o.Text)
	}
	flush(0, 1, 2)
	return out
}

// wordsOf implements Words.
func wordsOf(s string) []string {
	var out []string
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		if k := RuneKind(r); k > KindAlone {
			for n < len(s) {
				next, size := utf8.DecodeRuneInString(s[n:])
				if RuneKind(next) != k {
					break
				}
				n += size
			}
		}
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// Kinds of characters. A run of word or space characters is one piece, any other
// character is a piece of its own.
const (
	// KindAlone is the kind of the characters that are pieces of their own.
	KindAlone = iota
	kindWord
	kindSpace
)

// RuneKind returns the kind of a character for Words.
func RuneKind(r rune) int {
	switch {
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai):
		return KindAlone
	case unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r), r == '_':
		return kindWord
	case r == ' ' || r == '\t':
		return kindSpace
	}
	return KindAlone
}
