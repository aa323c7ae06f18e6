package content

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

func (h *handlers) metaLinks() {
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listSpacePageMetaLinks", Route: "GET /spaces/{spaceId}/content/page/{pageId}/meta-links", Tag: "Content", Allow: authz.Space(authz.ReadContent),
		Summary: "Get the canonical address of a page and its alternates, for search engines.",
		About: "They are those of the front matter (metaLinks). Alternates are also the pages at the same path of variants in other languages, " +
			"where the space is on a published site.",
	}, func(ctx context.Context, in *spacePageIn) (*kernel.Out[MetaLinks], error) {
		return h.metaLinksOut(ctx, h.Head, in.Page)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listRevisionPageMetaLinks", Route: "GET /spaces/{spaceId}/revisions/{revisionId}/page/{pageId}/meta-links", Tag: "Revisions", Allow: authz.Space(authz.ReadContent),
		Summary: "Get the canonical address of a page of a revision and its alternates.",
	}, func(ctx context.Context, in *revisionMetaLinksIn) (*kernel.Out[MetaLinks], error) {
		return h.metaLinksOut(ctx, h.at(in.Revision), in.Page)
	})
	kernel.Register(h.Kernel, kernel.Op{
		ID: "listChangeRequestPageMetaLinks", Route: "GET /spaces/{spaceId}/change-requests/{changeRequestId}/content/page/{pageId}/meta-links", Tag: "Change requests",
		Allow:   authz.Space(authz.ViewSpace),
		Summary: "Get the canonical address of a page of a change request and its alternates.",
	}, func(ctx context.Context, in *requestMetaLinksIn) (*kernel.Out[MetaLinks], error) {
		return h.metaLinksOut(ctx, h.request(in.Request), in.Page)
	})
}

type spacePageIn struct {
	wire.SpaceIn
	Page docs.PageID `path:"pageId"`
}

type revisionMetaLinksIn struct {
	RevisionIn
	Page docs.PageID `path:"pageId"`
}

type requestMetaLinksIn struct {
	wire.RequestIn
	Page docs.PageID `path:"pageId"`
}

// MetaLinks is the JSON form of the canonical address of a page and its alternates.
type MetaLinks struct {
	Canonical  *docs.Ref  `json:"canonical,omitempty" doc:"A page or an address."`
	Alternates []docs.Ref `json:"alternates" doc:"Pages or addresses."`
}

func (h *handlers) metaLinksOut(ctx context.Context, open wire.Opener, id docs.PageID) (*kernel.Out[MetaLinks], error) {
	v, err := h.opened(ctx, open, Flags{Computed: true})
	if err != nil {
		return nil, err
	}
	p, err := v.Page(ctx, id)
	if err != nil {
		return nil, err
	}
	w := MetaLinks{Alternates: []docs.Ref{}}
	add := func(ref *docs.Ref) {
		if ref != nil && !slices.Contains(w.Alternates, *ref) {
			w.Alternates = append(w.Alternates, *ref)
		}
	}
	if p.MetaLinks != nil {
		if w.Canonical, err = h.metaLink(ctx, v, p, p.MetaLinks.Canonical); err != nil {
			return nil, err
		}
		for _, dest := range p.MetaLinks.Alternates[:min(len(p.MetaLinks.Alternates), maxAlternates)] {
			ref, err := h.metaLink(ctx, v, p, dest)
			if err != nil {
				return nil, err
			}
			add(ref)
		}
	}
	others, err := h.Audience.Translations(ctx, authz.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	for _, sp := range others {
		ref, err := h.samePage(ctx, v, p, sp)
		if err != nil {
			return nil, err
		}
		add(ref)
	}
	return kernel.OK(w), nil
}

// maxAlternates is the maximum number of alternates in front matter that are resolved.
const maxAlternates = 100

// metaLink resolves a destination in the front matter of a page. It returns nil if the
// destination is neither a web address nor a page that the caller can see.
func (h *handlers) metaLink(ctx context.Context, v *revision.View, p docs.Page, dest string) (*docs.Ref, error) {
	file, err := v.FileOf(ctx, p)
	if err != nil || dest == "" {
		return nil, err
	}
	l := v.Linker(ctx, file)
	ref, ok := l.Current(dest, markup.UseLink)
	switch {
	case l.Err != nil:
		return nil, l.Err
	case ok && ref.Space != "":
		return h.elsewhere(ctx, ref)
	case ok && ref.Page != "":
		_, ok, err := v.Lookup(ctx, docs.PageID(ref.Page)) // a file name can also name a page that is hidden from the visitor
		if err != nil || !ok {
			return nil, err
		}
		return &docs.Ref{Kind: docs.RefPage, Page: ref.Page}, nil
	case ok: // an anchor in the page, or a file
		return nil, nil
	}
	at, ok := markup.SafeURL(dest)
	if !ok || !strings.HasPrefix(at, "https://") && !strings.HasPrefix(at, "http://") {
		return nil, nil
	}
	return &docs.Ref{Kind: docs.RefURL, URL: at}, nil
}

// elsewhere resolves a reference to a page of another space, or to the first page of the
// space if it names no page. It returns nil if the caller cannot see the page.
func (h *handlers) elsewhere(ctx context.Context, ref docs.Ref) (*docs.Ref, error) {
	g := authz.FromContext(ctx)
	sp, err := h.Guard.Readable(ctx, g, docs.SpaceID(ref.Space))
	if authz.Denied(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	v, err := h.Content.Source.Head(ctx, sp)
	if err != nil {
		return nil, err
	}
	if v, err = h.Content.WithComputedPages(ctx, wire.AsSeen(g, v)); err != nil {
		return nil, err
	}
	page, ok, err := v.Home(ctx)
	if ref.Page != "" {
		page, ok, err = v.Lookup(ctx, docs.PageID(ref.Page))
	}
	if err != nil || !ok {
		return nil, err
	}
	return &docs.Ref{Kind: docs.RefPage, Space: ref.Space, Page: string(page.ID)}, nil
}

// samePage returns the page of another variant at the same path as p; nil if there is
// none. The first pages of two variants correspond to each other, regardless of their
// paths.
func (h *handlers) samePage(ctx context.Context, v *revision.View, p docs.Page, sp docs.Space) (*docs.Ref, error) {
	other, err := h.Content.Source.Head(ctx, sp)
	if err != nil {
		return nil, err
	}
	other, err = h.Content.WithComputedPages(ctx, wire.AsSeen(authz.FromContext(ctx), other))
	if err != nil {
		return nil, err
	}
	home, _, err := v.Home(ctx)
	if err != nil {
		return nil, err
	}
	page, ok := docs.Page{}, true
	if p.ID == home.ID {
		page, ok, err = other.Home(ctx)
	} else {
		var path string
		if path, err = v.Path(ctx, p); err == nil {
			page, err = other.ByPath(ctx, path)
		}
		if errs.Is(err, errs.NotFound) {
			ok, err = false, nil
		}
	}
	if err != nil || !ok || page.Type != docs.PageDocument {
		return nil, err
	}
	return &docs.Ref{Kind: docs.RefPage, Space: string(sp.ID), Page: string(page.ID)}, nil
}
