package markup

import (
	"strings"
	"testing"
)

// A break with attributes in a cell is one break.
func TestBreakWithAttributes(t *testing.T) {
	src := []byte("<table><thead><tr><th>t</th></tr></thead><tbody><tr><td>a<br class=\"x\">b</td></tr></tbody></table>\n")
	if got := string(Print(Parse(src, Refs{}), Refs{})); strings.Count(got, "<br") != 1 {
		t.Errorf("printed as\n%s", got)
	}
	checkLaws(t, src, Refs{})
}

// An element without an end tag is text, and changes nothing about the blocks after it.
func TestUnclosedElementEndsWithItsBlock(t *testing.T) {
	src := []byte("a <span class=\"math\">b\n\nc <span class=\"math\">x</span>\n")
	found := 0
	eachNode(Parse(src, Refs{}).Nodes, func(n *Node) {
		if n.Type == "inline-math" {
			found++
		}
	})
	if found != 1 {
		t.Errorf("%d formulas\n%s", found, outlineOf(Parse(src, Refs{}).Nodes))
	}
	checkLaws(t, src, Refs{})
}
