package markup

import (
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/markup/align"
	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// asLink returns the alternatives for an edit of one link that keep the form in
// which it is written: an address that is its own text, a destination after the
// text, or the label of a definition elsewhere. reworded selects an edit of the
// text alone where the text is beside a destination or a label.
func (e *inlineEdit) asLink(reworded bool) alternatives {
	was, now := linkOf(e.old()), linkOf(e.now)
	if was == nil || now == nil {
		return nil
	}
	s, marks := spanOr(was.span), runsOf([]*Node{was})[0].marks
	if s.Start < 0 || s.End-s.Start < 2 {
		return nil
	}
	l := linkEdit{e: e, was: was, now: now, at: s, dest: e.editor.p.mustDest(now, UseLink), marks: [][]Mark{nil}}
	same := sameMarks(marks, runsOf([]*Node{now})[0].marks)
	if same && len(marks) > 0 {
		l.marks = [][]Mark{marks, nil}
	}
	l.moved = l.was.Str(FieldTitle) != l.now.Str(FieldTitle) || HashValue(align.HashSeed, was.value(FieldRef)) != HashValue(align.HashSeed, now.value(FieldRef))
	source := e.editor.body[s.Start:s.End]
	if source[0] != '[' {
		if reworded || !same {
			return nil
		}
		return l.address(source)
	}
	end := closingBracket(source)
	if end < 0 {
		return nil
	}
	l.text, l.tail = source[1:end], source[end+1:]
	alone := l.tail == "" || l.tail == "[]"
	switch {
	case reworded != (!l.moved && !alone):
		return nil
	case strings.HasPrefix(l.tail, "("):
		return l.inline()
	case alone || strings.HasPrefix(l.tail, "["):
		return l.reference()
	}
	return nil
}

// linkOf returns the link that consists of exactly these glyphs, or nil.
func linkOf(list []glyph) *Node {
	if len(list) == 0 {
		return nil
	}
	first, last := &list[0], &list[len(list)-1]
	if len(list) == 1 && first.node != nil && first.node.Type == "link" && len(first.in) == 0 {
		return first.node
	}
	if len(first.in) == 0 || first.in[0].Type != "link" || !first.first || !last.last {
		return nil
	}
	for i := range list {
		if len(list[i].in) == 0 || list[i].in[0] != first.in[0] {
			return nil
		}
	}
	return first.in[0]
}

// linkEdit is an edit of one link.
type linkEdit struct {
	e          *inlineEdit
	was, now   *Node
	at         Span     // of the old link
	dest       string   // of the new one
	marks      [][]Mark // that may be around the link and not in it
	moved      bool     // its destination or its title is another one
	text, tail string   // the source between the brackets, and after them
}

// address returns the alternatives for a link whose text is its address.
func (l *linkEdit) address(source string) alternatives {
	if len(l.now.Nodes) != 1 || len(l.now.Nodes[0].Leaves) != 1 || l.now.Str(FieldTitle) != "" {
		return nil
	}
	leaf := l.now.Nodes[0].Leaves[0]
	if leaf.Raw || leaf.Text == "" || l.dest != leaf.Text && l.dest != "mailto:"+leaf.Text && l.dest != "http://"+leaf.Text {
		return nil
	}
	w := alternatives{{{l.at, "<" + leaf.Text + ">"}}}
	if source[0] != '<' {
		w = append(alternatives{{{l.at, leaf.Text}}}, w...)
	}
	return w
}

// inline returns the alternatives for a link with a destination after its text.
func (l *linkEdit) inline() alternatives {
	tail := l.tail
	if l.moved {
		m := linkTail.FindStringSubmatchIndex(tail)
		if m == nil {
			return nil
		}
		tail = l.retarget(tail, Span{m[2], m[3]}, Span{m[4], m[5]})
	}
	var w alternatives
	for _, text := range l.texts() {
		w = append(w, []replacement{{l.at, "[" + text + "]" + tail}})
	}
	return w
}

// reference returns the alternatives for a link that has a definition elsewhere.
func (l *linkEdit) reference() alternatives {
	label, edits := strings.TrimSuffix(strings.TrimPrefix(l.tail, "["), "]"), []replacement(nil)
	if label == "" {
		label = l.text
	}
	texts := l.texts()
	if l.moved {
		d, ok := l.e.editor.definition(label)
		if !ok {
			return l.beside(texts)
		}
		body := l.e.editor.body
		at := Span{d.dest.Start, max(d.dest.End, d.title.End)}
		inner := func(s Span) Span { return Span{s.Start - at.Start, s.End - at.Start} }
		title := Span{-1, -1}
		if d.title.Start >= 0 {
			title = inner(d.title)
		}
		edits = append(edits, replacement{at, l.retarget(body[at.Start:at.End], inner(d.dest), title)})
	}
	var w alternatives
	for _, text := range texts {
		list := edits
		if text != l.text {
			tail := l.tail
			if tail == "" || tail == "[]" {
				tail = "[" + label + "]"
			}
			list = append([]replacement{{l.at, "[" + text + "]" + tail}}, edits...)
		}
		w = append(w, list)
	}
	if l.moved { // other links have the definition too
		w = append(w, l.beside(texts)...)
	}
	return w
}

// beside returns the alternatives that write the destination after the text.
func (l *linkEdit) beside(texts []string) (w alternatives) {
	for _, text := range texts {
		w = append(w, []replacement{{l.at, "[" + text + "](" + writeDest(l.dest) + l.title(`"`) + ")"}})
	}
	return w
}

// texts returns the ways to write the text of the new link.
func (l *linkEdit) texts() []string {
	if hashNodes(l.was.Nodes) == hashNodes(l.now.Nodes) {
		return []string{l.text}
	}
	var out []string
	for _, marks := range l.marks {
		for _, mode := range []inlineMode{l.e.mode, l.e.mode | tableText | singleLineText} {
			w := &inlineWriter{p: l.e.editor.p, mode: mode | linkText}
			w.runs(runsOf(l.now.Nodes), marks)
			if s := l.e.editor.indentAt(w.done(), l.e.start); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// retarget returns a source with another destination and another title. Start of
// title is -1 if there was none.
func (l *linkEdit) retarget(source string, dest, title Span) string {
	to := source[dest.Start:dest.End]
	if HashValue(align.HashSeed, l.was.value(FieldRef)) != HashValue(align.HashSeed, l.now.value(FieldRef)) {
		pointy := strings.HasPrefix(to, "<")
		if to = writeDest(l.dest); pointy && !strings.HasPrefix(to, "<") {
			to = "<" + to + ">"
		}
	}
	rest := source[dest.End:]
	switch {
	case l.was.Str(FieldTitle) == l.now.Str(FieldTitle):
	case title.Start < 0:
		rest = l.title(`"`) + rest
	case l.now.Str(FieldTitle) == "":
		rest = source[title.End:]
	default:
		rest = strings.TrimRight(source[dest.End:title.Start], " \t\r\n") + l.title(source[title.Start:title.Start+1]) + source[title.End:]
	}
	return source[:dest.Start] + to + rest
}

// title returns the title of the new link with the quotation mark of the old
// one, after a space.
func (l *linkEdit) title(quote string) string {
	s := l.now.Str(FieldTitle)
	if s == "" {
		return ""
	}
	written := writeTitle(s)
	if inner := written[1 : len(written)-1]; quote == "'" && !strings.ContainsAny(s, `'"\`) {
		written = "'" + inner + "'"
	} else if quote == "(" && !strings.ContainsAny(s, `()"\`) {
		written = "(" + inner + ")"
	}
	return " " + written
}

const (
	destPattern  = `<(?:\\.|[^<>\n\\])*>|[^\s<](?:\\.|[^\s\\])*`
	titlePattern = `"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)`
	breakPattern = `(?:[ \t]*\r?\n[ \t>]*)`
)

var (
	// linkTail matches what is after the text of a link: its destination and
	// its title.
	linkTail = regexp.MustCompile(`^\(\s*(<(?:\\.|[^<>\n\\])*>|[^\s<](?:\\.|[^\s\\])*?|)(?:\s+(` + titlePattern + `))?\s*\)$`)
	// definitionLine matches the definition of the destination of links.
	definitionLine = regexp.MustCompile(`(?m)^(?:[ \t>]|[-+*][ \t]|[0-9]+[.)][ \t])*\[((?:\\.|[^\[\]\\])+)\]:` + breakPattern + `?[ \t]*(` + destPattern + `)(?:(?:[ \t]+|` + breakPattern + `)(` + titlePattern + `))?[ \t]*\r?$`)
)

// definition is where the destination and the title of a definition are written.
// Start of title is -1 if it has none.
type definition struct{ dest, title Span }

// definition returns the definition of a label. It returns false if the editor
// edits only a part of the source.
func (ed *sourceEditor) definition(label string) (definition, bool) {
	if !ed.whole {
		return definition{}, false
	}
	if ed.definitions == nil {
		ed.definitions = map[string]definition{}
		for _, m := range definitionLine.FindAllStringSubmatchIndex(ed.body, -1) {
			name := util.ToLinkReference([]byte(ed.body[m[2]:m[3]]))
			if _, known := ed.definitions[name]; !known {
				ed.definitions[name] = definition{Span{m[4], m[5]}, Span{m[6], m[7]}}
			}
		}
	}
	d, ok := ed.definitions[util.ToLinkReference([]byte(label))]
	return d, ok
}

// closingBracket returns the offset of the bracket that closes the one at the
// beginning of a link, or -1.
func closingBracket(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '`':
			n := syntax.RunLength([]byte(s[i:]), '`')
			i += n - 1
			for k := i + 1; k < len(s); {
				if run := syntax.RunLength([]byte(s[k:]), '`'); run == n {
					i = k + n - 1
					break
				} else {
					k += max(run, 1)
				}
			}
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}
