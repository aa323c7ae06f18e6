package sites

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) audience() {
	const tag, links, auth = "Site audience", wire.SiteRoute + "/share-links", wire.SiteRoute + "/publishing/auth"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteShareLinks", Route: "GET " + links, Tag: tag, Allow: authz.Site(authz.SiteSecrets),
		Summary: "List the share links of a site, oldest first.",
	}, h.listShareLinks)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createSiteShareLink", Route: "POST " + links, Tag: tag, Allow: authz.Site(authz.AdminSite.Within(docs.ScopeAdmin)), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a share link, by which everybody who has it can read a site with the visibility share-link.",
		About:   "As long as the site has another visibility or is not published, the link does not work, and the header X-Octavo-Hint says what to do.",
	}, h.createShareLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteShareLinkById", Route: "PATCH " + links + "/{shareLinkId}", Tag: tag, Allow: authz.Site(authz.AdminSite.Within(docs.ScopeAdmin)),
		Summary: "Rename a share link, revoke it or make it work again.",
	}, h.updateShareLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteShareLinkById", Route: "DELETE " + links + "/{shareLinkId}", Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Delete a share link. It stops working at once.",
	}, h.deleteShareLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSitePublishingAuthById", Route: "GET " + auth, Tag: tag, Allow: authz.Site(authz.SiteSecrets),
		Summary: "Get how visitors of a site sign in, with the key that signs their tokens.",
	}, h.getAuth)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSitePublishingAuthById", Route: "PATCH " + auth, Tag: tag, Allow: authz.Site(authz.AdminSite.Within(docs.ScopeAdmin)),
		Summary: "Change how visitors of a site sign in.",
	}, h.updateAuth)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "regenerateSitePublishingAuthById", Route: "POST " + auth + "/regenerate", Tag: tag, Allow: authz.Site(authz.AdminSite.Within(docs.ScopeAdmin)), Status: 200,
		Summary: "Replace the key that signs the tokens of visitors. Tokens of the old key stop working at once.",
	}, h.regenerateAuth)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSitePublishingPreviewById", Route: "GET " + wire.SiteRoute + "/publishing/preview", Tag: tag, Allow: authz.Site(authz.SiteSecrets),
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Get an address where a site can be read for an hour, published or not, as a visitor with some claims.",
	}, h.preview)
}

// ShareLink is the JSON form of a share link.
type ShareLink struct {
	Object    string           `json:"object" enum:"share-link"`
	ID        string           `json:"id"`
	CreatedAt docs.Time        `json:"createdAt"`
	Name      string           `json:"name"`
	Active    bool             `json:"active"`
	URLs      shareLinkAddress `json:"urls"`
}

type shareLinkAddress struct {
	Published string `json:"published,omitempty" format:"uri" doc:"With the key. Absent if the link is not active, or if the site is not published with the visibility share-link."`
}

func (h *handlers) shareLink(site docs.Site) func(docs.ShareLink) ShareLink {
	return func(l docs.ShareLink) ShareLink {
		return ShareLink{
			Object: "share-link", ID: string(l.ID), CreatedAt: l.CreatedAt, Name: l.Name, Active: l.Active,
			URLs: shareLinkAddress{h.Sites.ShareLinks.URL(site, l)},
		}
	}
}

type listShareLinksIn struct {
	wire.SiteIn
	kernel.Paged
	Search string `query:"search" maxLength:"128" doc:"Only links whose name contains this text."`
}

func (h *handlers) listShareLinks(ctx context.Context, in *listShareLinksIn) (*kernel.Page[ShareLink], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Sites.ShareLinks.List(g, in.Search), h.shareLink(g.Site))
}

type createShareLinkIn struct {
	wire.SiteIn
	Body struct {
		Name string `json:"name" maxLength:"50"`
	}
}

// createdShareLink is the output of createShareLink. A link that does not work yet has a
// hint in a header, because the contract defines the body.
type createdShareLink struct {
	Location string `header:"Location"`
	Hint     string `header:"X-Octavo-Hint" doc:"What is left to do until the link works; absent if it works."`
	Body     ShareLink
}

func (h *handlers) createShareLink(ctx context.Context, in *createShareLinkIn) (*createdShareLink, error) {
	g := authz.FromContext(ctx)
	l, err := h.Sites.ShareLinks.Add(ctx, g, in.Body.Name)
	out := &createdShareLink{Location: h.location(g.Site, "share-links", string(l.ID)), Body: h.shareLink(g.Site)(l)}
	switch {
	case g.Site.Visibility != docs.VisibilityLink:
		out.Hint = "the link works once the site has the visibility share-link; it has " + string(g.Site.Visibility)
	case !g.Site.Published:
		out.Hint = "the link works once the site is published"
	}
	return out, err
}

type ShareLinkIn struct {
	wire.SiteIn
	Link docs.ShareLinkID `path:"shareLinkId"`
}

type updateShareLinkIn struct {
	ShareLinkIn
	Body struct {
		Name   opt.Val[string] `json:"name,omitempty" maxLength:"50"`
		Active opt.Val[bool]   `json:"active,omitempty"`
	}
}

func (h *handlers) updateShareLink(ctx context.Context, in *updateShareLinkIn) (*kernel.Out[ShareLink], error) {
	if !in.Body.Name.IsSet() && !in.Body.Active.IsSet() {
		return nil, errs.Field("body", "must contain name or active")
	}
	g := authz.FromContext(ctx)
	l, err := h.Sites.ShareLinks.Update(ctx, g, in.Link, in.Body.Name, in.Body.Active)
	return kernel.OK(h.shareLink(g.Site)(l)), err
}

func (h *handlers) deleteShareLink(ctx context.Context, in *ShareLinkIn) (*kernel.Done, error) {
	return nil, h.Sites.ShareLinks.Delete(ctx, authz.FromContext(ctx), in.Link)
}

// SiteAuth is the JSON form of the sign-in settings of a site.
type SiteAuth struct {
	Object      string `json:"object" enum:"publishing-auth"`
	Backend     string `json:"backend" enum:"custom,integration"`
	PrivateKey  string `json:"privateKey" doc:"Signs the tokens of visitors with HS256. Use the text as it is."`
	FallbackURL string `json:"fallbackURL,omitempty" format:"uri" doc:"Where visitors without a valid token sign in."`
	LogoutURL   string `json:"logoutURL,omitempty" format:"uri"`
}

func auth(v sites.Auth) SiteAuth {
	return SiteAuth{"publishing-auth", v.Backend, v.PrivateKey, v.FallbackURL, v.LogoutURL}
}

func (h *handlers) getAuth(ctx context.Context, in *wire.SiteIn) (*kernel.Out[SiteAuth], error) {
	v, err := h.Sites.Settings.Auth(ctx, in.Site)
	return kernel.OK(auth(v)), err
}

type updateSiteAuthIn struct {
	wire.SiteIn
	Body struct {
		Backend     string          `json:"backend,omitempty" enum:"custom,integration" doc:"Only custom is available: this server has no integrations. Without it, the backend stays."`
		FallbackURL opt.Val[string] `json:"fallbackURL,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"null removes it."`
		LogoutURL   opt.Val[string] `json:"logoutURL,omitempty" nullable:"true" format:"uri" maxLength:"2048" doc:"null removes it."`
	}
}

func (h *handlers) updateAuth(ctx context.Context, in *updateSiteAuthIn) (*kernel.Out[SiteAuth], error) {
	if in.Body.Backend == "" && !in.Body.FallbackURL.IsSet() && !in.Body.LogoutURL.IsSet() {
		return nil, errs.Field("body", "must contain backend, fallbackURL or logoutURL")
	}
	v, err := h.Sites.Settings.UpdateAuth(ctx, authz.FromContext(ctx), sites.AuthPatch(in.Body))
	return kernel.OK(auth(v)), err
}

func (h *handlers) regenerateAuth(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[SiteAuth], error) {
	v, err := h.Sites.Settings.ReplaceKey(ctx, authz.FromContext(ctx))
	return kernel.OK(auth(v)), err
}

type previewIn struct {
	wire.SiteIn
	SiteSpace docs.SiteItemID `query:"siteSpace" maxLength:"64" doc:"Default: that of the site."`
	Claims    string          `query:"claims" maxLength:"8192" doc:"Claims of the visitor as an object in Rison, such as (plan:pro,beta:!t), or in JSON."`
	Draft     string          `query:"draft" enum:"true,false" default:"true" doc:"Whether it shows the parts of the site that are drafts."`
	Target    string          `query:"target" maxLength:"2048" doc:"Ignored: a preview is at the address of the site."`
}

type previewAddress struct {
	URL string `json:"url" format:"uri"`
}

func (h *handlers) preview(ctx context.Context, in *previewIn) (*kernel.Out[previewAddress], error) {
	u, err := h.Audience.PreviewURL(ctx, authz.FromContext(ctx), audience.PreviewStart{
		Space: in.SiteSpace, Claims: in.Claims, Live: in.Draft == "false",
	})
	return kernel.OK(previewAddress{u}), err
}
