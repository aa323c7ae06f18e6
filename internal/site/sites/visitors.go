package sites

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// VisitorView is the part of a site that a visitor sees. It depends only on the rows of the
// site and on the claims of the visitor. It is cached by the version of the site.
type VisitorView struct {
	Site      docs.Site
	Structure *Structure
	Paths     *Paths
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
	return s.visitorViewOf(ctx, s.Store.Reader, site, v)
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
	if reader.Guesses() && !s.kindsOf(site.ID).admit(reader.Key(), s.Store.Clock()) {
		reader = reader.Passing()
	}
	out, err := newVisitorView(ctx, site, tree, reader, key)
	if err == nil && reader.Kept() {
		s.views.Set(key, out)
	}
	return out, err
}

// VisibleTo returns the structure without items whose conditions do not hold for a visitor.
func (s *Structure) VisibleTo(ctx context.Context, reader *reading.Visitor) (*Structure, error) {
	check := reader.Check(ctx)
	out := s.Filter(func(it docs.SiteItem) bool { return check.Holds(it.Condition) })
	return out, check.Err
}

// newVisitorView returns the view of a structure for a visitor.
func newVisitorView(ctx context.Context, site docs.Site, tree *Structure, reader *reading.Visitor, key viewKey) (*VisitorView, error) {
	tree, err := tree.VisibleTo(ctx, reader)
	if err != nil {
		return nil, err
	}
	out := &VisitorView{Site: site, Structure: tree, Paths: tree.Paths(), Spaces: map[docs.SpaceID]bool{}, Reader: reader, key: key}
	for _, it := range out.Structure.All(docs.SiteSpace) {
		out.Spaces[it.Space] = true
	}
	out.first = out.Structure.first()
	return out, nil
}

// previewStructure returns the structure of a preview, before conditions are applied: that of
// readers, and drafts too unless the preview shows only what is live. It has only spaces that
// the member who created the preview can see now, so it is not cached.
func (s *Service) previewStructure(ctx context.Context, r store.Reader, site docs.Site, v authz.Visitor) (*Structure, error) {
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
	site, err := s.Store.Site(ctx, v.Site)
	if err != nil {
		return err
	}
	var tree *Structure
	if v.Preview {
		tree, err = s.previewStructure(ctx, s.Store.Reader, site.It, v)
	} else if err = admit(ctx, s.Store.Reader, site.It, v); err == nil {
		tree, err = s.PublicStructure(ctx, site.It)
	}
	if err != nil {
		return err
	}
	if tree.siblings(space) == nil {
		return errs.Missing("file")
	}
	return nil
}

// contentKey returns the key that signs content tokens.
func (s *Service) contentKey(ctx context.Context) (visitor.Key, error) {
	if k := s.key.Load(); k != nil {
		return *k, nil
	}
	secret, err := s.Store.Secret(ctx)
	if err != nil {
		return visitor.Key{}, err
	}
	k, err := visitor.NewKey(secret)
	if err == nil {
		s.key.Store(&k)
	}
	return k, err
}

// Recognise implements authz.Sites.
func (s *Service) Recognise(ctx context.Context, token string, now time.Time) (authz.Visitor, error) {
	c, ok := s.verified.Get(token)
	if !ok || c.Ended(now) {
		key, err := s.contentKey(ctx)
		if err != nil {
			return authz.Visitor{}, err
		}
		if c, err = key.Verify(token, now); err != nil {
			return authz.Visitor{}, err
		}
		s.verified.Set(token, c)
	}
	return authz.Visitor{
		Org: docs.OrgID(c.Organization), Site: docs.SiteID(c.Site), Link: docs.ShareLinkID(c.ShareLink), Key: c.VisitorKey,
		Preview: c.Preview, Live: c.Live, By: docs.UserID(c.PreviewBy), Draft: draftIn(c), Ends: c.Expires, Claims: c.Claims,
	}, nil
}

// draftIn returns the draft that a preview token is limited to.
func draftIn(c visitor.Content) authz.Draft {
	if c.ChangeRequest == "" && c.Revision == "" {
		return authz.Draft{}
	}
	return authz.Draft{Space: docs.SpaceID(c.Space), Request: docs.ChangeRequestID(c.ChangeRequest), Revision: docs.RevisionID(c.Revision)}
}

// maxVerified and maxSigned are the maximum numbers of cached content tokens: those whose
// signature was verified, and those that were signed.
const (
	maxVerified = 5_000
	maxSigned   = 5_000
)

// VisitorAccess implements authz.Sites.
func (s *Service) VisitorAccess(ctx context.Context, r store.Reader, v authz.Visitor) (*authz.VisitorAccess, error) {
	seen, err := s.VisitorView(ctx, r, v)
	if err != nil {
		return nil, err
	}
	return &authz.VisitorAccess{Site: seen.Site, Spaces: seen.Spaces, Reader: seen.Reader, Preview: v.Preview, Draft: v.Draft}, nil
}

// first returns the first spaces of a structure, for a content token.
func (s *Structure) first() (out []string) {
	for _, it := range s.All(docs.SiteSpace) {
		if len(out) == maxTokenSpaces {
			break
		}
		out = append(out, string(it.Space))
	}
	return out
}

// signedKey is the cache key of a content token: the view, the site space of the visit, and
// the expiry.
type signedKey struct {
	seen    viewKey
	space   docs.SiteItemID
	expires int64
}

// Token returns a content token for a resolved address.
func (s *Service) Token(ctx context.Context, r *Resolved) (string, error) {
	if r.Visitor.Preview { // every preview has a different token
		return s.token(ctx, r.Visitor, r.View.first, r.Target.Section, r.Target.Space, r.Visitor.Ends)
	}
	id := signedKey{r.View.key, r.Target.Space.ID, visitor.Expiry(s.Store.Clock())}
	if r.Expires != 0 { // the content token must not outlive the visitor token
		id.expires = min(id.expires, r.Expires)
	}
	if token, ok := s.signed.Get(id); ok {
		return token, nil
	}
	token, err := s.token(ctx, r.Visitor, r.View.first, r.Target.Section, r.Target.Space, id.expires)
	if err == nil {
		s.signed.Set(id, token)
	}
	return token, err
}

// token returns a content token for a visitor of a site space.
func (s *Service) token(ctx context.Context, v authz.Visitor, spaces []string, section, space docs.SiteItem, expires int64) (string, error) {
	key, err := s.contentKey(ctx)
	if err != nil {
		return "", err
	}
	c := visitor.Content{
		Organization: string(v.Org), Site: string(v.Site), SiteSection: string(section.ID), SiteSpace: string(space.ID), Space: string(space.Space),
		Spaces: spaces, Claims: v.Claims, ShareLink: string(v.Link), VisitorKey: v.Key, Preview: v.Preview, Live: v.Live, PreviewBy: string(v.By), Expires: expires,
		ChangeRequest: string(v.Draft.Request), Revision: string(v.Draft.Revision),
	}
	return key.Sign(c)
}

// maxTokenSpaces is the maximum number of spaces that a token names. They are a hint for
// clients: access is decided with each request. The limit keeps a token small enough for a
// header.
const maxTokenSpaces = 50

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
	seen, err := s.VisitorView(ctx, s.Store.Reader, v)
	if err != nil {
		return Fingerprint{}, err
	}
	spaces, err := s.Store.MarkOfSpacesOnSite(ctx, seen.Site.ID)
	return Fingerprint{seen.key, spaces, !seen.Reader.Kept()}, err
}
