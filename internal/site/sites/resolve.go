package sites

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/visitor"
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
	Target  Target

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
	key, _ := ShareKey(site, rest)
	if keyed {
		link, err := s.ShareLinkByKey(ctx, site.ID, key)
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

// ShareKey splits a path below the address of a site into the share key and the rest. The
// key is empty if the site is not read by share links.
func ShareKey(site docs.Site, path string) (key, below string) {
	path = strings.TrimPrefix(path, "/")
	if site.Visibility != docs.VisibilityLink {
		return "", path
	}
	key, below, _ = strings.Cut(path, "/")
	return key, below
}

// Identity describes a visitor.
type Identity struct {
	Key     int            // as in authz.Visitor
	Claims  map[string]any // as in authz.Visitor
	Expires int64          // expiry of the accepted token; 0 if there is none
	// Refused is the reason why a token was refused. It is set only with LoginOnError.
	Refused visitor.Refusal
}

// Identify identifies the visitor of a site. The error is Unauthenticated if the site
// requires authentication and the visitor has no valid token. Without LoginOnError, an
// invalid token is an error for every site that reads tokens.
func (s *Service) Identify(ctx context.Context, site docs.Site, a Visit) (out Identity, err error) {
	if site.Visibility != docs.VisibilityAuth && !site.Adaptive {
		return out, nil
	}
	settings, err := s.identitySettings(ctx, site)
	if err != nil {
		return out, err
	}
	signed, err := s.signedClaims(settings, a, &out)
	if err != nil {
		return out, err
	}
	if site.Visibility == docs.VisibilityAuth && out.Key == 0 {
		return out, errs.E(errs.Unauthenticated, "this site is for visitors who were authenticated by its owner; sign in first")
	}
	if site.Adaptive {
		out.Claims = nilIfEmpty(settings.schema.Claims(signed, a.Unsigned))
	}
	return out, nil
}

// signedClaims returns the signed claims of a visitor. It records the key version and the
// expiry of the token, or the reason why the token was refused, in out.
func (s *Service) signedClaims(settings *identitySettings, a Visit, out *Identity) (map[string]any, error) {
	if a.TrustedClaims != nil {
		out.Key = settings.auth.KeyVersion
		return a.TrustedClaims, nil
	}
	if a.Token == "" {
		return nil, nil
	}
	v, err := visitor.Check(settings.auth.PrivateKey, a.Token, s.Store.Clock())
	switch {
	case err == nil:
		out.Key, out.Expires = settings.auth.KeyVersion, v.Expires
		return v.Claims, nil
	case !a.LoginOnError || !errs.Is(err, errs.Unauthenticated):
		return nil, err
	}
	out.Refused = visitor.RefusalOf(err)
	return nil, nil
}

// DroppedClaims returns the claims of a visitor that conditions cannot read, because they do
// not match the schema. It maps the path of a claim in conditions to the reason.
func (s *Service) DroppedClaims(ctx context.Context, site docs.Site, a Visit) (map[string]string, error) {
	if !site.Adaptive {
		return nil, nil
	}
	settings, err := s.identitySettings(ctx, site)
	if err != nil {
		return nil, err
	}
	signed, err := s.signedClaims(settings, a, &Identity{})
	if err != nil {
		return nil, err
	}
	return settings.schema.Dropped(signed, a.Unsigned), nil
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

// identitySettings holds the settings that identify visitors. It is cached by the version of
// the site.
type identitySettings struct {
	auth   Auth
	schema *adaptive.Schema
}

// maxIdentitySettings is the maximum number of cached identity settings.
const maxIdentitySettings = 10_000

func (s *Service) identitySettings(ctx context.Context, site docs.Site) (*identitySettings, error) {
	key := treeKey{site: site.ID, version: site.Version}
	if set, ok := s.identityCache.Get(key); ok {
		return set, nil
	}
	auth, err := s.Auth(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	schema, _, err := s.Schema(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	set := &identitySettings{auth, schema}
	s.identityCache.Set(key, set)
	return set, nil
}

// nilIfEmpty returns claims, or nil if there are none. Visitors without claims then share
// cache entries.
func nilIfEmpty(claims map[string]any) map[string]any {
	if unsigned, ok := claims["unsigned"].(map[string]any); ok && len(unsigned) == 0 && len(claims) == 1 {
		return nil
	}
	return claims
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
	out.SiteBase = pathOf(s.Hosts.URL(p, key))
	p.Path = out.Target.Space.Address
	home := s.Hosts.URL(p, key)
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
