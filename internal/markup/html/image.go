package html

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Widths of images on screens, in CSS pixels. Together with the files of an image they let a browser
// choose one before it knows the layout. Browsers that know it, since the image is loaded late, take
// the width in the layout ("auto").
const (
	columnWidth = 768  // of the text of a page
	wideWidth   = 1600 // of a page as wide as the window, nearly
	cardWidth   = 400
	onPhones    = "(max-width: 800px) calc(100vw - 32px)"
	phoneWidth  = 360
)

// leadBlocks is the number of blocks within which the first image is probably seen before a reader
// scrolls.
const leadBlocks = 8

func (h *writer) images(n *markup.Node) {
	was := h.wide
	h.wide = was || n.Flag(markup.FieldFullWidth)
	defer func() { h.wide = was }()
	h.within(n, "div", "class", classes("images", alignClass(n, markup.ColumnAlignments), fullWidth(n), when(n.Flag(markup.FieldWithFrame), "framed")))
}

// figure writes an image or a drawing with its caption.
func (h *writer) figure(n *markup.Node) {
	if !n.Has(markup.FieldRef) {
		return // a drawing without content
	}
	h.open("figure", attrs("class", when(n.Type == "drawing", "drawing"))...)
	h.image(n, classes(widthClass(n)), h.textWidth())
	h.caption(n)
	h.close("figure")
}

func (h *writer) caption(n *markup.Node) {
	if markup.Text(n.Fragments) == "" {
		return
	}
	h.open("figcaption")
	for _, f := range n.Fragments {
		h.blocks(f.Nodes)
	}
	h.close("figcaption")
}

// textWidth returns how wide an image of the text can be, in CSS pixels.
func (h *writer) textWidth() int {
	if h.wide {
		return wideWidth
	}
	return columnWidth
}

// image writes an image that is at most so wide, in CSS pixels, with a second source for dark mode
// if it has one.
func (h *writer) image(n *markup.Node, class string, most int) {
	alt := n.Str(markup.FieldAlt)
	src, ok := h.href(refIn(n))
	if !ok {
		h.element("span", alt, "class", "broken")
		return
	}
	lead := h.o.Lead && !h.led && h.begun <= leadBlocks
	h.led = true
	refDark, _ := n.Ref(markup.FieldRefDark)
	dark, hasDark := h.href(refDark)
	if hasDark {
		h.open("picture")
		width, height := h.extent(n, refDark)
		files := h.sources(refDark)
		h.open("source", attrs("media", cmp.Or(h.o.Dark, "(prefers-color-scheme: dark)"), "data-dark", noValue, "srcset", cmp.Or(files, srcset(dark)),
			"sizes", when(files != "", sizes(width, most, lead)), "width", width, "height", height)...)
	}
	width, height := h.extent(n, refIn(n))
	files := h.sources(refIn(n))
	a := attrs("class", class, "src", src, "srcset", files, "sizes", when(files != "", sizes(width, most, lead)), "width", width, "height", height)
	if lead {
		a = append(a, "fetchpriority", "high")
	} else {
		a = append(a, "loading", "lazy", "decoding", "async")
	}
	h.open("img", append(a, "alt", alt)...)
	if hasDark {
		h.close("picture")
	}
}

// sources returns the files of an image, or an empty string if there is only one.
func (h *writer) sources(ref docs.Ref) string {
	if h.o.Sources == nil || ref.Kind != docs.RefFile {
		return ""
	}
	return h.o.Sources(ref)
}

// sizes returns how wide an image is on a screen, for the attribute of this name. width is its
// attribute. An image that is loaded at once is needed before its layout is known.
func sizes(width string, most int, lead bool) string {
	if n, err := strconv.Atoi(width); err == nil {
		most = min(most, n)
	}
	out := strconv.Itoa(most) + "px"
	if most > phoneWidth {
		out = onPhones + ", " + out
	}
	if !lead {
		out = "auto, " + out
	}
	return out
}

// extent returns the width and the height attribute of a file of an image. Dimensions that
// the author did not set are those of the file. If the author set one of them,
// the other is scaled in proportion.
func (h *writer) extent(n *markup.Node, ref docs.Ref) (width, height string) {
	width, height = pixelsIn(n, markup.FieldWidth), pixelsIn(n, markup.FieldHeight)
	if width != "" && height != "" || ref.Kind != docs.RefFile || h.o.Extent == nil {
		return width, height
	}
	x, y, ok := h.o.Extent(ref)
	if !ok || x < 1 || y < 1 {
		return width, height
	}
	scaled := func(own string, of, to int) string {
		n, _ := strconv.Atoi(own) // always valid: it comes from pixels
		return strconv.Itoa(max(1, n*to/of))
	}
	switch {
	case width != "":
		return width, scaled(width, x, y)
	case height != "":
		return scaled(height, y, x), height
	}
	return strconv.Itoa(x), strconv.Itoa(y)
}

// srcset escapes an address for use as a single source: commas separate sources
// in srcset.
func srcset(url string) string { return strings.ReplaceAll(url, ",", "%2C") }
