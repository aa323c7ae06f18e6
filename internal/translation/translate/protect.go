package translate

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/markup"
)

// The protected form of a text has two kinds of placeholders, as in XLIFF:
// <x id="1"/> represents content without words, and <g id="2">…</g> encloses words
// inside of markup, such as a link or bold text. Ids count from 1. The rest is text, in
// which &, < and > are written as entities.

// piece is the content that a placeholder represents.
type piece struct {
	node *markup.Node // an inline; nil if the piece is a leaf
	leaf markup.Leaf  // text with its marks, if node is nil
	pair bool         // the placeholder is a <g>
	in   int          // id of the enclosing placeholder; 0: none
}

// protected holds a list of inlines in the protected form.
type protected struct {
	text        string
	pieces      []piece // indexed by id; ids begin at 1
	lead, trail string  // spaces around the text, which are not sent to engines
}

// fixed matches parts of a text that must not change: addresses, expressions,
// placeholders of programs, names of variables. A match ends at the latest where another
// one of the same kind begins. Otherwise a repeated opening without an end would make
// the search take quadratic time.
var fixed = regexp.MustCompile(`(?:https?|ftp|mailto)://?[^\s<>"']*[^\s<>"'.,;:!?)\]]|\bwww\.[^\s<>"']*[^\s<>"'.,;:!?)\]]|[\w.+-]+@[\w-]+\.[\w.-]*\w|\{\{[^{}]*\}\}|\{%[^{}%]*%\}|\$\{[^{}]*\}|\$[A-Z_][A-Z0-9_]*|\{[A-Za-z_][\w.]*\}|%[sdvqfx]\b|:[a-z0-9_+-]+:|` + "`[^`]*`")

// protect returns inlines in the protected form.
func protect(nodes []*markup.Node) protected {
	e := &encoder{pieces: make([]piece, 1)}
	e.nodes(nodes, 0)
	text := e.out.String()
	body := strings.TrimLeftFunc(text, unicode.IsSpace)
	p := protected{pieces: e.pieces, lead: text[:len(text)-len(body)]}
	p.text = strings.TrimRightFunc(body, unicode.IsSpace)
	p.trail = body[len(p.text):]
	return p
}

type encoder struct {
	out    strings.Builder
	pieces []piece
}

func (e *encoder) nodes(nodes []*markup.Node, in int) {
	for _, n := range nodes {
		switch {
		case n.Object == markup.ObjectText:
			for _, l := range n.Leaves {
				e.leaf(l, in)
			}
		case n.IsVoid() || !hasWords(n.Nodes):
			e.void(piece{node: n, in: in})
		default:
			id := e.open(piece{node: n, in: in})
			e.nodes(n.Nodes, id)
			e.out.WriteString("</g>")
		}
	}
}

// leaf writes a text with marks. Code becomes one placeholder, and so does a line break.
func (e *encoder) leaf(l markup.Leaf, in int) {
	if !translatable(l) {
		e.void(piece{leaf: l, in: in})
		return
	}
	for i, line := range strings.SplitAfter(l.Text, "\n") {
		if line == "" {
			continue
		}
		words, broken := strings.CutSuffix(line, "\n")
		if i == 0 && !broken && len(l.Marks) > 0 && fixed.FindString(words) == "" {
			e.open(piece{leaf: l, in: in})
			e.plain(words)
			e.out.WriteString("</g>")
			continue
		}
		e.marked(l, words, in)
		if broken {
			e.void(piece{leaf: part(l, "\n"), in: in})
		}
	}
}

// marked writes one line of a leaf, with a placeholder for each fixed part.
func (e *encoder) marked(l markup.Leaf, words string, in int) {
	write := func(s string) {
		switch {
		case s == "":
		case len(l.Marks) == 0:
			e.plain(s)
		default:
			e.open(piece{leaf: part(l, s), in: in})
			e.plain(s)
			e.out.WriteString("</g>")
		}
	}
	at := 0
	for _, m := range fixed.FindAllStringIndex(words, -1) {
		write(words[at:m[0]])
		e.void(piece{leaf: part(l, words[m[0]:m[1]]), in: in})
		at = m[1]
	}
	write(words[at:])
}

// part returns a leaf with the marks of l and the given text.
func part(l markup.Leaf, text string) markup.Leaf { return markup.Leaf{Text: text, Marks: l.Marks} }

// open writes the start tag of a pair and returns its id.
func (e *encoder) open(p piece) int {
	p.pair = true
	e.pieces = append(e.pieces, p)
	id := len(e.pieces) - 1
	fmt.Fprintf(&e.out, `<g id="%d">`, id)
	return id
}

func (e *encoder) void(p piece) {
	e.pieces = append(e.pieces, p)
	fmt.Fprintf(&e.out, `<x id="%d"/>`, len(e.pieces)-1)
}

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

func (e *encoder) plain(s string) { _, _ = escaper.WriteString(&e.out, s) }

// translatable reports whether a leaf is natural language: neither raw, nor code, nor
// keyboard input.
func translatable(l markup.Leaf) bool {
	if l.Raw {
		return false
	}
	for _, m := range l.Marks {
		if m.Type == "code" || m.Type == "keyboard" {
			return false
		}
	}
	return true
}

// hasWords reports whether inlines contain a letter outside of code and fixed parts.
func hasWords(nodes []*markup.Node) bool {
	for _, n := range nodes {
		if n.Object != markup.ObjectText {
			if !n.IsVoid() && hasWords(n.Nodes) {
				return true
			}
			continue
		}
		for _, l := range n.Leaves {
			if translatable(l) && strings.ContainsFunc(fixed.ReplaceAllString(l.Text, ""), unicode.IsLetter) {
				return true
			}
		}
	}
	return false
}

// token is a text or a tag of the protected form.
type token struct {
	text string // unescaped, if tag is 0
	tag  byte   // x, g or / for the end of a pair; 0 for text
	id   int
}

var errMarkup = errors.New("the answer has other markup than the text")

var placeholder = regexp.MustCompile(`<(?:(x) id="(\d{1,6})" ?/|(g) id="(\d{1,6})"|(/)g)>`)

// tokens parses the protected form.
func tokens(text string) ([]token, error) {
	var out []token
	plain := func(s string) error {
		if strings.ContainsAny(s, "<>") {
			return errMarkup
		}
		if s != "" {
			out = append(out, token{text: unescape(s)})
		}
		return nil
	}
	at := 0
	for _, m := range placeholder.FindAllStringSubmatchIndex(text, -1) {
		if err := plain(text[at:m[0]]); err != nil {
			return nil, err
		}
		at = m[1]
		switch {
		case m[2] >= 0:
			id, _ := strconv.Atoi(text[m[4]:m[5]])
			out = append(out, token{tag: 'x', id: id})
		case m[6] >= 0:
			id, _ := strconv.Atoi(text[m[8]:m[9]])
			out = append(out, token{tag: 'g', id: id})
		default:
			out = append(out, token{tag: '/'})
		}
	}
	return out, plain(text[at:])
}

var entities = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&#39;", "'", "&apos;", "'", "&nbsp;", " ", "&#160;", " ", "&amp;", "&")

func unescape(s string) string { return entities.Replace(s) }

// restore returns the inlines of a translation that is in the protected form. The
// translation must have every placeholder exactly once, inside of its original parent.
func (p protected) restore(text string) ([]*markup.Node, error) {
	list, err := tokens(strings.TrimSpace(text))
	if err != nil {
		return nil, err
	}
	d := &decoder{p: p, list: list, seen: make([]bool, len(p.pieces))}
	d.leaf(p.lead, nil)
	if err := d.inside(0, nil); err != nil {
		return nil, err
	}
	for id := 1; id < len(p.pieces); id++ {
		if !d.seen[id] {
			return nil, fmt.Errorf("the answer lost placeholder %d", id)
		}
	}
	d.leaf(p.trail, nil)
	return d.flush(), nil
}

type decoder struct {
	p      protected
	list   []token
	seen   []bool
	out    []*markup.Node
	leaves []markup.Leaf // of the text node that is being built
}

func (d *decoder) leaf(text string, marks []markup.Mark) {
	if text == "" {
		return
	}
	if k := len(d.leaves); k > 0 && len(marks) == 0 && len(d.leaves[k-1].Marks) == 0 && !d.leaves[k-1].Raw {
		d.leaves[k-1].Text += text
		return
	}
	d.leaves = append(d.leaves, markup.Leaf{Text: text, Marks: marks})
}

// flush ends the current text node and returns all nodes read so far.
func (d *decoder) flush() []*markup.Node {
	if len(d.leaves) > 0 {
		d.out = append(d.out, &markup.Node{Object: markup.ObjectText, Leaves: d.leaves})
		d.leaves = nil
	}
	return d.out
}

// inside reads the content of the pair with an id, up to its end tag. Id 0 is the top
// level, which ends with the tokens.
func (d *decoder) inside(id int, marks []markup.Mark) error {
	for len(d.list) > 0 {
		t := d.list[0]
		d.list = d.list[1:]
		switch t.tag {
		case 0:
			d.leaf(oneLine(t.text), marks)
		case '/':
			if id == 0 {
				return errMarkup
			}
			return nil
		default:
			if t.id < 1 || t.id >= len(d.p.pieces) || d.seen[t.id] || d.p.pieces[t.id].pair != (t.tag == 'g') || d.p.pieces[t.id].in != id {
				return fmt.Errorf("the answer moved or doubled placeholder %d", t.id)
			}
			d.seen[t.id] = true
			if err := d.piece(t.id); err != nil {
				return err
			}
		}
	}
	if id != 0 {
		return errMarkup
	}
	return nil
}

// piece appends the content of a placeholder to the output.
func (d *decoder) piece(id int) error {
	p := d.p.pieces[id]
	switch {
	case !p.pair && p.node == nil:
		d.leaves = append(d.leaves, p.leaf)
	case !p.pair:
		d.flush()
		d.out = append(d.out, p.node)
	case p.node == nil:
		return d.marked(id, p.leaf)
	default:
		d.flush()
		inner := &decoder{p: d.p, list: d.list, seen: d.seen}
		if err := inner.inside(id, nil); err != nil {
			return err
		}
		d.list = inner.list
		n := *p.node
		n.Nodes = inner.flush()
		d.out = append(d.out, &n)
	}
	return nil
}

// marked reads the text of a leaf with marks. It moves spaces at the ends out of the
// leaf, because marked text cannot begin or end with a space in Markdown.
func (d *decoder) marked(id int, was markup.Leaf) error {
	text := ""
	for len(d.list) > 0 && d.list[0].tag == 0 {
		text += d.list[0].text
		d.list = d.list[1:]
	}
	if len(d.list) == 0 || d.list[0].tag != '/' {
		return fmt.Errorf("the answer has other markup inside of placeholder %d", id)
	}
	d.list = d.list[1:]
	text = oneLine(text)
	inner := strings.TrimSpace(text)
	if inner == "" {
		return fmt.Errorf("the answer has no words inside of placeholder %d", id)
	}
	if was.Text != strings.TrimSpace(was.Text) {
		inner, text = keepSpaces(was.Text, inner), "" // the original has spaces inside
	}
	lead, trail, _ := strings.Cut(text, inner)
	d.leaf(lead, nil)
	d.leaves = append(d.leaves, part(was, inner))
	d.leaf(trail, nil)
	return nil
}

// keepSpaces returns text with the leading and trailing spaces of was.
func keepSpaces(was, text string) string {
	trimmed := strings.TrimSpace(was)
	lead, trail, _ := strings.Cut(was, trimmed)
	return lead + text + trail
}

// oneLine replaces line breaks, which some engines add, and tabs by spaces. It removes
// control characters.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r == '\u2028' || r == '\u2029':
			return ' '
		case unicode.IsControl(r):
			return -1
		}
		return r
	}, s)
}
