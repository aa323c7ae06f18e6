package audience

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
)

// VisitorView is the part of a site that a visitor sees. It depends only on the rows of the
// site and on the claims of the visitor. It is cached by the version of the site.
type VisitorView struct {
	Site      docs.Site
	Structure *sites.Structure
	Paths     *sites.Paths
	Spaces    map[docs.SpaceID]bool
	Reader    *reading.Visitor

	key   viewKey
	first []string // the spaces that a content token names
}

// viewKey is the cache key of a VisitorView.
type viewKey struct {
	site    docs.SiteID
	version int64
	link    docs.ShareLinkID
	key     int
	preview bool
	claims  string
}

// maxViews is the maximum number of items in all cached views.
const maxViews = 200_000

// VisitorView returns the part of a site that a visitor sees now. The error is NotFound if the
// visitor may not read the site.
func (s *Service) VisitorView(ctx context.Context, r store.Reader, v authz.Visitor) (*VisitorView, error) {
	site, err := r.Site(ctx, v.Site)
	if err == nil && site.It.Org != v.Org {
		err = errs.Missing("site")
	}
	if err != nil {
		return nil, err
	}
	return s.visitorViewOf(ctx, r, site.It, v)
}

// readerOf returns the reader that a visitor is, and the key of their view.
func readerOf(site docs.Site, v authz.Visitor) (*reading.Visitor, viewKey, error) {
	if !site.Adaptive {
		v.Claims = nil
	}
	reader, err := reading.NewVisitor(v.Claims)
	if err != nil {
		return nil, viewKey{}, err
	}
	return reader, viewKey{site.ID, site.Version, v.Link, v.Key, v.Preview, reader.Key()}, nil
}

// Knows reports whether the view of a visitor is cached.
func (s *Service) Knows(site docs.Site, v authz.Visitor) bool {
	_, key, err := readerOf(site, v)
	if err != nil {
		return false
	}
	_, ok := s.views.Get(key)
	return ok
}

// VisitorViewOf is VisitorView for callers that have just read the site.
func (s *Service) VisitorViewOf(ctx context.Context, site docs.Site, v authz.Visitor) (*VisitorView, error) {
	return s.visitorViewOf(ctx, s.store.Reader, site, v)
}

func (s *Service) visitorViewOf(ctx context.Context, r store.Reader, site docs.Site, v authz.Visitor) (*VisitorView, error) {
	reader, key, err := readerOf(site, v)
	if err != nil {
		return nil, err
	}
	if v.Preview {
		tree, err := s.previewStructure(ctx, r, site, v)
		if err != nil {
			return nil, err
		}
		return newVisitorView(ctx, site, tree, reader, key)
	}
	if kept, ok := s.views.Get(key); ok {
		return kept, nil
	}
	if err := admit(ctx, r, site, v); err != nil {
		return nil, err
	}
	tree, err := s.PublicStructure(ctx, site)
	if err != nil {
		return nil, err
	}
	if reader.Guesses() && !s.kindsOf(site.ID).admit(reader.Key(), s.store.Clock()) {
		reader = reader.Passing()
	}
	out, err := newVisitorView(ctx, site, tree, reader, key)
	if err == nil && reader.Kept() {
		s.views.Set(key, out)
	}
	return out, err
}

// newVisitorView returns the view of a structure for a visitor.
func newVisitorView(ctx context.Context, site docs.Site, tree *sites.Structure, reader *reading.Visitor, key viewKey) (*VisitorView, error) {
	tree, err := Visible(ctx, tree, reader)
	if err != nil {
		return nil, err
	}
	out := &VisitorView{Site: site, Structure: tree, Paths: tree.Paths(), Spaces: map[docs.SpaceID]bool{}, Reader: reader, key: key}
	for _, it := range out.Structure.All(docs.SiteSpace) {
		out.Spaces[it.Space] = true
	}
	out.first = firstSpaces(out.Structure)
	return out, nil
}

// previewStructure returns the structure of a preview, before conditions are applied: that of
// readers, and drafts too unless the preview shows only what is live. It has only spaces that
// the member who created the preview can see now, so it is not cached.
func (s *Service) previewStructure(ctx context.Context, r store.Reader, site docs.Site, v authz.Visitor) (*sites.Structure, error) {
	g, _, err := authz.NewChecker(r).Site(ctx, authz.Actor{User: v.By}, authz.SiteSecrets, site.Org, site.ID)
	if authz.Denied(err) {
		err = errs.Missing("site")
	}
	if err != nil {
		return nil, err
	}
	spaces, err := r.SpacesOnSite(ctx, g.Viewer(), site.ID)
	if err != nil {
		return nil, err
	}
	visible := map[docs.SpaceID]bool{}
	for _, sp := range spaces {
		visible[sp.It.ID] = true
	}
	tree, err := s.structure(ctx, site, !v.Live)
	if err != nil {
		return nil, err
	}
	return tree.Filter(func(it docs.SiteItem) bool { return it.Kind != docs.SiteSpace || visible[it.Space] }), nil
}

// admit returns NotFound unless a visitor belongs to the audience of a site. A visitor who was
// authenticated with a replaced key is refused on every site, even on a public one, because
// the claims of the visitor came with that key.
func admit(ctx context.Context, r store.Reader, site docs.Site, v authz.Visitor) error {
	absent := errs.Missing("site")
	if !site.Published {
		return absent
	}
	if v.Key != 0 || site.Visibility == docs.VisibilityAuth {
		settings, err := r.SiteSettings(ctx, site.ID)
		if err == nil && (v.Key == 0 || v.Key != settings.Auth.KeyVersion) {
			err = absent
		}
		if err != nil {
			return err
		}
	}
	switch site.Visibility {
	case docs.VisibilityPublic, docs.VisibilityUnlisted, docs.VisibilityAuth:
		return nil
	case docs.VisibilityLink:
		link, err := r.ShareLink(ctx, site.ID, v.Link)
		if err == nil && !link.Active || errs.Is(err, errs.NotFound) {
			err = absent
		}
		return err
	}
	return absent
}

// CheckShown returns NotFound unless a site shows a space to its audience or in a preview, and
// the visitor still belongs to that audience. The claims of the visitor are ignored.
func (s *Service) CheckShown(ctx context.Context, v authz.Visitor, space docs.SpaceID) error {
	site, err := s.store.Site(ctx, v.Site)
	if err != nil {
		return err
	}
	var tree *sites.Structure
	if v.Preview {
		tree, err = s.previewStructure(ctx, s.store.Reader, site.It, v)
	} else if err = admit(ctx, s.store.Reader, site.It, v); err == nil {
		tree, err = s.PublicStructure(ctx, site.It)
	}
	if err != nil {
		return err
	}
	if siblings(tree, space) == nil {
		return errs.Missing("file")
	}
	return nil
}

// VisitorAccess implements authz.Sites.
func (s *Service) VisitorAccess(ctx context.Context, r store.Reader, v authz.Visitor) (*authz.VisitorAccess, error) {
	seen, err := s.VisitorView(ctx, r, v)
	if err != nil {
		return nil, err
	}
	return &authz.VisitorAccess{Site: seen.Site, Spaces: seen.Spaces, Reader: seen.Reader, Preview: v.Preview, Draft: v.Draft}, nil
}

// Fingerprint identifies the state of a site that a visitor can read, except for the content
// of pages.
type Fingerprint struct {
	seen    viewKey
	spaces  uint64
	passing bool
}

// Kept reports whether caches may keep what was made for the visitor.
func (f Fingerprint) Kept() bool { return !f.passing }

// Fingerprint returns the fingerprint of a site for a visitor.
func (s *Service) Fingerprint(ctx context.Context, v authz.Visitor) (Fingerprint, error) {
	seen, err := s.VisitorView(ctx, s.store.Reader, v)
	if err != nil {
		return Fingerprint{}, err
	}
	spaces, err := s.store.MarkOfSpacesOnSite(ctx, seen.Site.ID)
	return Fingerprint{seen.key, spaces, !seen.Reader.Kept()}, err
}
