package publish

import (
	"net/http"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
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
	d, id, rest, err := v.h.Sites.Draft(v.ctx, sp.ID, path)
	if err == nil && (id == "" || !v.reader.As.Draft.Includes(d)) {
		err = errs.Missing("revision")
	}
	if err != nil {
		return nil, "", err
	}
	view, err := v.h.Content.Revision(v.ctx, sp, id)
	if err != nil {
		return nil, "", err
	}
	v.private = true
	base := strings.TrimSuffix(strings.TrimSuffix(path, rest), "/") + "/"
	e, err := v.cached(v.ctx, view.For(v.seen.Reader), v.baseOf(v.target.Space)+base)
	if err != nil {
		return nil, "", err
	}
	if v.review, err = v.reviewOf(sp, d, e, r.URL.Query().Has(diffParameter), v.reader.As.Draft != (authz.Draft{})); err != nil {
		return nil, "", err
	}
	v.out = draft{preview: v.reader.As.Preview, review: v.review}
	return e, rest, nil
}

// draftOf returns the space of the visit, if the visitor may see its drafts.
func (v *visit) draftOf(r *http.Request) (docs.Space, error) {
	id := v.target.Space.Space
	if v.reader.As.Preview { // the site contains the space, or the address would not have resolved to it
		sp, err := v.h.Sites.Store.Space(v.ctx, id)
		return sp.It, err
	}
	s, err := v.h.Guard.Authenticate(v.ctx, r.Header.Get("Authorization"), authz.OriginOf(r.RemoteAddr, ""))
	if errs.Is(err, errs.Unauthenticated) {
		return docs.Space{}, errs.Missing("page")
	}
	if err != nil {
		return docs.Space{}, err
	}
	g, err := v.h.Guard.Check(v.ctx, s, authz.Space(authz.ViewSpace), func(string) string { return string(id) }, v.h.Content.Store.Clock())
	if authz.Denied(err) || errs.Is(err, errs.Unauthenticated) {
		return docs.Space{}, errs.Missing("page")
	}
	if err != nil {
		return docs.Space{}, err
	}
	return g.Space, nil
}
