package api

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
)

//go:embed reference.html
var referencePage string

// descriptions declares the two descriptions of the API, one for programs and
// one for people.
func (a *API) descriptions() {
	declare := func(o op, body func() []byte) {
		o.Tag, o.Allow = "System", authz.Public()
		registerStream(a, o, func(context.Context, *struct{}) (stream, error) {
			return func(w http.ResponseWriter, _ *http.Request) error {
				h := w.Header()
				h.Set("Content-Type", o.Sends[0])
				h.Set("X-Content-Type-Options", "nosniff")
				h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
				_, _ = w.Write(body()) // an error means that the caller has left
				return nil
			}, nil
		})
	}
	declare(op{
		ID: "getApiDescription", Route: "GET /openapi.json", Sends: []string{"application/json"},
		Summary: "Get this description as an OpenAPI document.",
	}, func() []byte { return a.spec() })
	declare(op{
		ID: "getApiReference", Route: "GET /reference", Sends: []string{"text/html; charset=utf-8"},
		Summary: "Get this description as a web page.",
	}, func() []byte { return a.ref() })
}

// describe completes the declarations for both descriptions. Each is made when
// it is first asked for: that takes longer than the rest of a start.
func (a *API) describe() {
	spec := a.huma.OpenAPI()
	a.completeDescription(spec)
	a.spec = sync.OnceValue(func() []byte {
		b, err := json.MarshalIndent(spec, "", "  ")
		if err != nil {
			panic(err)
		}
		return append(b, '\n')
	})
	a.ref = sync.OnceValue(func() []byte { return a.renderReference(spec) })
}

// completeDescription adds what huma cannot know: parameters of a path that a
// handler takes from its grant, and the mux's way of writing the root.
func (a *API) completeDescription(spec *huma.OpenAPI) {
	for _, o := range a.ops {
		method, route, _ := strings.Cut(o.Route, " ")
		d := operationOf(spec.Paths[route], method)
		for _, m := range pathParam.FindAllStringSubmatch(route, -1) {
			known := slices.ContainsFunc(d.Parameters, func(p *huma.Param) bool { return p.Name == m[1] })
			if !known {
				d.Parameters = slices.Insert(d.Parameters, 0, &huma.Param{
					Name: m[1], In: "path", Required: true, Schema: &huma.Schema{Type: huma.TypeString},
				})
			}
		}
	}
	spec.Paths["/"] = spec.Paths["/{$}"]
	delete(spec.Paths, "/{$}")
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

// OperationInfo is what metrics and tests know of an operation.
type OperationInfo struct {
	ID, Method, Path, Needs string
	Public                  bool
}

// Operations lists everything that is declared, in the order of declaration.
func (a *API) Operations() []OperationInfo {
	out := make([]OperationInfo, len(a.ops))
	for i, o := range a.ops {
		method, path, _ := strings.Cut(o.Route, " ")
		out[i] = OperationInfo{o.ID, method, path, o.Allow.String(), o.Allow.IsPublic()}
	}
	return out
}

type referenceSection struct {
	Tag string
	Ops []referenceOp
}

type referenceOp struct {
	ID, Method, Path, Summary, About string
	Params                           []referenceField
	Body                             []referenceField
	Answers                          []string
}

type referenceField struct {
	Name, In, Type, About string
	Required              bool
}

func (a *API) renderReference(spec *huma.OpenAPI) []byte {
	var sections []referenceSection
	for _, o := range a.ops {
		method, path, _ := strings.Cut(o.Route, " ")
		path = strings.TrimSuffix(path, "{$}")
		d := operationOf(spec.Paths[path], method)
		r := referenceOp{ID: o.ID, Method: method, Path: Prefix + path, Summary: o.Summary, About: d.Description}
		for _, p := range d.Parameters {
			r.Params = append(r.Params, referenceField{p.Name, p.In, typeName(p.Schema) + limitsOf(p.Schema), p.Description, p.Required})
		}
		if d.RequestBody != nil {
			if body := d.RequestBody.Content["application/json"]; body != nil { // not what others define
				r.Body = fieldsOf(spec, body.Schema, "", 0)
			}
		}
		for status, resp := range d.Responses {
			r.Answers = append(r.Answers, status+" "+resp.Description)
		}
		slices.Sort(r.Answers)
		if n := len(sections); n == 0 || sections[n-1].Tag != o.Tag {
			sections = append(sections, referenceSection{Tag: o.Tag})
		}
		last := &sections[len(sections)-1]
		last.Ops = append(last.Ops, r)
	}
	var out bytes.Buffer
	t := htmltemplate.Must(htmltemplate.New("reference").Parse(referencePage))
	if err := t.Execute(&out, map[string]any{"Version": a.Version, "Sections": sections}); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// operationOf returns what a path declares for a method.
func operationOf(p *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{
		http.MethodGet: p.Get, http.MethodPost: p.Post, http.MethodPut: p.Put, http.MethodPatch: p.Patch, http.MethodDelete: p.Delete,
	}[method]
}

// maxNesting bounds how deep the reference shows the fields of a body.
const maxNesting = 3

// fieldsOf lists the fields of a body, those of nested objects behind a dot.
func fieldsOf(spec *huma.OpenAPI, s *huma.Schema, prefix string, depth int) []referenceField {
	if s.Ref != "" {
		s = spec.Components.Schemas.SchemaFromRef(s.Ref)
	}
	var out []referenceField
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, referenceField{prefix + name, "body", typeName(p) + limitsOf(p), p.Description, slices.Contains(s.Required, name)})
		inner, mark := p, "."
		if p.Type == huma.TypeArray && p.Items != nil {
			inner, mark = p.Items, "[]."
		}
		if depth < maxNesting && inner.Ref != "" {
			out = append(out, fieldsOf(spec, inner, prefix+name+mark, depth+1)...)
		}
	}
	return out
}

// limitsOf says in words what a value may be.
func limitsOf(s *huma.Schema) string {
	var out []string
	span := func(least, most *int, unit string) {
		switch {
		case least != nil && most != nil:
			out = append(out, fmt.Sprintf("%d to %d %s", *least, *most, unit))
		case most != nil:
			out = append(out, fmt.Sprintf("at most %d %s", *most, unit))
		case least != nil:
			out = append(out, fmt.Sprintf("at least %d %s", *least, unit))
		}
	}
	span(s.MinLength, s.MaxLength, "characters")
	span(s.MinItems, s.MaxItems, "items")
	if s.Minimum != nil && s.Maximum != nil {
		out = append(out, fmt.Sprintf("%g to %g", *s.Minimum, *s.Maximum))
	}
	if s.Default != nil {
		out = append(out, fmt.Sprintf("default %v", s.Default))
	}
	if s.Nullable {
		out = append(out, "or null")
	}
	if len(out) == 0 {
		return ""
	}
	return ", " + strings.Join(out, ", ")
}

func typeName(s *huma.Schema) string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case len(s.Enum) > 0:
		var names []string
		for _, v := range s.Enum {
			names = append(names, strings.Trim(string(must(json.Marshal(v))), `"`))
		}
		return strings.Join(names, " | ")
	case len(s.OneOf) > 0:
		var names []string
		for _, one := range s.OneOf {
			names = append(names, typeName(one))
		}
		return strings.Join(names, " or ")
	case s.Type == huma.TypeArray && s.Items != nil:
		return "list of " + typeName(s.Items)
	case s.Format != "":
		return s.Format
	}
	return s.Type
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
