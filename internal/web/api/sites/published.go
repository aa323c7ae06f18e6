package sites

import (
	"cmp"
	"context"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) publishedStructure() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPublishedContentSite", Route: "GET " + wire.SiteRoute + "/published", Tag: sitesTag, Allow: authz.Site(authz.ReadSite),
		Summary: "Get a published site with its structure and how it looks, all that a renderer needs.",
		About:   "404 if the site is not published.",
	}, h.getPublishedContent)
}

// PublishedContentSite is the JSON form of a published site with its structure and
// customizations.
type PublishedContentSite struct {
	Object         string              `json:"object" enum:"published-content-site"`
	Site           publishedSite       `json:"site"`
	Structure      SiteStructure       `json:"structure"`
	Customizations siteCustomizations  `json:"customizations"`
	Scripts        []integrationScript `json:"scripts"`
}

// publishedSite is a site with the addresses that only its readers need.
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

// publishedAnswer is the output of getPublishedContent, already encoded.
type publishedAnswer struct {
	Length string `header:"Content-Length" hidden:"true"`
	Body   kernel.Encoded[PublishedContentSite]
}

// publishedKey is the cache key of an encoded site: everything that its JSON depends on.
type publishedKey struct {
	mark     audience.Fingerprint
	shareKey string
}

// maxPublishedCache is the maximum size of the cache of encoded sites, in bytes.
const maxPublishedCache = 16 << 20

// getPublishedContent returns a published site. Responses to visitors are cached until
// something that they depend on changes.
func (h *readers) getPublishedContent(ctx context.Context, in *getStructureIn) (*publishedAnswer, error) {
	var key publishedKey
	g := authz.FromContext(ctx)
	v := g.Actor.Visitor
	kept := v != nil && !v.Preview // what a preview shows depends on permissions
	if kept {
		var err error
		// Asked each time: a link may have been revoked since.
		if key.shareKey, err = h.Sites.ShareLinks.AddressKey(ctx, g, g.Site.Publication(), in.ShareKey); err != nil {
			return nil, err
		}
		if key.mark, err = h.Audience.Fingerprint(ctx, *v); err != nil {
			return nil, err
		}
		if had, ok := h.publishedCache.Get(key); ok {
			return &publishedAnswer{strconv.Itoa(len(had)), kernel.Encoded[PublishedContentSite]{Data: had}}, nil
		}
	}
	w, err := h.publishedContent(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	body, err := kernel.Encode(*w)
	if err == nil && kept && key.mark.Kept() {
		h.publishedCache.Set(key, body.Data)
	}
	return &publishedAnswer{strconv.Itoa(len(body.Data)), body}, err
}

func (h *readers) publishedContent(ctx context.Context, shareKey string) (*PublishedContentSite, error) {
	g := authz.FromContext(ctx)
	if !g.Site.Published && (g.VisitorAccess() == nil || !g.VisitorAccess().Preview) {
		return nil, errs.Missing("published site")
	}
	v, err := h.view(ctx, shareKey)
	if err != nil {
		return nil, err
	}
	if !v.visited {
		v.View = v.Live()
	}
	auth, err := h.Sites.Settings.Auth(ctx, g.Site.ID)
	if err != nil {
		return nil, err
	}
	site := h.site(g.Actor, g.Site, g.Role)
	site.ProxyProblem = "" // only for members who manage the site
	site.URLs.Published = h.Sites.SharedURL(g.Site, v.shareKey)
	site.SiteSpaces = len(v.Structure.All(docs.SiteSpace))
	w := PublishedContentSite{
		Object: "published-content-site", Structure: v.structure(), Scripts: []integrationScript{},
		Site: publishedSite{site, publishedSiteURLs{site.URLs, auth.FallbackURL, auth.LogoutURL}},
	}
	w.Customizations, err = h.customizationsFor(ctx, g, v)
	return &w, err
}

// customizationsFor returns the customizations of a site as the caller sees them. For
// visitors, links to targets that they do not see are removed. References without a space
// refer to the space that is read, and for the site as a whole to its default space.
func (h *readers) customizationsFor(ctx context.Context, g *authz.Grant, v view) (siteCustomizations, error) {
	base, overrides, err := h.Sites.Settings.Customizations(ctx, g.Site)
	if err != nil {
		return siteCustomizations{}, err
	}
	links := targets{a: h.handlers, ctx: ctx, views: map[docs.SpaceID]*revision.View{}, spaces: v.Spaces}
	by := g.Visitor()
	check := by.Check(ctx)
	seen := func(s customization.Settings, home docs.SpaceID) customization.Settings {
		if by == nil {
			return s
		}
		links.home = home
		return s.ForVisitor(check.Holds).WithoutHiddenLinks(links.seen)
	}
	home, _ := v.Structure.Paths().Resolve("", false)
	out := siteCustomizations{Site: seen(base, home.Space.Space), SiteSpaces: map[string]customization.Settings{}}
	for _, it := range v.Structure.All(docs.SiteSpace) {
		own, ok := overrides[it.ID]
		if !ok {
			own = base
		}
		out.SiteSpaces[string(it.ID)] = seen(own, it.Space)
	}
	return out, cmp.Or(links.err, check.Err)
}

// targets reports which targets of the links of a site a visitor sees.
type targets struct {
	a      *handlers
	ctx    context.Context
	spaces map[docs.SpaceID]store.Ranked[docs.Space]
	views  map[docs.SpaceID]*revision.View
	home   docs.SpaceID // space of references that name none
	err    error
}

// seen reports whether the visitor sees the target of a reference.
func (t *targets) seen(ref docs.Ref) bool {
	id := docs.SpaceID(ref.Space)
	if id == "" {
		id = t.home
	}
	sp, ok := t.spaces[id]
	switch {
	case ref.Kind == docs.RefURL:
		return true
	case !ok || t.err != nil:
		return false
	case ref.Kind == docs.RefSpace, ref.Kind == docs.RefAnchor && ref.Page == "":
		return true
	}
	view, err := t.view(sp.It)
	switch {
	case err != nil:
	case ref.Kind == docs.RefFile:
		_, err = view.File(t.ctx, docs.FileID(ref.File))
	case ref.Kind == docs.RefPage, ref.Kind == docs.RefAnchor:
		_, err = view.Page(t.ctx, docs.PageID(ref.Page))
	default:
		return false
	}
	if err != nil && !errs.Is(err, errs.NotFound) {
		t.err = err
	}
	return err == nil
}

// view returns the newest revision of a space as the visitor sees it.
func (t *targets) view(sp docs.Space) (*revision.View, error) {
	if v, ok := t.views[sp.ID]; ok {
		return v, nil
	}
	v, err := t.a.Content.Source.Head(t.ctx, sp)
	if err == nil {
		v = wire.AsSeen(authz.FromContext(t.ctx), v)
		t.views[sp.ID] = v
	}
	return v, err
}
