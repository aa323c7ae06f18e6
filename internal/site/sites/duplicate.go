package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Copier copies the space of a grant in a transaction. Callers provide it, because this
// package does not write content.
type Copier func(ctx context.Context, tx *store.Tx, g *authz.Grant) (docs.Space, error)

// Maker makes a space in the organization of a grant, in a transaction. Callers provide it,
// as Copier.
type Maker Copier

// DuplicateSpace copies the space of a site space and adds the copy to the site. See
// Structure.Duplicate. It requires the same role on the space as adding the space to a site.
func (s *Service) DuplicateSpace(ctx context.Context, g *authz.Grant, id docs.SiteItemID, draft bool, copied Copier) (*View, docs.SiteItem, error) {
	return s.editItem(ctx, g, docs.SiteSpace, "create", func(c *change) (docs.SiteItem, error) {
		it, err := c.item(ctx, docs.SiteSpace, id)
		if err != nil {
			return it, err
		}
		if it.Trashed {
			return it, errs.E(errs.Precondition, "the space %q is in the trash; restore it first", it.Title)
		}
		own, _, err := authz.NewChecker(c.tx.Reader).Space(ctx, c.grant.Actor, authz.AdminSpace, it.Space)
		if err != nil {
			return it, err
		}
		sp, err := copied(ctx, c.tx, own)
		if err != nil {
			return it, err
		}
		c.spaces[sp.ID] = sp
		return c.tree.Duplicate(it, sp, draft)
	})
}

// Duplicate adds a copy of the space of a site space after that site space. If the site space
// is the only one of its section, the copy is added in a new section after that section. The
// copy has the conditions of the original, so that restricted content stays restricted. It is
// a draft if the original is one, or if that is asked for.
func (s *Structure) Duplicate(it docs.SiteItem, sp docs.Space, draft bool) (docs.SiteItem, error) {
	draft = draft || it.Draft
	if sec, ok := s.items[it.Parent]; ok && len(s.children[sec.ID]) == 1 {
		made, err := s.addAfter(docs.SiteItem{Kind: docs.SiteSection, Title: sp.Title, Icon: sec.Icon, Description: sec.Description, Condition: sec.Condition, Draft: draft || sec.Draft}, sec)
		if err != nil {
			return made, err
		}
		return s.add(docs.SiteItem{Kind: docs.SiteSpace, Title: sp.Title, Space: sp.ID, Condition: it.Condition, Draft: draft}, made.ID)
	}
	return s.addAfter(docs.SiteItem{Kind: docs.SiteSpace, Title: sp.Title, Space: sp.ID, Condition: it.Condition, Draft: draft}, s.items[it.ID])
}

// addAfter adds an item after a sibling of the same kind.
func (s *Structure) addAfter(it, sibling docs.SiteItem) (docs.SiteItem, error) {
	it, err := s.add(it, sibling.Parent)
	if err != nil {
		return it, err
	}
	return s.Move(Pointer{it.Kind, it.ID}, Position{After: &Pointer{sibling.Kind, sibling.ID}})
}
