package translate

import (
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup"
)

// Split changes nothing of the document, also where a list of options starts with something else.
func TestSplitChangesACopyOnly(t *testing.T) {
	table := func() *markup.Document {
		option := map[string]any{"label": "One", "value": "1"}
		return &markup.Document{Nodes: []*markup.Node{{Object: "block", Type: "table", Key: "a", Data: map[string]any{
			"definition": map[string]any{"x": map[string]any{"id": "x", "type": "select", "title": "T", "options": []any{"odd", option}}},
		}}}}
	}
	doc := table()
	copied, segments := Split(doc)
	if len(segments) == 0 {
		t.Fatal("nothing to translate was found")
	}
	options := func(d *markup.Document) []any {
		return d.Nodes[0].Data["definition"].(map[string]any)["x"].(map[string]any)["options"].([]any)
	}
	if &options(doc)[0] == &options(copied)[0] || !reflect.DeepEqual(doc.Nodes[0].Data, table().Nodes[0].Data) {
		t.Error("the document shares its options with the copy")
	}
}
