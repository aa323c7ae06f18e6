package index

import (
	"context"
	"slices"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of the search for a use of a file, a reusable content or a specification. If
// none is found within maxUses, it is not shown.
const (
	maxUses     = 10_000 // pages and reusable contents that are examined
	usesAtATime = 100
	maxUsed     = 200_000 // cached results
)

// usedKey is the key of a cached result of Used.
type usedKey struct {
	root    chunk.Hash
	visitor string
	ref     docs.Ref
}

// Used implements revision.Uses. It reads the backlinks of ref and stops at the
// first one that the visitor sees, so its cost does not depend on the size of the
// space.
func (s *Index) Used(ctx context.Context, v *revision.View, ref docs.Ref) (bool, error) {
	key := usedKey{v.Root, v.Visitor().Key(), ref}
	if known, ok := s.used.Get(key); ok {
		return known, nil
	}
	x, err := s.linksOf(ctx, v)
	if err != nil {
		return false, err
	}
	u := &userSearch{s: s, v: v, x: x, asked: map[docs.Ref]bool{}, left: maxUses}
	found, err := u.used(ctx, ref)
	if err == nil && !u.prose && v.Visitor().Kept() {
		s.used.Set(key, found)
	}
	return found, err
}

// userSearch searches a use that a visitor sees.
type userSearch struct {
	s     *Index
	v     *revision.View
	x     *linkIndex
	asked map[docs.Ref]bool // reusable contents may include each other
	left  int               // how many more uses may be examined
	prose bool              // the result depends on specifications too, not on the revision alone
}

func (u *userSearch) used(ctx context.Context, ref docs.Ref) (bool, error) {
	if u.asked[ref] {
		return false, nil
	}
	u.asked[ref] = true
	at := store.Page{Limit: usesAtATime}
	for u.left > 0 {
		owners, next, err := u.x.backlinks(ctx, [2]string{ref.Kind, ref.Kind}, "", ref.Target(), at)
		if err != nil {
			return false, err
		}
		u.left -= len(owners)
		for _, owner := range owners {
			if ok, err := u.by(ctx, owner, ref); ok || err != nil {
				return ok, err
			}
		}
		if next == nil {
			break
		}
		at.After = next
	}
	if ref.Kind == docs.RefReusable {
		return u.asProse(ctx, docs.ReusableID(ref.ReusableContent))
	}
	return false, nil
}

// asProse reports whether the visitor sees a computed page that includes a reusable content.
func (u *userSearch) asProse(ctx context.Context, id docs.ReusableID) (bool, error) {
	r, err := u.v.Tree.Reusable(ctx, id)
	if errs.Is(err, errs.NotFound) || u.s.Prose == nil {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	is, shown, err := u.s.Prose(ctx, u.v, r)
	u.prose = u.prose || is
	return shown, err
}

// by reports whether the visitor sees that owner, a page or a reusable content,
// uses ref.
func (u *userSearch) by(ctx context.Context, owner string, ref docs.Ref) (bool, error) {
	p, ok, err := u.v.Lookup(ctx, docs.PageID(owner))
	if err != nil {
		return false, err
	}
	if ok {
		return u.onPage(ctx, p, ref)
	}
	r, err := u.v.Tree.Reusable(ctx, docs.ReusableID(owner))
	if errs.Is(err, errs.NotFound) { // a page that the visitor does not see
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if ok, err := u.in(ctx, u.v.ReadingReusable(r), revision.ReusableText(r), ref); !ok || err != nil {
		return false, err
	}
	return u.used(ctx, docs.Ref{Kind: docs.RefReusable, ReusableContent: owner})
}

func (u *userSearch) onPage(ctx context.Context, p docs.Page, ref docs.Ref) (bool, error) {
	around := []*docs.Ref{p.Target}
	if p.Cover != nil {
		around = append(around, p.Cover.Ref, p.Cover.RefDark)
	}
	for _, r := range around {
		if r != nil && *r == ref {
			return true, nil
		}
	}
	if p.Type != docs.PageDocument {
		return false, nil
	}
	text, err := u.v.PageText(ctx, p)
	if err != nil {
		return false, err
	}
	return u.in(ctx, u.v.Reading(p), text, ref)
}

// in reports whether a source, which uses ref, does so in a block that the visitor
// sees. In a reusable content, conditions on variables of a page do not hold. A link
// to a specification does not use it: only a block that shows a part of it does.
func (u *userSearch) in(ctx context.Context, page reading.Page, text revision.Text, ref docs.Ref) (bool, error) {
	source, _, err := u.v.Body(ctx, text)
	if err != nil {
		return false, err
	}
	if ref.Kind != docs.RefOpenAPI && !reading.MayDependOnVisitor(source) {
		return true, nil
	}
	doc, err := page.Document(ctx)
	if err != nil {
		return false, err
	}
	if ref.Kind == docs.RefOpenAPI {
		return slices.ContainsFunc(markup.APIBlocks(doc), func(b markup.APIBlock) bool { return b.Ref == ref }), nil
	}
	for _, r := range markup.References(doc) {
		if r.Ref == ref {
			return true, nil
		}
	}
	return false, nil
}
