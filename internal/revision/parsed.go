package revision

import (
	"bytes"
	"context"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/markup"
)

// parsedCache keeps the blocks of texts that were written last. What an edit finds
// is what the edit before it has written, so most edits parse one text instead of two.
// The blocks that are kept must not be changed.
type parsedCache struct {
	texts *cache.Cache[textKey, parsedText]
}

// textKey names a text by its source and its sidecar.
type textKey struct{ body, side chunk.Hash }

// parsedText is what a text was parsed to. That depends on the text and on what its
// destinations name, which changes with the tree.
type parsedText struct {
	doc   *markup.Document
	asked []answer
	size  int
}

// answer is what a destination was found to name.
type answer struct {
	dest string
	use  markup.Use
	ref  markup.Ref
	ok   bool
}

// maxParsed bounds what is kept of parsed texts, in bytes.
const maxParsed = 24 << 20

func newParsedCache() *parsedCache {
	return &parsedCache{cache.New[textKey](maxParsed, func(p parsedText) int { return p.size })}
}

// keep keeps the blocks of a text with the answers that led to them, in place of
// those of the text before it: the next edit starts from the new one.
func (c *parsedCache) keep(before Text, body, side chunk.Hash, doc *markup.Document, source int, asked []answer) {
	size := 256 + source + doc.Size()
	for _, a := range asked {
		size += 256 + len(a.dest)
	}
	c.texts.Delete(textKey{before.Body, before.Sidecar})
	c.texts.Set(textKey{body, side}, parsedText{doc, asked, size})
}

// parsedBefore is Parse of a text that an edit starts from, whose blocks are
// only compared with others.
func (d *Draft) parsedBefore(ctx context.Context, x Text, source, body []byte, s Sidecar) (*markup.Document, error) {
	kept, ok := d.src.s.parsed.texts.Get(textKey{x.Body, x.Sidecar})
	if ok && d.trace == nil && bytes.Equal(body, source[min(s.Start, len(source)):]) && d.reader(ctx, x.File, s, nil).agrees(kept.asked) {
		return kept.doc, nil
	}
	return d.Parse(ctx, body, x.File, s)
}

// agrees reports whether questions are answered as they were before.
func (l *Linker) agrees(before []answer) bool {
	for _, a := range before {
		if ref, ok := l.resolve(a.dest, a.use); l.Err != nil || ok != a.ok || ref != a.ref {
			return false
		}
	}
	return true
}
