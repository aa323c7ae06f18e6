package wire

import (
	"encoding/json"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// RawDocument is the JSON of a document in a request. It is parsed later, with errors that
// name the place.
type RawDocument json.RawMessage

// Schema returns the schema of a document.
func (RawDocument) Schema(r huma.Registry) *huma.Schema { return kernel.Document("").Schema(r) }

// UnmarshalJSON stores a copy of the bytes.
func (d *RawDocument) UnmarshalJSON(b []byte) error {
	*d = slices.Clone(b)
	return nil
}

// MarshalJSON returns the stored bytes.
func (d RawDocument) MarshalJSON() ([]byte, error) { return json.RawMessage(d).MarshalJSON() }

// ContentBody is the content of a page in a request: Markdown, a document, or neither.
type ContentBody struct {
	Markdown *string     `json:"markdown,omitempty"`
	Document RawDocument `json:"document,omitempty"`
}

// RevisionBody converts a content to the type of the content service. at is its path, for
// error messages.
func (b ContentBody) RevisionBody(at string) (*revision.Body, error) {
	out := &revision.Body{Markdown: b.Markdown}
	if len(b.Document) > 0 {
		if b.Markdown != nil {
			return nil, errs.Field(at, "has both markdown and document; send one of them")
		}
		doc, err := markup.DecodeEdit(at+".document", b.Document)
		if err != nil {
			return nil, err
		}
		out.Document = doc
	}
	return out, nil
}

// ComputedSource describes the source of the pages of a computed page.
type ComputedSource json.RawMessage

// MarshalJSON returns the stored JSON.
func (c ComputedSource) MarshalJSON() ([]byte, error) { return json.RawMessage(c).MarshalJSON() }

// UnmarshalJSON stores a copy of the bytes.
func (c *ComputedSource) UnmarshalJSON(b []byte) error {
	*c = slices.Clone(b)
	return nil
}

// Schema returns the schema of an arbitrary object: the format depends on the source.
func (ComputedSource) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}
