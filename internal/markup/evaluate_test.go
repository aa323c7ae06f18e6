package markup

import (
	"bytes"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

func anExpression(s string) *Node {
	return anInline("expression", map[string]any{"expression": s})
}

func aCondition(s string, nodes ...*Node) *Node {
	return aBlock("if", map[string]any{"expression": s}, nodes...)
}

func TestEvaluate(t *testing.T) {
	untouched := para(words("same"))
	doc := &Document{Nodes: []*Node{
		untouched,
		para(words("v"), anExpression("version"), words("!")),
		aCondition("yes", para(words("shown "), anExpression("version")), aCondition("no", para(words("inner")))),
		aCondition("no", para(words("hidden"))),
		aCondition("later", para(anExpression("version"), anExpression("later"))),
		expandableNode([]*Node{para(anExpression("version"))}, []*Node{aCondition("yes", para(words("body")))}),
		aBlock("code", nil, aBlock("code-line", nil, words("x="), anExpression("version"))),
	}}
	before := marshal(t, doc)
	got := Evaluate(doc, Evaluator{
		Text:      func(e string) (string, bool) { return map[string]string{"version": "<1.0>"}[e], e == "later" },
		Condition: func(e string) (show, keep bool) { return e == "yes", e == "later" },
	})
	if got.Nodes[0] != untouched {
		t.Error("an untouched node was copied")
	}
	if !bytes.Equal(before, marshal(t, doc)) {
		t.Error("the document was changed")
	}
	var later int
	eachNode(got.Nodes, func(n *Node) {
		if n.Type == "if" || n.Type == "expression" {
			if n.Str(FieldExpression) != "later" {
				t.Errorf("%s is left", n.Data["expression"])
			}
			later++
		}
	})
	if later != 2 {
		t.Errorf("%d nodes are left, want 2", later)
	}
	if text := Text(got.Nodes); text != "same\nv<1.0>!\nshown <1.0>\n<1.0>\n<1.0>\nbody\nx=<1.0>" {
		t.Errorf("%q", text)
	}
	if same := Evaluate(doc, Evaluator{}); !bytes.Equal(before, marshal(t, same)) {
		t.Error("an evaluator that knows nothing changed something")
	}
}

func includeNode(key, id, space string) *Node {
	n := aBlock("reusable-content", map[string]any{"ref": docs.Ref{Kind: docs.RefReusable, ReusableContent: id, Space: space}})
	n.Key = key
	return n
}

func withID(n *Node, key, id string) *Node {
	n.Key, n.Meta = key, map[string]any{"id": id}
	return n
}

func TestDereference(t *testing.T) {
	link := func(ref docs.Ref) *Node { return para(anInline("link", map[string]any{"ref": ref}, words("l"))) }
	contents := map[string]*Document{
		"note": {Nodes: []*Node{withID(aBlock("heading-2", nil, words("Note")), "h", "intro"), includeNode("deep", "deeper", "")}},
		"deeper": {Nodes: []*Node{withID(para(words("deeper")), "h", ""), link(docs.Ref{Kind: docs.RefPage, Page: "p"}),
			link(docs.Ref{Kind: docs.RefAnchor, Anchor: "a"}), link(webRef("https://example.com"))}},
		"loop": {Nodes: []*Node{para(words("loop")), includeNode("again", "loop", "")}},
	}
	get := func(r docs.Ref) (*Document, bool) { d, ok := contents[r.ReusableContent]; return d, ok }
	doc := &Document{Nodes: []*Node{
		withID(aBlock("heading-1", nil, words("Intro")), "h", "intro"),
		includeNode("one", "note", ""), includeNode("", "note", "other"), includeNode("gone", "gone", ""), includeNode("loop", "loop", ""),
	}}
	before := marshal(t, doc)
	contentBefore := marshal(t, contents["deeper"])
	got := Dereference(doc, get)
	if !bytes.Equal(before, marshal(t, doc)) || !bytes.Equal(contentBefore, marshal(t, contents["deeper"])) {
		t.Error("the input was changed")
	}
	if text := strings.ReplaceAll(Text(got.Nodes), "\n", " "); text != "Intro Note deeper l l l Note deeper l l l loop" {
		t.Errorf("%q", text)
	}
	if a := strings.Join(Anchors(got), " "); a != "intro intro-1 intro-2" {
		t.Errorf("anchors: %s", a)
	}
	keys := map[string]bool{}
	var left, spaces []string
	eachNode(got.Nodes, func(n *Node) {
		if n.Key != "" && keys[n.Key] {
			t.Errorf("the key %s is there twice", n.Key)
		}
		keys[n.Key] = true
		if n.Key != "" && !isKey(n.Key) {
			t.Errorf("the key %s has no form", n.Key)
		}
		if n.Type == "reusable-content" {
			left = append(left, n.Key)
		}
		if n.Type == "link" {
			ref, _ := n.Ref(FieldRef)
			spaces = append(spaces, ref.Kind+":"+ref.Space)
		}
	})
	if s := strings.Join(left, " "); s != "gone loop-again" {
		t.Errorf("left: %s", s)
	}
	if s := strings.Join(spaces, " "); s != "page: anchor: url: page:other anchor: url:" {
		t.Errorf("links: %s", s)
	}
	if !keys["one-h"] || !keys["include3-h"] {
		t.Errorf("keys: %v", keys)
	}
}

// Contents that include each other many times are cut off at a limit.
func TestDereferenceIsBounded(t *testing.T) {
	get := func(r docs.Ref) (*Document, bool) {
		doc := &Document{}
		for i := range 20 {
			n := includeNode("k", r.ReusableContent+string(rune('a'+i)), "")
			doc.Nodes = append(doc.Nodes, withID(aBlock("heading-1", nil, words("x")), "h", "x"), n)
		}
		return doc, true
	}
	got := Dereference(&Document{Nodes: []*Node{includeNode("k", "r", "")}}, get)
	count := 0
	keys := map[string]bool{}
	eachNode(got.Nodes, func(n *Node) {
		count++
		if n.Key != "" && keys[n.Key] {
			t.Fatalf("the key %s is there twice", n.Key)
		}
		keys[n.Key] = true
	})
	if count > maxExpandedNodes+1 {
		t.Errorf("%d nodes", count)
	}
}

// A content of few nodes may have a lot of text, and a page may include it many
// times.
func TestDereferenceBoundsText(t *testing.T) {
	word := strings.Repeat("x", 1<<10)
	rows := map[string]any{}
	for i := range 1000 {
		rows[strconv.Itoa(i)] = map[string]any{"values": map[string]any{"a": word}}
	}
	for name, n := range map[string]*Node{
		"a text": aBlock("paragraph", nil, words(strings.Repeat(word, 1000))),
		"data":   aBlock("table", map[string]any{"records": rows}),
	} {
		doc := &Document{}
		for range 30_000 {
			doc.Nodes = append(doc.Nodes, includeNode("", "r", ""))
		}
		content := &Document{Nodes: []*Node{n}}
		got, put := Dereference(doc, func(docs.Ref) (*Document, bool) { return content, true }), 0
		eachNode(got.Nodes, func(n *Node) {
			if n.Type != "reusable-content" && n.Object == ObjectBlock {
				put++
			}
		})
		if put != 2 {
			t.Errorf("%s: %d contents were put in", name, put)
		}
	}
}
