package formula

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// elements and attributes are the parts of MathML that formulas need. None of them
// loads a resource, is a link or refers to a style sheet.
var (
	elements = strings.Fields("math semantics annotation mrow mi mn mo mtext mspace ms msup msub msubsup mover munder munderover mfrac msqrt mroot " +
		"mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose merror mglyph")
	attributes = strings.Fields("xmlns display encoding mathvariant stretchy fence separator accent accentunder lspace rspace width height depth voffset " +
		"linethickness rowspacing columnalign columnspacing columnlines rowlines scriptlevel displaystyle mathcolor mathbackground mathsize minsize maxsize " +
		"symmetric movablelimits largeop notation side rowalign")
)

// maxElements is the maximum depth of elements in each other.
const maxElements = 2000

// element is an element of MathML, or a text if it has no name.
type element struct {
	name, text string
	attrs      []html.Attribute
	kids       []*element
}

// check returns MathML without the attributes that are not allowed, in the form that browsers
// understand. It returns an error if there are other elements in it.
func check(mathML string) (string, error) {
	if len(mathML) > maxMathML || !strings.HasPrefix(mathML, "<math") {
		return "", errors.New("the result is too large, or is no formula")
	}
	root, err := parse(mathML)
	if err != nil {
		return "", err
	}
	root.toCore()
	var out strings.Builder
	root.write(&out)
	return out.String(), nil
}

func parse(mathML string) (*element, error) {
	tokens := html.NewTokenizer(strings.NewReader(mathML))
	top := &element{}
	open := []*element{top}
	for {
		in := open[len(open)-1]
		switch kind := tokens.Next(); kind {
		case html.ErrorToken:
			if err := tokens.Err(); err != io.EOF {
				return nil, err
			}
			if len(open) > 1 || len(top.kids) != 1 || top.kids[0].name == "" {
				return nil, errors.New("the formula is not one element")
			}
			return top.kids[0], nil
		case html.TextToken:
			in.kids = append(in.kids, &element{text: tokens.Token().Data})
		case html.StartTagToken, html.SelfClosingTagToken:
			tag := tokens.Token()
			if !slices.Contains(elements, tag.Data) || len(open) > maxElements {
				return nil, fmt.Errorf("%q is no element of a formula", tag.Data)
			}
			e := &element{name: tag.Data, attrs: slices.DeleteFunc(tag.Attr, func(a html.Attribute) bool { return !slices.Contains(attributes, a.Key) })}
			in.kids = append(in.kids, e)
			if kind == html.StartTagToken {
				open = append(open, e)
			}
		case html.EndTagToken:
			if name := tokens.Token().Data; len(open) == 1 || name != in.name {
				return nil, fmt.Errorf("%q ends %q", name, in.name)
			}
			open = open[:len(open)-1]
		default:
			return nil, fmt.Errorf("%q in a formula", tokens.Token().String())
		}
	}
}

func (e *element) write(out *strings.Builder) {
	if e.name == "" {
		out.WriteString(html.EscapeString(e.text))
		return
	}
	out.WriteString(html.Token{Type: html.StartTagToken, Data: e.name, Attr: e.attrs}.String())
	for _, k := range e.kids {
		k.write(out)
	}
	out.WriteString("</" + e.name + ">")
}

func (e *element) attr(name string) string {
	for _, a := range e.attrs {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (e *element) set(name, value string) {
	e.remove(name)
	e.attrs = append(e.attrs, html.Attribute{Key: name, Val: value})
}

func (e *element) remove(name string) {
	e.attrs = slices.DeleteFunc(e.attrs, func(a html.Attribute) bool { return a.Key == name })
}

// content returns the text of an element that has only text.
func (e *element) content() string {
	if len(e.kids) == 1 && e.kids[0].name == "" {
		return e.kids[0].text
	}
	return ""
}

// toCore changes what browsers do not understand: they have MathML Core, and KaTeX writes MathML 3.
func (e *element) toCore() {
	for _, k := range e.kids {
		k.toCore()
	}
	switch e.name {
	case "mi", "mn", "mo":
		if letters, ok := alphabets[e.attr("mathvariant")]; ok && e.content() != "" { // those of mtext are in the style sheet
			e.remove("mathvariant")
			e.kids[0].text = letters.in(e.kids[0].text)
		}
		// A bar that is a fence grows as other fences do.
		if e.attr("fence") == "true" && e.attr("stretchy") == "" && strings.Contains("∣∥", e.content()) {
			e.set("stretchy", "true")
		}
	case "mover", "munder":
		e.accent()
	case "mpadded":
		e.padded()
	case "menclose":
		e.name = "mrow" // the style sheet draws its lines by the attribute notation
	case "mtable":
		e.table()
	case "semantics", "math": // a formula with a number is as wide as the page
		if len(e.kids) > 0 && e.kids[0].attr("width") == "100%" {
			e.set("width", "100%")
		}
	}
}

// accents are the signs of accents in the font, as they are and as wide as what is below them.
var accents = map[string]struct{ sign, wide string }{
	"^": {"ˆ", "\u0302"}, "~": {"˜", "˜"}, "ˇ": {"ˇ", "\u030c"}, // the signs of ASCII do not grow
	"\u20d7": {"\u2002\u20d7", "\u20d7"}, // a combining arrow is drawn to the left of where it is
}

// accent changes an accent. A line above or below is the border of a row.
func (e *element) accent() {
	if len(e.kids) != 2 || e.kids[1].name != "mo" || e.attr("accent") != "true" && e.attr("accentunder") != "true" {
		return
	}
	mark := e.kids[1]
	if mark.content() == "‾" {
		side := "top"
		if e.name == "munder" {
			side = "bottom"
		}
		*e = element{name: "mrow", attrs: []html.Attribute{{Key: "notation", Val: side}}, kids: e.kids[:1]}
		return
	}
	if a, ok := accents[mark.content()]; ok {
		mark.kids[0].text = a.wide
		if mark.attr("stretchy") != "true" {
			mark.kids[0].text = a.sign
			mark.set("stretchy", "false")
		}
	}
}

// padded changes paddings that are relative to the content, such as width="+0.6em" lspace="0.3em".
func (e *element) padded() {
	for _, name := range []string{"height", "depth", "voffset"} {
		if value := e.attr(name); strings.HasPrefix(value, "+") {
			e.remove(name)
		}
	}
	more, relative := strings.CutPrefix(e.attr("width"), "+")
	if !relative {
		return
	}
	e.remove("width")
	before := e.attr("lspace")
	e.remove("lspace")
	after, ok := difference(more, before)
	if !ok || len(e.attrs) > 0 {
		return
	}
	space := func(width string) *element {
		return &element{name: "mspace", attrs: []html.Attribute{{Key: "width", Val: width}}}
	}
	e.name = "mrow"
	e.kids = append(append([]*element{space(before)}, e.kids...), space(after))
}

// difference returns a length in em without another one.
func difference(a, b string) (string, bool) {
	x, err := strconv.ParseFloat(strings.TrimSuffix(a, "em"), 64)
	y, other := strconv.ParseFloat(strings.TrimSuffix(b, "em"), 64)
	if err != nil || other != nil || x < y {
		return "", false
	}
	return strconv.FormatFloat(x-y, 'f', 3, 64) + "em", true
}

// table gives cells what is said at their table: how they are aligned, and the lines behind them.
// The style sheet has rules for both.
func (e *element) table() {
	aligns, columns, rows := strings.Fields(e.attr("columnalign")), strings.Fields(e.attr("columnlines")), strings.Fields(e.attr("rowlines"))
	at := func(list []string, i int) string { // the last one is that of all others
		if len(list) == 0 {
			return ""
		}
		return list[min(i, len(list)-1)]
	}
	for y, row := range e.kids {
		for x, cell := range row.kids {
			if cell.name != "mtd" {
				continue
			}
			if align := at(aligns, x); align == "left" || align == "right" {
				cell.set("columnalign", align)
			}
			if line := at(columns, x); line != "" && line != "none" && x < len(row.kids)-1 {
				cell.set("columnlines", line)
			}
			if line := at(rows, y); line != "" && line != "none" && y < len(e.kids)-1 {
				cell.set("rowlines", line)
			}
			if e.attr("columnspacing") == "0em" {
				cell.set("columnspacing", "0em")
			}
		}
	}
	e.remove("columnlines")
	e.remove("rowlines") // where a browser knows them, each line would be drawn twice
}
