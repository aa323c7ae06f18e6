package html

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/grammar"
)

// inlines writes a line of text. Raw elements that are opened in the line are
// closed at its end.
func (h *writer) inlines(nodes []*markup.Node) {
	from := h.rawFrom
	h.rawFrom = len(h.raw)
	if h.depth++; h.depth <= maxDepth {
		for _, n := range nodes {
			switch n.Object {
			case markup.ObjectText:
				for _, l := range n.Leaves {
					h.leaf(l)
				}
			case markup.ObjectInline:
				h.inline(n)
			default:
				h.inlines(n.Nodes)
			}
		}
	}
	h.depth--
	h.closeRaw(h.rawFrom)
	h.rawFrom = from
}

// markElements are the elements of marks in the order of their nesting, outermost
// first.
var markElements = []struct{ mark, element string }{
	{"bold", "strong"}, {"italic", "em"}, {"strikethrough", "s"}, {"superscript", "sup"}, {"subscript", "sub"},
	{"color", "mark"}, {"keyboard", "kbd"}, {"code", "code"},
}

func (h *writer) leaf(l markup.Leaf) {
	if l.Raw {
		h.rawInline(l.Text)
		return
	}
	if l.Text == "" {
		return
	}
	var opened []string
	for _, m := range markElements {
		i := slices.IndexFunc(l.Marks, func(mark markup.Mark) bool { return mark.Type == m.mark })
		if i < 0 {
			continue
		}
		class := ""
		if m.mark == "color" {
			data := l.Marks[i].Data
			class = classes(colourClass("color", data["text"]), colourClass("background", data["background"]))
			if class == "" {
				continue
			}
		}
		h.open(m.element, attrs("class", class)...)
		opened = append(opened, m.element)
	}
	for i, part := range strings.Split(l.Text, "\n") {
		if i > 0 {
			h.open("br")
		}
		if code := len(opened) > 0 && opened[len(opened)-1] == "code"; code {
			h.codeText(part)
		} else {
			h.text(part)
		}
	}
	for _, element := range slices.Backward(opened) {
		h.close(element)
	}
}

// Inline code without a space breaks between lines only where it is longer than maxUnbroken
// characters, after a sign that separates its parts if there is one.
const (
	maxUnbroken = 24
	separators  = "/.-_:,;=&?@|+)]}"
)

// codeText writes the text of inline code, with the places where a long word of it may break.
func (h *writer) codeText(text string) {
	if len(text) <= maxUnbroken {
		h.text(text)
		return
	}
	word, good := 0, -1 // characters since the last break, and the offset after the last separator
	from, count := 0, 0 // of the text that is not written, and its characters up to good
	for i, r := range text {
		if r == ' ' || r == '\t' {
			word, good = 0, -1
			continue
		}
		if word++; word > maxUnbroken {
			at := i
			if good > from {
				at, word = good, word-count
			} else {
				word = 1
			}
			h.text(text[from:at])
			h.open("wbr")
			from, good = at, -1
		}
		if strings.ContainsRune(separators, r) {
			good, count = i+utf8.RuneLen(r), word
		}
	}
	h.text(text[from:])
}

func (h *writer) inline(n *markup.Node) {
	if form := inlineForms[n.Type]; form != nil {
		form(h, n)
	} else {
		h.inlines(n.Nodes)
	}
}

func (h *writer) linked(n *markup.Node) {
	h.link(refIn(n), "", func() { h.inlines(n.Nodes) })
}

func (h *writer) emoji(n *markup.Node) {
	h.element("span", markup.EmojiText(n.Str(markup.FieldCode)), "class", "emoji")
}

func (h *writer) iconNode(n *markup.Node) { h.icon(n.Str(markup.FieldIcon), n.Str(markup.FieldColor)) }

func (h *writer) inlineImage(n *markup.Node) {
	h.image(n, classes("inline", when(n.Str(markup.FieldSize) == "line", "size-line")), h.textWidth())
}

func (h *writer) mention(n *markup.Node) { h.link(refIn(n), "mention", nil) }

// href returns the address of a reference, or false if it has none or an unsafe
// one.
func (h *writer) href(ref docs.Ref) (string, bool) {
	if ref.Kind == "" {
		return "", false
	}
	if ref.Kind == docs.RefURL && grammar.HasExpression(ref.URL) {
		return "", false // nobody knows where it leads
	}
	if ref.Kind == docs.RefURL && (h.o.Link == nil || !markup.IsNear(ref.URL)) {
		return markup.SafeURL(ref.URL)
	}
	if h.o.Link != nil {
		if href, ok := h.o.Link(ref); ok {
			return markup.SafeURL(href)
		}
	}
	if ref.Kind == docs.RefAnchor && ref.Page == "" && ref.Space == "" && markup.IsAnchor(ref.Anchor) {
		return "#" + ref.Anchor, true
	}
	return "", false
}

// refIn returns the reference of a node. Its kind is empty if there is none.
func refIn(n *markup.Node) docs.Ref {
	ref, _ := n.Ref(markup.FieldRef)
	return ref
}

// title returns the name of the target of a reference.
func (h *writer) title(ref docs.Ref) string {
	if h.o.Title != nil && ref.Kind != "" {
		if title, ok := h.o.Title(ref); ok {
			return title
		}
	}
	switch ref.Kind {
	case docs.RefURL:
		return ref.URL
	case docs.RefAnchor:
		return "#" + ref.Anchor
	case docs.RefTag:
		return ref.Tag
	case docs.RefOpenAPI:
		return ref.Spec
	}
	return ref.Kind
}

// link writes a link. Its text is written by body, or is the title of its target
// if body is nil. If the reference has no address, only the text is written.
func (h *writer) link(ref docs.Ref, class string, body func(), extra ...string) {
	if body == nil {
		body = func() { h.text(h.title(ref)) }
	}
	href, ok := h.href(ref)
	if !ok {
		h.open("span", attrs("class", classes(class, when(!h.knowsPerson(ref), "broken")))...)
		body()
		h.close("span")
		return
	}
	a := append(attrs("class", class, "href", href), extra...)
	if h.o.NewTab && !markup.IsNear(href) && (strings.HasPrefix(href, "http") || strings.HasPrefix(href, "//")) {
		a = append(a, "target", "_blank", "rel", "noopener noreferrer")
	}
	h.open("a", a...)
	body()
	h.close("a")
}

// knowsPerson reports whether a reference is to a user whose name is known. Users
// have no page, so such a reference is not broken.
func (h *writer) knowsPerson(ref docs.Ref) bool {
	if ref.Kind != docs.RefUser || h.o.Title == nil {
		return false
	}
	_, ok := h.o.Title(ref)
	return ok
}

func (h *writer) button(n *markup.Node) {
	class := "button primary"
	if n.Str(markup.FieldKind) == "secondary" {
		class = "button secondary"
	}
	if size := n.Str(markup.FieldSize); size == "small" || size == "large" {
		class += " " + size
	}
	body := func() {
		h.icon(n.Str(markup.FieldIcon), "")
		h.text(n.Str(markup.FieldLabel))
	}
	switch action := n.Str(markup.FieldAction); {
	case n.Has(markup.FieldRef):
		h.link(refIn(n), class, body)
	case markup.IsButtonAction(action):
		h.open("button", attrs("type", "button", "class", class, "data-action", action,
			"data-query", n.Str(markup.FieldQuery), "data-slug", n.Str(markup.FieldSlug))...)
		body()
		h.close("button")
	default:
		h.open("span", "class", class+" inactive", "aria-disabled", "true")
		body()
		h.close("span")
	}
}

// Ids of annotations contain a character that anchors of pages cannot contain.
const noteID, noteRefID = "note~", "noteref~"

// annotation writes a link to a note. The notes are written after the document.
func (h *writer) annotation(n *markup.Node) {
	h.notes = append(h.notes, n)
	i := strconv.Itoa(len(h.notes))
	h.open("a", "class", "annotation", "role", "doc-noteref", "href", "#"+noteID+i, "id", noteRefID+i)
	h.inlines(n.Nodes)
	h.close("a")
}

// annotations writes the notes. The text of a note may add further notes.
func (h *writer) annotations() {
	if len(h.notes) == 0 {
		return
	}
	h.open("section", "class", "annotations", "role", "doc-endnotes")
	h.open("ol")
	for i := 0; i < len(h.notes); i++ {
		number := strconv.Itoa(i + 1)
		h.open("li", "id", noteID+number)
		for _, f := range h.notes[i].Fragments {
			h.blocks(f.Nodes)
		}
		h.element("a", "↩", "class", "back", "role", "doc-backlink", "href", "#"+noteRefID+number, "aria-label", h.o.Labels.Back)
		h.close("li")
	}
	h.close("ol")
	h.close("section")
}
