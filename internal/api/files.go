package api

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// File on the wire.
type File struct {
	ID          string      `json:"id"`
	Name        string      `json:"name"`
	ContentType string      `json:"contentType"`
	DownloadURL string      `json:"downloadURL" doc:"Signed; valid for at least a day."`
	Size        int64       `json:"size"`
	Dimensions  *dimensions `json:"dimensions,omitempty"`
	Git         *gitBlob    `json:"git,omitempty"`
}

type dimensions struct {
	Width  int `json:"width"`
	Height int `json:"height"`
}

func dimensionsOf(f docs.File) *dimensions {
	if f.Width == 0 || f.Height == 0 {
		return nil
	}
	return &dimensions{f.Width, f.Height}
}

// file shows a file of which git knows what the revision tells.
func (a *API) file(sp docs.Space, f docs.File) File {
	return shown{a: a, v: &content.View{Space: sp}, metadata: true}.file(f)
}

func (s shown) file(f docs.File) File {
	return File{
		ID: string(f.ID), Name: f.Name, ContentType: f.ContentType, Size: f.Size,
		DownloadURL: s.a.downloadURL(s.v.Space, f), Dimensions: dimensionsOf(f), Git: s.gitBlob(s.git.File(f)),
	}
}

// Addresses of files change once a day and hold for two, so that what embeds
// one can be cached.
const (
	downloadDay = 24 * time.Hour
	downloads   = "/files/{spaceId}/{fileId}/{hash}/{name}"
)

// downloadURL gives an address that anybody can fetch a file from for a
// while. Everything that decides what is sent is signed.
func (a *API) downloadURL(sp docs.Space, f docs.File) string {
	expires := a.Store.Clock().Truncate(downloadDay).Add(2 * downloadDay)
	signature := a.Signer.Sign(expires, string(sp.ID), string(f.ID), f.Blob, f.Name, f.ContentType)
	return a.location("files", string(sp.ID), string(f.ID), f.Blob, url.PathEscape(f.Name)) +
		"?type=" + url.QueryEscape(f.ContentType) + "&signature=" + signature
}

// download serves a file whose address was signed. The space must still be
// there: an address does not outlive it.
func (a *API) download(w http.ResponseWriter, r *http.Request) {
	if err := a.limits.take(w.Header(), clientOf(r), time.Now()); err != nil {
		writeProblem(w, problemOf(err))
		return
	}
	if err := a.serveFile(w, r); err != nil {
		writeProblem(w, problemOf(err))
	}
}

func (a *API) serveFile(w http.ResponseWriter, r *http.Request) error {
	space, file, hash, name := r.PathValue("spaceId"), r.PathValue("fileId"), r.PathValue("hash"), r.PathValue("name")
	kind := r.URL.Query().Get("type")
	err := a.Signer.Verify(r.URL.Query().Get("signature"), a.Store.Clock(), space, file, hash, name, kind)
	if err != nil {
		return err
	}
	sp, err := a.Store.Space(r.Context(), docs.SpaceID(space))
	if err != nil || !sp.It.DeletedAt.IsZero() {
		return errs.Missing("file")
	}
	h, err := blob.ParseHash(hash)
	if err != nil {
		return errs.Missing("file")
	}
	o, err := a.Blobs.Open(r.Context(), h)
	if err != nil {
		return err
	}
	defer o.Close()
	a.patient(w, transferTime)
	blob.Serve(w, r, blob.Served{Name: name, ContentType: kind, Hash: h}, o)
	return nil
}

// transferTime is how long a file may take, which can be large and the line
// slow; other requests have a minute or two.
const transferTime = 15 * time.Minute

// patient gives a request more time. Where that cannot be set, it has the
// usual one.
func (a *API) patient(w http.ResponseWriter, d time.Duration) {
	rc, until := http.NewResponseController(w), time.Now().Add(d)
	if err := errors.Join(rc.SetReadDeadline(until), rc.SetWriteDeadline(until)); err != nil {
		a.Log.Debug("a deadline could not be set", "error", err)
	}
}

// uploadIn hands the request on: the body is streamed, never held.
type uploadIn struct {
	SpaceIn
	Upload
}

// Upload is the request of an upload.
type Upload struct {
	request *http.Request
	writer  http.ResponseWriter
}

// Resolve notes the request.
func (u *Upload) Resolve(ctx huma.Context) []error {
	u.request, u.writer = humago.Unwrap(ctx)
	return nil
}

func (a *API) uploadFile(ctx context.Context, in *uploadIn) (*created[File], error) {
	return a.upload(ctx, "", &in.Upload)
}

func (a *API) upload(ctx context.Context, on content.Branch, in *Upload) (*created[File], error) {
	g := authz.Of(ctx)
	a.patient(in.writer, transferTime)
	in.request.Body = http.MaxBytesReader(in.writer, in.request.Body, blob.DefaultMaxBytes+maxBody)
	parts, err := in.request.MultipartReader()
	if err != nil {
		return nil, errs.Field("body", "must be multipart/form-data")
	}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil, errs.Field("body", "has no part with a file name")
		}
		if err != nil {
			return nil, errs.Field("body", "is not well-formed multipart/form-data")
		}
		if part.FileName() == "" {
			continue
		}
		f, err := a.Content.Upload(ctx, g, on, part.FileName(), part)
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, errs.Field("body", "is larger than %d MB", blob.DefaultMaxBytes>>20)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errs.Field("body", "ends in the middle of the file")
		}
		if err != nil {
			return nil, err
		}
		within := []string{"spaces", string(g.Space.ID)}
		if on != "" {
			within = append(within, "change-requests", string(on))
		}
		at := a.location(append(within, "content", "files", string(f.ID))...)
		return &created[File]{at, a.file(g.Space, f)}, nil
	}
}

var _ huma.Resolver = (*uploadIn)(nil)
