package pdf

import (
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// button draws a button in a line: filled, or with a border. A button without a target
// works only in a browser, and is pale.
func (in *inliner) button(n *markup.Node, st style) {
	d := in.d
	back, edge, ink := linkColor, linkColor, white
	if n.Str(markup.FieldKind) == "secondary" {
		back, edge, ink = white, keyEdge, inkColor
	}
	var to *target
	if ref, ok := n.Ref(markup.FieldRef); ok {
		to = d.target(ref)
	}
	if to == nil {
		back, edge, ink = headBack, headBack, paleColor
	}
	st.size *= 0.95
	switch n.Str(markup.FieldSize) {
	case "small":
		st.size *= 0.88
	case "large":
		st.size *= 1.12
	}
	st.face, st.color, st.back, st.boxed, st.rise = bold, ink, none, false, 0
	label := oneLine(n.Str(markup.FieldLabel))
	whole, _ := d.widths([]span{{text: label, st: st}})
	pad, icon := st.size*0.9, 0.0
	name := iconOf(n)
	if name != "" {
		icon = st.size * 1.45
	}
	room := max(min(whole, in.width-2*pad-icon), st.size)
	w, h := room+2*pad+icon, st.size*2
	in.out = append(in.out, span{st: st, link: to, obj: &figure{w: w, h: h, drop: h * 0.33, draw: func(c *canvas, x, y float64) {
		c.front(fill(back), stroke(edge), "0.7 w", rounded(x, y, w, h, 4), "B")
		if name != "" {
			c.icon(icons.Find(name, icons.Filled), x+pad*0.9, y+h*0.24, h*0.52, ink)
		}
		d.drawLine(c, label, st, x+pad+icon, y+h*0.67, room+0.5, 0)
	}}})
}
