package audience

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/visitor"
)

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
	v, err := visitor.Check(settings.auth.PrivateKey, a.Token, s.store.Clock())
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

// identitySettings holds the settings that identify visitors. It is cached by the version of
// the site.
type identitySettings struct {
	auth   sites.Auth
	schema *adaptive.Schema
}

// maxIdentitySettings is the maximum number of cached identity settings.
const maxIdentitySettings = 10_000

func (s *Service) identitySettings(ctx context.Context, site docs.Site) (*identitySettings, error) {
	key := treeKey{site: site.ID, version: site.Version}
	if set, ok := s.identity.Get(key); ok {
		return set, nil
	}
	auth, err := s.sites.Settings.Auth(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	schema, _, err := s.sites.Settings.Schema(ctx, site.ID)
	if err != nil {
		return nil, err
	}
	set := &identitySettings{auth, schema}
	s.identity.Set(key, set)
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
