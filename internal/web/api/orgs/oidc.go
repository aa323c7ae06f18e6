package orgs

import (
	"context"
	"net/http"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *providers) oidcProviders() {
	const (
		tag  = "SSO"
		root = "/orgs/{organizationId}/oidc"
		one  = root + "/{oidcProviderId}"
	)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOIDCProviders", Route: "GET " + root, Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the OpenID Connect providers of an organization.",
	}, h.listOIDCProviders)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOIDCProvider", Route: "POST " + root, Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Let people sign in to the organization through an OpenID Connect provider.",
		About: "Register `redirectURL` at the provider, and give people `startURL`. Whoever arrives for the first time becomes a member with the default role and team. " +
			"An account that exists is signed in only if an admin has marked its member for single sign-on. The session is good for this organization only. " +
			"An organization can have 20 providers.",
	}, h.createOIDCProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOIDCProvider", Route: "GET " + one, Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "Get an OpenID Connect provider, with what went wrong in the last sign-in.",
	}, h.getOIDCProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOIDCProvider", Route: "PATCH " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Change an OpenID Connect provider.",
		About:   "The issuer cannot be changed, because it is what names people: create another provider.",
	}, h.updateOIDCProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteOIDCProvider", Route: "DELETE " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Delete an OpenID Connect provider, and end the sessions that were opened through OpenID Connect. Members stay.",
	}, h.deleteOIDCProvider)
}

// OIDCProvider is the JSON form of an OpenID Connect provider.
type OIDCProvider struct {
	Object      string                 `json:"object" enum:"oidc-provider"`
	ID          string                 `json:"id"`
	Label       string                 `json:"label"`
	Issuer      string                 `json:"issuer" format:"uri"`
	ClientID    string                 `json:"clientId"`
	HasSecret   bool                   `json:"hasClientSecret" doc:"Whether a client secret is stored. It is never returned."`
	GroupsClaim string                 `json:"groupsClaim,omitempty"`
	Groups      map[string]docs.TeamID `json:"groups" doc:"Teams by the names of groups."`
	DefaultRole *docs.Role             `json:"defaultRole" doc:"Role of new members; null: guest."`
	DefaultTeam string                 `json:"defaultTeam,omitempty" doc:"Team of new members."`
	TrustEmail  bool                   `json:"trustEmail" doc:"Whether addresses of proved domains are believed without email_verified."`
	RedirectURL string                 `json:"redirectURL" format:"uri" doc:"Register it at the provider."`
	StartURL    string                 `json:"startURL" format:"uri" doc:"Where people sign in."`
	LastError   string                 `json:"lastError,omitempty" doc:"Why the last sign-in failed."`
	LastErrorAt docs.Time              `json:"lastErrorAt,omitzero"`
	CreatedAt   docs.Time              `json:"createdAt"`
	UpdatedAt   docs.Time              `json:"updatedAt"`
	URLs        wire.Location          `json:"urls"`
}

func (h *providers) oidcProvider(p docs.OIDCProvider) OIDCProvider {
	v := OIDCProvider{
		Object: "oidc-provider", ID: string(p.ID), Label: p.Label, Issuer: p.Issuer, ClientID: p.ClientID, HasSecret: p.Sealed != "",
		GroupsClaim: p.GroupsClaim, Groups: p.Groups, DefaultTeam: string(p.DefaultTeam), TrustEmail: p.TrustEmail,
		RedirectURL: h.OIDC.RedirectURL(p.ID), StartURL: h.OIDC.StartURL(p.ID), LastError: p.LastError, LastErrorAt: p.LastErrorAt,
		CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt, URLs: wire.Location{Location: h.Location("orgs", string(p.Org), "oidc", string(p.ID))},
	}
	if p.DefaultRole != docs.Guest {
		v.DefaultRole = &p.DefaultRole
	}
	return v
}

type listOIDCProvidersIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *providers) listOIDCProviders(ctx context.Context, in *listOIDCProvidersIn) (*kernel.Page[OIDCProvider], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.OIDC.Providers(in.Org), h.oidcProvider)
}

type createOIDCProviderIn struct {
	wire.OrgIn
	Body struct {
		Label        string                          `json:"label" minLength:"1" maxLength:"64" doc:"What people know the provider by."`
		Issuer       string                          `json:"issuer" minLength:"1" maxLength:"500" doc:"https address of the issuer, as in its discovery document."`
		ClientID     string                          `json:"clientId" minLength:"1" maxLength:"500"`
		ClientSecret opt.Val[string]                 `json:"clientSecret,omitempty" minLength:"1" maxLength:"1000" doc:"Default: the client is public."`
		GroupsClaim  opt.Val[string]                 `json:"groupsClaim,omitempty" maxLength:"200" doc:"Claim that lists the groups of a person, such as groups."`
		Groups       opt.Val[map[string]docs.TeamID] `json:"groups,omitempty" maxProperties:"200" doc:"Teams by the names of groups. At each sign-in, people join the teams of their groups and leave those of the others."`
		DefaultRole  opt.Val[docs.Role]              `json:"defaultRole,omitempty" nullable:"true" doc:"Role of new members; null: guest. Default: read."`
		DefaultTeam  opt.Val[docs.TeamID]            `json:"defaultTeam,omitempty" nullable:"true" maxLength:"64" doc:"Team of new members."`
		TrustEmail   opt.Val[bool]                   `json:"trustEmail,omitempty" doc:"Believe addresses of a provider that never sends email_verified, if their domain is one of emailDomains of the organization and is proved. Default: false."`
	}
}

func (h *providers) createOIDCProvider(ctx context.Context, in *createOIDCProviderIn) (*kernel.Created[OIDCProvider], error) {
	b := in.Body
	if err := checkGroups(b.Groups); err != nil {
		return nil, err
	}
	p, err := h.OIDC.Create(ctx, authz.FromContext(ctx), in.Org, oidc.NewProvider{Issuer: b.Issuer, Patch: oidc.Patch{
		Label: opt.Of(b.Label), ClientID: opt.Of(b.ClientID), ClientSecret: b.ClientSecret, GroupsClaim: b.GroupsClaim,
		Groups: b.Groups, DefaultRole: b.DefaultRole, DefaultTeam: b.DefaultTeam, TrustEmail: b.TrustEmail,
	}})
	out := h.oidcProvider(p)
	return kernel.Made(out.URLs.Location, out), err
}

// checkGroups checks the keys and values of a map of groups, which struct tags cannot
// limit.
func checkGroups(groups opt.Val[map[string]docs.TeamID]) error {
	m, _ := groups.Get()
	for name, team := range m {
		if name == "" || utf8.RuneCountInString(name) > 255 || len(team) > 64 {
			return errs.Field("groups", "must have names of 1 to 255 characters and ids of teams")
		}
	}
	return nil
}

type OIDCProviderIn struct {
	wire.OrgIn
	Provider docs.OIDCProviderID `path:"oidcProviderId"`
}

func (h *providers) getOIDCProvider(ctx context.Context, in *OIDCProviderIn) (*kernel.Out[OIDCProvider], error) {
	p, err := h.OIDC.Provider(ctx, in.Org, in.Provider)
	return kernel.OK(h.oidcProvider(p)), err
}

type updateOIDCProviderIn struct {
	OIDCProviderIn
	Body struct {
		Label        opt.Val[string]                 `json:"label,omitempty" minLength:"1" maxLength:"64"`
		ClientID     opt.Val[string]                 `json:"clientId,omitempty" minLength:"1" maxLength:"500"`
		ClientSecret opt.Val[string]                 `json:"clientSecret,omitempty" minLength:"1" maxLength:"1000" nullable:"true" doc:"null: the client is public."`
		GroupsClaim  opt.Val[string]                 `json:"groupsClaim,omitempty" maxLength:"200"`
		Groups       opt.Val[map[string]docs.TeamID] `json:"groups,omitempty" maxProperties:"200"`
		DefaultRole  opt.Val[docs.Role]              `json:"defaultRole,omitempty" nullable:"true"`
		DefaultTeam  opt.Val[docs.TeamID]            `json:"defaultTeam,omitempty" nullable:"true" maxLength:"64"`
		TrustEmail   opt.Val[bool]                   `json:"trustEmail,omitempty"`
	}
}

func (h *providers) updateOIDCProvider(ctx context.Context, in *updateOIDCProviderIn) (*kernel.Out[OIDCProvider], error) {
	b := in.Body
	if err := checkGroups(b.Groups); err != nil {
		return nil, err
	}
	p, err := h.OIDC.Update(ctx, authz.FromContext(ctx), in.Org, in.Provider, oidc.Patch(b))
	return kernel.OK(h.oidcProvider(p)), err
}

func (h *providers) deleteOIDCProvider(ctx context.Context, in *OIDCProviderIn) (*kernel.Done, error) {
	return nil, h.OIDC.Delete(ctx, authz.FromContext(ctx), in.Org, in.Provider)
}
