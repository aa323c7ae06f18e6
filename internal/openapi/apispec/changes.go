package apispec

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/store"
)

// Comparison is the difference between two versions of a description. The first version
// has no predecessor.
type Comparison struct {
	openapi.Differences
	From docs.OpenAPIVersionID // "" if there is none
	To   docs.OpenAPIVersionID
}

// Changes returns the differences between the version to and the version from. If from is
// empty, it is the version before to.
func (s *Service) Changes(ctx context.Context, org docs.OrgID, slug docs.OpenAPISlug, to, from docs.OpenAPIVersionID) (Comparison, error) {
	spec, v, err := s.Version(ctx, org, slug, to)
	if err != nil {
		return Comparison{}, err
	}
	out := Comparison{To: v.ID}
	if from != "" {
		_, before, err := s.Version(ctx, org, slug, from)
		if errs.Is(err, errs.NotFound) {
			err = errs.Field("from", "is not a version of the specification")
		}
		if err != nil {
			return out, err
		}
		out.From = before.ID
	} else if out.From, err = s.before(ctx, spec, v.ID); err != nil || out.From == "" {
		return out, err
	}
	old, err := s.Description(ctx, org, string(slug), string(out.From))
	if err != nil {
		return out, err
	}
	now, err := s.Description(ctx, org, string(slug), string(out.To))
	if err != nil {
		return out, err
	}
	out.Differences = openapi.Diff(old, now)
	return out, nil
}

// maxLookedBack is how many versions before searches.
const maxLookedBack = 1000

// before returns the predecessor of a version, or "".
func (s *Service) before(ctx context.Context, spec docs.OpenAPISpec, id docs.OpenAPIVersionID) (docs.OpenAPIVersionID, error) {
	found := false
	at := store.Page{Limit: 100}
	for looked := 0; looked < maxLookedBack; looked += at.Limit {
		list, next, err := s.Store.OpenAPIVersions(ctx, spec.ID, at)
		if err != nil {
			return "", err
		}
		for _, v := range list {
			if found {
				return v.ID, nil
			}
			found = v.ID == id
		}
		if next == nil {
			return "", nil
		}
		at.After = next
	}
	return "", nil
}
