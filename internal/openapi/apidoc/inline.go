package apidoc

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// object is a JSON object with ordered fields.
type object []field

type field struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	out := []byte{'{'}
	for i, f := range o {
		if i > 0 {
			out = append(out, ',')
		}
		name, err := json.Marshal(f.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(f.value)
		if err != nil {
			return nil, err
		}
		out = append(append(append(out, name...), ':'), value...)
	}
	return append(out, '}'), nil
}

// inlineFile is the name of the file of a description that is written in a page.
const inlineFile = "page.json"

// inlineDescription returns the description of an operation that is written with tags in
// a page. It returns nil if OpenAPI cannot express the operation.
func inlineDescription(in *markup.InlineAPI) *openapi.Description {
	operation := object{{"summary", in.Title}, {"description", in.Text}}
	if p := inlineParameters(in); len(p) > 0 {
		operation = append(operation, field{"parameters", p})
	}
	if body := inlineBody(in); body != nil {
		operation = append(operation, field{"requestBody", body})
	}
	operation = append(operation, field{"responses", inlineResponses(in)})
	root := object{{"openapi", "3.1.0"}, {"info", object{{"title", in.Title}, {"version", "1"}}}}
	if in.Server != "" {
		root = append(root, field{"servers", []object{{{"url", in.Server}}}})
	}
	root = append(root, field{"paths", object{{in.Path, object{{strings.ToLower(in.Method), operation}}}}})
	text, err := json.Marshal(root)
	if err != nil {
		return nil
	}
	d, err := openapi.Load(context.Background(), openapi.Bundle{Root: inlineFile, Files: map[string][]byte{inlineFile: text}})
	if err != nil {
		return nil
	}
	return d
}

// inlineTypes are the OpenAPI types by the names that authors use.
var inlineTypes = map[string]string{
	"string": "string", "text": "string", "integer": "integer", "int": "integer", "number": "number", "float": "number", "double": "number",
	"boolean": "boolean", "bool": "boolean", "object": "object", "array": "array",
}

// inlineSchema returns the schema and the text of a parameter. An unknown type is added
// to the text.
func inlineSchema(p markup.InlineParameter) (schema object, text string) {
	if t, ok := inlineTypes[strings.ToLower(p.Type)]; ok {
		return object{{"type", t}}, p.Text
	}
	if p.Type == "" {
		return object{}, p.Text
	}
	return object{}, strings.TrimSpace("`" + strings.ReplaceAll(p.Type, "`", "") + "` " + p.Text)
}

// parameterPlaces are the locations of OpenAPI parameters. Other parameters are fields of
// the body.
var parameterPlaces = []string{"path", "query", "header", "cookie"}

func inlineParameters(in *markup.InlineAPI) (out []object) {
	seen := map[string]bool{}
	for _, p := range in.Parameters {
		if key := p.Place + " " + p.Name; !slices.Contains(parameterPlaces, p.Place) || p.Name == "" || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		schema, text := inlineSchema(p)
		out = append(out, object{{"name", p.Name}, {"in", p.Place}, {"required", p.Required || p.Place == "path"}, {"description", text}, {"schema", schema}})
	}
	return out
}

// inlineBody returns the request body with its parameters as fields, or nil if there are
// none.
func inlineBody(in *markup.InlineAPI) object {
	kind, fields, required := "application/json", object{}, []string{}
	for _, p := range in.Parameters {
		if slices.Contains(parameterPlaces, p.Place) || p.Name == "" || slices.ContainsFunc(fields, func(f field) bool { return f.name == p.Name }) {
			continue
		}
		if p.Place == "formData" {
			kind = "application/x-www-form-urlencoded"
		}
		schema, text := inlineSchema(p)
		fields = append(fields, field{p.Name, append(schema, field{"description", text})})
		if p.Required {
			required = append(required, p.Name)
		}
	}
	if len(fields) == 0 {
		return nil
	}
	schema := object{{"type", "object"}, {"properties", fields}}
	if len(required) > 0 {
		schema = append(schema, field{"required", required})
	}
	return object{{"content", object{{kind, object{{"schema", schema}}}}}}
}

func inlineResponses(in *markup.InlineAPI) (out object) {
	for _, r := range in.Responses {
		status, about, _ := strings.Cut(r.Status, ":")
		status, about = strings.TrimSpace(status), strings.TrimSpace(about)
		if status == "" || slices.ContainsFunc(out, func(f field) bool { return f.name == status }) {
			continue
		}
		response := object{{"description", strings.TrimSpace(about + "\n\n" + r.Text)}}
		if r.Example != "" {
			kind, example := "text/plain", any(r.Example)
			if json.Valid([]byte(r.Example)) {
				kind, example = "application/json", json.RawMessage(r.Example)
			}
			response = append(response, field{"content", object{{kind, object{{"example", example}}}}})
		}
		out = append(out, field{status, response})
	}
	if len(out) == 0 {
		return object{{"default", object{{"description", ""}}}}
	}
	return out
}
