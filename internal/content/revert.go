package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// revertPage restores a page from the revision that the change names, or from base.
func revertPage(ctx context.Context, d *revision.Draft, r store.Reader, at string, c Change, base docs.Revision, kinds map[docs.PageID]*Outcome) error {
	if c.Revision != "" {
		var err error
		base, err = r.Revision(ctx, d.Space.ID, c.Revision)
		if errs.Is(err, errs.NotFound) {
			return errs.At(errs.NotFound, at+".revision", "revision %q not found in this space", c.Revision)
		}
		if err != nil {
			return err
		}
	}
	if c.Page == "" {
		return errs.Field(at+".page", "is required")
	}
	id := docs.PageID(c.Page)
	became, err := d.RestorePage(ctx, at, d.At(base.Root), id, c.Blocks)
	if err == nil && became != revision.Updated {
		kinds[id] = &Outcome{Kind: became}
	}
	return err
}
