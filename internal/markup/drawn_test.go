package markup_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/testmarkup"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func TestDecodeUndoesMarshal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := testmarkup.Document(t)
		raw, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		got, err := markup.Decode("body", raw)
		if err != nil {
			t.Fatalf("%v\n%s", err, raw)
		}
		if want := markup.Decodable(doc.Nodes); !reflect.DeepEqual(got.Nodes, want) {
			t.Fatalf("decoding changed the document\n%s", raw)
		}
	})
}

func TestEvaluateDoesNotTouchItsInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := testmarkup.Document(t)
		before, _ := json.Marshal(doc)
		show, keep := rapid.Bool().Draw(t, "show"), rapid.Bool().Draw(t, "keep")
		out := markup.Evaluate(doc, markup.Evaluator{
			Text:      func(string) (string, bool) { return "text", keep },
			Condition: func(string) (bool, bool) { return show, keep },
		})
		after, _ := json.Marshal(doc)
		if !bytes.Equal(before, after) {
			t.Fatal("the document was changed")
		}
		if keep {
			if same, _ := json.Marshal(out); !bytes.Equal(before, same) {
				t.Fatal("something that is kept was changed")
			}
			return
		}
		markup.EachNode(out.Nodes, func(n *markup.Node) {
			if n.Type == "if" || n.Type == "expression" {
				t.Fatalf("%s is left", n.Type)
			}
		})
	})
}

func TestDereferenceDoesNotTouchItsInput(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc, content := testmarkup.Document(t), testmarkup.Document(t)
		doc.Nodes = append(doc.Nodes, markup.IncludeNode("", "x", rapid.SampledFrom([]string{"", "other"}).Draw(t, "space")))
		before, _ := json.Marshal([]*markup.Document{doc, content})
		out := markup.Dereference(doc, func(r docs.Ref) (*markup.Document, bool) { return content, true })
		after, _ := json.Marshal([]*markup.Document{doc, content})
		if !bytes.Equal(before, after) {
			t.Fatal("the input was changed")
		}
		keys := map[string]bool{}
		markup.EachNode(out.Nodes, func(n *markup.Node) {
			if n.Key != "" && keys[n.Key] {
				t.Fatalf("the key %s is there twice", n.Key)
			}
			keys[n.Key] = true
		})
	})
}

// A document from a client need not be in the form that Parse returns. One
// round trip normalizes it, and no word is lost.
func TestPrintOfAnyDocumentIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := testmarkup.Document(rt)
		printed := markup.Print(doc, markup.Refs{})
		got := markup.Parse(printed, markup.Refs{})
		if again := markup.Print(got, markup.Refs{}); !bytes.Equal(again, printed) {
			rt.Fatalf("prints as\n%s\nand then as\n%s", printed, again)
		}
		have := " " + strings.Join(strings.Fields(markup.Text(got.Nodes)), " ") + " "
		for _, w := range strings.Fields(markup.Text(doc.Nodes)) {
			if !strings.Contains(have, w) {
				rt.Fatalf("%q is lost in\n%s", w, printed)
			}
		}
	})
}

func TestReferencesMissNone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := testmarkup.Document(t)
		got := 0
		for _, r := range markup.References(doc) {
			if r.Ref.Kind == "" {
				t.Fatal("a reference without a kind")
			}
			got++
		}
		if want := markup.CountRefs(reflect.ValueOf(doc)) + markup.CountIDs(doc); got != want {
			t.Fatalf("%d references of %d", got, want)
		}
	})
}

// ReplaceRefs replaces every reference in any document, and does not modify the
// document that it was called with.
func TestRedirectReachesEveryReference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := testmarkup.Document(t)
		before, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		refs := markup.CountRefs(reflect.ValueOf(doc))
		asked := 0
		same, changed := markup.ReplaceRefs(doc, func(r docs.Ref) (docs.Ref, bool) { asked++; return r, false })
		if changed || same != doc || asked != refs {
			t.Fatalf("%d of %d references were asked for; changed: %t", asked, refs, changed)
		}
		hidden := docs.Ref{Kind: docs.RefPage, Page: "hidden"}
		other, changed := markup.ReplaceRefs(doc, func(docs.Ref) (docs.Ref, bool) { return hidden, true })
		if changed != (refs > 0) {
			t.Fatalf("changed: %t, with %d references", changed, refs)
		}
		left := 0
		if _, changed := markup.ReplaceRefs(other, func(r docs.Ref) (docs.Ref, bool) {
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

func TestSectionsLoseNoVisibleWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := testmarkup.Document(t)
		var all strings.Builder
		for _, s := range markup.Sections(doc) {
			all.WriteString(s.Title + "\n" + s.Body + "\n")
		}
		have := map[string]int{}
		for _, w := range strings.Fields(all.String()) {
			have[w]++
		}
		text := all.String()
		for _, w := range markup.VisibleWords(doc.Nodes) {
			if have[w] == 0 && !strings.Contains(text, w) {
				t.Fatalf("%q is lost in\n%s", w, text)
			}
		}
		if got := len(markup.Sections(doc)); got != len(markup.Headings(doc))+1 {
			t.Fatalf("%d sections for %d headings", got, len(markup.Headings(doc)))
		}
	})
}
