package openapi

import (
	"slices"
	"strings"
)

// Parameter is a parameter of a request, or a header of a response.
type Parameter struct {
	Name       string
	In         string // path, query, header or cookie
	Text       string // Markdown
	Required   bool
	Deprecated bool
	Schema     Schema
	example    *node
}

// Body is the body of a request.
type Body struct {
	Text     string
	Required bool
	Content  []Media
}

// Media is a media type of a body.
type Media struct {
	Type     string
	Schema   Schema
	examples []Example
}

// Response is a response of an operation.
type Response struct {
	Status  string // such as 200, 4XX or default
	Text    string
	Headers []Parameter
	Content []Media
}

// Callback is a request that the API sends because of an operation.
type Callback struct {
	Name       string
	Operations []*Operation
}

// Servers returns the servers of the operation, of its path, or of the description: the
// first that are declared.
func (o *Operation) Servers() []Server {
	for _, p := range []fileNode{o.p, o.item} {
		if p.n.get("servers") != nil && o.d.format != swagger2 {
			return o.d.servers(p)
		}
	}
	return o.d.Servers
}

// Parameters returns the parameters in the order path, query, header, cookie. Within a
// location they are in the order of the description.
func (o *Operation) Parameters() []Parameter {
	var out []Parameter
	for _, p := range o.parameters() {
		in := p.n.str("in")
		if in == "body" || in == "formData" || internal(p.n) {
			continue
		}
		out = append(out, o.d.parameter(p, p.n.str("name"), in))
	}
	order := []string{"path", "query", "header", "cookie"}
	slices.SortStableFunc(out, func(a, b Parameter) int { return slices.Index(order, a.In) - slices.Index(order, b.In) })
	return out
}

// parameters returns the parameters of the path and of the operation. A parameter of the
// operation replaces one of the path with the same name and location.
func (o *Operation) parameters() []fileNode {
	type key struct{ name, in string }
	at := map[key]int{}
	var out []fileNode
	for _, from := range []fileNode{o.item, o.p} {
		for _, n := range from.n.get("parameters").items() {
			p, _ := o.d.src.follow(fileNode{from.f, n})
			if p.n == nil || p.n.kind != object {
				continue
			}
			k := key{p.n.str("name"), p.n.str("in")}
			if i, ok := at[k]; ok {
				out[i] = p
				continue
			}
			if len(out) >= maxParameters {
				return out
			}
			at[k] = len(out)
			out = append(out, p)
		}
	}
	return out
}

// parameter returns the parameter or header at p.
func (d *Description) parameter(p fileNode, name, in string) Parameter {
	out := Parameter{Name: name, In: in, Text: p.n.str("description"), Required: p.n.is("required") || in == "path",
		Deprecated: p.n.is("deprecated"), example: given(p.n)}
	switch {
	case p.n.get("schema") != nil:
		out.Schema = d.schema(p.get("schema"))
	case p.n.get("content") != nil && p.n.get("content").kind == object && len(p.n.get("content").kids) > 0:
		out.Schema = d.schema(fileNode{p.f, p.n.get("content").kids[0]}.get("schema"))
	case d.format == swagger2:
		out.Schema = d.schema(fileNode{p.f, without(p.n, "name", "in", "description", "required")})
	}
	if out.example == nil {
		out.example = d.namedExample(p)
	}
	return out
}

// namedExample returns the value of the first named example of a parameter, or nil.
func (d *Description) namedExample(p fileNode) *node {
	all := p.get("examples")
	if all.n == nil || all.n.kind != object || len(all.n.kids) == 0 {
		return nil
	}
	e, _ := d.src.follow(fileNode{all.f, all.n.kids[0]})
	return e.n.get("value")
}

// without returns a copy of an object without some of its keys.
func without(n *node, keys ...string) *node {
	out := &node{kind: object, line: n.line}
	for i, k := range n.keys {
		if !slices.Contains(keys, k) {
			out.keys, out.kids = append(out.keys, k), append(out.kids, n.kids[i])
		}
	}
	return out
}

// Body returns the body of a request, or nil.
func (o *Operation) Body() *Body {
	if o.d.format == swagger2 {
		return o.swaggerBody()
	}
	p, _ := o.d.src.follow(o.p.get("requestBody"))
	if p.n == nil || p.n.kind != object {
		return nil
	}
	return &Body{Text: p.n.str("description"), Required: p.n.is("required"), Content: o.d.content(p.get("content"))}
}

// swaggerBody returns a body from the body or formData parameters of Swagger 2.0, or nil.
func (o *Operation) swaggerBody() *Body {
	form := &node{kind: object}
	required := &node{kind: list}
	upload := false
	for _, p := range o.parameters() {
		switch p.n.str("in") {
		case "body":
			b := &Body{Text: p.n.str("description"), Required: p.n.is("required")}
			for _, t := range o.mediaTypes("consumes") {
				b.Content = append(b.Content, Media{Type: t, Schema: o.d.schema(p.get("schema"))})
			}
			return b
		case "formData":
			form.keys, form.kids = append(form.keys, p.n.str("name")), append(form.kids, without(p.n, "name", "in", "required"))
			if p.n.is("required") {
				required.kids = append(required.kids, &node{kind: text, text: p.n.str("name")})
			}
			upload = upload || p.n.str("type") == "file"
		}
	}
	if len(form.keys) == 0 {
		return nil
	}
	schema := &node{kind: object, keys: []string{"type", "properties", "required"}, kids: []*node{{kind: text, text: "object"}, form, required}}
	t := "application/x-www-form-urlencoded"
	if upload {
		t = "multipart/form-data"
	}
	return &Body{Required: len(required.kids) > 0, Content: []Media{{Type: t, Schema: Schema{o.d, fileNode{o.p.f, schema}, ""}}}}
}

// mediaTypes returns the media types of the operation, or else those of the description.
func (o *Operation) mediaTypes(key string) []string {
	for _, n := range []*node{o.p.n, o.d.src.files[o.d.src.root].root} {
		if types := n.get(key).texts(); len(types) > 0 {
			return types[:min(len(types), maxMedia)]
		}
	}
	return []string{"application/json"}
}

func (d *Description) content(p fileNode) []Media {
	if p.n == nil || p.n.kind != object {
		return nil
	}
	var out []Media
	for i, t := range p.n.keys[:min(len(p.n.keys), maxMedia)] {
		at := fileNode{p.f, p.n.kids[i]}
		out = append(out, Media{Type: t, Schema: d.schema(at.get("schema")), examples: d.givenExamples(at)})
	}
	return out
}

// Responses returns the responses in the order of the description.
func (o *Operation) Responses() []Response {
	all := o.p.get("responses")
	if all.n == nil || all.n.kind != object {
		return nil
	}
	var out []Response
	for i, status := range all.n.keys {
		p, _ := o.d.src.follow(fileNode{all.f, all.n.kids[i]})
		if p.n == nil || p.n.kind != object || strings.HasPrefix(status, "x-") {
			continue
		}
		r := Response{Status: status, Text: p.n.str("description"), Content: o.d.content(p.get("content"))}
		if o.d.format == swagger2 {
			r.Content = o.swaggerContent(p)
		}
		if headers := p.get("headers"); headers.n != nil && headers.n.kind == object {
			for i, name := range headers.n.keys[:min(len(headers.n.keys), maxHeaders)] {
				if h, _ := o.d.src.follow(fileNode{headers.f, headers.n.kids[i]}); h.n != nil && h.n.kind == object {
					r.Headers = append(r.Headers, o.d.parameter(h, name, "header"))
				}
			}
		}
		out = append(out, r)
	}
	return out
}

// swaggerContent returns the content of a response of Swagger 2.0.
func (o *Operation) swaggerContent(p fileNode) []Media {
	if p.n.get("schema") == nil {
		return nil
	}
	var out []Media
	for _, t := range o.mediaTypes("produces") {
		m := Media{Type: t, Schema: o.d.schema(p.get("schema"))}
		if e := p.n.get("examples").get(t); e != nil {
			m.examples = []Example{{value: e}}
		}
		out = append(out, m)
	}
	return out
}

// Callbacks returns the requests that the API sends because of the operation.
func (o *Operation) Callbacks() []Callback {
	all := o.p.get("callbacks")
	if all.n == nil || all.n.kind != object {
		return nil
	}
	var out []Callback
	for i, name := range all.n.keys[:min(len(all.n.keys), maxCallbacks)] {
		p, _ := o.d.src.follow(fileNode{all.f, all.n.kids[i]})
		if p.n == nil || p.n.kind != object {
			continue
		}
		c := Callback{Name: name}
		for j, expression := range p.n.keys[:min(len(p.n.keys), maxCallbacks)] {
			c.Operations = append(c.Operations, o.d.pathItem(fileNode{p.f, p.n.kids[j]}, expression, true)...)
		}
		out = append(out, c)
	}
	return out
}
