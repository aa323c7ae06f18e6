package kernel

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/web/api/kernel/reference"
)

// descriptions declares the operations that return the description of the API: as an
// OpenAPI document for programs, and as a web page for people.
func (k *Kernel) descriptions() {
	declare := func(o Op, elsewhere func(context.Context) string, body func() []byte) {
		o.Tag, o.Allow = "System", authz.Public()
		RegisterStream(k, o, func(ctx context.Context, _ *struct{}) (Stream, error) {
			at := elsewhere(ctx)
			return func(w http.ResponseWriter, r *http.Request) error {
				if at != "" {
					http.Redirect(w, r, at, http.StatusFound)
					return nil
				}
				h := w.Header()
				h.Set("Content-Type", o.Sends[0])
				h.Set("X-Content-Type-Options", "nosniff")
				h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
				_, _ = w.Write(body()) // an error means that the client closed the connection
				return nil
			}, nil
		})
	}
	declare(Op{
		ID: "getApiDescription", Route: "GET /openapi.json", Sends: []string{"application/json"},
		Summary: "Get this description as an OpenAPI document.",
	}, nowhere, k.Description)
	declare(Op{
		ID: "getApiReference", Route: "GET /reference", Sends: []string{"text/html; charset=utf-8"},
		Summary: "Get this description as a web page.", Also: []int{http.StatusFound},
		About: "If a site of the server has the reference, the answer leads there.",
	}, k.reference, func() []byte { return k.ref() })
}

func nowhere(context.Context) string { return "" }

// reference returns the address of the site that has the reference, or an empty string.
func (k *Kernel) reference(ctx context.Context) string {
	if k.Reference == nil {
		return ""
	}
	return k.Reference(ctx)
}

// describe sets the functions that generate both descriptions. Each is generated at its
// first request: that takes longer than the rest of the start of the server, and all
// operations are registered by then.
func (k *Kernel) describe() {
	spec := k.huma.OpenAPI()
	k.spec = sync.OnceValue(func() []byte {
		k.completeDescription(spec)
		b, err := json.MarshalIndent(spec, "", "  ")
		if err != nil {
			panic(err)
		}
		return append(b, '\n')
	})
	k.ref = sync.OnceValue(func() []byte {
		sections := must(reference.Read(k.spec()))
		return must(reference.HTML(k.Version, sections))
	})
}

// Description returns the OpenAPI document.
func (k *Kernel) Description() []byte { return k.spec() }

// completeDescription adds what huma does not know: tags, path parameters that a handler
// takes from its grant, and examples. It also replaces the root pattern of the mux, /{$},
// by /.
func (k *Kernel) completeDescription(spec *huma.OpenAPI) {
	var examples map[string]Example
	if k.Examples != nil {
		examples = k.Examples()
	}
	for _, tag := range k.Tags {
		spec.Tags = append(spec.Tags, &huma.Tag{Name: tag})
	}
	for _, o := range k.ops {
		if !slices.ContainsFunc(spec.Tags, func(t *huma.Tag) bool { return t.Name == o.Tag }) {
			spec.Tags = append(spec.Tags, &huma.Tag{Name: o.Tag})
		}
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
		examples[o.ID].describe(d)
	}
	spec.Paths["/"] = spec.Paths["/{$}"]
	delete(spec.Paths, "/{$}")
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

// Example is a request of an operation and the response to it, for the API reference. The
// tests record the examples, so they show what the server really sends.
type Example struct {
	Query   string          `json:"query,omitempty"`
	Request json.RawMessage `json:"request,omitempty"`
	Status  int             `json:"status"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

// describe adds the example to the description of its operation.
func (x Example) describe(d *huma.Operation) {
	const form = "application/json"
	if len(x.Request) > 0 && d.RequestBody != nil && d.RequestBody.Content[form] != nil {
		d.RequestBody.Content[form].Example = x.Request
	}
	if r := d.Responses[strconv.Itoa(x.Status)]; len(x.Answer) > 0 && r != nil && r.Content[form] != nil {
		r.Content[form].Example = x.Answer
	}
}

// OperationInfo describes an operation for metrics and tests.
type OperationInfo struct {
	ID, Method, Path, Needs string
	Public                  bool
	Allow                   authz.Rule
}

// Operations returns all operations in the order of their declaration.
func (k *Kernel) Operations() []OperationInfo {
	out := make([]OperationInfo, len(k.ops))
	for i, o := range k.ops {
		method, path, _ := strings.Cut(o.Route, " ")
		out[i] = OperationInfo{o.ID, method, path, o.Allow.String(), o.Allow.IsPublic(), o.Allow}
	}
	return out
}

// operationOf returns the operation of a path for a method.
func operationOf(p *huma.PathItem, method string) *huma.Operation {
	return map[string]*huma.Operation{
		http.MethodGet: p.Get, http.MethodPost: p.Post, http.MethodPut: p.Put, http.MethodPatch: p.Patch, http.MethodDelete: p.Delete,
	}[method]
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
