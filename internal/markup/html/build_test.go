package html

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// attacks reads a list of payloads.
func attacks(t testing.TB, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("..", "testdata", "attacks", name))
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

func para(inlines ...*markup.Node) *markup.Node {
	return &markup.Node{Object: markup.ObjectBlock, Type: "paragraph", Nodes: inlines}
}

func words(s string) *markup.Node {
	return &markup.Node{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: s}}}
}

func aBlock(kind string, data map[string]any, nodes ...*markup.Node) *markup.Node {
	return &markup.Node{Object: markup.ObjectBlock, Type: kind, Data: data, Nodes: nodes}
}

func anInline(kind string, data map[string]any, nodes ...*markup.Node) *markup.Node {
	return &markup.Node{Object: markup.ObjectInline, Type: kind, Data: data, Nodes: nodes}
}

func slotNode(name string, nodes ...*markup.Node) *markup.Node {
	return &markup.Node{Object: markup.ObjectFragment, Fragment: name, Type: name, Nodes: nodes}
}

// aTable returns a table of one row with a text cell and a cell of another type.
func aTable(view map[string]any, kind string, value any) *markup.Node {
	n := aBlock("table", map[string]any{
		"view": view,
		"definition": map[string]any{
			"name": map[string]any{"id": "name", "title": "Name", "type": "text", "textAlignment": "left"},
			"c":    map[string]any{"id": "c", "title": "C", "type": kind},
		},
		"records": map[string]any{"r": map[string]any{"orderIndex": "a", "values": map[string]any{"name": "f", "c": value}}},
	})
	n.Fragments = []*markup.Node{{Object: markup.ObjectFragment, Fragment: "f", Nodes: []*markup.Node{para(words("row"))}}}
	return n
}

func grid() map[string]any {
	return map[string]any{"type": "grid", "columns": []any{"name", "c"}, "hideHeader": false}
}

func cards(key string) map[string]any {
	return map[string]any{"type": "cards", "cardSize": "large", "columns": []any{"name"}, key: "c", "coverDefinition": "c"}
}

func webRef(u string) docs.Ref { return docs.Ref{Kind: docs.RefURL, URL: u} }

func rawWords(s string) *markup.Node {
	return &markup.Node{Object: markup.ObjectText, Leaves: []markup.Leaf{{Text: s, Raw: true}}}
}

func rawBlockNode(s string) *markup.Node {
	return aBlock("integration", map[string]any{"integration": "octavo", "block": "raw", "props": map[string]any{"source": s}})
}

func expandableNode(title, body []*markup.Node) *markup.Node {
	n := aBlock("expandable", nil)
	n.Fragments = []*markup.Node{slotNode("expandable-title", title...), slotNode("expandable-body", body...)}
	return n
}

var attackFiles = []string{"schemes.txt", "html.txt", "attributes.txt", "svg.txt", "mermaid.txt", "katex.txt"}

func inParagraph(inline string) string {
	return wrap(`{"object":"block","type":"paragraph","nodes":[` + inline + `]}`)
}

// wrap returns a document with the given nodes in JSON.
func wrap(nodes string) string { return `{"object":"document","data":{},"nodes":[` + nodes + `]}` }
