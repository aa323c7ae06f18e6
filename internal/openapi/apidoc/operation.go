package apidoc

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// operation writes an operation or a webhook. The first column has its title, its description and
// inputs, the second one samples and example responses. spec is the slug of the
// description; untitled omits the heading.
func (w *writer) operation(o *openapi.Operation, spec string, untitled bool) {
	w.block = w.blockAnchor(o)
	beside := w.beside(o, spec)
	class := ""
	if !beside.empty() {
		class, w.columns = "api-columns", true
	}
	w.tag("div", class, func() {
		w.tag("div", "api-about", func() {
			w.tag("header", "api-head", func() {
				if !untitled {
					w.heading(0, o.Title())
				}
				w.address(o)
			})
			w.base(o)
			w.markdown(o.Text)
			w.authentication(o.Security())
			w.parameters(o.Parameters())
			if !o.Webhook {
				w.omits = readOnly
			}
			w.place(placeBody, func() { w.body(o.Body()) })
			w.omits = nil
			w.place(placeResponse, func() { w.responses(o.Responses()) })
			w.place(placeCallback, func() { w.callbacks(o.Callbacks()) })
		})
		w.samples(beside)
	})
}

// methodClasses are the CSS classes of methods with a colour.
var methodClasses = map[string]string{"GET": "api-get", "POST": "api-post", "PUT": "api-put", "PATCH": "api-put", "DELETE": "api-delete"}

func (w *writer) method(o *openapi.Operation) {
	w.textElement("span", strings.TrimSpace("api-method "+methodClasses[o.Method]), o.Method)
}

func (w *writer) address(o *openapi.Operation) {
	w.tag("p", "api-address", func() {
		if o.Webhook {
			w.textElement("span", "api-badge", w.l.Webhook)
		}
		w.method(o)
		w.tag("code", "api-path", func() { w.path(o.Path) })
		switch {
		case o.Deprecated && o.Sunset != "":
			w.textElement("span", "api-badge api-danger", w.l.Deprecated+" "+w.l.Until+" "+o.Sunset)
		case o.Deprecated:
			w.textElement("span", "api-badge api-danger", w.l.Deprecated)
		case o.Stability != "":
			w.textElement("span", "api-badge api-warning", o.Stability)
		}
	})
}

// path writes a path with its parameters highlighted. Lines may break after slashes.
func (w *writer) path(path string) {
	for path != "" {
		from := strings.IndexByte(path, '{')
		to := strings.IndexByte(path, '}')
		if from < 0 || to < from {
			break
		}
		w.breakable(path[:from])
		w.textElement("span", "api-variable", path[from:to+1])
		path = path[to+1:]
	}
	w.breakable(path)
}

func (w *writer) breakable(s string) {
	for i, part := range strings.Split(s, "/") {
		if i > 0 {
			w.b.WriteString("/<wbr>")
		}
		w.escape(part)
	}
}

// part writes a section of an operation with its heading.
func (w *writer) part(title string, inner func()) {
	w.tag("section", "api-part", func() {
		w.heading(1, title)
		inner()
	})
}

func (w *writer) authentication(ways []openapi.Requirement) {
	if len(ways) == 0 {
		return
	}
	w.part(w.l.Authentication, func() {
		w.tag("ul", "api-fields", func() {
			for _, way := range ways {
				w.tag("li", "api-field", func() {
					if len(way) == 0 {
						w.textElement("p", "api-line", w.l.NoAuthentication)
					}
					for _, need := range way {
						w.scheme(need)
					}
				})
			}
		})
	})
}

func (w *writer) scheme(need openapi.Need) {
	s := need.Scheme
	w.tag("p", "api-line", func() {
		name := s.Key
		if s.Type != "apiKey" {
			name = "Authorization"
		}
		if s.Type != "mutualTLS" {
			w.textElement("code", "api-name", name)
		}
		w.textElement("span", "api-type", schemeType(s))
	})
	w.markdown(s.Text)
	if example := schemeExample(s); example != "" {
		w.tag("p", "api-fact", func() {
			w.textElement("span", "", w.l.Example+" ")
			w.textElement("code", "", example)
		})
	}
	if len(need.Scopes) > 0 {
		w.tag("p", "api-fact", func() {
			w.textElement("span", "", w.l.Scopes+" ")
			w.codes(need.Scopes)
		})
	}
}

func schemeType(s *openapi.Scheme) string {
	switch {
	case s.Type == "apiKey":
		return "API key (" + s.In + ")"
	case s.Type == "oauth2":
		return "OAuth 2"
	case s.Type == "openIdConnect":
		return "OpenID Connect"
	case s.Type == "mutualTLS":
		return "TLS certificate"
	case s.HTTP == "basic":
		return "HTTP Basic"
	case s.HTTP == "bearer":
		return "Bearer token"
	}
	return "HTTP " + s.HTTP
}

func schemeExample(s *openapi.Scheme) string {
	switch {
	case s.Type == "mutualTLS":
		return ""
	case s.HTTP == "basic":
		return "Authorization: Basic base64(username:password)"
	case s.Type == "apiKey" && s.In == "query":
		return "?" + s.Key + "=" + s.Token
	case s.Type == "apiKey" && s.In == "cookie":
		return "Cookie: " + s.Key + "=" + s.Token
	case s.Type == "apiKey":
		return s.Key + ": " + strings.TrimSpace(s.Prefix+" "+s.Token)
	}
	return "Authorization: " + strings.TrimSpace(s.Prefix+" "+s.Token)
}

// codes writes short values separated by spaces.
func (w *writer) codes(values []string) {
	for i, v := range values {
		if i > 0 {
			w.b.WriteString(" ")
		}
		w.textElement("code", "", v)
	}
}

func (w *writer) parameters(all []openapi.Parameter) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].In == all[0].In {
			n++
		}
		group := all[:n]
		all = all[n:]
		titles := map[string]string{"path": w.l.PathParameters, "query": w.l.QueryParameters, "header": w.l.HeaderParameters, "cookie": w.l.CookieValues}
		w.part(titles[group[0].In], func() {
			w.place(group[0].In, func() { w.parameterList(group) })
		})
	}
}

func (w *writer) parameterList(all []openapi.Parameter) {
	w.tag("ul", "api-fields", func() {
		for _, p := range all {
			if w.left--; w.left < 0 {
				w.textElement("li", "api-field", "…")
				return
			}
			w.field(p.Name, func(anchor string) {
				v := p.Schema.View()
				if p.Text != "" {
					v.Text = p.Text
				}
				v.Deprecated = v.Deprecated || p.Deprecated
				if v.Example == "" {
					v.Example = p.Example()
				}
				w.property(anchor, openapi.Property{Name: p.Name, Required: p.Required, Schema: p.Schema}, v, 0)
			})
		}
	})
}

func (w *writer) body(b *openapi.Body) {
	if b == nil {
		return
	}
	w.part(w.l.Body, func() {
		w.markdown(b.Text)
		w.content(b.Content, b.Required)
	})
}

// content writes the media types of a body. Adjacent media types with the same schema are
// written once. The anchors of all fields but those of the first media types contain the media type.
func (w *writer) content(all []openapi.Media, required bool) {
	for first := true; len(all) > 0; first = false {
		n := 1
		for n < len(all) && all[n].Schema.ID() == all[0].Schema.ID() {
			n++
		}
		same := all[:n]
		all = all[n:]
		w.tag("p", "api-media", func() {
			for i, m := range same {
				if i > 0 {
					w.b.WriteString(" ")
				}
				w.textElement("code", "", m.Type)
			}
			if !same[0].Schema.IsZero() {
				w.textElement("span", "api-type", same[0].Schema.Label())
			}
			if required {
				w.textElement("span", "api-required", w.l.Required)
			}
		})
		if first {
			w.schema(same[0].Schema, 0)
		} else {
			w.inside(same[0].Type, func() { w.schema(same[0].Schema, 0) })
		}
	}
}

func (w *writer) responses(all []openapi.Response) {
	if len(all) == 0 {
		return
	}
	all = all[:min(len(all), maxResponses)]
	w.part(w.l.Responses, func() {
		for i, r := range all {
			open := ""
			if i == 0 {
				open = " open"
			}
			w.b.WriteString(`<details class="api-response"` + open + ">")
			w.tag("summary", "", func() {
				w.status(r.Status)
				w.textElement("span", "api-summary", firstLine(r.Text))
			})
			w.tag("div", "api-inside", func() { w.inside(r.Status, func() { w.response(r) }) })
			w.b.WriteString("</details>")
		}
	})
}

func (w *writer) status(status string) {
	class := "api-status"
	if len(status) == 3 && strings.ContainsAny(status[:1], "12345") {
		class += " api-status-" + status[:1]
	}
	w.textElement("span", class, status)
}

// firstLine returns the first line of a description, for a summary.
func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const most = 120
	return strings.NewReplacer("`", "", "**", "", "__", "").Replace(docs.ClipBytes(line, most))
}

func (w *writer) response(r openapi.Response) {
	if text := strings.TrimSpace(r.Text); text != firstLine(text) {
		w.markdown(text)
	}
	if len(r.Headers) > 0 {
		w.textElement("p", "api-label", w.l.ResponseHeaders)
		w.place("header", func() { w.parameterList(r.Headers) })
	}
	w.omits = writeOnly
	w.content(r.Content, false)
	w.omits = nil
}

func (w *writer) callbacks(all []openapi.Callback) {
	if len(all) == 0 {
		return
	}
	w.part(w.l.Callbacks, func() {
		for _, c := range all {
			for _, o := range c.Operations {
				w.tag("details", "api-response", func() {
					w.tag("summary", "", func() {
						w.method(o)
						w.textElement("code", "api-path", o.Path)
						w.textElement("span", "api-summary", c.Name)
					})
					w.tag("div", "api-inside", func() { w.inside(c.Name+" "+o.Method, func() { w.callback(o) }) })
				})
			}
		}
	})
}

// callback writes a request that the API sends because of an operation.
func (w *writer) callback(o *openapi.Operation) {
	w.markdown(o.Text)
	w.parameters(o.Parameters())
	w.place(placeBody, func() { w.body(o.Body()) })
	for _, r := range o.Responses() {
		w.tag("p", "api-line", func() {
			w.status(r.Status)
			w.escape(" " + firstLine(r.Text))
		})
	}
}
