package chunk_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/chunk"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// editSet are edits by key; a nil value removes the key.
type editSet map[string][]byte

func (e editSet) sorted() []chunk.Edit {
	out := make([]chunk.Edit, 0, len(e))
	for _, k := range slices.Sorted(maps.Keys(e)) {
		out = append(out, chunk.Edit{Key: k, Value: e[k]})
	}
	return out
}

// memory is a source that keeps everything.
type memory struct {
	data  map[chunk.Hash][]byte
	reads int
}

func newMemory() *memory { return &memory{data: map[chunk.Hash][]byte{}} }

func (m *memory) Node(_ context.Context, h chunk.Hash) (*chunk.Node, error) {
	m.reads++
	b, ok := m.data[h]
	if !ok {
		return nil, fmt.Errorf("no object %s", h)
	}
	return chunk.Decode(b)
}

func (m *memory) put(n chunk.NewNode) {
	if _, known := m.data[n.Base]; n.Base != "" && !known {
		panic("the base of a node is not stored")
	}
	m.data[n.Hash] = n.Data
}

func (m *memory) apply(t testing.TB, root chunk.Hash, e editSet) chunk.Hash {
	out, err := chunk.Apply(t.Context(), m, root, e.sorted(), m.put)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func contents(t testing.TB, m *memory, root chunk.Hash) map[string]string {
	out := map[string]string{}
	last := ""
	err := chunk.Scan(t.Context(), m, root, "", func(k string, v []byte) (bool, error) {
		if k <= last && last != "" {
			t.Fatalf("%q comes behind %q", k, last)
		}
		last = k
		out[k] = string(v)
		return true, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The laws of a map, against Go's own: whatever was done in whatever order,
// equal content is an equal root, and a difference is exactly what differs.
func TestMapLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m := newMemory()
		ctx := context.Background()
		type version struct {
			root  chunk.Hash
			model map[string]string
		}
		versions := []version{{"", map[string]string{}}}
		keys := rapid.IntRange(1, 400).Draw(rt, "keys")
		for range rapid.IntRange(1, 6).Draw(rt, "versions") {
			from := versions[rapid.IntRange(0, len(versions)-1).Draw(rt, "from")]
			model, edits := maps.Clone(from.model), editSet{}
			for range rapid.IntRange(0, 300).Draw(rt, "edits") {
				k := fmt.Sprintf("k%04d", rapid.IntRange(0, keys).Draw(rt, "key"))
				if rapid.IntRange(0, 3).Draw(rt, "remove") == 0 {
					edits[k] = nil
					delete(model, k)
				} else {
					v := rapid.StringN(0, 5, 10).Draw(rt, "value")
					edits[k] = []byte(v)
					model[k] = v
				}
			}
			root, err := chunk.Apply(ctx, m, from.root, edits.sorted(), m.put)
			if err != nil {
				rt.Fatal(err)
			}
			versions = append(versions, version{root, model})
		}
		a, b := versions[len(versions)-1], versions[len(versions)/2]
		if got := contents(t, m, a.root); !maps.Equal(got, a.model) {
			rt.Fatalf("content %v, want %v", got, a.model)
		}
		scratch := editSet{}
		for k, v := range a.model {
			scratch[k] = []byte(v)
		}
		if fresh, err := chunk.Apply(ctx, m, "", scratch.sorted(), m.put); err != nil || fresh != a.root {
			rt.Fatalf("the same entries make %q and %q (%v)", a.root, fresh, err)
		}
		for k, v := range a.model {
			if got, ok, err := chunk.Get(ctx, m, a.root, k); err != nil || !ok || string(got) != v {
				rt.Fatalf("get %q: %q %v %v", k, got, ok, err)
			}
		}
		want := map[string]bool{}
		for k := range a.model {
			if v, ok := b.model[k]; !ok || v != a.model[k] {
				want[k] = true
			}
		}
		for k := range b.model {
			if _, ok := a.model[k]; !ok {
				want[k] = true
			}
		}
		got := map[string]bool{}
		err := chunk.Diff(ctx, m, b.root, a.root, func(k string, before, after []byte) error {
			if v, ok := b.model[k]; ok != (before != nil) || v != string(before) {
				rt.Fatalf("before of %q is %q, want %q", k, before, v)
			}
			if v, ok := a.model[k]; ok != (after != nil) || v != string(after) {
				rt.Fatalf("after of %q is %q, want %q", k, after, v)
			}
			got[k] = true
			return nil
		})
		if err != nil || !maps.Equal(got, want) {
			rt.Fatalf("difference %v, want %v (%v)", got, want, err)
		}
		sorted := slices.Sorted(maps.Keys(a.model))
		at := fmt.Sprintf("k%04d", rapid.IntRange(0, keys+1).Draw(rt, "at"))
		below, _ := slices.BinarySearch(sorted, at)
		if n, err := chunk.CountBelow(ctx, m, a.root, at); err != nil || n != below {
			rt.Fatalf("%d below %q, want %d (%v)", n, at, below, err)
		}
		k, _, ok, err := chunk.Last(ctx, m, a.root, at)
		if err != nil || ok != (below > 0) || (ok && k != sorted[below-1]) {
			rt.Fatalf("the last below %q is %q (%v, %v)", at, k, ok, err)
		}
	})
}

// One edit reads and writes about as much in a large map as in a small one,
// and a comparison reads only what differs.
func TestCostIsThatOfTheChange(t *testing.T) {
	for _, size := range []int{100, 10_000, 100_000} {
		m, all := newMemory(), editSet{}
		for i := range size {
			all[fmt.Sprintf("p%08d", i*7)] = []byte("a value of some length in place of a page")
		}
		root := m.apply(t, "", all)
		stored := len(m.data)
		m.reads = 0
		next := m.apply(t, root, editSet{"p00000070": []byte("changed")})
		if wrote := len(m.data) - stored; wrote > 8 || m.reads > 8 {
			t.Errorf("%d entries: one edit wrote %d nodes and read %d", size, wrote, m.reads)
		}
		m.reads = 0
		changes := 0
		err := chunk.Diff(t.Context(), m, root, next, func(string, []byte, []byte) error { changes++; return nil })
		if err != nil || changes != 1 || m.reads > 16 {
			t.Errorf("%d entries: %d changes, %d reads, %v", size, changes, m.reads, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add((&chunk.Node{Keys: []string{"a"}, Values: [][]byte{{1}}}).Encode())
	f.Add((&chunk.Node{Level: 1, Keys: []string{"a"}, Children: []chunk.Hash{chunk.Sum(nil)}, Counts: []int{3}}).Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := chunk.Decode(b)
		if err != nil {
			return
		}
		if again, err := chunk.Decode(n.Encode()); err != nil || len(again.Keys) != len(n.Keys) {
			t.Fatalf("%v %v", n, err)
		}
	})
}
