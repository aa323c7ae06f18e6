package markup

import (
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

func TestReferencesTellWhereAndHow(t *testing.T) {
	page := docs.Ref{Kind: docs.RefPage, Page: "p"}
	light, dark := docs.Ref{Kind: docs.RefFile, File: "light"}, docs.Ref{Kind: docs.RefFile, File: "dark"}
	keyed := func(key string, n *Node) *Node { n.Key = key; return n }
	link := anInline("link", map[string]any{"ref": page}, words("a "), anInline("inline-image", map[string]any{"ref": light, "alt": "icon"}))
	link.Key = "not-a-block"
	table := keyed("table", aTable(cards("targetDefinition"), "content-ref", page))
	table.Fragments[0].Nodes = []*Node{keyed("cell", para(words("Row "), anInline("link", map[string]any{"ref": webRef("https://example.com")}, words("web"))))}
	doc := &Document{Nodes: []*Node{
		keyed("p1", para(link)),
		keyed("tabs", aBlock("tabs", nil, aBlock("tabs-item", nil,
			para(anInline("button", map[string]any{"ref": page, "label": "Go"}), anInline("mention", map[string]any{"ref": docs.Ref{Kind: docs.RefUser, User: "u"}}))))),
		keyed("img", aBlock("images", nil, aBlock("image", map[string]any{"ref": light, "refDark": dark, "alt": "Logo"}))),
		table,
		keyed("files", aTable(grid(), "files", []any{"f1", "f2"})),
		keyed("people", aTable(grid(), "users", []any{"u1"})),
		keyed("cover", aTable(grid(), "image", map[string]any{"ref": light, "alt": "Cover"})),
		keyed("rc", aBlock("reusable-content", map[string]any{"ref": docs.Ref{Kind: docs.RefReusable, ReusableContent: "c"}})),
		keyed("api", aBlock("openapi-operation", map[string]any{"ref": docs.Ref{Kind: docs.RefOpenAPI, Spec: "s"}})),
		keyed("news", aBlock("updates", nil, aBlock("update", map[string]any{"tags": []any{docs.Ref{Kind: docs.RefTag, Tag: "beta"}}}))),
		keyed("ref", aBlock("content-ref", map[string]any{"ref": page})),
	}}
	want := []Reference{
		{page, "p1", "a icon", false}, {light, "p1", "icon", true},
		{page, "tabs", "Go", false}, {docs.Ref{Kind: docs.RefUser, User: "u"}, "tabs", "", false},
		{light, "img", "Logo", true}, {dark, "img", "Logo", true},
		{webRef("https://example.com"), "cell", "web", false}, {page, "table", "Row web", false},
		{docs.Ref{Kind: docs.RefFile, File: "f1"}, "files", "row", true}, {docs.Ref{Kind: docs.RefFile, File: "f2"}, "files", "row", true},
		{docs.Ref{Kind: docs.RefUser, User: "u1"}, "people", "row", false},
		{light, "cover", "Cover", true},
		{docs.Ref{Kind: docs.RefReusable, ReusableContent: "c"}, "rc", "", true},
		{docs.Ref{Kind: docs.RefOpenAPI, Spec: "s"}, "api", "", true},
		{docs.Ref{Kind: docs.RefTag, Tag: "beta"}, "news", "", false},
		{page, "ref", "", false},
	}
	got := References(doc)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d:\n got %+v\nwant %+v", i, got[min(i, len(got)):], want[min(i, len(want)):])
		}
	}
}

// countRefs counts references by reflection on every value.
func countRefs(v reflect.Value) int {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return 0
		}
		return countRefs(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[docs.Ref]() {
			return 1
		}
		n := 0
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				n += countRefs(v.Field(i))
			}
		}
		return n
	case reflect.Slice:
		n := 0
		for i := range v.Len() {
			n += countRefs(v.Index(i))
		}
		return n
	case reflect.Map:
		n := 0
		for _, k := range v.MapKeys() {
			n += countRefs(v.MapIndex(k))
		}
		return n
	}
	return 0
}

// countIDs counts the files and people in tables, which are ids and not references.
func countIDs(doc *Document) int {
	ids := 0
	eachNode(doc.Nodes, func(n *Node) {
		if n.Type == "table" {
			view := ReadTableData(n)
			for _, r := range view.Rows {
				for _, c := range view.filled(r) {
					if c.Kind == "files" || c.Kind == "users" {
						ids += len(texts(r.Values[c.ID]))
					}
				}
			}
		}
	})
	return ids
}
