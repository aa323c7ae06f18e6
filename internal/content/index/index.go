// Package index derives links and search from revisions. The index is stored for
// the newest revision of each space, in layers that copies of a space share.
//
// A Change is computed from a draft before the transaction that writes it.
// Queries on other revisions use the stored index and the differences from the
// newest revision. The whole index can be rebuilt, and verified against the
// content.
//
// Where a change goes:
//   - what of a page is found: index.go; its links: links.go and used.go
//   - how it is written: prepare.go, bulk.go for whole spaces; the rows of words and their
//     segments: package searchrows of store
//   - how it is searched: search.go; rebuilt and verified: rebuild.go, verify.go
package index

import (
	"context"
	"log/slog"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/search"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// indexer computes the entries of pages and reusable contents that change between
// two revisions, so its cost depends on the change and not on the space.
type indexer struct {
	r      store.Reader // reads the stored index; unset if only pages are read
	space  docs.Space
	tree   *revision.Tree
	parsed map[chunk.Hash]*markup.Document
	ready  map[docs.PageID]Entry
}

// Entry is the entry of a page in the index.
type Entry struct {
	search searchrows.Page
	links  store.LayerPage
}

// Size returns the approximate size of the entry in bytes.
func (is Entry) Size() int { return is.search.Size() + is.links.Size() }

// delta is a change of content as far as it concerns the index.
type delta struct {
	pages   map[docs.PageID]bool     // to be indexed again; false: deleted
	reuse   map[docs.ReusableID]bool // like pages
	targets map[string]bool          // ids that were deleted or moved, or files that changed
	names   map[string]bool          // last parts of new paths
	moved   []docs.PageID            // pages whose address changed
	docs    []store.StoredDocument
	count   int
	came    int64 // number of new pages minus that of deleted ones
	files   int64 // bytes of new files
	decoded *revision.PageCache
}

// newDelta returns the changes from an earlier tree to t.
func newDelta(ctx context.Context, t *revision.Tree, from chunk.Hash) (*delta, error) {
	d := emptyDelta()
	return d, t.Diff(ctx, from, t.Root, d.key)
}

// draftDelta returns the changes of a draft.
func draftDelta(ctx context.Context, draft *revision.Draft) (*delta, error) {
	d := emptyDelta()
	d.decoded = draft.Cache
	return d, draft.Changes(ctx, d.key)
}

func emptyDelta() *delta {
	return &delta{
		pages: map[docs.PageID]bool{}, reuse: map[docs.ReusableID]bool{}, targets: map[string]bool{}, names: map[string]bool{},
	}
}

// key adds the change of a key of the tree.
func (d *delta) key(key string, before, after []byte) error {
	switch kind, id := revision.SplitKey(key); kind {
	case revision.KeyPage:
		return d.page(id, before, after)
	case revision.KeyFile:
		return d.file(id, before, after)
	case revision.KeyReusable:
		return d.reusable(id, before, after)
	case revision.KeyRedirect, revision.KeyVariable, revision.KeySetting:
		d.count++
	}
	return nil
}

func (d *delta) page(id string, before, after []byte) error {
	was, now, err := d.decoded.Both(docs.PageID(id), before, after)
	if err != nil {
		return err
	}
	d.count++
	pid := docs.PageID(id)
	switch {
	case after == nil:
		d.pages[pid] = false
		d.targets[id] = true
		d.came--
	case before == nil:
		d.pages[pid] = true
		d.came++
	case was.Body != now.Body || was.Sidecar != now.Sidecar || was.Title != now.Title || was.Hidden != now.Hidden ||
		was.NoIndex != now.NoIndex || was.Type != now.Type || was.Description != now.Description ||
		!revision.SameRef(was.Target, now.Target) || !sameCover(was.Cover, now.Cover):
		d.pages[pid] = true
	}
	if after != nil && (before == nil || was.Slug != now.Slug || was.Parent != now.Parent || was.File != now.File) {
		d.name(now.Slug)
		d.name(now.File)
		if before != nil {
			d.targets[id] = true
			d.moved = append(d.moved, pid)
		}
	}
	if was.Body != now.Body || was.Sidecar != now.Sidecar {
		// The old document is stored already, but not for a copy of the space.
		d.document(id, was.Body, was.Sidecar)
		d.document(id, now.Body, now.Sidecar)
	}
	return nil
}

// document adds the document with a source and a sidecar, so that it can be found
// by its id.
func (d *delta) document(owner string, body, sd chunk.Hash) {
	if body != "" {
		d.docs = append(d.docs, store.StoredDocument{ID: revision.DocumentIDOf(owner, body, sd), Page: owner, Body: body, Sidecar: sd})
	}
}

func sameCover(a, b *docs.PageCover) bool {
	return (a == nil) == (b == nil) && (a == nil || revision.SameRef(a.Ref, b.Ref) && revision.SameRef(a.RefDark, b.RefDark))
}

// name adds the last part of a path that is new.
func (d *delta) name(p string) {
	if p == "" {
		return
	}
	d.names[lastPart(p)] = true
	if dir, landing := folder.FolderOf(p); landing {
		d.names[lastPart(dir)] = true
	}
	d.names["index"] = true // folder/index.md may lead to the page of the folder
}

// lastPart returns the last part of a path, which all paths of the same page have
// in common: README.md is the page of its folder.
func lastPart(p string) string {
	p = strings.TrimSuffix(strings.Trim(p, "/"), ".md")
	p = strings.TrimSuffix(p, "/README")
	return strings.ToLower(path.Base(p))
}

func (d *delta) file(id string, before, after []byte) error {
	d.count++
	if after == nil || before != nil {
		d.targets[id] = true
	}
	if after != nil {
		f, err := revision.DecodeFile(id, after)
		if err != nil {
			return err
		}
		d.name(f.Path)
		var was docs.File
		if before != nil {
			if was, err = revision.DecodeFile(id, before); err != nil {
				return err
			}
		}
		if was.Blob != f.Blob {
			d.files += f.Size
		}
	}
	return nil
}

func (d *delta) reusable(id string, before, after []byte) error {
	d.count++
	d.reuse[docs.ReusableID(id)] = after != nil
	var was, now docs.Reusable
	var err error
	if before != nil {
		if was, err = revision.DecodeReusable(id, before); err != nil {
			return err
		}
		d.document(id, was.Body, was.Sidecar)
	}
	if after == nil {
		d.targets[id] = true
		return nil
	}
	if now, err = revision.DecodeReusable(id, after); err != nil {
		return err
	}
	d.name(now.File)
	if was.Body != now.Body || was.Sidecar != now.Sidecar {
		d.document(id, now.Body, now.Sidecar)
	}
	return nil
}

// affected adds the unchanged pages whose entries change: those that include a
// changed reusable content, and those with a path to something that was added,
// deleted or moved, unless the target of the path is in their sidecar.
func (ix *indexer) affected(ctx context.Context, dl *delta) error {
	if len(dl.reuse)+len(dl.targets)+len(dl.names)+len(dl.moved) == 0 {
		return nil // no page depends on the text of another one
	}
	empty, err := ix.isNew(ctx)
	if err != nil || empty {
		return err // nothing was indexed before
	}
	again := map[string]bool{}
	collect := func(ids []string, err error) error {
		for _, id := range ids {
			again[id] = true
		}
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(dl.reuse)) {
		if err := ix.including(ctx, string(id), again, 0); err != nil {
			return err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(dl.targets)) {
		if err := collect(ix.r.LoosePages(ctx, ix.space.Layer, id)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dl.names)) {
		if err := collect(ix.r.UnresolvedPages(ctx, ix.space.Layer, name)); err != nil {
			return err
		}
	}
	if err := ix.below(ctx, dl.moved, again); err != nil {
		return err
	}
	for id := range again {
		if _, known := dl.pages[docs.PageID(id)]; known {
			continue
		}
		if _, err := ix.tree.Reusable(ctx, docs.ReusableID(id)); err == nil {
			dl.reuse[docs.ReusableID(id)] = true
		} else if !errs.Is(err, errs.NotFound) {
			return err
		} else {
			dl.pages[docs.PageID(id)] = true
		}
	}
	return nil
}

func (ix *indexer) isNew(ctx context.Context) (bool, error) {
	l, err := ix.r.Layer(ctx, ix.space.Layer)
	if errs.Is(err, errs.NotFound) {
		return true, nil // the space is being created
	}
	if err != nil || l.Parent != "" {
		return false, err
	}
	return ix.r.LayerIsEmpty(ctx, ix.space.Layer)
}

// including collects the pages and reusable contents that include a reusable
// content, directly or through another one.
func (ix *indexer) including(ctx context.Context, id string, into map[string]bool, depth int) error {
	if depth > maxIncludes {
		return nil
	}
	all, _, err := ix.r.Backlinks(ctx, ix.space.Layer, [2]string{markup.RefReusable, markup.RefReusable}, "", id, store.Page{Limit: 1 << 20})
	if err != nil {
		return err
	}
	for _, page := range all {
		if into[page] {
			continue
		}
		into[page] = true
		if err := ix.including(ctx, page, into, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// maxIncludes is the maximum depth of nested reusable contents.
const maxIncludes = 8

// below adds the pages at or below a moved one that have loose or unresolved
// references, because their paths are now relative to another place.
func (ix *indexer) below(ctx context.Context, moved []docs.PageID, into map[string]bool) error {
	if len(moved) == 0 {
		return nil
	}
	loose, err := ix.r.LoosePages(ctx, ix.space.Layer, "")
	if err != nil {
		return err
	}
	unresolved, err := ix.r.UnresolvedPages(ctx, ix.space.Layer, "")
	if err != nil {
		return err
	}
	loose = append(loose, unresolved...)
	for _, id := range loose {
		p, ok, err := ix.tree.Lookup(ctx, docs.PageID(id))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		up, err := ix.tree.Ancestors(ctx, p)
		if err != nil {
			return err
		}
		for _, a := range append(up, p) {
			if slices.Contains(moved, a.ID) {
				into[id] = true
			}
		}
	}
	return nil
}

// links returns the links of a page and its document with included contents, or
// nil if it has no document.
func (ix *indexer) links(ctx context.Context, p docs.Page) (store.LayerPage, *markup.Document, error) {
	lp := store.LayerPage{ID: string(p.ID)}
	add := func(ref *markup.Ref, hard bool) {
		if ref != nil {
			lp.Links = append(lp.Links, LinkOf(string(p.ID), markup.Reference{Ref: *ref, Text: p.Title, Depends: hard}))
		}
	}
	add(p.Target, false)
	if p.Cover != nil {
		add(p.Cover.Ref, true)
		add(p.Cover.RefDark, true)
	}
	if p.Type != docs.PageDocument {
		return lp, nil, nil
	}
	doc, loose, err := ix.document(ctx, p)
	if err != nil {
		return lp, nil, err
	}
	file, err := ix.tree.FileOf(ctx, p)
	if err != nil {
		return lp, nil, err
	}
	for _, ref := range markup.References(doc) {
		lp.Links = append(lp.Links, unresolvedFrom(file, loosely(LinkOf(string(p.ID), ref), ref.Ref, loose)))
	}
	whole, err := ix.tree.WithIncludes(ctx, doc)
	if err != nil {
		return lp, nil, err
	}
	lp.Anchors = append(markup.Anchors(whole), markup.Slug(p.Title))
	return lp, whole, nil
}

// page returns the entry of a page.
func (ix *indexer) page(ctx context.Context, p docs.Page) (searchrows.Page, store.LayerPage, error) {
	sp := searchrows.Page{Page: string(p.ID), Title: markup.Unconditional(p.Title), Language: ix.space.Language, Hidden: p.Hidden || p.NoIndex}
	lp, whole, err := ix.links(ctx, p)
	if err != nil || whole == nil {
		return sp, lp, err
	}
	sp.Sections = sectionsOf(p, whole)
	return sp, lp, nil
}

// sectionsOf returns the text of a page as it is searched: its description, and
// the sections of its document.
func sectionsOf(p docs.Page, whole *markup.Document) (out []search.Section) {
	if p.Description != "" {
		out = append(out, search.Section{Body: p.Description})
	}
	for _, sec := range markup.Sections(whole) {
		if sec.Anchor == "" && len(out) == 1 {
			out[0].Body = strings.TrimSpace(out[0].Body + "\n" + sec.Body)
			continue
		}
		out = append(out, search.Section{Anchor: sec.Anchor, Title: sec.Title, Body: sec.Body})
	}
	return out
}

// document returns the blocks of a page, and its loose references.
func (ix *indexer) document(ctx context.Context, p docs.Page) (*markup.Document, map[markup.Ref]bool, error) {
	if doc := ix.parsed[revision.DocKey(p.Body, p.Sidecar)]; doc != nil {
		return doc, nil, nil
	}
	x, err := ix.tree.PageText(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	return ix.read(ctx, x)
}

func (ix *indexer) read(ctx context.Context, x revision.Text) (*markup.Document, map[markup.Ref]bool, error) {
	body, s, err := ix.tree.Body(ctx, x)
	if err != nil {
		return nil, nil, err
	}
	loose := map[markup.Ref]bool{}
	doc, err := ix.tree.ParseLoose(ctx, body, x.File, s, loose)
	return doc, loose, err
}

// reusable returns the links of a reusable content. Its words are indexed with the
// pages that include it.
func (ix *indexer) reusable(ctx context.Context, r docs.Reusable) (store.LayerPage, error) {
	lp := store.LayerPage{ID: string(r.ID)}
	doc, loose, err := ix.read(ctx, revision.ReusableText(r))
	if err != nil {
		return lp, err
	}
	for _, ref := range markup.References(doc) {
		lp.Links = append(lp.Links, unresolvedFrom(r.File, loosely(LinkOf(string(r.ID), ref), ref.Ref, loose)))
	}
	whole, err := ix.tree.WithIncludes(ctx, doc)
	if err == nil {
		lp.Anchors = markup.Anchors(whole)
	}
	return lp, err
}

// maxLabel is the maximum length of the stored text of a link, in characters.
const maxLabel = 200

// LinkOf returns the row of a reference.
func LinkOf(owner string, r markup.Reference) store.Link {
	l := store.Link{Page: owner, Kind: r.Ref.Kind, Space: docs.SpaceID(r.Ref.Space), Node: r.Node, Hard: r.Depends, Label: strings.Clone(cutLabel(r.Text))}
	switch r.Ref.Kind {
	case markup.RefPage:
		l.Target = r.Ref.Page
	case markup.RefAnchor:
		l.Target, l.Anchor = r.Ref.Page, cutLabel(r.Ref.Anchor)
		if l.Target == "" {
			l.Target = owner
		}
	case markup.RefFile:
		l.Target = r.Ref.File
	case markup.RefReusable:
		l.Target = r.Ref.ReusableContent
	case markup.RefSpace:
		l.Target = r.Ref.Space
	case markup.RefCollection:
		l.Target = r.Ref.Collection
	case markup.RefUser:
		l.Target = r.Ref.User
	case markup.RefOpenAPI:
		l.Target = r.Ref.Spec
	case markup.RefTag:
		l.Target = r.Ref.Tag
	default:
		l.Target = cutTarget(strings.Clone(r.Ref.URL)) // the URL shares memory with the source
		if isRelative(r.Ref.URL) || r.Ref.URL == "" {  // a path that was not resolved
			where, _, _ := strings.Cut(r.Ref.URL, "#")
			l.Kind, l.Anchor = store.Unresolved, cutLabel(lastPart(where))
		}
	}
	return l
}

// loosely sets Loose if the reference of the link is loose: resolved by its path
// alone.
func loosely(l store.Link, ref markup.Ref, loose map[markup.Ref]bool) store.Link {
	own := ref.Kind == markup.RefAnchor && ref.Page == ""
	l.Loose = loose[ref] && ref.Space == "" && !own && ref.Kind != markup.RefSpace && ref.Kind != markup.RefCollection &&
		ref.Kind != markup.RefUser && ref.Kind != markup.RefOpenAPI
	return l
}

// unresolvedFrom makes the target of an unresolved link relative to the root of the
// folder, so that the same path in two folders is two targets.
func unresolvedFrom(file string, l store.Link) store.Link {
	if l.Kind == store.Unresolved && l.Target != "" && !strings.HasPrefix(l.Target, "/") {
		where, anchor, has := strings.Cut(l.Target, "#")
		l.Target = path.Join(path.Dir(file), where)
		l.Anchor = cutLabel(lastPart(l.Target)) // of ../README.md it is the folder
		if has {
			l.Target += "#" + anchor
		}
		l.Target = cutTarget(l.Target)
	}
	return l
}

// maxTarget is the maximum length of a stored address, in bytes: databases limit
// the size of a key.
const maxTarget = 900

// cutTarget shortens a longer address. A hash of the address keeps it unique.
func cutTarget(s string) string {
	if len(s) <= maxTarget {
		return s
	}
	return strings.ToValidUTF8(s[:maxTarget], "") + "…" + string(chunk.Sum([]byte(s)))
}

// isRelative reports whether an address is a path, without a scheme or a host.
func isRelative(u string) bool {
	where, _, _ := strings.Cut(u, "#")
	return where != "" && !strings.HasPrefix(where, "//") && !strings.Contains(where, ":")
}

// cutLabel returns the beginning of a text that is too long for a label.
func cutLabel(s string) string { return docs.FirstRunes(s, maxLabel) }

// Index is the index of links and search of all spaces.
type Index struct {
	Store  *store.Store
	Source *revision.Source
	Blobs  blob.Store
	Log    *slog.Logger
	// Prose reports whether a reusable content is the prose of an operation, which computed
	// pages include, and whether the visitor of a view sees such a page. It may be nil.
	Prose func(ctx context.Context, v *revision.View, r docs.Reusable) (is, shown bool, err error)

	reports  *cache.Cache[docs.RevisionID, *linkReport]
	relinked *cache.Cache[twoTrees, *relinked]
	places   *cache.Cache[string, place]
	used     *cache.Cache[usedKey, bool]
}

// The maximum sizes of caches, in bytes. A change request with 180,000 links, which
// take seconds to compute, fits.
const (
	maxReports  = 48 << 20
	maxRelinked = 48 << 20
)

// NewIndex returns an index over a store.
func NewIndex(x Index) *Index {
	x.reports = cache.New[docs.RevisionID](maxReports, (*linkReport).size)
	x.relinked = cache.New[twoTrees](maxRelinked, (*relinked).size)
	x.places = cache.New[string](maxPlaces, func(p place) int { return p.size + 256 })
	x.used = cache.New[usedKey](maxUsed, func(bool) int { return 1 })
	return &x
}

// entry returns the entry of a page, analysed for search.
func (ix *indexer) entry(ctx context.Context, p docs.Page) (is Entry, err error) {
	if is.search, is.links, err = ix.page(ctx, p); err == nil {
		is.search = is.search.Analysed()
	}
	return is, err
}

// PageEntry returns the entry of a page of a draft whose document has just been
// composed.
func PageEntry(ctx context.Context, t *revision.Tree, sp docs.Space, p docs.Page, doc *markup.Document) (Entry, error) {
	ix := &indexer{space: sp, tree: t, parsed: map[chunk.Hash]*markup.Document{revision.DocKey(p.Body, p.Sidecar): doc}}
	return ix.entry(ctx, p)
}
