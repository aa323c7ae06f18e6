package audience

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// contentKey returns the key that signs content tokens.
func (s *Service) contentKey(ctx context.Context) (visitor.Key, error) {
	if k := s.key.Load(); k != nil {
		return *k, nil
	}
	secret, err := s.store.Secret(ctx)
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

// firstSpaces returns the first spaces of a structure, for a content token.
func firstSpaces(s *sites.Structure) (out []string) {
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
	id := signedKey{r.View.key, r.Target.Space.ID, visitor.Expiry(s.store.Clock())}
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
