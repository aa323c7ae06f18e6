package markup

import (
	"slices"
	"strings"
	"testing"
)

// visibleWords returns the words of a document that a reader can see. It does
// not use the code under test: it collects every leaf and every text in data.
// Tables are excluded, because finding their hidden columns requires that code.
func visibleWords(nodes []*Node) []string {
	var out []string
	for _, n := range nodes {
		for _, l := range n.Leaves {
			out = append(out, strings.Fields(l.Text)...)
		}
		for _, f := range []TextField{FieldTitle, FieldAlt, FieldCaption, FieldLabel, FieldFormula, FieldDescription} {
			out = append(out, strings.Fields(n.Str(f))...)
		}
		out = append(out, visibleWords(n.Nodes)...)
		out = append(out, visibleWords(n.Fragments)...)
	}
	return out
}

func TestSectionsCutAtHeadingsAnywhere(t *testing.T) {
	heading := func(kind, id, text string) *Node {
		n := aBlock(kind, nil, words(text))
		n.Meta = map[string]any{"id": id}
		return n
	}
	doc := &Document{Nodes: []*Node{
		para(words("intro")),
		heading("heading-1", "one", "One\n more"),
		aBlock("stepper", nil, aBlock("stepper-step", nil, heading("heading-2", "step", "Step"), para(words("in the step")))),
		aBlock("tabs", nil, aBlock("tabs-item", map[string]any{"title": "Tab title"}, para(words("in the tab")))),
		expandableNode([]*Node{para(words("Summary"))}, []*Node{heading("heading-3", "inner", "Inner"), para(words("hidden"))}),
		aBlock("if", map[string]any{"expression": "x"}, para(words("conditional"))),
	}}
	want := []Section{
		{"", "", "intro"}, {"one", "One more", ""},
		{"step", "Step", "in the step\nTab title\nin the tab\nSummary"}, {"inner", "Inner", "hidden\nconditional"},
	}
	got := Sections(doc)
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%d: %q, want %q", i, got[i], want[i])
		}
	}
	if h := Headings(doc); len(h) != 3 || h[2] != (Heading{3, "inner", "Inner"}) {
		t.Errorf("%v", h)
	}
	if a := strings.Join(Anchors(doc), " "); a != "one step inner" {
		t.Error(a)
	}
	if s := Sections(&Document{}); len(s) != 1 || s[0] != (Section{}) {
		t.Errorf("an empty document: %q", s)
	}
}

// The text of a note follows its block, and hidden columns are left out.
func TestTextOfNotesAndTables(t *testing.T) {
	note := anInline("annotation", nil, words("word"))
	note.Fragments = []*Node{{Object: ObjectFragment, Type: "annotation-body", Nodes: []*Node{para(words("the note"))}}}
	table := aTable(cards("targetDefinition"), "select", []any{"o"})
	table.Data["definition"].(map[string]any)["c"].(map[string]any)["options"] = []any{map[string]any{"value": "o", "label": "Label"}}
	for want, nodes := range map[string][]*Node{
		"a word b\nthe note\nnext": {para(words("a "), note, words(" b")), para(words("next"))},
		"Name\nrow":                {table},
		"Name\nC\nrow\n2.5":        {aTable(grid(), "number", 2.5)},
		"✅ a+b click 🇫🇷 :x:": {para(anInline("emoji", map[string]any{"code": "2705"}), words(" "), anInline("inline-math", map[string]any{"formula": "a+b"}),
			words(" "), anInline("button", map[string]any{"label": "click"}), words(" "), anInline("emoji", map[string]any{"code": "1f1eb-1f1f7"}),
			words(" "), anInline("emoji", map[string]any{"code": "x"}))},
		"one\ntwo": {rawBlockNode("<div><p>one</p><script>no()</script><!-- no --><p>two</p></div>")},
		"a b":      {para(words("a"), rawWords("<wbr>"), words(" b"))},
		"GET /x":   {aBlock("openapi-operation", map[string]any{"method": "get", "path": "/x"})},
	} {
		if got := Text(nodes); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Links can point to headings and to ids in raw HTML.
func TestAnchors(t *testing.T) {
	doc := Parse([]byte("## A\n\n<center id=\"block\">x <i id='deep'>y</i>\n\ntext <b id=inline>z</b> <a name=\"old\"></a> <b id=\"no good\" name=\"b\">\n\n"+
		"| <span id=\"cell\">c</span> |\n| - |\n| <u id=\"row\">d</u> |\n\n```html\n<b id=\"code\">\n```\n"), Refs{})
	if got, want := Anchors(doc), []string{"a", "block", "deep", "inline", "old", "row"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	has := func(s string) bool { return s == "über" || s == "C" }
	for anchor, want := range map[string]bool{"über": true, "%C3%9Cber": true, "Über": true, "C": true, "c": false, "%": false, "": false} {
		if HasAnchor(anchor, has) != want {
			t.Errorf("%q: %t", anchor, !want)
		}
	}
}
