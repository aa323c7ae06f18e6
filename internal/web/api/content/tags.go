package content

import (
	"github.com/octavo-docs/octavo/internal/docs"
)

// RevisionTag is the JSON form of a tag that pages of a revision have.
type RevisionTag struct {
	Slug  string `json:"slug"`
	Label string `json:"label"`
	Color string `json:"color" enum:"default"`
}

// pageTag is the JSON form of docs.PageTag. Its tag is a reference to a tag of the
// revision.
type pageTag struct {
	Tag     docs.Ref `json:"tag"`
	Primary bool     `json:"primary,omitempty"`
}

func pageTags(tags []docs.PageTag) []pageTag {
	out := make([]pageTag, len(tags))
	for i, t := range tags {
		out[i] = pageTag{docs.Ref{Kind: docs.RefTag, Tag: t.Tag}, t.Primary}
	}
	return out
}

// revisionTags returns the tags of pages and of their descendants, each once. A tag has
// no settings: its label is its name.
func revisionTags(pages []Page) []RevisionTag {
	out := []RevisionTag{}
	seen := map[string]bool{}
	var collect func([]Page)
	collect = func(pages []Page) {
		for _, p := range pages {
			if p.Tags != nil {
				for _, t := range *p.Tags {
					if slug := t.Tag.Tag; !seen[slug] {
						seen[slug] = true
						out = append(out, RevisionTag{Slug: slug, Label: slug, Color: "default"})
					}
				}
			}
			if p.Pages != nil {
				collect(*p.Pages)
			}
		}
	}
	collect(pages)
	return out
}
