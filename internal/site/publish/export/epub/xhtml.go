package epub

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// body is the content of a chapter as XHTML.
type body struct {
	bytes.Buffer
	ids       map[string]bool
	svg, math bool
}

// attributes are the attributes that HTML elements keep. Others are for browsers and
// scripts.
var attributes = []string{
	"id", "class", "href", "src", "alt", "title", "lang", "dir", "colspan", "rowspan", "scope", "start", "value", "open", "datetime", "cite", "reversed",
}

// foreignAttributes are the attributes that elements of SVG and MathML keep. Links have a
// rule of their own; what refers to other files or runs is removed.
var foreignAttributes = strings.Fields(`class title lang dir width height
	viewBox preserveAspectRatio x y x1 y1 x2 y2 dx dy cx cy r rx ry fx fy d points pathLength transform
	color fill fill-opacity fill-rule stroke stroke-width stroke-opacity stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset
	opacity display visibility clip-path clip-rule clipPathUnits mask maskUnits offset stop-color stop-opacity gradientUnits gradientTransform spreadMethod
	marker-start marker-mid marker-end markerWidth markerHeight markerUnits refX refY orient patternUnits patternTransform vector-effect
	font-family font-size font-style font-weight text-anchor dominant-baseline letter-spacing rotate
	mathvariant mathsize mathcolor mathbackground displaystyle scriptlevel depth voffset lspace rspace form fence separator stretchy symmetric largeop movablelimits
	minsize maxsize accent accentunder linethickness align columnalign rowalign columnspacing rowspacing columnlines rowlines columnspan rowspan equalrows equalcolumns
	frame framespacing side minlabelspacing notation numalign denomalign bevelled open close separators alttext encoding`)

// dropped are elements that are removed with their content, because they are useless in
// books.
var dropped = []atom.Atom{
	atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Source, atom.Button, atom.Dialog, atom.Object, atom.Embed, atom.Track, atom.Noscript, atom.Colgroup,
}

// unwrapped are elements that are replaced by their content.
var unwrapped = []atom.Atom{atom.Picture, atom.Form, atom.Label, atom.Video, atom.Audio, atom.Html, atom.Head, atom.Body}

// A linker returns the address of a link or a picture in the book. If it reports false,
// the link is removed, or the picture is replaced by its alternative text.
type linker func(at string, picture bool) (string, bool)

// convert converts HTML to XHTML.
func convert(source string, link linker) (*body, error) {
	top := &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body}
	nodes, err := html.ParseFragment(strings.NewReader(source), top)
	if err != nil {
		return nil, err
	}
	b := &body{ids: map[string]bool{}}
	for _, n := range nodes {
		b.node(n, link)
	}
	return b, nil
}

func (b *body) text(s string) {
	_ = xml.EscapeText(&b.Buffer, []byte(s)) // a buffer never fails; characters that XML does not allow are replaced
}

func (b *body) node(n *html.Node, link linker) {
	switch {
	case n.Type == html.TextNode:
		b.plain(n.Data)
	case n.Type != html.ElementNode || slices.Contains(dropped, n.DataAtom):
	case n.DataAtom == atom.Input:
		box := "☐ "
		if value(n, "checked") != nil {
			box = "☑ "
		}
		b.text(box)
	case n.DataAtom == atom.Img:
		b.picture(n, link)
	case slices.Contains(unwrapped, n.DataAtom) && n.Namespace == "":
		b.below(n, link)
	default:
		b.element(n, link)
	}
}

// plain writes text. Quotes, tabs and line breaks are not escaped, because text nodes do
// not need that.
func (b *body) plain(s string) {
	b.WriteString(strings.NewReplacer("&#xA;", "\n", "&#x9;", "\t", "&#34;", `"`, "&#39;", "'").Replace(escaped(s)))
}

func escaped(s string) string {
	var out bytes.Buffer
	_ = xml.EscapeText(&out, []byte(s))
	return out.String()
}

func (b *body) below(n *html.Node, link linker) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.node(c, link)
	}
}

func value(n *html.Node, name string) *string {
	for _, a := range n.Attr {
		if a.Key == name {
			return &a.Val
		}
	}
	return nil
}

// picture writes an image of the book. Images of other sites are replaced by their
// alternative text.
func (b *body) picture(n *html.Node, link linker) {
	src, alt := value(n, "src"), ""
	if a := value(n, "alt"); a != nil {
		alt = *a
	}
	if src == nil {
		return
	}
	at, ok := link(*src, true)
	switch {
	case ok && !strings.Contains(at, ":"):
		fmt.Fprintf(b, `<img src="%s" alt="%s"/>`, escaped(at), escaped(alt))
	case alt != "":
		b.WriteString("<em>")
		b.plain(alt)
		b.WriteString("</em>")
	}
}

func (b *body) element(n *html.Node, link linker) {
	b.svg, b.math = b.svg || n.Data == "svg", b.math || n.Data == "math"
	b.WriteString("<" + n.Data)
	switch n.Data {
	case "svg":
		b.WriteString(` xmlns="http://www.w3.org/2000/svg"`)
	case "math":
		b.WriteString(` xmlns="http://www.w3.org/1998/Math/MathML"`)
	}
	for _, a := range n.Attr {
		if text, ok := b.attribute(n, a, link); ok {
			fmt.Fprintf(b, ` %s="%s"`, a.Key, escaped(text))
		}
	}
	if n.FirstChild == nil && n.Namespace == "" && isVoid(n.DataAtom) {
		b.WriteString("/>")
		return
	}
	b.WriteByte('>')
	b.below(n, link)
	b.WriteString("</" + n.Data + ">")
}

func isVoid(a atom.Atom) bool {
	return slices.Contains([]atom.Atom{atom.Br, atom.Hr, atom.Wbr}, a)
}

// attribute returns the value of an attribute in the book. It reports false if the
// attribute is removed.
func (b *body) attribute(n *html.Node, a html.Attribute, link linker) (string, bool) {
	switch {
	case a.Key == "id":
		if a.Val == "" || strings.ContainsAny(a.Val, " \t\n") || b.ids[a.Val] {
			return "", false
		}
		b.ids[a.Val] = true
		return a.Val, true
	case a.Namespace == "" && a.Key == "href" && (n.DataAtom == atom.A || n.Namespace == "math"):
		return link(a.Val, false)
	case n.Namespace != "":
		return a.Val, a.Namespace == "" && slices.Contains(foreignAttributes, a.Key) && !refersOut(a.Val)
	case a.Key == "open":
		return "open", n.DataAtom == atom.Details
	case a.Key == "value" || a.Key == "start":
		return a.Val, n.DataAtom == atom.Li || n.DataAtom == atom.Ol
	}
	return a.Val, slices.Contains(attributes, a.Key)
}

// refersOut reports whether a value of CSS can refer to another file. Escapes could hide
// a reference.
func refersOut(v string) bool {
	return strings.Contains(strings.ReplaceAll(strings.ToLower(v), "url(#", ""), "url(") || strings.Contains(v, `\`)
}
