package apidoc

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// SourceType is the type of a source that generates pages from a specification.
const SourceType = "builtin:openapi"

// Source is the JSON of a computed page. It describes how its pages are generated.
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

// ParseSource parses the JSON of a computed page. It reports whether the pages are
// generated from a specification.
func ParseSource(text []byte) (s Source, ok bool) {
	err := json.Unmarshal(text, &s)
	return s, err == nil && s.Type == SourceType && s.Ref().Kind == docs.RefOpenAPI
}

// Ref returns the reference of the specification.
func (s Source) Ref() docs.Ref { return s.Dependencies.Spec.Ref }

// Layout returns the layout of the pages, without a download link.
func (s Source) Layout(prose func(operation string) string) Layout {
	return Layout{Spec: s.Ref().Spec, ByOperation: s.Props.Grouping == "by-operation", Models: s.Props.Models, Prose: prose}
}

// proseFolder is the prefix of the titles, and of the paths below includes, of reusable
// contents that belong to operations: openapi/SPECIFICATION/OPERATION.
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
