package content

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// hide removes what the visitor of both revisions does not see. What the visitor sees in
// one of them alone is new there, or gone. Conditions are not shown to visitors.
func (d *Difference) hide(ctx context.Context, from, to *revision.View) error {
	pages := d.Pages[:0]
	for _, p := range d.Pages {
		var err error
		if p.Pair, err = seenPair(ctx, p.Pair, from, to, seenPage); err != nil {
			return err
		}
		p.Moved = p.Moved && p.Before != nil && p.After != nil
		if p.Before != nil || p.After != nil {
			pages = append(pages, p)
		}
	}
	d.Pages = pages
	var err error
	if d.Files, err = seenPairs(ctx, d.Files, from, to, func(ctx context.Context, v *revision.View, f docs.File) (docs.File, error) {
		return v.File(ctx, f.ID)
	}); err != nil {
		return err
	}
	d.Reusables, err = seenPairs(ctx, d.Reusables, from, to, func(ctx context.Context, v *revision.View, r docs.Reusable) (docs.Reusable, error) {
		return v.Reusable(ctx, r.ID)
	})
	return err
}

// seenPage returns a page as the visitor of a revision sees it.
func seenPage(ctx context.Context, v *revision.View, p docs.Page) (docs.Page, error) {
	p, err := v.Page(ctx, p.ID)
	p.Condition = ""
	return p, err
}

// seen returns a thing of a revision as its visitor sees it. The error is NotFound if the
// visitor does not see it.
type seen[T any] func(ctx context.Context, v *revision.View, thing T) (T, error)

func seenPairs[T any](ctx context.Context, all []Pair[T], from, to *revision.View, see seen[T]) ([]Pair[T], error) {
	var out []Pair[T]
	for _, p := range all {
		p, err := seenPair(ctx, p, from, to, see)
		if err != nil {
			return nil, err
		}
		if p.Before != nil || p.After != nil {
			out = append(out, p)
		}
	}
	return out, nil
}

func seenPair[T any](ctx context.Context, p Pair[T], from, to *revision.View, see seen[T]) (out Pair[T], err error) {
	if out.Before, err = seenIn(ctx, from, p.Before, see); err == nil {
		out.After, err = seenIn(ctx, to, p.After, see)
	}
	return out, err
}

func seenIn[T any](ctx context.Context, v *revision.View, thing *T, see seen[T]) (*T, error) {
	if thing == nil {
		return nil, nil
	}
	shown, err := see(ctx, v, *thing)
	switch {
	case errs.Is(err, errs.NotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	return &shown, nil
}
