package revision

import (
	"bytes"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
)

// PageCache keeps decoded pages. Revisions of a space have most pages in common, so
// one cache serves many of them. What its pages point to must not be changed.
type PageCache struct {
	pages *cache.Cache[docs.PageID, decodedPage]
}

// decodedPage is a page and the bytes that it was decoded from.
type decodedPage struct {
	from []byte
	page docs.Page
}

// pageOverhead is about what a decoded page takes beside its texts, which are about as
// long as its encoding.
const pageOverhead = 768

// NewPageCache returns a cache of about so many bytes.
func NewPageCache(size int) *PageCache {
	return &PageCache{cache.New[docs.PageID](size, func(p decodedPage) int { return 2*len(p.from) + pageOverhead })}
}

// page returns the page that the bytes are the encoding of.
func (c *PageCache) page(id docs.PageID, from []byte) (docs.Page, error) {
	if c == nil {
		return docs.DecodePage(string(id), from)
	}
	if known, ok := c.pages.Get(id); ok && bytes.Equal(known.from, from) {
		return known.page, nil
	}
	p, err := docs.DecodePage(string(id), from)
	if err == nil {
		c.pages.Set(id, decodedPage{bytes.Clone(from), p}) // from is part of a larger object
	}
	return p, err
}

// KeepPages makes the tree use the pages that others decoded.
func (t *Tree) KeepPages() { t.Cache = t.src.s.pages }
