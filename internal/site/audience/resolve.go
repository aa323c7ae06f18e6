package audience

import (
	"context"
	"net/url"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// Visit is a request for an address of a site, with the credentials of the visitor.
type Visit struct {
	URL           *url.URL
	Token         string         // a visitor token; empty if there is none
	TrustedClaims map[string]any // claims that are trusted like those of a token; nil if there are none
	Unsigned      map[string]any // claims without a signature
	// LoginOnError redirects visitors with an invalid token to the login page of the
	// site, like visitors without a token.
	LoginOnError bool
	// Preview decides whether the visit is a preview. If nil, it is not.
	Preview Previewer
}

// Previewer returns the visitor of a preview of a site, or nil if the visit is not a preview.
// The argument unpublished reports whether the address names unpublished content.
type Previewer func(ctx context.Context, site docs.Site, unpublished bool) (*authz.Visitor, error)

// Resolved is the target of an address of a site: content, or another address.
type Resolved struct {
	Visitor authz.Visitor
	View    *VisitorView
	Target  sites.Target

	// Redirect is the address to redirect to instead. Login reports whether that is the
	// login page of the site, which is expected to redirect back.
	Redirect string
	Login    bool
	Site     docs.SiteID

	SiteBase  string // path of the address of the site, with the share key
	Base      string // path of the address of the site space
	Canonical string // the URL for search engines
	Expires   int64  // expiry of the visitor token in Unix seconds; 0 if there is no token
	Context   string // identifies the claims that the content depends on; empty if there are none
}

// Resolve returns the target of an address. It does not check whether the space has a page
// at the rest of the path. A site that is absent, not published, or read by another share link is NotFound
// with one message.
func (s *Service) Resolve(ctx context.Context, a Visit) (*Resolved, error) {
	out, err := s.resolve(ctx, a)
	if errs.Is(err, errs.NotFound) {
		err = errs.Missing("site")
	}
	return out, err
}

func (s *Service) resolve(ctx context.Context, a Visit) (*Resolved, error) {
	site, rest, err := s.Find(ctx, a.URL)
	if err != nil {
		return nil, err
	}
	if a.Preview != nil {
		v, err := a.Preview(ctx, site, !site.Published || namesDraft(rest))
		if err != nil {
			return nil, err
		}
		if v != nil {
			return s.resolvePreview(ctx, site, rest, *v)
		}
	}
	if !site.Published || namesDraft(rest) {
		return nil, errs.Missing("site")
	}
	out := &Resolved{Site: site.ID, Visitor: authz.Visitor{Org: site.Org, Site: site.ID}}
	keyed := site.Visibility == docs.VisibilityLink
	key, _ := sites.ShareKey(site, rest)
	if keyed {
		link, err := s.sites.ShareLinks.ByKey(ctx, site.ID, key)
		if err != nil {
			return nil, err
		}
		out.Visitor.Link = link.ID
	}
	who, err := s.Identify(ctx, site, a)
	if errs.Is(err, errs.Unauthenticated) && (a.Token == "" || a.LoginOnError) {
		return out, s.login(ctx, site, a.URL, out)
	}
	if err != nil {
		return nil, err
	}
	out.Visitor.Key, out.Visitor.Claims, out.Expires = who.Key, who.Claims, who.Expires
	if out.View, err = s.VisitorViewOf(ctx, site, out.Visitor); err != nil {
		return nil, err
	}
	var ok bool
	if out.Target, ok = out.View.Paths.Resolve(rest, keyed); !ok {
		return nil, errs.Missing("site")
	}
	s.address(out, site, key)
	return out, nil
}

// login sets the redirect to the login page of a site.
func (s *Service) login(ctx context.Context, site docs.Site, from *url.URL, out *Resolved) error {
	settings, err := s.identitySettings(ctx, site)
	if err != nil {
		return err
	}
	if out.Redirect, out.Login = WithLocation(settings.auth.FallbackURL, from.EscapedPath()); !out.Login {
		return errs.E(errs.Unauthenticated, "this site is for visitors who were authenticated by its owner, and has no login page; ask the owner for access")
	}
	return nil
}

// WithLocation adds a path to the address of a login page, to which the login page redirects
// back. It returns false if there is no address.
func WithLocation(address, location string) (string, bool) {
	u, err := url.Parse(address)
	if address == "" || err != nil {
		return "", false
	}
	q := u.Query()
	q.Set("location", location)
	u.RawQuery = q.Encode()
	return u.String(), true
}

// address sets the addresses of a resolved target.
func (s *Service) address(out *Resolved, site docs.Site, key string) {
	p := site.Publication()
	out.SiteBase = pathOf(s.sites.Hosts.URL(p, key))
	p.Path = out.Target.Space.Address
	home := s.sites.Hosts.URL(p, key)
	out.Base = pathOf(home)
	out.Canonical = home + out.Target.Rest
	if !out.Target.Canonical() {
		out.Redirect = out.Canonical
	}
	if out.Visitor.Key != 0 || len(out.Visitor.Claims) > 0 {
		out.Context = out.View.Reader.Key()
	}
}

// pathOf returns the escaped path of a URL.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "/"
	}
	return u.EscapedPath()
}
