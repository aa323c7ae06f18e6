package content

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) urls() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "getContentByUrl", Route: "GET /urls/content", Tag: "Published content", Allow: authz.SignedIn(docs.ScopeRead),
		Also:    []int{http.StatusNotFound},
		Summary: "Find the collection, space or page that an address leads to.",
		About: "The address is that of something in the application, such as `urls.app` of a space, or one of a published site. " +
			"404 if there is nothing that you can see, or no such page.",
	}, h.byURL)
}

// urlContent is the target of an address: a CollectionOfURL or a SpaceOfURL.
type urlContent struct{ v any }

func (c urlContent) MarshalJSON() ([]byte, error) { return json.Marshal(c.v) }

// Schema implements huma.SchemaProvider.
func (urlContent) Schema(r huma.Registry) *huma.Schema {
	return wire.OneOf(r, reflect.TypeFor[CollectionOfURL](), reflect.TypeFor[SpaceOfURL]())
}

// CollectionOfURL is the JSON form of a collection that an address leads to.
type CollectionOfURL struct {
	Collection wire.Collection `json:"collection"`
}

// SpaceOfURL is the JSON form of a space, change request or page that an address leads
// to.
type SpaceOfURL struct {
	Space         wire.Space          `json:"space"`
	ChangeRequest *wire.ChangeRequest `json:"changeRequest,omitempty" doc:"The change request that the address is in."`
	Page          *Page               `json:"page,omitempty" doc:"Absent if the address is that of the space."`
}

type byURLIn struct {
	URL string `query:"url" required:"true" minLength:"1" maxLength:"8192"`
}

func (h *handlers) byURL(ctx context.Context, in *byURLIn) (*kernel.Out[urlContent], error) {
	u, err := wire.WebAddress("query.url", in.URL)
	if err != nil {
		return nil, err
	}
	v, err := h.resolve(ctx, u)
	if authz.Denied(err) { // what the caller cannot see looks absent
		err = errs.E(errs.NotFound, "there is nothing at the address that you can see")
	}
	return kernel.OK(urlContent{v}), err
}

func (h *handlers) resolve(ctx context.Context, u *url.URL) (any, error) {
	actor := authz.FromContext(ctx).Actor
	parts, inside := h.appPath(u)
	switch {
	case inside && len(parts) == 4 && parts[0] == "o" && parts[2] == "c":
		g, err := h.Spaces.VisibleCollection(ctx, actor, docs.CollectionID(parts[3]))
		if err == nil && string(g.Collection.Org) != parts[1] {
			err = errs.Missing("collection")
		}
		if err != nil {
			return nil, err
		}
		return CollectionOfURL{h.Collection(authz.FromContext(ctx).Actor, g.Collection, g.Role)}, nil
	case inside && len(parts) >= 4 && parts[0] == "o" && parts[2] == "s":
		g, err := h.Spaces.VisibleSpace(ctx, actor, docs.SpaceID(parts[3]))
		if err == nil && string(g.Space.Org) != parts[1] {
			err = errs.Missing("space")
		}
		if err != nil {
			return nil, err
		}
		return h.inSpace(ctx, g, parts[4:])
	}
	return h.resolvePublished(ctx, u)
}

// appPath returns the segments of the path of an address, if the address belongs to the
// application.
func (h *handlers) appPath(u *url.URL) ([]string, bool) {
	base, err := url.Parse(h.BaseURL)
	if err != nil || !strings.EqualFold(base.Host, u.Host) {
		return nil, false
	}
	rest, ok := strings.CutPrefix(u.Path, base.Path+"/")
	return strings.Split(strings.Trim(rest, "/"), "/"), ok
}

// inSpace returns the target of a path inside of a space in the application.
func (h *handlers) inSpace(ctx context.Context, g *authz.Grant, path []string) (any, error) {
	w := SpaceOfURL{Space: h.Space(authz.FromContext(ctx).Actor, g.Space, g.Role)}
	rev := g.Space.Revision
	if len(path) >= 3 && path[0] == "~" && path[1] == "changes" { // as in requestURL
		cr, err := h.Reviews.ChangeRequest(ctx, g, path[2])
		if err != nil {
			return nil, err
		}
		shown, err := h.ChangeRequest(ctx, g, g.Space, cr)
		if err != nil {
			return nil, err
		}
		w.ChangeRequest, rev, path = &shown, cr.Revision, path[3:]
	}
	v, err := h.Content.Revision(ctx, g.Space, rev)
	if err != nil {
		return nil, err
	}
	w.Page, err = h.pageByURL(ctx, v, strings.Join(path, "/"))
	return w, err
}

// pageByURL returns the page of a space with a path or an id; nil for the empty path.
func (h *handlers) pageByURL(ctx context.Context, v *revision.View, path string) (*Page, error) {
	if path == "" {
		return nil, nil
	}
	p, err := v.ByPath(ctx, path)
	if errs.Is(err, errs.NotFound) && !strings.Contains(path, "/") {
		p, err = v.Page(ctx, docs.PageID(path))
	}
	if err != nil {
		return nil, err
	}
	if p.Type != docs.PageDocument && p.Type != docs.PageGroup {
		return nil, errs.Missing("page") // a link leads elsewhere
	}
	tree, err := v.Subtree(ctx, p)
	if err != nil {
		return nil, err
	}
	s, err := h.encoder(ctx, v, true, string(p.ID))
	if err != nil {
		return nil, err
	}
	page := s.page(tree)
	return &page, nil
}

// resolvePublished returns the target of an address of a site in one of the caller's
// own organizations.
func (h *handlers) resolvePublished(ctx context.Context, u *url.URL) (any, error) {
	actor := authz.FromContext(ctx).Actor
	site, rest, err := h.Audience.Find(ctx, u)
	if err != nil {
		return nil, err
	}
	onSite, err := h.Spaces.VisibleSite(ctx, actor, site)
	if err != nil {
		return nil, err
	}
	tree, err := h.Audience.PublicStructure(ctx, onSite.Site)
	if err != nil {
		return nil, err
	}
	target, ok := tree.Paths().Resolve(rest, site.Visibility == docs.VisibilityLink)
	if !ok || !site.Published {
		return nil, errs.Missing("published content")
	}
	g, err := h.Spaces.VisibleSpace(ctx, actor, target.Space.Space)
	if err != nil {
		return nil, err
	}
	path, err := url.PathUnescape(target.Rest)
	if err != nil {
		return nil, errs.Missing("page")
	}
	v, err := h.Content.Source.Head(ctx, g.Space)
	if err != nil {
		return nil, err
	}
	w := SpaceOfURL{Space: h.Space(authz.FromContext(ctx).Actor, g.Space, g.Role)}
	w.Page, err = h.pageByURL(ctx, v, path)
	return w, err
}
