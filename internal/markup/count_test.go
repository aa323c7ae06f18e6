package markup

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// docsVariable names a folder of Markdown in which nothing may be dropped:
//
//	OCTAVO_TEST_DOCS=~/docs go test ./internal/markup -run TestNothingIsDropped -v
const docsVariable = "OCTAVO_TEST_DOCS"

// Every block in the source is a node, or is kept in the source of a node. The
// blocks of the source are counted line by line, independently of the parser.
func TestNothingIsDropped(t *testing.T) {
	var files []string
	add := func(root string) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.EqualFold(filepath.Ext(path), ".md") && d.Name() != "SUMMARY.md" {
				files = append(files, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if dir := os.Getenv(docsVariable); dir != "" {
		add(dir)
	} else {
		add("testdata")
		add("../../docs/manual/guide")
		add("../../e2e/fixtures/blocks")
	}
	all := count{}
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		body := src[ParseHead(src).Body:]
		written, nodes, kept := counts(body)
		for _, kind := range slices.Sorted(maps.Keys(written)) {
			if n := nodes[kind] + kept[kind]; n < written[kind] {
				t.Errorf("%s: %d of %d %s are in the document", name, n, written[kind], kind)
			} else if n > written[kind] {
				t.Errorf("%s: %d %s are in the document, and %d in the source", name, n, kind, written[kind])
			}
			all[kind+"\tnodes"] += nodes[kind]
			all[kind+"\tkept"] += kept[kind]
			all[kind] += written[kind]
		}
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tin the source\tnodes\tkept verbatim\tdropped\t")
	for _, kind := range slices.Sorted(maps.Keys(all)) {
		if !strings.Contains(kind, "\t") {
			n, k := all[kind+"\tnodes"], all[kind+"\tkept"]
			fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t\n", kind, all[kind], n, k, all[kind]-n-k)
		}
	}
	w.Flush()
	t.Logf("%d files\n%s", len(files), &b)
}

// count is the number of blocks of each kind.
type count map[string]int

// counts returns the blocks of the source, the blocks that became nodes, and the
// blocks that are kept in the source of nodes.
func counts(body []byte) (written, nodes, kept count) {
	written, nodes, kept = count{}, count{}, count{}
	written.source(string(body))
	doc := Parse(body, Refs{Resolve: func(dest string, use Use) (docs.Ref, bool) {
		return docs.Ref{Kind: docs.RefReusable, ReusableContent: dest}, use == UseInclude
	}})
	eachNode(doc.Nodes, func(n *Node) {
		if source, ok := n.RawSource(); ok {
			kept.source(source)
			return
		}
		nodes.node(n)
	})
	return written, nodes, kept
}

var (
	countFence  = regexp.MustCompile("^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*(`{3,}|~{3,})([^`]*)$")
	countQuote  = regexp.MustCompile(`^( *)(?:> ?)+`)
	countTag    = regexp.MustCompile(`\{%[ \t]*(@?[a-zA-Z][-a-zA-Z/]*)`)
	countItem   = regexp.MustCompile(`^[ \t]*((?:(?:[-*+]|[0-9]{1,9}[.)])(?:[ \t]+|$))+)`)
	countHead   = regexp.MustCompile(`^[ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*#{1,6}(?:[ \t]|$)|<h[1-6][ >]`)
	countRule   = regexp.MustCompile(`^[ \t]*(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$`)
	countRow    = regexp.MustCompile(`^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$`)
	countImage  = regexp.MustCompile(`!\[[^\]]*\](?:\(|\[)|<img\b`)
	countCode   = regexp.MustCompile("`[^`]+`")
	countPre    = regexp.MustCompile(`<pre[^>]* data-`)
	countEmpty  = regexp.MustCompile(`<figcaption>(?:<p></p>)?</figcaption>`)
	countStatus = regexp.MustCompile(`^[0-9]{3}\b`)
	countTitle  = regexp.MustCompile(`!\[[^\]]*\]\(\S+ "`)
)

// tagTypes maps tags to the types of their nodes, where the names differ.
var tagTypes = map[string]string{
	"tab": "tabs-item", "step": "stepper-step", "page-ref": "content-ref", "include": "reusable-content", "openapi": "swagger",
}

// source counts the blocks in a source outside of code.
func (c count) source(src string) {
	fence, before, indent, indented := "", "", 0, false
	for _, line := range strings.Split(strings.ReplaceAll(src, "\r\n", "\n"), "\n") {
		line = countQuote.ReplaceAllString(line, "$1")
		text := strings.TrimLeft(line, " \t")
		if fence != "" && (text == "" || len(line)-len(text) >= indent) { // otherwise the list item with the fence has ended
			if strings.HasPrefix(text, fence) && strings.Trim(text, fence[:1]+" \t") == "" {
				fence = ""
			}
			continue
		}
		if grammar.IsBoxLine(text) {
			c["hint"]++
		}
		fence = ""
		if m := countFence.FindStringSubmatch(line); m != nil {
			c["code"]++
			fence, before = m[1], ""
			if len(line)-len(text) < indent {
				indent = 0
			}
			c.items(line)
			continue
		}
		if countItem.MatchString(line) {
			indent = len(line) - len(text) + 2
		} else if text != "" && len(line)-len(text) < indent {
			indent = 0
		}
		if by := text != "" && before == "" && len(line)-len(text) >= indent+4; by || indented && text == "" {
			if !indented {
				c["code"]++
			}
			indented = true
			continue
		}
		indented = false
		c.line(line, before)
		before = text
	}
}

func (c count) line(line, before string) {
	plain := countCode.ReplaceAllString(line, "x")
	for _, m := range countTag.FindAllStringSubmatch(plain, -1) {
		switch name := m[1]; {
		case strings.HasPrefix(name, "end"):
		case strings.HasPrefix(name, "@"):
			c["integration"]++
		case name == "code":
			c["code with options"]++
		case name == grammar.LiteralTag:
		case name == "swagger" && strings.Contains(plain, ` src="`):
			c["swagger"]++
		case apiTags[name]:
			c["expandable"]++
		case apiPart(name) == "parameter":
			c["list item"]++
		case name == "swagger-response", name == "api-method-response-example": // paragraphs, which are not counted
		case apiPart(name) != "":
		case tagTypes[name] != "":
			c[tagTypes[name]]++
		case isKnownTag(name):
			c[name]++
		}
	}
	if countHead.MatchString(plain) {
		c["heading"]++
	}
	c.items(plain)
	if strings.Contains(before, "|") && strings.Contains(plain, "|") && countRow.MatchString(plain) {
		c["table"]++
	}
	c["table"] += strings.Count(plain, "<table")
	c["code"] += strings.Count(plain, "<pre")
	c["code with options"] += len(countPre.FindAllString(plain, -1))
	c["image"] += len(countImage.FindAllString(plain, -1))
	c["caption"] += strings.Count(line, "<figcaption>") - len(countEmpty.FindAllString(line, -1)) + len(countTitle.FindAllString(plain, -1))
	c["expandable"] += strings.Count(plain, "<details")
	c["button"] += strings.Count(plain, `class="button `)
	c["icon"] += strings.Count(plain, `<i class="fa-`)
}

func (c count) items(line string) {
	if countRule.MatchString(line) {
		return
	}
	if m := countItem.FindStringSubmatch(line); m != nil {
		c["list item"] += len(strings.Fields(m[1]))
	}
	c["list item"] += strings.Count(line, "<li>")
}

// node counts one node, including the images in the cells of a table.
func (c count) node(n *Node) {
	switch {
	case n.Object == ObjectText:
		for _, l := range n.Leaves {
			if l.Raw {
				c.line(l.Text, "")
			}
		}
	case n.Object == ObjectFragment, n.Type == "paragraph", n.Type == "code-line", n.Type == "images":
	case strings.HasPrefix(n.Type, "heading-"):
		c["heading"]++
	case n.Type == "tabs" && !slices.ContainsFunc(n.Nodes, func(tab *Node) bool { return !countStatus.MatchString(tab.Str(FieldTitle)) }):
		// The responses of an operation.
	case n.Type == "list-item":
		c["list item"]++
	case n.Type == "image":
		c["image"]++
		c["caption"] += len(n.Fragments)
	case n.Type == "inline-image", n.Type == "drawing":
		c["image"]++
	case n.Type == "table":
		c["table"]++
		records, _ := n.Data["records"].(map[string]any)
		for _, r := range records {
			values, _ := r.(map[string]any)["values"].(map[string]any)
			for _, v := range values {
				if m, ok := v.(map[string]any); ok && m["ref"] != nil {
					c["image"]++
				}
			}
		}
	case n.Type == "code":
		c["code"]++
		for key := range n.Data {
			if key != "syntax" && key != "info" {
				c["code with options"]++
				break
			}
		}
	default:
		c[n.Type]++
	}
}
