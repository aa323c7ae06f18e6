package markup

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/testing/golden"
)

const syntaxFile = "testdata/syntax.txt"

// syntaxCase is a source, the nodes that it is parsed into, and the source that
// these are printed as.
type syntaxCase struct{ name, source, nodes, print string }

func syntaxCases(t testing.TB) []syntaxCase {
	t.Helper()
	b, err := os.ReadFile(syntaxFile)
	if err != nil {
		t.Fatal(err)
	}
	var cases []syntaxCase
	for _, part := range strings.Split("\n"+strings.TrimSuffix(string(b), "\n"), "\n=== ")[1:] {
		part += "\n"
		name, rest, _ := strings.Cut(part, "\n")
		source, rest, ok := strings.Cut(rest, "--- nodes\n")
		nodes, printed, also := strings.Cut(rest, "--- print\n")
		if !ok || !also {
			t.Fatalf("%s: the case %q has no nodes or no print", syntaxFile, name)
		}
		cases = append(cases, syntaxCase{name, source, nodes, printed})
	}
	return cases
}

// The file has every syntax: the nodes and the printed source.
func TestSyntax(t *testing.T) {
	cases := syntaxCases(t)
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			doc := Parse([]byte(c.source), Refs{})
			nodes := outlineOf(doc.Nodes)
			for _, p := range doc.Problems {
				nodes += fmt.Sprintf("! line %d: %s\n", p.Line, p.Message)
			}
			printed := string(Print(doc, Refs{}))
			if golden.Update() {
				cases[i].nodes, cases[i].print = nodes, printed
				return
			}
			golden.Equal(t, "what it reads as", []byte(nodes), []byte(c.nodes))
			golden.Equal(t, "what it is printed as", []byte(printed), []byte(c.print))
		})
	}
	if !golden.Update() {
		return
	}
	var b bytes.Buffer
	for _, c := range cases {
		fmt.Fprintf(&b, "=== %s\n%s--- nodes\n%s--- print\n%s", c.name, c.source, c.nodes, c.print)
	}
	golden.Write(t, syntaxFile, b.Bytes())
}

func TestSyntaxHoldsTheLaws(t *testing.T) {
	for _, c := range syntaxCases(t) {
		t.Run(c.name, func(t *testing.T) { checkLaws(t, []byte(c.source), Refs{}) })
	}
}

func TestEverythingHoldsTheLaws(t *testing.T) {
	b, err := os.ReadFile("testdata/everything.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, src := range [][]byte{b, bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")), bytes.TrimSpace(b)} {
		checkLaws(t, src, Refs{})
	}
	doc := Parse(b, hardRefs)
	if n := len(doc.Problems); n != 1 { // a tag is not known
		t.Errorf("%d problems: %v", n, doc.Problems)
	}
}

// Attributes may have any value.
func TestAttributesWithAnyValue(t *testing.T) {
	attr := regexp.MustCompile(`="[^"]*"`)
	for _, c := range syntaxCases(t) {
		for _, at := range attr.FindAllStringIndex(c.source, -1) {
			for _, v := range []string{
				"", `=""`, `="someday"`, `="-1"`, `="0"`, `="1.5"`, `="1e9"`, `="99999999999999999999"`, `="NaN"`, `="INF"`, `="50vw"`, `="Ä"`, `="a b"`,
				`="null"`, `="true"`, `="[1]"`, `="#x"`, `="../x"`, `="javascript:x"`, `="&quot;"`, "=\"\t\"",
			} {
				checkLaws(t, []byte(c.source[:at[0]]+v+c.source[at[1]:]), Refs{})
			}
		}
	}
}

// The parse of a block does not depend on its container: each case is repeated
// in a list, a quote and a hint.
func TestSyntaxInContainers(t *testing.T) {
	for _, c := range syntaxCases(t) {
		doc := Parse([]byte(c.source), Refs{})
		if len(doc.Nodes) == 0 || strings.Contains(c.source, "[^") || strings.Contains(c.name, "unclosed") || strings.Contains(c.name, "stray") {
			continue
		}
		for _, wrap := range []string{"blockquote", "hint", "list-unordered"} {
			outer := blockNode(wrap, nil, doc.Nodes...)
			switch wrap {
			case "hint":
				outer.Data = map[string]any{"style": "info"}
			case "list-unordered":
				outer.Nodes = []*Node{blockNode("list-item", nil, doc.Nodes...)}
			}
			printed := Print(&Document{Nodes: []*Node{outer}}, Refs{})
			if err := sameDocs([]*Node{outer}, Parse(printed, Refs{}).Nodes); err != nil {
				t.Errorf("%s in %s, printed as\n%s\nis %v", c.name, wrap, printed, err)
			}
		}
	}
}

func TestParseIsDeterministic(t *testing.T) {
	for _, c := range syntaxCases(t) {
		a, b := Parse([]byte(c.source), Refs{}), Parse([]byte(c.source), Refs{})
		ja, _ := jsontext.Marshal(a)
		jb, _ := jsontext.Marshal(b)
		if !bytes.Equal(ja, jb) {
			t.Errorf("%s reads as\n%s\nand as\n%s", c.name, ja, jb)
		}
	}
}

func TestDepthIsLimited(t *testing.T) {
	for name, src := range map[string]string{
		"quotes":  strings.Repeat("> ", 1000) + "a",
		"lists":   strings.Repeat("* ", 1000) + "a",
		"hints":   strings.Repeat("{% hint %}\n", 500) + "a\n" + strings.Repeat("{% endhint %}\n", 500),
		"details": strings.Repeat("<details>\n\n", 500) + "a\n\n" + strings.Repeat("</details>\n\n", 500),
	} {
		t.Run(name, func(t *testing.T) {
			doc := Parse([]byte("before\n\n"+src+"\n\nafter\n"), Refs{})
			if len(doc.Problems) == 0 {
				t.Error("nobody is informed")
			}
			deep := 0
			var walk func(nodes []*Node, depth int)
			walk = func(nodes []*Node, depth int) {
				deep = max(deep, depth)
				for _, n := range nodes {
					walk(n.Nodes, depth+1)
					walk(n.Fragments, depth+1)
				}
			}
			walk(doc.Nodes, 0)
			if deep > 2*grammar.MaxDepth {
				t.Errorf("nodes are %d deep", deep)
			}
			if printed := Print(doc, Refs{}); !strings.Contains(string(printed), strings.TrimRight(src, "\n")) {
				t.Error("the source is not kept")
			}
		})
	}
}

func TestLargeTableIsKept(t *testing.T) {
	src := "before\n\n|a|b|\n|-|-|\n" + strings.Repeat("|a|b|\n", grammar.MaxTableCells) + "\nafter\n"
	doc := Parse([]byte(src), Refs{})
	if len(doc.Nodes) != 3 || len(doc.Problems) != 1 || doc.Problems[0].Line != 3 {
		t.Fatalf("%d nodes, problems %v", len(doc.Nodes), doc.Problems)
	}
	if source, ok := doc.Nodes[1].RawSource(); !ok || !strings.HasPrefix(source, "|a|b|\n|-|-|") {
		t.Errorf("the table is a %s", doc.Nodes[1].Type)
	}
	if got := string(Print(doc, Refs{})); got != src {
		t.Error("it is not printed as it was")
	}
}

func TestResolvedReferences(t *testing.T) {
	src := "[a](<page (1).md>) [b](#a1) ![](<.gitbook/assets/a b.png>)\n\n{% include \".gitbook/includes/r.md\" %}\n\n{% file src=\".gitbook/assets/a b.png\" %}\n\n[x](/broken/pages/gone) [y](/broken/anchors/p/a?space=s)\n"
	doc := Parse([]byte(src), hardRefs)
	var got []docs.Ref
	for _, r := range References(doc) {
		got = append(got, r.Ref)
	}
	want := []docs.Ref{
		{Kind: docs.RefPage, Page: "p1"}, {Kind: docs.RefAnchor, Anchor: "a1"}, {Kind: docs.RefFile, File: "f1"}, {Kind: docs.RefReusable, ReusableContent: "r1"},
		{Kind: docs.RefFile, File: "f1"}, {Kind: docs.RefPage, Page: "gone"}, {Kind: docs.RefAnchor, Page: "p", Anchor: "a", Space: "s"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

// A link to a missing target keeps the destination that the author wrote.
func TestLostTargetsKeepTheirDestination(t *testing.T) {
	src := "[a](<page (1).md>)\n"
	doc := Parse([]byte(src), hardRefs)
	if got := string(Print(doc, Refs{})); got != src {
		t.Errorf("got %s", got)
	}
	doc.Nodes[0].Nodes[0].extras = nil
	if got := string(Print(doc, Refs{})); got != "[a](/broken/pages/p1)\n" {
		t.Errorf("got %s", got)
	}
}

// Other programs write the anchor of a heading in braces.
func TestAnchorsInBraces(t *testing.T) {
	for src, want := range map[string]string{
		"## X {#id}\n": "X id", "## X {#id} ##\n": "X id", "X {#id}\n---\n": "X id", "## {#id}\n": " id",
		"## X \\{#id}\n": "X {#id} x-id", "## X {#a b}\n": "X {#a b} x-a-b", "## `X {#id}`\n": "X {#id} x-id", "## 日本 {#é}\n": "日本 é",
	} {
		doc := Parse([]byte(src), Refs{})
		if got := PlainText(doc.Nodes[0].Nodes) + " " + doc.Nodes[0].Anchor(); got != want {
			t.Errorf("%q is %q, want %q", src, got, want)
		}
		if err := sameDocs(doc.Nodes, Parse(Print(doc, Refs{}), Refs{}).Nodes); err != nil {
			t.Errorf("%q is printed as another heading: %v", src, err)
		}
	}
}

// Links with the anchors of other programs lead to the heading too.
func TestAliasesOfAnchors(t *testing.T) {
	doc := Parse([]byte("## CI/CD (v1.2)\n\n## 1. Create\n\n## A & B\n\n## ab\n"), Refs{})
	var got []string
	for _, n := range doc.Nodes {
		got = append(got, n.Anchor()+" "+strings.Join(n.Aliases(), " "))
	}
	if fmt.Sprint(got) != "[ci-cd-v1.2 cicd-v12 id-1.-create 1.-create 1-create a-b a--b ab ]" {
		t.Errorf("got %q", got)
	}
}
