package markup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

func marshal(t testing.TB, doc *Document) []byte {
	t.Helper()
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decodable returns the document as Decode would return it: without the fields
// that clients do not send, and without empty maps.
func decodable(nodes []*Node) []*Node {
	var out []*Node
	for _, n := range nodes {
		c := *n
		c.Meta = nil
		if len(c.Data) == 0 {
			c.Data = nil
		}
		c.Nodes, c.Fragments = decodable(n.Nodes), decodable(n.Fragments)
		out = append(out, &c)
	}
	return out
}

func checkSameAfterDecode(t testing.TB, doc *Document) {
	t.Helper()
	raw := marshal(t, doc)
	got, err := Decode("body", raw)
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	have, want := marshal(t, got), marshal(t, &Document{Nodes: decodable(doc.Nodes)})
	if !bytes.Equal(have, want) || countRefs(reflect.ValueOf(got)) != countRefs(reflect.ValueOf(doc)) {
		t.Fatalf("decoding changed the document\n got %s\nwant %s", have, want)
	}
}

func TestDecodeTellsWhatIsWrong(t *testing.T) {
	block := func(kind, data string) string {
		return wrap(fmt.Sprintf(`{"object":"block","type":%q,"data":%s,"nodes":[]}`, kind, data))
	}
	for name, c := range map[string]struct{ in, path, says string }{
		"no JSON":                {`{`, "body", "not valid JSON"},
		"two values":             {`{"object":"document","nodes":[]} 1`, "body", "not valid JSON"},
		"not a document":         {`[]`, "body.object", "document"},
		"invalid UTF-8":          {"\"\xff\"", "body", "UTF-8"},
		"no nodes":               {`{"object":"document"}`, "body.nodes", "required"},
		"node is no object":      {wrap(`1`), "body.nodes[0]", "object"},
		"unknown object":         {wrap(`{"object":"thing"}`), "body.nodes[0].object", `"thing"`},
		"unknown block":          {wrap(`{"object":"block","type":"sidebar","nodes":[]}`), "body.nodes[0].type", `"sidebar"`},
		"unknown inline":         {inParagraph(`{"object":"inline","type":"blink","nodes":[]}`), "body.nodes[0].nodes[0].type", `"blink"`},
		"unknown mark":           {inParagraph(`{"object":"text","leaves":[{"object":"leaf","text":"x","marks":[{"object":"mark","type":"underline"}]}]}`), "body.nodes[0].nodes[0].leaves[0].marks[0].type", `"underline"`},
		"unknown colour":         {inParagraph(`{"object":"text","leaves":[{"object":"leaf","text":"x","marks":[{"object":"mark","type":"color","data":{"text":"url(x)","background":"default"}}]}]}`), "body.nodes[0].nodes[0].leaves[0].marks[0].data.text", "must be one of"},
		"text as block":          {wrap(textJSON), "body.nodes[0].object", `"text"`},
		"block as inline":        {inParagraph(`{"object":"block","type":"divider"}`), "body.nodes[0].nodes[0].object", "inline"},
		"twice":                  {`{"object":"document","nodes":[{"object":"block","type":"math","data":{"formula":"a","formula":"b"}}]}`, "body.nodes[0].data.formula", "twice"},
		"hint style":             {block("hint", `{"style":"tip"}`), "body.nodes[0].data.style", "info, warning, danger, success"},
		"hint without style":     {block("hint", `{}`), "body.nodes[0].data.style", "required"},
		"closed data":            {block("stepper", `{"colour":"red"}`), "body.nodes[0].data.colour", "not known"},
		"overflow":               {block("code", `{"overflow":"hidden"}`), "body.nodes[0].data.overflow", "scroll, wrap"},
		"line numbers":           {block("code", `{"lineNumbers":"yes"}`), "body.nodes[0].data.lineNumbers", "true or false"},
		"start":                  {block("list-ordered", `{"start":1.5}`), "body.nodes[0].data.start", "whole number"},
		"alignment":              {block("paragraph", `{"align":"left"}`), "body.nodes[0].data.align", "start, center, end"},
		"void with nodes":        {wrap(`{"object":"block","type":"divider","nodes":[{"object":"block","type":"divider"}]}`), "body.nodes[0].nodes", "void"},
		"isVoid":                 {wrap(`{"object":"block","type":"divider","isVoid":false}`), "body.nodes[0].isVoid", "must be true"},
		"paragraph in tabs":      {wrap(`{"object":"block","type":"tabs","nodes":[{"object":"block","type":"paragraph","nodes":[]}]}`), "body.nodes[0].nodes[0].type", "tabs-item"},
		"list item alone":        {wrap(`{"object":"block","type":"list-item","nodes":[]}`), "body.nodes[0].type", "in a list only"},
		"date":                   {wrap(`{"object":"block","type":"updates","data":{"format":"full"},"nodes":[{"object":"block","type":"update","data":{"date":"soon"},"nodes":[]}]}`), "body.nodes[0].nodes[0].data.date", "2026-01-31"},
		"kept source in updates": {wrap(`{"object":"block","type":"updates","data":{"format":"full"},"nodes":[{"object":"block","type":"integration","data":{"integration":"octavo","block":"raw","props":{"source":"x"}}}]}`), "body.nodes[0].nodes[0].type", "holds update"},
		"prompt of text":         {wrap(`{"object":"block","type":"prompt","data":{"description":"d"},"nodes":[{"object":"block","type":"paragraph","nodes":[]}]}`), "body.nodes[0].nodes[0].type", "holds code"},
		"prompt of nothing":      {wrap(`{"object":"block","type":"prompt","data":{"description":"d"},"nodes":[]}`), "body.nodes[0].nodes", "exactly one code"},
		"heading id":             {block("heading-1", `{"id":"a b"}`), "body.nodes[0].data.id", "anchor"},
		"heading anchor":         {block("heading-1", `{"anchor":"\""}`), "body.nodes[0].data.anchor", "anchor"},
		"no ref":                 {wrap(`{"object":"block","type":"content-ref","data":{}}`), "body.nodes[0].data.ref", "required"},
		"ref kind":               {wrap(`{"object":"block","type":"content-ref","data":{"ref":{"kind":"planet"}}}`), "body.nodes[0].data.ref.kind", "must be one of"},
		"ref without its key":    {wrap(`{"object":"block","type":"content-ref","data":{"ref":{"kind":"page"}}}`), "body.nodes[0].data.ref.page", "required"},
		"ref of the wrong kind":  {wrap(`{"object":"block","type":"reusable-content","data":{"ref":{"kind":"page","page":"p"}}}`), "body.nodes[0].data.ref.kind", "reusable-content"},
		"address":                {inParagraph(`{"object":"inline","type":"link","data":{"ref":{"kind":"url","url":"javascript&colon;x"}},"nodes":[]}`), "body.nodes[0].nodes[0].data.ref.url", "http"},
		"embed address":          {wrap(`{"object":"block","type":"embed","data":{"url":"data:text/html,x"}}`), "body.nodes[0].data.url", "http"},
		"expandable without":     {wrap(`{"object":"block","type":"expandable","data":{},"fragments":[]}`), "body.nodes[0].fragments", "expandable-title"},
		"fragments in paragraph": {wrap(`{"object":"block","type":"paragraph","nodes":[],"fragments":[{"object":"fragment","nodes":[]}]}`), "body.nodes[0].fragments", "is not allowed"},
		"unknown fragment":       {wrap(`{"object":"block","type":"file","data":{"ref":{"kind":"file","file":"f"}},"fragments":[{"object":"fragment","fragment":"footer","nodes":[]}]}`), "body.nodes[0].fragments[0].fragment", `"footer"`},
		"table without view":     {wrap(`{"object":"block","type":"table","data":{"records":{},"definition":{}}}`), "body.nodes[0].data.view", "required"},
		"cell without fragment":  {tableJSON("text", `"f1"`), "body.nodes[0].data.records.r.values.c", "fragment"},
		"cell of another type":   {tableJSON("number", `"12"`), "body.nodes[0].data.records.r.values.c", "number"},
		"column type":            {tableJSON("formula", `1`), "body.nodes[0].data.definition.c.type", "must be one of"},
		"cell address":           {tableJSON("content-ref", `{"kind":"url","url":"vbscript:x"}`), "body.nodes[0].data.records.r.values.c.url", "http"},
		"update without date":    {wrap(`{"object":"block","type":"updates","nodes":[{"object":"block","type":"update","data":{},"nodes":[]}]}`), "body.nodes[0].nodes[0].data.date", "required"},
		"a fragment twice":       {twiceJSON, "body.nodes[0].data.records.s.values.c", "no other cell"},
		"number out of range":    {wrap(`1e999`), "body.nodes[0]", "range"},
	} {
		_, err := Decode("body", []byte(c.in))
		var e *errs.Error
		if !errors.As(err, &e) || e.Kind != errs.Invalid || len(e.Details) != 1 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if e.Details[0].Path != c.path || !strings.Contains(e.Details[0].Message, c.says) {
			t.Errorf("%s: at %s: %s\nwant %s: …%s…", name, e.Details[0].Path, e.Details[0].Message, c.path, c.says)
		}
	}
}

func tableJSON(kind, value string) string {
	return wrap(fmt.Sprintf(`{"object":"block","type":"table","isVoid":true,"data":{"view":{"type":"grid","columns":["c"],"hideHeader":false},`+
		`"definition":{"c":{"id":"c","title":"C","type":%q}},"records":{"r":{"orderIndex":"a","values":{"c":%s}}}},"fragments":[]}`, kind, value))
}

const twiceJSON = `{"object":"document","nodes":[{"object":"block","type":"table","data":{"view":{"type":"grid","columns":["c"]},` +
	`"definition":{"c":{"id":"c","title":"","type":"text"}},"records":{"r":{"orderIndex":"a","values":{"c":"f"}},"s":{"orderIndex":"b","values":{"c":"f"}}}},` +
	`"fragments":[{"object":"fragment","fragment":"f","nodes":[]}]}]}`

// An anchor is read under both keys, and a date becomes a point in time.
func TestDecodeReadsOtherForms(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"Ä"}`: "Ä", `{"anchor":"Ä"}`: "Ä", `{"anchor":"a"}`: "a", `{"id":"b","anchor":"Ä"}`: "b",
	} {
		doc, err := Decode("body", []byte(wrap(`{"object":"block","type":"heading-1","data":`+in+`,"nodes":[]}`)))
		if err != nil || doc.Nodes[0].Data["id"] != want || len(doc.Nodes[0].Data) != 1 {
			t.Errorf("%s: %v, %v", in, doc, err)
		}
	}
	for in, want := range map[string]string{
		"2026-01-31": "2026-01-31T00:00:00.000Z", "2026-01-31T08:00:00.5+02:00": "2026-01-31T06:00:00.500Z",
		"0000-01-01T00:00:00+01:00": "", "9999-12-31T23:59:59-01:00": "", "soon": "", "": "",
	} {
		doc, err := Decode("body", []byte(wrap(`{"object":"block","type":"updates","data":{},"nodes":[{"object":"block","type":"update","data":{"date":"`+in+`"},"nodes":[]}]}`)))
		switch {
		case want == "" && !errs.Is(err, errs.Invalid):
			t.Errorf("%s: %v", in, err)
		case want != "" && (err != nil || doc.Nodes[0].Nodes[0].Data["date"] != want):
			t.Errorf("%s: %v, %v", in, doc, err)
		}
	}
}

func TestDecodeKeepsWhatItMay(t *testing.T) {
	in := wrap(`{"object":"block","type":"heading-1","isVoid":false,"key":"k-1","data":{"id":"intro","level":4,"align":null,"other":[1]},"meta":{"id":"evil"},"nodes":[
		{"object":"text","key":"not a key!","leaves":[{"object":"leaf","text":"a\u0000b","marks":[{"object":"mark","type":"bold","data":{}}],"raw":true}]}]},
		{"object":"block","type":"list-unordered","nodes":[{"object":"block","type":"list-item","nodes":[{"object":"block","type":"hint","data":{"style":"info"},"nodes":[]}]}]},
		{"object":"block","type":"integration","isVoid":true,"data":{"integration":"octavo","block":"raw","props":{"source":"<div>"}}}`)
	doc, err := Decode("body", []byte(in))
	if err != nil {
		t.Fatal(err)
	}
	h := doc.Nodes[0]
	if h.Key != "k-1" || h.Meta != nil || h.Data["other"] == nil || h.Data["level"] != 4.0 {
		t.Errorf("heading: %+v", h)
	}
	if _, ok := h.Data["align"]; ok {
		t.Error("a null is kept")
	}
	if text := h.Nodes[0]; text.Key != "" || !reflect.DeepEqual(text.Leaves, []Leaf{{Text: "a\uFFFDb", Marks: []Mark{{Type: "bold"}}, Raw: true}}) {
		t.Errorf("text: %+v", text)
	}
	checkSameAfterDecode(t, doc)
}

// Trees of a thousand levels, lists of a million elements and very long texts are
// rejected as soon as a limit is exceeded.
func TestDecodeIsBounded(t *testing.T) {
	quotes := func(n int) string {
		return wrap(strings.Repeat(`{"object":"block","type":"blockquote","nodes":[`, n) + strings.Repeat(`]}`, n))
	}
	columns := strings.Repeat(`"c",`, 100_000)
	var definition, records strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&definition, `"c%d":{"id":"c%d","title":"","type":"number"},`, i, i)
		fmt.Fprintf(&records, `"r%d":{"orderIndex":"","values":{}},`, i)
	}
	table := func(columns, definition, records string) string {
		return wrap(fmt.Sprintf(`{"object":"block","type":"table","data":{"view":{"type":"grid","columns":[%s]},"definition":{%s},"records":{%s}}}`,
			strings.TrimSuffix(columns, ","), strings.TrimSuffix(definition, ","), strings.TrimSuffix(records, ",")))
	}
	for name, in := range map[string]string{
		"blocks":        quotes(1000),
		"arrays":        strings.Repeat("[", 1_000_000),
		"objects":       strings.Repeat(`{"a":`, 1_000_000),
		"props":         wrap(`{"object":"block","type":"integration","data":{"integration":"a","block":"b","props":{"x":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}}}`),
		"nodes":         wrap(strings.TrimSuffix(strings.Repeat(`{"object":"block","type":"divider"},`, maxNodes+1), ",")),
		"values":        wrap(strings.TrimSuffix(strings.Repeat(`1,`, maxValues), ",")),
		"text":          inParagraph(`{"object":"text","leaves":[{"object":"leaf","text":"` + strings.Repeat("x", maxText+1) + `","marks":[]}]}`),
		"bytes":         strings.Repeat(" ", maxDocument+1),
		"marks":         inParagraph(`{"object":"text","leaves":[{"object":"leaf","text":"x","marks":[` + strings.TrimSuffix(strings.Repeat(`{"object":"mark","type":"bold"},`, 1000), ",") + `]}]}`),
		"same columns":  table(columns, `"c":{"id":"c","title":"","type":"number"}`, ""),
		"empty cells":   table("", definition.String(), records.String()),
		"an annotation": wrap(`{"object":"block","type":"paragraph","nodes":[` + strings.Repeat(`{"object":"inline","type":"annotation","isVoid":false,"nodes":[],"fragments":[{"object":"fragment","type":"annotation-body","nodes":[{"object":"block","type":"paragraph","nodes":[`, 300) + strings.Repeat(`]}]}]}`, 300) + `]}`),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Decode("body", []byte(in))
		runtime.ReadMemStats(&after)
		if allocated, most := after.TotalAlloc-before.TotalAlloc, uint64(1<<20+64*len(in)); allocated > most {
			t.Errorf("%s: %d bytes of memory for %d bytes of input, want at most %d", name, allocated, len(in), most)
		}
		if !errs.Is(err, errs.Invalid) {
			t.Errorf("%s: %v", name, err)
		} else if len(err.Error()) > 4096 {
			t.Errorf("%s: the message has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := Decode("body", []byte(quotes(grammar.MaxDepth))); err != nil {
		t.Errorf("as deep as the parser reads: %v", err)
	}
}

func BenchmarkDecode(b *testing.B) {
	raw := []byte(wrap(strings.TrimSuffix(strings.Repeat(`{"object":"block","type":"paragraph","isVoid":false,"data":{},"nodes":[`+textJSON+`]},`, 1000), ",")))
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode("body", raw); err != nil {
			b.Fatal(err)
		}
	}
}

// Responses to clients have inert addresses in place of those that SafeURL
// rejects. The document can be sent back with them.
func TestAddressesInAnswersAreInert(t *testing.T) {
	for _, url := range append(attacks(t, "schemes.txt"), "vscode:extension/y", "about:invalid#x", "data:text/html;base64,eA==") {
		link := &Node{Object: ObjectInline, Type: "link", Data: map[string]any{"ref": docs.Ref{Kind: docs.RefURL, URL: url}}}
		raw, err := link.MarshalJSON()
		var got struct {
			Data struct{ Ref docs.Ref }
		}
		if err := errors.Join(err, json.Unmarshal(raw, &got)); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(got.Data.Ref.URL, "about:invalid#") || strings.Contains(got.Data.Ref.URL[len("about:"):], ":") {
			t.Errorf("%q is answered as %q", url, got.Data.Ref.URL)
		}
		if back := withoutInert(got.Data.Ref.URL); back != strings.ToValidUTF8(url, "\ufffd") && back != url {
			t.Errorf("%q comes back as %q", url, back)
		}
	}
	src := []byte("![x](javascript:a)\n\n{% @a/b url=\"javascript:b\" %}\n\n| a |\n| --- |\n| [x](data:text/html,c) |\n\ntext\n")
	old := Parse(src, Refs{})
	raw, err := old.MarshalJSON()
	if err != nil || strings.Contains(string(raw), `"javascript:`) || strings.Contains(string(raw), `"data:text`) {
		t.Errorf("an answer has the address: %s, %v", raw, err)
	}
	doc := sentBack(t, old)
	edit(doc.Nodes, "text", "other text")
	if err := doc.CheckAddresses(old); err != nil {
		t.Errorf("what was read cannot be written back: %v", err)
	}
	want := strings.TrimSuffix(string(src), "text\n") + "other text\n"
	if out := string(Reprint(src, old, doc, Refs{})); out != want {
		t.Errorf("it became %q", out)
	}
	if err := doc.CheckAddresses(nil); err == nil {
		t.Error("a new document has such addresses")
	}
}

// Of two errors the same one is always reported.
func TestFirstErrorOfAFragment(t *testing.T) {
	for range 50 {
		_, err := Decode("body", []byte(wrap(`{"object":"block","type":"expandable","data":{},"fragments":[{"object":"fragment","type":1,"fragment":2,"nodes":[]}]}`)))
		if err == nil || !strings.Contains(err.Error(), "fragments[0].fragment") {
			t.Fatal(err)
		}
	}
}
