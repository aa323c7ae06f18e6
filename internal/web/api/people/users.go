package people

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

func (h *handlers) users() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getAuthenticatedUser", Route: "GET /user", Tag: "Users", Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get the user that the token belongs to.",
	}, h.me)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getUserById", Route: "GET /users/{userId}", Tag: "Users", Allow: authz.AnotherUser(),
		Summary: "Get a user.",
		About:   "Visible are yourself and everybody in an organization in which you are more than a guest.",
	}, h.getUser)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateUserById", Route: "PATCH /users/{userId}", Tag: "Users", Allow: authz.SignedIn(docs.ScopeWrite),
		Summary: "Change your own name or picture.",
	}, h.updateUser)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listTokens", Route: "GET /user/tokens", Tag: "Users", Allow: authz.FullToken(),
		Summary: "List your tokens, without their secrets.",
	}, h.listTokens)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createToken", Route: "POST /user/tokens", Tag: "Users", Allow: authz.FullToken(), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a token. Its secret is returned only once.",
	}, h.createToken)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "revokeToken", Route: "DELETE /user/tokens/{tokenId}", Tag: "Users", Allow: authz.FullToken(),
		Summary: "Revoke one of your tokens, effective immediately.",
	}, h.revokeToken)
}

func (h *handlers) me(ctx context.Context, _ *struct{}) (*kernel.Out[wire.User], error) {
	u, err := h.Accounts.Me(ctx, authz.FromContext(ctx))
	return kernel.OK(h.User(u)), err
}

func (h *handlers) getUser(ctx context.Context, in *wire.UserIn) (*kernel.Out[wire.User], error) {
	u, err := h.Accounts.User(ctx, authz.FromContext(ctx), in.User)
	return kernel.OK(h.User(u)), err
}

type updateUserIn struct {
	User docs.UserID `path:"userId"`
	Body struct {
		DisplayName opt.Val[string] `json:"displayName,omitempty" minLength:"1" maxLength:"64"`
		PhotoURL    opt.Val[string] `json:"photoURL,omitempty" maxLength:"2048" format:"uri"`
	}
}

func (h *handlers) updateUser(ctx context.Context, in *updateUserIn) (*kernel.Out[wire.User], error) {
	if !in.Body.DisplayName.IsSet() && !in.Body.PhotoURL.IsSet() {
		return nil, errs.Field("", "must contain displayName or photoURL")
	}
	u, err := h.Accounts.Update(ctx, authz.FromContext(ctx), in.User, orgs.UserPatch(in.Body))
	return kernel.OK(h.User(u)), err
}

func (h *handlers) listTokens(ctx context.Context, in *kernel.Paged) (*kernel.Page[wire.Token], error) {
	return kernel.ListOf(ctx, h.Kernel, *in, h.Tokens.List(authz.FromContext(ctx)), wire.TokenOf)
}

type createTokenIn struct{ Body wire.TokenBody }

func (h *handlers) createToken(ctx context.Context, in *createTokenIn) (*kernel.Out[wire.NewToken], error) {
	t, secret, err := h.Tokens.Create(ctx, authz.FromContext(ctx), in.Body.New())
	return kernel.OK(wire.NewToken{Token: wire.TokenOf(t), Secret: secret}), err
}

func (h *handlers) revokeToken(ctx context.Context, in *wire.TokenIn) (*kernel.Done, error) {
	return nil, h.Tokens.Revoke(ctx, authz.FromContext(ctx), in.Token)
}
