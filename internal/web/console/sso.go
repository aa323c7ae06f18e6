package console

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/saml"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/identity/sso"
)

// samlForm is the maximum size of a form with a response of an identity provider: base64 with
// escapes.
const samlForm = 2 * saml.MaxResponse

type ssoData struct {
	Org    string // as the user typed it
	Title  string // of the organization
	Next   string
	Logins []sso.Login
}

// chooseSSO shows the identity providers of an organization. Users enter the organization instead
// of their address. The page must not reveal which addresses have an account, and an organization
// has not proved that it owns the domain of an address.
func (h *Handler) chooseSSO(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d := ssoData{Org: strings.TrimSpace(q.Get("org")), Next: signin.LocalPath(q.Get("next"))}
	p := page{Title: "Single sign-on"}
	status := http.StatusOK
	if d.Org != "" {
		o, err := h.SSO.Organization(r.Context(), d.Org)
		if err == nil {
			d.Title = o.Title
			d.Logins, err = h.SSO.Logins(r.Context(), o.ID)
		}
		if errs.Is(err, errs.NotFound) || err == nil && len(d.Logins) == 0 {
			status, p.Error, err = http.StatusNotFound, "No organization with this name has single sign-on. Ask an administrator of yours for its name, or for the address to begin at.", nil
		}
		if err != nil {
			h.fail(w, r, err)
			return
		}
	}
	p.Data, p.FormsRedirect = d, true
	h.show(w, status, "sso", p)
}

type beginData struct {
	Label string // of the provider
	Title string // of the organization
	To    string // target of the form
}

// confirm asks for confirmation if the browser comes from another site. Any page can send a
// browser here, and a provider under an attacker's control could sign it in to an account of the
// attacker. Our own pages send a form, which other sites cannot send.
func (h *Handler) confirm(w http.ResponseWriter, r *http.Request, label string, o docs.Organization) {
	h.show(w, http.StatusOK, "begin", page{Title: "Sign in", FormsRedirect: true, Data: beginData{label, o.Title, r.URL.RequestURI()}})
}

func provider(r *http.Request) docs.SAMLProviderID {
	return docs.SAMLProviderID(r.PathValue("provider"))
}

func (h *Handler) samlMetadata(w http.ResponseWriter, r *http.Request) {
	b, err := h.SSO.Metadata(r.Context(), provider(r))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/samlmetadata+xml; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="octavo-metadata.xml"`)
	_, _ = w.Write(b) // the client may have closed the connection
}

// samlStart redirects the browser to its identity provider. The response is valid only in this
// browser, which a cookie identifies.
func (h *Handler) samlStart(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		label, o, err := h.SSO.Named(r.Context(), provider(r))
		if err != nil {
			h.fail(w, r, err)
			return
		}
		h.confirm(w, r, label, o)
		return
	}
	browser := h.browserOf(r)
	if browser == "" {
		browser = docs.NewLinkSecret()
	}
	network := networkOf(r)
	to, err := h.SSO.Start(r.Context(), provider(r), browser, network, r.URL.Query().Get("next"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	c := h.newCookie(browser, h.SignIn.Store.Clock().Add(signin.SessionTime))
	c.Name = h.browserCookie()
	http.SetCookie(w, c)
	http.Redirect(w, r, to, http.StatusSeeOther)
}

func (h *Handler) browserCookie() string { return strings.Replace(h.cookie, "session", "browser", 1) }

// browserOf returns the secret in the browser cookie of a request, or "" if there is none.
func (h *Handler) browserOf(r *http.Request) string {
	if c, err := r.Cookie(h.browserCookie()); err == nil {
		return c.Value
	}
	return ""
}

// samlAnswer receives the response of an identity provider. The provider's page sends the form, so
// browsers omit our cookies. They are sent with the request to which this handler redirects.
func (h *Handler) samlAnswer(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		h.fail(w, r, errs.E(errs.Invalid, "the answer of the identity provider cannot be read, or is too large"))
		return
	}
	network := networkOf(r)
	key, err := h.SSO.Receive(r.Context(), provider(r), r.PostForm.Get("SAMLResponse"), r.PostForm.Get("RelayState"), network, w.Header().Get("X-Request-Id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	http.Redirect(w, r, "/saml/"+string(provider(r))+"/finish?key="+key, http.StatusSeeOther)
}

type finishData struct {
	Provider string
	Key      string
	Waiting  sso.PendingLogin
}

// samlFinish completes a sign-in. If it began at the identity provider, the user must confirm it. Any
// page can send a response, and a user could unknowingly work in the account of another person.
func (h *Handler) samlFinish(w http.ResponseWriter, r *http.Request) {
	key := r.FormValue("key")
	waits, err := h.SSO.PendingLogin(r.Context(), provider(r), key, h.browserOf(r))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	if waits.Confirms && r.Method != http.MethodPost {
		h.show(w, http.StatusOK, "finish", page{Title: "Sign in", Data: finishData{string(provider(r)), key, waits}})
		return
	}
	s, err := h.SSO.Finish(r.Context(), provider(r), key, h.browserOf(r), r.UserAgent(), w.Header().Get("X-Request-Id"))
	if err != nil {
		h.fail(w, r, err)
		return
	}
	http.SetCookie(w, h.newCookie(s.Secret, s.Until))
	http.Redirect(w, r, orAccount(s.Next), http.StatusSeeOther)
}
