package revision

import (
	"bytes"
	"hash/maphash"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
)

// PageCache keeps decoded pages. Revisions of a space have most pages in common, so
// one cache serves many of them. What its pages point to must not be changed.
type PageCache struct {
	pages *cache.Cache[pageKey, decodedPage]
	plain bool // only pages without pointers are kept, so that callers may change them
}

// pageKey names a state of a page by a hash of its encoding.
type pageKey struct {
	id  docs.PageID
	sum uint64
}

var pageSeed = maphash.MakeSeed()

// decodedPage is a page and the bytes that it was decoded from.
type decodedPage struct {
	from []byte
	page docs.Page
}

// pageOverhead is the approximate size of a decoded page in bytes, without its texts,
// which are about as long as its encoding.
const pageOverhead = 768

// NewPageCache returns a cache of about size bytes.
func NewPageCache(size int) *PageCache {
	return &PageCache{pages: cache.New[pageKey](size, func(p decodedPage) int { return 2*len(p.from) + pageOverhead })}
}

// newDraftPages returns a cache for drafts: an edit reads the old and the new page
// several times, and the next edit starts from that new page.
func newDraftPages() *PageCache {
	c := NewPageCache(maxDraftPages)
	c.plain = true
	return c
}

// page returns the page whose encoding is from.
func (c *PageCache) page(id docs.PageID, from []byte) (docs.Page, error) {
	if c == nil {
		return docs.DecodePage(string(id), from)
	}
	key := pageKey{id, maphash.Bytes(pageSeed, from)}
	if known, ok := c.pages.Get(key); ok && bytes.Equal(known.from, from) {
		return known.page, nil
	}
	p, err := docs.DecodePage(string(id), from)
	if err == nil && (!c.plain || isPlain(p)) {
		c.pages.Set(key, decodedPage{bytes.Clone(from), p}) // from is part of a larger object
	}
	return p, err
}

// keep caches a page that was just encoded, so that it need not be decoded. It keeps only pages
// that decoding would return unchanged: not those with fields that may be empty or nil, nor those
// with invalid UTF-8, which the encoding replaces.
func (c *PageCache) keep(p docs.Page, encoded []byte) {
	if c != nil && isPlain(p) && !bytes.Contains(encoded, []byte(`\ufffd`)) {
		c.pages.Set(pageKey{p.ID, maphash.Bytes(pageSeed, encoded)}, decodedPage{encoded, p})
	}
}

// isPlain reports whether a page has no pointers, maps or slices.
func isPlain(p docs.Page) bool {
	return p.Target == nil && p.Layout == nil && p.Cover == nil && p.Variables == nil && p.Tags == nil && p.MetaLinks == nil && p.Computed == nil
}

// Both decodes a page before and after a change. A nil encoding is the zero Page.
func (c *PageCache) Both(id docs.PageID, before, after []byte) (was, now docs.Page, err error) {
	if before != nil {
		was, err = c.page(id, before)
	}
	if after != nil && err == nil {
		now, err = c.page(id, after)
	}
	return was, now, err
}

// UsePageCache makes the tree use the shared cache of decoded pages.
func (t *Tree) UsePageCache() { t.Cache = t.src.s.pages }
