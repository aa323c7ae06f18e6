package console

import (
	"crypto/rand"
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/oidc"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

// flowCookie returns the name of the cookie that binds a sign-in to the browser that began it.
func (h *Handler) flowCookie() string { return strings.Replace(h.cookie, "session", "oidc", 1) }

// toProvider redirects the browser to an OpenID Connect provider.
func (h *Handler) toProvider(w http.ResponseWriter, r *http.Request) {
	label, o, err := h.OIDC.Named(r.Context(), docs.OIDCProviderID(r.PathValue("provider")))
	if err == nil && o.ID != "" && r.Method != http.MethodPost {
		h.confirm(w, r, label, o)
		return
	}
	var to string
	if err == nil {
		to, err = h.beginAt(w, r, oidc.Start{Next: r.URL.Query().Get("next")})
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// linkProvider links the account of a signed-in user to the operator's provider. It is a form with a
// CSRF token, so that no other site can begin it. It shows a link to the provider instead of
// redirecting, because the policy of the page keeps forms from leading away from this server.
func (h *Handler) linkProvider(v *visit) error {
	p, ok := h.OIDC.Instance()
	if !ok || string(p.ID) != v.r.PathValue("provider") {
		return errs.Missing("provider")
	}
	if err := v.grant.Actor.RequireFullAccount(); err != nil {
		return err
	}
	to, err := h.beginAt(v.w, v.r, oidc.Start{Next: "/account?done=linked", User: v.grant.Actor.User})
	if err != nil {
		return err
	}
	h.show(v.w, http.StatusOK, "continue", page{Title: "Link your account", CSRF: signin.CSRF(v.secret), Data: providerData{p.Label, to}})
	return nil
}

// beginAt begins a sign-in at the provider in the path and returns the URL there. The cookie that it
// sets binds the sign-in to this browser.
func (h *Handler) beginAt(w http.ResponseWriter, r *http.Request, in oidc.Start) (string, error) {
	in.Browser, in.From = rand.Text(), client(w, r)
	in.Network = networkOf(r)
	if c, err := r.Cookie(h.flowCookie()); err == nil && len(c.Value) == len(in.Browser) {
		in.Browser = c.Value // keep the cookie: another tab may be signing in, too
	}
	to, err := h.OIDC.Begin(r.Context(), docs.OIDCProviderID(r.PathValue("provider")), in)
	if err != nil {
		return "", err
	}
	c := h.newCookie(in.Browser, h.SignIn.Store.Clock().Add(oidc.FlowTime))
	c.Name = h.flowCookie()
	http.SetCookie(w, c)
	return to, nil
}

// fromProvider completes a sign-in when a provider redirects the browser back.
func (h *Handler) fromProvider(w http.ResponseWriter, r *http.Request) {
	in := oidc.Answer{Query: r.URL.Query(), User: h.signedIn(r), From: client(w, r)}
	if c, err := r.Cookie(h.flowCookie()); err == nil {
		in.Browser = c.Value
	}
	s, err := h.OIDC.Finish(r.Context(), docs.OIDCProviderID(r.PathValue("provider")), in)
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if s.Secret != "" {
		http.SetCookie(w, h.newCookie(s.Secret, s.Until))
	}
	http.Redirect(w, r, orAccount(signin.LocalPath(s.Next)), http.StatusSeeOther)
}
