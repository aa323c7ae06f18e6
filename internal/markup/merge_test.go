package markup

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/testcpu"
)

// version returns a form of a document as it is after an edit of another one.
func version(old *Document, src string) *Document {
	doc := Parse([]byte(src), Refs{})
	if old != nil {
		Rekey(old, nil, doc)
	}
	return doc
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
		{"moved and edited", "a\n\n# b\n\n* c\n", "* c\n\na\n\n# b\n", "a\n\n# B\n\n* c\n", "* c\n\na\n\n# B\n", 0},
		{"moved by the other", "a\n\n# b\n\n* c\n", "a\n\n# B\n\n* c\n", "* c\n\na\n\n# b\n", "* c\n\na\n\n# B\n", 0},
		{"added at both ends", "a\n", "# x\n\na\n", "a\n\n* y\n", "# x\n\na\n\n* y\n", 0},
		{"from nothing", "", "a\n", "# b\n", "a\n\n# b\n", 0},
		{"all deleted", "a\n\n# b\n", "", "a\n\n# b\n\nc\n", "c\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := version(nil, c.base)
			got, conflicts := Merge(base, version(base, c.into), version(base, c.from))
			if s := string(Print(got, Refs{})); s != c.want || len(conflicts) != c.conflicts {
				t.Errorf("got %q with %d conflicts, want %q with %d", s, len(conflicts), c.want, c.conflicts)
			}
		})
	}
}

// Words that a side added are in the result or in a conflict, and those that
// nobody touched are there once.
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
		all := string(Print(got, Refs{}))
		for _, c := range conflicts {
			all += string(Print(&Document{Nodes: nonNil(c.Into, c.From)}, Refs{}))
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
		// Once more changes nothing, but for the order of what both moved.
		words := func(d *Document) []string {
			return slices.Sorted(slices.Values(strings.Fields(string(Print(d, Refs{})))))
		}
		if again, more := Merge(b, got, y); len(conflicts) == 0 && (len(more) > 0 || !slices.Equal(words(again), words(got))) {
			t.Fatalf("merging again changes something: %q, %q, %v", Print(got, Refs{}), Print(again, Refs{}), more)
		}
	})
}

func nonNil(nodes ...*Node) []*Node {
	return slices.DeleteFunc(nodes, func(n *Node) bool { return n == nil })
}

func TestMergedBlocksKeepTheirBytes(t *testing.T) {
	src := "Title\n=====\n\n- one\n- two\n\nlast __bold__ word\n"
	base := version(nil, src)
	into, from := strings.NewReplacer("Title", "Name", "- one", "- one and").Replace(src), strings.NewReplacer("__bold__", "__very bold__", "- two", "- two and").Replace(src)+"\n+ x\n+ y\n"
	a, c := version(base, into), version(base, from)
	for src, doc := range map[string]*Document{src: base, into: a, from: c} {
		WithSource([]byte(src), doc)
	}
	got, conflicts := Merge(base, a, c)
	want := "Name\n====\n\n- one and\n- two and\n\nlast __very bold__ word\n\n+ x\n+ y\n"
	if out := string(Reprint([]byte(into), a, got, Refs{})); len(conflicts) > 0 || strings.Replace(out, "=====", "====", 1) != want {
		t.Errorf("got %q, want %q; %v", out, want, conflicts)
	}
}

// A page can have as many conflicts as blocks. Each conflict is placed behind
// the block above it, in linear time.
func TestMergeOfManyConflicts(t *testing.T) {
	versions := func(n int) (base, into, from *Document) {
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
		before = c.Key
	}
	testcpu.Linear(t, n, func(n int) func() {
		base, into, from := versions(n)
		return func() { Merge(base, into, from) }
	})
}
