package wire

import (
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
)

// Template is a requested template with its parameters.
type Template struct {
	ID     string         `json:"id" minLength:"1" maxLength:"100"`
	Params TemplateParams `json:"params,omitempty"`
}

// Choice returns the template for the services.
func (t Template) Choice() content.TemplateChoice {
	return content.TemplateChoice{At: "template", ID: t.ID, Refs: t.Params.ContentRefs}
}

// TemplateParams are the parameters of a template.
type TemplateParams struct {
	ContentRefs map[string]docs.Ref `json:"contentRefs,omitempty" doc:"Targets of the references of the template, by name."`
}
