package kernel

import (
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// This file declares the schemas of our own types, so that each is described once and not
// with every field that uses it.

// Role has the schema of docs.Role. In JSON, null is a guest.
type Role string

func (Role) Schema(huma.Registry) *huma.Schema {
	return Enum("What a user is allowed to do. null is a guest, who sees only what was granted directly.", docs.Admin, docs.Create, docs.Review, docs.Edit, docs.Comment, docs.Read)
}

type level string

func (level) Schema(huma.Registry) *huma.Schema {
	return Enum("Access of all members of the organization: a role, inherit, or null for none.",
		docs.Level(docs.Admin), docs.Level(docs.Create), docs.Level(docs.Review), docs.Level(docs.Edit), docs.Level(docs.Comment), docs.Level(docs.Read), docs.LevelInherit)
}

type teamRole string

func (teamRole) Schema(huma.Registry) *huma.Schema {
	return Enum("An owner manages the members of the team.", docs.TeamOwner, docs.TeamMember)
}

type editMode string

func (editMode) Schema(huma.Registry) *huma.Schema {
	return Enum("live can be edited directly; locked only by change requests.", docs.EditLive, docs.EditLocked)
}

type visibility string

func (visibility) Schema(huma.Registry) *huma.Schema {
	return Enum("Who can read the site: anyone, anyone but search engines, anyone with a secret in the address, or authenticated visitors.", docs.Visibilities...)
}

// Language has the schema of the code of a language.
type Language string

func (Language) Schema(huma.Registry) *huma.Schema { return Enum("Language code.", docs.Languages...) }

type moment string

func (moment) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Format: "date-time"}
}

// Document has the schema of a rich text document.
type Document string

func (Document) Schema(huma.Registry) *huma.Schema {
	text := func(values ...any) *huma.Schema { return &huma.Schema{Type: huma.TypeString, Enum: values} }
	return &huma.Schema{
		Type: huma.TypeObject, Description: "A rich text document.", AdditionalProperties: true,
		Required: []string{"object", "data", "nodes"},
		Properties: map[string]*huma.Schema{
			"object": text("document"),
			"data":   {Type: huma.TypeObject, AdditionalProperties: true},
			"nodes":  {Type: huma.TypeArray, Items: &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}},
		},
	}
}

type textFont struct{}

func (textFont) Schema(r huma.Registry) *huma.Schema { return fontSchema(r, customization.TextFonts) }

type codeFont struct{}

func (codeFont) Schema(r huma.Registry) *huma.Schema { return fontSchema(r, customization.CodeFonts) }

func fontSchema(r huma.Registry, names []string) *huma.Schema {
	t := reflect.TypeFor[customization.FontDefinition]()
	return &huma.Schema{OneOf: []*huma.Schema{Enum("The name of a font.", names...), r.Schema(t, true, t.Name())}}
}

type codeTheme string

func (codeTheme) Schema(huma.Registry) *huma.Schema {
	return Enum("Colours of code.", customization.CodeThemeNames...)
}

type refOrNull struct{}

func (refOrNull) Schema(r huma.Registry) *huma.Schema {
	s := *Resolved(r, r.Schema(reflect.TypeFor[docs.Ref](), true, "Ref"))
	s.Nullable, s.Description = true, "Where the link leads; null for a menu that leads nowhere itself."
	return &s
}

// Resolved follows the references of a schema and returns the schema that they lead to.
func Resolved(r huma.Registry, s *huma.Schema) *huma.Schema {
	for s.Ref != "" {
		s = r.SchemaFromRef(s.Ref)
	}
	return s
}

// schemaName returns the name of a type in the description. Types of package
// customization get a prefix, because their names are short.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.PkgPath() == reflect.TypeFor[customization.Settings]().PkgPath() {
		name = "Customization" + name
	}
	return name
}

// Enum returns the schema of a text that is one of some values.
func Enum[T ~string](about string, values ...T) *huma.Schema {
	s := &huma.Schema{Type: huma.TypeString, Description: about}
	for _, v := range values {
		s.Enum = append(s.Enum, string(v))
	}
	return s
}

// NewSchemas returns a registry with the schemas of our own types.
func NewSchemas() huma.Registry {
	r := huma.NewMapRegistry("#/components/schemas/", schemaName)
	declareTypes(r)
	return r
}

// declareTypes registers the types above as the schemas of our own types.
func declareTypes(r huma.Registry) {
	r.RegisterTypeAlias(reflect.TypeFor[docs.Role](), reflect.TypeFor[Role]())
	r.RegisterTypeAlias(reflect.TypeFor[docs.Level](), reflect.TypeFor[level]())
	r.RegisterTypeAlias(reflect.TypeFor[docs.TeamRole](), reflect.TypeFor[teamRole]())
	r.RegisterTypeAlias(reflect.TypeFor[docs.EditMode](), reflect.TypeFor[editMode]())
	r.RegisterTypeAlias(reflect.TypeFor[docs.Visibility](), reflect.TypeFor[visibility]())
	r.RegisterTypeAlias(reflect.TypeFor[docs.Time](), reflect.TypeFor[moment]())
	r.RegisterTypeAlias(reflect.TypeFor[customization.TextFont](), reflect.TypeFor[textFont]())
	r.RegisterTypeAlias(reflect.TypeFor[customization.CodeFont](), reflect.TypeFor[codeFont]())
	r.RegisterTypeAlias(reflect.TypeFor[customization.CodeThemeName](), reflect.TypeFor[codeTheme]())
	r.RegisterTypeAlias(reflect.TypeFor[customization.Target](), reflect.TypeFor[refOrNull]())
	r.RegisterTypeAlias(reflect.TypeFor[json.RawMessage](), reflect.TypeFor[Document]())
	r.RegisterTypeAlias(reflect.TypeFor[markup.Document](), reflect.TypeFor[Document]())
}

// aliasOptions registers the schema of every opt.Val in an input as that of the value in
// it. The tag nullable of the field declares whether null is allowed.
func aliasOptions(r huma.Registry, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		aliasOptions(r, t.Elem())
	case reflect.Struct:
		if o, ok := reflect.Zero(t).Interface().(interface{ Elem() reflect.Type }); ok {
			r.RegisterTypeAlias(t, o.Elem())
			aliasOptions(r, o.Elem())
			return
		}
		for i := range t.NumField() {
			if t.Field(i).IsExported() {
				aliasOptions(r, t.Field(i).Type)
			}
		}
	}
}

// declareErrors describes the error responses of an operation, and the statuses of a
// deletion.
func declareErrors(o *huma.Operation, row Op, r huma.Registry) {
	schema := r.Schema(reflect.TypeFor[problem](), true, "Error")
	about := map[int]string{
		http.StatusBadRequest:      "The input is not valid; details name the place.",
		http.StatusTooManyRequests: "Too many requests; wait for the seconds in Retry-After.",
	}
	if len(o.Security) > 0 {
		about[http.StatusUnauthorized] = "The token is missing or not valid."
		about[http.StatusForbidden] = "You do not have permission."
		about[http.StatusNotFound] = "Does not exist, or is not visible to you."
	}
	if o.Method == http.MethodPost || o.Method == http.MethodPut || o.Method == http.MethodPatch {
		about[http.StatusRequestEntityTooLarge] = "The body is too large."
		about[http.StatusUnsupportedMediaType] = "The body is not JSON."
	}
	if row.Allow.IsSigned() {
		about[http.StatusForbidden] = "The address has expired."
		about[http.StatusNotFound] = "The address is not one that the server signed, or what it leads to is deleted."
	}
	for _, status := range row.Also {
		about[status] = map[int]string{
			http.StatusFound:              "It is at the address in Location.",
			http.StatusConflict:           "Nothing would change, or a name is taken.",
			http.StatusUnauthorized:       "The signature is missing or wrong.",
			http.StatusPreconditionFailed: "Not possible in the current state; the message says what to change first.",
		}[status]
	}
	if o.Method == http.MethodDelete {
		delete(about, http.StatusNotFound)
		o.DefaultStatus = http.StatusResetContent
		o.Responses["204"] = &huma.Response{Description: "There was nothing to delete."}
		o.Responses["205"] = &huma.Response{Description: "Deleted."}
	}
	for status, text := range about {
		r := &huma.Response{Description: text}
		if status >= http.StatusBadRequest {
			r.Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
		}
		o.Responses[strconv.Itoa(status)] = r
	}
}
