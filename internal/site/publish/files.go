package publish

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/pictures"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/gate"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
)

// file sends a file of the space. Only the id in the address identifies the file. The
// hash that follows is for caches, and the name is for people.
func (v *visit) file(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	id, _, _ := strings.Cut(rest, "/")
	f, err := e.View.File(v.Ctx, docs.FileID(id))
	if errs.Is(err, errs.NotFound) {
		return v.missing(w, r, e)
	}
	if err != nil {
		return err
	}
	if page.FileAddress(e, f) != v.Root+v.reader.Path {
		gate.Redirect(w, r, page.FileAddress(e, f), http.StatusTemporaryRedirect)
		return nil
	}
	return v.original(w, r, e, f, false)
}

// original sends a file as it is. It is passing if the address may have another content soon.
func (v *visit) original(w http.ResponseWriter, r *http.Request, e *edition.Edition, f docs.File, passing bool) error {
	hash, err := blob.ParseHash(f.Blob)
	if err != nil {
		return err
	}
	o, err := v.h.Content.OpenFile(v.Ctx, e.Space.ID, f.Blob)
	if err != nil {
		return err
	}
	defer o.Close()
	blob.Serve(w, r, blob.Served{Name: f.Name, ContentType: f.ContentType, Hash: hash, Passing: passing, Public: !v.Private, Secret: v.Private}, o)
	return nil
}

// picture sends a picture of the space with one of its widths, or the file itself if that is
// better. There is nothing at the address of another width.
func (v *visit) picture(w http.ResponseWriter, r *http.Request, e *edition.Edition, rest string) error {
	parts := strings.Split(rest, "/")
	if v.h.Pictures == nil || len(parts) != 4 {
		return v.missing(w, r, e)
	}
	width, err := strconv.Atoi(parts[2])
	if err != nil {
		return v.missing(w, r, e)
	}
	f, err := e.View.File(v.Ctx, docs.FileID(parts[0]))
	if errs.Is(err, errs.NotFound) || err == nil && !pictures.Has(f, width) {
		return v.missing(w, r, e)
	}
	if err != nil {
		return err
	}
	if at := page.PictureAddress(e, f, width); at != v.Root+v.reader.Path {
		gate.Redirect(w, r, at, http.StatusTemporaryRedirect)
		return nil
	}
	p, final, err := v.h.Pictures.Open(v.Ctx, string(v.Site.Org), f, width, func() (blob.Object, error) { return v.h.Content.OpenFile(v.Ctx, e.Space.ID, f.Blob) })
	switch {
	case err != nil && v.Ctx.Err() != nil:
		return err
	case err != nil: // such as a full disk
		v.h.Log.Warn("a picture could not be made smaller", "request", w.Header().Get("X-Request-Id"), "file", f.ID, "width", width, "error", err)
		fallthrough
	case p == nil:
		return v.original(w, r, e, f, !final)
	}
	defer p.Close()
	hash, err := blob.ParseHash(f.Blob)
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(f.Name, path.Ext(f.Name)) + pictures.Extension(p.ContentType)
	blob.Serve(w, r, blob.Served{
		Name: name, ContentType: p.ContentType, Hash: hash, Form: parts[2], Public: !v.Private, Secret: v.Private,
	}, p)
	return nil
}
