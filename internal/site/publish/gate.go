package publish

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/adaptive"
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

// admit identifies the visitor. It reports whether it has written the response, because
// the visitor must sign in, or because credentials were moved from the address to
// cookies. The error is NotFound if nobody can read the site at this address.
func (v *visit) admit(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	query := r.URL.Query()
	token, err := v.previewToken(r, query)
	switch {
	case err != nil:
		return false, err
	case !v.as.Preview && !v.site.Published:
		return false, errs.Missing("site")
	case !v.as.Preview && v.site.Visibility == docs.VisibilityLink:
		if err := v.splitShareKey(); err != nil {
			return false, err
		}
		if !strings.HasSuffix(v.root, "/") { // the path ends with the key, without a slash
			redirect(w, r, v.root+"/", http.StatusTemporaryRedirect)
			return true, nil
		}
	}
	if !strings.HasSuffix(v.root, "/") { // the address of the site without the final slash; not before it is clear that there is one
		redirect(w, r, v.root+"/", http.StatusPermanentRedirect)
		return true, nil
	}
	if done, err := v.auth(w, r); done || err != nil {
		return done, err
	}
	if v.as.Preview {
		return v.hideCredentials(w, query, map[string]cookieValue{previewCookie: {token, time.Time{}}}), nil // a session cookie, because the token has its own expiry
	}
	return v.identify(w, r, query)
}

// identify determines the claims of a visitor who uses a published address.
func (v *visit) identify(w http.ResponseWriter, r *http.Request, query url.Values) (done bool, err error) {
	v.private = v.site.Adaptive || v.site.Visibility == docs.VisibilityLink || v.site.Visibility == docs.VisibilityAuth
	token, source := v.token(r, query)
	a := sites.Visit{Token: token, LoginOnError: true}
	if v.site.Adaptive {
		a.Unsigned = adaptive.Unsigned(query, cookiesOf(r))
	}
	who, err := v.h.Sites.Identify(v.ctx, v.site, a)
	if who.Refused != "" && once(v.h.refused, refusal{v.site.ID, who.Refused}, refusalTime, v.h.Sites.Store.Clock()) {
		v.h.Log.Warn("the token of a visitor was refused", "site", v.site.ID, "reason", string(who.Refused), "from", source)
	}
	if errs.Is(err, errs.Unauthenticated) {
		return true, v.signIn(w, r, who.Refused, source)
	}
	if err != nil {
		return false, err
	}
	v.endRound(w, r)
	v.as.Key, v.as.Claims = who.Key, who.Claims
	cookies := map[string]cookieValue{}
	if token := query.Get(tokenParameter); token != "" && who.Expires > 0 {
		cookies[tokenCookie] = cookieValue{token, time.Unix(who.Expires, 0)}
	}
	if text, err := json.Marshal(a.Unsigned); err == nil && len(a.Unsigned) > 0 && len(text) <= maxClaimsCookie {
		cookies[claimsCookie] = cookieValue{url.QueryEscape(string(text)), time.Time{}}
	}
	return v.hideCredentials(w, query, cookies), nil
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

// once reports whether it has not reported true for a key within a time.
func once[K comparable](seen *cache.Cache[K, time.Time], key K, within time.Duration, now time.Time) bool {
	if last, known := seen.Get(key); known && now.Sub(last) < within {
		return false
	}
	seen.Set(key, now)
	return true
}

// splitShareKey moves the share key from the start of the path to the end of the root.
func (v *visit) splitShareKey() error {
	// No character of a key needs to be escaped. With another spelling of the key, every page would have an
	// address, and a place in the caches, more.
	key, rest, found := strings.Cut(v.path, "/")
	if key == "" {
		return errs.Missing("site")
	}
	link, err := v.h.Sites.ShareLinkByKey(v.ctx, v.site.ID, key)
	if err != nil {
		return err
	}
	v.as.Link = link.ID
	v.key, v.root, v.path = key, v.root+key, rest
	if found {
		v.root += "/"
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
func (v *visit) token(r *http.Request, query url.Values) (token, source string) {
	if t := query.Get(tokenParameter); t != "" {
		return t, fromAddress
	}
	if t := query.Get(programParameter); t != "" && v.mcpCall {
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
func (v *visit) previewToken(r *http.Request, query url.Values) (string, error) {
	token := query.Get(previewParameter)
	if c, err := r.Cookie(previewCookie); token == "" && err == nil {
		token = c.Value
	}
	if !visitor.IsToken(token) {
		return "", nil
	}
	as, err := v.h.Sites.Recognise(v.ctx, token, v.h.Sites.Store.Clock())
	switch {
	case err != nil && !errs.Is(err, errs.Unauthenticated):
		return "", err
	case err != nil || !as.Preview || as.Site != v.site.ID:
		return "", nil // treated as a normal visit
	}
	v.as, v.private, v.out = as, true, draft{preview: true}
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

// withoutCredentials returns a query without the parameters that identify the visitor.
func withoutCredentials(query url.Values) url.Values {
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
func (v *visit) hideCredentials(w http.ResponseWriter, query url.Values, cookies map[string]cookieValue) bool {
	left := withoutCredentials(query)
	if left.Encode() == query.Encode() || v.mcpCall {
		return false
	}
	for name, c := range cookies {
		v.cookie(w, name, c.value, c.until)
	}
	v.redirectToQuery(w, left)
	return true
}

// redirectToQuery redirects the browser to the current page with another query.
func (v *visit) redirectToQuery(w http.ResponseWriter, query url.Values) {
	to := v.root + v.path
	if len(query) > 0 {
		to += "?" + query.Encode()
	}
	seeOther(w, to)
}

func seeOther(w http.ResponseWriter, to string) {
	w.Header().Set("Location", to)
	w.WriteHeader(http.StatusSeeOther)
}

// cookie sets a cookie for this site only. If until is zero, it is a session cookie.
func (v *visit) cookie(w http.ResponseWriter, name, value string, until time.Time) {
	path := v.root
	if u, err := url.Parse(v.root); err == nil {
		path = u.Path
	}
	http.SetCookie(w, &http.Cookie{
		Name: name, Value: value, Path: path, Expires: until, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: v.h.base.Scheme == "https",
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
	if left := withoutCredentials(u.Query()); len(left) > 0 {
		path += "?" + left.Encode()
	}
	return path
}
