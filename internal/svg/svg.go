// Package svg reads pictures in SVG as lists of outlines and lines of text, for
// those who draw them on paper.
//
// It reads what is drawn and nothing else: there is no script, no animation, no
// reference to anything outside of the picture. What it does not know is left out.
// Work is bounded by the number of elements and points, however often a picture
// uses its own parts.
package svg

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits of one picture.
const (
	MaxBytes    = 8 << 20
	maxElements = 100_000 // drawn; parts that are used again count again
	maxPoints   = 2_000_000
	maxDepth    = 100
	maxSide     = 100_000 // of the picture
)

// Drawing is a picture.
type Drawing struct {
	Width, Height float64 // in pixels
	Items         []Item  // from back to front, in pixels from the upper left corner
}

// Item is a shape or a line of text.
type Item struct {
	Path    Path
	EvenOdd bool // how the inside of the path is found
	Fill    Paint
	Stroke  Paint
	Line    Stroke
	Clip    []Path // the item is seen inside of all of them
	Text    *Text  // instead of a path; it has the colour of Fill
}

// Paint is what an area has: a colour, a gradient, or nothing.
type Paint struct {
	Color    uint32  // red, green and blue
	Opacity  float64 // 0 is nothing
	Gradient *Gradient
}

// Stroke is how a line is drawn.
type Stroke struct {
	Width     float64
	Cap, Join int // as PDF numbers them: 0 butt and miter, 1 round, 2 square and bevel
	Miter     float64
	Dash      []float64
	Offset    float64
}

// Gradient is a change of colours along a line or from a circle to another.
type Gradient struct {
	Radial bool
	// From and To are the ends; the circles have a centre and a radius.
	From, To             Point
	FromRadius, ToRadius float64
	Matrix               Matrix // of these to the picture
	Stops                []Stop
}

// Stop is a colour at a part of the way from 0 to 1.
type Stop struct {
	At    float64
	Color uint32
}

// Text is a line of text.
type Text struct {
	Text   string
	At     Point   // where it begins, on its baseline
	Push   float64 // how much of its width is before At: 0, 0.5 or 1
	Size   float64
	Turn   Matrix // without a move: how the line is turned
	Bold   bool
	Italic bool
	Mono   bool
}

var errTooLarge = errors.New("the picture has too many parts")

// node is an element as it was read.
type node struct {
	name  string
	attrs map[string]string
	kids  []*node
	text  string // a node without a name is text
}

// Parse reads a picture.
func Parse(r io.Reader) (*Drawing, error) {
	root, err := readTree(io.LimitReader(r, MaxBytes))
	if err != nil {
		return nil, err
	}
	d := &drawer{byID: map[string]*node{}, gradients: map[string]*Gradient{}}
	d.collect(root)
	m, err := d.frame(root)
	if err != nil {
		return nil, err
	}
	d.children(root, initial(m, d.out.Width, d.out.Height).under(root, d), 0)
	if d.err != nil {
		return nil, d.err
	}
	return &d.out, nil
}

// readTree reads the elements of a picture.
func readTree(r io.Reader) (*node, error) {
	dec := xml.NewDecoder(r)
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	var root *node
	var stack []*node
	count := 0
	for {
		t, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("no SVG: %w", err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if count++; count > maxElements || len(stack) > maxDepth {
				return nil, errTooLarge
			}
			n := &node{name: t.Name.Local, attrs: attributes(t.Attr)}
			if root == nil {
				if root = n; n.name != "svg" {
					return nil, errors.New("no SVG: it begins with another element")
				}
			} else if len(stack) > 0 {
				up := stack[len(stack)-1]
				up.kids = append(up.kids, n)
			}
			stack = append(stack, n)
		case xml.EndElement:
			if len(stack) > 0 {
				stack = stack[:len(stack)-1]
			}
		case xml.CharData:
			if len(stack) > 0 {
				up := stack[len(stack)-1]
				up.kids = append(up.kids, &node{text: string(t)})
			}
		}
	}
	if root == nil {
		return nil, errors.New("no SVG: it is empty")
	}
	return root, nil
}

// attributes are by their names without a prefix; a style is taken apart and
// has precedence.
func attributes(list []xml.Attr) map[string]string {
	out := make(map[string]string, len(list))
	style := ""
	for _, a := range list {
		switch {
		case a.Name.Local == "style":
			style = a.Value
		case a.Name.Space == "" || a.Name.Local == "href":
			out[a.Name.Local] = strings.TrimSpace(a.Value)
		}
	}
	if style != "" {
		out["style"] = style
	}
	return out
}

// collect notes elements by their ids, and the rules of style sheets.
func (d *drawer) collect(n *node) {
	if id := n.attrs["id"]; id != "" && d.byID[id] == nil {
		d.byID[id] = n
	}
	if n.name == "style" {
		var b strings.Builder
		for _, k := range n.kids {
			b.WriteString(k.text)
		}
		d.rules = append(d.rules, parseRules(b.String())...)
		d.rules = d.rules[:min(len(d.rules), maxRules)]
	}
	for _, k := range n.kids {
		d.collect(k)
	}
}

// frame finds out the size of the picture, and how its coordinates become pixels.
func (d *drawer) frame(root *node) (Matrix, error) {
	view := (&numbers{s: root.attrs["viewBox"]}).all()
	w, wok := pixels(root.attrs["width"])
	h, hok := pixels(root.attrs["height"])
	if len(view) == 4 && view[2] > 0 && view[3] > 0 {
		switch {
		case !wok && !hok:
			w, h = view[2], view[3]
		case !wok:
			w = h * view[2] / view[3]
		case !hok:
			h = w * view[3] / view[2]
		}
	} else {
		view = nil
		if !wok {
			w = 300
		}
		if !hok {
			h = 150
		}
	}
	if w <= 0 || h <= 0 || w > maxSide || h > maxSide {
		return identity, fmt.Errorf("a picture of %g × %g pixels", w, h)
	}
	d.out.Width, d.out.Height = w, h
	return viewMatrix(view, root.attrs["preserveAspectRatio"], w, h), nil
}

// viewMatrix fits a view into a width and a height.
func viewMatrix(view []float64, fit string, w, h float64) Matrix {
	if len(view) != 4 || view[2] <= 0 || view[3] <= 0 {
		return identity
	}
	sx, sy := w/view[2], h/view[3]
	if strings.HasPrefix(fit, "none") {
		return Matrix{sx, 0, 0, sy, -view[0] * sx, -view[1] * sy}
	}
	s := min(sx, sy)
	if strings.Contains(fit, "slice") {
		s = max(sx, sy)
	}
	share := func(low, high string) float64 {
		switch {
		case strings.Contains(fit, low):
			return 0
		case strings.Contains(fit, high):
			return 1
		}
		return 0.5
	}
	return Matrix{s, 0, 0, s, -view[0]*s + (w-view[2]*s)*share("xMin", "xMax"), -view[1]*s + (h-view[3]*s)*share("YMin", "YMax")}
}
