package assets

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) uploads() {
	const tag = "Uploads"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "generateStorageUploadURL", Route: "POST /orgs/{organizationId}/storage/upload", Tag: tag, Allow: authz.Org(authz.UploadFiles), Status: 201,
		Summary: "Announce a file, and get an address to upload it to.",
		About: "Send the file there with PUT within 15 minutes, in the size that was announced. A font may have 10 MB. Files of other kinds are refused: nothing is made of them here. " +
			"The key names the file for one day: what is made of the file meanwhile keeps it.",
	}, h.announceUpload)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "uploadToStorage", Route: "PUT /uploads/{organizationId}/{key}", Tag: tag, Allow: authz.Signed(), Signed: signedUpload, Time: kernel.TransferTime,
		Also:    []int{http.StatusConflict, http.StatusPreconditionFailed},
		Summary: "Upload a file to an address that generateStorageUploadURL returned.",
		About:   "The body is the file. The header Content-Type, if there is one, must have the type that was announced. 409 if the file was uploaded already.",
	}, h.receiveUpload)
}

// StorageUploadURL is the JSON form of an address to which a file can be uploaded.
type StorageUploadURL struct {
	Object string `json:"object" enum:"storage-signed-url"`
	URL    string `json:"url" format:"uri" doc:"Where the file has to be sent with PUT; valid for 15 minutes."`
	Key    string `json:"key" doc:"What the file is called in other requests."`
}

type announceUploadIn struct {
	wire.OrgIn
	Body struct {
		File struct {
			Name string `json:"name" minLength:"1" maxLength:"256"`
			Type string `json:"type" maxLength:"128" doc:"Content type."`
			Size int64  `json:"size" minimum:"1" doc:"Bytes."`
		} `json:"file"`
		Kind docs.UploadKind `json:"kind" enum:"customization_font,import_file,organization_file"`
	}
}

func (h *handlers) announceUpload(ctx context.Context, in *announceUploadIn) (*kernel.Out[StorageUploadURL], error) {
	f := in.Body.File
	u, err := h.Assets.Announce(authz.FromContext(ctx), docs.Upload{Kind: in.Body.Kind, Name: f.Name, ContentType: f.Type, Size: f.Size})
	if err != nil {
		return nil, err
	}
	query := url.Values{
		"kind": {string(u.Kind)}, "name": {u.Name}, "type": {u.ContentType}, "size": {strconv.FormatInt(u.Size, 10)}, "user": {string(u.CreatedBy)},
	}
	query.Set("signature", h.Signer.Sign(h.Clock().Add(assets.UploadTime), uploadParts(string(u.Org), string(u.Key), query)...))
	at := h.Location("uploads", string(u.Org), string(u.Key)) + "?" + query.Encode()
	return kernel.OK(StorageUploadURL{Object: "storage-signed-url", URL: at, Key: string(u.Key)}), nil
}

// uploadParts returns the values that the signature of an upload address covers:
// everything that decides what is stored. The first part prevents the use of other
// signatures for an upload.
func uploadParts(org, key string, query url.Values) []string {
	out := []string{"upload", org, key}
	for _, name := range []string{"kind", "name", "type", "size", "user"} {
		out = append(out, query.Get(name))
	}
	return out
}

func signedUpload(r *http.Request) []string {
	return uploadParts(r.PathValue("organizationId"), r.PathValue("key"), r.URL.Query())
}

// receiveUploadIn holds the parameters of an address that announceUpload returned.
type receiveUploadIn struct {
	wire.OrgIn
	Key  docs.UploadKey  `path:"key"`
	Kind docs.UploadKind `query:"kind"`
	Name string          `query:"name"`
	Type string          `query:"type"`
	Size int             `query:"size"`
	User docs.UserID     `query:"user"`
	wire.SignedAddress
	wire.Upload
}

func (h *handlers) receiveUpload(ctx context.Context, in *receiveUploadIn) (*kernel.Done, error) {
	w, r := in.HTTP()
	if kind := r.Header.Get("Content-Type"); kind != "" && kind != in.Type && in.Type != "" {
		return nil, errs.Field("header.Content-Type", "must be %q, as announced", in.Type)
	}
	if n := r.ContentLength; n >= 0 && n != int64(in.Size) {
		return nil, errs.Field("", "has %d bytes instead of the %d that were announced", n, in.Size)
	}
	by := authz.Actor{User: in.User, Request: authz.FromContext(ctx).Actor.Request}
	body := http.MaxBytesReader(w, r.Body, int64(in.Size)+1)
	return nil, h.Assets.Receive(ctx, by, docs.Upload{Key: in.Key, Org: in.Org, Kind: in.Kind, Name: in.Name, Size: int64(in.Size)}, body)
}

var _ huma.Resolver = (*receiveUploadIn)(nil)
