package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// same returns a difference between two descriptions of the same API, or "".
func same(a, b *Description) string {
	if len(a.Operations) != len(b.Operations) || len(a.Webhooks) != len(b.Webhooks) || len(a.Schemas) != len(b.Schemas) {
		return "other numbers of operations, webhooks or schemas"
	}
	for i, o := range slices.Concat(a.Operations, a.Webhooks) {
		if was, is := o.Markdown(2), slices.Concat(b.Operations, b.Webhooks)[i].Markdown(2); was != is {
			return was + "\n--- is ---\n" + is
		}
	}
	return ""
}

// A description joined into one file has the same operations, webhooks and schemas.
func TestJoin(t *testing.T) {
	all := samples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			b, d := bundle(all[name]), load(t, all[name])
			whole, err := Join(b, 1<<20)
			if err != nil || !json.Valid(whole) {
				t.Fatalf("%v: %s", err, whole)
			}
			joined, err := Load(t.Context(), Bundle{Root: "joined.json", Files: map[string][]byte{"joined.json": whole}})
			if err != nil {
				t.Fatalf("%v: %s", err, whole)
			}
			if diff := same(d, joined); diff != "" {
				t.Error(diff)
			}
			if len(b.Files) > 1 && bytes.Contains(whole, []byte("example.com/a.yaml")) {
				t.Errorf("the names of files are in it: %s", whole)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	got, err := JSON("a.yaml", []byte("b: &x {c: 0x10, a: ~}\na: [*x, *x, 'é\"', yes, 2026-01-01]\n"), 1000)
	want := `{"b":{"c":16,"a":null},"a":[{"c":16,"a":null},{"c":16,"a":null},"é\"","yes","2026-01-01"]}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	for _, limit := range []int{0, 10, 30} {
		var bad *Invalid
		if _, err := JSON("a.yaml", []byte("b: &x {c: 0x10, a: ~}\na: [*x, *x, *x]\n"), limit); !errors.As(err, &bad) || bad.Problems[0].Code != CodeLimit {
			t.Errorf("limit %d: %v", limit, err)
		}
	}
	b := bundle(samples(t)["files"])
	var bad *Invalid
	if _, err := Join(b, 100); !errors.As(err, &bad) || bad.Problems[0].Code != CodeLimit {
		t.Errorf("a joined description beyond the limit: %v", err)
	}
}

// For any input, Load returns a description or a reason. The description can be shown,
// written as JSON and loaded again.
func FuzzLoad(f *testing.F) {
	for _, src := range samples(f) {
		b := bundle(src)
		f.Add(b.Files[b.Root])
	}
	if b, err := os.ReadFile("testdata/petstore.txt"); err == nil {
		f.Add(bytes.ReplaceAll(b, []byte("Pet'"), []byte("Error'")))
	}
	f.Add([]byte("openapi: 3.1.0\ninfo: {title: a, version: b}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/B'}, B: {allOf: [{$ref: '#/components/schemas/A'}]}}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 64<<10 {
			return
		}
		d, err := Load(t.Context(), Bundle{Root: "a", Files: map[string][]byte{"a": data}})
		if err != nil {
			var bad *Invalid
			if !errors.As(err, &bad) || len(bad.Problems) == 0 || strings.TrimSpace(bad.Problems[0].Message) == "" {
				t.Fatalf("%#v", err)
			}
			return
		}
		show(d)
		whole, err := JSON("a", data, 1<<20)
		var bad *Invalid
		if errors.As(err, &bad) && bad.Problems[0].Code == CodeLimit {
			return
		}
		if err != nil || !json.Valid(whole) || !utf8.Valid(whole) {
			t.Fatalf("%v: %s", err, whole)
		}
		if _, err := Load(t.Context(), Bundle{Root: "a.json", Files: map[string][]byte{"a.json": whole}}); err != nil {
			t.Fatalf("%v: %s", err, whole)
		}
	})
}
