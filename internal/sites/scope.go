package sites

import (
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
)

// SearchScope says which site spaces a search looks into.
type SearchScope struct {
	Mode    string            // default, specific, all, current
	Current docs.SiteItemID   // the site space that the reader is in; empty: none
	Only    []docs.SiteItemID // of the mode specific
	// Restrict leaves only the current site space of the mode default, or all
	// others: currentSiteSpace, otherSiteSpaces.
	Restrict string
}

// Searched returns the site spaces of a scope in the order of the site. The
// default scope has the current one, and one site space of every other section:
// the first in the language of the current one, or else the default. language
// returns that of a space.
func (s *Structure) Searched(scope SearchScope, language func(docs.SpaceID) string) []docs.SiteItem {
	all := s.All(docs.SiteSpace)
	keep := func(fn func(docs.SiteItem) bool) []docs.SiteItem {
		return slices.DeleteFunc(all, func(it docs.SiteItem) bool { return !fn(it) })
	}
	switch scope.Mode {
	case "all":
		return all
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

// variant returns the site space of a section for somebody who reads another
// one: the first in the same language, or else the default.
func (s *Structure) variant(section docs.SiteItemID, current docs.SiteItem, language func(docs.SpaceID) string) docs.SiteItem {
	if current.ID != "" {
		if own := language(current.Space); own != "" {
			for _, it := range s.Children(section) {
				if language(it.Space) == own {
					return it
				}
			}
		}
	}
	def, _ := s.Default(section)
	return def
}
