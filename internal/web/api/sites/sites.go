package sites

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

const sitesTag = "Sites"

func (h *handlers) sites() {
	const tag = sitesTag
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSites", Route: "GET /orgs/{organizationId}/sites", Tag: tag, Allow: authz.Org(authz.ViewOrg),
		Summary: "List the sites of an organization that you can see.",
	}, h.list)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createSite", Route: "POST /orgs/{organizationId}/sites", Tag: tag, Allow: authz.Org(authz.CreateContent), Status: 201,
		Summary: "Create a site. It is not published yet.",
		About:   "Needs the role create on each space that is added.",
	}, h.create)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteById", Route: "GET " + wire.SiteRoute, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "Get a site.",
	}, h.get)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteById", Route: "PATCH " + wire.SiteRoute, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Also:    []int{http.StatusConflict},
		Summary: "Change the settings of a site.",
		About:   "409 if the basename is taken.",
	}, h.update)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteById", Route: "DELETE " + wire.SiteRoute, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Delete a site. Its spaces and their content stay.",
	}, h.delete)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "publishSite", Route: "POST " + wire.SiteRoute + "/publish", Tag: tag, Allow: authz.Site(authz.PublishSite), Status: 200,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Make a site reachable for its audience.",
		About:   "412 if the site has no content.",
	}, h.publish)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "unpublishSite", Route: "POST " + wire.SiteRoute + "/unpublish", Tag: tag, Allow: authz.Site(authz.PublishSite), Status: 200,
		Summary: "Make a site unreachable. Its settings stay.",
	}, h.unpublish)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteStructure", Route: "GET " + wire.SiteRoute + "/structure", Tag: tag, Allow: authz.Site(authz.ReadSite),
		Summary: "Get the sections and groups of a site, or its site spaces if it has no sections.",
	}, h.getStructure)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "sortSiteStructure", Route: "PATCH " + wire.SiteRoute + "/structure/sort", Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Change the place of a section, a group or a site space among its siblings.",
	}, h.sortStructure)
}

// Site is the JSON form of a site.
type Site struct {
	Object          string                 `json:"object" enum:"site"`
	ID              string                 `json:"id"`
	Type            string                 `json:"type" enum:"basic,premium,ultimate,sponsored,legacy-basic,legacy-premium"`
	AppliedType     string                 `json:"appliedType" doc:"That of type: no type costs anything."`
	Title           string                 `json:"title"`
	Icon            *customization.Favicon `json:"icon,omitempty" doc:"That of the customization; absent if there is none."`
	Hostname        string                 `json:"hostname,omitempty"`
	Basename        string                 `json:"basename,omitempty"`
	Proxy           *siteProxy             `json:"proxy,omitempty"`
	ProxyProblem    string                 `json:"proxyProblem,omitempty" doc:"Why the proof of the host of the proxy was not found when it was looked for last, or why the site lost it."`
	Visibility      docs.Visibility        `json:"visibility"`
	Published       bool                   `json:"published" doc:"Whether the audience of the site can reach it."`
	SiteSpaces      int                    `json:"siteSpaces" doc:"Number of site spaces."`
	CreatedAt       docs.Time              `json:"createdAt"`
	AdaptiveContent adaptiveContent        `json:"adaptiveContent"`
	Ads             *siteAds               `json:"ads,omitempty" doc:"What the owner asked for; absent if nothing. This server shows no advertisements."`
	AgentsContext   string                 `json:"agentsContext" enum:"excluded,included" doc:"Whether the agent of the organization can read the site."`
	KeepsQuestions  bool                   `json:"keepsQuestions" doc:"Whether questions that several readers asked are kept."`
	Features        []siteFeature          `json:"features" doc:"All features: none costs anything."`
	DefaultLevel    *docs.Level            `json:"defaultLevel" doc:"null: no access."`
	Permissions     sitePermissions        `json:"permissions"`
	URLs            siteURLs               `json:"urls"`
}

// sitePermissions are what the caller may do with a site.
type sitePermissions struct {
	View               bool `json:"view"`
	Access             bool `json:"access"`
	Edit               bool `json:"edit"`
	Create             bool `json:"create"`
	Admin              bool `json:"admin"`
	InstallIntegration bool `json:"installIntegration"`
	ViewAdaptiveSchema bool `json:"viewAdaptiveSchema"`
	EditAdaptiveSchema bool `json:"editAdaptiveSchema"`
}

type siteProxy struct {
	Origin string `json:"origin" doc:"Host and path on a domain of the owner."`
	Target string `json:"target" format:"uri" doc:"Where requests to the origin must be forwarded to."`
}

type adaptiveContent struct {
	Enabled bool `json:"enabled"`
}

type siteFeature struct {
	ID     string `json:"id"`
	Plan   string `json:"plan"`
	Frozen bool   `json:"frozen"`
}

type siteURLs struct {
	Location  string `json:"location" format:"uri"`
	App       string `json:"app" format:"uri"`
	Published string `json:"published,omitempty" format:"uri" doc:"Absent if the site is not published."`
	Preview   string `json:"preview" format:"uri" doc:"Where previews of the site are; each needs a token."`
}

func (h *handlers) site(by authz.Actor, s docs.Site, r docs.Role) Site {
	w := Site{
		Object: "site", ID: string(s.ID), Type: s.Type, AppliedType: s.Type, Title: s.Title, Hostname: s.Hostname, Basename: s.Basename,
		Visibility: s.Visibility, Published: s.Published, SiteSpaces: s.SiteSpaces, CreatedAt: s.CreatedAt,
		AdaptiveContent: adaptiveContent{s.Adaptive}, ProxyProblem: s.ProxyState.Problem, Icon: wireIcon(s.Icon), Ads: wireAds(s.Ads), AgentsContext: s.AgentsContext, KeepsQuestions: s.KeepsQuestions,
		URLs: siteURLs{
			Location: h.location(s), App: h.BaseURL + "/o/" + string(s.Org) + "/sites/" + string(s.ID), Published: h.Sites.URL(s),
			Preview: h.Sites.ProxyTarget(s),
		},
		DefaultLevel: wire.LevelOrNull(s.Level),
		Permissions: sitePermissions{
			View: by.Can(r, authz.ReadSite), Access: by.Can(r, authz.ViewSite), Edit: by.Can(r, authz.EditSite), Create: by.Can(r, authz.EditSite),
			Admin: by.Can(r, authz.AdminSite), ViewAdaptiveSchema: by.Can(r, authz.ViewSite), EditAdaptiveSchema: by.Can(r, authz.AdminSite),
		},
	}
	for _, id := range docs.SiteFeatures {
		w.Features = append(w.Features, siteFeature{ID: id, Plan: s.Type})
	}
	if s.Proxy != "" {
		w.Proxy = &siteProxy{s.Proxy, h.Sites.ProxyTarget(s)}
	}
	return w
}

// shown is site for the caller of a request, with the role of its grant.
func (h *handlers) shown(ctx context.Context, s docs.Site) Site {
	g := authz.FromContext(ctx)
	return h.site(g.Actor, s, g.Role)
}

func wireIcon(i docs.SiteIcon) *customization.Favicon {
	switch {
	case i.Emoji != "":
		return &customization.Favicon{Emoji: i.Emoji}
	case i.Light != "":
		return &customization.Favicon{Icon: &customization.Image{Light: i.Light, Dark: i.Dark}}
	}
	return nil
}

type siteAds struct {
	Status      string  `json:"status" enum:"pending,in-review,disabled"`
	Submittable bool    `json:"submittable,omitempty" doc:"With pending: a topic is needed for more."`
	Topic       string  `json:"topic,omitempty" enum:"webdev,crypto"`
	Zone        *string `json:"zoneId,omitempty" doc:"With disabled, where clients need one: empty, there is no network of advertisements."`
}

// wireAds returns the JSON form of the advertisement settings. Without a topic the status
// is pending, because clients accept the other statuses only with a topic.
func wireAds(ads docs.SiteAds) *siteAds {
	switch {
	case ads == docs.SiteAds{}:
		return nil
	case ads.Topic == "" || ads.Status == "":
		return &siteAds{Status: "pending", Submittable: true}
	case ads.Status == "disabled":
		return &siteAds{Status: ads.Status, Topic: ads.Topic, Zone: new(string)}
	}
	return &siteAds{Status: ads.Status, Topic: ads.Topic}
}

// location returns the address of a site, or of a part of it.
func (h *handlers) location(s docs.Site, parts ...string) string {
	return h.Location(append([]string{"orgs", string(s.Org), "sites", string(s.ID)}, parts...)...)
}

type listIn struct {
	wire.OrgIn
	kernel.Paged
	Space     docs.SpaceID `query:"space" maxLength:"64" doc:"Only sites that have this space."`
	Title     string       `query:"title" maxLength:"128" doc:"Only sites whose title contains this text."`
	Published string       `query:"published" enum:"true,false" doc:"Only sites that are published, or that are not."`
	Type      []string     `query:"type,explode" maxItems:"6" enum:"basic,premium,ultimate,sponsored,legacy-basic,legacy-premium" doc:"Only sites of these types; can be repeated."`
}

func (h *handlers) list(ctx context.Context, in *listIn) (*kernel.Page[Site], error) {
	f := store.SiteFilter{Space: in.Space, Title: in.Title, Types: in.Type}
	if in.Published != "" {
		f.Published = new(in.Published == "true")
	}
	l, err := h.Sites.List(ctx, authz.FromContext(ctx), f)
	if err != nil {
		return nil, err
	}
	by := authz.FromContext(ctx).Actor
	return kernel.ListOf(ctx, h.Kernel, in.Paged, l, func(s store.Ranked[docs.Site]) Site { return h.site(by, s.It, s.Role) })
}

type createSiteIn struct {
	wire.OrgIn
	Body *struct {
		Type       string          `json:"type,omitempty" enum:"basic,premium,ultimate,sponsored,legacy-basic,legacy-premium" doc:"Default: basic."`
		Title      string          `json:"title,omitempty" minLength:"2" maxLength:"128"`
		Visibility docs.Visibility `json:"visibility,omitempty" doc:"Default: public."`
		Spaces     []docs.SpaceID  `json:"spaces,omitempty" maxItems:"1000" doc:"Spaces to add, in their order."`
	}
}

func (h *handlers) create(ctx context.Context, in *createSiteIn) (*kernel.Created[Site], error) {
	var n sites.NewSite
	if in.Body != nil {
		n = sites.NewSite{Type: in.Body.Type, Title: in.Body.Title, Visibility: in.Body.Visibility, Spaces: in.Body.Spaces}
	}
	s, err := h.Sites.Create(ctx, authz.FromContext(ctx), n)
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(s), h.shown(ctx, s)), nil
}

func (h *handlers) get(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[Site], error) {
	return kernel.OK(h.shown(ctx, authz.FromContext(ctx).Site)), nil
}

type updateSiteIn struct {
	wire.SiteIn
	Body struct {
		Title           opt.Val[string]          `json:"title,omitempty" minLength:"2" maxLength:"128"`
		Visibility      opt.Val[docs.Visibility] `json:"visibility,omitempty"`
		Basename        opt.Val[string]          `json:"basename,omitempty" minLength:"1" maxLength:"100" doc:"Name of the site in its address; no other site of the server has it."`
		AdaptiveContent opt.Val[adaptiveContent] `json:"adaptiveContent,omitempty"`
		AgentsContext   opt.Val[string]          `json:"agentsContext,omitempty" enum:"excluded,included"`
		KeepsQuestions  opt.Val[bool]            `json:"keepsQuestions,omitempty" doc:"Whether questions that several readers asked are kept. false deletes them."`
		DefaultSpace    opt.Val[docs.SiteItemID] `json:"defaultSiteSpace,omitempty" minLength:"1" doc:"Default site space of the site, or of its default section if it has sections."`
		DefaultSection  opt.Val[docs.SiteItemID] `json:"defaultSiteSection,omitempty" minLength:"1"`
		Level           opt.Val[docs.Level]      `json:"defaultLevel,omitempty" nullable:"true" doc:"Role of the members of the organization on the site; null: none."`
		Proxy           opt.Val[string]          `json:"proxy,omitempty" nullable:"true" maxLength:"512" doc:"Host and path on a domain of the owner, such as company.com/docs; null removes it."`
		Styleguide      opt.Val[string]          `json:"styleguide,omitempty" nullable:"true" maxLength:"128" doc:"Ignored: nothing checks a style guide."`
	}
}

func (h *handlers) update(ctx context.Context, in *updateSiteIn) (*kernel.Out[Site], error) {
	b := in.Body
	patch := sites.SitePatch{
		Title: b.Title, Visibility: b.Visibility, Basename: b.Basename, Proxy: b.Proxy, AgentsContext: b.AgentsContext, KeepsQuestions: b.KeepsQuestions, Level: b.Level,
		DefaultSpace: b.DefaultSpace, DefaultSection: b.DefaultSection,
	}
	if adaptive, set := b.AdaptiveContent.Get(); set {
		patch.Adaptive = opt.Of(adaptive.Enabled)
	}
	s, err := h.Sites.Update(ctx, authz.FromContext(ctx), patch)
	return kernel.OK(h.shown(ctx, s)), err
}

func (h *handlers) delete(ctx context.Context, _ *wire.SiteIn) (*kernel.Done, error) {
	return nil, h.Sites.Delete(ctx, authz.FromContext(ctx))
}

func (h *handlers) publish(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[Site], error) {
	s, err := h.Sites.Publish(ctx, authz.FromContext(ctx), true)
	return kernel.OK(h.shown(ctx, s)), err
}

func (h *handlers) unpublish(ctx context.Context, _ *wire.SiteIn) (*kernel.Out[Site], error) {
	s, err := h.Sites.Publish(ctx, authz.FromContext(ctx), false)
	return kernel.OK(h.shown(ctx, s)), err
}

type getStructureIn struct {
	wire.SiteIn
	wire.ShareKeyIn
}

func (h *handlers) getStructure(ctx context.Context, in *getStructureIn) (*kernel.Out[SiteStructure], error) {
	v, err := h.view(ctx, in.ShareKey)
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.structure()), nil
}

// itemPointer names an item of a site's structure.
type itemPointer struct {
	Type docs.SiteItemKind `json:"type" enum:"site-space,site-section,site-section-group,site-external-link"`
	ID   docs.SiteItemID   `json:"id" minLength:"1"`
}

func (p *itemPointer) plain() *sites.Pointer {
	if p == nil {
		return nil
	}
	return &sites.Pointer{Kind: p.Type, ID: p.ID}
}

// itemPosition is a position in a site's structure.
type itemPosition struct {
	Before *itemPointer `json:"before,omitempty"`
	After  *itemPointer `json:"after,omitempty"`
}

func (p *itemPosition) plain() sites.Position {
	if p == nil {
		return sites.Position{}
	}
	return sites.Position{Before: p.Before.plain(), After: p.After.plain()}
}

type sortSiteStructureIn struct {
	wire.SiteIn
	Body struct {
		Item     itemPointer   `json:"item"`
		Position *itemPosition `json:"position,omitempty" doc:"Default: last."`
	}
}

func (h *handlers) sortStructure(ctx context.Context, in *sortSiteStructureIn) (*kernel.Out[siteItem], error) {
	v, it, err := h.moved(ctx, *in.Body.Item.plain(), in.Body.Position.plain())
	if err != nil {
		return nil, err
	}
	return kernel.OK(v.item(it)), nil
}

// moved changes the position of an item, and returns the item with the new view of the
// site.
func (h *handlers) moved(ctx context.Context, what sites.Pointer, to sites.Position) (view, docs.SiteItem, error) {
	v, it, err := h.Sites.Move(ctx, authz.FromContext(ctx), what, to)
	return view{View: v, a: h, by: authz.FromContext(ctx).Actor}, it, err
}
