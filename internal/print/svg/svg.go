// Package svg parses SVG pictures to lists of outlines and lines of text, for renderers
// that print them.
//
// It reads only what is drawn: no scripts, no animations, no references outside of the
// picture. Unsupported elements are ignored. Work is bounded by the number of elements
// and points, even if a picture uses its parts repeatedly.
//
// Where a change goes:
//   - what is drawn of SVG pictures: this package; how they come onto paper in
//     print/pdf/vector.go
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
	maxElements = 100_000 // elements drawn; referenced elements count for each use
	maxPoints   = 2_000_000
	maxDepth    = 100
	maxSide     = 100_000 // of the picture, in pixels
)

// Drawing is a parsed picture.
type Drawing struct {
	Width, Height float64 // in pixels
	Items         []Item  // from back to front, in pixels from the upper left corner
}

// Item is a shape or a line of text.
type Item struct {
	Path    Path
	EvenOdd bool // fill rule of the path
	Fill    Paint
	Stroke  Paint
	Line    Stroke
	Clip    []Clip // the item is clipped to the intersection
	Text    *Text  // instead of Path; Fill is its colour
}

// Clip is an outline to which items are clipped.
type Clip struct {
	Path    Path
	EvenOdd bool // fill rule of the path
}

// Paint is the paint of an area: a colour, a gradient, or nothing.
type Paint struct {
	Color    uint32  // RGB
	Opacity  float64 // 0 means nothing is painted
	Gradient *Gradient
}

// Stroke is the style of a line.
type Stroke struct {
	Width     float64
	Cap, Join int // numbers of PDF: 0 butt or miter, 1 round, 2 square or bevel
	Miter     float64
	Dash      []float64
	Offset    float64
}

// Gradient is a linear gradient, or a radial gradient between two circles.
type Gradient struct {
	Radial bool
	// From and To are the end points, or the centres of the circles.
	From, To             Point
	FromRadius, ToRadius float64
	Matrix               Matrix // from gradient coordinates to pixels
	Stops                []Stop
}

// Stop is a colour at a position from 0 to 1.
type Stop struct {
	At    float64
	Color uint32
}

// Text is a line of text.
type Text struct {
	Text      string
	At        Point   // start of the baseline, before Anchor is applied
	Anchor    float64 // share of the width that is before At: 0, 0.5 or 1
	Size      float64
	Transform Matrix // rotation and skew, without translation
	Bold      bool
	Italic    bool
	Mono      bool
}

var errTooLarge = errors.New("the picture has too many parts")

// node is a parsed element.
type node struct {
	name  string
	attrs map[string]string
	kids  []*node
	text  string // text of a node without a name
}

// Parse parses a picture.
func Parse(r io.Reader) (*Drawing, error) {
	root, err := readTree(io.LimitReader(r, MaxBytes))
	if err != nil {
		return nil, err
	}
	d := &drawer{byID: map[string]*node{}}
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

// readTree parses the elements of a picture.
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

// attributes returns the attributes by name without prefix. Of attributes with a prefix
// only href and style are kept.
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

// collect indexes elements by id, and parses the style sheets.
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

// frame sets the size of the picture, and returns the matrix from its coordinates to
// pixels.
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

// viewMatrix returns the matrix that fits a viewBox into a width and a height.
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
