package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// itemEvent returns the audit event for a change of an item, such as site_section.create.
func itemEvent(kind docs.SiteItemKind, action string, it docs.SiteItem) audit.Event {
	return audit.Event{Action: eventNouns[kind] + "." + action, Data: map[string]any{"item": it.ID, "title": it.Title}}
}

var eventNouns = map[docs.SiteItemKind]string{
	docs.SiteSection: "site_section", docs.SiteGroup: "site_section_group", docs.SiteSpace: "site_space",
	docs.SiteLink: "site_external_link",
}

// editItem runs a change of one item of the site of a grant. It returns the site as the caller
// sees it, and the item.
func (s *Service) editItem(ctx context.Context, g *authz.Grant, kind docs.SiteItemKind, action string, fn func(c *change) (docs.SiteItem, error)) (*View, docs.SiteItem, error) {
	type result struct {
		*View
		it docs.SiteItem
	}
	out, err := authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (result, error) {
		var it docs.SiteItem
		c, err := edit(ctx, tx, g, func(c *change) (e audit.Event, err error) {
			it, err = fn(c)
			return itemEvent(kind, action, it), err
		})
		if err != nil {
			return result{}, err
		}
		v, err := s.Views.Of(ctx, tx.Reader, g.Viewer(), c.site, c.tree)
		return result{v, it}, err
	})
	if err != nil {
		return nil, docs.SiteItem{}, err
	}
	if now, ok := out.Structure.items[out.it.ID]; ok {
		out.it = now
	}
	return out.View, out.it, nil
}

// conditionField is the field of requests that has the condition of an item.
const conditionField = "condition"

// checkCondition parses a condition, before the transaction begins. If the site has a schema
// of claims, the condition may read only claims that the schema declares and that have a
// finite set of values. An undeclared claim would hide the item from everybody. A claim with
// unlimited values would give every visitor a different site. The path is the place of
// the condition in the request.
func checkCondition(ctx context.Context, r store.Reader, g *authz.Grant, path, text string) error {
	if text == "" {
		return nil
	}
	if err := docs.CheckCondition(path, text); err != nil {
		return err
	}
	schema, _, err := schemaOf(ctx, r, g.Site.ID)
	if err != nil || schema == nil {
		return err
	}
	return schema.CheckCondition(path, text)
}

// checkTitles returns an error unless the titles of an item in several languages are valid.
func checkTitles(p opt.Val[map[string]string]) error {
	return docs.CheckLocalized("localizedTitle", p.Or(nil), 128)
}

func checkDescriptions(p opt.Val[map[string]string]) error {
	return docs.CheckLocalized("localizedDescription", p.Or(nil), 256)
}

// NewSpace is the input of AddSpace. A zero field has a default.
type NewSpace struct {
	Space     docs.SpaceID
	Make      Maker // instead of Space: makes it
	Section   docs.SiteItemID
	Condition string
	Draft     bool
}

// AddSpace adds a space to a site. See Structure.AddSpace.
func (s *Service) AddSpace(ctx context.Context, g *authz.Grant, in NewSpace) (*View, docs.SiteItem, error) {
	if err := checkCondition(ctx, s.Store.Reader, g, conditionField, in.Condition); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteSpace, "create", func(c *change) (docs.SiteItem, error) {
		sp, err := c.spaceOr(ctx, in.Space, in.Make)
		if err != nil {
			return docs.SiteItem{}, err
		}
		it, err := c.tree.AddSpace(in.Section, sp)
		if err != nil {
			return it, err
		}
		return c.tree.UpdateSpace(it.ID, SpacePatch{Condition: opt.Of(in.Condition), Draft: opt.Of(in.Draft)}, sp.Title)
	})
}

// UpdateSpace changes a site space.
func (s *Service) UpdateSpace(ctx context.Context, g *authz.Grant, id docs.SiteItemID, p SpacePatch) (*View, docs.SiteItem, error) {
	if err := errs.All(checkTitles(p.LocalizedTitle), checkCondition(ctx, s.Store.Reader, g, conditionField, p.Condition.Or(""))); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteSpace, "update", func(c *change) (docs.SiteItem, error) {
		it, err := c.item(ctx, docs.SiteSpace, id)
		if err != nil {
			return it, err
		}
		title := it.Title
		if space, ok := p.Space.Get(); ok {
			sp, err := c.space(ctx, "spaceId", space)
			if err != nil {
				return it, err
			}
			title = sp.Title
		}
		return c.tree.UpdateSpace(id, p, title)
	})
}

// NewSection is the input of AddSection. A zero field has a default.
type NewSection struct {
	Space     docs.SpaceID
	Make      Maker // instead of Space: makes it
	Title     string
	Icon      string
	Condition string
	Draft     bool
	Group     docs.SiteItemID
}

// AddSection adds a section with one site space.
func (s *Service) AddSection(ctx context.Context, g *authz.Grant, in NewSection) (*View, docs.SiteItem, error) {
	if err := checkCondition(ctx, s.Store.Reader, g, conditionField, in.Condition); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteSection, "create", func(c *change) (docs.SiteItem, error) {
		sp, err := c.spaceOr(ctx, in.Space, in.Make)
		if err != nil {
			return docs.SiteItem{}, err
		}
		it, err := c.tree.AddSection(in.Title, in.Icon, sp)
		if err != nil {
			return it, err
		}
		return c.tree.UpdateSection(it.ID, SectionPatch{Condition: opt.Of(in.Condition), Draft: opt.Of(in.Draft), Group: opt.Of(in.Group)})
	})
}

// UpdateSection changes a section.
func (s *Service) UpdateSection(ctx context.Context, g *authz.Grant, id docs.SiteItemID, p SectionPatch) (*View, docs.SiteItem, error) {
	err := errs.All(checkTitles(p.LocalizedTitle), checkDescriptions(p.LocalizedDescription), checkCondition(ctx, s.Store.Reader, g, conditionField, p.Condition.Or("")))
	if err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteSection, "update", func(c *change) (docs.SiteItem, error) {
		return c.tree.UpdateSection(id, p)
	})
}

// NewGroup is the input of AddGroup. A zero field has a default.
type NewGroup struct {
	Title    string
	Icon     string
	Draft    bool
	Parent   docs.SiteItemID   // a group; empty for the site
	Sections []docs.SiteItemID // that are moved into the group
}

// AddGroup adds a group and moves sections into it.
func (s *Service) AddGroup(ctx context.Context, g *authz.Grant, in NewGroup) (*View, docs.SiteItem, error) {
	return s.editItem(ctx, g, docs.SiteGroup, "create", func(c *change) (docs.SiteItem, error) {
		it, err := c.tree.AddGroup(in.Title, in.Icon, in.Parent, in.Sections)
		if err != nil {
			return it, err
		}
		return c.tree.UpdateGroup(it.ID, GroupPatch{Draft: opt.Of(in.Draft)})
	})
}

// UpdateGroup changes a group.
func (s *Service) UpdateGroup(ctx context.Context, g *authz.Grant, id docs.SiteItemID, p GroupPatch) (*View, docs.SiteItem, error) {
	if err := checkTitles(p.LocalizedTitle); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteGroup, "update", func(c *change) (docs.SiteItem, error) {
		return c.tree.UpdateGroup(id, p)
	})
}

// MoveToGroup moves a section into a group or out of it, and returns the group.
func (s *Service) MoveToGroup(ctx context.Context, g *authz.Grant, group, section docs.SiteItemID, into bool) (*View, docs.SiteItem, error) {
	return s.editItem(ctx, g, docs.SiteGroup, "update", func(c *change) (docs.SiteItem, error) {
		move := c.tree.Ungroup
		if into {
			move = c.tree.Group
		}
		return c.tree.items[group], move(group, section)
	})
}

// Move changes the position of an item among its siblings.
func (s *Service) Move(ctx context.Context, g *authz.Grant, what Pointer, to Position) (*View, docs.SiteItem, error) {
	return s.editItem(ctx, g, what.Kind, "move", func(c *change) (docs.SiteItem, error) {
		if it, err := c.item(ctx, what.Kind, what.ID); err != nil {
			return it, err
		}
		return c.tree.Move(what, to)
	})
}

// DeleteItem removes an item. See Structure.Delete.
func (s *Service) DeleteItem(ctx context.Context, g *authz.Grant, kind docs.SiteItemKind, id docs.SiteItemID) error {
	_, _, err := s.editItem(ctx, g, kind, "delete", func(c *change) (docs.SiteItem, error) {
		if it, err := c.item(ctx, kind, id); err != nil {
			return it, err
		}
		return c.tree.Delete(kind, id)
	})
	return err
}
