package formula

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/print/svg"
)

// shares maps the parts of braces and arrows to their start and width, as fractions
// of the whole width.
var shares = map[string][2]float64{
	"halfarrow-left": {0, 0.502}, "halfarrow-right": {0.498, 0.502}, "brace-left": {0, 0.251}, "brace-center": {0.25, 0.5}, "brace-right": {0.749, 0.251},
}

// stretchy returns a brace, an arrow or the line of a root that is as wide as its
// row.
func (l *layout) stretchy(n *node, s state) *box {
	h := ems(n.Style["height"], s.em)
	least := ems(n.Style["minWidth"], s.em)
	b := &box{w: least}
	fit := func(w float64) {
		w = max(w, least)
		b.w, b.kids = w, nil
		for _, k := range n.Kids {
			from, share := 0.0, 1.0
			for _, c := range k.Classes {
				if v, ok := shares[c]; ok {
					from, share = v[0], v[1]
				}
			}
			pic := k
			if k.Markup == nil && len(k.Kids) > 0 {
				pic = k.Kids[0]
			}
			if pic.Markup != nil {
				in := l.picture(pic, s, w*share, h)
				in.x = w * from
				b.kids = append(b.kids, in)
			}
		}
	}
	fit(least)
	b.stretch = fit
	return b
}

var (
	pathData = regexp.MustCompile(`<path[^>]* d=['"]([^'"]+)['"]`)
	lineEnd  = regexp.MustCompile(`([xy][12])=['"]([0-9.]+)(%?)['"]`)
)

// picture draws an SVG element into a box with the given width, and height above the
// baseline.
func (l *layout) picture(n *node, s state, w, h float64) *box {
	attr := func(name string) string { v, _ := n.View[name].(string); return v }
	if v := attr("width"); v != "" && v != "100%" && !strings.HasPrefix(v, "400") {
		w = ems(v, s.em)
	}
	if v := attr("height"); v != "" && v != "100%" {
		h = ems(v, s.em)
	}
	b := &box{w: w}
	var view [4]float64
	for i, v := range strings.Fields(attr("viewBox")) {
		if i < 4 {
			view[i], _ = strconv.ParseFloat(v, 64)
		}
	}
	sx, sy, x := 1.0, 1.0, 0.0
	if view[2] > 0 && view[3] > 0 {
		fit := attr("preserveAspectRatio")
		sx, sy = w/view[2], h/view[3]
		switch {
		case strings.Contains(fit, "slice"):
			sx, sy = max(sx, sy), max(sx, sy)
		case fit != "none":
			sx, sy = min(sx, sy), min(sx, sy)
		}
		switch rest := w - view[2]*sx; {
		case strings.Contains(fit, "xMax"):
			x = rest
		case strings.Contains(fit, "xMin"):
		default:
			x = rest / 2
		}
	}
	for _, m := range n.Markup {
		l.boxes += 10
		if d := pathData.FindStringSubmatch(m); d != nil {
			p := svg.ParsePath(d[1]).Transform(svg.Matrix{sx, 0, 0, sy, x, -h})
			b.kids = append(b.kids, &box{mark: &Mark{Path: p, Y: -h, W: w, H: h, Color: s.color}})
		} else if strings.HasPrefix(m, "<line") {
			b.kids = append(b.kids, &box{mark: &Mark{Path: stroked(m, w, h, 0.046*s.em), Y: -h, W: w, H: h, Color: s.color}})
		}
	}
	return b
}

// stroked returns the line of an SVG line element as an outline.
func stroked(markup string, w, h, thick float64) svg.Path {
	at := map[string]float64{}
	for _, m := range lineEnd.FindAllStringSubmatch(markup, -1) {
		f := ems(m[2], 1)
		if m[3] == "%" {
			f /= 100
			if m[1][0] == 'x' {
				f *= w
			} else {
				f *= h
			}
		}
		at[m[1]] = f
	}
	return svg.Stroked(svg.Point{X: at["x1"], Y: at["y1"] - h}, svg.Point{X: at["x2"], Y: at["y2"] - h}, thick)
}
