package frontmatter

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Meta is what the front matter of a page says. A zero field is one that is
// absent, or that says what is so anyway.
type Meta struct {
	// Title is read only: Head.Title is the title of the page, and Rewrite
	// takes it as an argument.
	Title         string
	Description   string
	Icon          string
	LinkTitle     string // what the navigation shows instead of the title
	ID            string // of the page, for those who want it in the file
	Hidden        bool
	NoIndex       bool // out of the search
	NoRobotsIndex bool // out of search engines
	If            string
	Tags          []docs.PageTag
	Vars          map[string]any // string, float64 or bool
	Cover         string
	CoverDark     string // what dark mode shows instead
	CoverY        float64
	CoverHeight   float64
	Layout        docs.Layout
	MetaLinks     docs.MetaLinks
	// Keys are those that were present, known or not, in their order. It is
	// read only as well.
	Keys []string
}

// Limits of values. The API has the same ones.
const (
	MaxVariable    = 256 // characters of a text
	minCoverHeight = 10
	maxCoverHeight = 700
)

var (
	widths  = []string{"default", "wide"}
	sizes   = []string{"full", "hero"}
	presets = []string{"docs", "editorial", "landing"}
)

// switches are the parts of a layout that are shown or not.
func switches(l *docs.Layout) map[string]**bool {
	return map[string]**bool{
		"title": &l.Title, "description": &l.Description, "tableOfContents": &l.TableOfContents, "outline": &l.Outline,
		"pagination": &l.Pagination, "metadata": &l.Metadata, "tags": &l.Tags, "actions": &l.Actions, "anchors": &l.Anchors,
	}
}

// metaReader reads values and keeps what is wrong with them. A wrong value
// is left out of Meta and stays in the source.
type metaReader struct {
	problems []Problem
	// offset is the number of lines above the YAML.
	offset int
}

// readMeta fills Meta from the front matter.
func (h *Head) readMeta() {
	r := &metaReader{offset: 1}
	m := &h.Meta
	r.each(h.front.root, "", func(key string, v *yaml.Node) {
		m.Keys = append(m.Keys, key)
		switch key {
		case "title":
			m.Title = CleanTitle(r.text(key, v))
		case "description":
			m.Description = r.text(key, v)
		case "icon":
			m.Icon = r.text(key, v)
		case "linkTitle":
			m.LinkTitle = CleanTitle(r.text(key, v))
		case "id":
			m.ID = r.text(key, v)
		case "if":
			m.If = r.text(key, v)
		case "hidden":
			m.Hidden = r.yes(key, v)
		case "noIndex":
			m.NoIndex = r.yes(key, v)
		case "noRobotsIndex":
			m.NoRobotsIndex = r.yes(key, v)
		case "tags":
			m.Tags = r.tags(v)
		case "vars":
			m.Vars = r.vars(v)
		case "cover":
			m.Cover, m.CoverDark = r.cover(v)
		case "coverY":
			m.CoverY = r.number(key, v, -math.MaxFloat64, math.MaxFloat64)
		case "coverHeight":
			m.CoverHeight = r.number(key, v, minCoverHeight, maxCoverHeight)
		case "layout":
			m.Layout = r.layout(v)
		case "metaLinks":
			m.MetaLinks = r.metaLinks(v)
		}
	})
	h.Problems = append(h.Problems, r.problems...)
}

func (r *metaReader) problem(n *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, Problem{n.Line + r.offset, "front matter: " + fmt.Sprintf(format, args...)})
}

// each calls f for every key of a mapping that is there for the first time.
func (r *metaReader) each(n *yaml.Node, name string, f func(key string, v *yaml.Node)) {
	if yamlNull(n) {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s must be a list of keys with values", name)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.problem(k, "a key must be a text")
		case seen[k.Value]:
			r.problem(k, "%s is there twice; the first one counts", k.Value)
		default:
			seen[k.Value] = true
			f(k.Value, v)
		}
	}
}

func yamlNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// text reads a scalar as it is written, so that a title can be 404 and a
// date needs no quotes.
func (r *metaReader) text(key string, n *yaml.Node) string {
	if yamlNull(n) {
		return ""
	}
	if !yamlText(n) {
		r.problem(n, "%s must be a text", key)
		return ""
	}
	return strings.TrimSpace(n.Value)
}

func yamlText(n *yaml.Node) bool {
	switch n.Tag {
	case "!!str", "!!int", "!!float", "!!bool", "!!timestamp":
		return n.Kind == yaml.ScalarNode
	}
	return false
}

func (r *metaReader) yes(key string, n *yaml.Node) bool {
	b := r.bool(key, n)
	return b != nil && *b
}

func (r *metaReader) bool(key string, n *yaml.Node) *bool {
	if yamlNull(n) {
		return nil
	}
	var b bool
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Decode(&b) != nil {
		r.problem(n, "%s must be true or false", key)
		return nil
	}
	return &b
}

func (r *metaReader) number(key string, n *yaml.Node, lo, hi float64) float64 {
	if yamlNull(n) {
		return 0
	}
	v, ok := yamlNumber(n)
	if !ok || v < lo || v > hi {
		if lo == -math.MaxFloat64 {
			r.problem(n, "%s must be a number", key)
		} else {
			r.problem(n, "%s must be a number from %v to %v", key, lo, hi)
		}
		return 0
	}
	return v
}

// maxExact is where not every whole number has a float of its own any more.
const maxExact = 1 << 53

// yamlNumber reads a number that JSON can carry without changing it.
func yamlNumber(n *yaml.Node) (float64, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" && n.Tag != "!!float" {
		return 0, false
	}
	if n.Tag == "!!int" {
		var i int64
		err := n.Decode(&i)
		return float64(i), err == nil && -maxExact <= i && i <= maxExact
	}
	var v float64
	err := n.Decode(&v)
	whole := strings.Trim(n.Value, "+-_0123456789") == "" // an integer beyond 64 bits
	return v, err == nil && !whole && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func (r *metaReader) oneOf(key string, n *yaml.Node, values []string) string {
	s := r.text(key, n)
	if s != "" && !slices.Contains(values, s) {
		r.problem(n, "%s must be one of %s", key, strings.Join(values, ", "))
		return ""
	}
	return s
}

func (r *metaReader) tags(n *yaml.Node) []docs.PageTag {
	if yamlNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.problem(n, "tags must be a list")
		return nil
	}
	var out []docs.PageTag
	for _, c := range n.Content {
		var t docs.PageTag
		if c.Kind == yaml.MappingNode {
			r.each(c, "tags", func(key string, v *yaml.Node) {
				switch key {
				case "tag":
					t.Tag = r.text("tag", v)
				case "primary":
					t.Primary = r.yes("primary", v)
				}
			})
		} else {
			t.Tag = r.text("a tag", c)
		}
		if t.Tag != "" {
			out = append(out, t)
		}
	}
	return out
}

func (r *metaReader) vars(n *yaml.Node) map[string]any {
	out := map[string]any{}
	r.each(n, "vars", func(key string, v *yaml.Node) {
		value, why := ReadVariable(v)
		if why != "" {
			r.problem(v, "the variable %s %s", key, why)
			return
		}
		out[key] = value
	})
	return out
}

// ReadVariable returns the value of a variable: a string, a float64 or a bool.
// For any other value why says what is wrong with it.
func ReadVariable(n *yaml.Node) (value any, why string) {
	if n.Kind == yaml.ScalarNode {
		switch n.Tag {
		case "!!bool":
			var b bool
			if n.Decode(&b) == nil {
				return b, ""
			}
		case "!!int", "!!float":
			if v, ok := yamlNumber(n); ok {
				return v, ""
			}
			return nil, "is a number that cannot be kept exactly; put it in quotes"
		case "!!str", "!!timestamp":
			if utf8.RuneCountInString(n.Value) > MaxVariable {
				return nil, fmt.Sprintf("is longer than %d characters", MaxVariable)
			}
			return n.Value, ""
		}
	}
	return nil, "must be a text, a number, true or false"
}

func (r *metaReader) cover(n *yaml.Node) (light, dark string) {
	if n.Kind != yaml.MappingNode {
		return r.text("cover", n), ""
	}
	r.each(n, "cover", func(key string, v *yaml.Node) {
		switch key {
		case "light":
			light = r.text("cover.light", v)
		case "dark":
			dark = r.text("cover.dark", v)
		}
	})
	return light, dark
}

func (r *metaReader) layout(n *yaml.Node) docs.Layout {
	var l docs.Layout
	if n.Kind == yaml.ScalarNode && !yamlNull(n) {
		l.Preset = r.oneOf("layout", n, presets)
		return l
	}
	parts := switches(&l)
	r.each(n, "layout", func(key string, v *yaml.Node) {
		switch key {
		case "width":
			l.Width = r.oneOf("layout.width", v, widths)
		case "cover":
			r.each(v, "layout.cover", func(key string, v *yaml.Node) {
				switch key {
				case "visible":
					l.CoverVisible = r.bool("layout.cover.visible", v)
				case "size":
					l.CoverSize = r.oneOf("layout.cover.size", v, sizes)
				case "mask":
					l.CoverMask = r.text("layout.cover.mask", v)
				}
			})
		default:
			part, known := parts[key]
			if !known {
				return
			}
			r.each(v, "layout."+key, func(sub string, v *yaml.Node) {
				if sub == "visible" {
					*part = r.bool("layout."+key+".visible", v)
				}
			})
		}
	})
	return l
}

func (r *metaReader) metaLinks(n *yaml.Node) docs.MetaLinks {
	var l docs.MetaLinks
	r.each(n, "metaLinks", func(key string, v *yaml.Node) {
		switch {
		case key == "canonical":
			l.Canonical = r.text("metaLinks.canonical", v)
		case key == "alternates" && v.Kind == yaml.SequenceNode:
			for _, c := range v.Content {
				if s := r.text("metaLinks.alternates", c); s != "" {
					l.Alternates = append(l.Alternates, s)
				}
			}
		case key == "alternates" && !yamlNull(v):
			r.problem(v, "metaLinks.alternates must be a list")
		}
	})
	return l
}

// clean gives a Meta in the one form that it has after it was read, without
// the fields that are only read.
func (m Meta) clean() Meta {
	m.Title, m.Keys = "", nil
	for _, s := range []*string{&m.Description, &m.Icon, &m.ID, &m.If, &m.Cover, &m.CoverDark, &m.Layout.CoverMask, &m.MetaLinks.Canonical} {
		*s = strings.TrimSpace(strings.ToValidUTF8(*s, "\ufffd"))
	}
	m.LinkTitle = CleanTitle(m.LinkTitle)
	tags := m.Tags
	m.Tags = nil
	for _, t := range tags {
		if t.Tag = strings.TrimSpace(strings.ToValidUTF8(t.Tag, "\ufffd")); t.Tag != "" {
			m.Tags = append(m.Tags, t)
		}
	}
	alternates := m.MetaLinks.Alternates
	m.MetaLinks.Alternates = nil
	for _, s := range alternates {
		if s = strings.TrimSpace(strings.ToValidUTF8(s, "\ufffd")); s != "" {
			m.MetaLinks.Alternates = append(m.MetaLinks.Alternates, s)
		}
	}
	if len(m.Vars) == 0 {
		m.Vars = nil
	}
	if m.Layout.Preset != "" {
		m.Layout = docs.Layout{Preset: m.Layout.Preset}
	}
	return m
}

func (m Meta) equal(o Meta) bool { return reflect.DeepEqual(m.clean(), o.clean()) }

// formatNumber writes a number so that it is read as the same one.
func formatNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) <= maxExact {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
