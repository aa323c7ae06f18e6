package merge

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
	"github.com/octavo-docs/octavo/internal/testing/testmarkup"
)

// shown formats a difference.
func shown(all []BlockChange) string {
	var out []string
	for _, c := range all {
		s := fmt.Sprintf("%s %s %q", c.Kind, c.Type, c.After)
		switch c.Kind {
		case BlockRemoved:
			s = fmt.Sprintf("%s %s %q", c.Kind, c.Type, c.Before)
		case BlockEdited:
			s += ":"
			for _, w := range c.Words {
				s += map[align.WordOp]string{align.WordEqual: " =", align.WordInsert: " +", align.WordDelete: " -"}[w.Op] + w.Text
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "\n")
}

func TestDiff(t *testing.T) {
	for _, c := range []struct{ name, before, after, want string }{
		{"nothing", "a\n\n* b\n", "a\n\n- b\n", ""},
		{"added", "a\n\nc\n", "a\n\n# b\n\nc\n", `added heading-1 "# b"`},
		{"removed", "a\n\n# b\n\nc\n", "a\n\nc\n", `removed heading-1 "# b"`},
		{"words", "The old way is slow.\n", "The new way is slow?\n", `edited paragraph "The new way is slow?": =The  -old +new = way is slow -. +?`},
		{"moved", "a\n\n# b\n\n* c\n", "* c\n\na\n\n# b\n", `moved list-unordered "* c"`},
		{"only style", "some *words*\n", "some **words**\n", `edited paragraph "some **words**": =some  -_words_ +**words**`},
		{"where a link leads", "see [it](a.md)\n", "see [it](b.md)\n", `edited paragraph "see [it](b.md)": =see [it]( -a +b =.md)`},
		{"an item", "* a\n* b\n* c\n", "* a\n* B\n* c\n", `edited paragraph "B": -b +B`},
		{"another item", "* a\n* c\n", "* a\n* b\n* c\n", `added list-item "b"`},
		{"deep", "* a\n  * b\n  * c\n", "* a\n  * b\n", `removed list-item "c"`},
		{"an item moves", "1. a\n2. b\n3. c\n", "1. b\n2. c\n3. a\n", `moved list-item "a"`},
		{"a cell", "| x | y |\n| - | - |\n| a | b |\n", "| x | y |\n| - | - |\n| a | c |\n", `edited paragraph "c": -b +c`},
		{"a tab", "{% tabs %}\n{% tab title=\"One\" %}\na\n{% endtab %}\n{% endtabs %}\n", "{% tabs %}\n{% tab title=\"One\" %}\nb\n{% endtab %}\n{% endtabs %}\n",
			`edited paragraph "b": -a +b`},
		{"its title", "{% tabs %}\n{% tab title=\"One\" %}\na\n{% endtab %}\n{% endtabs %}\n", "{% tabs %}\n{% tab title=\"Two\" %}\na\n{% endtab %}\n{% endtabs %}\n",
			"edited tabs-item \"{% tab title=\\\"Two\\\" %}\\na\\n{% endtab %}\": ={% tab title=\" -One +Two =\" %}\na\n{% endtab %}"},
		{"code", "```go\na := 1\nb := 2\n```\n", "```go\na := 1\nb := 3\n```\n", "edited code \"```go\\na := 1\\nb := 3\\n```\": =```go\na := 1\nb :=  -2 +3 =\n```"},
		{"a hint", "{% hint style=\"info\" %}\na\n{% endhint %}\n", "{% hint style=\"danger\" %}\na\n{% endhint %}\n", "edited hint \"{% hint style=\\\"danger\\\" %}\\na\\n{% endhint %}\": ={% hint style=\" -info +danger =\" %}\na\n{% endhint %}"},
		{"all", "a\n", "# b\n", "added heading-1 \"# b\"\nremoved paragraph \"a\""},
	} {
		t.Run(c.name, func(t *testing.T) {
			before := version(nil, c.before)
			if got := shown(Diff(before, version(before, c.after))); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// byContainer groups changes by their container in the old version.
func byContainer(all []BlockChange) map[*markup.Node][]BlockChange {
	out := map[*markup.Node][]BlockChange{}
	for _, c := range all {
		out[c.from.in] = append(out[c.from.in], c)
	}
	return out
}

// patched applies a difference to the nodes of a container.
func patched(nodes []*markup.Node, in *markup.Node, all map[*markup.Node][]BlockChange) []*markup.Node {
	gone, now := map[*markup.Node]bool{}, map[*markup.Node]*markup.Node{}
	type put struct {
		n  *markup.Node
		at int
	}
	var puts []put
	for _, c := range all[in] {
		switch c.Kind {
		case BlockRemoved:
			gone[c.from.n] = true
		case BlockAdded:
			puts = append(puts, put{n: c.to.n, at: c.to.at})
		case BlockMoved:
			gone[c.from.n] = true
			puts = append(puts, put{n: c.from.n, at: c.to.at})
		case BlockEdited:
			now[c.from.n] = c.to.n
		}
	}
	inside := func(n *markup.Node) *markup.Node {
		if to := now[n]; to != nil {
			return to
		}
		n2 := *n
		n2.Nodes = patched(n.Nodes, n, all)
		n2.Fragments = nil
		for _, f := range n.Fragments {
			f2 := *f
			f2.Nodes = patched(f.Nodes, f, all)
			n2.Fragments = append(n2.Fragments, &f2)
		}
		return &n2
	}
	var out []*markup.Node
	for _, n := range nodes {
		if !gone[n] {
			out = append(out, inside(n))
		}
	}
	slices.SortFunc(puts, func(a, b put) int { return a.at - b.at })
	for _, p := range puts {
		n := p.n
		if gone[n] {
			n = inside(n)
		}
		out = slices.Insert(out, p.at, n)
	}
	return out
}

// checkDiff checks the properties of every difference.
func checkDiff(t rapid.TB, before, after *markup.Document) {
	t.Helper()
	all := Diff(before, after)
	h := markup.Hashes{}
	whole := func(nodes []*markup.Node) uint64 { return h.Of(&markup.Node{Nodes: nodes}) }
	if whole(patched(before.Nodes, nil, byContainer(all))) != whole(after.Nodes) {
		t.Fatalf("applied, it makes another document:\n%s", shown(all))
	}
	if whole(before.Nodes) == whole(after.Nodes) && len(all) > 0 {
		t.Fatalf("equal documents differ:\n%s", shown(all))
	}
	for _, c := range all {
		if c.Kind == BlockEdited {
			testmarkup.CheckWords(t, c.Before, c.After, c.Words)
		}
	}
	if n := len(Diff(after, after)); n > 0 {
		t.Fatalf("a document differs from itself %d times", n)
	}
}

func TestDiffGivesTheOtherDocument(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before, after := testmarkup.Document(t), testmarkup.Document(t)
		markup.DeriveKeys(before.Nodes)
		markup.DeriveKeys(after.Nodes)
		// Some blocks are taken from the old version, at another position or with
		// other blocks in them.
		for i := range after.Nodes {
			if rapid.Bool().Draw(t, "same") {
				after.Nodes[i] = changed(t, before.Nodes[rapid.IntRange(0, len(before.Nodes)-1).Draw(t, "which")])
			}
		}
		checkDiff(t, before, after)
		checkDiff(t, after, before)
	})
}

// changed returns a version of a node with other nodes in it.
func changed(t *rapid.T, n *markup.Node) *markup.Node {
	out := *n
	out.Nodes = nil
	for _, c := range n.Nodes {
		switch rapid.IntRange(0, 5).Draw(t, "what") {
		case 0:
		case 1:
			out.Nodes = append([]*markup.Node{changed(t, c)}, out.Nodes...)
		case 2:
			out.Nodes = append(out.Nodes, changed(t, c), changed(t, c))
		default:
			out.Nodes = append(out.Nodes, changed(t, c))
		}
	}
	out.Fragments = nil
	for _, f := range n.Fragments {
		out.Fragments = append(out.Fragments, changed(t, f))
	}
	return &out
}

func TestDiffIsBounded(t *testing.T) {
	versions := func(n int) (before, after *markup.Document) {
		var a, b strings.Builder
		for i := range n {
			fmt.Fprintf(&a, "* item %d\n", i)
			fmt.Fprintf(&b, "* item %d\n", i*7%n+i%2)
		}
		before = version(nil, a.String()+"\n"+strings.Repeat("long ", 5*n)+"\n")
		return before, version(before, b.String()+"\n"+strings.Repeat("short ", 5*n)+"\n")
	}
	testcpu.Linear(t, 4000, func(n int) func() {
		before, after := versions(n)
		return func() { Diff(before, after) }
	})
	before, after := versions(4000)
	checkDiff(t, before, after)
	for _, c := range Diff(before, after) {
		if len(c.Before) > MaxChangeText || len(c.After) > MaxChangeText {
			t.Fatalf("a change has %d and %d bytes", len(c.Before), len(c.After))
		}
	}
}

func FuzzDiff(f *testing.F) {
	b, err := os.ReadFile("../testdata/syntax.txt")
	if err != nil {
		f.Fatal(err)
	}
	last := ""
	for _, part := range strings.Split("\n"+string(b), "\n=== ")[1:] {
		_, part, _ = strings.Cut(part, "\n")
		source, _, _ := strings.Cut(part, "--- nodes\n")
		f.Add([]byte(last), []byte(source))
		last = source
	}
	f.Fuzz(func(t *testing.T, x, y []byte) {
		if len(x)+len(y) > 1<<14 {
			t.Skip()
		}
		before, after := markup.Parse(x, markup.Refs{}), markup.Parse(y, markup.Refs{})
		checkDiff(t, before, after)
		markup.Rekey(markup.NewSkeleton(before), nil, after)
		checkDiff(t, before, after)
		checkDiff(t, after, before)
	})
}
