package markup

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func keysOf(nodes []*Node) []string {
	var keys []string
	eachNode(nodes, func(n *Node) { keys = append(keys, n.Key) })
	return keys
}

func TestKeysAreOfTheContent(t *testing.T) {
	a, b := Parse([]byte("# A\n\n* b\n* c\n\nx\n"), Refs{}), Parse([]byte("A\n=\n\n- b\n- c\n\n\nx"), Refs{})
	if !slices.Equal(keysOf(a.Nodes), keysOf(b.Nodes)) {
		t.Error("the same content has other keys")
	}
	c := Parse([]byte("# A\n\n* b\n* changed\n\nx\n"), Refs{})
	if c.Nodes[0].Key != a.Nodes[0].Key || c.Nodes[2].Key != a.Nodes[2].Key || c.Nodes[1].Key == a.Nodes[1].Key {
		t.Error("a change of one block changed the key of another")
	}
}

func TestStoredKeys(t *testing.T) {
	doc := Parse([]byte("a\n\n* b\n* c\n"), Refs{})
	keys := []string{"first", "Second_2"}
	if !SetKeys(doc, keys, nil) || !slices.Equal(Keys(doc), keys) {
		t.Fatalf("the keys are %v", Keys(doc))
	}
	checkKeys(t, doc)
	items := keysOf(doc.Nodes[1].Nodes[1:])
	// Another item changes; this one keeps its keys.
	after := Parse([]byte("a\n\n* changed\n* c\n"), Refs{})
	SetKeys(after, keys, nil)
	if !slices.Equal(keysOf(after.Nodes[1].Nodes[1:]), items) {
		t.Error("an item lost its keys when another one changed")
	}
	for _, bad := range [][]string{{"a"}, {"a", "a"}, {"a", ""}, {"a", "b c"}, {"a", "b", "c"}} {
		if SetKeys(doc, bad, nil) {
			t.Errorf("%q were taken as keys", bad)
		}
	}
	if !slices.Equal(Keys(doc), keys) {
		t.Error("keys that do not fit changed something")
	}
}

func TestRekey(t *testing.T) {
	for _, c := range []struct {
		name, old, doc string
		want           []int // the block of old whose key each block has, -1 for a new one
	}{
		{"same", "a\n\nb\n", "a\n\nb\n", []int{0, 1}},
		{"edited", "a\n\n# b\n\nc\n", "a\n\n# changed\n\nc\n", []int{0, 1, 2}},
		{"first of two equal ones edited", "a\n\na\n", "b\n\na\n", []int{0, 1}},
		{"inserted before an equal one", "a\n\n***\n", "x\n\na\n\n***\n", []int{-1, 0, 1}},
		{"deleted", "a\n\n# b\n\nc\n", "a\n\nc\n", []int{0, 2}},
		{"moved", "a\n\n# b\n\n* c\n", "* c\n\na\n\n# b\n", []int{2, 0, 1}},
		{"another kind in its place", "a\n\n# b\n", "a\n\n* b\n", []int{0, -1}},
		{"heading of another level", "a\n\n# b\n", "a\n\n## b\n", []int{0, 1}},
		{"edited and inserted", "a\n\nb\n", "a\n\nnew\n\nb changed\n", []int{0, 1, -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, doc := Parse([]byte(c.old), Refs{}), Parse([]byte(c.doc), Refs{})
			var keys []string
			for i := range old.Nodes {
				keys = append(keys, string(rune('A'+i)))
			}
			SetKeys(old, keys, nil)
			Rekey(NewSkeleton(old), nil, doc)
			checkKeys(t, doc)
			for i, n := range doc.Nodes {
				if from := slices.Index(keys, n.Key); from != c.want[i] {
					t.Errorf("block %d has the key of %d, not of %d", i, from, c.want[i])
				}
			}
		})
	}
}

// A block inside of others keeps its key after an edit of the block or of a
// sibling.
func TestRekeyInside(t *testing.T) {
	for _, c := range []struct {
		name, old, doc string
		gone           int // keys that are new
	}{
		{"a step", "{% stepper %}\n{% step %}\nOne.\n\nTwo.\n{% endstep %}\n{% endstepper %}\n", "{% stepper %}\n{% step %}\nOnce.\n\nTwo.\n{% endstep %}\n{% endstepper %}\n", 0},
		{"a hint", "{% hint style=\"info\" %}\nOne.\n\nTwo.\n{% endhint %}\n", "{% hint style=\"info\" %}\nOnce.\n\nTwo.\n{% endhint %}\n", 0},
		{"another hint", "{% hint style=\"info\" %}\nOne.\n\nTwo.\n{% endhint %}\n", "{% hint style=\"danger\" %}\nOne.\n\nTwo.\n{% endhint %}\n", 0},
		{"items", "* a\n  * b\n  * c\n* d\n", "* a\n  * B\n  * c\n* d\n", 0},
		{"a new item", "* a\n* b\n", "* a\n* new\n* b\n", 2},
		{"tabs", "{% tabs %}\n{% tab title=\"A\" %}\na\n\nb\n{% endtab %}\n{% endtabs %}\n", "{% tabs %}\n{% tab title=\"B\" %}\na\n\nB\n{% endtab %}\n{% endtabs %}\n", 0},
		{"cells", "|a|b|\n|-|-|\n|c|d|\n|e|f|\n", "|a|b|\n|-|-|\n|c|D|\n|e|f|\n", 0},
		{"a new row", "|a|b|\n|-|-|\n|c|d|\n|e|f|\n", "|a|b|\n|-|-|\n|new|row|\n|c|d|\n|e|f|\n", 4},
		{"a footnote", "x[^1] y\n\n[^1]: A\n\n    B\n", "z[^1] y\n\n[^1]: A\n\n    C\n", 0},
		{"an expandable", "<details>\n\n<summary>T</summary>\n\na\n\nb\n\n</details>\n", "<details>\n\n<summary>T</summary>\n\na\n\nB\n\n</details>\n", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, doc := Parse([]byte(c.old), Refs{}), Parse([]byte(c.doc), Refs{})
			Rekey(NewSkeleton(old), nil, doc)
			checkKeys(t, doc)
			doc = stored(t, []byte(c.doc), doc)
			had := map[string]bool{}
			for _, n := range keyed(old.Nodes) {
				had[n.Key] = true
			}
			fresh := 0
			for _, n := range keyed(doc.Nodes) {
				if !had[n.Key] {
					fresh++
				}
			}
			if fresh != c.gone {
				t.Errorf("%d blocks have a new key, want %d", fresh, c.gone)
			}
		})
	}
}

func TestRekeyAlwaysGivesKeys(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := Parse(drawPieces(rt), Refs{}), Parse(drawPieces(rt), Refs{})
		Rekey(NewSkeleton(a), nil, b)
		checkKeys(rapidTB{t, rt}, b)
		want := keysOf(b.Nodes)
		if len(Keys(b)) > 0 && !SetKeys(b, Keys(b), innerKeys(b, hashAll(b.Nodes))) {
			rt.Fatalf("its own keys do not fit")
		}
		if !slices.Equal(keysOf(b.Nodes), want) {
			rt.Fatalf("its own keys are read as others")
		}
	})
}

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Getting started": "getting-started", "  A -- b\tc ": "a-b-c", "C++ & Go!": "c-go", "Überblick": "überblick", "日本語 テスト": "日本語-テスト", "v1.2": "v1.2", "CI/CD x": "ci-cd-x", "Release 4.5": "release-4.5", "rotate_size": "rotate_size", "1. Create": "id-1.-create", "User(s)": "user-s", "What's new": "whats-new", "a&b": "a-b", "...": "section", "!?": "section", "": "section", "a–b": "a-b",
	} {
		if got := Slug(text); got != want {
			t.Errorf("Slug(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestAnchorsAreUnique(t *testing.T) {
	doc := Parse([]byte("# A\n\n# A\n\n## B <a href=\"#a-1\" id=\"a-1\"></a>\n\n# A\n\n<details>\n\n<summary>A</summary>\n\n# ?\n\n</details>\n\n# ?\n"), Refs{})
	got := Anchors(doc)
	want := []string{"a", "a-2", "a-1", "a-3", "a-4", "section", "section-1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
