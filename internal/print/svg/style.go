package svg

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"golang.org/x/image/colornames"
)

// state is the inherited state of an element.
type state struct {
	m                        Matrix
	w, h                     float64 // of the viewport, for percentages
	fill, stroke             string
	color                    uint32
	fillOpacity, lineOpacity float64
	opacity                  float64 // product of all enclosing groups
	evenOdd, clipOdd         bool
	line                     Stroke
	size                     float64 // of text
	family, anchor, baseline string
	bold, italic             bool
	hidden                   bool // by visibility; a child can be visible
	gone                     bool // by display, with everything in it
	clip                     []Clip
}

func initial(m Matrix, w, h float64) state {
	return state{m: m, w: w, h: h, fill: "black", stroke: "none", fillOpacity: 1, lineOpacity: 1, opacity: 1, line: Stroke{Width: 1, Miter: 4}, size: 16, family: "sans-serif"}
}

// properties are the properties that style sheets and attributes can set.
var properties = strings.Fields("color fill stroke fill-opacity stroke-opacity opacity fill-rule clip-rule stroke-width stroke-linecap stroke-linejoin stroke-miterlimit " +
	"stroke-dasharray stroke-dashoffset font-size font-family font-weight font-style text-anchor dominant-baseline display visibility clip-path")

// under returns the state of a child element.
func (s state) under(n *node, d *drawer) state {
	get := d.styleOf(n)
	if t := n.attrs["transform"]; t != "" {
		s.m = s.m.times(parseTransform(t))
	}
	for _, name := range properties {
		if v := get[name]; v != "" && v != "inherit" {
			s.set(name, v, d)
		}
	}
	return s
}

func (s *state) set(name, v string, d *drawer) {
	switch name {
	case "color":
		if c, a, ok := parseColor(v); ok && a > 0 {
			s.color = c
		}
	case "fill":
		s.fill = v
	case "stroke":
		s.stroke = v
	case "fill-opacity":
		s.fillOpacity = share(v)
	case "stroke-opacity":
		s.lineOpacity = share(v)
	case "opacity":
		s.opacity *= share(v)
	case "fill-rule":
		s.evenOdd = v == "evenodd"
	case "clip-rule":
		s.clipOdd = v == "evenodd"
	case "display":
		s.gone = s.gone || v == "none"
	case "visibility":
		s.hidden = v == "hidden" || v == "collapse"
	case "clip-path":
		s.clip = append(s.clip[:len(s.clip):len(s.clip)], d.clipPath(v, *s)...)
	default:
		s.setLine(name, v)
		s.setText(name, v)
	}
}

func (s *state) setLine(name, v string) {
	length := func() float64 { return s.length(v, math.Hypot(s.w, s.h)/math.Sqrt2) }
	ends := map[string]int{"round": 1, "square": 2, "bevel": 2}
	switch name {
	case "stroke-width":
		s.line.Width = length()
	case "stroke-linecap":
		s.line.Cap = ends[v]
	case "stroke-linejoin":
		s.line.Join = ends[v]
	case "stroke-miterlimit":
		s.line.Miter = max(1, length())
	case "stroke-dashoffset":
		s.line.Offset = length()
	case "stroke-dasharray":
		s.line.Dash = nil
		sum := 0.0
		list := (&numbers{s: strings.ReplaceAll(v, "px", " ")}).all()
		for _, f := range list[:min(len(list), 32)] {
			s.line.Dash = append(s.line.Dash, max(0, f))
			sum += max(0, f)
		}
		if sum == 0 {
			s.line.Dash = nil
		}
	}
}

func (s *state) setText(name, v string) {
	switch name {
	case "font-size":
		if size := s.length(v, s.size); size > 0 {
			s.size = size
		}
	case "font-family":
		s.family = strings.ToLower(v)
	case "font-weight":
		n, _ := strconv.Atoi(v)
		s.bold = v == "bold" || v == "bolder" || n >= 600
	case "font-style":
		s.italic = v == "italic" || v == "oblique"
	case "text-anchor":
		s.anchor = v
	case "dominant-baseline":
		s.baseline = v
	}
}

// share parses a number from 0 to 1, or a percentage. Invalid values are 1.
func share(v string) float64 {
	scale := 1.0
	if p, ok := strings.CutSuffix(v, "%"); ok {
		v, scale = p, 0.01
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) {
		return 1
	}
	return min(max(f*scale, 0), 1)
}

// units are the units of length in pixels.
var units = map[string]float64{"": 1, "px": 1, "pt": 4.0 / 3, "pc": 16, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96}

// pixels parses an absolute length.
func pixels(v string) (float64, bool) {
	n := numbers{s: v}
	f, ok := n.next()
	unit, known := units[strings.TrimSpace(n.s)]
	return f * unit, ok && known
}

// length parses a length; whole is the length that percentages refer to.
func (s *state) length(v string, whole float64) float64 {
	if f, ok := pixels(v); ok {
		return f
	}
	n := numbers{s: v}
	f, ok := n.next()
	if !ok {
		return 0
	}
	switch strings.TrimSpace(n.s) {
	case "%":
		return f / 100 * whole
	case "em", "rem":
		return f * s.size
	case "ex":
		return f * s.size / 2
	}
	return f
}

// parseColor parses a colour and its opacity.
func parseColor(v string) (rgb uint32, alpha float64, ok bool) {
	v = strings.ToLower(strings.TrimSpace(v))
	if digits, found := strings.CutPrefix(v, "#"); found {
		return hexColor(digits)
	}
	if name, rest, found := strings.Cut(v, "("); found && (name == "rgb" || name == "rgba") {
		parts := strings.FieldsFunc(strings.TrimSuffix(rest, ")"), func(r rune) bool { return r == ',' || r == ' ' || r == '/' })
		if len(parts) < 3 {
			return 0, 0, false
		}
		for _, p := range parts[:3] {
			f := share(p) * 255
			if !strings.HasSuffix(p, "%") {
				n, err := strconv.ParseFloat(p, 64)
				if err != nil {
					return 0, 0, false
				}
				f = min(max(n, 0), 255)
			}
			rgb = rgb<<8 | uint32(f+0.5)
		}
		alpha = 1
		if len(parts) > 3 {
			alpha = share(parts[3])
		}
		return rgb, alpha, true
	}
	if v == "transparent" {
		return 0, 0, true
	}
	c, ok := colornames.Map[v]
	return uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), 1, ok
}

func hexColor(digits string) (uint32, float64, bool) {
	n, err := strconv.ParseUint(digits, 16, 32)
	if err != nil {
		return 0, 0, false
	}
	wide := func(n uint64) uint32 { return uint32(n>>8&15*17<<16 | n>>4&15*17<<8 | n&15*17) }
	switch len(digits) {
	case 3:
		return wide(n), 1, true
	case 4:
		return wide(n >> 4), float64(n&15) / 15, true
	case 6:
		return uint32(n), 1, true
	case 8:
		return uint32(n >> 8), float64(n&255) / 255, true
	}
	return 0, 0, false
}

// parseTransform parses a list of transformations.
func parseTransform(v string) Matrix {
	m := identity
	for range 32 {
		name, rest, ok := strings.Cut(v, "(")
		if !ok {
			break
		}
		list, after, _ := strings.Cut(rest, ")")
		v = after
		a := (&numbers{s: list}).all()
		at := func(i int, otherwise float64) float64 {
			if i < len(a) {
				return a[i]
			}
			return otherwise
		}
		switch strings.Trim(name, " ,\t\n\r") {
		case "matrix":
			if len(a) == 6 {
				m = m.times(Matrix(a))
			}
		case "translate":
			m = m.times(Matrix{1, 0, 0, 1, at(0, 0), at(1, 0)})
		case "scale":
			m = m.times(Matrix{at(0, 1), 0, 0, at(1, at(0, 1)), 0, 0})
		case "rotate":
			sin, cos := math.Sincos(at(0, 0) * math.Pi / 180)
			x, y := at(1, 0), at(2, 0)
			m = m.times(Matrix{1, 0, 0, 1, x, y}).times(Matrix{cos, sin, -sin, cos, 0, 0}).times(Matrix{1, 0, 0, 1, -x, -y})
		case "skewX":
			m = m.times(Matrix{1, 0, math.Tan(at(0, 0) * math.Pi / 180), 1, 0, 0})
		case "skewY":
			m = m.times(Matrix{1, math.Tan(at(0, 0) * math.Pi / 180), 0, 1, 0, 0})
		}
	}
	return m
}

// rule is one selector of a style sheet with its declarations.
type rule struct {
	element, class, id string
	set                map[string]string
}

// maxRules is the maximum number of rules that are used.
const maxRules = 1000

// parseRules parses a style sheet. It supports elements, classes and ids; of descendant
// selectors only the last part counts. At-rules are skipped.
func parseRules(sheet string) []rule {
	var out []rule
	sheet = withoutComments(sheet)
	for len(out) < maxRules {
		selectors, rest, ok := strings.Cut(sheet, "{")
		if !ok {
			break
		}
		body, after, _ := strings.Cut(rest, "}")
		if sheet = after; strings.Contains(selectors, "@") {
			continue
		}
		set := declarations(body)
		for selector := range strings.SplitSeq(selectors, ",") {
			parts := strings.Fields(selector)
			if len(parts) > 0 && !strings.ContainsAny(selector, ":[>~+*") {
				out = append(out, oneRule(parts[len(parts)-1], set))
			}
		}
	}
	return out
}

func withoutComments(sheet string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sheet, "/*")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, sheet, _ = strings.Cut(rest, "*/")
	}
}

func oneRule(selector string, set map[string]string) rule {
	r := rule{set: set}
	if head, id, ok := strings.Cut(selector, "#"); ok {
		selector, r.id = head, id
	}
	r.element, r.class, _ = strings.Cut(selector, ".")
	return r
}

func (r *rule) fits(n *node) bool {
	if r.element != "" && r.element != n.name || r.id != "" && r.id != n.attrs["id"] {
		return false
	}
	if r.class == "" {
		return true
	}
	for c := range strings.FieldsSeq(n.attrs["class"]) {
		if c == r.class {
			return true
		}
	}
	return false
}

// declarations parses "name: value; …".
func declarations(s string) map[string]string {
	out := map[string]string{}
	for d := range strings.SplitSeq(s, ";") {
		if name, value, ok := strings.Cut(d, ":"); ok {
			out[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "!important"))
		}
	}
	return out
}

// styleOf returns the properties of an element from its attributes, the style sheets and
// its style attribute. Later ones take precedence.
func (d *drawer) styleOf(n *node) map[string]string {
	if len(d.rules) == 0 && n.attrs["style"] == "" {
		return n.attrs
	}
	out := maps.Clone(n.attrs)
	d.work += len(d.rules) / 64
	for i := range d.rules {
		if r := &d.rules[i]; r.fits(n) {
			maps.Copy(out, r.set)
		}
	}
	maps.Copy(out, declarations(n.attrs["style"]))
	return out
}

// Color parses a colour as RGB. It reports false if the colour is invalid or transparent.
func Color(v string) (rgb uint32, ok bool) {
	rgb, alpha, ok := parseColor(v)
	return rgb, ok && alpha > 0
}
