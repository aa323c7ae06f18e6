package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// LinkPatch is a change of an external link.
type LinkPatch struct {
	Title       opt.Val[string]
	URL         opt.Val[string]
	Icon        opt.Val[string]
	Description opt.Val[string]
	Condition   opt.Val[string]
	Draft       opt.Val[bool]

	LocalizedTitle       opt.Val[map[string]string]
	LocalizedDescription opt.Val[map[string]string]

	Parent opt.Val[docs.SiteItemID] // a group; empty for the site
}

// AddLink adds a link at the end of the site or of a group. It fails for a site without
// sections, which has no place for links.
func (s *Structure) AddLink(p LinkPatch) (docs.SiteItem, error) {
	if !s.HasSections() {
		return docs.SiteItem{}, errs.Field("", "needs a site with sections; add a section first")
	}
	it, err := s.add(docs.SiteItem{Kind: docs.SiteLink}, "")
	if err != nil {
		return it, err
	}
	return s.UpdateLink(it.ID, p)
}

// UpdateLink changes a link. If its parent changes, the link is moved to the end of the new
// parent.
func (s *Structure) UpdateLink(id docs.SiteItemID, p LinkPatch) (docs.SiteItem, error) {
	it, err := s.Item(docs.SiteLink, id)
	if err != nil {
		return it, err
	}
	it.Title, it.URL, it.Icon = p.Title.Or(it.Title), p.URL.Or(it.URL), p.Icon.Or(it.Icon)
	it.Description, it.Condition, it.Draft = p.Description.Or(it.Description), p.Condition.Or(it.Condition), p.Draft.Or(it.Draft)
	it.LocalizedTitle, it.LocalizedDescription = localized(p.LocalizedTitle, it.LocalizedTitle), localized(p.LocalizedDescription, it.LocalizedDescription)
	s.items[id] = it
	parent := p.Parent.Or(it.Parent)
	if parent == it.Parent {
		return it, nil
	}
	if parent != "" && s.items[parent].Kind != docs.SiteGroup {
		return it, errs.Field("parent", "is not a group of the site; name one, or leave it out")
	}
	s.detach(it)
	s.place(it, parent, len(s.children[parent]))
	return s.items[id], nil
}

// checkLink returns an error unless the fields of a patch are valid.
func (s *Service) checkLink(ctx context.Context, g *authz.Grant, p LinkPatch) error {
	return errs.All(checkAddress("url", p.URL), checkTitles(p.LocalizedTitle), checkDescriptions(p.LocalizedDescription),
		checkCondition(ctx, s.Store.Reader, g, conditionField, p.Condition.Or("")))
}

// AddLink adds an external link to the structure of a site. See Structure.AddLink.
func (s *Service) AddLink(ctx context.Context, g *authz.Grant, p LinkPatch) (*View, docs.SiteItem, error) {
	if err := s.checkLink(ctx, g, p); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteLink, "create", func(c *change) (docs.SiteItem, error) { return c.tree.AddLink(p) })
}

// UpdateLink changes an external link.
func (s *Service) UpdateLink(ctx context.Context, g *authz.Grant, id docs.SiteItemID, p LinkPatch) (*View, docs.SiteItem, error) {
	if err := s.checkLink(ctx, g, p); err != nil {
		return nil, docs.SiteItem{}, err
	}
	return s.editItem(ctx, g, docs.SiteLink, "update", func(c *change) (docs.SiteItem, error) { return c.tree.UpdateLink(id, p) })
}
