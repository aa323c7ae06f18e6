package people

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

func (h *handlers) sessions() {
	const tag = "Sessions"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getSession", Route: "GET /user/session", Tag: tag, Allow: authz.SignedIn(docs.ScopeRead),
		Summary: "Get the session of this request.",
		About:   "Its csrfToken is what requests with the session that change something must send as X-CSRF-Token. A request with a token has no session.",
	}, h.session)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSessions", Route: "GET /user/sessions", Tag: tag, Allow: authz.FullToken(),
		Summary: "List the browsers in which you are signed in.",
	}, h.listSessions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "endSession", Route: "DELETE /user/sessions/{sessionId}", Tag: tag, Allow: authz.FullToken(),
		Summary: "Sign out in one browser, effective immediately.",
	}, h.endSession)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "endSessions", Route: "DELETE /user/sessions", Tag: tag, Allow: authz.FullToken(),
		Summary: "Sign out everywhere, effective immediately. Tokens stay.",
	}, h.endSessions)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "changeEmail", Route: "POST /user/email", Tag: tag, Allow: authz.FullToken(), Status: http.StatusAccepted,
		Summary: "Change your e-mail address.",
		About:   "A link is sent to the new address, and the account has it once the person has opened it. Only a session may ask; tokens are refused.",
	}, h.changeEmail)
}

// SignInSession is the JSON form of a session: a browser in which a user is signed in.
type SignInSession struct {
	Object     string            `json:"object" enum:"session"`
	ID         string            `json:"id"`
	Method     docs.SignInMethod `json:"method" enum:"mail,saml,oidc,passkey" doc:"How you signed in."`
	Agent      string            `json:"agent" doc:"What the browser calls itself."`
	CreatedAt  docs.Time         `json:"createdAt"`
	ExpiresAt  docs.Time         `json:"expiresAt"`
	LastUsedAt docs.Time         `json:"lastUsedAt"`
	Current    bool              `json:"current" doc:"It is the session of this request."`
	CSRF       string            `json:"csrfToken,omitempty" doc:"Of the current session only."`
}

func session(t docs.Token, by authz.Actor) SignInSession {
	return SignInSession{
		Object: "session", ID: string(t.ID), Method: t.Method, Agent: t.Agent, CreatedAt: t.CreatedAt, ExpiresAt: t.ExpiresAt,
		LastUsedAt: t.LastUsedAt, Current: t.ID == by.Token,
	}
}

type sessionRequest struct{ request *http.Request }

// Resolve stores the request, whose cookie contains the session.
func (s *sessionRequest) Resolve(ctx huma.Context) []error {
	s.request, _ = humago.Unwrap(ctx)
	return nil
}

func (h *handlers) session(ctx context.Context, in *sessionRequest) (*kernel.Out[SignInSession], error) {
	g := authz.FromContext(ctx)
	c, err := in.request.Cookie(h.Cookie)
	if !g.Actor.Session || err != nil {
		return nil, errs.E(errs.NotFound, "this request has a token and no session")
	}
	t, err := h.SignIn.Session(ctx, g)
	if err != nil {
		return nil, err
	}
	s := session(t, g.Actor)
	s.CSRF = signin.CSRF(c.Value)
	return kernel.OK(s), nil
}

func (h *handlers) listSessions(ctx context.Context, in *kernel.Paged) (*kernel.Page[SignInSession], error) {
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, *in, h.SignIn.Sessions(g), func(t docs.Token) SignInSession { return session(t, g.Actor) })
}

type endSessionIn struct {
	Session docs.TokenID `path:"sessionId"`
}

func (h *handlers) endSession(ctx context.Context, in *endSessionIn) (*kernel.Done, error) {
	return nil, h.SignIn.EndSession(ctx, authz.FromContext(ctx), in.Session)
}

func (h *handlers) endSessions(ctx context.Context, _ *struct{}) (*kernel.Done, error) {
	return nil, h.SignIn.EndAllSessions(ctx, authz.FromContext(ctx))
}

type changeEmailIn struct {
	Body struct {
		Email string `json:"email" format:"email" maxLength:"254"`
	}
}

func (h *handlers) changeEmail(ctx context.Context, in *changeEmailIn) (*kernel.Done, error) {
	return nil, h.SignIn.ChangeEmail(ctx, authz.FromContext(ctx), in.Body.Email)
}
