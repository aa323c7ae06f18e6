package sites

import (
	"context"
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/adaptive"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Visit is a request for an address of a site: what the visitor brings.
type Visit struct {
	URL      *url.URL
	Token    string         // a visitor token; empty: none
	Vouched  map[string]any // claims that count as signed, instead of a token; nil: there are none
	Unsigned map[string]any // claims that nobody vouches for
	// LoginOnError sends visitors with a token that is not valid to the login
	// page of the site, like those who have none.
	LoginOnError bool
	// Preview says whose preview the visit is; nil: nobody's.
	Preview Previewer
}

// Previewer returns the visitor of a preview of a site, or nil if the visit is like any other.
// The address may lead to what is not published.
type Previewer func(ctx context.Context, site docs.Site, unpublished bool) (*authz.Visitor, error)

// Resolved is what an address of a site leads to: content, or another address.
type Resolved struct {
	Visitor authz.Visitor
	View    *VisitorView
	Target  Target

	// Redirect is the address to go to instead. Login says that it is the login
	// page of the owner of the site, which has to come back.
	Redirect string
	Login    bool
	Site     docs.SiteID

	SiteBase  string // path of the address of the site, with the share key
	Base      string // path of the address of the site space
	Canonical string // the address that search engines should know
	Expires   int64  // when the token of the visitor ends, in seconds since 1970; 0: there is none
	Context   string // changes when claims change what is shown; empty: for everybody
}

// Resolve finds the content of an address. Every prefix of an address leads to
// the same site space, also if there is no such page.
func (s *Service) Resolve(ctx context.Context, a Visit) (*Resolved, error) {
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
	if out.View, err = s.VisitorViewOf(ctx, s.Store.Reader, site, out.Visitor); err != nil {
		return nil, err
	}
	var ok bool
	if out.Target, ok = out.View.Paths.Resolve(rest, keyed); !ok {
		return nil, errs.Missing("site")
	}
	s.address(out, site, key)
	return out, nil
}

// ShareKey returns the key that a path below the address of a site begins with,
// and the path behind it. The key is empty in a site that is not read by share
// links.
func ShareKey(site docs.Site, path string) (key, below string) {
	path = strings.TrimPrefix(path, "/")
	if site.Visibility != docs.VisibilityLink {
		return "", path
	}
	key, below, _ = strings.Cut(path, "/")
	return key, below
}

// Identity is what is known of a visitor.
type Identity struct {
	Key     int            // as in authz.Visitor
	Claims  map[string]any // as in authz.Visitor
	Expires int64          // of the token that was accepted; 0: none was
	// Refused is why a token was not accepted, if LoginOnError is set.
	Refused visitor.Refusal
}

// Identify works out who visits a site. The error is Unauthenticated if the
// owner of the site has to vouch for visitors, and did not for this one, and
// unless LoginOnError is set also for any other token that is not valid.
func (s *Service) Identify(ctx context.Context, site docs.Site, a Visit) (out Identity, err error) {
	if site.Visibility != docs.VisibilityAuth && !site.Adaptive {
		return out, nil
	}
	gate, err := s.gateOf(ctx, site)
	if err != nil {
		return out, err
	}
	signed, err := s.vouched(gate, a, &out)
	if err != nil {
		return out, err
	}
	if site.Visibility == docs.VisibilityAuth && out.Key == 0 {
		return out, errs.E(errs.Unauthenticated, "this site is for visitors who were authenticated by its owner; sign in first")
	}
	if site.Adaptive {
		out.Claims = known(gate.schema.Claims(signed, a.Unsigned))
	}
	return out, nil
}

// vouched returns the claims that the owner of a site vouches for, and notes how.
func (s *Service) vouched(gate *gate, a Visit, out *Identity) (map[string]any, error) {
	if a.Vouched != nil {
		out.Key = gate.auth.KeyVersion
		return a.Vouched, nil
	}
	if a.Token == "" {
		return nil, nil
	}
	v, err := visitor.Check(gate.auth.PrivateKey, a.Token, s.Store.Clock())
	switch {
	case err == nil:
		out.Key, out.Expires = gate.auth.KeyVersion, v.Expires
		return v.Claims, nil
	case !a.LoginOnError || !errs.Is(err, errs.Unauthenticated):
		return nil, err
	}
	out.Refused = visitor.RefusalOf(err)
	return nil, nil
}

// DroppedClaims says which claims of a visitor of a site conditions do not read, because the schema
// declares them otherwise, by the path that conditions have for them.
func (s *Service) DroppedClaims(ctx context.Context, site docs.Site, a Visit) (map[string]string, error) {
	if !site.Adaptive {
		return nil, nil
	}
	gate, err := s.gateOf(ctx, site)
	if err != nil {
		return nil, err
	}
	signed, err := s.vouched(gate, a, &Identity{})
	if err != nil {
		return nil, err
	}
	return gate.schema.Dropped(signed, a.Unsigned), nil
}

// login sends a visitor who cannot read the site to its login page.
func (s *Service) login(ctx context.Context, site docs.Site, from *url.URL, out *Resolved) error {
	gate, err := s.gateOf(ctx, site)
	if err != nil {
		return err
	}
	if out.Redirect, out.Login = WithLocation(gate.auth.FallbackURL, from.EscapedPath()); !out.Login {
		return errs.E(errs.Unauthenticated, "this site is for visitors who were authenticated by its owner, and has no login page; ask the owner for access")
	}
	return nil
}

// gate is what decides who a visitor is. It is kept under the version of the
// site.
type gate struct {
	auth   Auth
	schema *adaptive.Schema
}

// maxGates bounds the gates that are kept.
const maxGates = 10_000

func (s *Service) gateOf(ctx context.Context, site docs.Site) (*gate, error) {
	key := treeKey{site.ID, site.Version}
	if g, ok := s.gates.Get(key); ok {
		return g, nil
	}
	auth, err := s.Auth(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	schema, _, err := s.Schema(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	g := &gate{auth, schema}
	s.gates.Set(key, g)
	return g, nil
}

// known returns claims, or nil if nothing is known: such visitors share what is
// kept for them.
func known(claims map[string]any) map[string]any {
	if unsigned, ok := claims["unsigned"].(map[string]any); ok && len(unsigned) == 0 && len(claims) == 1 {
		return nil
	}
	return claims
}

// WithLocation adds to the address of a login page the path that it has to come
// back to. It is false if there is no address.
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

// address works out the addresses of what was found.
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

// pathOf returns the path of an address of this server.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "/"
	}
	return u.EscapedPath()
}
