package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
)

// draft returns the edition that a path such as ~/changes/7/install or
// ~/revisions/ID/install names, and the rest of the path in that edition. Drafts are
// visible to visitors with a preview token, and to members of the organization who may
// read the space. For all other visitors the error is NotFound.
func (v *visit) draft(r *http.Request, path string) (*edition.Edition, string, error) {
	sp, err := v.draftOf(r)
	if err != nil {
		return nil, "", err
	}
	d, id, rest, err := v.h.Audience.Draft(v.Ctx, sp.ID, path)
	if err == nil && (id == "" || !v.reader.As.Draft.Includes(d)) {
		err = errs.Missing("revision")
	}
	if err != nil {
		return nil, "", err
	}
	view, err := v.h.Content.Revision(v.Ctx, sp, id)
	if err != nil {
		return nil, "", err
	}
	v.Private = true
	base := strings.TrimSuffix(strings.TrimSuffix(path, rest), "/") + "/"
	e, err := v.Cached(v.Ctx, view.For(v.Seen.Reader), v.BaseOf(v.Target.Space)+base)
	if err != nil {
		return nil, "", err
	}
	if v.review, err = v.Review(sp, d, e, r.URL.Query().Has(page.DiffParameter), v.reader.As.Draft != (authz.Draft{})); err != nil {
		return nil, "", err
	}
	v.Output = page.Draft{Preview: v.reader.As.Preview, Review: v.review}
	return e, rest, nil
}

// draftOf returns the space of the visit, if the visitor may see its drafts.
func (v *visit) draftOf(r *http.Request) (docs.Space, error) {
	id := v.Target.Space.Space
	if v.reader.As.Preview { // the site contains the space, or the address would not have resolved to it
		return v.Audience.Space(v.Ctx, id)
	}
	s, err := v.h.Guard.Authenticate(v.Ctx, r.Header.Get("Authorization"), authz.OriginOf(r.RemoteAddr, ""))
	if errs.Is(err, errs.Unauthenticated) {
		return docs.Space{}, errs.Missing("page")
	}
	if err != nil {
		return docs.Space{}, err
	}
	g, err := v.h.Guard.Check(v.Ctx, s, authz.Space(authz.ViewSpace), func(string) string { return string(id) }, v.Audience.Now())
	if authz.Denied(err) || errs.Is(err, errs.Unauthenticated) {
		return docs.Space{}, errs.Missing("page")
	}
	if err != nil {
		return docs.Space{}, err
	}
	return g.Space, nil
}
