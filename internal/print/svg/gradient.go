package svg

import (
	"math"
	"strings"
)

const (
	maxStops = 64
	maxChain = 8 // length of a chain of references between gradients
)

// gradient returns the gradient with an id for an outline, and its opacity, which is the
// mean opacity of its stops.
func (d *drawer) gradient(id string, p Path, s state) (*Gradient, float64) {
	var chain []*node
	for range maxChain {
		n := d.byID[id]
		if n == nil || n.name != "linearGradient" && n.name != "radialGradient" {
			break
		}
		chain = append(chain, n)
		var ok bool
		if id, ok = strings.CutPrefix(n.attrs["href"], "#"); !ok {
			break
		}
	}
	if len(chain) == 0 {
		return nil, 0
	}
	get := func(name, otherwise string) string {
		for _, n := range chain {
			if v := n.attrs[name]; v != "" {
				return v
			}
		}
		return otherwise
	}
	g := &Gradient{Radial: chain[0].name == "radialGradient", Matrix: s.m}
	alpha := d.stops(g, chain, s)
	if len(g.Stops) == 0 {
		return nil, 0
	}
	whole := s
	if get("gradientUnits", "") != "userSpaceOnUse" {
		from, to := p.bounds()
		if to.X-from.X <= 0 || to.Y-from.Y <= 0 {
			return nil, 0
		}
		g.Matrix = s.m.times(Matrix{to.X - from.X, 0, 0, to.Y - from.Y, from.X, from.Y})
		whole.w, whole.h = 1, 1
	}
	if t := get("gradientTransform", ""); t != "" {
		g.Matrix = g.Matrix.times(parseTransform(t))
	}
	x := func(name, otherwise string) float64 { return whole.length(get(name, otherwise), whole.w) }
	y := func(name, otherwise string) float64 { return whole.length(get(name, otherwise), whole.h) }
	if !g.Radial {
		g.From, g.To = Point{x("x1", "0%"), y("y1", "0%")}, Point{x("x2", "100%"), y("y2", "0%")}
		return g, alpha
	}
	cx, cy := get("cx", "50%"), get("cy", "50%")
	g.To = Point{x("cx", "50%"), y("cy", "50%")}
	g.From = Point{x("fx", cx), y("fy", cy)}
	g.ToRadius = whole.length(get("r", "50%"), math.Hypot(whole.w, whole.h)/math.Sqrt2)
	g.FromRadius = whole.length(get("fr", "0"), whole.w)
	if g.ToRadius <= 0 {
		return nil, 0
	}
	return g, alpha
}

// stops reads the stops of the first gradient in the chain that has any, and returns
// their mean opacity.
func (d *drawer) stops(g *Gradient, chain []*node, s state) (alpha float64) {
	for _, n := range chain {
		for _, k := range n.kids {
			if k.name != "stop" || len(g.Stops) == maxStops {
				continue
			}
			get := d.styleOf(k)
			c, a, ok := parseColor(get["stop-color"])
			if get["stop-color"] == "" {
				c, a, ok = 0, 1, true
			}
			if get["stop-color"] == "currentColor" {
				c, a, ok = s.color, 1, true
			}
			if !ok {
				continue
			}
			if v := get["stop-opacity"]; v != "" {
				a *= share(v)
			}
			at := 0.0
			if v := k.attrs["offset"]; v != "" {
				at = share(v)
			}
			if i := len(g.Stops); i > 0 {
				at = max(at, g.Stops[i-1].At)
			}
			g.Stops = append(g.Stops, Stop{at, c})
			alpha += a
		}
		if len(g.Stops) > 0 {
			return alpha / float64(len(g.Stops))
		}
	}
	return 0
}
