package html

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

func TestUnevaluatedConditionsShowNothing(t *testing.T) {
	out := render(t, Options{}, aBlock("if", map[string]any{"expression": "secretClaim"}, para(words("secret text"))),
		para(anInline("expression", map[string]any{"expression": "secretClaim"})))
	if strings.Contains(out, "secret") {
		t.Error(out)
	}
}

func TestHeadingsBeginBelowTheTitle(t *testing.T) {
	for want, kinds := range map[string][]string{"<h2>": {"heading-1", "heading-3"}, "<h2> ": {"heading-2", "heading-3"}, "<h2>  ": {"heading-3"}} {
		var nodes []*markup.Node
		for _, k := range kinds {
			nodes = append(nodes, aBlock(k, nil, words("x")))
		}
		if out := render(t, Options{}, nodes...); !strings.HasPrefix(out, strings.TrimSpace(want)) {
			t.Errorf("%v: %s", kinds, out)
		}
	}
}

// A page that shows no title has the first heading of the first level in its place.
func TestHeadingInPlaceOfTheTitle(t *testing.T) {
	heading := func(kind, text string) *markup.Node { return aBlock(kind, nil, words(text)) }
	out := render(t, Options{Untitled: true}, heading("heading-2", "before"), aBlock("columns", nil, aBlock("column", nil, heading("heading-1", "title"))), heading("heading-2", "part"), heading("heading-1", "another"), heading("heading-2", "below"))
	for _, want := range []string{"<h2>before<", "<h1>title<", "<h2>part<", "<h2>another<", "<h3>below<"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is missing in %s", want, out)
		}
	}
}

func TestMergedCells(t *testing.T) {
	n := aTable(grid(), "number", 7.0)
	n.Data["cellMerges"] = []any{
		map[string]any{"anchor": map[string]any{"record": "r", "column": "name"}, "rowSpan": 1.0, "colSpan": 2.0},
		map[string]any{"anchor": map[string]any{"record": "r", "column": "c"}, "rowSpan": 1.0, "colSpan": 2.0},
		map[string]any{"anchor": map[string]any{"record": "x", "column": "c"}},
	}
	out := render(t, Options{}, n)
	if !strings.Contains(out, `<td colspan="2">`) || strings.Contains(out, "7") {
		t.Error(out)
	}
}

// A failed write ends the output with its error.
func TestHTMLTellsThatWritingFailed(t *testing.T) {
	gone := errors.New("gone")
	doc := &markup.Document{Nodes: []*markup.Node{para(words(strings.Repeat("x", 1<<20)))}}
	if err := Write(failingWriter{gone}, doc, Options{}); !errors.Is(err, gone) {
		t.Error(err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// Link is called for addresses in raw HTML. An address is kept if Link does not
// return a safe one.
func TestRawAddressesAreAsked(t *testing.T) {
	src := "<div><a href=\"a.md\">a</a><a href=\"b.md\">b</a><a href=\"c.md\">c</a><a href=\"https://example.com/a.md\">d</a></div>\n"
	doc := markup.Parse([]byte(src), markup.Refs{})
	var b bytes.Buffer
	err := Write(&b, doc, Options{Link: func(ref docs.Ref) (string, bool) {
		switch ref.URL {
		case "a.md":
			return "/shown", true
		case "c.md":
			return "javascript:alert(1)", true
		}
		return "", false
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := `<a href="/shown">a</a><a href="b.md">b</a><a href="c.md">c</a><a href="https://example.com/a.md">d</a>`
	if !strings.Contains(b.String(), want) {
		t.Errorf("%s lacks %s", b.String(), want)
	}
}

func TestHTMLHasLabelsInTheLanguageOfTheReader(t *testing.T) {
	doc := markup.Parse([]byte("## A\n\n* [ ] b\n* [x] c\n\n{% hint style=\"danger\" %}\nd\n{% endhint %}\n\n{% hint style=\"odd\" %}\ne\n{% endhint %}\n"), markup.Refs{})
	for _, labels := range []*Labels{nil, &EnglishLabels, {Anchor: "1", ToDo: "2", Done: "3", Danger: "4", Info: "5"}} {
		out, l := render(t, Options{Labels: labels}, doc.Nodes...), labels
		if l == nil {
			l = &EnglishLabels
		}
		for _, want := range []string{l.Anchor, l.ToDo, l.Done, l.Danger, l.Info} {
			if !strings.Contains(out, `aria-label="`+want+`"`) {
				t.Errorf("no label %s in\n%s", want, out)
			}
		}
	}
}
