package markup

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"

	"github.com/octavo-docs/octavo/internal/markup/syntax"
)

// inlineMode is the context in which inlines are printed.
type inlineMode int

const (
	singleLineText inlineMode = 1 << iota // a heading: no line breaks
	tableText                             // a cell: no line breaks, no vertical bars
	linkText                              // the text of a link
	htmlText                              // HTML instead of Markdown
)

// run is a piece of text or an inline, with its marks. An inline without text
// (any) may be inside any marks.
type run struct {
	marks []Mark
	any   bool
	text  string
	raw   bool
	node  *Node
}

// piece is a part of the output: text, or the position where a mark begins or
// ends.
type piece struct {
	s     string
	mark  *Mark
	pair  int // index of the other end of the mark
	close bool
}

// inlines returns texts and inlines as Markdown.
func (p *printer) inlines(nodes []*Node, mode inlineMode) string {
	w := &inlineWriter{p: p, mode: mode}
	w.runs(runsOf(nodes), nil)
	return guardLines(w.done())
}

// htmlInlines returns texts and inlines as HTML.
func (p *printer) htmlInlines(nodes []*Node) string {
	return p.htmlRuns(runsOf(nodes), nil)
}

func (p *printer) htmlRuns(runs []run, active []Mark) string {
	w := &inlineWriter{p: p, mode: htmlText}
	w.runs(balanced(runs), active)
	w.guardEnd()
	return w.done()
}

type inlineWriter struct {
	p      *printer
	mode   inlineMode
	pieces []piece
	before run // the last run that was written
}

// runsOf flattens nodes. A link or a note has the marks that all of its text
// has in common.
func runsOf(nodes []*Node) []run {
	var runs []run
	for _, n := range nodes {
		if n.Object == ObjectText {
			for _, l := range n.Leaves {
				if l.Text == "" {
					continue
				}
				r := run{marks: SortMarks(l.Marks), text: l.Text, raw: l.Raw && isRawInline(l.Text)}
				if k := len(runs); k > 0 && runs[k-1].node == nil && !runs[k-1].raw && !r.raw && sameMarks(runs[k-1].marks, r.marks) {
					runs[k-1].text += r.text
					continue
				}
				runs = append(runs, r)
			}
			continue
		}
		r := run{node: n}
		inner := runsOf(n.Nodes)
		if n.IsVoid() || len(inner) == 0 {
			r.any = true
		} else {
			r.marks = commonMarks(inner)
		}
		runs = append(runs, r)
	}
	return runs
}

// SortMarks returns the known marks in canonical order, each type once.
func SortMarks(marks []Mark) []Mark {
	var out []Mark
	for _, m := range marks {
		if slices.Contains(markOrder, m.Type) {
			out = addMark(out, m)
		}
	}
	return out
}

func commonMarks(runs []run) []Mark {
	var common []Mark
	first := true
	for _, r := range runs {
		if r.any {
			continue
		}
		if first {
			common, first = r.marks, false
			continue
		}
		common = slices.DeleteFunc(slices.Clone(common), func(m Mark) bool { return !hasMark(r.marks, m) })
	}
	return common
}

func hasMark(marks []Mark, m Mark) bool {
	return slices.ContainsFunc(marks, func(o Mark) bool { return sameMarks([]Mark{o}, []Mark{m}) })
}

// nesting is the order of marks, from the outermost, if several cover the same
// runs.
var nesting = []string{"color", "superscript", "subscript", "keyboard", "italic", "bold", "strikethrough", "code"}

// runs writes runs. active are the marks that are already open around them.
func (w *inlineWriter) runs(runs []run, active []Mark) {
	for i := 0; i < len(runs); {
		r := runs[i]
		var best *Mark
		reach := 0
		for _, m := range r.marks {
			if hasMark(active, m) {
				continue
			}
			if m.Type == "code" && r.node == nil && !r.raw && w.mode&htmlText == 0 && len(openMarks(r, active)) == 1 {
				continue // a code span is written with the text
			}
			k := reachOf(runs[i:], m)
			if k > reach || k == reach && slices.Index(nesting, m.Type) < slices.Index(nesting, best.Type) {
				best, reach = &m, k
			}
		}
		if best == nil {
			w.run(runs, i, active)
			i++
			continue
		}
		open := len(w.pieces)
		w.pieces = append(w.pieces, piece{mark: best})
		w.runs(runs[i:i+reach], addMark(active, *best))
		w.pieces[open].pair = len(w.pieces)
		w.pieces = append(w.pieces, piece{mark: best, pair: open, close: true})
		i += reach
	}
}

func openMarks(r run, active []Mark) []Mark {
	return slices.DeleteFunc(slices.Clone(r.marks), func(m Mark) bool { return hasMark(active, m) })
}

// reachOf returns how many runs from the first one a mark covers. An inline
// that may be in any mark is included if the mark continues after it.
func reachOf(runs []run, m Mark) int {
	n := 0
	for i, r := range runs {
		if hasMark(r.marks, m) {
			n = i + 1
		} else if !r.any {
			break
		}
	}
	return n
}

func (w *inlineWriter) add(s string) {
	if s != "" {
		w.pieces = append(w.pieces, piece{s: s})
	}
}

func (w *inlineWriter) run(runs []run, i int, active []Mark) {
	r := runs[i]
	defer func() { w.before = r }()
	switch {
	case r.node != nil:
		w.inline(r, active)
	case r.raw:
		s := r.text
		if w.mode&tableText != 0 {
			s = strings.ReplaceAll(s, "|", `\|`)
		}
		w.add(s)
	case w.mode&htmlText != 0:
		w.htmlString(r.text)
	case hasMark(r.marks, Mark{Type: "code"}) && !hasMark(active, Mark{Type: "code"}):
		w.add(w.codeSpan(r.text))
	default:
		e := textEscaper{s: syntax.Valid(r.text), mode: w.mode, first: i == 0, last: i == len(runs)-1}
		if !e.last {
			next := runs[i+1]
			e.emojiNext = next.node != nil && next.node.Type == "emoji"
			e.rawNext = next.raw
		}
		w.add(e.escape())
	}
}

// codeSpan returns inline code, as HTML if backticks cannot express it.
func (w *inlineWriter) codeSpan(s string) string {
	s = syntax.Valid(strings.ReplaceAll(s, "\r\n", "\n"))
	if strings.ContainsAny(s, "\n\r") || w.looksLikeMail(s) || w.mode&tableText != 0 && strings.Contains(s, "\\|") {
		return "<code>" + entities(s) + "</code>"
	}
	n := 1
	for i := 0; i < len(s); {
		k := syntax.RunLength([]byte(s[i:]), '`')
		if k == 0 {
			i++
			continue
		}
		if k >= n {
			n = k + 1
		}
		i += k
	}
	mark := strings.Repeat("`", n)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' && strings.Trim(s, " ") != "" {
		s = " " + s + " "
	}
	if w.mode&tableText != 0 {
		s = strings.ReplaceAll(s, "|", `\|`)
	}
	return mark + s + mark
}

// looksLikeMail reports whether s would be parsed as an email address together
// with the text before it.
func (w *inlineWriter) looksLikeMail(s string) bool {
	if w.mode&linkText != 0 || len(w.pieces) == 0 || !strings.Contains(s, "@") {
		return false
	}
	class, _ := w.runeBefore(len(w.pieces))
	return class != spaceRune
}

// done joins the pieces and decides how each mark is written.
func (w *inlineWriter) done() string {
	out := make([]string, len(w.pieces))
	for i, pc := range w.pieces {
		if pc.mark == nil {
			out[i] = pc.s
		}
	}
	for i, pc := range w.pieces {
		if pc.mark == nil || pc.close {
			continue
		}
		open, close := htmlMark(*pc.mark)
		if d := delimiter(pc.mark.Type); d != "" && w.mode&htmlText == 0 && w.flanks(i, pc.pair, d) {
			open, close = d, d
		}
		out[i], out[pc.pair] = open, close
	}
	return strings.Join(out, "")
}

func delimiter(mark string) string {
	switch mark {
	case "bold":
		return "**"
	case "italic":
		return "_"
	case "strikethrough":
		return "~~"
	}
	return ""
}

// htmlMark returns the HTML tags of a mark.
func htmlMark(m Mark) (open, close string) {
	switch m.Type {
	case "bold":
		return "<strong>", "</strong>"
	case "italic":
		return "<em>", "</em>"
	case "strikethrough":
		return "<del>", "</del>"
	case "code":
		return "<code>", "</code>"
	case "keyboard":
		return "<kbd>", "</kbd>"
	case "superscript":
		return "<sup>", "</sup>"
	case "subscript":
		return "<sub>", "</sub>"
	}
	style := ""
	if v := m.Data["text"]; v != "" && v != "default" {
		style += "color:" + v + ";"
	}
	if v := m.Data["background"]; v != "" && v != "default" {
		style += "background-color:" + v + ";"
	}
	if style == "" {
		return "<mark>", "</mark>"
	}
	return "<mark style=" + quoteAttr(style) + ">", "</mark>"
}

// Classes of characters, as the rules for delimiters distinguish them.
const (
	spaceRune = iota
	punctRune
	otherRune
)

func runeClass(r rune) int {
	switch {
	case util.IsSpaceRune(r):
		return spaceRune
	case util.IsPunctRune(r):
		return punctRune
	}
	return otherRune
}

// flanks reports whether delimiters at these pieces would be parsed as a pair.
// That depends on the characters on both sides of each delimiter.
func (w *inlineWriter) flanks(open, close int, d string) bool {
	before, prev := w.runeBefore(open)
	first := w.classAfter(open)
	last, inner := w.runeBefore(close)
	next := w.classAfter(close)
	if d == "~~" && (prev == '~' || inner == '~') {
		return false
	}
	opens := first != spaceRune && (first != punctRune || before != otherRune)
	closes := last != spaceRune && (last != punctRune || next != otherRune)
	if d == "_" {
		opens = opens && before != otherRune
		closes = closes && next != otherRune
	}
	return opens && closes && close > open+1
}

// runeBefore returns the class of the character before a piece, and the
// character. Marks count as punctuation, whether they are written as delimiters
// or tags.
func (w *inlineWriter) runeBefore(i int) (int, rune) {
	if i == 0 {
		if w.mode&linkText != 0 {
			return punctRune, '['
		}
		return spaceRune, '\n'
	}
	pc := w.pieces[i-1]
	if pc.mark != nil {
		if pc.mark.Type == "strikethrough" {
			return punctRune, '~'
		}
		return punctRune, '>'
	}
	r, _ := utf8.DecodeLastRuneInString(pc.s)
	return runeClass(r), r
}

func (w *inlineWriter) classAfter(i int) int {
	if i+1 == len(w.pieces) {
		if w.mode&linkText != 0 {
			return punctRune
		}
		return spaceRune
	}
	pc := w.pieces[i+1]
	if pc.mark != nil {
		return punctRune
	}
	r, _ := utf8.DecodeRuneInString(pc.s)
	return runeClass(r)
}
