package docs

import "github.com/octavo-docs/octavo/internal/jsontext"

// Ref is a reference from a page to another page, a file, an address or another object.
// Kind determines which fields are set. An empty Space is the space of the page, and an
// empty Page is the page itself.
type Ref struct {
	Kind            string `json:"kind"`
	File            string `json:"file,omitempty"`
	URL             string `json:"url,omitempty"`
	Anchor          string `json:"anchor,omitempty"`
	Page            string `json:"page,omitempty"`
	User            string `json:"user,omitempty"`
	Collection      string `json:"collection,omitempty"`
	ReusableContent string `json:"reusableContent,omitempty"`
	Spec            string `json:"spec,omitempty"`
	Tag             string `json:"tag,omitempty"`
	Space           string `json:"space,omitempty"`
}

// Kinds of references.
const (
	RefFile       = "file"
	RefURL        = "url"
	RefPage       = "page"
	RefAnchor     = "anchor"
	RefUser       = "user"
	RefCollection = "collection"
	RefSpace      = "space"
	RefReusable   = "reusable-content"
	RefOpenAPI    = "openapi"
	RefTag        = "tag"
)

// refFields are the JSON names of the fields of each kind. The first one is required.
var refFields = map[string][]string{
	RefFile: {"file", "space"}, RefURL: {"url"}, RefPage: {"page", "space"}, RefAnchor: {"anchor", "page", "space"},
	RefUser: {"user"}, RefCollection: {"collection"}, RefSpace: {"space"}, RefReusable: {"reusableContent", "space"},
	RefOpenAPI: {"spec"}, RefTag: {"tag", "space"},
}

// RefFields returns the JSON names of the fields of a kind, the required one first. It
// returns nil for an unknown kind.
func RefFields(kind string) []string { return refFields[kind] }

// Field returns a pointer to the field with a JSON name. For an unknown name it is Space.
func (r *Ref) Field(name string) *string {
	switch name {
	case "file":
		return &r.File
	case "url":
		return &r.URL
	case "page":
		return &r.Page
	case "anchor":
		return &r.Anchor
	case "user":
		return &r.User
	case "collection":
		return &r.Collection
	case "reusableContent":
		return &r.ReusableContent
	case "spec":
		return &r.Spec
	case "tag":
		return &r.Tag
	}
	return &r.Space
}

// Target returns the required field, which identifies the target of the reference. It is
// empty for an unknown kind.
func (r Ref) Target() string {
	fields := refFields[r.Kind]
	if len(fields) == 0 {
		return ""
	}
	return *r.Field(fields[0])
}

// MarshalJSON returns the form in which pages store references and clients read them.
func (r Ref) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// AppendJSON appends the JSON form to b.
func (r Ref) AppendJSON(b []byte) []byte {
	b = append(b, `{"kind":`...)
	b = jsontext.AppendString(b, r.Kind)
	b = jsontext.AppendField(b, "file", r.File)
	if r.Kind == RefURL && r.URL == "" { // an address that is not set yet; clients require the field
		b = append(b, `,"url":""`...)
	}
	b = jsontext.AppendField(b, "url", r.URL)
	b = jsontext.AppendField(b, "anchor", r.Anchor)
	b = jsontext.AppendField(b, "page", r.Page)
	b = jsontext.AppendField(b, "user", r.User)
	b = jsontext.AppendField(b, "collection", r.Collection)
	b = jsontext.AppendField(b, "reusableContent", r.ReusableContent)
	b = jsontext.AppendField(b, "spec", r.Spec)
	b = jsontext.AppendField(b, "tag", r.Tag)
	b = jsontext.AppendField(b, "space", r.Space)
	return append(b, '}')
}
