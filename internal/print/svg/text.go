package svg

import (
	"math"
	"strings"
)

// textWalk converts a text element. The width of text is not known here, so a part
// without its own position is appended to the previous part.
type textWalk struct {
	d    *drawer
	x, y float64
	last *Text // text that can be continued
}

const maxText = 4 << 10 // maximum length of a line, in bytes

func (t *textWalk) walk(n *node, s state, depth int) {
	if depth > maxDepth || s.gone {
		return
	}
	if v := n.attrs["x"]; v != "" {
		t.x, t.last = s.length(firstOf(v), s.w), nil
	}
	if v := n.attrs["y"]; v != "" {
		t.y, t.last = s.length(firstOf(v), s.h), nil
	}
	if v := n.attrs["dx"]; v != "" {
		t.x += s.length(firstOf(v), s.w)
	}
	if v := n.attrs["dy"]; v != "" {
		t.y += s.length(firstOf(v), s.h)
		t.last = nil
	}
	for _, k := range n.kids {
		t.d.work++
		switch k.name {
		case "":
			t.add(k.text, s)
		case "tspan", "a", "textPath":
			t.walk(k, s.under(k, t.d), depth+1)
		}
	}
}

func firstOf(list string) string {
	v, _, _ := strings.Cut(strings.TrimSpace(list), " ")
	v, _, _ = strings.Cut(v, ",")
	return v
}

func (t *textWalk) add(text string, s state) {
	words := strings.Join(strings.Fields(text), " ")
	if words == "" || len(words) > maxText || s.hidden {
		return
	}
	if t.last != nil && len(t.last.Text) < maxText {
		t.last.Text += " " + words
		return
	}
	t.last = t.d.text(words, Point{t.x, t.y}, s)
}

// text adds a line of text at a position in the coordinates of the state.
func (d *drawer) text(words string, at Point, s state) *Text {
	scale := s.m.scale()
	paint := d.paint(s.fill, s.fillOpacity*s.opacity, nil, s)
	if scale == 0 || paint.Opacity == 0 || d.clipping {
		return nil
	}
	switch s.baseline {
	case "middle", "central":
		at.Y += s.size * 0.33
	case "hanging", "text-before-edge", "text-top":
		at.Y += s.size * 0.8
	}
	out := &Text{
		Text: words, At: s.m.apply(at), Size: s.size * scale, Bold: s.bold, Italic: s.italic,
		Transform: Matrix{s.m[0] / scale, s.m[1] / scale, s.m[2] / scale, s.m[3] / scale},
		Mono:      strings.Contains(s.family, "mono") || strings.Contains(s.family, "courier") || strings.Contains(s.family, "consol"),
	}
	switch s.anchor {
	case "middle":
		out.Anchor = 0.5
	case "end":
		out.Anchor = 1
	}
	d.out.Items = append(d.out.Items, Item{Text: out, Fill: paint, Clip: s.clip})
	return out
}

// foreign draws the text of embedded HTML line by line, centred in its box. Diagram
// editors place labels in that way.
func (d *drawer) foreign(n *node, s state) {
	w, h := s.length(n.attrs["width"], s.w), s.length(n.attrs["height"], s.h)
	lines := []string{""}
	foreignText(n, &lines, 0)
	var shown []string
	for _, l := range lines {
		if l = strings.Join(strings.Fields(l), " "); l != "" && len(l) <= maxText {
			shown = append(shown, l)
		}
	}
	s.anchor, s.baseline = "middle", ""
	x, y := s.length(n.attrs["x"], s.w), s.length(n.attrs["y"], s.h)
	step := s.size * 1.5
	if n := float64(len(shown)); n > 0 && h > 0 {
		step = math.Min(step, h/n)
	}
	first := y + h/2 - step*float64(len(shown)-1)/2 + s.size*0.33
	for i, l := range shown {
		d.text(l, Point{x + w/2, first + step*float64(i)}, s)
	}
}

func foreignText(n *node, lines *[]string, depth int) {
	if depth > maxDepth || len(*lines) > 200 {
		return
	}
	switch n.name {
	case "br", "p", "div", "li":
		*lines = append(*lines, "")
	case "style", "script":
		return
	}
	if last := &(*lines)[len(*lines)-1]; len(*last)+len(n.text) <= maxText {
		*last += n.text
	}
	for _, k := range n.kids {
		foreignText(k, lines, depth+1)
	}
}
