package customization

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// ForVisitor returns the settings for a visitor. The function visible reports whether a
// condition holds for the visitor. Links of the header whose condition does not hold are
// omitted, with their menus. The result has no conditions and no instructions for the assistant,
// because both reveal what is hidden.
func (s Settings) ForVisitor(visible func(condition string) bool) Settings {
	links := slices.Clone(s.Header.Links)
	links = slices.DeleteFunc(links, func(l HeaderLink) bool { return l.Condition != "" && !visible(l.Condition) })
	for i := range links {
		links[i].Condition = ""
	}
	s.Header.Links = orEmpty(links)
	s.AI.Instructions = ""
	return s
}

// WithoutHiddenLinks returns the settings without links to targets that a visitor does not see.
// A menu that loses all entries, and a group of the footer that loses all links, is omitted.
func (s Settings) WithoutHiddenLinks(seen func(docs.Ref) bool) Settings {
	list := func(links []ContentLink) []ContentLink {
		return orEmpty(slices.DeleteFunc(slices.Clone(links), func(l ContentLink) bool { return !seen(l.To) }))
	}
	if to := s.Header.PrimaryLink; to != nil && !seen(*to) {
		s.Header.PrimaryLink = nil
	}
	var header []HeaderLink
	for _, l := range s.Header.Links {
		entries := len(l.Links)
		l.Links = list(l.Links)
		hidden := l.To.Ref != nil && !seen(*l.To.Ref)
		if hidden {
			l.To.Ref = nil
		}
		if len(l.Links) > 0 || l.To.Ref != nil || !hidden && entries == 0 {
			header = append(header, l)
		}
	}
	s.Header.Links = orEmpty(header)
	var groups []FooterGroup
	for _, g := range s.Footer.Groups {
		links := list(g.Links)
		if len(links) > 0 || len(g.Links) == 0 {
			g.Links = links
			groups = append(groups, g)
		}
	}
	s.Footer.Groups = orEmpty(groups)
	if a := s.Announcement; a != nil && a.Link != nil && !seen(a.Link.To) {
		shown := *a
		shown.Link = nil
		s.Announcement = &shown
	}
	return s
}
