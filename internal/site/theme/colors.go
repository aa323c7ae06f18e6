package theme

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/cache"
)

// Colors are the colours that a site chooses, as #rrggbb. For an empty or malformed colour, the
// default of the style sheet is used.
type Colors struct {
	Primary                        Tone
	Info, Success, Warning, Danger Tone // of hints
	Tint                           Tone // of surfaces
	Bar, BarLinks                  Tone // of the header
	Code                           CodeTheme
	APICode                        CodeTheme // in API descriptions
}

// Tone is a colour in light and in dark mode.
type Tone struct{ Light, Dark string }

// Backgrounds of the style sheet, the proportion of a colour in backgrounds that are tinted
// with it, and the minimum contrast of text on them.
const (
	lightPaper  = "#ffffff"
	darkPaper   = "#101215"
	wash        = 0.12
	minContrast = 4.5
)

// css returns the style of links, buttons and hints. Colours of text are made darker or lighter
// until they are readable.
func (c Colors) css() string {
	if css, ok := colorStyles.Get(c); ok {
		return css
	}
	css := c.style()
	colorStyles.Set(c, css)
	return css
}

// maxColorStyles is the maximum size of all cached styles, in bytes.
const maxColorStyles = 256 << 10

// colorStyles caches the styles of colours: a site has few, and every page needs them.
var colorStyles = cache.New[Colors](maxColorStyles, func(css string) int { return 512 + len(css) })

func (c Colors) style() string {
	var b strings.Builder
	if light, dark, ok := c.Primary.parse(); ok {
		fmt.Fprintf(&b, "--primary:light-dark(%s,%s);--on-primary:light-dark(%s,%s);--link:light-dark(%s,%s);",
			light, dark, light.over(), dark.over(), light.readable(lightPaper), dark.readable(darkPaper))
	}
	for _, t := range []struct {
		name string
		tone Tone
	}{{"info", c.Info}, {"success", c.Success}, {"warning", c.Warning}, {"danger", c.Danger}} {
		if light, dark, ok := t.tone.parse(); ok {
			fmt.Fprintf(&b, "--%s:light-dark(%s,%s);", t.name, light.readable(lightPaper), dark.readable(darkPaper))
		}
	}
	if light, dark, ok := c.Tint.parse(); ok {
		fmt.Fprintf(&b, "--tint:light-dark(%s,%s);", light, dark)
	}
	if light, dark, ok := c.Bar.parse(); ok {
		fmt.Fprintf(&b, "--bar:light-dark(%s,%s);--on-bar:light-dark(%s,%s);", light, dark, light.over(), dark.over())
		if l, d, ok := c.BarLinks.parse(); ok {
			fmt.Fprintf(&b, "--bar-link:light-dark(%s,%s);", l.readable(light.String()), d.readable(dark.String()))
		}
	}
	b.WriteString(c.Code.style())
	css := ""
	if b.Len() > 0 {
		css = ":root{" + strings.TrimSuffix(b.String(), ";") + "}"
	}
	if c.APICode == c.Code {
		return css
	}
	if own := c.APICode.colors(); own != "" {
		css += ".openapi{" + strings.TrimSuffix(own, ";") + "}"
	}
	return css
}

// parse returns the two colours of a tone. Without a dark one, both are the light one.
func (t Tone) parse() (light, dark color, ok bool) {
	if light, ok = parseColor(t.Light); !ok {
		return light, dark, false
	}
	if dark, ok = parseColor(t.Dark); !ok {
		dark = light
	}
	return light, dark, true
}

// color is red, green and blue, from 0 to 1.
type color [3]float64

// parseColor parses #rgb or #rrggbb.
func parseColor(s string) (c color, ok bool) {
	if len(s) == 4 && s[0] == '#' {
		s = string([]byte{'#', s[1], s[1], s[2], s[2], s[3], s[3]})
	}
	if len(s) != 7 || s[0] != '#' {
		return c, false
	}
	for i := range c {
		n, err := strconv.ParseUint(s[1+2*i:3+2*i], 16, 8)
		if err != nil {
			return color{}, false
		}
		c[i] = float64(n) / 255
	}
	return c, true
}

func (c color) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(math.Round(c[0]*255)), int(math.Round(c[1]*255)), int(math.Round(c[2]*255)))
}

// luminance returns the relative luminance of a color, as defined by WCAG 2.
func (c color) luminance() float64 {
	for i, v := range c {
		if v <= 0.04045 {
			c[i] = v / 12.92
		} else {
			c[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2]
}

func contrast(a, b color) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// over returns the color of text on a surface of this color.
func (c color) over() color {
	white, black := color{1, 1, 1}, color{}
	if contrast(c, white) >= contrast(c, black) {
		return white
	}
	return black
}

// readable returns the color mixed with the opposite of the paper color, until it has enough
// contrast on the paper, and on paper that is tinted with c.
func (c color) readable(paper string) color {
	on, _ := parseColor(paper)
	far, tinted := on.over(), on.mix(c, wash)
	for step := 0.0; step <= 1; step += 0.05 {
		if mixed := c.mix(far, step); contrast(mixed, on) >= minContrast && contrast(mixed, tinted) >= minContrast {
			return mixed
		}
	}
	return far
}

// mix returns the color mixed with a part of another color, from 0 to 1.
func (c color) mix(other color, part float64) color {
	for i := range c {
		c[i] += (other[i] - c[i]) * part
	}
	return c
}
