package docs

// PageTag is a tag of a page.
type PageTag struct {
	Tag     string
	Primary bool
}

// Layout says which parts of a page are displayed besides its body, and how. A nil
// field is not set: whoever shows the page decides, and shows the part.
//
// Pages are stored with these field names as JSON keys.
type Layout struct {
	// Preset is an older form: one word that represents all other fields.
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

// MetaLinks are the addresses where the content of a page is also published.
type MetaLinks struct {
	Canonical  string
	Alternates []string
}
