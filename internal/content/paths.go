package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
)

// pathsKey is the cache key of PlainPaths: a tree, and what its computed pages are made of.
type pathsKey struct {
	root  chunk.Hash
	stamp string
}

// maxPlainPaths is the maximum number of cached results of PlainPaths.
const maxPlainPaths = 10_000

// PlainPaths reports whether the path of every page of a space, and every path that a page
// had before, is the same text in an address: it has no character that is escaped there.
func (s *Service) PlainPaths(ctx context.Context, space docs.SpaceID) (bool, error) {
	sp, err := s.Store.Space(ctx, space)
	if err != nil {
		return false, err
	}
	v, err := s.Source.Head(ctx, sp.It)
	if err != nil {
		return false, err
	}
	if v, err = s.WithComputedPages(ctx, v); err != nil {
		return false, err
	}
	key := pathsKey{v.Root, v.Stamp}
	if plain, ok := s.plain.Get(key); ok {
		return plain, nil
	}
	plain := true
	err = v.Scan(ctx, revision.KeySlug, "", func(key string, _ []byte) (bool, error) {
		_, slug, _ := strings.Cut(key, revision.Sep)
		plain = !strings.ContainsFunc(slug, escaped)
		return plain, nil
	})
	if err == nil && plain {
		err = v.Scan(ctx, revision.KeyRedirect, "", func(path string, _ []byte) (bool, error) {
			plain = !strings.ContainsFunc(path, escaped)
			return plain, nil
		})
	}
	if err == nil {
		s.plain.Set(key, plain)
	}
	return plain, err
}

// escaped reports whether a character of a path is, or may be, escaped in an address.
func escaped(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~/", r))
}
