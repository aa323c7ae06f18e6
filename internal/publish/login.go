package publish

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/sites"
	"github.com/octavo-docs/octavo/internal/theme"
	"github.com/octavo-docs/octavo/internal/visitor"
)

// A browser that was sent to the login page because a cookie was refused has
// roundCookie for roundTime. If what it brings back is refused too, the login page
// makes tokens that the site does not accept: sending it there again would be a
// loop.
const (
	roundCookie = "octavo-login-round"
	roundTime   = 2 * time.Minute
)

// signIn answers a visitor who has to sign in. Who has no token, or an old one in a
// cookie, is sent to the login page. A token that the login page has just made is
// not asked for again: a page says why it was refused. A program gets an error.
func (v *visit) signIn(w http.ResponseWriter, r *http.Request, why visitor.Refusal, source string) error {
	switch {
	case v.program:
		text := "These pages are for signed-in readers only. Send the token of a visitor: Authorization: Bearer TOKEN."
		if why != "" {
			text = why.Text()
		}
		w.Header().Set("WWW-Authenticate", "Bearer")
		theme.WriteText(w, http.StatusUnauthorized, text)
		return nil
	case why == "":
		return v.login(w, localPath("/"+v.path))
	}
	_, err := r.Cookie(roundCookie)
	if again := err == nil; source == fromCookie && !again {
		v.cookie(w, roundCookie, "1", v.h.Sites.Store.Clock().Add(roundTime))
		v.cookie(w, tokenCookie, "", time.Unix(1, 0))
		return v.login(w, localPath("/"+v.path))
	}
	v.cookie(w, roundCookie, "", time.Unix(1, 0))
	f := v.closed()
	t := f.Texts()
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{
		Title: t.SignInFailed, Text: reason(t, why) + " " + t.Report,
		Next: &theme.Link{Title: t.SignInAgain, Href: v.root + ownPrefix + "auth/login?" + url.Values{"location": {localPath("/" + v.path)}}.Encode()},
	})
}

// endRound forgets that a browser was sent to the login page: it has signed in.
func (v *visit) endRound(w http.ResponseWriter, r *http.Request) {
	if _, err := r.Cookie(roundCookie); err == nil {
		v.cookie(w, roundCookie, "", time.Unix(1, 0))
	}
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
	f := v.closed()
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{Title: f.Texts().SignIn, Text: f.Texts().SignInText})
}

// closed returns a frame that shows nothing of the site but its language.
func (v *visit) closed() *theme.Frame {
	lang := v.state.settings.Internationalization.Locale
	return &theme.Frame{
		Lang: lang, Title: theme.TextsIn(lang).Documentation, Home: v.root, Hidden: true, Style: v.root + ownPrefix + "assets/" + theme.Style.Name,
	}
}

// reason says to a reader what is wrong with their token.
func reason(t *theme.Texts, why visitor.Refusal) string {
	switch why {
	case visitor.Expired:
		return t.Refused.Expired
	case visitor.Early:
		return t.Refused.Early
	case visitor.Endless:
		return t.Refused.Endless
	case visitor.Signature:
		return t.Refused.Signature
	case visitor.Algorithm:
		return t.Refused.Algorithm
	}
	return t.Refused.Malformed
}
