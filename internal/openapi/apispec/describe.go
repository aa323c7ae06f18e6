package apispec

import (
	"context"
	"errors"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// described caches loaded descriptions by the hash of their files.
type described struct {
	once  sync.Once
	cache *openapi.Cache
}

func (k *described) kept() *openapi.Cache {
	k.once.Do(func() { k.cache = openapi.NewCache() })
	return k.cache
}

// Newest returns the id of the newest version of a description. The error is NotFound if
// there is none.
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

// IsPublic reports whether a description is public.
func (s *Service) IsPublic(ctx context.Context, org docs.OrgID, slug string) (bool, error) {
	spec, err := s.Store.OpenAPISpec(ctx, org, docs.OpenAPISlug(slug))
	return spec.Visibility == docs.OpenAPIPublic, err
}

// Description returns a loaded version of a description, from the cache if possible.
func (s *Service) Description(ctx context.Context, org docs.OrgID, slug, version string) (*openapi.Description, error) {
	_, v, err := s.Version(ctx, org, docs.OpenAPISlug(slug), docs.OpenAPIVersionID(version))
	if err != nil {
		return nil, err
	}
	d, err := s.described.kept().Get(ctx, v.Hash, func() (openapi.Bundle, error) { return s.bundle(ctx, v) })
	var invalid *openapi.Invalid
	if errors.As(err, &invalid) { // the rules became stricter since it was stored
		return nil, errs.Missing("OpenAPI specification version")
	}
	return d, err
}

// bundle returns the files of a version.
func (s *Service) bundle(ctx context.Context, v docs.OpenAPIVersion) (openapi.Bundle, error) {
	b := openapi.Bundle{Root: v.Root, Files: map[string][]byte{}}
	var err error
	for _, f := range v.Files {
		if b.Files[f.Name], err = s.read(ctx, f.Blob); err != nil {
			return b, err
		}
	}
	return b, nil
}
