package blob

import (
	"encoding/xml"
	"io"
	"math"
	"strconv"
	"strings"
)

// svgBytes is the maximum number of bytes that are searched for the root element.
const svgBytes = 64 << 10

// svgSize returns the size of an SVG image in CSS pixels from the attributes of its root
// element, or zeros. The XML decoder supports only the five predefined entities, so no
// entities are expanded.
func svgSize(r io.Reader) (w, h int) {
	d := xml.NewDecoder(io.LimitReader(r, svgBytes))
	d.Strict = false
	for {
		t, err := d.RawToken()
		if err != nil {
			return 0, 0
		}
		if root, ok := t.(xml.StartElement); ok {
			if root.Name.Local != "svg" {
				return 0, 0
			}
			return svgRoot(root.Attr)
		}
	}
}

func svgRoot(attrs []xml.Attr) (int, int) {
	var w, h, boxW, boxH float64
	for _, a := range attrs {
		if a.Name.Space != "" {
			continue
		}
		switch a.Name.Local {
		case "width":
			w = svgLength(a.Value)
		case "height":
			h = svgLength(a.Value)
		case "viewBox":
			f := strings.FieldsFunc(a.Value, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
			if len(f) == 4 {
				boxW, boxH = svgLength(f[2]), svgLength(f[3])
			}
		}
	}
	// A missing width or height follows from the aspect ratio of the viewBox.
	if boxW > 0 && boxH > 0 {
		switch {
		case w == 0 && h == 0:
			w, h = boxW, boxH
		case w == 0:
			w = h * boxW / boxH
		case h == 0:
			h = w * boxH / boxW
		}
	}
	w, h = math.Round(w), math.Round(h)
	if !(w >= 1 && h >= 1 && w <= maxDimension && h <= maxDimension) { // rejects NaN too
		return 0, 0
	}
	return int(w), int(h)
}

// svgUnits are the absolute units in CSS pixels. Relative units depend on the page, so
// they determine no size.
var svgUnits = []struct {
	name   string
	pixels float64
}{
	{"px", 1}, {"pt", 96.0 / 72}, {"pc", 16}, {"in", 96}, {"cm", 96 / 2.54}, {"mm", 96 / 25.4}, {"q", 96 / 101.6},
}

// svgLength returns a length in pixels, or 0 if it is invalid.
func svgLength(s string) float64 {
	s = strings.ToLower(strings.TrimSpace(s))
	factor := 1.0
	for _, u := range svgUnits {
		if rest, ok := strings.CutSuffix(s, u.name); ok {
			s, factor = strings.TrimSpace(rest), u.pixels
			break
		}
	}
	// ParseFloat also accepts inf, nan, hexadecimal numbers and underscores.
	if s == "" || strings.Trim(s, "0123456789.+-e") != "" {
		return 0
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f <= 0 {
		return 0
	}
	return f * factor
}
