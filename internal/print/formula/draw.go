package formula

import (
	"encoding/json"
	"errors"

	"github.com/octavo-docs/octavo/internal/print/svg"
)

// Drawing is a formula for print: glyphs, rules and outlines with their positions.
type Drawing struct {
	Parts []Part // a line may break between two parts
}

// Part is a part of a formula. Lengths are in units of the text size. y grows
// downwards from the baseline of the formula.
type Part struct {
	Width, Height, Depth float64
	Marks                []Mark
	Newline              bool // the part begins a new line
}

// Mark is a visible element: a glyph of a font, an outline, or a rule.
type Mark struct {
	X, Y   float64 // of a rule or a frame: the upper left corner
	W, H   float64 // of a rule, or of the visible part of an outline
	Color  string  // in CSS syntax; empty is the color of the text
	Font   string  // of a glyph
	Size   float64
	Rune   rune
	Path   svg.Path
	Hollow bool // a frame with lines of width Size instead of a rule
}

// tree is a function that returns the boxes of KaTeX as JSON: their classes, styles
// and texts.
const tree = `(function (formula, display) {
	function plain(n) {
		var out = {}
		if (n.classes && n.classes.length) out.c = n.classes.filter(Boolean)
		if (n.style) for (var k in n.style) { if (n.style[k]) { (out.s = out.s || {})[k] = String(n.style[k]) } }
		if (typeof n.text === "string") { out.t = n.text; out.i = n.italic || 0 }
		else if (n.attributes && n.attributes.viewBox || n.children && n.children[0] && n.children[0].pathName !== undefined) {
			out.v = n.attributes || {}
			out.m = n.children.map(function (k) { return k.toMarkup() })
		} else if (n.children) {
			if (n.attributes && !n.classes) { out.v = n.attributes; out.m = n.children.map(function (k) { return k.toMarkup() }) }
			else out.k = n.children.map(plain)
		}
		return out
	}
	return JSON.stringify(plain(katex.__renderToHTMLTree(formula, {displayMode: display, trust: false, strict: "ignore", maxSize: 20, maxExpand: 200})))
})`

// node is a box of KaTeX.
type node struct {
	Classes []string          `json:"c"`
	Style   map[string]string `json:"s"`
	Kids    []*node           `json:"k"`
	Text    *string           `json:"t"`
	Italic  float64           `json:"i"`
	View    map[string]any    `json:"v"`
	Markup  []string          `json:"m"`
}

func (n *node) is(class string) bool {
	for _, c := range n.Classes {
		if c == class {
			return true
		}
	}
	return false
}

// maxTree is the maximum size in bytes of the boxes of a formula.
const maxTree = 1 << 20

// Draw returns the layout of a formula for print. It returns false if the formula cannot be
// typeset, or if there is no time for it. Drawings are not cached.
func (w *Work) Draw(formula string, display bool) (*Drawing, bool) {
	if !acceptable(formula) {
		return nil, false
	}
	var text string
	err := w.run(func(m *machine) (err error) {
		text, err = m.call(w.ctx, m.boxes, formula, display)
		return err
	})
	if err != nil || text == "" || len(text) > maxTree {
		return nil, false
	}
	d, err := layOut(text)
	return d, err == nil
}

// layOut computes the layout of the boxes of a formula.
func layOut(text string) (*Drawing, error) {
	var root node
	if err := json.Unmarshal([]byte(text), &root); err != nil {
		return nil, err
	}
	top := root.find("katex-html", 0)
	if top == nil {
		return nil, errors.New("KaTeX returned no boxes")
	}
	out := &Drawing{}
	newline := false
	for _, n := range top.Kids {
		if n.is("katex-newline") {
			newline = true
			continue
		}
		l := &layout{}
		b := l.box(n, state{em: 1, family: "Main"}, 0)
		p := Part{Width: b.w, Newline: newline}
		newline = false
		if n.is("katex-tag") {
			p.Width += 2
			b.x += 2
		}
		p.Height, p.Depth = strut(n)
		b.flatten(0, 0, &p.Marks)
		if len(p.Marks) > 0 || p.Width != 0 {
			out.Parts = append(out.Parts, p)
		}
	}
	if len(out.Parts) == 0 {
		return nil, errors.New("the formula shows nothing")
	}
	return out, nil
}

func (n *node) find(class string, depth int) *node {
	if n.is(class) {
		return n
	}
	if depth < 4 {
		for _, k := range n.Kids {
			if f := k.find(class, depth+1); f != nil {
				return f
			}
		}
	}
	return nil
}

// strut returns the height and depth of a part, which its strut box specifies.
func strut(n *node) (height, depth float64) {
	for _, k := range n.Kids {
		if k.is("katex-strut") || k.is("strut") {
			whole := ems(k.Style["height"], 1)
			depth = -ems(k.Style["verticalAlign"], 1)
			return whole - depth, depth
		}
	}
	return 0.7, 0.2
}
