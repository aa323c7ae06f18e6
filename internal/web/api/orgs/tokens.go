package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) tokens() {
	const tag = "Members"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listOrganizationTokens", Route: "GET /orgs/{organizationId}/tokens", Tag: tag, Allow: authz.Org(authz.ReadAsAdmin),
		Summary: "List the tokens of members that were used in the organization, and those of its service accounts.",
		About:   "The last use is that in the organization. What people do elsewhere with a token is not visible here.",
	}, h.listTokens)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "revokeOrganizationToken", Route: "DELETE /orgs/{organizationId}/tokens/{tokenId}", Tag: tag, Allow: authz.Org(authz.AdminOrg),
		Summary: "End a token for the organization, effective immediately.",
		About:   "The token of a service account is revoked. The token of a person stays theirs for other organizations; this one refuses it from now on.",
	}, h.revokeToken)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "unblockOrganizationToken", Route: "POST /orgs/{organizationId}/tokens/{tokenId}/unblock", Tag: tag, Allow: authz.Org(authz.AdminOrg), Status: 200,
		Summary: "Accept a token of a member again that the organization refuses.",
		About:   "A token that it does not refuse stays as it is. Tokens that a refused token made are refused by themselves, and accepted again by themselves.",
	}, h.unblockToken)
}

// OrganizationToken is the JSON form of a token in an organization, with its owner.
type OrganizationToken struct {
	wire.Token
	Owner   wire.User `json:"owner"`
	Blocked bool      `json:"blocked" doc:"Whether the organization refuses it."`
}

func (h *handlers) token(t docs.UsedToken) OrganizationToken {
	return OrganizationToken{wire.TokenOf(t.Token), h.User(t.Owner), !t.BlockedAt.IsZero()}
}

type listTokensIn struct {
	wire.OrgIn
	kernel.Paged
}

func (h *handlers) listTokens(ctx context.Context, in *listTokensIn) (*kernel.Page[OrganizationToken], error) {
	return kernel.ListOf(ctx, h.Kernel, in.Paged, h.Orgs.Tokens.OfOrg(in.Org), h.token)
}

type tokenIn struct {
	wire.OrgIn
	wire.TokenIn
}

func (h *handlers) unblockToken(ctx context.Context, in *tokenIn) (*kernel.Out[OrganizationToken], error) {
	t, err := h.Orgs.Tokens.Unblock(ctx, authz.FromContext(ctx), in.Org, in.Token)
	return kernel.OK(h.token(t)), err
}

func (h *handlers) revokeToken(ctx context.Context, in *tokenIn) (*kernel.Done, error) {
	return nil, h.Orgs.Tokens.RevokeForOrg(ctx, authz.FromContext(ctx), in.Org, in.Token)
}
