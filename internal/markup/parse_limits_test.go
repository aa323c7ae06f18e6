package markup

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/markup/grammar"
	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// hostile contains inputs that make parsers slow, or documents deep or large.
var hostile = map[string]func(n int) string{
	"brackets":         func(n int) string { return strings.Repeat("[", n) },
	"bracket pairs":    func(n int) string { return strings.Repeat("[a](", n) },
	"closing brackets": func(n int) string { return strings.Repeat("[a", n/2) + strings.Repeat("]", n/2) },
	"stars":            func(n int) string { return strings.Repeat("*a ", n) },
	"stars both ways":  func(n int) string { return strings.Repeat("a**b", n) + strings.Repeat("c* ", n) },
	"mixed delimiters": func(n int) string { return strings.Repeat("*a_b~c", n) },
	"underscores":      func(n int) string { return strings.Repeat("_a ", n) + strings.Repeat("a_ ", n) },
	"nested emphasis":  func(n int) string { return strings.Repeat("*a **a ", n) + strings.Repeat("b** b*", n) },
	"backticks": func(n int) string {
		var b strings.Builder
		for i := 1; b.Len() < n*4; i++ {
			b.WriteString(strings.Repeat("`", i%300) + " ")
		}
		return b.String()
	},
	"quotes":           func(n int) string { return strings.Repeat(">", n) + "a" },
	"quotes and lines": func(n int) string { return strings.Repeat(strings.Repeat("> ", 200)+"a\n", n/200) },
	"lists":            func(n int) string { return strings.Repeat("* ", n) + "a" },
	"lists and blanks": func(n int) string { return strings.Repeat("* ", n) + "a" + strings.Repeat("\n", n) + "b" },
	"staircase": func(n int) string {
		var b strings.Builder
		for i := range n / 100 {
			b.WriteString(strings.Repeat("  ", i) + "* a\n")
		}
		return b.String()
	},
	"open tags": func(n int) string { return strings.Repeat("{% hint %}\n", n) },
	"closed tags": func(n int) string {
		return strings.Repeat("{% hint %}\n", n/2) + strings.Repeat("{% endhint %}\n", n/2)
	},
	"tags on a line":    func(n int) string { return strings.Repeat("{% hint %}", n) },
	"closing on a line": func(n int) string { return strings.Repeat("{% endhint %}", n) },
	"crossed tags": func(n int) string {
		return strings.Repeat("{% hint %}\n{% tabs %}\n", n/2) + strings.Repeat("{% endhint %}\n", n/2)
	},
	"unclosed quotes": func(n int) string { return strings.Repeat("{% a=\"\n", n) },
	"escaped quotes":  func(n int) string { return strings.Repeat("{% a\\\"\n", n) },
	"torn tags":       func(n int) string { return strings.Repeat("{% a ", n) },
	"open elements":   func(n int) string { return strings.Repeat("<div align=\"left\">\n", n) },
	"open tables":     func(n int) string { return strings.Repeat("<table>\n\n", n) },
	"nested elements": func(n int) string { return strings.Repeat("<p>", n) + strings.Repeat("</p>", n) },
	"details":         func(n int) string { return strings.Repeat("<details>\n\n", n) + strings.Repeat("</details>\n\n", n) },
	"inline tags":     func(n int) string { return "a " + strings.Repeat("<kbd>", n) },
	"inline pairs":    func(n int) string { return "a " + strings.Repeat("<kbd><em>", n) + strings.Repeat("</em></kbd>", n) },
	"atoms":           func(n int) string { return "a " + strings.Repeat("<i class=\"fa-x\">", n) },
	"open angle":      func(n int) string { return "a" + strings.Repeat("<a href=\"", n) },
	"comments":        func(n int) string { return "a " + strings.Repeat("<!-- ", n) },
	"declarations":    func(n int) string { return "a " + strings.Repeat("<!A ", n) },
	"entities":        func(n int) string { return strings.Repeat("&a", n) },
	"backslashes":     func(n int) string { return strings.Repeat("\\", n) },
	"colons":          func(n int) string { return strings.Repeat(":a", n) },
	"dollars":         func(n int) string { return strings.Repeat("$$a", n) + "$" },
	"formula lines":   func(n int) string { return strings.Repeat("$$\n", n) },
	"mails":           func(n int) string { return strings.Repeat("a@b ", n) },
	"addresses":       func(n int) string { return strings.Repeat("http://a.b ", n) },
	"images":          func(n int) string { return strings.Repeat("![", n) },
	"nested images":   func(n int) string { return strings.Repeat("![", n) + strings.Repeat("](x)", n) },
	"opened HTML":     func(n int) string { return strings.Repeat("<a ", n) },
	"opened comments": func(n int) string { return strings.Repeat("<!--", n) },
	"linked headings": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "# a\n\n[b](#a-%d)\n\n", i)
		}
		return b.String()
	},
	"broken links": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[a](b-%d.md) ", i)
		}
		return b.String()
	},
	"wide table": func(n int) string {
		return strings.Repeat("|a", n/10) + "|\n" + strings.Repeat("|-", n/10) + "|\n" + strings.Repeat(strings.Repeat("|", 100)+"\n", n/10)
	},
	"footnotes": func(n int) string { return strings.Repeat("[^a] ", n) + "\n\n[^a]: " + strings.Repeat("b ", n) },
	"many footnotes": func(n int) string {
		var b strings.Builder
		for i := range n / 10 {
			fmt.Fprintf(&b, "a[^%d]\n\n[^%d]: b\n\n", i, i)
		}
		return b.String()
	},
	"footnotes in footnotes": func(n int) string {
		var b strings.Builder
		for i := range n / 100 {
			fmt.Fprintf(&b, "[^%d]: a[^%d] b[^%d]\n\n", i, i+1, i+1)
		}
		return "x[^0]\n\n" + b.String()
	},
	"definitions": func(n int) string { return strings.Repeat("[a]: b\n", n) },
	"references":  func(n int) string { return "[a]: b\n\n" + strings.Repeat("[a] ", n) },
	"table cells": func(n int) string {
		return strings.Repeat("|a", n) + "\n" + strings.Repeat("|-", n) + "\n" + strings.Repeat("|a", n) + "\n"
	},
	"table rows":    func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|a|\n", n) },
	"escaped cells": func(n int) string { return "|a|\n|-|\n" + strings.Repeat("|`a\\|`|\n", n) },
	"delimiters":    func(n int) string { return strings.Repeat("|-\n", n) },
	"html cells": func(n int) string {
		return "<table><tbody><tr>" + strings.Repeat("<td>a</td>", n) + "</tr></tbody></table>"
	},
	"html spans": func(n int) string {
		return "<table><tbody>" + strings.Repeat("<tr><td rowspan=\"50\" colspan=\"50\">a</td></tr>", n) + "</tbody></table>"
	},
	"headings":     func(n int) string { return strings.Repeat("# a\n", n) },
	"setext":       func(n int) string { return strings.Repeat("a\n-\n", n) },
	"same blocks":  func(n int) string { return strings.Repeat("a\n\n", n) },
	"dividers":     func(n int) string { return strings.Repeat("***\n", n) },
	"long line":    func(n int) string { return strings.Repeat("a", n*100) },
	"long word":    func(n int) string { return "{% " + strings.Repeat("a", n*100) + " %}" },
	"spaces":       func(n int) string { return strings.Repeat(" ", n*10) + "a" + strings.Repeat(" ", n*10) },
	"tabs":         func(n int) string { return strings.Repeat("\t", n) + "a\n" + strings.Repeat("*\t", n) + "a" },
	"blank lines":  func(n int) string { return strings.Repeat("\n", n*10) },
	"returns":      func(n int) string { return strings.Repeat("\r", n) + strings.Repeat("a\r\n", n) },
	"zeros":        func(n int) string { return strings.Repeat("\x00", n) },
	"hard breaks":  func(n int) string { return strings.Repeat("\\\n", n) + "a" + strings.Repeat("\\\n", n) + "b" },
	"broken UTF-8": func(n int) string { return strings.Repeat("\xff\xc3", n) },
	"footnote quotes": func(n int) string {
		return strings.Repeat("[^a]: ", n) + "b"
	},
}

func TestHostileInputTakesLinearTime(t *testing.T) {
	const n = 10_000 // up to a megabyte
	for name, f := range hostile {
		t.Run(name, func(t *testing.T) {
			testcpu.Linear(t, n, func(n int) func() {
				src := []byte(f(n))
				return func() { Parse(src, Refs{}) }
			})
			size := n
			small, large := f(n/testcpu.Factor), f(n)
			if problems(small) != problems(large) && len(large) < 2*testcpu.Factor*len(small) {
				size *= testcpu.Factor // only the larger page is kept as one piece, so compare two that are
			}
			testcpu.Linear(t, size, func(n int) func() {
				doc := Parse([]byte(f(n)), Refs{})
				return func() { Print(doc, Refs{}) }
			})
			src := []byte(f(n))
			doc := Parse(src, Refs{})
			checkSpans(t, src, doc)
			for _, p := range doc.Problems {
				if p.Message == unreadable {
					t.Error(p.Message)
				}
			}
		})
	}
}

func problems(src string) int { return len(Parse([]byte(src), Refs{}).Problems) }

// A page that exceeds the limits for clients is kept as one piece, with all its
// bytes.
func TestTooManyBlocksAreKeptWhole(t *testing.T) {
	for name, src := range map[string]string{
		"lines":  strings.Repeat("a\n", grammar.MaxLines+1),
		"inside": strings.Repeat("> a\n", grammar.MaxLines+1),
		"blank":  "* " + strings.Repeat("\n", grammar.MaxBlank+3) + "a\n",
		"nodes":  strings.Repeat(strings.Repeat(":dog:", 500)+"\n\n", 410),
	} {
		doc := Parse([]byte(src), Refs{})
		if len(doc.Nodes) != 1 || !doc.isKeptWhole() {
			t.Fatalf("%s: %d blocks, %v", name, len(doc.Nodes), doc.Problems)
		}
		checkLaws(t, []byte(src), Refs{})
	}
	for name, src := range map[string]string{
		"lines": strings.Repeat("a\n", grammar.MaxLines), "blank": "* " + strings.Repeat("\n", grammar.MaxBlank+2) + "a\n",
	} {
		if doc := Parse([]byte(src), Refs{}); doc.isKeptWhole() {
			t.Errorf("%s: %v", name, doc.Problems)
		}
	}
}
