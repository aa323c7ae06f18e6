package apispec

import (
	"context"
	"errors"
	"sync"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
)

const (
	maxDescriptions = 64 << 20 // bytes of descriptions that are kept in memory
	// descriptionWeight is how much memory a byte of a description takes, roughly.
	descriptionWeight = 8
)

// described are descriptions that were read, by the hashes of their files.
type described struct {
	once  sync.Once
	cache *cache.Cache[string, weighed]
}

type weighed struct {
	d    *openapi.Description
	size int
}

func (k *described) kept() *cache.Cache[string, weighed] {
	k.once.Do(func() {
		k.cache = cache.New[string](maxDescriptions, func(w weighed) int { return 1<<10 + descriptionWeight*w.size })
	})
	return k.cache
}

// Newest returns the id of the newest version of a description. The error is
// NotFound if there is none.
func (s *Service) Newest(ctx context.Context, org docs.OrgID, slug string) (string, error) {
	spec, err := s.Store.OpenAPISpec(ctx, org, docs.OpenAPISlug(slug))
	if err == nil && spec.LastVersion == "" {
		err = errs.Missing("OpenAPI specification version")
	}
	if err != nil {
		return "", err
	}
	return string(spec.LastVersion), nil
}

// Description reads a version of a description. Those that are read often are kept.
func (s *Service) Description(ctx context.Context, org docs.OrgID, slug, version string) (*openapi.Description, error) {
	_, v, err := s.Version(ctx, org, docs.OpenAPISlug(slug), docs.OpenAPIVersionID(version))
	if err != nil {
		return nil, err
	}
	if w, ok := s.described.kept().Get(v.Hash); ok {
		return w.d, nil
	}
	b := openapi.Bundle{Root: v.Root, Files: map[string][]byte{}}
	size := 0
	for _, f := range v.Files {
		if b.Files[f.Name], err = s.read(ctx, f.Blob); err != nil {
			return nil, err
		}
		size += len(b.Files[f.Name])
	}
	d, err := openapi.Load(ctx, b)
	var invalid *openapi.Invalid
	if errors.As(err, &invalid) { // rules became stricter since it was stored
		return nil, errs.Missing("OpenAPI specification version")
	}
	if err != nil {
		return nil, err
	}
	s.described.kept().Set(v.Hash, weighed{d, size})
	return d, nil
}
