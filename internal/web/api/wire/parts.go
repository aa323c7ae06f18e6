package wire

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Location is where a resource is.
type Location struct {
	Location string `json:"location" format:"uri"`
}

// OrgPointer names an organization.
type OrgPointer struct {
	Type         string `json:"type" enum:"organization"`
	Organization string `json:"organization"`
}

// SitePointer names a site.
type SitePointer struct {
	Type string `json:"type" enum:"site"`
	Site string `json:"site"`
}

// EntryURLs are where something is, in the API and in the application.
type EntryURLs struct {
	Location string `json:"location" format:"uri"`
	App      string `json:"app" format:"uri"`
}

// OrNull returns nil for a guest, who has no role.
func OrNull(r docs.Role) *docs.Role {
	if !r.Valid() {
		return nil
	}
	return &r
}

// LevelOrNull returns nil for no access.
func LevelOrNull(l docs.Level) *docs.Level {
	if l == docs.LevelNone {
		return nil
	}
	return &l
}

// OneOf returns the schema of a value that has one of some types.
func OneOf(r huma.Registry, types ...reflect.Type) *huma.Schema {
	s := &huma.Schema{}
	for _, t := range types {
		s.OneOf = append(s.OneOf, r.Schema(t, true, t.Name()))
	}
	return s
}

// OpenAPIPermissions are what the caller may do with a specification or a glossary.
type OpenAPIPermissions struct {
	View bool `json:"view"`
	Edit bool `json:"edit"`
}
