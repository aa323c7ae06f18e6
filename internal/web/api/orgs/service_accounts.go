package orgs

import (
	"context"
	"net/http"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) serviceAccounts() {
	const tag = "Service accounts"
	const one = "/orgs/{organizationId}/service-accounts/{serviceAccountId}"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listServiceAccounts", Route: "GET /orgs/{organizationId}/service-accounts", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the service accounts of an organization.",
	}, h.listServiceAccounts)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createServiceAccount", Route: "POST /orgs/{organizationId}/service-accounts", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a service account: a machine that acts in the organization.",
		About:   "It belongs to the organization and not to a person, has a role as members do, and cannot sign in. Its id can be used where permissions, teams and reviews take the id of a user.",
	}, h.createServiceAccount)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getServiceAccount", Route: "GET " + one, Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "Get a service account.",
	}, h.getServiceAccount)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateServiceAccount", Route: "PATCH " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Change the name or the role of a service account.",
	}, h.updateServiceAccount)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteServiceAccount", Route: "DELETE " + one, Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Delete a service account and revoke its tokens, effective immediately.", About: "What it wrote stays, with its name.",
	}, h.deleteServiceAccount)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listServiceAccountTokens", Route: "GET " + one + "/tokens", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the tokens of a service account, without their secrets.",
	}, h.listServiceTokens)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createServiceAccountToken", Route: "POST " + one + "/tokens", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a token of a service account. Its secret is returned only once.",
		About:   "A token that asks for it cannot make one with more scopes or a later end than it has itself.",
	}, h.createServiceToken)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "revokeServiceAccountToken", Route: "DELETE " + one + "/tokens/{tokenId}", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "Revoke a token of a service account, effective immediately.",
	}, h.revokeServiceToken)
}

// ServiceAccount is the JSON form of a service account. Its id is the id of a user.
type ServiceAccount struct {
	Object     string        `json:"object" enum:"service-account"`
	ID         string        `json:"id"`
	Name       string        `json:"name"`
	Role       *docs.Role    `json:"role"`
	CreatedAt  docs.Time     `json:"createdAt"`
	LastSeenAt docs.Time     `json:"lastSeenAt,omitzero"`
	Spaces     int           `json:"spaces" doc:"Number of spaces to which it or one of its teams was granted access."`
	Teams      int           `json:"teams"`
	URLs       wire.Location `json:"urls"`
}

func (h *handlers) serviceAccount(m docs.Member) ServiceAccount {
	return ServiceAccount{
		"service-account", string(m.User.ID), m.User.DisplayName, wire.OrNull(m.Role), m.JoinedAt, m.LastSeenAt, m.Spaces, m.Teams,
		wire.Location{Location: h.Location("orgs", string(m.Org), "service-accounts", string(m.User.ID))},
	}
}

type listServiceAccountsIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listServiceAccounts(ctx context.Context, in *listServiceAccountsIn) (*kernel.Page[ServiceAccount], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.ServiceAccounts.List(in.Org), h.serviceAccount)
}

type createServiceAccountIn struct {
	wire.OrgIn
	Body struct {
		Name string             `json:"name" minLength:"1" maxLength:"64"`
		Role opt.Val[docs.Role] `json:"role" nullable:"true" doc:"Null for one that has nothing but what is granted to it."`
	}
}

func (h *handlers) createServiceAccount(ctx context.Context, in *createServiceAccountIn) (*kernel.Created[ServiceAccount], error) {
	m, err := h.Orgs.ServiceAccounts.Create(ctx, authz.FromContext(ctx), in.Org, in.Body.Name, in.Body.Role.Or(docs.Guest))
	if err != nil {
		return nil, err
	}
	w := h.serviceAccount(m)
	return kernel.Made(w.URLs.Location, w), nil
}

// ServiceAccountIn names a service account of an organization.
type ServiceAccountIn struct {
	wire.OrgIn
	Account docs.UserID `path:"serviceAccountId"`
}

func (h *handlers) getServiceAccount(ctx context.Context, in *ServiceAccountIn) (*kernel.Out[ServiceAccount], error) {
	m, err := h.Orgs.ServiceAccounts.Get(ctx, in.Org, in.Account)
	return kernel.OK(h.serviceAccount(m)), err
}

type updateServiceAccountIn struct {
	ServiceAccountIn
	Body struct {
		Name opt.Val[string]    `json:"name,omitempty" minLength:"1" maxLength:"64"`
		Role opt.Val[docs.Role] `json:"role,omitempty" nullable:"true"`
	}
}

func (h *handlers) updateServiceAccount(ctx context.Context, in *updateServiceAccountIn) (*kernel.Out[ServiceAccount], error) {
	if !in.Body.Name.IsSet() && !in.Body.Role.IsSet() {
		return nil, errs.Field("", "must contain name or role")
	}
	m, err := h.Orgs.ServiceAccounts.Update(ctx, authz.FromContext(ctx), in.Org, in.Account, orgs.ServiceAccountPatch(in.Body))
	return kernel.OK(h.serviceAccount(m)), err
}

func (h *handlers) deleteServiceAccount(ctx context.Context, in *ServiceAccountIn) (*kernel.Done, error) {
	return nil, h.Orgs.ServiceAccounts.Delete(ctx, authz.FromContext(ctx), in.Org, in.Account)
}

type listServiceTokensIn struct {
	ServiceAccountIn
	kernel.Paged
}

func (h *handlers) listServiceTokens(ctx context.Context, in *listServiceTokensIn) (*kernel.Page[wire.Token], error) {
	list, err := h.Orgs.ServiceAccounts.Tokens(ctx, in.Org, in.Account)
	if err != nil {
		return nil, err
	}
	return kernel.ListOf(ctx, h.Kernel, in.Paged, list, wire.TokenOf)
}

type createServiceTokenIn struct {
	ServiceAccountIn
	Body wire.TokenBody
}

func (h *handlers) createServiceToken(ctx context.Context, in *createServiceTokenIn) (*kernel.Out[wire.NewToken], error) {
	t, secret, err := h.Orgs.ServiceAccounts.CreateToken(ctx, authz.FromContext(ctx), in.Org, in.Account, in.Body.New())
	return kernel.OK(wire.NewToken{Token: wire.TokenOf(t), Secret: secret}), err
}

type serviceTokenIn struct {
	ServiceAccountIn
	wire.TokenIn
}

func (h *handlers) revokeServiceToken(ctx context.Context, in *serviceTokenIn) (*kernel.Done, error) {
	return nil, h.Orgs.ServiceAccounts.RevokeToken(ctx, authz.FromContext(ctx), in.Org, in.Account, in.Token)
}
