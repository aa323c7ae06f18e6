package orgs

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// maxUsedSpaces is the maximum number of spaces in Usage.
const maxUsedSpaces = 50

// Usage is the usage and the quotas of an organization.
type Usage struct {
	Org    docs.OrgID
	Used   docs.Usage
	Quotas docs.Quotas
	Spaces []store.UsedBySpace // spaces with quotas of their own, then the largest ones
}

// Usage returns the usage and the quotas of an organization.
func (s *Organizations) Usage(ctx context.Context, org docs.OrgID) (out Usage, err error) {
	out.Org = org
	if out.Used, err = s.store.OrgUsage(ctx, org, docs.TimeOf(s.store.Clock())); err != nil {
		return out, err
	}
	if out.Quotas, err = s.store.Quotas(ctx, org); err != nil {
		return out, err
	}
	out.Spaces, err = s.store.LargestSpaces(ctx, org, maxUsedSpaces)
	return out, err
}
