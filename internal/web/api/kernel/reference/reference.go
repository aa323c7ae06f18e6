// Package reference generates the reference of an HTTP API as one web page, for servers without a
// site that has it: it reads an OpenAPI description into Sections, and writes them as HTML.
package reference

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// A Section holds the operations with one tag.
type Section struct {
	Tag string
	Ops []Operation
}

// An Operation is an operation of the API.
type Operation struct {
	ID, Method, Path string
	Summary, About   string
	Params, Body     []Field
	Answers          []string
}

// A Field is a parameter or a field of a body. The name of a nested field contains dots.
type Field struct {
	Name, In, Type, About string
	Required              bool
}

// description is the part of an OpenAPI description that is shown.
type description struct {
	Servers    []struct{ URL string }
	Tags       []struct{ Name string }
	Paths      map[string]map[string]operation
	Components struct{ Schemas map[string]schema }
}

type operation struct {
	OperationID          string
	Summary, Description string
	Tags                 []string
	Parameters           []struct {
		Name, In, Description string
		Required              bool
		Schema                schema
	}
	RequestBody struct{ Content map[string]media }
	Responses   map[string]struct{ Description string }
}

type media struct{ Schema schema }

// methods is the order of the operations of one path.
var methods = []string{"get", "post", "put", "patch", "delete"}

// Read returns the sections of a description, in the order of its tags. In a section, operations
// are sorted by path.
func Read(text []byte) ([]Section, error) {
	var d description
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("the description of the API: %w", err)
	}
	var prefix string
	if len(d.Servers) > 0 {
		prefix = d.Servers[0].URL
	}
	byTag := map[string][]Operation{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range methods {
			if o, ok := d.Paths[path][method]; ok && len(o.Tags) > 0 {
				byTag[o.Tags[0]] = append(byTag[o.Tags[0]], d.operation(prefix+path, method, o))
			}
		}
	}
	var out []Section
	for _, t := range d.Tags {
		out = append(out, Section{t.Name, byTag[t.Name]})
	}
	return out, nil
}

const jsonForm = "application/json"

func (d *description) operation(path, method string, o operation) Operation {
	out := Operation{
		ID: o.OperationID, Method: strings.ToUpper(method), Path: path, Summary: o.Summary, About: o.Description,
	}
	for _, p := range o.Parameters {
		f := Field{p.Name, p.In, p.Schema.words(), p.Description, p.Required}
		if thing, ok := strings.CutSuffix(p.Name, "Id"); ok && f.About == "" {
			f.About = "Id of the " + words(thing) + "."
		}
		out.Params = append(out.Params, f)
	}
	// The order is path, query, header: the path is read before the rest.
	slices.SortStableFunc(out.Params, func(a, b Field) int { return cmp.Compare(rank(a), rank(b)) })
	if body, ok := o.RequestBody.Content[jsonForm]; ok {
		out.Body = d.fields(body.Schema, "", 0)
	}
	for _, status := range slices.Sorted(maps.Keys(o.Responses)) {
		out.Answers = append(out.Answers, status+" "+o.Responses[status].Description)
	}
	return out
}

func rank(f Field) int { return slices.Index([]string{"path", "query", "header"}, f.In) }

// words splits a name such as changeRequest into words.
func words(name string) string {
	return strings.ToLower(capital.ReplaceAllString(name, " $0"))
}

var capital = regexp.MustCompile(`[A-Z]`)

// maxNesting is the maximum depth of the listed fields of a body.
const maxNesting = 3

// fields returns the fields of a body.
func (d *description) fields(s schema, prefix string, depth int) []Field {
	s = d.resolve(s)
	var out []Field
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		out = append(out, Field{prefix + name, "body", p.words(), p.Description, slices.Contains(s.Required, name)})
		inner, mark := p, "."
		if p.Items != nil {
			inner, mark = *p.Items, "[]."
		}
		if depth < maxNesting && inner.Ref != "" {
			out = append(out, d.fields(inner, prefix+name+mark, depth+1)...)
		}
	}
	return out
}

func (d *description) resolve(s schema) schema {
	if s.Ref == "" {
		return s
	}
	return d.Components.Schemas[s.name()]
}
