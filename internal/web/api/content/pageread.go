package content

import (
	"context"
	"net/http"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// Pages are the most frequently read resources, and a page of a revision never changes.
// So they are cached in encoded form.

// finder finds a page in a revision. key identifies the page in the cache.
type finder struct {
	key  string
	find func(ctx context.Context, v *revision.View) (docs.Page, error)
}

func byID(id docs.PageID) finder {
	return finder{idKey(string(id)), func(ctx context.Context, v *revision.View) (docs.Page, error) { return v.Page(ctx, id) }}
}

func byPath(path string) finder {
	return finder{pathKey(path), func(ctx context.Context, v *revision.View) (docs.Page, error) {
		p, err := v.ByPath(ctx, path)
		if err == nil && !p.HasPath() {
			err = errs.Missing("page")
		}
		return p, err
	}}
}

// idKey and pathKey return the keys of finders.
func idKey(id string) string     { return "id:" + id }
func pathKey(path string) string { return "path:" + path }

// pageKey is the cache key of an encoded page: everything that its JSON depends on. A
// revision belongs to one space, but the organization of the space is part of addresses.
// The git information of a page, and the address of its repository, can change after the
// revision was created.
type pageKey struct {
	org     docs.OrgID
	rev     docs.RevisionID
	git     docs.Time
	page    string
	options PageOptions
	visitor string // key of the visitor; empty for members
	stamp   string // identifies the computed pages
}

func keyOf(sp docs.Space, rev docs.RevisionID, page string, o PageOptions, by *reading.Visitor) pageKey {
	k := pageKey{org: sp.Org, rev: rev, page: page, options: o, visitor: by.Key()}
	if sp.Git != nil {
		k.git = sp.Git.UpdatedAt
	}
	return k
}

// cachedPage is an encoded page, with its headers in the form of http.Header.
type cachedPage struct {
	data         []byte
	etag, length []string
}

func (k *cachedPage) size() int { return len(k.data) + 512 }

// pageOutput is the output of operations that return an encoded page.
type pageOutput struct {
	ETag   string `header:"ETag" doc:"The revision, for If-Match."`
	Length string `header:"Content-Length" hidden:"true"`
	Body   kernel.Encoded[Page]
}

func (k *cachedPage) output() *pageOutput {
	return &pageOutput{k.etag[0], k.length[0], kernel.Encoded[Page]{Data: k.data}}
}

func (h *handlers) pageOut(ctx context.Context, open wire.Opener, f finder, o PageOptions) (*pageOutput, error) {
	v, err := h.opened(ctx, open, o.Flags)
	if err != nil {
		return nil, err
	}
	if o.Format == "" {
		o.Format = formatDocument
	}
	key := keyOf(v.Space, v.Rev.ID, f.key, o, v.Visitor())
	key.stamp = v.Stamp
	if k, ok := h.pageCache.Get(key); ok {
		return k.output(), nil
	}
	p, err := f.find(ctx, v)
	if err != nil {
		return nil, err
	}
	w, err := h.pageOf(ctx, v, p, o)
	if err != nil {
		return nil, err
	}
	body, err := kernel.Encode(w)
	if err != nil {
		return nil, err
	}
	k := &cachedPage{body.Data, []string{etag(v)}, []string{strconv.Itoa(len(body.Data))}}
	if v.Visitor().Kept() {
		h.pageCache.Set(key, k)
	}
	return k.output(), nil
}

// plainOptions are the options of a request without query parameters.
var plainOptions = PageOptions{
	Flags:  Flags{Metadata: true, Computed: true},
	Format: formatDocument, Refs: "relative", Evaluated: "false", Dereferenced: "false",
}

// cachedPage returns a function for Op.Cached. It sends a cached page of the newest
// revision, if the request has no query parameters. page returns the key of the finder.
func (h *handlers) cachedPage(page func(*http.Request) string) func(http.ResponseWriter, *http.Request, *authz.Grant) bool {
	return func(w http.ResponseWriter, r *http.Request, g *authz.Grant) bool {
		if r.URL.RawQuery != "" {
			return false
		}
		k, ok := h.pageCache.Get(keyOf(g.Space, g.Space.Revision, page(r), plainOptions, g.Visitor()))
		if !ok {
			return false
		}
		h := w.Header()
		h["Content-Type"], h["Etag"], h["Content-Length"] = jsonType, k.etag, k.length
		_, _ = w.Write(k.data) // an error means that the client closed the connection
		return true
	}
}

var jsonType = []string{"application/json"}
