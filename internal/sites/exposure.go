package sites

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// exposure is one way in which readers reach a space on a site.
type exposure struct {
	visibility docs.Visibility
	adaptive   bool
	conditions []string // of the site space and of what it is in; all of them must hold
}

// exposures returns how readers reach the spaces of a site. Nobody reaches those
// of a site that is not published.
func (s *Structure) exposures(site docs.Site) map[docs.SpaceID][]exposure {
	out := map[docs.SpaceID][]exposure{}
	if !site.Published {
		return out
	}
	for _, it := range s.present().All(docs.SiteSpace) {
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

// covers reports whether everybody who reaches a space by another exposure
// reaches it by this one too. Conditions are compared as texts: whether one
// follows from another is not asked.
func (e exposure) covers(o exposure) bool {
	if o.visibility.Wider(e.visibility) || len(e.conditions) > 0 && e.adaptive != o.adaptive {
		return false
	}
	return !slices.ContainsFunc(e.conditions, func(c string) bool { return !slices.Contains(o.conditions, c) })
}

// checkReach returns an error if a change shows spaces to more people than
// before, and the caller cannot read them: nobody publishes what they do not
// know. Which spaces these are is not theirs to know either.
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
		return errs.E(errs.Forbidden, "this would show a space to more people that you cannot read yourself; ask an organization admin to do it")
	}
	return errs.E(errs.Forbidden, "this would show %d spaces to more people that you cannot read yourself; ask an organization admin to do it", len(wider))
}
