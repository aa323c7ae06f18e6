// Package console serves the pages of the server itself: sign-in, the account, and the content of
// organizations. Every page works without a script. The only script is for passkeys.
package console

import (
	"crypto/subtle"
	"embed"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/inbox"
	"github.com/octavo-docs/octavo/internal/identity/signin"
	"github.com/octavo-docs/octavo/internal/markup/highlight"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// Config holds the dependencies of the pages.
type Config struct {
	*services.Services
	BaseURL string
	Version string
	Log     *slog.Logger

	// NoSiteList leaves out the list of public sites on the page of the server.
	NoSiteList bool
	// FileURL returns a URL at which a member can read a file of a space.
	FileURL func(docs.UserID, docs.Space, docs.File) string
	Take    func(http.ResponseWriter, *http.Request) error // counts a request against the rate limit of the client
}

// Handler serves the pages.
type Handler struct {
	Config
	mux    *http.ServeMux
	cookie string
	strict *http.CrossOriginProtection
	tries  *tries
	visits *tries // of single sign-on: all employees of a company may sign in from one network in the morning
	keys   bool   // whether users can sign in by passkey

	highlight *highlight.Highlighter
	formulas  *formula.Typesetter
	marking   *budget.Pool // limits how many change requests are rendered concurrently
}

//go:embed web
var web embed.FS

//go:embed web/console.css
var ownStyle []byte

//go:embed web/console.js
var ownScript []byte

var (
	style = theme.NewAsset("console.css", "text/css; charset=utf-8", ownStyle)
	pages = template.Must(template.New("").Funcs(template.FuncMap{
		"day": day, "browser": browser, "verdict": verdict, "channels": channels, "hours": hours, "weekdays": weekdays,
		"sentence": inbox.Sentence, "title": inbox.Title, "place": inbox.Place, "quote": inbox.Quote, "address": inbox.Address,
	}).ParseFS(web, "web/*.html"))
)

const assets = "/~octavo/assets/"

// New returns a Handler.
func New(c Config) *Handler {
	h := &Handler{
		Config: c, mux: http.NewServeMux(), cookie: signin.Cookie(c.BaseURL),
		strict: http.NewCrossOriginProtection(), tries: newTries(c.SignIn.Store.Clock, maxTries), visits: newTries(c.SignIn.Store.Clock, maxVisits),
		keys: c.SignIn.HasPasskeys(), highlight: highlight.New(highlightBytes), formulas: formula.New(formulaBytes), marking: budget.NewPool("change requests", 2),
	}
	h.registerContent()
	h.mux.HandleFunc("GET /{$}", h.home)
	h.mux.HandleFunc("GET /login", h.login)
	h.mux.HandleFunc("POST /login", h.limitSignIns(h.sendLink))
	h.mux.HandleFunc("GET "+signin.LinkPath, h.link)
	h.mux.HandleFunc("POST "+signin.LinkPath, h.limitSignIns(h.useLink))
	h.mux.HandleFunc("GET /login/sso", h.limitSSO(h.chooseSSO))
	h.mux.HandleFunc("GET /saml/{provider}/metadata", h.samlMetadata)
	h.mux.HandleFunc("GET /saml/{provider}/login", h.limitSSO(h.samlStart))
	h.mux.HandleFunc("POST /saml/{provider}/login", h.limitSSO(h.samlStart))
	h.mux.HandleFunc("POST /saml/{provider}/acs", h.limitSSO(h.samlAnswer))
	h.mux.HandleFunc("GET /saml/{provider}/finish", h.samlFinish)
	h.mux.HandleFunc("POST /saml/{provider}/finish", h.samlFinish)
	h.strict.AddInsecureBypassPattern("POST /saml/{provider}/acs") // the page of an identity provider sends the form
	h.mux.HandleFunc("GET /oidc/{provider}/login", h.limitSSO(h.toProvider))
	h.mux.HandleFunc("POST /oidc/{provider}/login", h.limitSSO(h.toProvider))
	h.mux.HandleFunc("GET /oidc/{provider}/callback", h.limitSSO(h.fromProvider))
	h.mux.HandleFunc("POST /oidc/{provider}/link", h.requireSession(h.linkProvider))
	h.mux.HandleFunc("POST /logout", h.requireSession(h.logout))
	h.mux.HandleFunc("GET /account", h.requireSession(h.account))
	h.mux.HandleFunc("POST /account/profile", h.requireSession(h.profile))
	h.mux.HandleFunc("POST /account/email", h.requireSession(h.email))
	h.mux.HandleFunc("POST /account/sessions", h.requireSession(h.endSession))
	h.mux.HandleFunc("POST /account/tokens", h.requireSession(h.createToken))
	h.mux.HandleFunc("POST /account/tokens/revoke", h.requireSession(h.revokeToken))
	h.mux.HandleFunc("POST /login/passkey/ask", h.limitSignIns(h.askPasskey))
	h.mux.HandleFunc("POST /login/passkey", h.limitSignIns(h.usePasskey))
	h.mux.HandleFunc("POST /account/passkeys/ask", h.requireSession(h.beginPasskey))
	h.mux.HandleFunc("POST /account/passkeys", h.requireSession(h.addPasskey))
	h.mux.HandleFunc("POST /account/passkeys/remove", h.requireSession(h.removePasskey))
	h.mux.HandleFunc("POST /account/identities/remove", h.requireSession(h.unlink))
	h.mux.HandleFunc("POST /account/delete", h.requireSession(h.deleteAccount))
	h.mux.HandleFunc("POST /account/notifications", h.requireSession(h.chooseNotifications))
	h.mux.HandleFunc("GET "+inbox.Path, h.requireSession(h.showInbox))
	h.mux.HandleFunc("POST "+inbox.Path, h.requireSession(h.readNotices))
	h.mux.HandleFunc("GET "+inbox.UnsubscribePath, h.unsubscribe)
	h.mux.HandleFunc("POST "+inbox.UnsubscribePath, h.endMails)
	h.mux.HandleFunc("GET "+assets+"{name}", asset)
	return h
}

// Owns reports whether the URL of a request belongs to one of the pages.
func (h *Handler) Owns(r *http.Request) bool {
	_, pattern := h.mux.Handler(r)
	return pattern != ""
}

// ServeHTTP serves the pages. It rejects forms that a page of another site sends.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	theme.SetSecurityHeaders(w.Header())
	// With no-referrer, browsers would send "Origin: null" even with our own forms.
	w.Header().Set("Referrer-Policy", "same-origin")
	w.Header().Set("Cache-Control", "no-store")
	if err := h.strict.Check(r); err != nil {
		h.fail(w, r, errs.E(errs.Forbidden, "this form was sent from another site; open %s and try again", h.BaseURL+"/account"))
		return
	}
	most := int64(maxForm)
	if strings.HasPrefix(r.URL.Path, "/saml/") {
		most = samlForm
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	h.mux.ServeHTTP(w, r.WithContext(budget.NewContext(r.Context(), budget.New(r.Context()))))
}

// maxForm is the maximum size of a form in bytes.
const maxForm = 64 << 10

func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	for _, a := range []theme.Asset{style, script} {
		if name == a.Name {
			w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
			a.Send(w, r)
			return
		}
	}
	if !theme.Serve(w, r, name) {
		theme.WriteText(w, http.StatusNotFound, "not found")
	}
}

// page is the data of every template.
type page struct {
	Title         string
	Style         string // URL of the style sheet of sites
	ConsoleStyle  string // URL of the style sheet of these pages
	Script        string // URL of the script; empty: the page has none
	CSRF          string // CSRF token of the session; empty: the user is not signed in
	Notice        string
	Error         string
	FormsRedirect bool // whether its forms redirect to identity providers
	Wide          bool
	Data          any
}

// policy allows our style sheets and script, avatars and other images, and forms to this server.
const policy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' https: data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// show renders a page.
func (h *Handler) show(w http.ResponseWriter, status int, name string, p page) {
	p.Style, p.ConsoleStyle = assets+theme.Style.Name, assets+style.Name
	if h.keys && (name == "login" || name == "account") {
		p.Script = assets + script.Name
	}
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, p); err != nil {
		h.Log.Error("a page of the console cannot be made", "page", name, "error", err)
		theme.WriteText(w, http.StatusInternalServerError, "something went wrong; try again")
		return
	}
	rules := policy
	if p.FormsRedirect { // browsers apply form-action to redirects after a form, too
		rules = strings.Replace(policy, "form-action 'self'", "form-action 'self' https: http:", 1)
	}
	w.Header().Set("Content-Security-Policy", rules)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(b.String())) // the client may have closed the connection
}

// fail shows an error page.
func (h *Handler) fail(w http.ResponseWriter, r *http.Request, err error) {
	setRetryAfter(w, err)
	kind, text := h.explain(r, err)
	h.show(w, kind.Status(), "message", page{Title: "That did not work", Error: text})
}

// setRetryAfter sets the header for an error that knows when to try again.
func setRetryAfter(w http.ResponseWriter, err error) {
	if wait := errs.After(err, 0); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(wait))
	}
}

// explain returns the kind of an error and the message that a user may see.
func (h *Handler) explain(r *http.Request, err error) (errs.Kind, string) {
	if errs.Cancelled(err) { // the user has left
		return errs.Busy, "The request was cancelled. Try again."
	}
	kind := errs.KindOf(err)
	if kind == errs.Internal {
		h.Log.Error("console", "path", r.URL.Path, "error", err)
		return kind, "Something went wrong. Try again; if it stays, tell the administrators of this server."
	}
	return kind, errs.Message(err)
}

// visit is a request of a signed-in user.
type visit struct {
	w      http.ResponseWriter
	r      *http.Request
	grant  *authz.Grant
	secret string // of the session
}

// requireSession requires a signed-in user and, for a form, its CSRF token.
func (h *Handler) requireSession(do func(*visit) error) http.HandlerFunc {
	return h.allowed(authz.FullToken(), do)
}

// allowed is like requireSession. It also checks rule for the resource in the path.
func (h *Handler) allowed(rule authz.Rule, do func(*visit) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(h.cookie)
		if err != nil {
			h.toLogin(w, r)
			return
		}
		s, err := h.Guard.AuthenticateSession(r.Context(), c.Value, authz.OriginOf(r.RemoteAddr, w.Header().Get("X-Request-Id")))
		if errs.Is(err, errs.Unauthenticated) {
			h.toLogin(w, r)
			return
		}
		v := &visit{w: w, r: r, secret: c.Value}
		if err == nil && r.Method != http.MethodGet && r.Method != http.MethodHead {
			err = v.checkForm()
		}
		if err == nil {
			err = h.Take(w, r)
		}
		if err == nil {
			v.grant, err = h.check(r, s, rule)
		}
		if err == nil {
			err = do(v)
		}
		if errs.Is(err, errs.Unauthenticated) { // the session was ended on another node
			h.toLogin(w, r)
		} else if err != nil {
			h.failFor(v, err)
		}
	}
}

// failFor shows an error page to a signed-in user.
func (h *Handler) failFor(v *visit, err error) {
	setRetryAfter(v.w, err)
	kind, text := h.explain(v.r, err)
	p := page{Title: "That did not work", CSRF: signin.CSRF(v.secret), Error: text}
	if kind == errs.NotFound && v.r.Method != http.MethodPost {
		p.Title, p.Error = "Not found", "There is nothing at this address, or you may not see it. If somebody sent it to you, ask them for access."
	}
	h.show(v.w, kind.Status(), "message", p)
}

func (v *visit) checkForm() error {
	if err := v.r.ParseForm(); err != nil {
		return errs.E(errs.Invalid, "the form cannot be read")
	}
	if subtle.ConstantTimeCompare([]byte(v.r.PostForm.Get("csrf")), []byte(signin.CSRF(v.secret))) == 0 {
		return errs.E(errs.Forbidden, "this form is not of your session; open the page again")
	}
	return nil
}

// check reports whether an authenticated session is still valid and satisfies a rule.
func (h *Handler) check(r *http.Request, s *authz.Session, rule authz.Rule) (*authz.Grant, error) {
	return h.Guard.Check(r.Context(), s, rule, r.PathValue, h.SignIn.Store.Clock())
}

// toLogin redirects to the sign-in page, and back after the sign-in if the request is a GET.
func (h *Handler) toLogin(w http.ResponseWriter, r *http.Request) {
	to := "/login"
	if r.Method == http.MethodGet {
		to += "?next=" + template.URLQueryEscaper(r.URL.RequestURI())
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}
