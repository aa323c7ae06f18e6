package openapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// downloads declares the two operations that return a specification as one file.
func (h *handlers) downloads(tag string) {
	kinds := []string{"application/json", "application/yaml"}
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "downloadOpenAPISpecVersion", Route: "GET /openapi/{organizationId}/{specSlug}/{versionId}", Tag: tag,
		Allow: authz.Signed(), Signed: signedVersion, Time: kernel.TransferTime, Sends: kinds,
		Summary: "Download a version of an OpenAPI specification as one file, from the address that the version has for it.",
		About:   "A specification in one file is sent as it was fetched, one of several files as JSON with all of them in it.",
	}, h.downloadVersion)
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "getPublishedOpenAPISpec", Route: "GET /openapi/{organizationId}/{specSlug}", Tag: tag,
		Allow: authz.Public(), Time: kernel.TransferTime, Sends: kinds,
		Summary: "Get the newest version of a public OpenAPI specification as one file.",
		About:   "404 if the specification is private. The header ETag is that of the version, for conditional requests.",
	}, h.getPublished)
}

// OpenAPISpecVersion is the JSON form of a version of a specification.
type OpenAPISpecVersion struct {
	Object    string        `json:"object" enum:"openapi-spec-version"`
	ID        string        `json:"id"`
	CreatedAt docs.Time     `json:"createdAt"`
	URL       string        `json:"url" format:"uri" doc:"Where the version can be downloaded as one file, for about a day."`
	URLs      wire.Location `json:"urls"`
}

func (h *handlers) version(g *authz.Grant, spec docs.OpenAPISpec, v docs.OpenAPIVersion) OpenAPISpecVersion {
	return OpenAPISpecVersion{
		Object: "openapi-spec-version", ID: string(v.ID), CreatedAt: v.CreatedAt, URL: h.address(g, spec, v),
		URLs: wire.Location{Location: h.Location("orgs", string(spec.Org), "openapi", string(spec.Slug), "versions", string(v.ID))},
	}
}

// address returns a signed address from which a member can download a version.
func (h *handlers) address(g *authz.Grant, spec docs.OpenAPISpec, v docs.OpenAPIVersion) string {
	return h.addressIn(g, spec, v, "")
}

// addressIn is like address for any caller. The address of a visitor names the
// space that shows the specification; it works as long as that of a file of the space.
func (h *handlers) addressIn(g *authz.Grant, spec docs.OpenAPISpec, v docs.OpenAPIVersion, space docs.SpaceID) string {
	by := wire.BearerOf(g)
	query, shown := by.Query(), []string(nil)
	if by.Visitor != nil {
		query += "&space=" + url.QueryEscape(string(space))
		shown = []string{string(space)}
	}
	signed := append(signedParts(string(spec.Org), string(spec.Slug), string(v.ID)), append(by.Signed(), shown...)...)
	return h.Location("openapi", string(spec.Org), string(spec.Slug), string(v.ID)) + "?" + strings.TrimPrefix(query, "&") +
		"&signature=" + h.Signer.Sign(h.DownloadEnd(), signed...)
}

func signedParts(org, slug, version string) []string { return []string{"openapi", org, slug, version} }

func signedVersion(r *http.Request) []string {
	query := r.URL.Query()
	signed := append(signedParts(r.PathValue("organizationId"), r.PathValue("specSlug"), r.PathValue("versionId")), query.Get("user"))
	if query.Has("site") {
		signed = append(signed, query.Get("site"), query.Get("link"), query.Get("key"), query.Get("space"))
	}
	return signed
}

type listVersionsIn struct {
	SpecIn
	kernel.Paged
}

func (h *handlers) listVersions(ctx context.Context, in *listVersionsIn) (*kernel.Page[OpenAPISpecVersion], error) {
	spec, all, err := h.APISpecs.Versions(ctx, in.Org, in.Slug)
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	return kernel.ListOf(ctx, h.Kernel, in.Paged, all, func(v docs.OpenAPIVersion) OpenAPISpecVersion { return h.version(g, spec, v) })
}

type versionIn struct {
	SpecIn
	Version docs.OpenAPIVersionID `path:"versionId"`
}

func (h *handlers) getLatestVersion(ctx context.Context, in *SpecIn) (*kernel.Out[OpenAPISpecVersion], error) {
	return h.getVersion(ctx, &versionIn{*in, apispec.Latest})
}

func (h *handlers) getVersion(ctx context.Context, in *versionIn) (*kernel.Out[OpenAPISpecVersion], error) {
	spec, v, err := h.APISpecs.Version(ctx, in.Org, in.Slug, in.Version)
	return kernel.OK(h.version(authz.FromContext(ctx), spec, v)), err
}

// OpenAPISpecContent is the JSON form of the content of a version.
type OpenAPISpecContent struct {
	Filesystem filesystem         `json:"filesystem" doc:"The files of the specification by name. Each has dir, filename, isEntrypoint, references and specification, its content as JSON."`
	URL        string             `json:"url" format:"uri" doc:"Where the version can be downloaded as one file."`
	URLs       openAPIContentURLs `json:"urls"`
}

type openAPIContentURLs struct {
	Source string  `json:"source" format:"uri"`
	Public *string `json:"public" format:"uri" nullable:"true" doc:"Address that needs no token; null if the specification is private."`
}

// filesystem is JSON that was generated when the version was created.
type filesystem json.RawMessage

// MarshalJSON returns the JSON unchanged.
func (f filesystem) MarshalJSON() ([]byte, error) { return f, nil }

// Schema returns the schema of an arbitrary object.
func (filesystem) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true}
}

func (h *handlers) getLatestContent(ctx context.Context, in *SpecIn) (*kernel.Out[OpenAPISpecContent], error) {
	return h.getContent(ctx, &versionIn{*in, apispec.Latest})
}

// OpenAPISpecRawContent is the source of a version.
type OpenAPISpecRawContent struct {
	Text   string `json:"text" doc:"The root file, as it was sent or fetched."`
	Format string `json:"format" enum:"json,yaml"`
}

func (h *handlers) getLatestRaw(ctx context.Context, in *SpecIn) (*kernel.Out[OpenAPISpecRawContent], error) {
	_, v, err := h.APISpecs.Version(ctx, in.Org, in.Slug, apispec.Latest)
	if err != nil {
		return nil, err
	}
	text, err := h.APISpecs.Raw(ctx, v)
	if err != nil {
		return nil, err
	}
	w := OpenAPISpecRawContent{Text: string(text), Format: "yaml"}
	if beginsJSON(text) {
		w.Format = "json"
	}
	return kernel.OK(w), nil
}

// beginsJSON reports whether the beginning of a specification is that of JSON.
func beginsJSON(head []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))), []byte("{"))
}

func (h *handlers) getContent(ctx context.Context, in *versionIn) (*kernel.Out[OpenAPISpecContent], error) {
	space, err := h.showing(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	spec, v, err := h.APISpecs.Version(ctx, in.Org, in.Slug, in.Version)
	if err != nil {
		return nil, err
	}
	g := authz.FromContext(ctx)
	files, err := h.APISpecs.Filesystem(ctx, v, false)
	at := h.addressIn(g, spec, v, space)
	content := OpenAPISpecContent{Filesystem: files, URL: at, URLs: openAPIContentURLs{Source: at}}
	if published := h.spec(g, spec).URLs.Published; published != "" {
		content.URLs.Public = &published
	}
	return kernel.OK(content), err
}

// downloadVersionIn holds the parameters of an address that handlers.address returned.
type downloadVersionIn struct {
	SpecIn
	Version docs.OpenAPIVersionID `path:"versionId"`
	User    docs.UserID           `query:"user" doc:"Member that the address was returned to, or who made the preview; the file is there as long as the member can see OpenAPI specifications."`
	Site    docs.SiteID           `query:"site" doc:"Site that the address was returned to a visitor of; the file is there as long as the site shows its space to the visitor's audience."`
	Space   docs.SpaceID          `query:"space" doc:"Space of the site that shows the specification."`
	Link    docs.ShareLinkID      `query:"link" doc:"Share link of the visitor."`
	Key     int                   `query:"key" doc:"Version of the key that the visitor was authenticated with."`
	wire.SignedAddress
}

func (h *handlers) downloadVersion(ctx context.Context, in *downloadVersionIn) (kernel.Stream, error) {
	var err error
	if in.Site != "" {
		err = h.Audience.CheckShown(ctx, authz.Visitor{Site: in.Site, Link: in.Link, Key: in.Key, Preview: in.User != "", By: in.User}, in.Space)
	} else {
		_, _, err = h.Guard.Org(ctx, authz.Actor{User: in.User}, authz.ListOpenAPISpecs, in.Org)
	}
	if authz.Denied(err) {
		err = errs.Missing("OpenAPI specification")
	}
	if err != nil {
		return nil, err
	}
	spec, v, err := h.APISpecs.Version(ctx, in.Org, in.Slug, in.Version)
	if err != nil {
		return nil, err
	}
	return h.send(spec, v, "private, no-cache"), nil
}

func (h *handlers) getPublished(ctx context.Context, in *SpecIn) (kernel.Stream, error) {
	spec, v, err := h.APISpecs.Published(ctx, in.Org, in.Slug)
	if err != nil {
		return nil, err
	}
	return h.send(spec, v, "public, no-cache"), nil
}

// send sends a version as one file, or status 304 if the client has cached it. The
// headers prevent browsers from running it as a page of this host.
func (a *handlers) send(spec docs.OpenAPISpec, v docs.OpenAPIVersion, kept string) kernel.Stream {
	return func(w http.ResponseWriter, r *http.Request) error {
		o, err := a.APISpecs.Open(r.Context(), v)
		if err != nil {
			return err
		}
		defer o.Close()
		kind, name, err := kindOf(spec, o)
		if err != nil {
			return err
		}
		h := w.Header()
		h.Set("Content-Type", kind)
		h.Set("Content-Disposition", `inline; filename="`+name+`"`)
		h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Cache-Control", kept)
		h.Set("ETag", `"`+v.Document+`"`)
		http.ServeContent(w, r, "", time.Time{}, o)
		return nil
	}
}

// kindOf returns the content type of a specification, detected from its first bytes,
// and a file name. The slug in the name needs no quoting.
func kindOf(spec docs.OpenAPISpec, r io.ReaderAt) (kind, name string, err error) {
	head := make([]byte, 256)
	n, err := r.ReadAt(head, 0)
	if err != nil && err != io.EOF { //nolint:errorlint // ReaderAt returns it as it is
		return "", "", err
	}
	if beginsJSON(head[:n]) {
		return "application/json", string(spec.Slug) + ".json", nil
	}
	return "application/yaml; charset=utf-8", string(spec.Slug) + ".yaml", nil
}
