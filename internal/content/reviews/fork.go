package reviews

import (
	"context"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content"
	"github.com/octavo-docs/octavo/internal/content/merge"
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

// PrepareFork prepares OpenFork: the merge that brings the change request up to date.
func (s *Service) PrepareFork(ctx context.Context, g *authz.Grant, sp docs.Space, f content.Fork) (*content.Prepared, error) {
	seen := docs.ChangeRequest{Space: sp.ID, Ancestor: f.Base, Revision: f.Tip} // as it will be opened
	return s.Content.Prepare(ctx, g, content.Heads{Space: sp, Request: &seen}, content.Merge{Direction: merge.IntoRequest})
}

// OpenFork opens a change request on a fork of the space and brings it up to date, so
// that its conflicts can be resolved. It runs in the transaction of the caller; update was
// prepared by PrepareFork.
func (s *Service) OpenFork(ctx context.Context, tx *store.Tx, g *authz.Grant, p ForkRequest, update *content.Prepared) (docs.ChangeRequest, error) {
	cr := docs.ChangeRequest{
		ID: store.NewID[docs.ChangeRequestID](tx), Space: g.Space.ID, Status: docs.ChangeOpen, Subject: docs.FirstRunes(p.Subject, docs.MaxSubject),
		Description: p.Description, CreatedAt: tx.Now(), UpdatedAt: tx.Now(),
		Revision: p.Fork.Tip, Initial: p.Fork.Base, Ancestor: p.Fork.Base,
	}
	cr, err := s.add(ctx, tx, g, cr)
	if err != nil {
		return cr, err
	}
	done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space, Request: &cr}, update)
	if err != nil {
		return cr, err
	}
	cr = *done.Request
	return cr, s.record(ctx, tx, g, cr, "create", map[string]any{"subject": cr.Subject, "conflicts": len(done.Conflicts)})
}

// MergeFork merges a later fork into a change request of OpenFork, in the transaction of
// the caller. p is that merge.
func (s *Service) MergeFork(ctx context.Context, tx *store.Tx, g *authz.Grant, was docs.ChangeRequest, p *content.Prepared) (docs.ChangeRequest, error) {
	done, err := s.Content.Commit(ctx, tx, g, content.Heads{Space: g.Space, Request: &was}, p)
	if err != nil {
		return was, err
	}
	cr := *done.Request
	return cr, s.record(ctx, tx, g, cr, "bring_up_to_date", map[string]any{"revision": cr.Revision, "conflicts": len(done.Conflicts)})
}
