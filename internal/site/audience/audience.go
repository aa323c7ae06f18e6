// Package audience is what readers of sites meet: which site an address names, who reads it,
// and what of it they see. Authors change sites in package sites.
//
// A visitor is recognised by a share key, by a token that the owner of the site signed, or by
// a content token of this server. What a visitor sees depends only on the rows of the site
// and on the claims of the visitor, so it is cached by the version of the site.
//
// Where a change goes:
//   - who a visitor is: identify.go; what may be read without one: resolve.go, draft.go
//   - what a visitor of a site may see: the site: visitors.go; pages and blocks:
//     content/revision/visitor.go; conditions: reading/visitor.go; the API:
//     authz/visitor.go
//   - what is cached for visitors with claims that anybody can make up: kinds.go
//   - what members see of a site before its readers do: preview.go
package audience

import (
	"context"
	"net/url"
	"strings"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Service reads sites for their visitors.
type Service struct {
	store *store.Store
	sites *sites.Service

	trees    *cache.Cache[treeKey, *sites.Structure]
	views    *cache.Cache[viewKey, *VisitorView]
	identity *cache.Cache[treeKey, *identitySettings]
	kinds    *cache.Cache[docs.SiteID, *kinds]
	// verified and signed are caches of content tokens.
	verified *cache.Cache[string, visitor.Content]
	signed   *cache.Cache[signedKey, string]
	key      atomic.Pointer[visitor.Key] // of content tokens; nil if not loaded yet
}

// New returns a service for the sites of a service.
func New(s *sites.Service) *Service {
	return &Service{
		store: s.Store, sites: s,
		trees:    cache.New[treeKey](maxTrees, func(t *sites.Structure) int { return t.Len() + 1 }),
		views:    cache.New[viewKey](maxViews, func(v *VisitorView) int { return 1 + v.Structure.Len() }),
		identity: cache.New[treeKey](maxIdentitySettings, func(*identitySettings) int { return 1 }),
		kinds:    cache.New[docs.SiteID](maxKnown, func(*kinds) int { return 1 }),
		verified: cache.New[string](maxVerified, func(visitor.Content) int { return 1 }),
		signed:   cache.New[signedKey](maxSigned, func(string) int { return 1 }),
	}
}

// Find returns the site that a URL names, and the escaped path below its address. The error is
// NotFound if there is none. Find checks neither whether the site is published nor who may
// read it.
func (s *Service) Find(ctx context.Context, u *url.URL) (docs.Site, string, error) {
	name, rest, ok := s.sites.Hosts.Locate(u)
	var site docs.Site
	var err error
	switch {
	case !ok:
		err = errs.Missing("site")
	case name.ID != "":
		var v store.Stamped[docs.Site]
		v, err = s.store.Site(ctx, name.ID)
		site = v.It
	case name.Basename != "":
		site, err = s.store.SiteByBasename(ctx, name.Basename)
	default:
		site, err = s.store.SiteByHostname(ctx, name.Hostname)
	}
	return site, rest, err
}

// CheckHost returns an error unless a host name belongs to the server or to a site.
func (s *Service) CheckHost(ctx context.Context, host string) error {
	if base, err := url.Parse(s.sites.Hosts.Base); err == nil && strings.EqualFold(base.Hostname(), host) {
		return nil
	}
	_, _, err := s.Find(ctx, &url.URL{Host: host, Path: "/"})
	return err
}

// HasHostname reports whether a site has a host name.
func (s *Service) HasHostname(ctx context.Context, name string) bool {
	_, err := s.store.SiteByHostname(ctx, name)
	return err == nil
}
