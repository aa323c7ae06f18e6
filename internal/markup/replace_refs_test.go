package markup

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
)

// ReplaceRefs replaces every reference in any document, and does not modify the
// document that it was called with.
func TestRedirectReachesEveryReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := genDocument(t)
		before, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		refs := countRefs(reflect.ValueOf(doc))
		asked := 0
		same, changed := ReplaceRefs(doc, func(r docs.Ref) (docs.Ref, bool) { asked++; return r, false })
		if changed || same != doc || asked != refs {
			t.Fatalf("%d of %d references were asked for; changed: %t", asked, refs, changed)
		}
		hidden := docs.Ref{Kind: docs.RefPage, Page: "hidden"}
		other, changed := ReplaceRefs(doc, func(docs.Ref) (docs.Ref, bool) { return hidden, true })
		if changed != (refs > 0) {
			t.Fatalf("changed: %t, with %d references", changed, refs)
		}
		left := 0
		if _, changed := ReplaceRefs(other, func(r docs.Ref) (docs.Ref, bool) {
			if r != hidden {
				left++
			}
			return r, false
		}); changed || left > 0 {
			t.Fatalf("%d references are left", left)
		}
		if after, err := json.Marshal(doc); err != nil || string(after) != string(before) {
			t.Fatalf("the document has changed (%v):\n%s\n%s", err, before, after)
		}
	})
}
