package reviews

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Parked is a change request for something that came from elsewhere and
// waits for a person.
type Parked struct {
	Subject     string
	Description string // Markdown
	Fork        content.Fork
}

// Park opens a change request on a fork of the space and brings it up to
// date, so that its conflicts can be resolved. It is part of the caller's
// transaction; ahead is what PrepareUpdate gave, or nil.
func (s *Service) Park(ctx context.Context, tx *store.Tx, g *authz.Grant, p Parked, ahead *content.Merging) (docs.ChangeRequest, error) {
	cr := docs.ChangeRequest{
		ID: store.NewID[docs.ChangeRequestID](tx), Space: g.Space.ID, Status: docs.ChangeOpen, Subject: cutSubject(p.Subject),
		Description: p.Description, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		Revision: p.Fork.Tip, Initial: p.Fork.Base, Ancestor: p.Fork.Base,
	}
	cr, err := s.add(ctx, tx, g, cr)
	if err != nil {
		return cr, err
	}
	rev, conflicts, err := s.Content.Update(ctx, tx, g, cr, ahead)
	if err != nil {
		return cr, err
	}
	was := cr
	cr.Revision, cr.Ancestor = rev.ID, g.Space.Revision
	if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
		return cr, err
	}
	if err := putConflicts(ctx, tx, cr, conflicts); err != nil {
		return cr, err
	}
	return cr, s.record(ctx, tx, g, cr, "create", map[string]any{"subject": cr.Subject, "conflicts": len(conflicts)})
}

// Bring brings what came after a parked request was opened into it, as part
// of the caller's transaction.
func (s *Service) Bring(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.ChangeRequest, f content.Fork) (docs.ChangeRequest, error) {
	rev, conflicts, err := s.Content.MergeIntoRequest(ctx, tx, g, was, f)
	if err != nil {
		return was, err
	}
	cr := was
	cr.Revision, cr.UpdatedAt = rev.ID, tx.Now()
	if err := tx.PutChangeRequest(ctx, was, cr); err != nil {
		return cr, err
	}
	if err := putConflicts(ctx, tx, cr, conflicts); err != nil {
		return cr, err
	}
	return cr, s.record(ctx, tx, g, cr, "bring_up_to_date", map[string]any{"revision": rev.ID, "conflicts": len(conflicts)})
}

func cutSubject(s string) string {
	if r := []rune(s); len(r) > docs.MaxSubject {
		return string(r[:docs.MaxSubject])
	}
	return s
}
