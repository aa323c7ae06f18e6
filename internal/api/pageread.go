package api

import (
	"context"
	"net/http"
	"strconv"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/revision"
)

// Pages are what is read most, and a revision of one never changes: it is
// kept as it is sent.

// finder finds a page in a revision.
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

// The keys of finders.
func idKey(id string) string     { return "id:" + id }
func pathKey(path string) string { return "path:" + path }

// pageKey is what an encoded page depends on. A revision belongs to one
// space; the organization of the space is part of addresses. What git knows of
// a page, and where its repository is displayed, comes after the revision.
type pageKey struct {
	org     docs.OrgID
	rev     docs.RevisionID
	git     docs.Time
	page    string
	options PageOptions
	visitor string // the key of one; empty: a member
	stamp   string // of computed pages
}

func keyOf(sp docs.Space, rev docs.RevisionID, page string, o PageOptions, by *reading.Visitor) pageKey {
	k := pageKey{org: sp.Org, rev: rev, page: page, options: o, visitor: by.Key()}
	if sp.Git != nil {
		k.git = sp.Git.UpdatedAt
	}
	return k
}

// keptPage is a page as it is sent, with its headers as net/http has them.
type keptPage struct {
	data         []byte
	etag, length []string
}

func (k *keptPage) size() int { return len(k.data) + 512 }

// pageAnswer is a page that was encoded before it is sent.
type pageAnswer struct {
	ETag   string `header:"ETag" doc:"The revision, for If-Match."`
	Length string `header:"Content-Length" hidden:"true"`
	Body   encoded[Page]
}

func (k *keptPage) answer() *pageAnswer {
	return &pageAnswer{k.etag[0], k.length[0], encoded[Page]{k.data}}
}

func (a *API) pageOut(ctx context.Context, open opener, f finder, o PageOptions) (*pageAnswer, error) {
	v, err := a.opened(ctx, open, o.Flags)
	if err != nil {
		return nil, err
	}
	if o.Format == "" {
		o.Format = formatDocument
	}
	key := keyOf(v.Space, v.Rev.ID, f.key, o, v.Visitor())
	key.stamp = v.Stamp
	if k, ok := a.pageCache.Get(key); ok {
		return k.answer(), nil
	}
	p, err := f.find(ctx, v)
	if err != nil {
		return nil, err
	}
	w, err := a.pageOf(ctx, v, p, o)
	if err != nil {
		return nil, err
	}
	body, err := encode(w)
	if err != nil {
		return nil, err
	}
	k := &keptPage{body.data, []string{etag(v)}, []string{strconv.Itoa(len(body.data))}}
	a.pageCache.Set(key, k)
	return k.answer(), nil
}

// plainOptions are those of a request without a query.
var plainOptions = PageOptions{
	Flags:  Flags{Metadata: true, Computed: true},
	Format: formatDocument, Refs: "relative", Evaluated: "false", Dereferenced: "false",
}

// pageAgain answers with a page of the newest revision that is kept, if the
// request has no options. page returns the key of its finder.
func (a *API) pageAgain(page func(*http.Request) string) func(http.ResponseWriter, *http.Request, *authz.Grant) bool {
	return func(w http.ResponseWriter, r *http.Request, g *authz.Grant) bool {
		if r.URL.RawQuery != "" {
			return false
		}
		k, ok := a.pageCache.Get(keyOf(g.Space, g.Space.Revision, page(r), plainOptions, g.Visitor()))
		if !ok {
			return false
		}
		h := w.Header()
		h["Content-Type"], h["Etag"], h["Content-Length"] = jsonType, k.etag, k.length
		_, _ = w.Write(k.data) // a connection that is gone has nobody left to tell
		return true
	}
}

var jsonType = []string{"application/json"}
