package gate

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// roundCookie marks a browser that was redirected to the login page because the token in
// its cookie was refused. It lives for roundTime. If the next token is refused too, the
// login page issues tokens that the site does not accept. Another redirect would be a loop.
const (
	roundCookie = "octavo-login-round"
	roundTime   = 2 * time.Minute
)

// Identifies reports whether a Cookie header may have cookies of this server that change what
// its sender sees of a public site.
func Identifies(cookies string) bool {
	return strings.Contains(cookies, previewCookie) || strings.Contains(cookies, roundCookie)
}

// signIn responds to a visitor who must sign in. A visitor without a token, or with an
// outdated one in a cookie, is redirected to the login page. If a token is refused that the
// login page has just issued, an error page explains why. A program receives status 401.
func (rd *Reader) signIn(w http.ResponseWriter, r *http.Request, why visitor.Refusal, source string) error {
	switch {
	case rd.Program:
		text := "These pages are for signed-in readers only. Send the token of a visitor: Authorization: Bearer TOKEN."
		if why != "" {
			text = why.Text()
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		theme.WriteText(w, http.StatusUnauthorized, text)
		return nil
	case why == "":
		return rd.login(w, localPath("/"+rd.Path))
	}
	_, err := r.Cookie(roundCookie)
	if again := err == nil; source == fromCookie && !again {
		rd.Cookie(w, roundCookie, "1", rd.gate.Audience.Now().Add(roundTime))
		rd.Cookie(w, tokenCookie, "", time.Unix(1, 0))
		return rd.login(w, localPath("/"+rd.Path))
	}
	rd.Cookie(w, roundCookie, "", time.Unix(1, 0))
	f := rd.NeutralFrame()
	t := f.Texts()
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{
		Title: t.SignInFailed, Text: reason(t, why) + " " + t.Report,
		Next: &theme.Link{Title: t.SignInAgain, Href: rd.Root + sites.OwnPrefix + "auth/login?" + url.Values{"location": {localPath("/" + rd.Path)}}.Encode()},
	})
}

// endRound deletes roundCookie after a successful sign-in.
func (rd *Reader) endRound(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie(roundCookie); err == nil {
		rd.Cookie(w, roundCookie, "", time.Unix(1, 0))
	}
}

// auth serves the paths for signing in and out. It reports whether the request is for one.
func (rd *Reader) auth(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	name, ok := sites.OwnName(rd.Path)
	to := localPath(r.URL.Query().Get("location"))
	switch {
	case ok && name == "auth/login":
		return true, rd.login(w, to)
	case ok && name == "auth/logout":
		for _, c := range []string{tokenCookie, claimsCookie, previewCookie} {
			rd.Cookie(w, c, "", time.Unix(1, 0))
		}
		return true, rd.redirectSignedOut(w, to)
	}
	return false, nil
}

// redirectSignedOut redirects a visitor who has signed out to the logout URL of the site,
// or to a page of the site if there is no such URL.
func (rd *Reader) redirectSignedOut(w http.ResponseWriter, to string) error {
	auth, err := rd.gate.Audience.SignIn(rd.ctx, rd.site.ID)
	if err != nil {
		return err
	}
	if at, ok := audience.WithLocation(auth.LogoutURL, to); ok && rd.site.Visibility == docs.VisibilityAuth {
		SeeOther(w, at)
		return nil
	}
	SeeOther(w, rd.Root+strings.TrimPrefix(to, "/"))
	return nil
}

// login redirects a visitor to the login page of the site. If none is configured, it shows
// a page that asks the visitor to sign in.
func (rd *Reader) login(w http.ResponseWriter, location string) error {
	auth, err := rd.gate.Audience.SignIn(rd.ctx, rd.site.ID)
	if err != nil {
		return err
	}
	if at, ok := audience.WithLocation(auth.FallbackURL, location); ok {
		SeeOther(w, at)
		return nil
	}
	f := rd.NeutralFrame()
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{Title: f.Texts().SignIn, Text: f.Texts().SignInText})
}

// NeutralFrame returns a frame that reveals nothing about the site but its language.
func (rd *Reader) NeutralFrame() *theme.Frame {
	return &theme.Frame{
		Lang: rd.lang, Title: theme.TextsIn(rd.lang).Documentation, Home: rd.Root, Hidden: true, Style: rd.Root + sites.OwnPrefix + "assets/" + theme.Style.Name,
	}
}

// reason returns the text for readers about why their token was refused.
func reason(t *theme.Texts, why visitor.Refusal) string {
	switch why {
	case visitor.Expired:
		return t.Refused.Expired
	case visitor.Early:
		return t.Refused.Early
	case visitor.Lifetime:
		return t.Refused.Lifetime
	case visitor.Signature:
		return t.Refused.Signature
	case visitor.Algorithm:
		return t.Refused.Algorithm
	}
	return t.Refused.Malformed
}
