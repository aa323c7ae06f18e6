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

// hardRefs resolves some destinations that are hard to write.
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

// Every block keeps its attributes in every container that allows it, also in
// nested containers: in a hint inside a cell, for example.
func TestEveryAttributeAtEveryPlace(t *testing.T) {
	places := slices.Sorted(maps.Keys(blockPlaces))
	rapid.Check(t, func(rt *rapid.T) {
		for _, outer := range places {
			inner := rapid.SampledFrom(places).Draw(rt, "inner")
			if outer == "a note" && inner == "a note" {
				continue // a note has no notes
			}
			typ := rapid.SampledFrom(drawnTypes).Draw(rt, "type")
			g := &normalGen{t: rt, full: true, note: outer == "a note" || inner == "a note"}
			doc := &Document{Nodes: []*Node{blockPlaces[outer](blockPlaces[inner](g.block(typ, normalDepth-1)))}}
			src := Print(doc, hardRefs)
			if err := sameDocs(doc.Nodes, Parse(src, hardRefs).Nodes); err != nil {
				rt.Fatalf("%s in %s in %s is printed as\n%s\nreads back otherwise: %v", typ, inner, outer, src, err)
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

// notGenerated are the attributes that have no form in Markdown.
var notGenerated = map[string]string{
	"heading-1.anchor": "another name of id, for clients", "heading-2.anchor": "see heading-1", "heading-3.anchor": "see heading-1",
	"heading-1.level": "the type says it", "heading-2.level": "the type says it",
	"integration.action": "of clients only",
}

// The properties of printing are tested for the attributes that the generator
// draws. They must be all attributes that a client may send.
func TestGeneratorDrawsEveryAttribute(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many cases")
	}
	drawn := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		g := &normalGen{t: rt, full: true}
		for _, typ := range append(drawnTypes[:len(drawnTypes):len(drawnTypes)], "table", "table", "table") {
			eachNode([]*Node{g.block(typ, normalDepth-2)}, func(n *Node) {
				for key := range n.Data {
					drawn[n.Type+"."+key] = true
				}
				for _, f := range n.Fragments {
					drawn[n.Type+" #"+f.Slot()] = true
				}
			})
		}
	})
	for _, shapes := range []map[string]*nodeType{blockTypes, inlineTypes} {
		for typ, s := range shapes {
			for key := range s.fields {
				if name := typ + "." + key; !drawn[name] && notGenerated[name] == "" {
					t.Errorf("the generator does not draw %s", name)
				}
			}
			for _, slot := range s.fragments {
				if name := typ + " #" + slot.name; !drawn[name] {
					t.Errorf("the generator does not draw %s", name)
				}
			}
		}
	}
}

// Source from clients may have other line ends. It is printed in the same form, also at the
// end of a document, where it needs no end of its own.
func TestLineEndsOfRawSource(t *testing.T) {
	for _, source := range []string{"<!-- a\nb", "<div>\nb\n</div>", "<pre>\nb"} {
		want := string(Print(&Document{Nodes: []*Node{para(words("x")), rawBlockNode(source)}}, Refs{}))
		if want != "x\n\n"+source+"\n" {
			t.Fatalf("%q is printed as %q", source, want)
		}
		for _, other := range []string{strings.ReplaceAll(source, "\n", "\r\n"), source + "\n", source + "\r\n", strings.ReplaceAll(source, "\n", "\r\r\n")} {
			doc := &Document{Nodes: []*Node{para(words("x")), rawBlockNode(other)}}
			if got := string(Print(doc, Refs{})); got != want {
				t.Errorf("%q is printed as %q", other, got)
			}
		}
	}
}
