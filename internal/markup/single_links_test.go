package markup

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// links edits the links of a text: their addresses, their texts and both. What
// an edit may do depends on the form in which the link is written.
func (e *editTrial) links(n *Node) {
	if n.Type == "table" {
		eachNode(n.Fragments, e.links)
		eachNode(n.Fragments, e.cell)
		return
	}
	if !hasInlines(n) || n.Type == "code-line" {
		return
	}
	for _, k := range n.Nodes {
		if k.Type != "link" || len(k.Nodes) != 1 || len(k.Nodes[0].Leaves) != 1 {
			continue
		}
		s := e.spans[k]
		if s.Start < 0 {
			continue
		}
		written := e.src[s.Start:s.End]
		l := linkTrial{e: e, n: k, s: s, written: written, text: k.Nodes[0].Leaves[0].Text, data: k.Data}
		switch {
		case strings.Trim(written, "<>") == l.text: // <https://a> or https://a
			l.address()
		case strings.HasPrefix(written, "[") && !strings.Contains(written, "]("):
			l.reference()
		case strings.HasPrefix(written, "[") && strings.Count(written, "](") == 1 && !strings.Contains(written, `\`):
			l.inline()
		}
	}
}

var plainText = regexp.MustCompile(`^[\pL\pN][\pL\pN ]*$`)

// cell edits a text that is alone in a cell. Nothing is aligned again.
func (e *editTrial) cell(n *Node) {
	if n.Type != "paragraph" || len(n.Nodes) != 1 || len(n.Nodes[0].Leaves) != 1 || len(n.Nodes[0].Leaves[0].Marks) > 0 {
		return
	}
	l, s := &n.Nodes[0].Leaves[0], e.spans[n.Nodes[0]]
	if was := l.Text; s.Start >= 0 && plainText.MatchString(was) && e.src[s.Start:s.End] == was {
		l.Text = was + " more"
		e.try("edit a cell", wanted{pure: e.exactly(Span{s.End, s.End}, " more")})
		l.Text = "Input Metric"
		e.try("edit a cell", wanted{pure: e.exactly(s, "Input Metric")})
		l.Text = was
	}
}

// linkTrial makes edits of one link.
type linkTrial struct {
	e       *editTrial
	n       *Node
	s       Span
	written string
	text    string
	data    map[string]any
}

// set edits the link: its text and its address, which stays if it is empty.
func (l *linkTrial) set(kind, text, url string, pure func(gone, come string) string) {
	l.n.Nodes[0].Leaves[0].Text = text
	if url != "" {
		l.n.Data = maps.Clone(l.data)
		r, _ := dataRef(l.data["ref"])
		r.URL = url
		l.n.Data["ref"] = r
	}
	l.e.try(kind, wanted{pure: pure})
	l.n.Nodes[0].Leaves[0].Text, l.n.Data = l.text, l.data
}

func (l *linkTrial) url() string {
	r, _ := dataRef(l.data["ref"])
	return r.URL
}

func (l *linkTrial) address() {
	at := l.s.End
	if strings.HasPrefix(l.written, "<") {
		at--
	}
	l.set("autolink text", l.text+"x", l.url()+"x", l.e.exactly(Span{at, at}, "x"))
	if i := strings.LastIndexByte(l.text, '/'); i > 0 {
		url := l.url()
		l.set("autolink text", l.text[:i]+"z"+l.text[i:], url[:len(url)-len(l.text)+i]+"z"+l.text[i:], l.e.exactly(Span{at - len(l.text) + i, at - len(l.text) + i}, "z"))
	}
	l.set("autolink text", "Other", "", l.e.exactly(l.s, "[Other]("+l.url()+")"))
}

var definitionOf = regexp.MustCompile(`(?m)^\[(\w+)\]: <?([^\s>]+)`)

func (l *linkTrial) reference() {
	label := l.written[1 : len(l.written)-1]
	if i := strings.LastIndexByte(l.written, '['); i > 0 && l.written[len(l.written)-2] != '[' {
		label = l.written[i+1 : len(l.written)-1]
	} else if i > 0 {
		label = l.written[1 : i-1]
	}
	l.set("reference link", "Other", "", l.e.exactly(l.s, "[Other]["+label+"]"))
	var uses int
	l.e.uses(l.e.doc.Nodes, l.url(), &uses)
	const url = "https://new.example/z"
	for _, m := range definitionOf.FindAllStringSubmatchIndex(l.e.src, -1) {
		if !strings.EqualFold(l.e.src[m[2]:m[3]], label) {
			continue
		}
		at := Span{m[4], m[5]}
		if uses == 1 {
			l.set("reference link", l.text, url, l.e.exactly(at, url))
			l.set("reference link", l.text, url+"?q=(a b)", l.e.exactly(widened(l.e.src, at), "<"+url+"?q=(a b)>"))
			break
		}
		title := ""
		if t, _ := l.data["title"].(string); t != "" {
			title = ` "` + t + `"`
		}
		text := l.written[1:strings.IndexByte(l.written, ']')]
		l.set("reference link", l.text, url, l.e.exactly(l.s, "["+text+"]("+url+title+")"))
		break
	}
}

// widened returns a span with the angle brackets around it.
func widened(src string, s Span) Span {
	if strings.HasSuffix(src[:s.Start], "<") {
		return Span{s.Start - 1, s.End + 1}
	}
	return s
}

// uses counts the links with an address.
func (e *editTrial) uses(nodes []*Node, url string, count *int) {
	eachNode(nodes, func(n *Node) {
		if ref, ok := dataRef(n.Data["ref"]); ok && ref.URL == url {
			*count++
		}
	})
}

func (l *linkTrial) inline() {
	if strings.Contains(l.written, "](<") {
		l.set("link address", l.text, "other.md", l.e.exactly(l.destination(), "other.md"))
	} else {
		l.set("link address", l.text, "https://new.example/(z", l.e.exactly(l.destination(), "<https://new.example/(z>"))
	}
	if strings.HasPrefix(l.written, "["+l.text+"]") { // it has no marks
		l.set("link address", "Other", "other.md", l.e.exactly(Span{l.s.Start + 1, l.destination().End}, "Other]("+l.pointy("other.md")))
	}
	l.n.Data = maps.Clone(l.data)
	l.n.Data["title"] = "a new one"
	quote := `"`
	if strings.HasSuffix(l.written, "')") {
		quote = "'"
	}
	title := " " + quote + "a new one" + quote + ")"
	if d := l.destination(); d.Start == d.End && l.e.src[d.Start] == ')' {
		title = "<>" + title // otherwise the title would be the destination
	}
	l.e.try("link address", wanted{pure: l.e.exactly(Span{widened(l.e.src, l.destination()).End, l.s.End}, title)})
	l.n.Data = l.data
}

// destination returns the span of the destination after the text.
func (l *linkTrial) destination() Span {
	at := l.s.Start + strings.Index(l.written, "](") + 2
	if l.e.src[at] == '<' {
		return Span{at + 1, at + strings.IndexByte(l.e.src[at:], '>')}
	}
	return Span{at, at + strings.IndexAny(l.e.src[at:], " )\n")}
}

func (l *linkTrial) pointy(s string) string {
	if strings.Contains(l.written, "](<") {
		return "<" + s
	}
	return s
}

// exactly wants a text in place of a span, and nothing else.
func (e *editTrial) exactly(s Span, text string) func(gone, come string) string {
	return func(gone, come string) string {
		want := e.src[:s.Start] + text + e.src[s.End:]
		if g, c := diffRange(e.src, want); g == gone && c == come {
			return ""
		}
		return fmt.Sprintf("wanted %q", text)
	}
}
