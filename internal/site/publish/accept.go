package publish

import (
	"net/http"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/site/coding"
)

// varyAccept is the Vary header of pages, which readers get as HTML or as Markdown.
var varyAccept = []string{"Accept, Accept-Encoding"}

const markdownMedia = "text/markdown"

// namesMarkdown reports whether an Accept header names Markdown.
func namesMarkdown(accept string) bool {
	return strings.Contains(strings.ToLower(accept), markdownMedia)
}

// acceptsMarkdown reports whether a request prefers Markdown to HTML, by the header Accept.
// If it names both alike, it gets HTML.
func acceptsMarkdown(r *http.Request) bool {
	if !slices.ContainsFunc(r.Header["Accept"], namesMarkdown) {
		return false // the usual case, which has to be fast for cached pages
	}
	var markdown, html, others float64
	named := false // HTML
	for _, list := range r.Header["Accept"] {
		for one := range strings.SplitSeq(list, ",") {
			kind, parameters, _ := strings.Cut(one, ";")
			switch strings.ToLower(strings.TrimSpace(kind)) {
			case markdownMedia:
				markdown = quality(parameters)
			case "text/html":
				html, named = quality(parameters), true
			case "text/*", "*/*":
				others = max(others, quality(parameters))
			}
		}
	}
	if named {
		return markdown > html
	}
	return markdown > 0 && markdown >= others
}

// quality returns the weight of a media type by its parameters.
func quality(parameters string) float64 {
	for one := range strings.SplitSeq(parameters, ";") {
		if name, _, _ := strings.Cut(strings.TrimSpace(one), "="); strings.EqualFold(name, "q") {
			return coding.Quality(one)
		}
	}
	return 1
}
