package revision

import (
	"bytes"
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/markup"
)

// skeletonCache keeps the skeletons of the texts written last. An edit mostly starts from
// the text that the previous edit wrote, so it parses one text instead of two.
type skeletonCache struct {
	texts *cache.Cache[textKey, skeletonText]
}

// textKey names a text by its source and its sidecar.
type textKey struct{ body, side chunk.Hash }

// skeletonText is the skeleton of a text. It depends on the text and on the targets
// of its destinations, which change with the tree.
type skeletonText struct {
	skeleton *markup.Skeleton
	asked    []answer
	size     int
}

// answer is the result of resolving a destination.
type answer struct {
	dest string
	use  markup.Use
	ref  markup.Ref
	ok   bool
}

// maxSkeletons is the maximum size of the cache, in bytes.
const maxSkeletons = 8 << 20

func newSkeletonCache() *skeletonCache {
	return &skeletonCache{cache.New[textKey](maxSkeletons, func(o skeletonText) int { return o.size })}
}

// keep caches the skeleton of a text, with the answers that it depends on, in place
// of the skeleton of the text before: the next edit starts from the new one.
func (c *skeletonCache) keep(before Text, body, side chunk.Hash, skeleton *markup.Skeleton, asked []answer) {
	size := 512 + skeleton.Size()
	for i := range asked {
		a := &asked[i]
		a.dest, a.ref.URL, a.ref.Anchor = strings.Clone(a.dest), strings.Clone(a.ref.URL), strings.Clone(a.ref.Anchor) // parts of the source
		size += 256 + len(a.dest) + len(a.ref.URL) + len(a.ref.Anchor)
	}
	c.texts.Delete(textKey{before.Body, before.Sidecar})
	c.texts.Set(textKey{body, side}, skeletonText{skeleton, asked, size})
}

// skeletonBefore returns the skeleton of a text that an edit starts from.
func (d *Draft) skeletonBefore(ctx context.Context, x Text, source, body []byte, s Sidecar) (*markup.Skeleton, error) {
	kept, ok := d.src.s.skeletons.texts.Get(textKey{x.Body, x.Sidecar})
	if ok && d.trace == nil && bytes.Equal(body, source[min(s.Start, len(source)):]) && d.reader(ctx, x.File, s, nil).agrees(kept.asked) {
		return kept.skeleton, nil
	}
	doc, err := d.Parse(ctx, body, x.File, s)
	if err != nil {
		return nil, err
	}
	return markup.NewSkeleton(doc), nil
}

// agrees reports whether all destinations resolve as they did before.
func (l *Linker) agrees(before []answer) bool {
	for _, a := range before {
		if ref, ok := l.resolve(a.dest, a.use); l.Err != nil || ok != a.ok || ref != a.ref {
			return false
		}
	}
	return true
}
