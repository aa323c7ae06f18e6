package formula

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/print/svg"
)

// KaTeX computes the heights, depths, sizes and distances. The rest is left to the
// style sheet of KaTeX and to the browser. It is done here: fonts by class, widths,
// and horizontal positions.

// state holds the properties that boxes inherit.
type state struct {
	em           float64 // size of the text
	family       string
	bold, italic bool
	align        float64 // of rows: 0 left, 0.5 centre, 1 right
	color        string
}

// box is a piece of the layout, with its position in the enclosing box.
type box struct {
	x, y, w float64
	mark    *Mark
	kids    []*box
	// stretch is set for boxes that are as wide as the enclosing rows.
	stretch func(w float64)
	done    bool // the widths of the boxes in it are final
}

func (b *box) flatten(x, y float64, out *[]Mark) {
	x, y = x+b.x, y+b.y
	if b.mark != nil && b.mark.seen() {
		m := *b.mark
		m.X, m.Y = m.X+x, m.Y+y
		if m.Path != nil {
			m.Path = m.Path.Transform(svg.Matrix{1, 0, 0, 1, x, y})
		}
		*out = append(*out, m)
	}
	for _, k := range b.kids {
		k.flatten(x, y, out)
	}
}

// seen reports whether a mark is visible.
func (m *Mark) seen() bool { return m.Font != "" || m.W > 0 && m.H > 0 }

// widen stretches the boxes that are as wide as their row, and reports whether there
// are any.
func (b *box) widen(w float64) bool {
	if b.stretch != nil {
		b.stretch(w)
		return true
	}
	any := false
	if !b.done {
		for _, k := range b.kids {
			any = k.widen(w) || any
		}
	}
	return any
}

// layout counts the boxes of a formula, to limit them.
type layout struct{ boxes int }

const (
	maxBoxes = 20_000
	maxDepth = 200
)

// sizes are the font sizes of the classes size1 to size11.
var sizes = []float64{0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488}

// families are the font families of classes. Bold and italic are determined
// separately.
var families = map[string]string{
	"textrm": "Main", "textsf": "SansSerif", "texttt": "Typewriter", "mathnormal": "Math", "mathit": "Main", "mathbf": "Main", "boldsymbol": "Math",
	"amsrm": "AMS", "mathbb": "AMS", "textbb": "AMS", "mathcal": "Caligraphic", "mathfrak": "Fraktur", "textfrak": "Fraktur", "mathboldfrak": "Fraktur",
	"textboldfrak": "Fraktur", "mathtt": "Typewriter", "mathscr": "Script", "textscr": "Script", "mathsf": "SansSerif", "mathboldsf": "SansSerif",
	"textboldsf": "SansSerif", "mathsfit": "SansSerif", "mathitsf": "SansSerif", "textitsf": "SansSerif", "mainrm": "Main",
	"small-op": "Size1", "large-op": "Size2", "delim-size1": "Size1", "delim-size4": "Size4",
}

var (
	bolds   = map[string]bool{"textbf": true, "mathbf": true, "boldsymbol": true, "mathboldfrak": true, "textboldfrak": true, "mathboldsf": true, "textboldsf": true}
	italics = map[string]bool{"textit": true, "mathnormal": true, "mathit": true, "boldsymbol": true, "mathsfit": true, "mathitsf": true, "textitsf": true}
	upright = map[string]bool{"mathrm": true, "mainrm": true}
	aligns  = map[string]float64{"mfrac": 0.5, "msupsub": 0, "op-limits": 0.5, "katex-accent": 0.5, "svg-align": 0, "x-arrow": 0.5, "mover": 0.5, "munder": 0.5,
		"col-align-c": 0.5, "col-align-l": 0, "col-align-r": 1}
	paddings = map[string][2]float64{"x-arrow-pad": {0.5, 0.5}, "cd-arrow-pad": {0.27778, 0.55556}, "boxpad": {0.3, 0.3}, "cancel-pad": {0.2, 0.2}, "anglpad": {0.03889, 0.03889}}
	margins  = map[string][2]float64{"katex-root": {0.2777777778, -0.5555555556}, "cancel-lap": {-0.2, -0.2}}
)

// under returns the state inside a box.
func (s state) under(n *node) state {
	from, to := 0, 0
	sizing := n.is("katex-sizing") || n.is("fontsize-ensurer") || n.is("sizing")
	for _, c := range n.Classes {
		if f, ok := families[c]; ok {
			s.family = f
		}
		s.bold = s.bold || bolds[c]
		s.italic = (s.italic || italics[c]) && !upright[c]
		if a, ok := aligns[c]; ok {
			s.align = a
		}
		if v, ok := strings.CutPrefix(c, "reset-size"); ok {
			from, _ = strconv.Atoi(v)
		} else if v, ok := strings.CutPrefix(c, "size"); ok {
			to, _ = strconv.Atoi(v)
		}
	}
	if n.is("delimsizing") && to >= 1 && to <= 4 {
		s.family, s.bold, s.italic = "Size"+strconv.Itoa(to), false, false
	}
	if n.is("op-symbol") {
		s.bold, s.italic = false, false
	}
	if sizing && from >= 1 && from <= len(sizes) && to >= 1 && to <= len(sizes) {
		s.em *= sizes[to-1] / sizes[from-1]
	}
	if c := n.Style["color"]; c != "" {
		s.color = c
	}
	return s
}

var length = regexp.MustCompile(`^(-?[0-9.]+(?:e-?[0-9]+)?)(em|px|pt|%)?$`)

// ems converts a CSS length to units of the text size.
func ems(v string, em float64) float64 {
	m := length.FindStringSubmatch(v)
	if m == nil {
		return 0
	}
	f, _ := strconv.ParseFloat(m[1], 64)
	switch m[2] {
	case "px", "pt":
		return f / 16
	case "%":
		return 0
	}
	return min(max(f, -1000), 1000) * em
}

// box computes the layout of a box of KaTeX.
func (l *layout) box(n *node, around state, depth int) *box {
	if l.boxes++; l.boxes > maxBoxes || depth > maxDepth || n.is("vlist-s") {
		return &box{}
	}
	s := around.under(n)
	at := func(name string) float64 { return ems(n.Style[name], s.em) }
	var b *box
	switch {
	case n.Text != nil:
		b = l.symbol(n, s)
	case n.Markup != nil:
		b = l.picture(n, s, s.em, s.em)
	case n.is("vlist-t"):
		b = l.rows(n, s, depth)
	case n.is("katex-strut") || n.is("strut") || n.is("pstrut"):
		return &box{}
	case n.is("nulldelimiter"):
		return &box{w: 0.12 * s.em}
	case n.is("frac-line") || n.is("overline-line") || n.is("underline-line") || n.is("katex-hline") || n.is("katex-hdashline") || n.is("hline") || n.is("hdashline"):
		b = line(at("borderBottomWidth"), s)
	case n.is("katex-rule") || n.is("rule"):
		w, h := at("borderRightWidth"), at("borderTopWidth")
		b = &box{w: w, mark: &Mark{Y: -h - at("bottom"), W: w, H: h, Color: s.color}}
	case n.is("vertical-separator"):
		w, h := at("borderRightWidth"), at("height")
		b = &box{mark: &Mark{X: -w / 2, Y: -h - at("verticalAlign"), W: w, H: h, Color: s.color}}
		return b
	case n.is("fbox") || n.is("fcolorbox") || n.is("colorbox"):
		b = frame(n, at("height"), s)
	case n.is("katex-sout") || n.is("sout"):
		b = line(0.08*s.em, s)
	case n.is("katex-stretchy") || n.is("stretchy") || n.is("hide-tail"):
		b = l.stretchy(n, s)
	default:
		b = l.inline(n, s, depth)
	}
	return b.placed(n, s, at)
}

// placed applies the styles that affect the position of a box.
func (b *box) placed(n *node, s state, at func(string) float64) *box {
	if w := n.Style["width"]; w != "" && n.Markup == nil && !strings.HasSuffix(w, "%") {
		b.w = at("width")
	}
	left, right := at("marginLeft"), at("marginRight")
	padLeft, padRight := at("paddingLeft"), at("paddingRight")
	for _, c := range n.Classes {
		if m, ok := margins[c]; ok {
			left, right = left+m[0]*s.em, right+m[1]*s.em
		}
		if p, ok := paddings[c]; ok {
			padLeft, padRight = padLeft+p[0]*s.em, padRight+p[1]*s.em
		}
	}
	outer := &box{w: b.w + left + right + padLeft + padRight, kids: []*box{b}}
	b.x += left + padLeft
	b.y += at("top")
	b.x += at("left")
	inner := b.w
	switch {
	case n.is("accent-body") && !n.is("accent-full"), n.is("katex-thinbox"), n.is("thinbox"), n.is("rlap"):
		outer.w = 0
	case n.is("llap"):
		b.x, outer.w = b.x-inner, 0
	case n.is("clap"):
		b.x, outer.w = b.x-inner/2, 0
	}
	return outer
}

// inline places boxes next to each other.
func (l *layout) inline(n *node, s state, depth int) *box {
	b := &box{}
	for _, k := range n.Kids {
		in := l.box(k, s, depth+1)
		in.x += b.w
		b.w += in.w
		b.kids = append(b.kids, in)
	}
	return b
}

// symbol returns the box of a text in one font.
func (l *layout) symbol(n *node, s state) *box {
	b := &box{}
	font := fontFile(s.family, s.bold, s.italic)
	for _, r := range *n.Text {
		if r == 0x200b {
			continue
		}
		l.boxes++
		w := advance(font, r) * s.em
		if r != ' ' && r != 0xa0 && s.color != "transparent" && l.boxes < maxBoxes {
			b.kids = append(b.kids, &box{x: b.w, mark: &Mark{Font: font, Size: s.em, Rune: r, Color: s.color}})
		}
		b.w += w
	}
	b.w += n.Italic * s.em
	return b
}

// rows places boxes above each other. The vertical position of each row is the sum of
// its top style and the height of its strut.
func (l *layout) rows(n *node, s state, depth int) *box {
	b := &box{}
	if len(n.Kids) == 0 || len(n.Kids[0].Kids) == 0 {
		return b
	}
	for _, row := range n.Kids[0].Kids[0].Kids {
		in, strut := &box{}, 0.0
		rs := s.under(row)
		for _, k := range row.Kids {
			if k.is("pstrut") {
				strut = ems(k.Style["height"], rs.em)
				continue
			}
			c := l.box(k, rs, depth+1)
			c.x += in.w
			in.w += c.w
			in.kids = append(in.kids, c)
		}
		left, right := ems(row.Style["marginLeft"], rs.em), ems(row.Style["marginRight"], rs.em)
		outer := &box{w: in.w + left + right, y: strut + ems(row.Style["top"], rs.em), kids: []*box{in}}
		in.x = left
		b.w = max(b.w, outer.w)
		b.kids = append(b.kids, outer)
	}
	for i, row := range n.Kids[0].Kids[0].Kids {
		k := b.kids[i]
		if !k.widen(b.w) {
			k.x += (b.w - k.w) * s.under(row).align
		}
	}
	b.done = true
	return b
}

// line returns a rule that is as wide as its row.
func line(h float64, s state) *box {
	m := &Mark{Y: -h, H: h, Color: s.color}
	b := &box{mark: m}
	b.stretch = func(w float64) { m.W = w }
	return b
}

// frame returns a box that is as wide as its row, with a background, a border, or
// both.
func frame(n *node, h float64, s state) *box {
	b := &box{}
	if c := n.Style["backgroundColor"]; c != "" {
		b.kids = append(b.kids, &box{mark: &Mark{Y: -h, H: h, Color: c}})
	}
	if !n.is("colorbox") {
		c := n.Style["borderColor"]
		if c == "" {
			c = s.color
		}
		b.kids = append(b.kids, &box{mark: &Mark{Y: -h, H: h, Color: c, Hollow: true, Size: 0.04 * s.em}})
	}
	b.stretch = func(w float64) {
		for _, k := range b.kids {
			k.mark.W = w
		}
	}
	return b
}
