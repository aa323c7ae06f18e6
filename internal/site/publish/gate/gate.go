// Package gate says who reads a site: what the address, the cookies and the headers of a request
// tell of its sender, whether they have to sign in first, and where to. What arrives in the
// address moves into cookies.
package gate

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Names of query parameters and cookies that carry the token or the claims of a visitor.
const (
	tokenParameter   = "jwt_token"
	programParameter = "access_token"          // for programs that cannot set a header
	tokenCookie      = "octavo-visitor-token"  // set by this server, for one site
	sharedCookie     = "gitbook-visitor-token" // set by the owner of the site, for a domain
	previewParameter = "token"
	previewCookie    = "octavo-preview-token"
	claimsParameter  = "visitor."
	claimsCookie     = "gitbook-visitor-public-octavo"
	maxClaimsCookie  = 3 << 10
)

// A Gate recognises who reads the sites of a server.
type Gate struct {
	Audience *audience.Service
	Links    *sites.ShareLinks
	Log      *slog.Logger
	Secure   bool // cookies are for HTTPS only

	refused *cache.Cache[refusal, time.Time]
}

// New returns a Gate.
func New(a *audience.Service, links *sites.ShareLinks, log *slog.Logger, secure bool) *Gate {
	return &Gate{Audience: a, Links: links, Log: log, Secure: secure, refused: cache.New[refusal](maxRefusals, func(time.Time) int { return 1 })}
}

// A Reader is who has sent a request for a site.
type Reader struct {
	As      authz.Visitor
	Root    string // address of the site, including the share key; ends with a slash
	Path    string // escaped, relative to Root
	Key     string // of a share link
	Private bool   // the response depends on the reader, and must not be shared
	Program bool   // the request is not from a browser

	gate *Gate
	ctx  context.Context
	site docs.Site
	lang string // of the site
}

// Reader returns the sender of a request for a path below the root of a site, before anything
// is known about them. The language is that of messages.
func (g *Gate) Reader(ctx context.Context, site docs.Site, root, path, language string) *Reader {
	return &Reader{
		As: authz.Visitor{Org: site.Org, Site: site.ID}, Root: root, Path: path,
		gate: g, ctx: ctx, site: site, lang: language,
	}
}

// Admit identifies the visitor. It reports whether it has written the response, because
// the visitor must sign in, or because credentials were moved from the address to
// cookies. The error is NotFound if nobody can read the site at this address.
func (rd *Reader) Admit(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	query := r.URL.Query()
	token, err := rd.previewToken(r, query)
	switch {
	case err != nil:
		return false, err
	case !rd.As.Preview && !rd.site.Published:
		return false, errs.Missing("site")
	case !rd.As.Preview && rd.site.Visibility == docs.VisibilityLink:
		if err := rd.splitShareKey(); err != nil {
			return false, err
		}
		if !strings.HasSuffix(rd.Root, "/") { // the path ends with the key, without a slash
			Redirect(w, r, rd.Root+"/", http.StatusTemporaryRedirect)
			return true, nil
		}
	}
	if !strings.HasSuffix(rd.Root, "/") { // the address of the site without the final slash; not before it is clear that there is one
		Redirect(w, r, rd.Root+"/", http.StatusPermanentRedirect)
		return true, nil
	}
	if done, err := rd.auth(w, r); done || err != nil {
		return done, err
	}
	if rd.As.Preview {
		return rd.hideCredentials(w, query, map[string]cookieValue{previewCookie: {token, time.Time{}}}), nil // a session cookie, because the token has its own expiry
	}
	return rd.identify(w, r, query)
}

// identify determines the claims of a visitor who uses a published address.
func (rd *Reader) identify(w http.ResponseWriter, r *http.Request, query url.Values) (done bool, err error) {
	rd.Private = rd.site.Adaptive || rd.site.Visibility == docs.VisibilityLink || rd.site.Visibility == docs.VisibilityAuth
	token, source := rd.token(r, query)
	a := audience.Visit{Token: token, LoginOnError: true}
	if rd.site.Adaptive {
		a.Unsigned = adaptive.Unsigned(query, cookiesOf(r))
	}
	who, err := rd.gate.Audience.Identify(rd.ctx, rd.site, a)
	if who.Refused != "" && cache.Once(rd.gate.refused, refusal{rd.site.ID, who.Refused}, refusalTime, rd.gate.Audience.Now()) {
		rd.gate.Log.Warn("the token of a visitor was refused", "site", rd.site.ID, "reason", string(who.Refused), "from", source)
	}
	if errs.Is(err, errs.Unauthenticated) {
		return true, rd.signIn(w, r, who.Refused, source)
	}
	if err != nil {
		return false, err
	}
	rd.endRound(w, r)
	rd.As.Key, rd.As.Claims = who.Key, who.Claims
	cookies := map[string]cookieValue{}
	if token := query.Get(tokenParameter); token != "" && who.Expires > 0 {
		cookies[tokenCookie] = cookieValue{token, time.Unix(who.Expires, 0)}
	}
	if text, err := json.Marshal(a.Unsigned); err == nil && len(a.Unsigned) > 0 && len(text) <= maxClaimsCookie {
		cookies[claimsCookie] = cookieValue{url.QueryEscape(string(text)), time.Time{}}
	}
	return rd.hideCredentials(w, query, cookies), nil
}

// refusal is a reason for which a site refused tokens of visitors. It is logged once within refusalTime: everybody can
// send a bad token, and a login page that makes bad ones sends many.
type refusal struct {
	site docs.SiteID
	why  visitor.Refusal
}

const (
	maxRefusals = 10_000
	refusalTime = time.Minute
)

// splitShareKey moves the share key from the start of the path to the end of the root.
func (rd *Reader) splitShareKey() error {
	// No character of a key needs to be escaped. With another spelling of the key, every page would have an
	// address, and a place in the caches, more.
	key, rest, found := strings.Cut(rd.Path, "/")
	if key == "" {
		return errs.Missing("site")
	}
	link, err := rd.gate.Links.ByKey(rd.ctx, rd.site.ID, key)
	if err != nil {
		return err
	}
	rd.As.Link = link.ID
	rd.Key, rd.Root, rd.Path = key, rd.Root+key, rest
	if found {
		rd.Root += "/"
	}
	return nil
}

// Sources of the token of a visitor.
const (
	fromAddress = "address"
	fromCookie  = "cookie"
	fromHeader  = "header"
)

// token returns the token of a visitor, and its source.
func (rd *Reader) token(r *http.Request, query url.Values) (token, source string) {
	if t := query.Get(tokenParameter); t != "" {
		return t, fromAddress
	}
	if t := query.Get(programParameter); t != "" && rd.Program {
		return t, fromAddress
	}
	for _, name := range []string{tokenCookie, sharedCookie} {
		if c, err := r.Cookie(name); err == nil && c.Value != "" {
			return c.Value, fromCookie
		}
	}
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && visitor.IsToken(t) {
		return t, fromHeader
	}
	return "", ""
}

func cookiesOf(r *http.Request) map[string]string {
	out := map[string]string{}
	for _, c := range r.Cookies() {
		out[c.Name] = c.Value
	}
	return out
}

// previewToken recognizes a visitor who uses the address of a preview. Such a visitor may
// read the site even if it is not published. It returns the preview token, or an empty
// string.
func (rd *Reader) previewToken(r *http.Request, query url.Values) (string, error) {
	token := query.Get(previewParameter)
	if c, err := r.Cookie(previewCookie); token == "" && err == nil {
		token = c.Value
	}
	if !visitor.IsToken(token) {
		return "", nil
	}
	as, err := rd.gate.Audience.Recognise(rd.ctx, token, rd.gate.Audience.Now())
	switch {
	case err != nil && !errs.Is(err, errs.Unauthenticated):
		return "", err
	case err != nil || !as.Preview || as.Site != rd.site.ID:
		return "", nil // treated as a normal visit
	}
	rd.As, rd.Private = as, true
	return token, nil
}

// cookieValue is the value of a cookie, and its expiry.
type cookieValue struct {
	value string
	until time.Time
}

// isCredential reports whether a query parameter identifies the visitor, so that it is for
// this site only. The parameter of a preview token has a name that other sites use too,
// so it counts only if its value has the form of a token.
func isCredential(name, value string) bool {
	return name == tokenParameter || strings.HasPrefix(name, claimsParameter) || name == previewParameter && visitor.IsToken(value)
}

// WithoutCredentials returns a query without the parameters that identify the visitor.
func WithoutCredentials(query url.Values) url.Values {
	out := url.Values{}
	for name, values := range query {
		if left := slices.DeleteFunc(slices.Clone(values), func(v string) bool { return isCredential(name, v) }); len(left) > 0 {
			out[name] = left
		}
	}
	return out
}

// hideCredentials moves credentials from the address into cookies, so that they are not
// shared together with a link. It reports whether it has redirected the browser. A program
// has no cookies, so its requests are not redirected.
func (rd *Reader) hideCredentials(w http.ResponseWriter, query url.Values, cookies map[string]cookieValue) bool {
	left := WithoutCredentials(query)
	if left.Encode() == query.Encode() || rd.Program {
		return false
	}
	for name, c := range cookies {
		rd.Cookie(w, name, c.value, c.until)
	}
	rd.RedirectToQuery(w, left)
	return true
}

// RedirectToQuery redirects the browser to the current page with another query.
func (rd *Reader) RedirectToQuery(w http.ResponseWriter, query url.Values) {
	to := rd.Root + rd.Path
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	SeeOther(w, to)
}

// Redirect sends a redirect to an address, with the query of the request.
func Redirect(w http.ResponseWriter, r *http.Request, to string, status int) {
	if r.URL.RawQuery != "" && !strings.Contains(to, "?") {
		path, anchor, found := strings.Cut(to, "#")
		if to = path + "?" + r.URL.RawQuery; found {
			to += "#" + anchor
		}
	}
	w.Header().Set("Location", to)
	w.WriteHeader(status)
}

// SeeOther sends a redirect to an address, which is fetched with GET.
func SeeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// Cookie sets a cookie for this site only. If until is zero, it is a session cookie.
func (rd *Reader) Cookie(w http.ResponseWriter, name, value string, until time.Time) {
	path := rd.Root
	if u, err := url.Parse(rd.Root); err == nil {
		path = u.Path
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, Expires: until, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: rd.gate.Secure,
	})
}

// localPath returns s as an escaped path of this site with its query, without
// credentials. It returns "/" if s could lead to another host or to an address that is
// not a page.
func localPath(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "" || !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "//") || strings.Contains(u.Path, `\`) {
		return "/"
	}
	path, ok := docs.CleanSitePath(u.EscapedPath())
	if !ok || strings.Contains(path, "/~") || strings.Contains(path, "%2F") {
		return "/"
	}
	if strings.HasSuffix(u.Path, "/") && path != "/" {
		path += "/"
	}
	if left := WithoutCredentials(u.Query()); len(left) > 0 {
		path += "?" + left.Encode()
	}
	return path
}
