package apidoc

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// sourceType is the type of a source that makes pages of a specification.
const sourceType = "builtin:openapi"

// Source is what a computed page says of where its pages come from.
type Source struct {
	Type  string `json:"type"`
	Props struct {
		Models       bool   `json:"models"`
		DownloadLink bool   `json:"downloadLink"`
		Grouping     string `json:"grouping"`
	} `json:"props"`
	Dependencies struct {
		Spec struct {
			Ref docs.Ref `json:"ref"`
		} `json:"spec"`
	} `json:"dependencies"`
}

// ParseSource reads the JSON of a computed page, and reports whether its pages are made
// of a specification.
func ParseSource(text []byte) (s Source, ok bool) {
	err := json.Unmarshal(text, &s)
	return s, err == nil && s.Type == sourceType && s.Ref().Kind == docs.RefOpenAPI
}

// Ref returns the specification.
func (s Source) Ref() docs.Ref { return s.Dependencies.Spec.Ref }

// Layout returns which pages are made, without a link to the description.
func (s Source) Layout(prose func(operation string) string) Layout {
	return Layout{Spec: s.Ref().Spec, ByOperation: s.Props.Grouping == "by-operation", Models: s.Props.Models, Prose: prose}
}

// proseFolder is where reusable contents are that belong to operations, in their
// titles and in the folder of includes: openapi/SPECIFICATION/OPERATION.
const proseFolder = "openapi/"

// ProseOf returns the operation that a reusable content belongs to, as
// SPECIFICATION/OPERATION.
func ProseOf(title, file string) (operation string, ok bool) {
	name := title
	if _, below, is := strings.Cut(file, "/includes/"); is && strings.HasPrefix(below, proseFolder) {
		name = strings.TrimSuffix(below, path.Ext(below))
	}
	return strings.CutPrefix(name, proseFolder)
}
