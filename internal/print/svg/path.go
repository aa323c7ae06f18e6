package svg

import (
	"math"
	"strconv"
)

// Point is a point; y grows downwards.
type Point struct{ X, Y float64 }

// Op is the type of a segment.
type Op uint8

// Types of segments. All curves are cubic.
const (
	Move  Op = iota // to P[0]
	Line            // to P[0]
	Curve           // to P[2], with control points P[0] and P[1]
	Close
)

// Segment is a part of a path.
type Segment struct {
	Op Op
	P  [3]Point
}

// Path is an outline.
type Path []Segment

// maxSegments is the maximum number of segments of a path.
const maxSegments = 200_000

// ParsePath parses path data up to the first error. The rest is ignored.
func ParsePath(data string) Path {
	p := &pathReader{numbers: numbers{s: data}}
	for {
		c, ok := p.command()
		if !ok || !p.draw(c) || len(p.out) > maxSegments {
			return p.out
		}
	}
}

// pathReader parses path data.
type pathReader struct {
	numbers
	out     Path
	at      Point
	start   Point // of the current subpath
	control Point // last control point of the previous curve
	last    byte  // previous command, in upper case
	again   byte  // command that further numbers repeat
}

// command returns the next command, or repeats the previous one if numbers follow.
func (p *pathReader) command() (byte, bool) {
	p.skip()
	if p.s == "" {
		return 0, false
	}
	c := p.s[0]
	if c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' {
		p.s = p.s[1:]
		p.again = c
		switch c {
		case 'm':
			p.again = 'l'
		case 'M':
			p.again = 'L'
		}
		return c, true
	}
	return p.again, p.again != 0 && p.again|0x20 != 'z'
}

// arguments is the number of arguments of each command.
var arguments = map[byte]int{'M': 2, 'L': 2, 'H': 1, 'V': 1, 'C': 6, 'S': 4, 'Q': 4, 'T': 2, 'A': 7, 'Z': 0}

// draw executes one command. It reports whether the command was valid.
func (p *pathReader) draw(c byte) bool {
	upper := c &^ 0x20
	n, ok := arguments[upper]
	if !ok || len(p.out) == 0 && upper != 'M' {
		return false
	}
	var a [7]float64
	for i := range n {
		if upper == 'A' && (i == 3 || i == 4) {
			a[i], ok = p.flag()
		} else {
			a[i], ok = p.next()
		}
		if !ok {
			return false
		}
	}
	rel := Point{}
	if c != upper {
		rel = p.at
	}
	pt := func(i int) Point { return Point{a[i] + rel.X, a[i+1] + rel.Y} }
	switch upper {
	case 'M':
		p.start = pt(0)
		p.add(Move, p.start)
	case 'L':
		p.add(Line, pt(0))
	case 'H':
		p.add(Line, Point{a[0] + rel.X, p.at.Y})
	case 'V':
		p.add(Line, Point{p.at.X, a[0] + rel.Y})
	case 'C':
		p.curve(pt(0), pt(2), pt(4))
	case 'S':
		p.curve(p.mirrored('C', 'S'), pt(0), pt(2))
	case 'Q':
		p.quadratic(pt(0), pt(2))
	case 'T':
		p.quadratic(p.mirrored('Q', 'T'), pt(0))
	case 'A':
		p.arc(a[0], a[1], a[2], a[3] != 0, a[4] != 0, pt(5))
	case 'Z':
		p.out = append(p.out, Segment{Op: Close})
		p.at = p.start
	}
	p.last = upper
	return true
}

func (p *pathReader) add(op Op, to Point) {
	p.out = append(p.out, Segment{Op: op, P: [3]Point{to}})
	p.at = to
}

func (p *pathReader) curve(a, b, to Point) {
	p.out = append(p.out, Segment{Op: Curve, P: [3]Point{a, b, to}})
	p.control, p.at = b, to
}

func (p *pathReader) quadratic(c, to Point) {
	from := p.at
	p.curve(Point{from.X + (c.X-from.X)*2/3, from.Y + (c.Y-from.Y)*2/3}, Point{to.X + (c.X-to.X)*2/3, to.Y + (c.Y-to.Y)*2/3}, to)
	p.control = c
}

// mirrored returns the reflected control point of the previous curve, or the current
// point if the previous command is neither a nor b.
func (p *pathReader) mirrored(a, b byte) Point {
	if p.last != a && p.last != b {
		return p.at
	}
	return Point{2*p.at.X - p.control.X, 2*p.at.Y - p.control.Y}
}

// arc draws an elliptical arc as curves, as described in the implementation notes of the
// SVG specification.
func (p *pathReader) arc(rx, ry, degrees float64, large, sweep bool, to Point) {
	rx, ry = math.Abs(rx), math.Abs(ry)
	from := p.at
	if rx == 0 || ry == 0 || from == to {
		p.add(Line, to)
		return
	}
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	dx, dy := (from.X-to.X)/2, (from.Y-to.Y)/2
	x, y := cos*dx+sin*dy, -sin*dx+cos*dy
	if grow := x*x/(rx*rx) + y*y/(ry*ry); grow > 1 {
		rx, ry = rx*math.Sqrt(grow), ry*math.Sqrt(grow)
	}
	k := math.Sqrt(max(0, (rx*rx*ry*ry-rx*rx*y*y-ry*ry*x*x)/(rx*rx*y*y+ry*ry*x*x)))
	if large == sweep {
		k = -k
	}
	cx, cy := k*rx*y/ry, -k*ry*x/rx
	begin := math.Atan2((y-cy)/ry, (x-cx)/rx)
	turn := math.Atan2((-y-cy)/ry, (-x-cx)/rx) - begin
	switch {
	case sweep && turn < 0:
		turn += 2 * math.Pi
	case !sweep && turn > 0:
		turn -= 2 * math.Pi
	}
	m := Matrix{rx * cos, rx * sin, -ry * sin, ry * cos, cos*cx - sin*cy + (from.X+to.X)/2, sin*cx + cos*cy + (from.Y+to.Y)/2}
	n := max(1, int(math.Ceil(math.Abs(turn)/(math.Pi/2)-1e-9)))
	step := turn / float64(n)
	handle := 4.0 / 3 * math.Tan(step/4)
	for i := range n {
		s0, c0 := math.Sincos(begin + step*float64(i))
		s1, c1 := math.Sincos(begin + step*float64(i+1))
		end := m.apply(Point{c1, s1})
		if i == n-1 {
			end = to
		}
		p.curve(m.apply(Point{c0 - handle*s0, s0 + handle*c0}), m.apply(Point{c1 + handle*s1, s1 - handle*c1}), end)
	}
}

// numbers parses numbers in the syntax of SVG. They are separated by spaces, commas, or a
// sign or dot that cannot belong to the previous number.
type numbers struct{ s string }

func (n *numbers) skip() {
	for n.s != "" && (n.s[0] == ' ' || n.s[0] == ',' || n.s[0] >= '\t' && n.s[0] <= '\r') {
		n.s = n.s[1:]
	}
}

func (n *numbers) next() (float64, bool) {
	n.skip()
	i, dot := 0, false
	if i < len(n.s) && (n.s[i] == '-' || n.s[i] == '+') {
		i++
	}
	from := i
	for i < len(n.s) && (n.s[i] >= '0' && n.s[i] <= '9' || n.s[i] == '.' && !dot) {
		dot = dot || n.s[i] == '.'
		i++
	}
	if i == from {
		return 0, false
	}
	if e := i + 1; i < len(n.s) && n.s[i]|0x20 == 'e' {
		if e < len(n.s) && (n.s[e] == '-' || n.s[e] == '+') {
			e++
		}
		digits := e
		for e < len(n.s) && n.s[e] >= '0' && n.s[e] <= '9' {
			e++
		}
		if e > digits {
			i = e
		}
	}
	f, err := strconv.ParseFloat(n.s[:i], 64)
	n.s = n.s[i:]
	return f, err == nil && math.Abs(f) < 1e9
}

// flag parses a single digit, which needs no separator after it.
func (n *numbers) flag() (float64, bool) {
	n.skip()
	if n.s == "" || n.s[0] != '0' && n.s[0] != '1' {
		return 0, false
	}
	f := float64(n.s[0] - '0')
	n.s = n.s[1:]
	return f, true
}

// all returns all numbers of a list.
func (n *numbers) all() []float64 {
	var out []float64
	for len(out) < maxSegments {
		f, ok := n.next()
		if !ok {
			break
		}
		out = append(out, f)
	}
	return out
}

// Matrix maps a point (x, y) to (ax+cy+e, bx+dy+f).
type Matrix [6]float64

var identity = Matrix{1, 0, 0, 1, 0, 0}

func (m Matrix) apply(p Point) Point {
	return Point{m[0]*p.X + m[2]*p.Y + m[4], m[1]*p.X + m[3]*p.Y + m[5]}
}

// times returns the matrix that applies n first and then m.
func (m Matrix) times(n Matrix) Matrix {
	return Matrix{
		m[0]*n[0] + m[2]*n[1], m[1]*n[0] + m[3]*n[1], m[0]*n[2] + m[2]*n[3], m[1]*n[2] + m[3]*n[3],
		m[0]*n[4] + m[2]*n[5] + m[4], m[1]*n[4] + m[3]*n[5] + m[5],
	}
}

// scale returns the mean scaling of lengths.
func (m Matrix) scale() float64 { return math.Sqrt(math.Abs(m[0]*m[3] - m[1]*m[2])) }

// Transform returns the transformed path.
func (p Path) Transform(m Matrix) Path {
	out := make(Path, len(p))
	for i, s := range p {
		for k := range s.P {
			s.P[k] = m.apply(s.P[k])
		}
		out[i] = s
	}
	return out
}

// bounds returns the corners of the bounding box of all points of a path, including
// control points.
func (p Path) bounds() (from, to Point) {
	from, to = Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, s := range p {
		n := 1
		switch s.Op {
		case Curve:
			n = 3
		case Close:
			n = 0
		}
		for _, q := range s.P[:n] {
			from = Point{min(from.X, q.X), min(from.Y, q.Y)}
			to = Point{max(to.X, q.X), max(to.Y, q.Y)}
		}
	}
	if from.X > to.X {
		return Point{}, Point{}
	}
	return from, to
}

// Stroked returns the outline of a straight line with a thickness.
func Stroked(from, to Point, thick float64) Path {
	d := math.Hypot(to.X-from.X, to.Y-from.Y)
	if d == 0 {
		return nil
	}
	x, y := (to.Y-from.Y)/d*thick/2, (from.X-to.X)/d*thick/2
	return Path{
		{Op: Move, P: [3]Point{{from.X + x, from.Y + y}}}, {Op: Line, P: [3]Point{{to.X + x, to.Y + y}}},
		{Op: Line, P: [3]Point{{to.X - x, to.Y - y}}}, {Op: Line, P: [3]Point{{from.X - x, from.Y - y}}}, {Op: Close},
	}
}
