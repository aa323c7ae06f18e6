package manual_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/testing/golden"
)

// The page of the API guide that describes documents is up to date. It has every type of block and
// inline, the fields of its data, and an example in Markdown and in JSON.
func TestBlocksPage(t *testing.T) {
	text, err := blocksPage()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "\n\n\n") {
		t.Error("the page has two empty lines")
	}
	golden.Compare(t, "api/reference/blocks.md", []byte(text))
}

// blocksPage returns the page. The file of examples has one in Markdown for each type of block and
// inline, behind a line with the name of the type.
func blocksPage() (string, error) {
	file, err := os.ReadFile("testdata/blocks.txt")
	if err != nil {
		return "", err
	}
	examples := map[string]string{}
	for part := range strings.SplitSeq(string(file), "\n== ") {
		name, source, _ := strings.Cut(part, "\n")
		examples[strings.TrimPrefix(name, "== ")] = strings.Trim(source, "\n") + "\n"
	}
	out := strings.Builder{}
	out.WriteString(blocksIntro)
	fmt.Fprintf(&out, "Marks of texts are `%s`.\n", strings.Join(markup.MarkTypes(), "`, `"))
	heading := ""
	for _, t := range markup.Types() {
		if h := map[bool]string{false: "Blocks", true: "Inlines"}[t.Inline]; h != heading {
			heading = h
			fmt.Fprintf(&out, "\n## %s\n", h)
		}
		if err := writeType(&out, t, examples[t.Name]); err != nil {
			return "", fmt.Errorf("%s: %w", t.Name, err)
		}
	}
	return out.String(), nil
}

const blocksIntro = `# Documents and blocks

The content of a page is a document: a tree of nodes in JSON, or the same as Markdown. Read and write either form
(` + "`?format=document` or `?format=markdown`" + `); what was not edited keeps its bytes.

A node has ` + "`object`" + `: ` + "`block`, `inline`, `fragment` or `text`" + `. Blocks and inlines have a ` + "`type`, `data`, `nodes` and, if they have slots, `fragments`" + `.
A block has a ` + "`key`" + ` that stays while it is edited. A text has ` + "`leaves`" + `, each with ` + "`text` and `marks`" + `.
`

func writeType(out *strings.Builder, t markup.Type, example string) error {
	fmt.Fprintf(out, "\n### %s\n", t.Name)
	var about []string
	if t.PartOf != "" {
		about = append(about, "Allowed in "+t.PartOf+" only.")
	}
	if t.Holds != "" {
		about = append(about, "Holds "+t.Holds+".")
	}
	if len(t.Parts) > 0 {
		about = append(about, "Fragments: "+strings.Join(t.Parts, ", ")+".")
	}
	if len(about) > 0 {
		fmt.Fprintf(out, "\n%s\n", strings.Join(about, " "))
	}
	if len(t.Fields) > 0 {
		out.WriteString("\n| data | takes |\n|---|---|\n")
		for _, f := range t.Fields {
			mark := ""
			if f.Required {
				mark = " \\*"
			}
			fmt.Fprintf(out, "| `%s`%s | %s |\n", f.Name, mark, cell(f.Takes))
		}
	}
	if example == "" {
		return errors.New("no example in blocks.txt")
	}
	node, err := exampleOf(t, example)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n{%% tabs %%}\n{%% tab title=\"Markdown\" %%}\n````md\n%s````\n{%% endtab %%}\n\n{%% tab title=\"JSON\" %%}\n{%% code expandable=\"true\" %%}\n```json\n%s\n```\n{%% endcode %%}\n{%% endtab %%}\n{%% endtabs %%}\n",
		example, node)
	return nil
}

// exampleOf returns the node of a type in an example, as JSON.
func exampleOf(t markup.Type, source string) (string, error) {
	doc := markup.Parse([]byte(source), markup.Refs{Resolve: resolve})
	found := find(doc.Nodes, func(n *markup.Node) bool { return n.Type == t.Name })
	if found == nil {
		return "", fmt.Errorf("the example has none: %q", source)
	}
	b, err := json.Marshal(found)
	return indented(b), err
}

// find returns the first node for which wanted returns true.
func find(nodes []*markup.Node, wanted func(*markup.Node) bool) *markup.Node {
	for _, n := range nodes {
		if wanted(n) {
			return n
		}
		for _, below := range [][]*markup.Node{n.Nodes, n.Fragments} {
			if found := find(below, wanted); found != nil {
				return found
			}
		}
	}
	return nil
}

// resolve returns the targets of the destinations in examples.
func resolve(dest string, _ markup.Use) (docs.Ref, bool) {
	switch name, _, _ := strings.Cut(path.Base(dest), "."); {
	case strings.Contains(dest, "/includes/"):
		return docs.Ref{Kind: docs.RefReusable, ReusableContent: name}, true
	case strings.Contains(dest, "/assets/"):
		return docs.Ref{Kind: docs.RefFile, File: name}, true
	case strings.HasSuffix(dest, ".md"):
		return docs.Ref{Kind: docs.RefPage, Page: name}, true
	}
	return docs.Ref{}, false
}

func indented(raw json.RawMessage) string {
	var out bytes.Buffer
	if json.Indent(&out, raw, "", "  ") != nil {
		return string(raw)
	}
	return out.String()
}

// escape escapes a text for Markdown, except for code in backticks.
func escape(s string) string {
	parts := strings.Split(s, "`")
	for i := range parts {
		if i%2 == 0 {
			parts[i] = plain.Replace(parts[i])
		}
	}
	return strings.Join(parts, "`")
}

var plain = strings.NewReplacer("<", "\\<", "*", "\\*", "_", "\\_", "[", "\\[", "{%", "{\\%", "$", "\\$")

// cell escapes a text for a cell of a table.
func cell(s string) string {
	return strings.ReplaceAll(escape(strings.Join(strings.Fields(s), " ")), "|", "\\|")
}
