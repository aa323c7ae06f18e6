package publish

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/adaptive"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// Names that visitors bring their token under.
const (
	tokenParameter   = "jwt_token"
	tokenCookie      = "octavo-visitor-token"  // set here, for one site
	sharedCookie     = "gitbook-visitor-token" // set by the owner of the site, for a domain
	previewParameter = "token"
	previewCookie    = "octavo-preview-token"
	claimsParameter  = "visitor."
	claimsCookie     = "gitbook-visitor-public-octavo"
	maxClaimsCookie  = 3 << 10
)

// admit finds out who the visitor is. It reports whether the request is answered:
// the visitor has to sign in, or the address has credentials that are now in
// cookies. The error is NotFound if nobody can read the site this way.
func (v *visit) admit(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	if v.site.Published {
		if done, err := v.auth(w, r); done || err != nil {
			return done, err
		}
	}
	query := r.URL.Query()
	if done, err := v.previewed(w, r, query); done || err != nil || v.as.Preview {
		return done, err
	}
	if !v.site.Published {
		return false, errs.Missing("site")
	}
	if v.site.Visibility == docs.VisibilityLink {
		if err := v.unlock(); err != nil {
			return false, err
		}
		if !strings.HasSuffix(v.root, "/") { // the key without the slash behind it
			redirect(w, r, v.root+"/", http.StatusTemporaryRedirect)
			return true, nil
		}
	}
	v.private = v.site.Adaptive || v.site.Visibility == docs.VisibilityLink || v.site.Visibility == docs.VisibilityAuth
	a := sites.Arrival{Token: tokenOf(r, query), LoginOnError: true}
	if v.site.Adaptive {
		a.Unsigned = adaptive.Unsigned(query, cookiesOf(r))
	}
	who, err := v.h.Sites.Identify(v.ctx, v.site, a)
	if errs.Is(err, errs.Unauthenticated) {
		return true, v.login(w, "/"+v.path)
	}
	if err != nil {
		return false, err
	}
	v.as.Key, v.as.Claims = who.Key, who.Claims
	return v.clean(w, query, who.Expires, a.Unsigned), nil
}

// unlock moves the share key from the path to the root.
func (v *visit) unlock() error {
	escaped, rest, found := strings.Cut(v.path, "/")
	key, err := url.PathUnescape(escaped)
	if err != nil || key == "" {
		return errs.Missing("site")
	}
	link, err := v.h.Sites.ShareLinkByKey(v.ctx, v.site.ID, key)
	if err != nil {
		return err
	}
	v.as.Link = link.ID
	v.key, v.root, v.path = key, v.root+escaped, rest
	if found {
		v.root += "/"
	}
	return nil
}

// tokenOf returns the token of a visitor.
func tokenOf(r *http.Request, query url.Values) string {
	if t := query.Get(tokenParameter); t != "" {
		return t
	}
	for _, name := range []string{tokenCookie, sharedCookie} {
		if c, err := r.Cookie(name); err == nil && c.Value != "" {
			return c.Value
		}
	}
	if t, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && visitor.IsToken(t) {
		return t
	}
	return ""
}

func cookiesOf(r *http.Request) map[string]string {
	out := map[string]string{}
	for _, c := range r.Cookies() {
		out[c.Name] = c.Value
	}
	return out
}

// previewed recognizes who came by the address of a preview: they may read the
// site whether it is published or not.
func (v *visit) previewed(w http.ResponseWriter, r *http.Request, query url.Values) (done bool, err error) {
	token := query.Get(previewParameter)
	if c, err := r.Cookie(previewCookie); token == "" && err == nil {
		token = c.Value
	}
	if !visitor.IsToken(token) {
		return false, nil
	}
	as, err := v.h.Sites.Recognise(v.ctx, token, v.h.Sites.Store.Clock())
	switch {
	case err != nil && !errs.Is(err, errs.Unauthenticated):
		return false, err
	case err != nil || !as.Preview || as.Site != v.site.ID:
		return false, nil // then it is a visit like any other
	}
	v.as, v.private = as, true
	if !query.Has(previewParameter) {
		return false, nil
	}
	v.cookie(w, previewCookie, token, time.Time{}) // the token ends by itself
	query.Del(previewParameter)
	v.again(w, query)
	return true, nil
}

// clean moves credentials from the address into cookies, so that they are not
// passed on with it. It reports whether it has redirected the browser.
func (v *visit) clean(w http.ResponseWriter, query url.Values, expires int64, unsigned map[string]any) bool {
	token := query.Get(tokenParameter)
	left := url.Values{}
	for name, values := range query {
		if name != tokenParameter && !(v.site.Adaptive && strings.HasPrefix(name, claimsParameter)) {
			left[name] = values
		}
	}
	if len(left) == len(query) {
		return false
	}
	if token != "" && expires > 0 {
		v.cookie(w, tokenCookie, token, time.Unix(expires, 0))
	}
	if text, err := json.Marshal(unsigned); err == nil && len(unsigned) > 0 && len(text) <= maxClaimsCookie {
		v.cookie(w, claimsCookie, url.QueryEscape(string(text)), time.Time{})
	}
	v.again(w, left)
	return true
}

// again sends the browser to the same page with another query.
func (v *visit) again(w http.ResponseWriter, query url.Values) {
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

// cookie sets a cookie for this site alone. A zero time is until the browser
// ends.
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

// auth answers the addresses where visitors sign in and out.
func (v *visit) auth(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	name, ok := ownName(v.path)
	to := localPath(r.URL.Query().Get("location"))
	switch {
	case ok && name == "auth/login":
		return true, v.login(w, to)
	case ok && name == "auth/logout":
		for _, c := range []string{tokenCookie, claimsCookie, previewCookie} {
			v.cookie(w, c, "", time.Unix(1, 0))
		}
		return true, v.leave(w, to)
	}
	return false, nil
}

// leave sends a visitor who has signed out to where the owner of the site wants
// them, or to a page of the site.
func (v *visit) leave(w http.ResponseWriter, to string) error {
	s, err := v.h.Sites.Store.SiteSettings(v.ctx, v.site.ID)
	if err != nil {
		return err
	}
	if at, ok := sites.WithLocation(s.Auth.LogoutURL, to); ok && v.site.Visibility == docs.VisibilityAuth {
		seeOther(w, at)
		return nil
	}
	seeOther(w, v.root+strings.TrimPrefix(to, "/"))
	return nil
}

// login sends a visitor to where the owner of the site lets people sign in. A
// site without such a place says that one must come from there.
func (v *visit) login(w http.ResponseWriter, location string) error {
	s, err := v.h.Sites.Store.SiteSettings(v.ctx, v.site.ID)
	if err != nil {
		return err
	}
	if at, ok := sites.WithLocation(s.Auth.FallbackURL, location); ok {
		seeOther(w, at)
		return nil
	}
	f := &theme.Frame{Title: "Documentation", Home: v.root, Hidden: true, Style: v.root + ownPrefix + "assets/" + theme.Style.Name}
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{
		Title: "Sign in", Text: "These pages are for signed-in readers only. Open them from the place where you sign in.",
	})
}

// localPath returns a path of this site as it is, and the first page for anything
// that could lead elsewhere.
func localPath(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.Scheme != "" || u.Host != "" || u.Opaque != "":
	case !strings.HasPrefix(s, "/") || strings.HasPrefix(s, "/~") || strings.HasPrefix(u.Path, "//"):
	case strings.ContainsFunc(s+u.Path, func(r rune) bool { return r == '\\' || r < ' ' || r == 0x7f }):
	default:
		return s
	}
	return "/"
}
