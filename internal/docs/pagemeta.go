package docs

// PageTag is a tag of a page.
type PageTag struct {
	Tag     string
	Primary bool
}

// Layout determines which parts of a page are displayed in addition to its body, and how.
// A nil field is not set; by default the part is shown.
//
// These field names are the JSON keys of stored pages.
type Layout struct {
	// Preset is an older form: a single word that represents all other fields.
	Preset          string
	Width           string
	CoverVisible    *bool
	CoverSize       string
	CoverMask       string
	Title           *bool
	Description     *bool
	TableOfContents *bool
	Outline         *bool
	Pagination      *bool
	Metadata        *bool
	Tags            *bool
	Actions         *bool
	Anchors         *bool
}

// MetaLinks are other addresses at which the content of a page is published.
type MetaLinks struct {
	Canonical  string
	Alternates []string
}
