package assets

import (
	"context"
	"net/http"
	"net/url"

	"github.com/octavo-docs/octavo/internal/assets"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) fonts() {
	const tag, route, one = "Custom fonts", "/orgs/{organizationId}/fonts", "/orgs/{organizationId}/fonts/{fontId}"
	const files = "Files are uploaded before, with the kind customization_font. Every font needs the weight 400: 412 without it."
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listCustomFonts", Route: "GET " + route, Tag: tag, Allow: authz.Org(authz.ListFonts),
		Summary: "List the custom fonts of an organization, oldest first, all at once.",
	}, h.listFonts)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "createCustomFont", Route: "PUT " + route, Tag: tag, Allow: authz.Org(authz.ManageFonts), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Make a custom font, which sites of the organization can use.",
		About:   files + " An organization can have 100 fonts.",
	}, h.createFont)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getCustomFont", Route: "GET " + one, Tag: tag, Allow: authz.Org(authz.ListFonts),
		Summary: "Get a custom font.",
	}, h.getFont)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "updateCustomFont", Route: "POST " + one, Tag: tag, Allow: authz.Org(authz.ManageFonts), Status: 201,
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Change a custom font, also for the sites that use it.",
		About:   "Weights that are not named stay as they are. " + files,
	}, h.updateFont)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "deleteCustomFont", Route: "DELETE " + one, Tag: tag, Allow: authz.Org(authz.ManageFonts),
		Also:    []int{http.StatusPreconditionFailed},
		Summary: "Delete a custom font.",
		About:   "412 if a site uses it.",
	}, h.deleteFont)
	kernel.RegisterStream(h.Kernel, kernel.Op{
		ID: "downloadFont", Route: "GET /fonts/{organizationId}/{fontId}/{file}", Tag: tag, Allow: authz.Signed(), Signed: signedFont, Time: kernel.TransferTime,
		Sends:   []string{"font/woff2", "font/woff", "font/ttf", "font/otf"},
		Summary: "Download a file of a custom font from the address that the font has for it.",
	}, h.downloadFont)
}

// CustomFont is the JSON form of a custom font.
type CustomFont struct {
	customization.FontDefinition
	Permissions fontPermissions `json:"permissions"`
}

type fontPermissions struct {
	Edit bool `json:"edit"`
}

// font returns the JSON form of a font for a member. Its files have signed addresses like
// other files, so that members can see a font that no site uses.
func (h *handlers) font(g *authz.Grant, f docs.Font) CustomFont {
	expires := h.DownloadEnd()
	return CustomFont{sites.FontDefinition(f, func(face docs.FontFace) string {
		user := string(g.Actor.User)
		signature := h.Signer.Sign(expires, fontParts(string(f.Org), string(f.ID), face.File(), user)...)
		return h.Location("fonts", string(f.Org), string(f.ID), face.File()) + "?user=" + url.QueryEscape(user) + "&signature=" + signature
	}), fontPermissions{g.Can(authz.ManageFonts)}}
}

func fontParts(org, id, file, user string) []string { return []string{"font", org, id, file, user} }

func signedFont(r *http.Request) []string {
	return fontParts(r.PathValue("organizationId"), r.PathValue("fontId"), r.PathValue("file"), r.URL.Query().Get("user"))
}

func (h *handlers) listFonts(ctx context.Context, in *wire.OrgIn) (*kernel.Page[CustomFont], error) {
	all, err := h.Assets.Fonts(ctx, in.Org)
	items := make([]CustomFont, len(all))
	for i, f := range all {
		items[i] = h.font(authz.FromContext(ctx), f)
	}
	return kernel.Items(items), err
}

type createFontIn struct {
	wire.OrgIn
	Body struct {
		Family string `json:"fontFamily" minLength:"1" maxLength:"50"`
		Faces  []struct {
			Weight int            `json:"weight" minimum:"1" maximum:"1000"`
			Key    docs.UploadKey `json:"storageKey" minLength:"1" maxLength:"512"`
		} `json:"fontFaces" minItems:"1" maxItems:"20"`
	}
}

func (h *handlers) createFont(ctx context.Context, in *createFontIn) (*kernel.Created[CustomFont], error) {
	g, p := authz.FromContext(ctx), assets.FontPatch{Family: opt.Of(in.Body.Family)}
	for _, f := range in.Body.Faces {
		p.Faces = append(p.Faces, assets.FacePatch(f))
	}
	f, err := h.Assets.CreateFont(ctx, g, p)
	return kernel.Made(h.Location("orgs", string(in.Org), "fonts", string(f.ID)), h.font(g, f)), err
}

type fontIn struct {
	wire.OrgIn
	Font docs.FontID `path:"fontId"`
}

func (h *handlers) getFont(ctx context.Context, in *fontIn) (*kernel.Out[CustomFont], error) {
	f, err := h.Assets.Font(ctx, in.Org, in.Font)
	return kernel.OK(h.font(authz.FromContext(ctx), f)), err
}

type updateFontIn struct {
	wire.OrgIn
	Font docs.FontID `path:"fontId"`
	Body struct {
		Family opt.Val[string] `json:"fontFamily,omitempty" minLength:"1" maxLength:"50"`
		Faces  []struct {
			Weight int                     `json:"weight" minimum:"1" maximum:"1000"`
			Key    opt.Val[docs.UploadKey] `json:"storageKey" nullable:"true" minLength:"1" maxLength:"512" doc:"null removes the weight."`
		} `json:"fontFaces,omitempty" maxItems:"40"`
	}
}

func (h *handlers) updateFont(ctx context.Context, in *updateFontIn) (*kernel.Out[CustomFont], error) {
	b := in.Body
	if !b.Family.IsSet() && len(b.Faces) == 0 {
		return nil, errs.Field("", "must contain fontFamily or fontFaces")
	}
	g, p := authz.FromContext(ctx), assets.FontPatch{Family: b.Family}
	for _, f := range b.Faces {
		p.Faces = append(p.Faces, assets.FacePatch{Weight: f.Weight, Key: f.Key.Or("")})
	}
	f, err := h.Assets.UpdateFont(ctx, g, in.Font, p)
	return kernel.OK(h.font(g, f)), err
}

func (h *handlers) deleteFont(ctx context.Context, in *fontIn) (*kernel.Done, error) {
	return nil, h.Assets.DeleteFont(ctx, authz.FromContext(ctx), in.Font)
}

// downloadFontIn holds the parameters of an address that font returned.
type downloadFontIn struct {
	wire.OrgIn
	Font docs.FontID `path:"fontId"`
	File string      `path:"file"`
	User docs.UserID `query:"user" doc:"Member that the address was returned to; the file is there as long as the member can list fonts."`
	wire.SignedAddress
}

func (h *handlers) downloadFont(ctx context.Context, in *downloadFontIn) (kernel.Stream, error) {
	_, _, err := h.Guard.Org(ctx, authz.Actor{User: in.User}, authz.ListFonts, in.Org)
	if authz.Denied(err) {
		err = errs.Missing("font")
	}
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		face, o, err := h.Assets.OpenFont(r.Context(), in.Org, in.Font, in.File)
		if err != nil {
			return err
		}
		defer o.Close()
		blob.Serve(w, r, blob.Served{Name: in.File, ContentType: face.ContentType(), Hash: o.Info().Hash}, o)
		return nil
	}, nil
}
