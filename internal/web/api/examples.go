package api

import (
	_ "embed"
	"encoding/json"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Example is a request of an operation and the response to it, for the API reference. The
// tests record the examples, so they show what the server really sends.
type Example struct {
	Query   string          `json:"query,omitempty"`
	Request json.RawMessage `json:"request,omitempty"`
	Status  int             `json:"status"`
	Answer  json.RawMessage `json:"answer,omitempty"`
}

//go:embed examples.json
var exampleFile []byte

// Examples returns the examples by operation id.
func Examples() map[string]Example {
	var out map[string]Example
	if err := json.Unmarshal(exampleFile, &out); err != nil {
		panic(err) // the file is embedded in the program
	}
	return out
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
