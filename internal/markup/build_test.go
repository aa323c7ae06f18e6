package markup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
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

func webRef(u string) docs.Ref { return docs.Ref{Kind: docs.RefURL, URL: u} }

func rawWords(s string) *Node {
	return &Node{Object: ObjectText, Leaves: []Leaf{{Text: s, Raw: true}}}
}

func rawBlockNode(s string) *Node {
	return aBlock("integration", map[string]any{"integration": "octavo", "block": "raw", "props": map[string]any{"source": s}})
}

func expandableNode(title, body []*Node) *Node {
	n := aBlock("expandable", nil)
	n.Fragments = []*Node{slotNode("expandable-title", title...), slotNode("expandable-body", body...)}
	return n
}

var attackFiles = []string{"schemes.txt", "html.txt", "attributes.txt", "svg.txt", "mermaid.txt", "katex.txt"}

func inParagraph(inline string) string {
	return wrap(`{"object":"block","type":"paragraph","nodes":[` + inline + `]}`)
}

// wrap returns a document with the given nodes in JSON.
func wrap(nodes string) string { return `{"object":"document","data":{},"nodes":[` + nodes + `]}` }

const textJSON = `{"object":"text","leaves":[{"object":"leaf","text":"x","marks":[]}]}`
