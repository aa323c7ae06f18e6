package sites

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// exposure is a set of conditions under which readers can read a space on a site.
type exposure struct {
	visibility docs.Visibility
	adaptive   bool
	conditions []string // of the site space and its ancestors; all of them must hold
}

// exposures returns the exposures of the spaces of a site. It is empty for a site that is not
// published.
func (s *Structure) exposures(site docs.Site) map[docs.SpaceID][]exposure {
	out := map[docs.SpaceID][]exposure{}
	if !site.Published {
		return out
	}
	for _, it := range s.Present().All(docs.SiteSpace) {
		e := exposure{visibility: site.Visibility, adaptive: site.Adaptive}
		for at := it; at.ID != ""; at = s.items[at.Parent] {
			if at.Condition != "" {
				e.conditions = append(e.conditions, at.Condition)
			}
		}
		out[it.Space] = append(out[it.Space], e)
	}
	return out
}

// covers reports whether all readers of the exposure o are readers of e too. Conditions are
// compared as texts. Whether one implies another is not determined.
func (e exposure) covers(o exposure) bool {
	if o.visibility.Wider(e.visibility) || len(e.conditions) > 0 && e.adaptive != o.adaptive {
		return false
	}
	return !slices.ContainsFunc(e.conditions, func(c string) bool { return !slices.Contains(o.conditions, c) })
}

// checkReach returns an error if a change shows spaces to a wider audience and the caller
// cannot read them, because nobody may publish content that they cannot read. The error does
// not name these spaces, because the caller must not learn which they are.
func (c *change) checkReach(ctx context.Context) error {
	if c.was == c.site && maps.Equal(c.before, c.tree.items) {
		return nil
	}
	old := NewStructure(c.was.Title, slices.Collect(maps.Values(c.before)), nil).exposures(c.was)
	var wider []docs.SpaceID
	for space, now := range c.tree.exposures(c.site) {
		_, added := c.spaces[space] // the caller administers it
		if !added && slices.ContainsFunc(now, func(n exposure) bool {
			return !slices.ContainsFunc(old[space], func(o exposure) bool { return o.covers(n) })
		}) {
			wider = append(wider, space)
		}
	}
	if len(wider) == 0 {
		return nil
	}
	seen, err := c.tx.SpacesOnSite(ctx, c.grant.Viewer(), c.site.ID)
	if err != nil {
		return err
	}
	for _, sp := range seen {
		wider = slices.DeleteFunc(wider, func(id docs.SpaceID) bool { return id == sp.It.ID })
	}
	switch len(wider) {
	case 0:
		return nil
	case 1:
		return errs.E(errs.Forbidden, "this would let more people read a space that you cannot read yourself; ask an organization admin to do it")
	}
	return errs.E(errs.Forbidden, "this would let more people read %d spaces that you cannot read yourself; ask an organization admin to do it", len(wider))
}
