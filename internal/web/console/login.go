package console

import (
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

type loginData struct {
	Email, Next string
	Mails       bool          // whether the server can send links
	Provider    *providerData // the operator's provider; nil: none
}

// providerData is a provider that users may choose.
type providerData struct{ Label, Start string }

// loginPage returns the data of the sign-in page.
func (h *Handler) loginPage(email, next string) loginData {
	d := loginData{Email: email, Next: signin.LocalPath(next), Mails: h.SignIn.Mails()}
	if p, ok := h.OIDC.Instance(); ok {
		d.Provider = &providerData{p.Label, docs.OIDCStartPath(p.ID) + "?next=" + template.URLQueryEscaper(d.Next)}
	}
	return d
}

// login shows the sign-in page, or redirects if the user is signed in.
func (h *Handler) login(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	if h.signedIn(r) != "" {
		http.Redirect(w, r, orAccount(signin.LocalPath(q.Get("next"))), http.StatusSeeOther)
		return
	}
	h.show(w, http.StatusOK, "login", page{Title: "Sign in", Data: h.loginPage(q.Get("email"), q.Get("next"))})
}

// signedIn returns the signed-in user. It returns "" if there is none, or if the session is
// limited to an organization.
func (h *Handler) signedIn(r *http.Request) docs.UserID {
	s, _ := h.session(r)
	if s == nil || s.Actor.Org != "" {
		return ""
	}
	return s.Actor.User
}

// session returns the session of a request and its secret, or nil if there is none.
func (h *Handler) session(r *http.Request) (s *authz.Session, secret string) {
	c, err := r.Cookie(h.cookie)
	if err != nil {
		return nil, ""
	}
	s, err = h.Guard.AuthenticateSession(r.Context(), c.Value, authz.OriginOf(r.RemoteAddr, ""))
	if err == nil {
		_, err = h.check(r, s, authz.FullToken())
	}
	if err != nil {
		return nil, ""
	}
	return s, c.Value
}

// client returns the client of a request.
func client(w http.ResponseWriter, r *http.Request) signin.Client {
	from := authz.OriginOf(r.RemoteAddr, w.Header().Get("X-Request-Id"))
	return signin.Client{Agent: r.UserAgent(), Request: from.Request, Address: from.Address}
}

func orAccount(next string) string {
	if next == "" {
		return "/account"
	}
	return next
}

// sendLink sends a sign-in link. The response is the same for every valid address.
func (h *Handler) sendLink(w http.ResponseWriter, r *http.Request) {
	email := strings.TrimSpace(r.PostFormValue("email"))
	err := h.SignIn.RequestLink(r.Context(), email, r.PostFormValue("next"))
	if errs.Is(err, errs.Invalid) {
		h.show(w, http.StatusBadRequest, "login", page{
			Title: "Sign in", Error: "This is not an e-mail address.", Data: h.loginPage(email, r.PostFormValue("next")),
		})
		return
	}
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.show(w, http.StatusOK, "sent", page{Title: "Look into your mail", Data: loginData{Email: email}})
}

type linkData struct {
	Key   string
	User  docs.User
	Email docs.Email
	Moves bool // it changes the address of the account
}

// link shows which account a link signs in to. Opening a link does not use it, because mail scanners
// open links too.
func (h *Handler) link(w http.ResponseWriter, r *http.Request) {
	key := r.URL.Query().Get("key")
	l, u, err := h.SignIn.CheckLink(r.Context(), key, h.signedIn(r), client(w, r))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	h.show(w, http.StatusOK, "link", page{Title: "Sign in", Data: linkData{key, u, l.Email, l.Moves}})
}

// useLink signs the user in.
func (h *Handler) useLink(w http.ResponseWriter, r *http.Request) {
	s, err := h.SignIn.UseLink(r.Context(), r.PostFormValue("key"), h.signedIn(r), client(w, r))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	http.SetCookie(w, h.newCookie(s.Secret, s.Until))
	http.Redirect(w, r, orAccount(s.Next), http.StatusSeeOther)
}

// newCookie returns a cookie for this host only. Scripts cannot read it, and browsers do not send it
// with forms of other sites.
func (h *Handler) newCookie(value string, until time.Time) *http.Cookie {
	return &http.Cookie{
		Name: h.cookie, Value: value, Path: "/", Expires: until, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: strings.HasPrefix(h.BaseURL, "https://"),
	}
}

// logout ends the session.
func (h *Handler) logout(v *visit) error {
	if err := h.SignIn.EndSession(v.r.Context(), v.grant, v.grant.Actor.Token); err != nil {
		return err
	}
	h.dropCookie(v)
	http.Redirect(v.w, v.r, "/login", http.StatusSeeOther)
	return nil
}

// dropCookie makes the browser delete the session cookie.
func (h *Handler) dropCookie(v *visit) {
	c := h.newCookie("", time.Unix(0, 0))
	c.MaxAge = -1
	http.SetCookie(v.w, c)
}
