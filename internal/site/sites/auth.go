package sites

import (
	"cmp"
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/seal"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Auth holds how visitors of a site sign in, with the private key that signs their tokens.
type Auth struct {
	docs.SiteAuth
	PrivateKey string
}

// Auth returns how visitors of a site sign in.
func (s *Settings) Auth(ctx context.Context, site docs.SiteID) (Auth, error) {
	v, err := s.Store.SiteSettings(ctx, site)
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, site, v.Auth)
}

func (s *Settings) openAuth(ctx context.Context, site docs.SiteID, a docs.SiteAuth) (Auth, error) {
	key, err := seal.Open(ctx, s.Store.Reader, seal.VisitorKey, string(site), a.Sealed)
	return Auth{a, key}, err
}

// setKey sets a new private key of a site.
func setKey(ctx context.Context, r store.Reader, site docs.SiteID, a *docs.SiteAuth) (err error) {
	a.KeyVersion++
	a.Sealed, err = seal.Seal(ctx, r, seal.VisitorKey, string(site), visitor.NewPrivateKey())
	return err
}

// AuthPatch is the input of UpdateAuth.
type AuthPatch struct {
	Backend     string // empty if unchanged
	FallbackURL opt.Val[string]
	LogoutURL   opt.Val[string]
}

// UpdateAuth changes how visitors of a site sign in.
func (s *Settings) UpdateAuth(ctx context.Context, g *authz.Grant, p AuthPatch) (Auth, error) {
	wrong := errs.Mistakes{}
	if p.Backend != "" && p.Backend != docs.AuthCustom {
		wrong.Field("backend", "must be %s: this server has no integrations that sign visitors in", docs.AuthCustom)
	}
	wrong.Add(checkAddress("fallbackURL", p.FallbackURL), checkAddress("logoutURL", p.LogoutURL))
	if err := wrong.Err(); err != nil {
		return Auth{}, err
	}
	v, err := s.configure(ctx, g, "site.auth.update", func(v *docs.SiteSettings) error {
		v.Auth.Backend = cmp.Or(p.Backend, v.Auth.Backend)
		v.Auth.FallbackURL, v.Auth.LogoutURL = p.FallbackURL.Or(v.Auth.FallbackURL), p.LogoutURL.Or(v.Auth.LogoutURL)
		return nil
	})
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, g.Site.ID, v.Auth)
}

func checkAddress(field string, v opt.Val[string]) error {
	if address, ok := v.Get(); ok {
		return docs.CheckWebURL(field, address)
	}
	return nil
}

// ReplaceKey sets a new private key of a site. Tokens that were signed with the old key become
// invalid.
func (s *Settings) ReplaceKey(ctx context.Context, g *authz.Grant) (Auth, error) {
	v, err := s.configure(ctx, g, "site.auth.regenerate", func(v *docs.SiteSettings) error {
		return setKey(ctx, s.Store.Reader, g.Site.ID, &v.Auth)
	})
	if err != nil {
		return Auth{}, err
	}
	return s.openAuth(ctx, g.Site.ID, v.Auth)
}
