// Package html writes documents as HTML that is safe in a page. Its output has no
// scripts, styles or event handlers; its look is defined by classes.
package html

import (
	"bufio"
	"cmp"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// Options are the settings of HTML that depend on where a document is
// displayed.
type Options struct {
	// Link returns the address of a reference. It is not called for addresses with
	// a scheme, but for those without one, because they refer to something in the
	// same site. If ok is false, the reference is displayed as broken. If Link is
	// nil, addresses are not changed and other references are broken, except
	// anchors of the same page.
	Link func(docs.Ref) (href string, ok bool)
	// Title returns the name of the target of a reference, for nodes that have no
	// text of their own: mentions, page links, files, people, tags.
	Title func(docs.Ref) (title string, ok bool)
	// Highlight highlights code; nil leaves it plain.
	Highlight *highlight.Highlighter
	// Math typesets a formula as MathML that is safe in a page, or returns false
	// if it cannot. If Math is nil, formulas are shown as their source.
	Math func(formula string, display bool) (mathML string, ok bool)
	// Size returns the number of bytes of a file.
	Size func(docs.Ref) (bytes int64, ok bool)
	// Extent returns the width and the height of an image in pixels, so that
	// browsers reserve space for it before it is loaded.
	Extent func(docs.Ref) (width, height int, ok bool)
	// Sources returns the files of an image with their widths, as in the attribute srcset: the image
	// in several widths, one of them its own. If it is nil or returns an empty string, there is
	// only the image itself.
	Sources func(docs.Ref) string
	// Wide says that the text is as wide as the window, so images may be, too.
	Wide bool
	// Lead loads the first image before the text is laid out, if it is near the beginning: it is
	// probably what a reader sees first. All others are loaded when they come near.
	Lead bool
	// Player returns what shows the content of an embedded page in a frame, if readers may load
	// it from its host.
	Player func(address string) (Player, bool)
	// API returns the HTML of a block that shows a part of an API description. If
	// ok is false, the block lists the names of the parts that it would show.
	API func(markup.APIBlock) (html string, ok bool)
	// Icons is the style of icons.
	Icons icons.Style
	// Dark is a media query for the dark variant of an image; if empty, the color
	// scheme of the reader's system decides.
	Dark string
	// NewTab opens links to other sites in a new tab.
	NewTab bool
	// NoAnchors omits the links of headings to themselves, for text that is read
	// outside of its page.
	NoAnchors bool
	// Untitled tells that the page shows no title. Its first heading of the first level
	// takes the place of the title.
	Untitled bool
	// Labels are the labels in the language of the reader; nil means English.
	Labels *Labels
}

// maxDepth is the maximum nesting depth of nodes; deeper nodes are omitted.
const maxDepth = 256

// Write writes a document as HTML that is safe in a page: every text and attribute
// is escaped, every address has passed SafeURL, and raw HTML is reduced to a list
// of harmless elements. The output has no scripts, styles or event handlers; its
// look is defined by classes.
//
// Conditions and expressions that were not evaluated are omitted, so that nobody
// sees content that is not meant for them. The highest level of headings in the
// document becomes h2, below the title of the page. In a page without a title, the first
// heading of level 1 is h1.
func Write(w io.Writer, doc *markup.Document, o Options) error {
	o.Labels = cmp.Or(o.Labels, &EnglishLabels)
	h := &writer{w: bufio.NewWriter(w), o: o, code: highlight.MaxPage, formulas: maxFormulas, wide: o.Wide}
	shown := markup.ForReaders(doc)
	h.blocks(shown.Nodes)
	if markup.NothingShown(doc, shown) {
		h.element("p", o.Labels.Elsewhere, "class", "elsewhere")
	}
	h.annotations()
	return h.w.Flush()
}

// HasFullWidth reports whether a block that is not inside of another one takes the whole width of a page.
func HasFullWidth(doc *markup.Document) bool {
	return slices.ContainsFunc(doc.Nodes, func(n *markup.Node) bool { return n.Flag(markup.FieldFullWidth) })
}

// writer writes elements. The buffered writer keeps the first error until
// Flush.
type writer struct {
	w        *bufio.Writer
	o        Options
	above    []int // levels of the headings around the current position, highest first
	depth    int
	code     int    // bytes of code that may still be highlighted
	formulas int    // bytes of formulas that may still be typeset
	dates    string // date format of the current updates block
	notes    []*markup.Node
	begun    int  // blocks
	led      bool // the first image was written
	wide     bool // images may be as wide as the window

	raw     []string // open elements of raw HTML in the current line and the lines around it
	rawFrom int      // index in raw of the first element of the current line
}

// open writes a start tag. attrs are pairs of a name and a value, which is
// escaped. If the value is noValue, only the name is written.
func (h *writer) open(element string, attrs ...string) {
	h.w.WriteByte('<')
	h.w.WriteString(element)
	for i := 0; i+1 < len(attrs); i += 2 {
		h.w.WriteByte(' ')
		h.w.WriteString(attrs[i])
		if attrs[i+1] == noValue {
			continue
		}
		h.w.WriteString(`="`)
		h.text(attrs[i+1])
		h.w.WriteByte('"')
	}
	h.w.WriteByte('>')
}

const noValue = "\x00"

func (h *writer) close(element string) {
	h.w.WriteString("</")
	h.w.WriteString(element)
	h.w.WriteByte('>')
}

// text writes escaped text without control characters, which are invisible and
// cause problems in some readers.
func (h *writer) text(s string) {
	if strings.IndexFunc(s, unprintable) >= 0 {
		s = strings.Map(func(r rune) rune {
			if unprintable(r) {
				return -1
			}
			return r
		}, s)
	}
	h.w.WriteString(html.EscapeString(s))
}

func unprintable(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t'
}

// element writes an element that contains only text.
func (h *writer) element(name, text string, attrs ...string) {
	h.open(name, attrs...)
	h.text(text)
	h.close(name)
}

func (h *writer) preformatted(s string) {
	h.open("pre")
	h.element("code", s)
	h.close("pre")
}

// attrs removes the pairs with an empty value.
func attrs(pairs ...string) []string {
	out := pairs[:0]
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, pairs[i], pairs[i+1])
		}
	}
	return out
}

// classes joins the classes of an element that are not empty.
func classes(s ...string) string {
	return strings.Join(slices.DeleteFunc(s, func(s string) bool { return s == "" }), " ")
}

func when(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

// idOf returns the anchor of a node if it is safe in an attribute, or an empty
// string.
func idOf(n *markup.Node) string {
	if s := n.Anchor(); markup.IsAnchor(s) {
		return s
	}
	return ""
}

func (h *writer) blocks(nodes []*markup.Node) {
	if h.depth++; h.depth <= maxDepth {
		for _, n := range nodes {
			if n.Object == markup.ObjectBlock || n.Object == markup.ObjectFragment {
				h.block(n)
			} else {
				h.inlines([]*markup.Node{n})
			}
		}
	}
	h.depth--
}

// within writes the nodes of a block inside of an element.
func (h *writer) within(n *markup.Node, element string, attrs ...string) {
	h.open(element, attrs...)
	h.blocks(n.Nodes)
	h.close(element)
}

func (h *writer) block(n *markup.Node) {
	h.begun++
	if form := blockForms[n.Type]; form != nil {
		form(h, n)
	} else {
		h.blocks(n.Nodes)
		h.blocks(n.Fragments)
	}
	h.w.WriteByte('\n')
}

// omit writes nothing: what was not evaluated is not shown, see HTML.
func (h *writer) omit(*markup.Node) {}

func (h *writer) paragraph(n *markup.Node) {
	h.open("p", attrs("class", alignClass(n, markup.TextAlignments))...)
	h.inlines(n.Nodes)
	h.close("p")
}

func (h *writer) heading(n *markup.Node) {
	name := "h" + strconv.Itoa(h.level(n.HeadingLevel()))
	h.open(name, attrs("id", idOf(n), "class", alignClass(n, markup.TextAlignments))...)
	for _, a := range n.Aliases() {
		h.open("a", "id", a)
		h.close("a")
	}
	h.inlines(n.Nodes)
	if id := idOf(n); id != "" && !h.o.NoAnchors {
		h.element("a", "", "class", "anchor", "href", "#"+id, "aria-label", h.o.Labels.Anchor)
	}
	h.close(name)
}

func (h *writer) orderedList(n *markup.Node) {
	start, _ := n.Num(markup.FieldStart)
	h.within(n, "ol", attrs("start", when(start > 1, number(start)))...)
}

func (h *writer) list(n *markup.Node)     { h.within(n, "ul") }
func (h *writer) taskList(n *markup.Node) { h.within(n, "ul", "class", "tasks") }
func (h *writer) divider(*markup.Node)    { h.open("hr") }
func (h *writer) quote(n *markup.Node)    { h.within(n, "blockquote") }

func (h *writer) tabs(n *markup.Node) { h.within(n, "div", "class", classes("tabs", fullWidth(n))) }

func (h *writer) tab(n *markup.Node) {
	title := n.Str(markup.FieldTitle)
	h.open("section", attrs("class", "tab", "id", idOf(n), "aria-label", title)...)
	h.open("p", "class", "tab-title")
	h.icon(n.Str(markup.FieldIcon), "")
	h.text(title)
	h.close("p")
	h.blocks(n.Nodes)
	h.close("section")
}

func (h *writer) stepper(n *markup.Node) { h.within(n, "ol", "class", "stepper") }

func (h *writer) step(n *markup.Node) {
	h.open("li", "class", "step")
	h.icon(n.Str(markup.FieldIcon), "")
	h.blocks(n.Nodes)
	h.close("li")
}

func (h *writer) columns(n *markup.Node) {
	h.within(n, "div", "class", classes("columns", fullWidth(n)))
}

func (h *writer) column(n *markup.Node) {
	valign := n.Str(markup.FieldVerticalAlignment)
	h.within(n, "div", "class", classes("column", widthClass(n), when(slices.Contains(markup.VerticalAlignments, valign), "valign-"+valign)))
}

func (h *writer) contentRef(n *markup.Node) {
	h.open("p", "class", "content-ref")
	h.link(refIn(n), "", nil)
	h.icon("angle-right", "")
	h.close("p")
}

func (h *writer) reusable(*markup.Node) {
	h.element("div", "", "class", "reusable-content unavailable")
}

func (h *writer) updates(n *markup.Node) {
	h.dates = n.Str(markup.FieldFormat)
	h.within(n, "div", "class", "updates")
}

func (h *writer) prompt(n *markup.Node) {
	h.open("section", attrs("class", "prompt", "aria-label", n.Str(markup.FieldDescription))...)
	h.open("p", "class", "prompt-description")
	h.icon(n.Str(markup.FieldIcon), "")
	h.text(n.Str(markup.FieldDescription))
	h.close("p")
	h.blocks(n.Nodes)
	h.close("section")
}

// level returns the level of the HTML element of a heading. It is one below the
// element of the last heading of a higher level, so that no level is skipped.
// Level 1 is the title of the page, or the heading that takes its place.
func (h *writer) level(of int) int {
	if of == 1 && h.o.Untitled {
		h.o.Untitled, h.above = false, nil
		return 1
	}
	for len(h.above) > 0 && h.above[len(h.above)-1] >= of {
		h.above = h.above[:len(h.above)-1]
	}
	h.above = append(h.above, of)
	return min(1+len(h.above), 6)
}

func (h *writer) listItem(n *markup.Node) {
	checked, task := n.FlagSet(markup.FieldChecked)
	if !task {
		h.within(n, "li")
		return
	}
	h.open("li", "class", "task")
	box := []string{"type", "checkbox", "disabled", noValue, "aria-label", h.o.Labels.ToDo}
	if checked {
		box = []string{"type", "checkbox", "disabled", noValue, "checked", noValue, "aria-label", h.o.Labels.Done}
	}
	h.open("input", box...)
	h.blocks(n.Nodes)
	h.close("li")
}

// hintIcons are the icons of hints that do not name one.
var hintIcons = map[string]string{"info": "circle-info", "success": "circle-check", "warning": "circle-exclamation", "danger": "triangle-exclamation"}

func (h *writer) hint(n *markup.Node) {
	style := n.Str(markup.FieldStyle)
	if hintIcons[style] == "" {
		style = "info"
	}
	h.open("aside", "class", "hint hint-"+style, "role", "note", "aria-label", h.o.Labels.hint(style))
	h.icon(cmp.Or(n.Str(markup.FieldIcon), hintIcons[style]), "")
	h.open("div")
	if !titled(n) {
		h.element("p", h.o.Labels.hint(style), "class", "hint-title", "aria-hidden", "true") // the label says it
	}
	h.blocks(n.Nodes)
	h.close("div")
	h.close("aside")
}

// titled reports whether a hint begins with what reads as its title: a heading or bold words.
func titled(n *markup.Node) bool {
	if len(n.Nodes) == 0 {
		return true
	}
	first := n.Nodes[0]
	if strings.HasPrefix(first.Type, "heading-") {
		return true
	}
	for _, t := range first.Nodes {
		if t.Object != markup.ObjectText {
			return false
		}
		for _, l := range t.Leaves {
			if l.Text != "" {
				return slices.ContainsFunc(l.Marks, func(m markup.Mark) bool { return m.Type == "bold" })
			}
		}
	}
	return false
}

func (h *writer) expandable(n *markup.Node) {
	if h.inlineAPI(n) {
		return
	}
	open := when(n.Flag(markup.FieldDefaultExpanded), noValue)
	h.open("details", attrs("class", "expandable", "id", idOf(n), "open", open)...)
	h.open("summary")
	for _, f := range n.Fragments {
		if f.Slot() == "expandable-title" {
			for _, p := range f.Nodes {
				h.inlines(p.Nodes)
			}
		}
	}
	h.close("summary")
	for _, f := range n.Fragments {
		if f.Slot() == "expandable-body" {
			h.blocks(f.Nodes)
		}
	}
	h.close("details")
}

func (h *writer) file(n *markup.Node) {
	h.open("figure", "class", "file")
	h.icon("file-arrow-down", "")
	h.link(refIn(n), "", nil, "download", noValue)
	if ref, ok := n.Ref(markup.FieldRef); ok && h.o.Size != nil {
		if size, ok := h.o.Size(ref); ok {
			h.element("span", markup.BytesText(size), "class", "file-size")
		}
	}
	h.caption(n)
	h.close("figure")
}

func (h *writer) update(n *markup.Node) {
	h.open("article", "class", "update")
	h.open("header")
	date := n.Str(markup.FieldDate)
	if text, day, ok := h.o.Labels.Dates.Format(date, h.dates); ok {
		h.element("time", text, "datetime", day)
	} else {
		h.element("span", date, "class", "date")
	}
	for _, tag := range n.Refs(markup.FieldTags) {
		h.element("span", h.title(tag), "class", "tag")
	}
	h.close("header")
	h.blocks(n.Nodes)
	h.close("article")
}

var iconForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)

// icon writes the icon with the given name, or nothing if the name is not valid.
func (h *writer) icon(name, colour string) {
	if !iconForm.MatchString(name) {
		return
	}
	h.w.WriteString(icons.Find(name, h.o.Icons).SVG(classes("icon", colourClass("color", colour))))
}

func alignClass(n *markup.Node, allowed []string) string {
	if align := n.Str(markup.FieldAlign); slices.Contains(allowed, align) {
		return "align-" + align
	}
	return ""
}

func fullWidth(n *markup.Node) string { return when(n.Flag(markup.FieldFullWidth), "full-width") }

// colourClass returns the class of a colour: color-red for red,
// color-theme-primary for $primary. It is empty for the default colour.
func colourClass(prefix, colour string) string {
	if colour == "default" || !slices.Contains(markup.Colours, colour) {
		return ""
	}
	return prefix + "-" + strings.Replace(colour, "$", "theme-", 1)
}

// widthClass returns the class of a width in percent, which only a style sheet
// can set. It is empty for other lengths.
func widthClass(n *markup.Node) string {
	if value, unit, ok := n.Length(markup.FieldWidth); ok && unit == "%" {
		return percentClass(value)
	}
	return ""
}

func percentClass(percent float64) string {
	if percent >= 1 && percent <= 100 {
		return "width-" + strconv.Itoa(int(percent))
	}
	return ""
}

// pixels returns the attribute value of a length in pixels. It is empty for other
// lengths.
func pixels(value float64, unit string) string {
	if (unit == "" || unit == "px") && value >= 1 && value <= 100_000 {
		return strconv.Itoa(int(value))
	}
	return ""
}

func pixelsIn(n *markup.Node, f markup.LengthField) string {
	value, unit, _ := n.Length(f)
	return pixels(value, unit)
}
