package sites

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// SearchScope describes the site spaces that a search covers.
type SearchScope struct {
	Mode    string            // default, specific, all, current
	Current docs.SiteItemID   // the site space of the reader; may be empty
	Only    []docs.SiteItemID // for the mode specific
	// Restrict limits the mode default to the current site space (currentSiteSpace), or to
	// all others (otherSiteSpaces).
	Restrict string
}

// Searched returns the site spaces of a scope in the order of the site. The default scope has
// the current site space, and one site space of every other section that is not hidden. That is
// the first one in the language of the current site space, or else the one that navigation
// leads to. What is hidden is found where the reader is, or if it is asked for. The function
// language returns the language of a space.
func (s *Structure) Searched(scope SearchScope, language func(docs.SpaceID) string) []docs.SiteItem {
	all := s.All(docs.SiteSpace)
	keep := func(fn func(docs.SiteItem) bool) []docs.SiteItem {
		return slices.DeleteFunc(all, func(it docs.SiteItem) bool { return !fn(it) })
	}
	switch scope.Mode {
	case "all":
		return keep(func(it docs.SiteItem) bool { return !it.Hidden || it.ID == scope.Current })
	case "specific":
		return keep(func(it docs.SiteItem) bool { return slices.Contains(scope.Only, it.ID) })
	case "current":
		return keep(func(it docs.SiteItem) bool { return it.ID == scope.Current })
	}
	current := s.items[scope.Current]
	picked := map[docs.SiteItemID]docs.SiteItemID{current.Parent: current.ID} // by section
	for _, it := range all {
		if had, ok := picked[it.Parent]; !ok || had == "" {
			picked[it.Parent] = s.variant(it.Parent, current, language).ID
		}
	}
	return keep(func(it docs.SiteItem) bool {
		switch {
		case picked[it.Parent] != it.ID:
			return false
		case scope.Restrict == "currentSiteSpace":
			return it.ID == current.ID
		case scope.Restrict == "otherSiteSpaces":
			return it.ID != current.ID
		}
		return true
	})
}

// variant returns the site space of a section for a reader of another site space: the first
// one in the same language, or else the one that navigation leads to.
func (s *Structure) variant(section docs.SiteItemID, current docs.SiteItem, language func(docs.SpaceID) string) docs.SiteItem {
	if current.ID != "" {
		if own := language(current.Space); own != "" {
			for _, it := range s.Listed(section, current.ID) {
				if language(it.Space) == own {
					return it
				}
			}
		}
	}
	def, _ := s.Entry(section, current.ID)
	return def
}
