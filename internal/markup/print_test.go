package markup

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/docs"
)

// hardRefs knows some things by destinations that are hard to write.
var hardRefs = func() Refs {
	dests := map[destination]docs.Ref{
		{"page (1).md", UseLink}: {Kind: docs.RefPage, Page: "p1"}, {"#a1", UseLink}: {Kind: docs.RefAnchor, Anchor: "a1"},
		{".gitbook/assets/a b.png", UseImage}: {Kind: docs.RefFile, File: "f1"}, {".gitbook/assets/a b.png", UseFile}: {Kind: docs.RefFile, File: "f1"},
		{".gitbook/assets/a b.png", UseLink}: {Kind: docs.RefFile, File: "f1"}, {".gitbook/includes/r.md", UseInclude}: {Kind: docs.RefReusable, ReusableContent: "r1"},
	}
	return Refs{
		Resolve: func(dest string, use Use) (docs.Ref, bool) {
			ref, ok := dests[destination{dest, use}]
			return ref, ok
		},
		Locate: func(ref docs.Ref, use Use) (string, bool) {
			for d, r := range dests {
				if r == ref && d.use == use {
					return d.dest, true
				}
			}
			return "", false
		},
	}
}()

// Every block keeps its attributes at every place where it may stand.
func TestEveryAttributeAtEveryPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		for _, place := range slices.Sorted(maps.Keys(blockPlaces)) {
			types := slices.Compact(slices.Clone(cellTypes))
			if place != "a cell" {
				types = append(types, taggedTypes...)
			}
			typ := rapid.SampledFrom(types).Draw(rt, "type")
			g := &normalGen{t: rt, full: true, html: place == "a cell", note: place == "a note"}
			doc := &Document{Nodes: []*Node{blockPlaces[place](g.block(typ, normalDepth-1))}}
			src := Print(doc, hardRefs)
			if err := sameDocs(doc.Nodes, Parse(src, hardRefs).Nodes); err != nil {
				rt.Fatalf("%s in %s is printed as\n%s\nreads back otherwise: %v", typ, place, src, err)
			}
		}
	})
}

func TestPrintedDocumentsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := genNormal(rt)
		printed := Print(doc, hardRefs)
		got := Parse(printed, hardRefs)
		if err := sameDocs(doc.Nodes, got.Nodes); err != nil {
			rt.Fatalf("printed as\n%s\nreads back otherwise: %v", printed, err)
		}
		if again := Print(got, hardRefs); !bytes.Equal(again, printed) {
			rt.Fatalf("prints as\n%s\nand then as\n%s", printed, again)
		}
	})
}

// What a client sends need not be in the form that Parse returns; one round
// makes it so, and no word is lost.
func TestPrintOfAnyDocumentIsStable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		doc := genDocument(rt)
		printed := Print(doc, Refs{})
		got := Parse(printed, Refs{})
		if again := Print(got, Refs{}); !bytes.Equal(again, printed) {
			rt.Fatalf("prints as\n%s\nand then as\n%s", printed, again)
		}
		have := " " + strings.Join(strings.Fields(Text(got.Nodes)), " ") + " "
		for _, w := range strings.Fields(Text(doc.Nodes)) {
			if !strings.Contains(have, w) {
				rt.Fatalf("%q is lost in\n%s", w, printed)
			}
		}
	})
}
