package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Unpublishing a space also hides its translations from readers, because they have the same
// content. Their site spaces remain, but are withheld from readers until the space is
// published to an audience as wide as before. A translation that is added to a site later
// is not withheld: a person who administers the translation decided that.

// followSource withholds the translations of a space from an audience that can no longer read
// the space, and releases them to an audience that can read it again. The arguments was and
// now are the publications with the widest audience before and after the change.
func followSource(ctx context.Context, tx *store.Tx, source docs.SpaceID, was, now *docs.Publication) error {
	closed := was != nil && (now == nil || was.Visibility.Wider(now.Visibility))
	opened := now != nil && (was == nil || now.Visibility.Wider(was.Visibility))
	if !closed && !opened {
		return nil
	}
	list, err := tx.TranslationsFrom(ctx, source)
	if err != nil {
		return err
	}
	for _, t := range list {
		on, err := tx.SitesWith(ctx, t.Result)
		if err != nil {
			return err
		}
		for _, site := range on {
			withheld := now == nil || site.Visibility.Wider(now.Visibility)
			if withheld && (opened || !site.Published) || !withheld && closed {
				continue
			}
			if err := withhold(ctx, tx, site, t.Result, withheld); err != nil {
				return err
			}
		}
	}
	return nil
}

// withhold hides the site spaces of a space from the readers of a site, or shows them again.
func withhold(ctx context.Context, tx *store.Tx, site docs.Site, space docs.SpaceID, withheld bool) error {
	c, err := begin(ctx, tx, site)
	if err != nil {
		return err
	}
	changed := false
	for id, it := range c.tree.items {
		if it.Space == space && it.Withheld != withheld {
			it.Withheld, changed = withheld, true
			c.tree.items[id] = it
		}
	}
	if !changed {
		return nil
	}
	action := map[bool]string{true: "site_space.withhold", false: "site_space.release"}[withheld]
	return c.save(ctx, authz.System, audit.Event{Action: action, Data: map[string]any{"space": space}})
}
