package api

import (
	"context"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/customization"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/sites"
)

func (a *API) publishedSite() {
	register(a, op{
		ID: "getPublishedContentSite", Route: "GET " + siteRoute + "/published", Tag: sitesTag, Allow: authz.Site(authz.ReadSite),
		Summary: "Get a published site with its structure and how it looks, all that a renderer needs.",
		About:   "404 if the site is not published.",
	}, a.getPublishedSite)
}

// PublishedContentSite on the wire.
type PublishedContentSite struct {
	Object         string              `json:"object" enum:"published-content-site"`
	Site           publishedSite       `json:"site"`
	Structure      SiteStructure       `json:"structure"`
	Customizations siteCustomizations  `json:"customizations"`
	Scripts        []integrationScript `json:"scripts"`
}

// publishedSite is a site with what only its readers need.
type publishedSite struct {
	Site
	URLs publishedSiteURLs `json:"urls"`
}

type publishedSiteURLs struct {
	siteURLs
	Login  string `json:"login,omitempty" format:"uri" doc:"Where visitors sign in."`
	Logout string `json:"logout,omitempty" format:"uri"`
}

type siteCustomizations struct {
	Site       customization.Settings            `json:"site"`
	SiteSpaces map[string]customization.Settings `json:"siteSpaces" doc:"By the id of a site space."`
}

// publishedAnswer is a site that was encoded before it is sent.
type publishedAnswer struct {
	Length string `header:"Content-Length" hidden:"true"`
	Body   encoded[PublishedContentSite]
}

// publishedKey is what an encoded site depends on.
type publishedKey struct {
	mark     sites.Mark
	shareKey string
}

// maxPublishedCache bounds the bytes of encoded sites that are kept.
const maxPublishedCache = 16 << 20

// getPublishedSite answers visitors with what is kept for them, as long as
// nothing of it is different.
func (a *API) getPublishedSite(ctx context.Context, in *getSiteStructureIn) (*publishedAnswer, error) {
	key := publishedKey{shareKey: in.ShareKey}
	v := authz.Of(ctx).Actor.Visitor
	kept := v != nil && !v.Preview // what a preview shows depends on permissions
	if kept {
		var err error
		if key.mark, err = a.Sites.Mark(ctx, *v); err != nil {
			return nil, err
		}
		if had, ok := a.publishedCache.Get(key); ok {
			return &publishedAnswer{strconv.Itoa(len(had)), encoded[PublishedContentSite]{had}}, nil
		}
	}
	w, err := a.publishedContent(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	body, err := encode(*w)
	if err == nil && kept {
		a.publishedCache.Set(key, body.data)
	}
	return &publishedAnswer{strconv.Itoa(len(body.data)), body}, err
}

func (a *API) publishedContent(ctx context.Context, shareKey string) (*PublishedContentSite, error) {
	g := authz.Of(ctx)
	if !g.Site.Published && (g.Shown() == nil || !g.Shown().Preview) {
		return nil, errs.Missing("published site")
	}
	v, err := a.siteView(ctx, shareKey)
	if err != nil {
		return nil, err
	}
	auth, err := a.Sites.Auth(ctx, g.Site.ID)
	if err != nil {
		return nil, err
	}
	site := a.site(g.Site)
	site.SiteSpaces = len(v.Structure.All(docs.SiteSpace))
	w := PublishedContentSite{
		Object: "published-content-site", Structure: v.structure(), Scripts: []integrationScript{},
		Site: publishedSite{site, publishedSiteURLs{site.URLs, auth.FallbackURL, auth.LogoutURL}},
	}
	w.Customizations, err = a.customizationsFor(ctx, g, v)
	return &w, err
}

// customizationsFor returns how a site looks to the caller.
func (a *API) customizationsFor(ctx context.Context, g *authz.Grant, v siteView) (siteCustomizations, error) {
	base, overrides, err := a.Sites.Customizations(ctx, g.Site)
	seen := func(s customization.Settings) customization.Settings {
		if by := g.Visiting(); by != nil {
			return s.For(func(condition string) bool { return by.Holds(condition, nil, nil) })
		}
		return s
	}
	out := siteCustomizations{Site: seen(base), SiteSpaces: map[string]customization.Settings{}}
	for _, it := range v.Structure.All(docs.SiteSpace) {
		out.SiteSpaces[string(it.ID)] = out.Site
		if own, ok := overrides[it.ID]; ok {
			out.SiteSpaces[string(it.ID)] = seen(own)
		}
	}
	return out, err
}
