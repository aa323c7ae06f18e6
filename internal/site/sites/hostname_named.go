package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Grant returns a grant for the site that has or wants a host name. The error is NotFound
// if the caller sees no such site, and Forbidden if the caller may see it but not do this.
func (s *Hostnames) Grant(ctx context.Context, actor authz.Actor, a authz.Action, name string) (*authz.Grant, error) {
	all, err := s.Store.SitesOfHostname(ctx, name)
	if err != nil {
		return nil, err
	}
	var denied error = errs.Missing("host name")
	for _, site := range all {
		g, _, err := authz.NewChecker(s.Store.Reader).Site(ctx, actor, a, site.Org, site.ID)
		switch {
		case err == nil:
			return g, nil
		case errs.Is(err, errs.Forbidden):
			denied = err
		case !errs.Is(err, errs.NotFound):
			return nil, err
		}
	}
	return nil, denied
}
