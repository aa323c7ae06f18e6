package markup

import (
	"bytes"
	stdhtml "html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
)

// attacks reads a list of payloads.
func attacks(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "attacks", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for line := range strings.Lines(string(b)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case line == "" || strings.HasPrefix(line, "//") && name != "addresses.txt":
			continue
		case strings.HasPrefix(line, `"`):
			if s, err := strconv.Unquote(line); err == nil {
				line = s
			}
		}
		out = append(out, line)
	}
	return out
}

// The elements and attributes that may occur in HTML output. The lists are
// maintained separately from the code that they verify.
var (
	outputElements = strings.Fields(`a abbr article aside b bdi bdo blockquote br button caption center cite code col colgroup dd del
		details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 header hr i img input ins kbd li mark ol p picture pre q rp rt ruby s samp
		section small source span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr`)
	outputAttributes = strings.Fields(`align alt aria-disabled aria-hidden aria-label checked class colspan data-action data-block
		data-collapsed-lines data-dark data-icon data-integration data-language data-method data-name data-path data-props data-query data-slug data-spec
		datetime dir disabled download height href id loading media name open role rowspan scope rel src srcset start tabindex target title type width`)
	safeAddress = regexp.MustCompile(`^(https?:|mailto:|tel:|[^:/?#]*([/?#]|$))`)
	className   = regexp.MustCompile(`^[A-Za-z0-9_+#. -]*$`)
)

// checkHTML parses output as a browser would and reports everything that is not
// in the lists.
func checkHTML(t testing.TB, out string) {
	t.Helper()
	if strings.ContainsRune(out, 0) {
		t.Errorf("a NUL in\n%q", out)
	}
	page, err := html.Parse(strings.NewReader(`<!DOCTYPE html><html><head></head><body><main>` + out + `</main><footer></footer></body></html>`))
	if err != nil {
		t.Errorf("%v in\n%s", err, out)
		return
	}
	var body *html.Node
	for n := range page.Descendants() {
		if n.Type == html.ElementNode && n.Data == "body" {
			body = n
		}
	}
	var around []string
	for n := range body.ChildNodes() {
		around = append(around, n.Data)
	}
	if !slices.Equal(around, []string{"main", "footer"}) || body.LastChild.FirstChild != nil {
		t.Errorf("it leaves its place (%q):\n%s", around, out)
	}
	for n := range body.FirstChild.Descendants() {
		switch n.Type {
		case html.TextNode:
		case html.ElementNode:
			switch {
			case n.Namespace == "svg" && (n.Data == "svg" || n.Data == "path"):
				checkIcon(t, n, out)
				continue
			case n.Namespace != "" || !slices.Contains(outputElements, n.Data):
				t.Errorf("the element %s in\n%s", n.Data, out)
			}
			for _, a := range n.Attr {
				checkAttribute(t, n.Data, a, out)
			}
		default:
			t.Errorf("a node of type %d in\n%s", n.Type, out)
		}
	}
}

// iconForms are the forms of the attributes of icons.
var iconForms = map[string]*regexp.Regexp{
	"class": className, "viewBox": regexp.MustCompile(`^0 0 [0-9]+ [0-9]+$`), "aria-hidden": regexp.MustCompile(`^true$`), "d": regexp.MustCompile(`^[-0-9A-Za-z., ]+$`),
}

// checkIcon checks the attributes of an icon's element, which must be a path and
// nothing else.
func checkIcon(t testing.TB, n *html.Node, out string) {
	t.Helper()
	for _, a := range n.Attr {
		if form := iconForms[a.Key]; form == nil || !form.MatchString(a.Val) {
			t.Errorf("the attribute %s=%q of an icon in\n%s", a.Key, a.Val, out)
		}
	}
}

func checkAttribute(t testing.TB, element string, a html.Attribute, out string) {
	t.Helper()
	if a.Namespace != "" || !slices.Contains(outputAttributes, a.Key) {
		t.Errorf("the attribute %s of %s in\n%s", a.Key, element, out)
	}
	switch a.Key {
	case "href", "src", "srcset":
		if dangerous(a.Val) {
			t.Errorf("the address %q in\n%s", a.Val, out)
		}
	case "class":
		if !className.MatchString(a.Val) {
			t.Errorf("the class %q in\n%s", a.Val, out)
		}
	case "id", "name":
		if strings.ContainsAny(a.Val, " \t\n\"'<>") {
			t.Errorf("the id %q in\n%s", a.Val, out)
		}
	case "type":
		if a.Val != "checkbox" && a.Val != "button" {
			t.Errorf("the type %q in\n%s", a.Val, out)
		}
	}
}

// dangerous reports whether the most lenient reader could take s for an unsafe
// address.
func dangerous(s string) bool {
	for range 8 {
		bare := strings.ToLower(strings.Map(func(r rune) rune {
			if r <= ' ' || unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || r == 0xfffd {
				return -1
			}
			return r
		}, s))
		if !safeAddress.MatchString(strings.ReplaceAll(bare, "\uff1a", ":")) {
			return true
		}
		s = stdhtml.UnescapeString(s)
	}
	return false
}

func render(t testing.TB, o HTMLOptions, nodes ...*Node) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, &Document{Nodes: nodes}, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func para(inlines ...*Node) *Node {
	return &Node{Object: ObjectBlock, Type: "paragraph", Nodes: inlines}
}

func words(s string) *Node { return &Node{Object: ObjectText, Leaves: []Leaf{{Text: s}}} }

func aBlock(kind string, data map[string]any, nodes ...*Node) *Node {
	return &Node{Object: ObjectBlock, Type: kind, Data: data, Nodes: nodes}
}

func anInline(kind string, data map[string]any, nodes ...*Node) *Node {
	return &Node{Object: ObjectInline, Type: kind, Data: data, Nodes: nodes}
}

func slotNode(name string, nodes ...*Node) *Node {
	return &Node{Object: ObjectFragment, Fragment: name, Type: name, Nodes: nodes}
}

// aTable returns a table of one row with a text cell and a cell of another type.
func aTable(view map[string]any, kind string, value any) *Node {
	n := aBlock("table", map[string]any{
		"view": view,
		"definition": map[string]any{
			"name": map[string]any{"id": "name", "title": "Name", "type": "text", "textAlignment": "left"},
			"c":    map[string]any{"id": "c", "title": "C", "type": kind},
		},
		"records": map[string]any{"r": map[string]any{"orderIndex": "a", "values": map[string]any{"name": "f", "c": value}}},
	})
	n.Fragments = []*Node{{Object: ObjectFragment, Fragment: "f", Nodes: []*Node{para(words("row"))}}}
	return n
}

func grid() map[string]any {
	return map[string]any{"type": "grid", "columns": []any{"name", "c"}, "hideHeader": false}
}

func cards(key string) map[string]any {
	return map[string]any{"type": "cards", "cardSize": "large", "columns": []any{"name"}, key: "c", "coverDefinition": "c"}
}

// addressPlaces are all places of a document that hold an address.
var addressPlaces = map[string]func(url string) *Node{
	"link":    func(u string) *Node { return para(anInline("link", map[string]any{"ref": webRef(u)}, words("x"))) },
	"mention": func(u string) *Node { return para(anInline("mention", map[string]any{"ref": webRef(u)})) },
	"button": func(u string) *Node {
		return para(anInline("button", map[string]any{"ref": webRef(u), "label": "x", "kind": "primary"}))
	},
	"inline image": func(u string) *Node {
		return para(anInline("inline-image", map[string]any{"ref": webRef(u), "alt": "x"}))
	},
	"inline image dark": func(u string) *Node {
		return para(anInline("inline-image", map[string]any{"ref": webRef("/a.png"), "refDark": webRef(u)}))
	},
	"image": func(u string) *Node { return aBlock("images", nil, aBlock("image", map[string]any{"ref": webRef(u)})) },
	"image dark": func(u string) *Node {
		return aBlock("images", nil, aBlock("image", map[string]any{"ref": webRef("/a.png"), "refDark": webRef(u)}))
	},
	"file":        func(u string) *Node { return aBlock("file", map[string]any{"ref": webRef(u)}) },
	"drawing":     func(u string) *Node { return aBlock("drawing", map[string]any{"ref": webRef(u)}) },
	"embed":       func(u string) *Node { return aBlock("embed", map[string]any{"url": u}) },
	"content ref": func(u string) *Node { return aBlock("content-ref", map[string]any{"ref": webRef(u)}) },
	"resolved page": func(u string) *Node {
		return aBlock("content-ref", map[string]any{"ref": docs.Ref{Kind: docs.RefPage, Page: u}})
	},
	"resolved file": func(u string) *Node {
		return aBlock("file", map[string]any{"ref": docs.Ref{Kind: docs.RefFile, File: u}})
	},
	"anchor": func(u string) *Node {
		return para(anInline("link", map[string]any{"ref": docs.Ref{Kind: docs.RefAnchor, Anchor: u}}, words("x")))
	},
	"swagger": func(u string) *Node {
		return aBlock("swagger", map[string]any{"ref": webRef(u), "path": u, "method": "get"})
	},
	"integration": func(u string) *Node {
		return aBlock("integration", map[string]any{"integration": "a", "block": "b", "url": u, "props": map[string]any{"url": u}})
	},
	"content-ref cell": func(u string) *Node { return aTable(grid(), "content-ref", webRef(u)) },
	"image cell":       func(u string) *Node { return aTable(grid(), "image", map[string]any{"ref": webRef(u), "alt": u}) },
	"files cell":       func(u string) *Node { return aTable(grid(), "files", []any{u}) },
	"users cell":       func(u string) *Node { return aTable(grid(), "users", []any{u}) },
	"card target":      func(u string) *Node { return aTable(cards("targetDefinition"), "content-ref", webRef(u)) },
	"card cover":       func(u string) *Node { return aTable(cards("coverDefinitionDark"), "image", webRef(u)) },
	"card cover file":  func(u string) *Node { return aTable(cards("coverDefinitionDark"), "files", []any{u}) },
	"raw link":         func(u string) *Node { return para(rawWords(`<a href="`+u+`">`), words("x"), rawWords("</a>")) },
	"raw image":        func(u string) *Node { return rawBlockNode(`<p><img src="` + stdhtml.EscapeString(u) + `"></p>`) },
}

func webRef(u string) docs.Ref { return docs.Ref{Kind: docs.RefURL, URL: u} }

func rawWords(s string) *Node {
	return &Node{Object: ObjectText, Leaves: []Leaf{{Text: s, Raw: true}}}
}

func rawBlockNode(s string) *Node {
	return aBlock("integration", map[string]any{"integration": "octavo", "block": "raw", "props": map[string]any{"source": s}})
}

// hostileOptions return the values of references unchanged as addresses and
// titles.
var hostileOptions = HTMLOptions{
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
		if _, ok := SafeURL(url); ok {
			t.Errorf("SafeURL takes %q", url)
		}
		for place, node := range addressPlaces {
			out := render(t, hostileOptions, node(url))
			checkHTML(t, out)
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
		if _, err := Decode("body", []byte(inParagraph(string(link)))); err == nil {
			t.Errorf("Decode takes %q", url)
		}
	}
}

func TestGoodAddressesSurvive(t *testing.T) {
	for _, url := range attacks(t, "addresses.txt") {
		got, ok := SafeURL(url)
		if !ok || got != url {
			t.Errorf("SafeURL(%q) = %q, %t", url, got, ok)
		}
		out := render(t, HTMLOptions{}, addressPlaces["link"](url))
		if !strings.Contains(out, `href="`+stdhtml.EscapeString(url)+`"`) {
			t.Errorf("%q is gone: %s", url, out)
		}
	}
}

func TestRawHTMLIsReducedToHarmlessElements(t *testing.T) {
	for _, raw := range slices.Concat(attacks(t, "html.txt"), attacks(t, "svg.txt")) {
		for name, nodes := range map[string][]*Node{
			"block": {rawBlockNode(raw), para(words("after"))},
			"line":  {para(words("a"), rawWords(raw), words("b")), para(words("after"))},
			"link":  {para(anInline("link", map[string]any{"ref": webRef("/x")}, rawWords(raw), words("b")))},
			"cell": {func() *Node {
				n := aTable(grid(), "number", 1.0)
				n.Fragments[0].Nodes = []*Node{para(rawWords(raw)), rawBlockNode(raw)}
				return n
			}()},
			"list":         {aBlock("list-unordered", nil, aBlock("list-item", nil, para(rawWords(raw)), rawBlockNode(raw)))},
			"title":        {expandableNode([]*Node{para(rawWords(raw))}, []*Node{rawBlockNode(raw)})},
			"every letter": letters(raw),
		} {
			out := render(t, HTMLOptions{}, nodes...)
			checkHTML(t, out)
			if t.Failed() {
				t.Fatalf("%s: %q", name, raw)
			}
		}
	}
}

// letters returns a paragraph in which each piece of HTML is a separate leaf.
func letters(raw string) []*Node {
	n := &Node{Object: ObjectText}
	for _, part := range strings.SplitAfter(raw, ">") {
		n.Leaves = append(n.Leaves, Leaf{Text: part, Raw: true, Marks: []Mark{{Type: "bold"}}}, Leaf{Text: "text", Marks: []Mark{{Type: "italic"}}})
	}
	return []*Node{para(n)}
}

func expandableNode(title, body []*Node) *Node {
	n := aBlock("expandable", nil)
	n.Fragments = []*Node{slotNode("expandable-title", title...), slotNode("expandable-body", body...)}
	return n
}

// Every string of every type carries a payload, because an attacker can put any
// value into any string.
func TestNoValueLeavesItsAttribute(t *testing.T) {
	payloads := slices.Concat(attacks(t, "attributes.txt"), attacks(t, "html.txt"), attacks(t, "schemes.txt"))
	for _, s := range payloads {
		out := render(t, hostileOptions, hostileNodes(s)...)
		checkHTML(t, out)
		if t.Failed() {
			t.Fatalf("payload %q", s)
		}
	}
}

// hostileNodes returns a node of every type with s in every place that takes a
// string.
func hostileNodes(s string) []*Node {
	var out []*Node
	for kind, sh := range sortedPairs(blockTypes) {
		if sh.partOf != "" || kind == "table" {
			continue
		}
		n := aBlock(kind, hostileData(sh, s), hostileChildren(sh, s, 0)...)
		n.Meta = map[string]any{"id": s}
		n.Key = s
		for _, slot := range sh.fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.name, para(words(s))))
		}
		out = append(out, n)
	}
	for kind, sh := range sortedPairs(inlineTypes) {
		n := anInline(kind, hostileData(sh, s), hostileChildren(sh, s, 0)...)
		for _, slot := range sh.fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.name, para(words(s))))
		}
		out = append(out, para(n))
		if sh.fields["action"] != nil {
			n := anInline(kind, hostileData(sh, s))
			delete(n.Data, "ref")
			out = append(out, para(n))
			n = anInline(kind, hostileData(sh, s))
			delete(n.Data, "ref")
			n.Data["action"] = "search"
			out = append(out, para(n))
		}
	}
	for _, mark := range markTypes {
		out = append(out, para(&Node{Object: ObjectText, Leaves: []Leaf{{Text: s, Marks: []Mark{{Type: mark, Data: map[string]string{"text": s, "background": s}}}}}}))
	}
	for _, kind := range append(columnTypes, s) {
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

func hostileData(sh *nodeType, s string) map[string]any {
	data := map[string]any{}
	for key := range sh.fields {
		data[key] = s
	}
	for _, key := range []string{"ref", "refDark"} {
		if sh.fields[key] != nil {
			data[key] = webRef(s)
		}
	}
	for _, key := range []string{"lineNumbers", "fullWidth", "expandable", "withFrame", "defaultExpanded"} {
		if sh.fields[key] != nil {
			data[key] = true
		}
	}
	if sh.fields["tags"] != nil {
		data["tags"] = []any{docs.Ref{Kind: docs.RefTag, Tag: s}}
	}
	if sh.fields["props"] != nil {
		data["props"] = map[string]any{s: s}
	}
	if sh.fields["schemas"] != nil {
		data["schemas"] = []any{s}
	}
	if sh.fields["width"] != nil {
		data["width"], data["height"] = map[string]any{"unit": s, "value": 1.0}, s
	}
	return data
}

func hostileChildren(sh *nodeType, s string, depth int) []*Node {
	switch {
	case sh.holds == holdsInlines:
		return []*Node{words(s), rawWords(s)}
	case sh.holds == holdsBlocks && len(sh.parts) == 0 || depth > 3:
		return []*Node{para(words(s))}
	case sh.holds == holdsNothing:
		return nil
	}
	var out []*Node
	for _, kind := range sh.parts {
		part := blockTypes[kind]
		n := aBlock(kind, hostileData(part, s), hostileChildren(part, s, depth+1)...)
		n.Meta = map[string]any{"id": s}
		for _, slot := range part.fragments {
			n.Fragments = append(n.Fragments, slotNode(slot.name, para(words(s))))
		}
		out = append(out, n)
	}
	return out
}

var looseDiagram = regexp.MustCompile(`(?i)click|javascript|href|securityLevel|htmlLabels|<`)

func TestLooseDiagramsAndFormulasAreShownAsSource(t *testing.T) {
	for _, source := range attacks(t, "mermaid.txt") {
		code := aBlock("code", map[string]any{"syntax": "mermaid"})
		for line := range strings.SplitSeq(source, "\n") {
			code.Nodes = append(code.Nodes, aBlock("code-line", nil, words(line)))
		}
		old := aBlock("integration", map[string]any{"integration": "mermaid", "block": "diagram", "props": map[string]any{"content": source}})
		for _, n := range []*Node{code, old} {
			out := render(t, HTMLOptions{Highlight: highlight.New(1 << 20)}, n)
			checkHTML(t, out)
			if strings.Contains(out, `class="diagram"`) && looseDiagram.MatchString(stdhtml.UnescapeString(tagsForm.ReplaceAllString(out, ""))) {
				t.Errorf("%q would be drawn: %s", source, out)
			}
		}
	}
	for _, source := range []string{
		"graph TD\n  A[a<br/>b] --> click\n", "classDiagram\n  class A {\n    <<interface>>\n  }\n  A <|-- B\n", "%%{init: {'theme': 'dark'}}%%\ngraph TD\n",
	} {
		out := render(t, HTMLOptions{}, aBlock("integration", map[string]any{"integration": "mermaid", "block": "diagram", "props": map[string]any{"content": source}}))
		if !strings.Contains(out, `class="diagram"`) || !strings.Contains(stdhtml.UnescapeString(out), source) {
			t.Errorf("%q is not drawn: %s", source, out)
		}
	}
	typeset := HTMLOptions{Math: func(formula string, _ bool) (string, bool) {
		return "<code>" + stdhtml.EscapeString(formula) + "</code>", true
	}}
	for _, formula := range attacks(t, "katex.txt") {
		block := render(t, typeset, aBlock("math", map[string]any{"formula": formula}))
		inline := render(t, typeset, para(anInline("inline-math", map[string]any{"formula": formula})))
		checkHTML(t, block+inline)
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
		checkHTML(t, render(t, hostileOptions, rawBlockNode(s), para(rawWords(s), words(s), rawWords(s))))
		checkHTML(t, render(t, hostileOptions, letters(s)...))
		if len(s) < 200 {
			checkHTML(t, render(t, hostileOptions, hostileNodes(s)...))
		}
		if u, ok := SafeURL(s); ok && dangerous(u) {
			t.Errorf("SafeURL takes %q", s)
		}
	})
}
