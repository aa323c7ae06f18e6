package pdf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// note is an annotation whose text is shown after the chapter.
type note struct {
	node *markup.Node
	back string // destination of the annotated text
}

// inliner converts inline nodes to spans.
type inliner struct {
	d     *document
	out   []span
	link  *target
	depth int
	width float64 // width of the column, for pictures
	raw   []string
}

// inlines returns the spans of inline nodes.
func (f flow) inlines(nodes []*markup.Node, st style) []span {
	in := &inliner{d: f.d, width: f.w}
	in.nodes(nodes, st)
	return in.out
}

func (in *inliner) add(text string, st style) {
	if text != "" {
		in.out = append(in.out, span{text: text, st: st, link: in.link})
	}
}

func (in *inliner) nodes(nodes []*markup.Node, st style) {
	if in.depth++; in.depth <= maxDepth {
		for _, n := range nodes {
			switch n.Object {
			case markup.ObjectText:
				for _, l := range n.Leaves {
					in.leaf(l, st)
				}
			case markup.ObjectInline:
				in.inline(n, st)
			default:
				in.nodes(n.Nodes, st)
			}
		}
	}
	in.depth--
}

func (in *inliner) leaf(l markup.Leaf, st style) {
	if l.Raw {
		in.rawHTML(l.Text, st)
		return
	}
	for _, m := range l.Marks {
		st = marked(st, m)
	}
	in.add(l.Text, in.rawStyle(st))
}

func marked(st style, m markup.Mark) style {
	switch m.Type {
	case "bold":
		st.face |= bold
	case "italic":
		st.face |= italic
	case "strikethrough":
		st.strike = true
	case "superscript":
		st.rise, st.size = st.rise+st.size*0.35, st.size*0.7
	case "subscript":
		st.rise, st.size = st.rise-st.size*0.12, st.size*0.7
	case "code":
		st.face |= mono
		st.size *= 0.9
		st.back = codeBack
	case "keyboard":
		st.face |= mono
		st.size *= 0.85
		st.back, st.boxed = codeBack, true
	case "color":
		if rgb, ok := textColors[m.Data["text"]]; ok {
			st.color = hexColor(rgb)
		}
		if rgb, ok := backColors[m.Data["background"]]; ok {
			st.back = hexColor(rgb)
		}
	}
	return st
}

// rawHTML applies the few HTML tags that change the style of text. Other tags are
// ignored; their text is kept, because it is in other leaves.
func (in *inliner) rawHTML(s string, st style) {
	tag := strings.ToLower(strings.Trim(s, "<>/ \t\n"))
	tag, _, _ = strings.Cut(tag, " ")
	known := slices.Contains([]string{"b", "strong", "i", "em", "u", "s", "del", "sub", "sup", "code", "kbd", "mark", "small"}, tag)
	switch {
	case tag == "br":
		in.add("\n", st)
	case known && strings.HasPrefix(s, "</"):
		for i := len(in.raw) - 1; i >= 0; i-- {
			if in.raw[i] == tag {
				in.raw = slices.Delete(in.raw, i, i+1)
				break
			}
		}
	case known && strings.HasPrefix(s, "<"):
		if len(in.raw) < 64 {
			in.raw = append(in.raw, tag)
		}
	default:
		in.add(markup.VisibleText(s), in.rawStyle(st))
	}
}

func (in *inliner) rawStyle(st style) style {
	for _, tag := range in.raw {
		switch tag {
		case "b", "strong":
			st.face |= bold
		case "i", "em":
			st.face |= italic
		case "u":
			st.under = true
		case "s", "del":
			st.strike = true
		case "sub":
			st = marked(st, markup.Mark{Type: "subscript"})
		case "sup":
			st = marked(st, markup.Mark{Type: "superscript"})
		case "code", "kbd":
			if st.face&mono == 0 {
				st = marked(st, markup.Mark{Type: "code"})
			}
		case "mark":
			st.back = markBack
		case "small":
			st.size = max(st.size*0.85, 5)
		}
	}
	st.size = max(st.size, 4)
	return st
}

func (in *inliner) inline(n *markup.Node, st style) {
	if add := inlineForms[n.Type]; add != nil {
		add(in, n, st)
	} else {
		in.nodes(n.Nodes, st)
	}
}

// linkedRef runs body and makes its spans a link to the reference of a node. A node
// without a reference is not a link.
func (in *inliner) linkedRef(n *markup.Node, st style, body func(style)) {
	if ref, ok := n.Ref(markup.FieldRef); ok {
		in.linked(ref, st, body)
	} else if body != nil {
		body(st)
	}
}

// linked runs body and makes its spans a link to a reference. Without a body or spans it
// adds the title of the target.
func (in *inliner) linked(ref docs.Ref, st style, body func(style)) {
	to := in.d.target(ref)
	before := in.link
	if to != nil {
		in.link = to
		st.color = linkColor
	}
	from := len(in.out)
	if body != nil {
		body(st)
	}
	if body == nil || len(in.out) == from {
		in.add(in.d.nameOf(ref), st)
	}
	in.link = before
}

// target returns the target of a reference, or nil if there is none.
func (d *document) target(ref docs.Ref) *target {
	switch ref.Kind {
	case docs.RefPage, docs.RefAnchor:
		page := ref.Page
		if page == "" {
			page = d.chapter
		}
		if ref.Space == "" && page != "" && d.Within != nil && d.Within(page) {
			dest := pageDest(page)
			if ref.Anchor != "" {
				dest += "#" + ref.Anchor
			}
			return &target{dest: dest}
		}
	case docs.RefURL:
		if anchor, ok := strings.CutPrefix(ref.URL, "#"); ok && d.chapter != "" {
			return &target{dest: pageDest(d.chapter) + "#" + anchor}
		}
		if url, ok := markup.SafeURL(ref.URL); ok && absolute(url) {
			return &target{url: url}
		}
	}
	if d.Link != nil {
		if url, ok := d.Link(ref); ok {
			if url, ok = markup.SafeURL(url); ok && absolute(url) {
				return &target{url: url}
			}
		}
	}
	return nil
}

// absolute reports whether a URL has a scheme. Relative URLs do not work in a file.
func absolute(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	return ok && !strings.ContainsAny(scheme, "/?#")
}

// nameOf returns the text for a reference that has no text.
func (d *document) nameOf(ref docs.Ref) string {
	if d.Name != nil {
		if name, ok := d.Name(ref); ok && name != "" {
			return name
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

// annotation adds the annotated text with the number of its note.
func (in *inliner) annotation(n *markup.Node, st style) {
	in.nodes(n.Nodes, st)
	in.noteSign(n, st)
}

func (in *inliner) noteSign(n *markup.Node, st style) {
	d := in.d
	if len(d.notes) >= maxNotes {
		return
	}
	number := strconv.Itoa(len(d.notes) + 1)
	base := pageDest(d.chapter)
	d.notes = append(d.notes, note{n, base + "#~ref" + number})
	st.rise, st.size, st.color = st.rise+st.size*0.35, st.size*0.7, linkColor
	st.back, st.boxed = none, false
	in.out = append(in.out, span{text: number, st: st, link: &target{dest: base + "#~note" + number}, mark: base + "#~ref" + number})
}

// maxNotes is the maximum number of notes of a chapter.
const maxNotes = 10_000

// image adds a picture to a line.
func (in *inliner) image(n *markup.Node, st style) {
	ref, ok := n.Ref(markup.FieldRef)
	if !ok {
		return
	}
	alt := n.Str(markup.FieldAlt)
	p := in.d.picture(ref)
	if p == nil {
		in.imageLink(ref, alt, st)
		return
	}
	w, h := p.points()
	most := 120.0
	if n.Str(markup.FieldSize) == "line" {
		most = st.size * 1.2
	}
	if scale := min(1, most/h, in.width/w); scale < 1 {
		w, h = w*scale, h*scale
	}
	in.out = append(in.out, span{st: st, link: in.link, obj: &figure{w: w, h: h, drop: 2, draw: func(c *canvas, x, y float64) { c.image(p.ref, x, y, w, h) }}})
}

// imageLink adds a link for a picture that cannot be shown.
func (in *inliner) imageLink(ref docs.Ref, alt string, st style) {
	label := oneLine(alt)
	if label == "" {
		label = in.d.nameOf(ref)
	}
	st.face |= italic
	before := in.link
	if in.link == nil {
		if in.link = in.d.target(ref); in.link != nil {
			st.color = linkColor
		}
	}
	in.add("[Image: "+label+"]", st)
	in.link = before
}
