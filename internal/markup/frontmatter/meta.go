package frontmatter

import (
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// Meta is the content of front matter. A zero field is absent or has its default
// value.
type Meta struct {
	// Title is ignored by Rewrite, which has an argument for the title of the
	// page: the title need not be in the front matter.
	Title         string
	Description   string
	Icon          string
	LinkTitle     string // shown in the navigation instead of the title
	ID            string // id of the page, if it is to be in the file
	Hidden        bool
	NoIndex       bool // excluded from the search
	NoRobotsIndex bool // excluded from search engines
	If            string
	Tags          []docs.PageTag
	Vars          map[string]any // string, float64 or bool
	Cover         string
	CoverDark     string // replaces Cover in dark mode
	CoverY        float64
	CoverHeight   float64
	Layout        docs.Layout
	MetaLinks     docs.MetaLinks
	// Keys are the keys in their order, including unknown ones. Rewrite ignores
	// it.
	Keys []string
}

// Limits of values. The API has the same limits.
const (
	MaxVariable    = 256 // characters
	minCoverHeight = 10
	maxCoverHeight = 700
)

var (
	widths  = []string{"default", "wide"}
	sizes   = []string{"full", "hero", "background"}
	presets = []string{"docs", "editorial", "landing"}
)

// switches returns the parts of a layout that can be hidden, by their key.
func switches(l *docs.Layout) map[string]**bool {
	return map[string]**bool{
		"title": &l.Title, "description": &l.Description, "tableOfContents": &l.TableOfContents, "outline": &l.Outline,
		"pagination": &l.Pagination, "metadata": &l.Metadata, "tags": &l.Tags, "actions": &l.Actions, "anchors": &l.Anchors,
	}
}

// metaReader reads the values of front matter. An invalid value is a problem: it
// is not in Meta, but remains in the source.
type metaReader struct{ yamldoc.Reader }

// readMeta sets Meta to the values of the front matter.
func (h *Head) readMeta() {
	r := metaReader{yamldoc.Reader{Report: func(line int, format string, args ...any) {
		// The line of dashes precedes the YAML.
		h.Problems = append(h.Problems, Problem{line + 1, "front matter: " + fmt.Sprintf(format, args...)})
	}}}
	m := &h.Meta
	r.Each(h.front.root, "it", func(k, v *yaml.Node) {
		key := k.Value
		m.Keys = append(m.Keys, key)
		switch key {
		case "title":
			m.Title = CleanTitle(r.Text(key, v))
		case "description":
			m.Description = r.Text(key, v)
		case "icon":
			m.Icon = r.Text(key, v)
		case "linkTitle":
			m.LinkTitle = CleanTitle(r.Text(key, v))
		case "id":
			m.ID = r.Text(key, v)
		case "if":
			m.If = r.condition(key, v)
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
			m.CoverY = r.Number(key, v)
		case "coverHeight":
			m.CoverHeight = r.NumberIn(key, v, minCoverHeight, maxCoverHeight)
		case "layout":
			m.Layout = r.layout(v)
		case "metaLinks":
			m.MetaLinks = r.metaLinks(v)
		}
	})
}

func (r metaReader) yes(key string, n *yaml.Node) bool {
	b := r.Bool(key, n)
	return b != nil && *b
}

func (r metaReader) tags(n *yaml.Node) []docs.PageTag {
	if yamldoc.IsNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.Problem(n, "tags must be a list")
		return nil
	}
	var out []docs.PageTag
	for _, c := range n.Content {
		var t docs.PageTag
		if c.Kind == yaml.MappingNode {
			r.Each(c, "tags", func(key, v *yaml.Node) {
				switch key.Value {
				case "tag":
					t.Tag = r.Text("tag", v)
				case "primary":
					t.Primary = r.yes("primary", v)
				}
			})
		} else {
			t.Tag = r.Text("a tag", c)
		}
		if t.Tag != "" {
			out = append(out, t)
		}
	}
	return out
}

func (r metaReader) vars(n *yaml.Node) map[string]any {
	out := map[string]any{}
	r.Each(n, "vars", func(key, v *yaml.Node) {
		value, why := ReadVariable(v)
		if why != "" {
			r.Problem(v, "the variable %s %s", key.Value, why)
			return
		}
		out[key.Value] = value
	})
	return out
}

// ReadVariable returns the value of a variable: a string, a float64 or a bool.
// For any other value, why is the reason why it is not valid.
func ReadVariable(n *yaml.Node) (value any, why string) {
	if n.Kind == yaml.ScalarNode {
		switch n.Tag {
		case "!!bool":
			if b, ok := yamldoc.Bool(n); ok {
				return b, ""
			}
		case "!!int", "!!float":
			if v, ok := yamldoc.Number(n); ok {
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

func (r metaReader) cover(n *yaml.Node) (light, dark string) {
	if n.Kind != yaml.MappingNode {
		return r.Text("cover", n), ""
	}
	r.Each(n, "cover", func(key, v *yaml.Node) {
		switch key.Value {
		case "light":
			light = r.Text("cover.light", v)
		case "dark":
			dark = r.Text("cover.dark", v)
		}
	})
	return light, dark
}

func (r metaReader) layout(n *yaml.Node) docs.Layout {
	var l docs.Layout
	if n.Kind == yaml.ScalarNode && !yamldoc.IsNull(n) {
		l.Preset = r.OneOf("layout", n, presets)
		return l
	}
	parts := switches(&l)
	r.Each(n, "layout", func(key, v *yaml.Node) {
		switch key.Value {
		case "width":
			l.Width = r.OneOf("layout.width", v, widths)
		case "cover":
			r.Each(v, "layout.cover", func(key, v *yaml.Node) {
				switch key.Value {
				case "visible":
					l.CoverVisible = r.Bool("layout.cover.visible", v)
				case "size":
					l.CoverSize = r.OneOf("layout.cover.size", v, sizes)
				case "mask":
					l.CoverMask = r.Text("layout.cover.mask", v)
				}
			})
		default:
			part, known := parts[key.Value]
			if !known {
				return
			}
			name := "layout." + key.Value
			r.Each(v, name, func(key, v *yaml.Node) {
				if key.Value == "visible" {
					*part = r.Bool(name+".visible", v)
				}
			})
		}
	})
	return l
}

func (r metaReader) metaLinks(n *yaml.Node) docs.MetaLinks {
	var l docs.MetaLinks
	r.Each(n, "metaLinks", func(key, v *yaml.Node) {
		switch {
		case key.Value == "canonical":
			l.Canonical = r.Text("metaLinks.canonical", v)
		case key.Value == "alternates" && v.Kind == yaml.SequenceNode:
			for _, c := range v.Content {
				if s := r.Text("metaLinks.alternates", c); s != "" {
					l.Alternates = append(l.Alternates, s)
				}
			}
		case key.Value == "alternates" && !yamldoc.IsNull(v):
			r.Problem(v, "metaLinks.alternates must be a list")
		}
	})
	return l
}

// clean returns m as Parse would return it after Rewrite, without the fields that
// Rewrite ignores.
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
