package api

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

func (a *API) users() {
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getAuthenticatedUser", Route: "GET /user", Tag: "Users", Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get the user that the token belongs to.",
	}, a.me)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "getUserById", Route: "GET /users/{userId}", Tag: "Users", Allow: authz.AnotherUser(),
		Summary: "Get a user.",
		About:   "Visible are yourself and everybody in an organization in which you are more than a guest.",
	}, a.getUser)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "updateUserById", Route: "PATCH /users/{userId}", Tag: "Users", Allow: authz.SignedIn(docs.ScopeWrite),
		Summary: "Change your own name or picture.",
	}, a.updateUser)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "listTokens", Route: "GET /user/tokens", Tag: "Users", Allow: authz.FullToken(),
		Summary: "List your tokens, without their secrets.",
	}, a.listTokens)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "createToken", Route: "POST /user/tokens", Tag: "Users", Allow: authz.FullToken(), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Create a token. Its secret is returned only once.",
	}, a.createToken)
	kernel.Register(a.Kernel, kernel.Op{
		ID: "revokeToken", Route: "DELETE /user/tokens/{tokenId}", Tag: "Users", Allow: authz.FullToken(),
		Summary: "Revoke one of your tokens, effective immediately.",
	}, a.revokeToken)
}

func (a *API) me(ctx context.Context, _ *struct{}) (*kernel.Out[wire.User], error) {
	u, err := a.Orgs.Me(ctx, authz.FromContext(ctx))
	return kernel.OK(a.User(u)), err
}

func (a *API) getUser(ctx context.Context, in *wire.UserIn) (*kernel.Out[wire.User], error) {
	u, err := a.Orgs.User(ctx, authz.FromContext(ctx), in.User)
	return kernel.OK(a.User(u)), err
}

type updateUserIn struct {
	User docs.UserID `path:"userId"`
	Body struct {
		DisplayName opt.Val[string] `json:"displayName,omitempty" minLength:"1" maxLength:"64"`
		PhotoURL    opt.Val[string] `json:"photoURL,omitempty" maxLength:"2048" format:"uri"`
	}
}

func (a *API) updateUser(ctx context.Context, in *updateUserIn) (*kernel.Out[wire.User], error) {
	if !in.Body.DisplayName.IsSet() && !in.Body.PhotoURL.IsSet() {
		return nil, errs.Field("body", "must contain displayName or photoURL")
	}
	u, err := a.Orgs.UpdateUser(ctx, authz.FromContext(ctx), in.User, orgs.UserPatch(in.Body))
	return kernel.OK(a.User(u)), err
}

func (a *API) listTokens(ctx context.Context, in *kernel.Paged) (*kernel.Page[wire.Token], error) {
	return kernel.ListOf(ctx, a.Kernel, *in, a.Orgs.Tokens(authz.FromContext(ctx)), wire.TokenOf)
}

type createTokenIn struct{ Body wire.TokenBody }

func (a *API) createToken(ctx context.Context, in *createTokenIn) (*kernel.Out[wire.NewToken], error) {
	t, secret, err := a.Orgs.CreateToken(ctx, authz.FromContext(ctx), in.Body.New())
	return kernel.OK(wire.NewToken{Token: wire.TokenOf(t), Secret: secret}), err
}

func (a *API) revokeToken(ctx context.Context, in *wire.TokenIn) (*kernel.Done, error) {
	return nil, a.Orgs.RevokeToken(ctx, authz.FromContext(ctx), in.Token)
}
