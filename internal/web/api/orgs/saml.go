package orgs

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/identity/sso"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *providers) saml() {
	const (
		tag  = "Single sign-on"
		root = "/orgs/{organizationId}/saml"
		one  = root + "/{samlProviderId}"
	)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSAMLProvidersInOrganizationById", Route: "GET " + root, Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the SAML providers of an organization.",
	}, h.listSAMLProviders)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createOrganizationSAMLProvider", Route: "POST " + root, Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a SAML provider.",
		About: "People can sign in by it once entityID, certificate and ssoURL are set; the identity provider needs what is in service. " +
			"An organization can have 50 providers.",
	}, h.createSAMLProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getOrganizationSAMLProviderById", Route: "GET " + one, Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "Get a SAML provider.",
	}, h.getSAMLProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateOrganizationSAMLProvider", Route: "PATCH " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Change a SAML provider.",
		About:   "To change the certificate without locking anybody out, set the old and the new one, one below the other, and remove the old one afterwards.",
	}, h.updateSAMLProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteOrganizationSAMLProvider", Route: "DELETE " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Delete a SAML provider.",
	}, h.deleteSAMLProvider)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSSOProviderLoginsInOrganization", Route: "GET /orgs/{organizationId}/sso", Tag: tag, Allow: authz.Public(),
		Summary: "List the ways of single sign-on to an organization.",
		About:   "It needs no token: a page where people sign in shows it. Providers that are not complete are left out.",
	}, h.listSSOLogins)
}

// SAMLProvider is the JSON form of a SAML provider.
type SAMLProvider struct {
	Object       string                 `json:"object" enum:"saml-provider"`
	ID           string                 `json:"id"`
	Label        string                 `json:"label"`
	SSOURL       string                 `json:"ssoURL" doc:"Where people are sent to sign in. Empty: not set yet."`
	EntityID     string                 `json:"entityID" doc:"The issuer of answers. Empty: not set yet."`
	Certificate  string                 `json:"certificate" doc:"PEM. Two of them, one below the other, while it changes. Empty: not set yet."`
	DefaultTeam  *wire.Team             `json:"defaultTeam,omitempty" doc:"Team of people who sign in for the first time."`
	DefaultRole  *docs.Role             `json:"defaultRole" doc:"Role of people who sign in for the first time."`
	CreatedAt    docs.Time              `json:"createdAt"`
	Status       string                 `json:"status" enum:"active,pending" doc:"Whether entityID, certificate and ssoURL are set."`
	Service      samlService            `json:"service" doc:"What the identity provider has to know of this server."`
	IdPInitiated bool                   `json:"idpInitiated" doc:"Whether a sign-in may begin at the identity provider."`
	SignRequests bool                   `json:"signRequests" doc:"Whether requests are signed; the certificate is in the metadata."`
	Attributes   samlAttributes         `json:"attributes" doc:"Names of the attributes that are read."`
	Groups       map[string]docs.TeamID `json:"groups" doc:"Teams by the names of groups."`
	Warnings     []string               `json:"warnings" doc:"What to look at, such as a certificate that expires."`
	LastError    *samlError             `json:"lastError,omitempty" doc:"Why the last sign-in was refused."`
	URLs         wire.Location          `json:"urls"`
}

type samlService struct {
	ACSURL   string `json:"acsURL" format:"uri" doc:"Where answers go."`
	StartURL string `json:"startURL" format:"uri" doc:"Where a sign-in begins."`
	EntityID string `json:"entityID" doc:"Audience of answers, and address of the metadata."`
}

type samlAttributes struct {
	Email     string `json:"email" maxLength:"256" doc:"Empty: the NameID is the e-mail address."`
	FirstName string `json:"firstName" maxLength:"256"`
	LastName  string `json:"lastName" maxLength:"256"`
	Groups    string `json:"groups,omitempty" maxLength:"256" doc:"Attribute that lists the groups of a person. Empty: groups are not looked at."`
}

type samlError struct {
	At      docs.Time `json:"at"`
	Message string    `json:"message" doc:"What to do."`
}

func (h *providers) samlProvider(g *authz.Grant, p sso.Provider) SAMLProvider {
	at := h.SSO.Addresses(p.ID)
	out := SAMLProvider{
		Object: "saml-provider", ID: string(p.ID), Label: p.Label, SSOURL: p.SSOURL, EntityID: p.EntityID, Certificate: p.Certificate,
		DefaultRole: wire.OrNull(p.DefaultRole), CreatedAt: p.CreatedAt, Status: "pending", Service: samlService{at.ACS, at.Start, at.EntityID},
		IdPInitiated: p.IdPInitiated, SignRequests: p.SignRequests, Attributes: samlAttributes(p.Attributes), Groups: p.Groups, Warnings: h.SSO.Warnings(p.SAMLProvider),
		URLs: wire.Location{Location: h.Location("orgs", string(p.Org), "saml", string(p.ID))},
	}
	if p.Complete() {
		out.Status = "active"
	}
	if p.LastError != "" {
		out.LastError = &samlError{p.LastErrorAt, p.LastError}
	}
	if p.Team != nil {
		team := h.Team(g.Actor, *p.Team, g.Access)
		out.DefaultTeam = &team
	}
	return out
}

type listSAMLProvidersIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *providers) listSAMLProviders(ctx context.Context, in *listSAMLProvidersIn) (*kernel.Page[SAMLProvider], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.SSO.Providers(in.Org), func(p sso.Provider) SAMLProvider {
		return h.samlProvider(authz.FromContext(ctx), p)
	})
}

// SAMLFields holds the fields of a provider that can be set, except for its label.
type SAMLFields struct {
	EntityID     opt.Val[string]                 `json:"entityID,omitempty" maxLength:"1024" doc:"The issuer of answers, from the metadata of the identity provider."`
	Certificate  opt.Val[string]                 `json:"certificate,omitempty" maxLength:"10000" doc:"PEM; two of them, one below the other, while it changes."`
	SSOURL       opt.Val[string]                 `json:"ssoURL,omitempty" maxLength:"2048" doc:"Where people are sent (binding HTTP-Redirect)."`
	DefaultTeam  opt.Val[docs.TeamID]            `json:"defaultTeam,omitempty" nullable:"true" doc:"Team of people who sign in for the first time."`
	DefaultRole  opt.Val[docs.Role]              `json:"defaultRole,omitempty" nullable:"true" doc:"Role of people who sign in for the first time. Default: null, a guest."`
	IdPInitiated opt.Val[bool]                   `json:"idpInitiated,omitempty" doc:"Accept sign-ins that begin at the identity provider. Default: false."`
	SignRequests opt.Val[bool]                   `json:"signRequests,omitempty" doc:"Sign requests. Default: false."`
	Attributes   opt.Val[samlAttributes]         `json:"attributes,omitempty" doc:"Names of the attributes that are read. Default: first_name, last_name, and the NameID as the e-mail address."`
	Groups       opt.Val[map[string]docs.TeamID] `json:"groups,omitempty" maxProperties:"200" doc:"Teams by the names of groups. At each sign-in that has attributes.groups, people join the teams of their groups and leave those of the others."`
}

// defaultAttributes are the attribute names of the contract.
var defaultAttributes = docs.SAMLAttributes{FirstName: "first_name", LastName: "last_name"}

func (f SAMLFields) change(label opt.Val[string]) sso.Change {
	c := sso.Change{
		Label: label, EntityID: f.EntityID, SSOURL: f.SSOURL, Certificate: f.Certificate, DefaultTeam: f.DefaultTeam, DefaultRole: f.DefaultRole,
		IdPInitiated: f.IdPInitiated, SignRequests: f.SignRequests, Groups: f.Groups,
	}
	if v, ok := f.Attributes.Get(); ok {
		c.Attributes = opt.Of(docs.SAMLAttributes(v))
	}
	return c
}

type createSAMLProviderIn struct {
	wire.OrgIn
	Body struct {
		Label string `json:"label" minLength:"1" maxLength:"30"`
		SAMLFields
	}
}

func (h *providers) createSAMLProvider(ctx context.Context, in *createSAMLProviderIn) (*kernel.Created[SAMLProvider], error) {
	if err := checkGroups(in.Body.Groups); err != nil {
		return nil, err
	}
	c := in.Body.change(opt.Of(in.Body.Label))
	if !c.Attributes.IsSet() {
		c.Attributes = opt.Of(defaultAttributes)
	}
	g := authz.FromContext(ctx)
	p, err := h.SSO.Create(ctx, g, in.Org, c)
	if err != nil {
		return nil, err
	}
	out := h.samlProvider(g, p)
	return kernel.Made(out.URLs.Location, out), nil
}

type SAMLProviderIn struct {
	wire.OrgIn
	Provider docs.SAMLProviderID `path:"samlProviderId"`
}

func (h *providers) getSAMLProvider(ctx context.Context, in *SAMLProviderIn) (*kernel.Out[SAMLProvider], error) {
	p, err := h.SSO.Provider(ctx, in.Org, in.Provider)
	if err != nil {
		return nil, err
	}
	return kernel.OK(h.samlProvider(authz.FromContext(ctx), p)), nil
}

type updateSAMLProviderIn struct {
	SAMLProviderIn
	Body struct {
		Label opt.Val[string] `json:"label,omitempty" minLength:"1" maxLength:"30"`
		SAMLFields
	}
}

func (h *providers) updateSAMLProvider(ctx context.Context, in *updateSAMLProviderIn) (*kernel.Out[SAMLProvider], error) {
	if err := checkGroups(in.Body.Groups); err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	p, err := h.SSO.Update(ctx, g, in.Org, in.Provider, in.Body.change(in.Body.Label))
	if err != nil {
		return nil, err
	}
	return kernel.OK(h.samlProvider(g, p)), nil
}

func (h *providers) deleteSAMLProvider(ctx context.Context, in *SAMLProviderIn) (*kernel.Done, error) {
	return nil, h.SSO.Delete(ctx, authz.FromContext(ctx), in.Org, in.Provider)
}

// SSOLogin is the JSON form of a way to sign in to an organization.
type SSOLogin struct {
	ID       string `json:"id"`
	Label    string `json:"label"`
	StartURL string `json:"startURL" format:"uri"`
}

type ssoLogins struct {
	Items []SSOLogin `json:"items"`
}

func (h *providers) listSSOLogins(ctx context.Context, in *wire.OrgIn) (*kernel.Out[ssoLogins], error) {
	all, err := h.SSO.Logins(ctx, in.Org)
	if err != nil {
		return nil, err
	}
	list := ssoLogins{Items: []SSOLogin{}}
	for _, l := range all {
		list.Items = append(list.Items, SSOLogin(l))
	}
	return kernel.OK(list), nil
}
