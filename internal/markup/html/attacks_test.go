package html

import (
	"bytes"
	stdhtml "html"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/testing/testhtml"
)

func render(t testing.TB, o Options, nodes ...*markup.Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, &markup.Document{Nodes: nodes}, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// addressPlaces are all places of a document that hold an address.
var addressPlaces = map[string]func(url string) *markup.Node{
	"link": func(u string) *markup.Node {
		return para(anInline("link", map[string]any{"ref": webRef(u)}, words("x")))
	},
	"mention": func(u string) *markup.Node { return para(anInline("mention", map[string]any{"ref": webRef(u)})) },
	"button": func(u string) *markup.Node {
		return para(anInline("button", map[string]any{"ref": webRef(u), "label": "x", "kind": "primary"}))
	},
	"inline image": func(u string) *markup.Node {
		return para(anInline("inline-image", map[string]any{"ref": webRef(u), "alt": "x"}))
	},
	"inline image dark": func(u string) *markup.Node {
		return para(anInline("inline-image", map[string]any{"ref": webRef("/a.png"), "refDark": webRef(u)}))
	},
	"image": func(u string) *markup.Node {
		return aBlock("images", nil, aBlock("image", map[string]any{"ref": webRef(u)}))
	},
	"image dark": func(u string) *markup.Node {
		return aBlock("images", nil, aBlock("image", map[string]any{"ref": webRef("/a.png"), "refDark": webRef(u)}))
	},
	"file":        func(u string) *markup.Node { return aBlock("file", map[string]any{"ref": webRef(u)}) },
	"drawing":     func(u string) *markup.Node { return aBlock("drawing", map[string]any{"ref": webRef(u)}) },
	"embed":       func(u string) *markup.Node { return aBlock("embed", map[string]any{"url": u}) },
	"content ref": func(u string) *markup.Node { return aBlock("content-ref", map[string]any{"ref": webRef(u)}) },
	"resolved page": func(u string) *markup.Node {
		return aBlock("content-ref", map[string]any{"ref": docs.Ref{Kind: docs.RefPage, Page: u}})
	},
	"resolved file": func(u string) *markup.Node {
		return aBlock("file", map[string]any{"ref": docs.Ref{Kind: docs.RefFile, File: u}})
	},
	"anchor": func(u string) *markup.Node {
		return para(anInline("link", map[string]any{"ref": docs.Ref{Kind: docs.RefAnchor, Anchor: u}}, words("x")))
	},
	"swagger": func(u string) *markup.Node {
		return aBlock("swagger", map[string]any{"ref": webRef(u), "path": u, "method": "get"})
	},
	"integration": func(u string) *markup.Node {
		return aBlock("integration", map[string]any{"integration": "a", "block": "b", "url": u, "props": map[string]any{"url": u}})
	},
	"content-ref cell": func(u string) *markup.Node { return aTable(grid(), "content-ref", webRef(u)) },
	"image cell": func(u string) *markup.Node {
		return aTable(grid(), "image", map[string]any{"ref": webRef(u), "alt": u})
	},
	"files cell":      func(u string) *markup.Node { return aTable(grid(), "files", []any{u}) },
	"users cell":      func(u string) *markup.Node { return aTable(grid(), "users", []any{u}) },
	"card target":     func(u string) *markup.Node { return aTable(cards("targetDefinition"), "content-ref", webRef(u)) },
	"card cover":      func(u string) *markup.Node { return aTable(cards("coverDefinitionDark"), "image", webRef(u)) },
	"card cover file": func(u string) *markup.Node { return aTable(cards("coverDefinitionDark"), "files", []any{u}) },
	"raw link":        func(u string) *markup.Node { return para(rawWords(`<a href="`+u+`">`), words("x"), rawWords("</a>")) },
	"raw image":       func(u string) *markup.Node { return rawBlockNode(`<p><img src="` + stdhtml.EscapeString(u) + `"></p>`) },
}

// hostileOptions return the values of references unchanged as addresses and
// titles.
var hostileOptions = Options{
	Link: func(r docs.Ref) (string, bool) {
		switch r.Kind {
		case docs.RefPage:
			return r.Page, true
		case docs.RefFile:
			return r.File, true
		case docs.RefUser:
			return r.User, true
		}
		return "", false
	},
	Title: func(r docs.Ref) (string, bool) { return r.Page + r.File + r.URL, true },
}

func TestNoDangerousAddressInAnyPlace(t *testing.T) {
	for _, url := range attacks(t, "schemes.txt") {
		if _, ok := markup.SafeURL(url); ok {
			t.Errorf("SafeURL takes %q", url)
		}
		for place, node := range addressPlaces {
			out := render(t, hostileOptions, node(url))
			testhtml.Check(t, out)
			if strings.HasPrefix(place, "raw") {
				continue // raw HTML, in which an invalid address may become a relative one
			}
			page, err := html.Parse(strings.NewReader(out))
			if err != nil {
				t.Fatal(err)
			}
			for n := range page.Descendants() {
				for _, a := range n.Attr {
					if (a.Key == "href" || a.Key == "src" || a.Key == "srcset") && a.Val != "/a.png" {
						t.Errorf("%s: %q became the address %q", place, url, a.Val)
					}
				}
			}
		}
		if url == "\x00javascript:alert(1)" {
			continue // cannot be encoded as JSON
		}
		link, err := jsontext.Marshal(anInline("link", map[string]any{"ref": webRef(url)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := markup.Decode("body", []byte(inParagraph(string(link)))); err == nil {
			t.Errorf("Decode takes %q", url)
		}
	}
}

func TestGoodAddressesSurvive(t *testing.T) {
	for _, url := range attacks(t, "addresses.txt") {
		got, ok := markup.SafeURL(url)
		if !ok || got != url {
			t.Errorf("SafeURL(%q) = %q, %t", url, got, ok)
		}
		out := render(t, Options{}, addressPlaces["link"](url))
		if !strings.Contains(out, `href="`+stdhtml.EscapeString(url)+`"`) {
			t.Errorf("%q is gone: %s", url, out)
		}
	}
}

func TestRawHTMLIsReducedToHarmlessElements(t *testing.T) {
	for _, raw := range slices.Concat(attacks(t, "html.txt"), attacks(t, "svg.txt")) {
		for name, nodes := range map[string][]*markup.Node{
			"block": {rawBlockNode(raw), para(words("after"))},
			"line":  {para(words("a"), rawWords(raw), words("b")), para(words("after"))},
			"link":  {para(anInline("link", map[string]any{"ref": webRef("/x")}, rawWords(raw), words("b")))},
			"cell": {func() *markup.Node {
				n := aTable(grid(), "number", 1.0)
				n.Fragments[0].Nodes = []*markup.Node{para(rawWords(raw)), rawBlockNode(raw)}
				return n
			}()},
			"list":         {aBlock("list-unordered", nil, aBlock("list-item", nil, para(rawWords(raw)), rawBlockNode(raw)))},
			"title":        {expandableNode([]*markup.Node{para(rawWords(raw))}, []*markup.Node{rawBlockNode(raw)})},
			"every letter": letters(raw),
		} {
			out := render(t, Options{}, nodes...)
			testhtml.Check(t, out)
			if t.Failed() {
				t.Fatalf("%s: %q", name, raw)
			}
		}
	}
}

// letters returns a paragraph in which each piece of HTML is a separate leaf.
func letters(raw string) []*markup.Node {
	n := &markup.Node{Object: markup.ObjectText}
	for _, part := range strings.SplitAfter(raw, ">") {
		n.Leaves = append(n.Leaves, markup.Leaf{Text: part, Raw: true, Marks: []markup.Mark{{Type: "bold"}}}, markup.Leaf{Text: "text", Marks: []markup.Mark{{Type: "italic"}}})
	}
	return []*markup.Node{para(n)}
}

// Every string of every type carries a payload, because an attacker can put any
// value into any string.
func TestNoValueLeavesItsAttribute(t *testing.T) {
	payloads := slices.Concat(attacks(t, "attributes.txt"), attacks(t, "html.txt"), attacks(t, "schemes.txt"))
	for _, s := range payloads {
		out := render(t, hostileOptions, hostileNodes(s)...)
		testhtml.Check(t, out)
		if t.Failed() {
			t.Fatalf("payload %q", s)
		}
	}
}

// hostileNodes returns a node of every type with s in every place that takes a
// string.
func hostileNodes(s string) []*markup.Node {
	var out []*markup.Node
	for _, sh := range markup.ExportSchema().Types {
		if len(sh.In) > 0 || sh.Object != markup.ObjectBlock || sh.Cells {
			continue
		}
		n := aBlock(sh.Name, hostileData(sh, s), hostileChildren(sh, s, 0)...)
		n.Meta = map[string]any{"id": s}
		n.Key = s
		for _, slot := range sh.Fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.Name, para(words(s))))
		}
		out = append(out, n)
	}
	for _, sh := range markup.ExportSchema().Types {
		if sh.Object != markup.ObjectInline {
			continue
		}
		kind := sh.Name
		n := anInline(kind, hostileData(sh, s), hostileChildren(sh, s, 0)...)
		for _, slot := range sh.Fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.Name, para(words(s))))
		}
		out = append(out, para(n))
		if hasField(sh, "action") {
			n := anInline(kind, hostileData(sh, s))
			delete(n.Data, "ref")
			out = append(out, para(n))
			n = anInline(kind, hostileData(sh, s))
			delete(n.Data, "ref")
			n.Data["action"] = "search"
			out = append(out, para(n))
		}
	}
	for _, mark := range markup.MarkTypes() {
		out = append(out, para(&markup.Node{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: s, Marks: []markup.Mark{{Type: mark, Data: map[string]string{"text": s, "background": s}}}}}}))
	}
	for _, kind := range []string{"text", "number", "checkbox", "files", "users", "rating", "select", "content-ref", "image", s} {
		for _, value := range []any{s, 3.0, true, []any{s}, webRef(s), map[string]any{"ref": webRef(s), "alt": s, "objectFit": s}} {
			n := aTable(grid(), kind, value)
			n.Data["definition"].(map[string]any)["c"] = map[string]any{
				"id": s, "title": s, "type": kind, "textAlignment": s, "max": s, "options": []any{map[string]any{"value": s, "label": s, "color": s}},
			}
			n.Data["view"].(map[string]any)["columnWidths"] = map[string]any{"c": s}
			out = append(out, n, aTable(cards("targetDefinition"), kind, value))
		}
	}
	return append(out, aBlock(s, map[string]any{"x": s}, para(anInline(s, nil, words(s)))))
}

func hostileData(sh markup.SchemaType, s string) map[string]any {
	data := map[string]any{}
	for _, f := range sh.Fields {
		data[f.Name] = s
	}
	for _, key := range []string{"ref", "refDark"} {
		if hasField(sh, key) {
			data[key] = webRef(s)
		}
	}
	for _, key := range []string{"lineNumbers", "fullWidth", "expandable", "withFrame", "defaultExpanded"} {
		if hasField(sh, key) {
			data[key] = true
		}
	}
	if hasField(sh, "tags") {
		data["tags"] = []any{docs.Ref{Kind: docs.RefTag, Tag: s}}
	}
	if hasField(sh, "props") {
		data["props"] = map[string]any{s: s}
	}
	if hasField(sh, "schemas") {
		data["schemas"] = []any{s}
	}
	if hasField(sh, "width") {
		data["width"], data["height"] = map[string]any{"unit": s, "value": 1.0}, s
	}
	return data
}

func hostileChildren(sh markup.SchemaType, s string, depth int) []*markup.Node {
	switch {
	case sh.Holds == markup.ObjectInline:
		return []*markup.Node{words(s), rawWords(s)}
	case sh.Holds == markup.ObjectBlock && len(sh.Only) == 0 || depth > 3:
		return []*markup.Node{para(words(s))}
	case sh.Holds == "":
		return nil
	}
	var out []*markup.Node
	for _, kind := range sh.Only {
		part := schemaOf(kind)
		n := aBlock(kind, hostileData(part, s), hostileChildren(part, s, depth+1)...)
		n.Meta = map[string]any{"id": s}
		for _, slot := range part.Fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.Name, para(words(s))))
		}
		out = append(out, n)
	}
	return out
}

func hasField(t markup.SchemaType, name string) bool {
	return slices.ContainsFunc(t.Fields, func(f markup.SchemaField) bool { return f.Name == name })
}

func schemaOf(name string) markup.SchemaType {
	types := markup.ExportSchema().Types
	return types[slices.IndexFunc(types, func(t markup.SchemaType) bool { return t.Name == name })]
}

var looseDiagram = regexp.MustCompile(`(?i)click|javascript|href|securityLevel|htmlLabels|<`)

func TestLooseDiagramsAndFormulasAreShownAsSource(t *testing.T) {
	for _, source := range attacks(t, "mermaid.txt") {
		code := aBlock("code", map[string]any{"syntax": "mermaid"})
		for line := range strings.SplitSeq(source, "\n") {
			code.Nodes = append(code.Nodes, aBlock("code-line", nil, words(line)))
		}
		old := aBlock("integration", map[string]any{"integration": "mermaid", "block": "diagram", "props": map[string]any{"content": source}})
		for _, n := range []*markup.Node{code, old} {
			out := render(t, Options{Highlight: highlight.New(1 << 20)}, n)
			testhtml.Check(t, out)
			if strings.Contains(out, `class="diagram"`) && looseDiagram.MatchString(stdhtml.UnescapeString(tagsForm.ReplaceAllString(out, ""))) {
				t.Errorf("%q would be drawn: %s", source, out)
			}
		}
	}
	for _, source := range []string{
		"graph TD\n  A[a<br/>b] --> click\n", "classDiagram\n  class A {\n    <<interface>>\n  }\n  A <|-- B\n", "%%{init: {'theme': 'dark'}}%%\ngraph TD\n",
	} {
		out := render(t, Options{}, aBlock("integration", map[string]any{"integration": "mermaid", "block": "diagram", "props": map[string]any{"content": source}}))
		if !strings.Contains(out, `class="diagram"`) || !strings.Contains(stdhtml.UnescapeString(out), source) {
			t.Errorf("%q is not drawn: %s", source, out)
		}
	}
	typeset := Options{Math: func(formula string, _ bool) (string, bool) {
		return "<code>" + stdhtml.EscapeString(formula) + "</code>", true
	}}
	for _, formula := range attacks(t, "katex.txt") {
		block := render(t, typeset, aBlock("math", map[string]any{"formula": formula}))
		inline := render(t, typeset, para(anInline("inline-math", map[string]any{"formula": formula})))
		testhtml.Check(t, block+inline)
		loose := strings.HasPrefix(formula, `\`) && !strings.HasPrefix(formula, `\text`)
		if got := strings.Contains(block+inline, `class="math"`); got == loose {
			t.Errorf("%q is typeset: %t", formula, got)
		}
		if !strings.Contains(stdhtml.UnescapeString(block), formula) {
			t.Errorf("%q is not shown: %s", formula, block)
		}
	}
	long := render(t, typeset, aBlock("math", map[string]any{"formula": strings.Repeat("x", maxFormula+1)}))
	if !strings.Contains(long, `class="math-source"`) {
		t.Error("a formula without end is typeset")
	}
}

// FuzzHTML puts one string into every place of every type.
func FuzzHTML(f *testing.F) {
	for _, name := range attackFiles {
		for _, s := range attacks(f, name) {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, s string) {
		testhtml.Check(t, render(t, hostileOptions, rawBlockNode(s), para(rawWords(s), words(s), rawWords(s))))
		testhtml.Check(t, render(t, hostileOptions, letters(s)...))
		if len(s) < 200 {
			testhtml.Check(t, render(t, hostileOptions, hostileNodes(s)...))
		}
		if u, ok := markup.SafeURL(s); ok && testhtml.Dangerous(u) {
			t.Errorf("SafeURL takes %q", s)
		}
	})
}
