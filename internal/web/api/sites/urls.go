package sites

import (
	"context"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/visitor"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *readers) urls() {
	const tag = "Published content"
	kernel.Register(h.Kernel, kernel.Op{
		ID: "resolvePublishedContentByUrl", Route: "POST /urls/published", Tag: tag, Allow: authz.Public(), Status: 200,
		Also:    []int{http.StatusUnauthorized, http.StatusNotFound},
		Summary: "Find the content that an address of a published site leads to, and get a token to read it.",
		About: "Every prefix of an address leads to the same content, also if there is no such page. The answer is the content, or an address to go to instead: " +
			"the login page of a site whose visitors are authenticated, or the address under which the content is known. " +
			"With the token of a preview, in the address or as bearer, it is what the preview shows; ~/changes/NUMBER and ~/revisions/ID lead to what is not published, for a preview and for members who may make one.",
	}, h.resolvePublished)
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getPublishedContentByUrl", Route: "GET /urls/published", Tag: tag, Allow: authz.Public(), Deprecated: "resolvePublishedContentByUrl",
		Also:    []int{http.StatusUnauthorized, http.StatusNotFound},
		Summary: "Find the content that an address of a published site leads to.",
	}, h.getPublished)
}

// published is the encoded response of both operations: a PublishedSiteContent or a
// PublishedRedirect.
type published struct{ kernel.Encoded[any] }

func newPublished[T PublishedSiteContent | PublishedRedirect](v T) (*kernel.Out[published], error) {
	body, err := kernel.Encode[any](v)
	return kernel.OK(published{body}), err
}

// Schema implements huma.SchemaProvider.
func (published) Schema(r huma.Registry) *huma.Schema {
	return wire.OneOf(r, reflect.TypeFor[PublishedSiteContent](), reflect.TypeFor[PublishedRedirect]())
}

// PublishedSiteContent is the JSON form of the content that an address leads to.
type PublishedSiteContent struct {
	Organization string `json:"organization"`
	Site         string `json:"site"`
	SiteSection  string `json:"siteSection,omitempty"`
	SiteSpace    string `json:"siteSpace"`
	Space        string `json:"space"`
	Request      string `json:"changeRequest,omitempty" doc:"Id of the change request that the address is of (~/changes/)."`
	Revision     string `json:"revision,omitempty" doc:"Id of the revision that the address is of (~/revisions/)."`
	Pathname     string `json:"pathname" doc:"The rest of the path, not escaped: that of a page."`
	BasePath     string `json:"basePath" doc:"The path of the address of the space."`
	SiteBasePath string `json:"siteBasePath" doc:"The path of the address of the site."`
	APIToken     string `json:"apiToken" doc:"A token to read what the site shows to this visitor."`
	ShareKey     string `json:"shareKey,omitempty"`
	Complete     bool   `json:"complete" doc:"Whether any continuation of the address leads to the same space, and can be appended to pathname as it is."`
	ContextID    string `json:"contextId,omitempty" doc:"Changes when what is known of the visitor changes."`
	CanonicalURL string `json:"canonicalUrl"`
	Preview      bool   `json:"preview,omitempty" doc:"Whether the content is shown to whom a member made a preview for, and not to everybody."`
}

// PublishedRedirect is the JSON form of an address to which the client should redirect.
type PublishedRedirect struct {
	Target   string `json:"target" enum:"application,content,external"`
	Redirect string `json:"redirect" format:"uri"`
	Site     string `json:"site,omitempty"`
}

// Caller holds the credentials of the caller of an operation that needs no token.
type Caller struct {
	Authorization string `header:"Authorization" hidden:"true"`
}

type resolvePublishedIn struct {
	Caller
	Body resolvePublishedBody
}

// resolvePublishedBody accepts further fields, which renderers add to bypass caches.
type resolvePublishedBody struct {
	_               struct{} `json:"-" additionalProperties:"true"`
	URL             string   `json:"url" minLength:"1" maxLength:"8192"`
	RedirectOnError bool     `json:"redirectOnError,omitempty"`
	Visitor         *struct {
		_        struct{}       `json:"-" additionalProperties:"true"`
		Token    string         `json:"jwtToken,omitempty" maxLength:"16384"`
		Unsigned map[string]any `json:"unsignedClaims,omitempty"`
	} `json:"visitor,omitempty"`
}

func (h *readers) resolvePublished(ctx context.Context, in *resolvePublishedIn) (*kernel.Out[published], error) {
	arrival := audience.Visit{LoginOnError: in.Body.RedirectOnError}
	if v := in.Body.Visitor; v != nil {
		arrival.Token, arrival.Unsigned = v.Token, v.Unsigned
	}
	return h.resolve(ctx, in.Caller, "body.url", in.Body.URL, arrival)
}

type getPublishedIn struct {
	Caller
	URL             string `query:"url" required:"true" minLength:"1" maxLength:"8192"`
	Token           string `query:"visitorAuthToken" maxLength:"16384"`
	RedirectOnError bool   `query:"redirectOnError"`
}

func (h *readers) getPublished(ctx context.Context, in *getPublishedIn) (*kernel.Out[published], error) {
	return h.resolve(ctx, in.Caller, "query.url", in.URL, audience.Visit{Token: in.Token, LoginOnError: in.RedirectOnError})
}

func (h *readers) resolve(ctx context.Context, by Caller, field, address string, arrival audience.Visit) (*kernel.Out[published], error) {
	u, err := wire.WebAddress(field, address)
	if err != nil {
		return nil, err
	}
	arrival.URL, arrival.Preview = u, h.previewer(by, u)
	r, err := h.Audience.Resolve(ctx, arrival)
	if err != nil {
		return nil, err
	}
	if r.Redirect != "" {
		to := PublishedRedirect{Target: "content", Redirect: r.Redirect, Site: string(r.Site)}
		if r.Login {
			to.Target = "external"
		}
		return newPublished(to)
	}
	w := PublishedSiteContent{
		Organization: string(r.Visitor.Org), Site: string(r.Site), SiteSection: string(r.Target.Section.ID), SiteSpace: string(r.Target.Space.ID),
		Space: string(r.Target.Space.Space), Request: string(r.Visitor.Draft.Request), Revision: string(r.Visitor.Draft.Revision), Pathname: "/" + unescapedPath(r.Target.Rest), BasePath: r.Base, SiteBasePath: r.SiteBase, ShareKey: r.Target.ShareKey,
		ContextID: r.Context, CanonicalURL: r.Canonical, Preview: r.Visitor.Preview,
	}
	if w.Complete, err = h.complete(ctx, r); err != nil {
		return nil, err
	}
	if w.APIToken, err = h.Audience.Token(ctx, r); err != nil {
		return nil, err
	}
	return newPublished(w)
}

// complete reports whether a client may append any continuation of a resolved address to the
// answer. A client appends it as it is in the address, escaped, while the paths of pages are
// not. So where these can differ, a client has to resolve the whole address.
func (h *readers) complete(ctx context.Context, r *audience.Resolved) (bool, error) {
	if !r.Target.Complete {
		return false, nil
	}
	return h.Content.PlainPaths(ctx, r.Target.Space.Space)
}

// unescapedPath returns an escaped path as the paths of pages are: with unescaped segments.
// A segment that is not valid, or that would become several ones, stays as it is.
func unescapedPath(path string) string {
	parts := strings.Split(path, "/")
	for i, s := range parts {
		if plain, err := url.PathUnescape(s); err == nil && utf8.ValidString(plain) && !strings.Contains(plain, "/") {
			parts[i] = plain
		}
	}
	return strings.Join(parts, "/")
}

// previewer returns a function that identifies who previews a site: the bearer of a
// preview token, which is in the address or in the header, or a member who may create a
// preview. A token that is not valid counts as no token, because the address may be
// public. Without a token, previewer returns nil.
func (h *readers) previewer(by Caller, u *url.URL) audience.Previewer {
	header := by.Authorization
	if token := u.Query().Get("token"); visitor.IsToken(token) {
		header = "Bearer " + token
	}
	if header == "" {
		return nil
	}
	return func(ctx context.Context, site docs.Site, unpublished bool) (*authz.Visitor, error) {
		session, err := h.Guard.Authenticate(ctx, header, authz.FromContext(ctx).Actor.Origin())
		if errs.Is(err, errs.Unauthenticated) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if v := session.Actor.Visitor; v != nil {
			if !v.Preview || v.Site != site.ID {
				return nil, nil
			}
			return v, nil
		}
		if !unpublished {
			return nil, nil // a client may send its token with every address
		}
		path := map[string]string{"organizationId": string(site.Org), "siteId": string(site.ID)}
		g, err := h.Guard.Check(ctx, session, authz.Site(authz.SiteSecrets), func(name string) string { return path[name] }, h.Clock())
		if authz.Denied(err) || errs.Is(err, errs.Unauthenticated) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		v := h.Audience.PreviewBy(g)
		return &v, nil
	}
}
