package content

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) files() {
	const tag = "Content"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "uploadFile", Route: "POST /spaces/{spaceId}/content/files", Tag: tag, Allow: authz.Space(authz.EditSpace), Status: 201,
		Also: []int{http.StatusPreconditionFailed}, Time: kernel.TransferTime,
		Summary: "Upload a file, as multipart/form-data with one part that has a file name.",
		About:   "412 if the space is locked.",
	}, h.uploadFile)
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "downloadFile", Route: downloadRoute, Tag: tag, Allow: authz.Signed(), Signed: signedFile, Time: kernel.TransferTime, Sends: []string{"*/*"},
		Summary: "Download a file from its downloadURL.",
		About: "Range and If-None-Match are supported. " +
			"Files that a browser could run as a page, such as HTML and SVG, are sent as attachments.",
	}, h.download)
}

func (s encoder) file(f docs.File) wire.File {
	return s.h.FileFor(s.by, s.v.Space, f, s.gitBlob(s.git.File(f)))
}

const downloadRoute = "GET /files/{spaceId}/{fileId}/{hash}/{name}"

// downloadIn holds the parameters of an address that downloadURL returned.
type downloadIn struct {
	wire.SpaceIn
	File docs.FileID      `path:"fileId"`
	Hash string           `path:"hash"`
	Name string           `path:"name"`
	Type string           `query:"type" doc:"Content type of the file."`
	User docs.UserID      `query:"user" doc:"Member that the address was returned to, or who made the preview; the file is there as long as the member can read its space."`
	Site docs.SiteID      `query:"site" doc:"Site that the address was returned to a visitor of; the file is there as long as the site shows its space to the visitor's audience."`
	Link docs.ShareLinkID `query:"link" doc:"Share link of the visitor."`
	Key  int              `query:"key" doc:"Version of the key that the visitor was authenticated with."`
	wire.SignedAddress
}

func signedFile(r *http.Request) []string {
	query := r.URL.Query()
	signed := []string{r.PathValue("spaceId"), r.PathValue("fileId"), r.PathValue("hash"), r.PathValue("name"), query.Get("type"), query.Get("user")}
	if query.Has("site") {
		signed = append(signed, query.Get("site"), query.Get("link"), query.Get("key"))
	}
	return signed
}

// stillReads returns the grant of the member to whom an address of a space was issued.
// The member may have lost access since, or the space may be deleted; the address must
// not bypass that.
func (h *handlers) stillReads(ctx context.Context, user docs.UserID, space docs.SpaceID) (*authz.Grant, error) {
	g, _, err := h.Guard.Space(ctx, authz.Actor{User: user}, authz.ViewSpace, space)
	if authz.Denied(err) {
		return nil, errs.Missing("space")
	}
	return g, err
}

// download sends a file if the bearer of the address may still read its space.
func (h *handlers) download(ctx context.Context, in *downloadIn) (kernel.Stream, error) {
	var err error
	if in.Site != "" {
		err = h.Audience.CheckShown(ctx, authz.Visitor{Site: in.Site, Link: in.Link, Key: in.Key, Preview: in.User != "", By: in.User}, in.Space)
	} else {
		_, err = h.stillReads(ctx, in.User, in.Space)
	}
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		o, err := h.Content.OpenFile(r.Context(), in.Space, in.Hash)
		if err != nil {
			return err
		}
		defer o.Close()
		hash, err := blob.ParseHash(in.Hash)
		if err != nil {
			return err
		}
		blob.Serve(w, r, blob.Served{Name: in.Name, ContentType: in.Type, Hash: hash, Secret: in.Link != "" || in.Key != 0}, o)
		return nil
	}, nil
}

// uploadIn is the input of uploadFile. The body is streamed and never held in memory.
type uploadIn struct {
	wire.SpaceIn
	wire.Upload
}

func (h *handlers) uploadFile(ctx context.Context, in *uploadIn) (*kernel.Created[wire.File], error) {
	return h.upload(ctx, "", &in.Upload)
}

func (h *handlers) upload(ctx context.Context, on content.LineName, in *wire.Upload) (*kernel.Created[wire.File], error) {
	g := authz.FromContext(ctx)
	w, r := in.HTTP()
	r.Body = http.MaxBytesReader(w, r.Body, blob.DefaultMaxBytes+kernel.MaxBody)
	parts, err := r.MultipartReader()
	switch {
	case errors.Is(err, http.ErrNotMultipart):
		return nil, errs.E(errs.Unsupported, "the body must be multipart/form-data with one part that has a file name")
	case err != nil:
		return nil, errs.Field("body", "must be multipart/form-data with a boundary, and one part that has a file name")
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
		f, err := h.Content.Upload(ctx, g, on, part.FileName(), part)
		if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
			return nil, errs.Field("body", "is larger than %s", errs.Size(blob.DefaultMaxBytes))
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, errs.Field("body", "ends in the middle of the file; send it again")
		}
		if err != nil {
			return nil, err
		}
		within := []string{"spaces", string(g.Space.ID)}
		if on != "" {
			within = append(within, "change-requests", string(on))
		}
		at := h.Location(append(within, "content", "files", string(f.ID))...)
		return kernel.Made(at, h.File(g, g.Space, f)), nil
	}
}

var _ huma.Resolver = (*uploadIn)(nil)
