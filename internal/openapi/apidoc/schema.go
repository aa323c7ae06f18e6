package apidoc

import (
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// schema writes the fields, options and elements of a schema. A schema that contains
// itself or is nested too deep is shown as a link to its model.
func (w *writer) schema(s openapi.Schema, depth int) {
	if s.IsZero() {
		return
	}
	id := s.ID()
	if w.above[id] || depth > maxDepth || w.left <= 0 {
		w.modelLink(s)
		return
	}
	w.above[id] = true
	defer delete(w.above, id)
	v := s.View()
	if depth == 0 {
		w.markdown(v.Text)
		w.facts(v)
	}
	w.below(v, depth)
}

// below writes the fields, options and elements of a schema.
func (w *writer) below(v *openapi.View, depth int) {
	if len(v.Properties) > 0 || !v.Additional.IsZero() && !isPlain(v.Additional.View()) {
		w.tag("ul", "api-fields", func() {
			for _, p := range v.Properties {
				in := p.Schema.View()
				if w.omits != nil && w.omits(in) {
					continue
				}
				if w.left--; w.left < 0 {
					w.textElement("li", "api-field", "…")
					return
				}
				w.field(p.Name, func(anchor string) { w.property(anchor, p, in, depth) })
			}
			if a := v.Additional; !a.IsZero() {
				w.field(anyName, func(anchor string) {
					w.property(anchor, openapi.Property{Name: w.l.AnyName, Pattern: true, Schema: a}, a.View(), depth)
				})
			}
		})
	}
	w.options(v, depth)
	if !v.Items.IsZero() && !isPlain(v.Items.View()) {
		w.schema(v.Items, depth)
	}
}

// property writes the content of a field.
func (w *writer) property(anchor string, p openapi.Property, v *openapi.View, depth int) {
	w.line(anchor, p, v)
	w.markdown(v.Text)
	w.facts(v)
	w.more(p.Schema, v, depth)
}

// line writes the name, the type and the constraints of a field, and the link to its anchor.
func (w *writer) line(anchor string, p openapi.Property, v *openapi.View) {
	w.tag("p", "api-line", func() {
		class := "api-name"
		if p.Pattern {
			class += " api-pattern"
		}
		w.textElement("code", class, p.Name)
		label := v.Label()
		if p.Schema.Name() != "" && !isPlain(v) && !strings.HasPrefix(label, "array") {
			label = p.Schema.Name()
		}
		w.textElement("span", "api-type", label)
		flag := func(set bool, class, label string) {
			if set {
				w.textElement("span", class, label)
			}
		}
		flag(p.Required, "api-required", w.l.Required)
		flag(v.Deprecated, "api-badge api-danger", w.l.Deprecated)
		flag(v.ReadOnly, "api-flag", w.l.ReadOnly)
		flag(v.WriteOnly, "api-flag", w.l.WriteOnly)
		for _, c := range v.Constraints {
			w.tag("span", "api-flag", func() {
				w.escape(c.Name)
				if c.Value != "" {
					w.escape(" ")
					w.textElement("code", "", c.Value)
				}
			})
		}
		w.anchorLink(anchor, p.Name)
	})
}

// facts writes the enumeration, the constant, the default and the example of a schema,
// and the enumeration of its elements.
func (w *writer) facts(v *openapi.View) {
	fact := func(label, value string) {
		if value != "" {
			w.tag("p", "api-fact", func() {
				w.textElement("span", "", label+" ")
				w.textElement("code", "", value)
			})
		}
	}
	w.values(v)
	for _, s := range []openapi.Schema{v.Items, v.Additional} {
		if !s.IsZero() && isPlain(v) { // plain elements are not shown on their own
			w.values(s.View())
		}
	}
	fact(w.l.Always, v.Const)
	fact(w.l.Default, v.Default)
	if isPlain(v) {
		fact(w.l.Example, v.Example)
	}
}

// values writes an enumeration.
func (w *writer) values(v *openapi.View) {
	if len(v.Enum) == 0 {
		return
	}
	about := false
	for _, e := range v.Enum {
		about = about || e.Description != ""
	}
	if about {
		w.tag("dl", "api-values", func() {
			for _, e := range v.Enum {
				w.tag("dt", "", func() { w.textElement("code", "", e.Text) })
				w.tag("dd", "", func() { w.markdown(e.Description) })
			}
		})
		return
	}
	w.tag("p", "api-fact", func() {
		w.textElement("span", "", w.l.Values+" ")
		for _, e := range v.Enum {
			w.textElement("code", "", e.Text)
			w.b.WriteString(" ")
		}
		if v.MoreEnum > 0 {
			w.escape("+" + strconv.Itoa(v.MoreEnum))
		}
	})
}

// isPlain reports whether there is nothing to show below a schema.
func isPlain(v *openapi.View) bool {
	if len(v.Properties) > 0 || len(v.Options) > 0 {
		return false
	}
	for _, s := range []openapi.Schema{v.Items, v.Additional} {
		if s.IsZero() {
			continue
		}
		if !leaf(s.View()) {
			return false
		}
	}
	return true
}

// leaf reports whether a schema has no fields, options or elements.
func leaf(v *openapi.View) bool {
	return len(v.Properties) == 0 && len(v.Options) == 0 && v.Items.IsZero() && v.Additional.IsZero()
}

// more writes the content of a field's schema as a closed details element.
func (w *writer) more(s openapi.Schema, v *openapi.View, depth int) {
	if isPlain(v) {
		return
	}
	if w.above[s.ID()] || depth+1 > maxDepth || w.left <= 0 {
		w.modelLink(s)
		return
	}
	// The elements of an array can have a schema that contains this field.
	inner := v.Items
	for range maxDepth {
		if inner.IsZero() {
			break
		}
		if w.above[inner.ID()] {
			w.modelLink(inner)
			return
		}
		inner = inner.View().Items
	}
	w.tag("details", "api-more", func() {
		w.textElement("summary", "", w.summary(s, v))
		w.above[s.ID()] = true
		w.below(v, depth+1)
		delete(w.above, s.ID())
	})
}

// summary returns the title of a closed details element.
func (w *writer) summary(s openapi.Schema, v *openapi.View) string {
	name := s.Name()
	if name == "" {
		name = v.Items.Name()
	}
	title := w.l.Properties
	switch {
	case len(v.Properties) > 0:
	case len(v.Options) > 0 && v.AnyOf:
		title = w.l.AnyOf
	case len(v.Options) > 0:
		title = w.l.OneOf
	case !v.Items.IsZero():
		title = w.l.ItemsOf
	}
	if name != "" {
		title += ": " + name
	}
	return title
}

// options writes the alternatives of oneOf or anyOf.
func (w *writer) options(v *openapi.View, depth int) {
	if len(v.Options) == 0 {
		return
	}
	title := w.l.OneOf
	if v.AnyOf {
		title = w.l.AnyOf
	}
	w.tag("div", "api-options", func() {
		w.tag("p", "api-label", func() {
			w.escape(title)
			if v.Discriminator != "" {
				w.escape(" ")
				w.textElement("code", "", v.Discriminator)
			}
		})
		for _, o := range v.Options {
			if w.left--; w.left < 0 {
				w.textElement("p", "", "…")
				return
			}
			w.option(o, depth)
		}
	})
}

func (w *writer) option(o openapi.Option, depth int) {
	v := o.Schema.View()
	head := func() {
		w.textElement("span", "api-option", o.Label)
		if o.Value != "" {
			w.textElement("code", "", o.Value)
		}
		if isPlain(v) && v.Label() != o.Label {
			w.textElement("span", "api-type", v.Label())
		}
	}
	if isPlain(v) {
		w.tag("div", "api-choice", func() {
			w.tag("p", "api-line", head)
			w.markdown(v.Text)
			w.facts(v)
		})
		return
	}
	w.tag("details", "api-choice", func() {
		w.tag("summary", "", head)
		w.tag("div", "api-inside", func() {
			if !w.above[o.Schema.ID()] {
				w.markdown(v.Text)
			}
			w.inside(o.Label, func() { w.schema(o.Schema, depth+1) })
		})
	})
}

// modelLink writes a link to the model of a schema. The model is added below the block if
// the page does not have it.
func (w *writer) modelLink(s openapi.Schema) {
	name := s.Name()
	if name == "" {
		w.textElement("p", "api-fact", w.l.Recursive)
		return
	}
	key := modelKey{w.d, name}
	anchor, known := w.models[key]
	if !known {
		if !s.Listed() || len(w.wanted) >= maxModels {
			w.tag("p", "api-fact", func() { w.textElement("code", "", name) })
			return
		}
		anchor = w.modelAnchor(name)
		w.models[key] = anchor
		w.wanted = append(w.wanted, s)
	}
	w.tag("p", "api-fact", func() {
		w.b.WriteString(`<a href="#` + anchor + `">`)
		w.escape(name)
		w.b.WriteString("</a>")
	})
}

// modelAnchor returns an unused anchor for a model.
func (w *writer) modelAnchor(name string) string { return w.unused("model-" + markup.Slug(name)) }

// wantedModels writes the models that the block links to, and the models that these link
// to.
func (w *writer) wantedModels() {
	if len(w.wanted) == 0 {
		return
	}
	w.left = max(w.left, min(maxFields, w.fields)/2)
	w.tag("section", "api-part api-models", func() {
		w.heading(1, w.l.Models)
		for i := 0; i < len(w.wanted); i++ {
			w.model(w.wanted[i], w.models[modelKey{w.d, w.wanted[i].Name()}], false)
		}
	})
}

// model writes a model with its anchor.
func (w *writer) model(s openapi.Schema, anchor string, open bool) {
	w.b.WriteString(`<details class="api-model"`)
	if open {
		w.b.WriteString(" open")
	}
	w.b.WriteString(">")
	w.tag("summary", "", func() {
		w.textElement("code", "api-name", s.Name())
		w.textElement("span", "api-type", s.Label())
	})
	// The anchor is inside of the details element, because following a link to it opens
	// the element.
	w.b.WriteString(`<div class="api-inside" id="` + anchor + `">`)
	w.under(anchor+"--"+placeModel, func() { w.schema(s, 0) })
	w.b.WriteString("</div></details>")
}

// schemas writes the models of a block, or all models if it names none. It reports
// whether there are any.
func (w *writer) schemas(b markup.APIBlock) bool {
	list := w.d.Schemas
	if len(b.Schemas) > 0 {
		list = nil
		for _, name := range b.Schemas {
			if s, ok := w.d.Schema(name); ok {
				list = append(list, s)
			}
		}
	}
	if len(list) == 0 {
		return false
	}
	anchors := make([]string, len(list))
	for i, s := range list {
		anchors[i] = w.modelAnchor(s.Name())
		if _, known := w.models[modelKey{w.d, s.Name()}]; !known {
			w.models[modelKey{w.d, s.Name()}] = anchors[i]
		}
	}
	if b.Title != "" {
		w.heading(0, b.Title)
	}
	w.left = w.fields
	for i, s := range list {
		w.model(s, anchors[i], len(list) == 1)
	}
	return true
}
