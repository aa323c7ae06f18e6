package publish

import (
	"net/http"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/theme"
)

// admit finds out who the visitor is. It reports whether the request is answered,
// because the visitor has to sign in. The error is NotFound if nobody can read the
// site this way. Nobody can be recognized yet, so only sites for everybody are
// read.
func (v *visit) admit(w http.ResponseWriter) (done bool, err error) {
	switch {
	case !v.site.Published || v.site.Visibility == docs.VisibilityLink:
		return false, errs.Missing("site")
	case v.site.Visibility == docs.VisibilityAuth:
		return true, v.login(w)
	}
	v.visitor, v.private = reading.Nobody, v.site.Adaptive
	return false, nil
}

// login says that one must sign in first.
func (v *visit) login(w http.ResponseWriter) error {
	f := &theme.Frame{Title: "Documentation", Home: v.root, Hidden: true, Style: v.root + ownPrefix + "assets/" + theme.Style.Name}
	return theme.Write(w, http.StatusUnauthorized, f, &theme.Message{
		Title: "Sign in", Text: "These pages are for signed-in readers only. Open them from the place where you sign in.",
	})
}
