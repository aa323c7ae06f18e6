package merge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// version returns the document parsed from src, with the keys it gets as an
// edit of old.
func version(old *markup.Document, src string) *markup.Document {
	doc := markup.Parse([]byte(src), markup.Refs{})
	if old != nil {
		markup.Rekey(markup.NewSkeleton(old), nil, doc)
	}
	return doc
}

func table(rows ...string) string {
	out := "| a   | b   |\n| --- | --- |\n"
	for _, r := range rows {
		a, b, _ := strings.Cut(r, " | ")
		out += "| " + a + "   | " + b + "   |\n"
	}
	return out
}

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, into, from, want string
		conflicts                    int
	}{
		{"one side", "a\n\nb\n", "a\n\nb\n", "a\n\nB\n", "a\n\nB\n", 0},
		{"neighbours", "a\n\nb\n", "A\n\nb\n", "a\n\nB\n", "A\n\nB\n", 0},
		{"the same edit", "a\n\nb\n", "A\n\nb\n", "A\n\nb\n", "A\n\nb\n", 0},
		{"the same block", "a\n\nb\n", "A\n\nb\n", "X\n\nb\n", "A\n\nb\n", 1},
		{"edited and deleted", "a\n\nb\n", "A\n\nb\n", "b\n", "A\n\nb\n", 1},
		{"deleted and edited", "a\n\n# b\n", "# b\n", "A\n\n# b\n", "# b\n", 1},
		{"both deleted", "a\n\nb\n", "b\n", "b\n", "b\n", 0},
		{"both added at one place", "a\n\nb\n", "a\n\n# x\n\nb\n", "a\n\n* y\n\nb\n", "a\n\n# x\n\n* y\n\nb\n", 0},
		{"both added the same", "a\n\nb\n", "a\n\n# x\n\nb\n", "a\n\n# x\n\nb\n", "a\n\n# x\n\nb\n", 0},
		{"items of a list", "* a\n* b\n* c\n", "* A\n* b\n* c\n", "* a\n* b\n* C\n* d\n", "* A\n* b\n* C\n* d\n", 0},
		{"one item of a list", "* a\n* b\n", "* A\n* b\n", "* X\n* b\n", "* A\n* b\n", 1},
		{"a hint", "{% hint style=\"info\" %}\na\n\nb\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n\nb\n{% endhint %}\n",
			"{% hint style=\"info\" %}\na\n\nB\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n\nB\n{% endhint %}\n", 0},
		{"an attribute that both changed", "{% hint style=\"info\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", "{% hint style=\"warning\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", 1},
		{"an attribute that both changed in the same way", "{% hint style=\"info\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\nb\n{% endhint %}\n", "{% hint style=\"danger\" %}\nb\n{% endhint %}\n", 0},
		{"different attributes", "{% hint style=\"info\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", "{% hint style=\"info\" icon=\"x\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" icon=\"x\" %}\na\n{% endhint %}\n", 0},
		{"an attribute removed and another changed", "{% hint style=\"info\" icon=\"x\" %}\na\n{% endhint %}\n", "{% hint style=\"info\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" icon=\"x\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", 0},
		{"moved and edited", "a\n\n# b\n\n* c\n", "* c\n\na\n\n# b\n", "a\n\n# B\n\n* c\n", "* c\n\na\n\n# B\n", 0},
		{"moved by the other", "a\n\n# b\n\n* c\n", "a\n\n# B\n\n* c\n", "* c\n\na\n\n# b\n", "* c\n\na\n\n# B\n", 0},
		{"words of a paragraph", "one two three four\n", "ONE two three four\n", "one two three FOUR\n", "ONE two three FOUR\n", 0},
		{"a word added and one removed", "one two three four\n", "one and two three four\n", "one two three\n", "one and two three\n", 0},
		{"the same word", "one two three\n", "one TWO three\n", "one Two three\n", "one TWO three\n", 1},
		{"words next to each other", "one two three\n", "ONE two three\n", "one TWO three\n", "ONE two three\n", 1},
		{"words on both sides of a comma", "one, two three\n", "ONE, two three\n", "one, TWO three\n", "ONE, two three\n", 1},
		{"words added at one place", "one two\n", "one x two\n", "one y two\n", "one x two\n", 1},
		{"a word changed in the same way, and another", "one two three four\n", "ONE two three four\n", "ONE two three FOUR\n", "ONE two three FOUR\n", 0},
		{"marks of different words", "one two three four\n", "**one** two three four\n", "one two three _four_\n", "**one** two three _four_\n", 0},
		{"a mark in a word", "one two three\n", "on**e** two three\n", "one two thre**e**\n", "on**e** two thre**e**\n", 0},
		{"a mark over a changed word", "one two three four\n", "**one two three** four\n", "one TWO three four\n", "**one two three** four\n", 1},
		{"a link and a word", "one two three\n", "[one](https://a.example) two three\n", "one two THREE\n", "[one](https://a.example) two THREE\n", 0},
		{"words of a link", "[one two three](https://a.example) four\n", "[ONE two three](https://a.example) four\n", "[one two THREE](https://a.example) four\n", "[ONE two THREE](https://a.example) four\n", 0},
		{"where a link leads, and its words", "[one two three](https://a.example)\n", "[one two three](https://b.example)\n", "[one two THREE](https://a.example)\n", "[one two three](https://b.example)\n", 1},
		{"links that overlap", "one two three four five\n", "[one two three](https://a.example) four five\n", "one two [three four five](https://a.example)\n", "[one two three](https://a.example) four five\n", 1},
		{"HTML around words of both", "one two three four five\n", "<u>one two</u> three four five\n", "one two three <u>four five</u>\n", "<u>one two</u> three four five\n", 1},
		{"words of a heading", "# one two three\n", "# ONE two three\n", "# one two THREE\n", "# ONE two THREE\n", 0},
		{"words of an item", "* a\n* one two three\n", "* a\n* ONE two three\n", "* a\n* one two THREE\n", "* a\n* ONE two THREE\n", 0},
		{"words of a line of code", "```\none two three\n```\n", "```\nONE two three\n```\n", "```\none two THREE\n```\n", "```\nONE two three\n```\n", 1},
		{"words without spaces", "一二三四五\n", "七二三四五\n", "一二三四八\n", "七二三四八\n", 0},
		{"items that both added", "* a\n", "* a\n* b\n", "* a\n* c\n", "* a\n* b\n* c\n", 0},
		{"rows that both added", table("1 | 2"), table("1 | 2", "3 | 4"), table("1 | 2", "5 | 6"), table("1 | 2", "3 | 4", "5 | 6"), 0},
		{"rows at both ends", table("1 | 2"), table("3 | 4", "1 | 2"), table("1 | 2", "5 | 6"), table("3 | 4", "1 | 2", "5 | 6"), 0},
		{"a row and a cell", table("1 | 2"), table("1 | 2", "3 | 4"), table("1 | 9"), table("1 | 9", "3 | 4"), 0},
		{"a row deleted and one added", table("1 | 2", "3 | 4"), table("3 | 4"), table("1 | 2", "3 | 4", "5 | 6"), table("3 | 4", "5 | 6"), 0},
		{"cells of a row", table("1 | 2"), table("8 | 2"), table("1 | 9"), table("8 | 9"), 0},
		{"one cell", table("1 | 2"), table("8 | 2"), table("9 | 2"), table("8 | 2"), 1},
		{"columns that one moved", table("1 | 2"), strings.Replace(table("2 | 1"), "a   | b", "b   | a", 1), table("1 | 2", "3 | 4"), strings.Replace(table("2 | 1"), "a   | b", "b   | a", 1), 1},
		{"a title and a row", table("1 | 2"), strings.Replace(table("1 | 2"), "| a ", "| A ", 1), table("1 | 2", "3 | 4"), strings.Replace(table("1 | 2", "3 | 4"), "| a ", "| A ", 1), 0},
		{"added at both ends", "a\n", "# x\n\na\n", "a\n\n* y\n", "# x\n\na\n\n* y\n", 0},
		{"a block replaced by different ones", "a\n\nb\n\nc\n", "a\n\n# x\n\nc\n", "a\n\n* y\n\nc\n", "a\n\n# x\n\nc\n", 1},
		{"a block replaced by the same", "a\n\nb\n\nc\n", "a\n\n# x\n\nc\n", "a\n\n# x\n\nc\n", "a\n\n# x\n\nc\n", 0},
		{"a block replaced by the same and more", "a\n\nb\n\nc\n", "a\n\n# x\n\n* y\n\nc\n", "a\n\n# x\n\nc\n", "a\n\n# x\n\n* y\n\nc\n", 0},
		{"the only block replaced", "b\n", "# x\n", "* y\n\n# z\n", "# x\n", 1},
		{"two blocks replaced", "a\n\nb\n\nc\n\n# d\n", "a\n\n# x\n\n# d\n", "a\n\n* y\n\n# d\n", "a\n\n# x\n\n# d\n", 1},
		{"one and two blocks replaced", "a\n\n* b\n\n```\nc\n```\n", "# x\n\n* b\n\n# y\n", "> z\n", "# x\n\n# y\n", 1},
		{"replaced and deleted", "a\n\nb\n\nc\n", "a\n\n# x\n\nc\n", "a\n\nc\n", "a\n\n# x\n\nc\n", 0},
		{"replaced and added to", "a\n\n> b\n\nc\n", "a\n\n# x\n\nc\n", "a\n\n> b\n\n* y\n\nc\n", "a\n\n# x\n\n* y\n\nc\n", 0},
		{"two places", "a\n\nb\n\n# c\n\nd\n", "a\n\n> x\n\n# c\n\n* y\n", "a\n\n* x\n\n# c\n\n> y\n", "a\n\n> x\n\n# c\n\n* y\n", 2},
		{"a block of a hint replaced", "{% hint style=\"info\" %}\na\n\n* b\n{% endhint %}\n", "{% hint style=\"info\" %}\na\n\n> x\n{% endhint %}\n",
			"{% hint style=\"info\" %}\na\n\n# y\n{% endhint %}\n", "{% hint style=\"info\" %}\na\n\n> x\n{% endhint %}\n", 1},
		{"from nothing", "", "a\n", "# b\n", "a\n", 1},
		{"the same from nothing", "", "a\n", "a\n", "a\n", 0},
		{"all deleted", "a\n\n# b\n", "", "a\n\n# b\n\nc\n", "c\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := version(nil, c.base)
			got, conflicts := Merge(base, version(base, c.into), version(base, c.from))
			if s := string(markup.Print(got, markup.Refs{})); s != c.want || len(conflicts) != c.conflicts {
				t.Errorf("got %q with %d conflicts, want %q with %d", s, len(conflicts), c.want, c.conflicts)
			}
		})
	}
}

// Words that a side added are in the result or in a conflict. Words that
// neither side changed are in the result once.
func TestMergeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "blocks")
		var base []string
		for i := range n {
			base = append(base, "word"+string(rune('a'+i)))
		}
		edit := func(side string) []string {
			out := slices.Clone(base)
			for i := range rapid.IntRange(0, 4).Draw(t, side) {
				at := 0
				if len(out) > 0 {
					at = rapid.IntRange(0, len(out)-1).Draw(t, "at")
				}
				fresh := side + string(rune('0'+i))
				switch what := rapid.IntRange(0, 3).Draw(t, "what"); {
				case what == 0 || len(out) == 0:
					out = slices.Insert(out, at, "# "+fresh)
				case what == 1:
					out[at] += " " + fresh
				case what == 2:
					out = slices.Delete(out, at, at+1)
				default:
					b := out[at]
					out = slices.Delete(out, at, at+1)
					out = slices.Insert(out, rapid.IntRange(0, len(out)).Draw(t, "to"), b)
				}
			}
			return out
		}
		text := func(blocks []string) string { return strings.Join(blocks, "\n\n") + "\n" }
		b := version(nil, text(base))
		into, from := edit("into"), edit("from")
		x, y := version(b, text(into)), version(b, text(from))
		got, conflicts := Merge(b, x, y)
		all := string(markup.Print(got, markup.Refs{}))
		for _, c := range conflicts {
			all += string(markup.Print(&markup.Document{Nodes: slices.Concat(c.Into, c.From)}, markup.Refs{}))
		}
		for _, side := range [][]string{into, from} {
			for _, word := range strings.Fields(text(side)) {
				if strings.HasPrefix(word, "into") || strings.HasPrefix(word, "from") {
					if !strings.Contains(all, word) {
						t.Fatalf("%q is lost:\n%s", word, all)
					}
				}
			}
		}
		seen := map[string]bool{}
		for _, n := range got.Nodes {
			if seen[n.Key] {
				t.Fatalf("the key %s is there twice", n.Key)
			}
			seen[n.Key] = true
		}
		// Merging again changes nothing except the order of blocks that both
		// sides moved.
		words := func(d *markup.Document) []string {
			return slices.Sorted(slices.Values(strings.Fields(string(markup.Print(d, markup.Refs{})))))
		}
		if again, more := Merge(b, got, y); len(conflicts) == 0 && (len(more) > 0 || !slices.Equal(words(again), words(got))) {
			t.Fatalf("merging again changes something: %q, %q, %v", markup.Print(got, markup.Refs{}), markup.Print(again, markup.Refs{}), more)
		}
	})
}

func TestMergedBlocksKeepTheirBytes(t *testing.T) {
	src := "Title\n=====\n\n- one\n- two\n\nlast __bold__ word\n"
	base := version(nil, src)
	into, from := strings.NewReplacer("Title", "Name", "- one", "- one and").Replace(src), strings.NewReplacer("__bold__", "__very bold__", "- two", "- two and").Replace(src)+"\n+ x\n+ y\n"
	a, c := version(base, into), version(base, from)
	for src, doc := range map[string]*markup.Document{src: base, into: a, from: c} {
		markup.WithSource([]byte(src), doc)
	}
	got, conflicts := Merge(base, a, c)
	want := "Name\n====\n\n- one and\n- two and\n\nlast __very bold__ word\n\n+ x\n+ y\n"
	if out := string(markup.Reprint([]byte(into), a, got, markup.Refs{})); len(conflicts) > 0 || strings.Replace(out, "=====", "====", 1) != want {
		t.Errorf("got %q, want %q; %v", out, want, conflicts)
	}
}

func TestMergedWordsKeepTheirBytes(t *testing.T) {
	src := "one __two__ three\nfour *five* six &amp; seven\n"
	base := version(nil, src)
	x, y := strings.Replace(src, "one", "One", 1), strings.Replace(src, "six", "*si*x", 1)
	into, from := version(base, x), version(base, y)
	for src, doc := range map[string]*markup.Document{src: base, x: into, y: from} {
		markup.WithSource([]byte(src), doc)
	}
	got, conflicts := Merge(base, into, from)
	want := strings.Replace(y, "one", "One", 1)
	if out := string(markup.Reprint([]byte(x), into, got, markup.Refs{})); len(conflicts) > 0 || out != want {
		t.Errorf("got %q, want %q; %v", out, want, conflicts)
	}
}

// A page can have as many conflicts as blocks. The block before each conflict
// is found in linear time.
func TestMergeOfManyConflicts(t *testing.T) {
	versions := func(n int) (base, into, from *markup.Document) {
		text := func(word string) string {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "%s%d\n\n", word, i)
			}
			return b.String()
		}
		base, into, from = version(nil, text("a")), version(nil, text("b")), version(nil, text("c"))
		for i, n := range base.Nodes {
			into.Nodes[i].Key, from.Nodes[i].Key = n.Key, n.Key
		}
		return base, into, from
	}
	const n = 20_000
	doc, conflicts := Merge(versions(n))
	if len(conflicts) != n || len(doc.Nodes) != n {
		t.Fatalf("%d conflicts, %d blocks", len(conflicts), len(doc.Nodes))
	}
	before := ""
	for i, c := range conflicts {
		if c.After != before {
			t.Fatalf("conflict %d is behind %q, want %q", i, c.After, before)
		}
		before = c.Key()
	}
	testcpu.Linear(t, n, func(n int) func() {
		base, into, from := versions(n)
		return func() { Merge(base, into, from) }
	})
}
