package markup

import (
	"strings"
	"testing"
)

// The positions that a traced parse records for text are correct.
func TestTraceOfEveryPage(t *testing.T) {
	chars, traced := 0, 0
	for _, p := range pages(t) {
		doc := parseTraced(p.body, Refs{})
		if err := sameDocs(doc.Nodes, parse(p.body, Refs{}).Nodes); err != nil {
			t.Errorf("%s: a traced parse reads another document: %v", p.name, err)
		}
		eachNode(doc.Nodes, func(n *Node) {
			for _, l := range n.Leaves {
				if l.Raw {
					continue
				}
				chars += len(l.Text)
				if l.trace == nil {
					continue
				}
				at := 0
				for _, s := range l.trace.parts {
					if s.to > len(l.Text) {
						break
					}
					if s.from < at || s.start > s.end {
						t.Errorf("%s: %q: %+v", p.name, l.Text, l.trace.parts)
						break
					}
					at = s.to
					text, source := l.Text[s.from:s.to], strings.ReplaceAll(string(p.body[s.start:s.end]), "\n", " ")
					if len(text) == len(source) && strings.ReplaceAll(text, "\n", " ") != source {
						t.Errorf("%s: %q is written %q", p.name, text, source)
					}
					traced += s.to - s.from
				}
			}
		})
	}
	t.Logf("%d of %d bytes of text are traced", traced, chars)
}
