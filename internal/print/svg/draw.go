package svg

import (
	"math"
	"strings"
)

// drawer converts elements to items.
type drawer struct {
	out      Drawing
	byID     map[string]*node
	rules    []rule
	work     int // elements drawn
	points   int
	clipping bool // inside of a clipping path
	err      error
}

func (d *drawer) children(n *node, s state, depth int) {
	for _, k := range n.kids {
		if k.name != "" {
			d.element(k, s, depth)
		}
	}
}

// element draws an element; around is the state of its parent.
func (d *drawer) element(n *node, around state, depth int) {
	if d.work++; d.err == nil && (d.work > maxElements || d.points > maxPoints) {
		d.err = errTooLarge
	}
	if d.err != nil || depth > maxDepth || !known[n.name] {
		return
	}
	s := around.under(n, d)
	if s.gone || s.hidden && !container[n.name] {
		return
	}
	switch n.name {
	case "g", "a":
		d.children(n, s, depth+1)
	case "svg":
		d.inner(n, s, n.attrs, depth)
	case "switch":
		d.choice(n, s, depth)
	case "use":
		d.use(n, s, depth)
	case "text":
		t := &textWalk{d: d}
		t.walk(n, s, 0)
	case "foreignObject":
		d.foreign(n, s)
	default:
		if p := s.shape(n); len(p) > 0 {
			d.shape(p, s)
		}
	}
}

var known = map[string]bool{
	"g": true, "a": true, "svg": true, "switch": true, "use": true, "text": true, "foreignObject": true,
	"path": true, "rect": true, "circle": true, "ellipse": true, "line": true, "polyline": true, "polygon": true,
}

// container are the elements that can have visible elements in them when they are hidden.
var container = map[string]bool{"g": true, "a": true, "svg": true, "switch": true, "use": true, "text": true}

// inner draws a nested svg or symbol element. attrs has its width and height.
func (d *drawer) inner(n *node, s state, attrs map[string]string, depth int) {
	w, h := s.w, s.h
	if v := attrs["width"]; v != "" {
		w = s.length(v, s.w)
	}
	if v := attrs["height"]; v != "" {
		h = s.length(v, s.h)
	}
	s.m = s.m.times(Matrix{1, 0, 0, 1, s.length(n.attrs["x"], s.w), s.length(n.attrs["y"], s.h)})
	if view := (&numbers{s: n.attrs["viewBox"]}).all(); len(view) == 4 && view[2] > 0 && view[3] > 0 && w > 0 && h > 0 {
		s.m = s.m.times(viewMatrix(view, n.attrs["preserveAspectRatio"], w, h))
		w, h = view[2], view[3]
	}
	s.w, s.h = w, h
	d.children(n, s, depth+1)
}

// choice draws the first supported child of a switch element. It prefers any other
// element to foreignObject, which has HTML.
func (d *drawer) choice(n *node, s state, depth int) {
	var other *node
	for _, k := range n.kids {
		switch {
		case k.name == "" || !known[k.name]:
		case k.name == "foreignObject":
			other = k
		default:
			d.element(k, s, depth+1)
			return
		}
	}
	if other != nil {
		d.element(other, s, depth+1)
	}
}

// use draws a referenced element.
func (d *drawer) use(n *node, s state, depth int) {
	id, ok := strings.CutPrefix(n.attrs["href"], "#")
	if !ok {
		return // external references are ignored
	}
	t := d.byID[id]
	if t == nil {
		return
	}
	s.m = s.m.times(Matrix{1, 0, 0, 1, s.length(n.attrs["x"], s.w), s.length(n.attrs["y"], s.h)})
	if t.name == "symbol" || t.name == "svg" {
		d.inner(t, s.under(t, d), n.attrs, depth+1)
		return
	}
	d.element(t, s, depth+1)
}

// shape returns the outline of a basic shape in its own coordinates.
func (s *state) shape(n *node) Path {
	x := func(name string) float64 { return s.length(n.attrs[name], s.w) }
	y := func(name string) float64 { return s.length(n.attrs[name], s.h) }
	switch n.name {
	case "path":
		return ParsePath(n.attrs["d"])
	case "rect":
		rx, ry := x("rx"), y("ry")
		if n.attrs["rx"] == "" {
			rx = ry
		}
		if n.attrs["ry"] == "" {
			ry = rx
		}
		return rectangle(x("x"), y("y"), x("width"), y("height"), rx, ry)
	case "circle":
		r := s.length(n.attrs["r"], math.Hypot(s.w, s.h)/math.Sqrt2)
		return ellipse(x("cx"), y("cy"), r, r)
	case "ellipse":
		return ellipse(x("cx"), y("cy"), x("rx"), y("ry"))
	case "line":
		return Path{{Op: Move, P: [3]Point{{x("x1"), y("y1")}}}, {Op: Line, P: [3]Point{{x("x2"), y("y2")}}}}
	case "polyline", "polygon":
		var out Path
		list := (&numbers{s: n.attrs["points"]}).all()
		for i := 0; i+1 < len(list); i += 2 {
			op := Line
			if i == 0 {
				op = Move
			}
			out = append(out, Segment{Op: op, P: [3]Point{{list[i], list[i+1]}}})
		}
		if n.name == "polygon" && len(out) > 0 {
			out = append(out, Segment{Op: Close})
		}
		return out
	}
	return nil
}

// round is the distance of the control points for a quarter circle of radius 1.
const round = 0.5522847498

func ellipse(x, y, rx, ry float64) Path {
	if rx <= 0 || ry <= 0 {
		return nil
	}
	return rectangle(x-rx, y-ry, 2*rx, 2*ry, rx, ry)
}

func rectangle(x, y, w, h, rx, ry float64) Path {
	if w <= 0 || h <= 0 {
		return nil
	}
	rx, ry = min(max(rx, 0), w/2), min(max(ry, 0), h/2)
	kx, ky := rx*(1-round), ry*(1-round)
	if rx == 0 || ry == 0 {
		rx, ry = 0, 0
	}
	p := Path{{Op: Move, P: [3]Point{{x + rx, y}}}}
	side := func(to, a, b, end Point) {
		p = append(p, Segment{Op: Line, P: [3]Point{to}})
		if rx > 0 {
			p = append(p, Segment{Op: Curve, P: [3]Point{a, b, end}})
		}
	}
	side(Point{x + w - rx, y}, Point{x + w - kx, y}, Point{x + w, y + ky}, Point{x + w, y + ry})
	side(Point{x + w, y + h - ry}, Point{x + w, y + h - ky}, Point{x + w - kx, y + h}, Point{x + w - rx, y + h})
	side(Point{x + rx, y + h}, Point{x + kx, y + h}, Point{x, y + h - ky}, Point{x, y + h - ry})
	side(Point{x, y + ry}, Point{x, y + ky}, Point{x + kx, y}, Point{x + rx, y})
	return append(p, Segment{Op: Close})
}

// shape adds an outline with its fill and stroke.
func (d *drawer) shape(p Path, s state) {
	d.points += len(p)
	if d.clipping {
		d.out.Items = append(d.out.Items, Item{Path: p.Transform(s.m), EvenOdd: s.clipOdd})
		return
	}
	it := Item{EvenOdd: s.evenOdd, Clip: s.clip, Fill: d.paint(s.fill, s.fillOpacity*s.opacity, p, s), Stroke: d.paint(s.stroke, s.lineOpacity*s.opacity, p, s)}
	scale := s.m.scale()
	it.Line = s.line
	it.Line.Width *= scale
	it.Line.Offset *= scale
	if it.Line.Dash != nil {
		dash := make([]float64, len(s.line.Dash))
		for i, f := range s.line.Dash {
			dash[i] = f * scale
		}
		it.Line.Dash = dash
	}
	if it.Line.Width <= 0 {
		it.Stroke = Paint{}
	}
	if it.Fill.Opacity > 0 || it.Stroke.Opacity > 0 {
		it.Path = p.Transform(s.m)
		d.out.Items = append(d.out.Items, it)
	}
}

// clipPath returns the clipping path that a property refers to, in pixels. The rule of a
// shape counts only if it is the only one, since the shapes become one path.
func (d *drawer) clipPath(v string, s state) []Clip {
	id, ok := urlID(v)
	n := d.byID[id]
	if !ok || n == nil || n.name != "clipPath" || d.clipping || len(s.clip) >= 8 {
		return nil
	}
	if n.attrs["clipPathUnits"] == "objectBoundingBox" {
		return nil
	}
	before := d.out.Items
	d.out.Items, d.clipping = nil, true
	in := initial(s.m, s.w, s.h)
	if t := n.attrs["transform"]; t != "" {
		in.m = in.m.times(parseTransform(t))
	}
	in.clipOdd = d.styleOf(n)["clip-rule"] == "evenodd"
	d.children(n, in, 1)
	var all Clip
	for _, it := range d.out.Items {
		all.Path = append(all.Path, it.Path...)
		all.EvenOdd = it.EvenOdd && len(d.out.Items) == 1
	}
	d.out.Items, d.clipping = before, false
	return []Clip{all}
}

// urlID returns the id in "url(#id)".
func urlID(v string) (string, bool) {
	rest, ok := strings.CutPrefix(v, "url(")
	if !ok {
		return "", false
	}
	id, _, _ := strings.Cut(rest, ")")
	return strings.CutPrefix(strings.Trim(id, `"' `), "#")
}

// paint resolves a fill or stroke property. p is the outline of the shape, because
// gradients can be relative to its bounds.
func (d *drawer) paint(v string, opacity float64, p Path, s state) Paint {
	if id, ok := urlID(v); ok {
		if g, alpha := d.gradient(id, p, s); g != nil {
			return Paint{Gradient: g, Color: g.Stops[len(g.Stops)/2].Color, Opacity: opacity * alpha}
		}
		_, after, _ := strings.Cut(v, ")")
		v = strings.TrimSpace(after)
	}
	switch v {
	case "", "none":
		return Paint{}
	case "currentColor", "currentcolor", "context-fill", "context-stroke":
		return Paint{Color: s.color, Opacity: opacity}
	}
	c, a, ok := parseColor(v)
	if !ok {
		return Paint{}
	}
	return Paint{Color: c, Opacity: opacity * a}
}
