package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) externalLinks() {
	const tag, route, one = sitesTag, wire.SiteRoute + "/external-links", wire.SiteRoute + "/external-links/{siteExternalLinkId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "addExternalLinkToSite", Route: "POST " + route, Tag: tag, Allow: authz.Site(authz.EditSite), Status: 201,
		Summary: "Add a link to another site, beside the sections or in a group.",
		About: "Needs a site with sections. It is sent in the structure of the site to every client; those before version 0.202.0 " +
			"of the JavaScript client do not know it.",
	}, h.addExternalLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteExternalLinkById", Route: "PATCH " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Change a link to another site, or move it into a group or out of it.",
	}, h.updateExternalLink)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteExternalLinkById", Route: "DELETE " + one, Tag: tag, Allow: authz.Site(authz.EditSite),
		Summary: "Delete a link to another site.",
	}, h.deleteExternalLink)
}

// ExternalLinkFields holds the optional fields of a link.
type ExternalLinkFields struct {
	Description opt.Val[string]          `json:"description,omitempty" nullable:"true" maxLength:"256"`
	Icon        opt.Val[string]          `json:"icon,omitempty" nullable:"true" maxLength:"50"`
	Parent      opt.Val[docs.SiteItemID] `json:"parent,omitempty" nullable:"true" maxLength:"64" doc:"Group that contains it; null: the site."`
	Draft       opt.Val[bool]            `json:"draft,omitempty" doc:"Whether readers do not see it."`
	Condition   opt.Val[string]          `json:"condition,omitempty" nullable:"true" maxLength:"1024" format:"condition" doc:"Expression that decides whether a visitor sees it; null removes it."`

	LocalizedTitle       opt.Val[map[string]string] `json:"localizedTitle,omitempty" nullable:"true" doc:"Titles by language, for readers of variants in that language."`
	LocalizedDescription opt.Val[map[string]string] `json:"localizedDescription,omitempty" nullable:"true"`
}

func (f ExternalLinkFields) patch(title, url opt.Val[string]) sites.LinkPatch {
	return sites.LinkPatch{
		Title: title, URL: url, Icon: f.Icon, Description: f.Description, Condition: f.Condition, Draft: f.Draft, Parent: f.Parent,
		LocalizedTitle: f.LocalizedTitle, LocalizedDescription: f.LocalizedDescription,
	}
}

type addExternalLinkIn struct {
	wire.SiteIn
	Body struct {
		Title string `json:"title" minLength:"2" maxLength:"128"`
		URL   string `json:"url" minLength:"1" maxLength:"2048" format:"uri" doc:"An http or https address."`
		ExternalLinkFields
	}
}

func (h *handlers) addExternalLink(ctx context.Context, in *addExternalLinkIn) (*kernel.Created[SiteExternalLink], error) {
	v, it, err := h.Sites.AddLink(ctx, authz.FromContext(ctx), in.Body.patch(opt.Of(in.Body.Title), opt.Of(in.Body.URL)))
	if err != nil {
		return nil, err
	}
	return kernel.Made(h.location(v.Site, "external-links", string(it.ID)), view{View: v, a: h, by: authz.FromContext(ctx).Actor}.link(it)), nil
}

type ExternalLinkIn struct {
	wire.SiteIn
	Link docs.SiteItemID `path:"siteExternalLinkId"`
}

type updateExternalLinkIn struct {
	ExternalLinkIn
	Body struct {
		Title opt.Val[string] `json:"title,omitempty" minLength:"2" maxLength:"128"`
		URL   opt.Val[string] `json:"url,omitempty" minLength:"1" maxLength:"2048" format:"uri" doc:"An http or https address."`
		ExternalLinkFields
	}
}

func (h *handlers) updateExternalLink(ctx context.Context, in *updateExternalLinkIn) (*kernel.Out[SiteExternalLink], error) {
	v, it, err := h.Sites.UpdateLink(ctx, authz.FromContext(ctx), in.Link, in.Body.patch(in.Body.Title, in.Body.URL))
	if err != nil {
		return nil, err
	}
	return kernel.OK(view{View: v, a: h, by: authz.FromContext(ctx).Actor}.link(it)), nil
}

func (h *handlers) deleteExternalLink(ctx context.Context, in *ExternalLinkIn) (*kernel.Done, error) {
	return nil, h.Sites.DeleteItem(ctx, authz.FromContext(ctx), docs.SiteLink, in.Link)
}
