package explain

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/sites"
)

// errUnseen is the error for callers who cannot see the target of the address. They must
// not learn what the space contains and who sees it.
var errUnseen = errs.E(errs.Forbidden, "the address leads to a space that you cannot see; ask somebody who can")

// places records the sections and site spaces on the way to the page. r is nil if the
// visitor sees nothing of the site.
func (v *visit) places(ctx context.Context, r *audience.Resolved) error {
	items, err := v.Sites.Store.SiteItems(ctx, v.site.ID)
	if err != nil {
		return err
	}
	all := sites.NewStructure(v.site.Title, items, nil)
	named, ok := all.Paths().Resolve(v.rest, v.site.Visibility == docs.VisibilityLink)
	if !ok {
		v.addStep(StepSpace, false, "The site has no content at this address.")
		return nil
	}
	if _, ok := v.member.Spaces[named.Space.Space]; !ok {
		return errUnseen
	}
	reader, err := v.reader(ctx, r)
	if err != nil {
		return err
	}
	for _, it := range path(all, named.Space) {
		ok, reason, err := reader.Explain(ctx, it.Condition, nil, nil, v.dropped)
		if err != nil {
			return err
		}
		v.Steps = append(v.Steps, Step{string(it.Kind), string(it.ID), it.Title, it.Condition, ok, reason})
	}
	if named.Space.Trashed {
		v.addStep(StepSpace, false, "The space %q is in the trash.", named.Space.Title)
	}
	if named.Space.Drafted {
		v.addStep(StepSpace, false, "The space %q is a draft on the site, or in a draft; only previews show it.", named.Space.Title)
	}
	if named.Space.Withheld {
		v.addStep(StepSpace, false, "The space %q is a translation of one that was closed to readers; publish that for them, or add the translation to the site again.", named.Space.Title)
	}
	if r == nil {
		return nil
	}
	v.Space = r.Target.Space
	if _, ok := v.member.Spaces[v.Space.Space]; !ok {
		return errUnseen
	}
	if v.Space.ID != named.Space.ID {
		v.Steps = append(v.Steps, Step{string(docs.SiteSpace), string(v.Space.ID), v.Space.Title, v.Space.Condition, true,
			fmt.Sprintf("To this visitor the address leads here, because %q is not there.", named.Space.Title)})
	}
	return nil
}

// reader returns the visitor for whom conditions are evaluated.
func (v *visit) reader(ctx context.Context, r *audience.Resolved) (*reading.Visitor, error) {
	if r != nil {
		return r.View.Reader, nil
	}
	who, err := v.Audience.Identify(ctx, v.site, v.arrival)
	if err != nil {
		return nil, err
	}
	return reading.NewVisitor(who.Claims)
}

// path returns an item and its ancestors, starting at the root.
func path(s *sites.Structure, it docs.SiteItem) []docs.SiteItem {
	out := []docs.SiteItem{it}
	for _, kind := range []docs.SiteItemKind{docs.SiteSection, docs.SiteGroup} {
		for range docs.MaxSiteGroupDepth {
			up, err := s.Item(kind, out[len(out)-1].Parent)
			if err != nil {
				break
			}
			out = append(out, up)
		}
	}
	slices.Reverse(out)
	return out
}
