package sites

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) customization() {
	const tag, one, space = "Site customization", wire.SiteRoute + "/customization", wire.SiteRoute + "/site-spaces/{siteSpaceId}/customization"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteCustomizationById", Route: "GET " + one, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "Get how a site looks, with all defaults.",
	}, h.getCustomization)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteCustomizationById", Route: "PUT " + one, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Replace how a site looks.",
		About:   "What is left out gets its default.",
	}, h.putCustomization)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteSpaceCustomizationById", Route: "GET " + space, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "Get how a site looks in one of its site spaces, with what it has from the site.",
	}, h.getSpaceCustomization)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "overrideSiteSpaceCustomizationById", Route: "PATCH " + space, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Override how a site looks in one of its site spaces.",
		About:   "What is left out stays as it is; null drops what was overridden.",
	}, h.patchSpaceCustomization)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteSiteSpaceCustomizationById", Route: "DELETE " + space, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Make a site space look like its site.",
	}, h.deleteSpaceCustomization)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteIntegrationScripts", Route: "GET " + wire.SiteRoute + "/integration-scripts", Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "List the scripts that integrations add to the pages of a site.",
		About:   "There are none: this server has no integrations.",
	}, h.listIntegrationScripts)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteIntegrations", Route: "GET " + wire.SiteRoute + "/integrations", Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "List the integrations of a site.",
		About:   "There are none: this server has no integrations.",
	}, h.listIntegrations)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteAdsById", Route: "POST " + wire.SiteRoute + "/ads", Tag: tag, Allow: authz.Site(authz.AdminSite), Status: 204,
		Summary: "Set whether a site wants advertisements.",
		About:   "The wish is stored. This server shows no advertisements.",
	}, h.updateAds)
}

// UnmaskedIn asks for what a plan would hide.
type UnmaskedIn struct {
	Unmasked string `query:"unmasked" enum:"true,false" doc:"Ignored: nothing is masked."`
}

type getCustomizationIn struct {
	wire.SiteIn
	UnmaskedIn
}

func (h *handlers) getCustomization(ctx context.Context, _ *getCustomizationIn) (*kernel.Out[customization.Settings], error) {
	s, err := h.Sites.Settings.Customization(ctx, authz.FromContext(ctx).Site)
	return kernel.OK(s), err
}

type putCustomizationIn struct {
	wire.SiteIn
	Body customizationPatch
}

func (h *handlers) putCustomization(ctx context.Context, in *putCustomizationIn) (*kernel.Out[customization.Settings], error) {
	s, err := h.Sites.Settings.Customize(ctx, authz.FromContext(ctx), in.Body.Patch)
	return kernel.OK(s), err
}

// SpaceCustomization is the JSON form of the customization of a site in one of its site
// spaces.
type SpaceCustomization struct {
	customization.Settings
	HasOverrides bool `json:"hasOverrides" doc:"Whether anything differs from the site."`
}

func spaceCustomization(c sites.SpaceCustomization) SpaceCustomization {
	return SpaceCustomization{c.Settings, c.Overridden}
}

type getSpaceCustomizationIn struct {
	SiteSpaceIn
	UnmaskedIn
}

func (h *handlers) getSpaceCustomization(ctx context.Context, in *getSpaceCustomizationIn) (*kernel.Out[SpaceCustomization], error) {
	c, err := h.Sites.Settings.SpaceCustomization(ctx, authz.FromContext(ctx), in.SiteSpace)
	return kernel.OK(spaceCustomization(c)), err
}

type patchSpaceCustomizationIn struct {
	SiteSpaceIn
	Body customizationPatch
}

func (h *handlers) patchSpaceCustomization(ctx context.Context, in *patchSpaceCustomizationIn) (*kernel.Out[SpaceCustomization], error) {
	c, err := h.Sites.Settings.Override(ctx, authz.FromContext(ctx), in.SiteSpace, in.Body.Patch)
	return kernel.OK(spaceCustomization(c)), err
}

func (h *handlers) deleteSpaceCustomization(ctx context.Context, in *SiteSpaceIn) (*kernel.Done, error) {
	return nil, h.Sites.Settings.DropOverride(ctx, authz.FromContext(ctx), in.SiteSpace)
}

type integrationScript struct {
	Script  string `json:"script" format:"uri"`
	Cookies bool   `json:"cookies"`
}

func (h *handlers) listIntegrationScripts(context.Context, *wire.SiteIn) (*kernel.Out[[]integrationScript], error) {
	return kernel.OK([]integrationScript{}), nil
}

type siteIntegration struct {
	Object string `json:"object" enum:"integration"`
	Name   string `json:"name"`
}

type listIntegrationsIn struct {
	wire.SiteIn
	kernel.Paged
	Search string `query:"search" maxLength:"256"`
}

func (h *handlers) listIntegrations(ctx context.Context, in *listIntegrationsIn) (*kernel.Page[siteIntegration], error) {
	none := store.List[siteIntegration]{Page: func(context.Context, store.Page) ([]siteIntegration, store.Key, error) { return nil, nil, nil }}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, none, func(i siteIntegration) siteIntegration { return i })
}

type updateSiteAdsIn struct {
	wire.SiteIn
	Body *struct {
		Status string `json:"status,omitempty" enum:"in-review,disabled"`
		Topic  string `json:"topic,omitempty" enum:"webdev,crypto"`
	}
}

func (h *handlers) updateAds(ctx context.Context, in *updateSiteAdsIn) (*kernel.Done, error) {
	var ads docs.SiteAds
	if in.Body != nil {
		ads = docs.SiteAds(*in.Body)
	}
	return nil, h.Sites.Settings.SetAds(ctx, authz.FromContext(ctx), ads)
}

func (h *handlers) adaptive() {
	const tag, route = "Adaptive content", wire.SiteRoute + "/adaptive-schema"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSiteAdaptiveSchema", Route: "GET " + route, Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "Get the schema of what a site knows of its visitors.",
		About:   "404 if it was never set.",
	}, h.getAdaptiveSchema)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateSiteAdaptiveSchema", Route: "PUT " + route, Tag: tag, Allow: authz.Site(authz.AdminSite),
		Summary: "Set the schema of what a site knows of its visitors.",
		About: "A subset of JSON Schema draft-07: an object of booleans, texts, numbers, arrays of these and objects, each with a description, without further properties. " +
			"Conditions can read booleans and texts with an enumeration.",
	}, h.putAdaptiveSchema)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSiteAdaptiveTemplateConditions", Route: "GET " + route + "/template-conditions", Tag: tag, Allow: authz.Site(authz.ViewSite),
		Summary: "List conditions that the schema allows: one for each boolean and each value of an enumeration.",
	}, h.listTemplateConditions)
}

// AdaptiveSchema is the JSON form of the adaptive schema of a site.
type AdaptiveSchema struct {
	Object     string     `json:"object" enum:"site-adaptive-schema"`
	JSONSchema jsonObject `json:"jsonSchema"`
	UpdatedAt  docs.Time  `json:"updatedAt"`
}

// jsonObject is an arbitrary JSON object in encoded form.
type jsonObject struct{ json.RawMessage }

// Schema implements huma.SchemaProvider.
func (jsonObject) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true, Description: "A JSON Schema (draft-07)."}
}

func adaptiveSchema(s *adaptive.Schema, at docs.Time) (AdaptiveSchema, error) {
	b, err := s.MarshalJSON()
	return AdaptiveSchema{"site-adaptive-schema", jsonObject{b}, at}, err
}

func (h *handlers) getAdaptiveSchema(ctx context.Context, in *wire.SiteIn) (*kernel.Out[AdaptiveSchema], error) {
	s, at, err := h.Sites.Settings.Schema(ctx, in.Site)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return nil, errs.Missing("adaptive schema")
	}
	w, err := adaptiveSchema(s, at)
	return kernel.OK(w), err
}

type putAdaptiveSchemaIn struct {
	wire.SiteIn
	Body struct {
		JSONSchema jsonObject `json:"jsonSchema"`
	}
}

func (h *handlers) putAdaptiveSchema(ctx context.Context, in *putAdaptiveSchemaIn) (*kernel.Out[AdaptiveSchema], error) {
	s, at, err := h.Sites.Settings.SetSchema(ctx, authz.FromContext(ctx), in.Body.JSONSchema.RawMessage)
	if err != nil {
		return nil, err
	}
	w, err := adaptiveSchema(s, at)
	return kernel.OK(w), err
}

type templateConditions struct {
	Items []adaptive.TemplateCondition `json:"items"`
}

func (h *handlers) listTemplateConditions(ctx context.Context, in *wire.SiteIn) (*kernel.Out[templateConditions], error) {
	s, _, err := h.Sites.Settings.Schema(ctx, in.Site)
	return kernel.OK(templateConditions{s.TemplateConditions()}), err
}

// customizationPatch is a part of customization.Config: all keys are optional, and null
// removes the stored value.
type customizationPatch struct{ customization.Patch }

// Schema implements huma.SchemaProvider.
func (customizationPatch) Schema(r huma.Registry) *huma.Schema {
	const name = "CustomizationPatch" // it is long, and two operations use it
	if r.Map()[name] == nil {
		r.Map()[name] = partOf(r, r.Schema(reflect.TypeFor[customization.Settings](), true, ""), "")
	}
	return &huma.Schema{Ref: "#/components/schemas/" + name}
}

// partOf returns the schema of a part of what whole describes: all properties are
// optional and can be null. path is the path of whole in the settings.
func partOf(r huma.Registry, whole *huma.Schema, path string) *huma.Schema {
	s := *kernel.Resolved(r, whole)
	s.Required, s.Nullable = nil, path != ""
	s.Properties = map[string]*huma.Schema{}
	for name, p := range kernel.Resolved(r, whole).Properties {
		at := strings.TrimPrefix(path+"."+name, ".")
		if customization.Group(at) {
			s.Properties[name] = partOf(r, p, at)
			continue
		}
		c := *kernel.Resolved(r, p)
		if c.Nullable = c.Type != ""; len(c.OneOf) > 0 {
			c.OneOf = append(slices.Clone(c.OneOf), &huma.Schema{Enum: []any{nil}})
		}
		s.Properties[name] = &c
	}
	s.PrecomputeMessages()
	return &s
}
