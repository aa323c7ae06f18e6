package theme

import "encoding/json"

// Texts are the words of the interface, in the language of the site.
type Texts struct {
	Skip, Announcement, Menu, Close, Search, Links, Scheme, Sections, Pages, Privacy, Version string
	Outline, Breadcrumbs, Page, Turn, Previous, Next, Updated                                 string
	SearchHint, Results, NoResults, Near                                                      string

	// Of the script.
	Copy, Copied, CopyPage, Diagrams, Recent, Zoom, More, Less string
}

// ForScript returns the words that the script says, as JSON.
func (t *Texts) ForScript() (string, error) {
	b, err := json.Marshal(map[string]string{
		"copy": t.Copy, "copied": t.Copied, "copyPage": t.CopyPage, "diagrams": t.Diagrams, "recent": t.Recent, "zoom": t.Zoom, "more": t.More, "less": t.Less, "noResults": t.NoResults,
	})
	return string(b), err
}

var english = Texts{
	Skip: "Skip to the text", Announcement: "Announcement", Menu: "Menu", Close: "Close", Search: "Search", Links: "Links", Scheme: "Light or dark",
	Sections: "Sections", Pages: "Pages", Privacy: "Privacy policy", Version: "Version", Outline: "On this page", Breadcrumbs: "Breadcrumbs",
	Page: "Page", Turn: "Previous and next page", Previous: "Previous", Next: "Next", Updated: "Last updated",
	SearchHint: "Type some words above.", Results: "Results for", NoResults: "Nothing was found for", Near: "Perhaps you mean:",
	Copy: "Copy", Copied: "Copied", CopyPage: "Copy page as Markdown", Diagrams: "Diagrams", Recent: "Recent searches", Zoom: "Enlarge", More: "Show more", Less: "Show less",
}
