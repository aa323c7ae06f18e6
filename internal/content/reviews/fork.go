package reviews

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// ForkRequest describes a change request for a fork that was imported, such as from git,
// and that a person has to decide on.
type ForkRequest struct {
	Subject     string
	Description string // Markdown
	Fork        content.Fork
}

// OpenFork opens a change request on a fork of the space and brings it up to date, so
// that its conflicts can be resolved. It runs in the transaction of the caller; m was
// prepared by PrepareBringUpToDate.
func (s *Service) OpenFork(ctx context.Context, tx *store.Tx, g *authz.Grant, p ForkRequest, m *content.PreparedMerge) (docs.ChangeRequest, error) {
	cr := docs.ChangeRequest{
		ID: store.NewID[docs.ChangeRequestID](tx), Space: g.Space.ID, Status: docs.ChangeOpen, Subject: docs.FirstRunes(p.Subject, docs.MaxSubject),
		Description: p.Description, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		Revision: p.Fork.Tip, Initial: p.Fork.Base, Ancestor: p.Fork.Base,
	}
	cr, err := s.add(ctx, tx, g, cr)
	if err != nil {
		return cr, err
	}
	rev, conflicts, err := s.Content.BringUpToDate(ctx, tx, g, cr, m)
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

// MergeFork merges a later fork into a change request of OpenFork, in the transaction of
// the caller. m was prepared by PrepareMergeIntoRequest.
func (s *Service) MergeFork(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.ChangeRequest, m *content.PreparedMerge) (docs.ChangeRequest, error) {
	rev, conflicts, err := s.Content.MergeIntoRequest(ctx, tx, g, was, m)
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
