package markup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/jsontext"
)

// sameDocs returns the first difference between the contents of two documents.
func sameDocs(a, b []*Node) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d blocks and %d blocks\n%s\n---\n%s", len(a), len(b), outlineOf(a), outlineOf(b))
	}
	h := Hashes{}
	for i := range a {
		if h.Of(a[i]) != h.Of(b[i]) {
			return fmt.Errorf("block %d:\n%s\n---\n%s", i, outlineOf(a[i:i+1]), outlineOf(b[i:i+1]))
		}
	}
	return nil
}

// outlineOf returns nodes in a short form for test output.
func outlineOf(nodes []*Node) string {
	var b strings.Builder
	var walk func(n *Node, depth int)
	walk = func(n *Node, depth int) {
		b.WriteString(strings.Repeat(" ", depth))
		switch n.Object {
		case ObjectText:
			for _, l := range n.Leaves {
				fmt.Fprintf(&b, "%q", l.Text)
				if l.Raw {
					b.WriteString("!")
				}
				for _, m := range l.Marks {
					b.WriteString("/" + m.Type)
					if m.Data != nil {
						b.WriteString("(" + m.Data["text"] + "," + m.Data["background"] + ")")
					}
				}
				b.WriteString(" ")
			}
		case ObjectFragment:
			b.WriteString("#" + n.Slot())
		default:
			b.WriteString(n.Type)
			if len(n.Data) > 0 {
				j, _ := jsontext.Marshal(n.Data)
				b.WriteString(" " + string(j))
			}
		}
		b.WriteString("\n")
		for _, k := range n.Nodes {
			walk(k, depth+1)
		}
		for _, k := range n.Fragments {
			walk(k, depth+1)
		}
	}
	for _, n := range nodes {
		walk(n, 0)
	}
	return b.String()
}

// checkSpans checks that spans are in the source and in order, and that they
// are either shared or disjoint.
func checkSpans(t testing.TB, src []byte, doc *Document) {
	t.Helper()
	if len(doc.Spans) != len(doc.Nodes) {
		t.Fatalf("%d spans for %d nodes", len(doc.Spans), len(doc.Nodes))
	}
	end := 0
	for i, s := range doc.Spans {
		if i > 0 && s == doc.Spans[i-1] {
			continue
		}
		if s.Start < end || s.End < s.Start || s.End > len(src) {
			t.Fatalf("span %d is %v after %d of %d bytes in %q", i, s, end, len(src), src)
		}
		if s.Start > 0 && src[s.Start-1] != '\n' {
			t.Fatalf("span %v does not begin a line in %q", s, src)
		}
		end = s.End
	}
}

// checkKeys checks that every node has a unique key.
func checkKeys(t testing.TB, doc *Document) {
	t.Helper()
	seen := map[string]bool{}
	eachNode(doc.Nodes, func(n *Node) {
		if !isKey(n.Key) || seen[n.Key] {
			t.Fatalf("the key %q of a %s %s is no key or there twice", n.Key, n.Object, n.Type)
		}
		seen[n.Key] = true
	})
}

// checkLaws checks the properties that hold for every source.
func checkLaws(t testing.TB, src []byte, refs Refs) {
	t.Helper()
	doc := Parse(src, refs)
	for _, p := range doc.Problems {
		if p.Message == unreadable {
			t.Fatalf("panic in %q: %s", src, p.Message)
		}
	}
	checkSpans(t, src, doc)
	checkKeys(t, doc)
	if got := Reprint(src, doc, Parse(src, refs), refs); !bytes.Equal(got, src) {
		t.Fatalf("reprinting without a change:\n%q\nbecame\n%q", src, got)
	}
	printed := Print(doc, refs)
	again := Parse(printed, refs)
	if err := sameDocs(doc.Nodes, again.Nodes); err != nil {
		t.Fatalf("%q\nprinted as\n%q\nreads back otherwise: %v", src, printed, err)
	}
	if twice := Print(again, refs); !bytes.Equal(twice, printed) {
		t.Fatalf("%q\nprints as\n%q\nand then as\n%q", src, printed, twice)
	}
	checkClient(t, doc)
}

// checkClient checks that a client can send back a document that it received.
func checkClient(t testing.TB, doc *Document) {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	back, err := Decode("document", b)
	if err != nil {
		if strings.Contains(err.Error(), "address") { // unsafe ones are refused
			return
		}
		t.Fatalf("a client cannot send this back: %v\n%s", err, b)
	}
	if err := sameDocs(doc.Nodes, back.Nodes); err != nil {
		t.Fatalf("sent back, it is another document: %v", err)
	}
}
