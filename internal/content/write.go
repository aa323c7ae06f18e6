package content

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// edit is a requested change of a line.
type edit struct {
	on       LineName
	expected docs.RevisionID // must be the newest revision; empty is any
	rev      docs.Revision   // metadata of the new revision
	// draft makes the change on the newest revision of the line. It is called
	// again if somebody else changes the line meanwhile.
	draft func(ctx context.Context, l *line) (*revision.Draft, error)
}

// ErrMoved means that the content has changed since a change was prepared.
var ErrMoved = errors.New("the content has moved")

// retryTime is the maximum time during which a change is prepared again because
// others were faster.
const retryTime = 10 * time.Second

// Retry calls try, which prepares a change of a space and commits it, until it
// does not fail with ErrMoved. sp is the current state of the space. Only one caller
// for each space retries at a time.
func (s *Service) Retry(ctx context.Context, g *authz.Grant, try func(sp docs.Space) error) error {
	sp := g.Space
	err := try(sp)
	if !errors.Is(err, ErrMoved) {
		return err
	}
	q := s.queues.of(string(sp.ID))
	defer s.queues.leave(string(sp.ID))
	if err := q.turn(ctx); err != nil {
		return err
	}
	defer q.endTurn()
	for end := time.Now().Add(retryTime); errors.Is(err, ErrMoved); {
		if time.Now().After(end) {
			return errs.E(errs.Conflict, "others keep changing the same content; try again")
		}
		now, rerr := s.Store.Space(ctx, sp.ID)
		if rerr != nil {
			return rerr
		}
		err = try(now.It)
	}
	return err
}

// write makes an edit. It prepares the edit on the newest revision outside of any
// transaction, rebases it on independent changes that others made meanwhile, and
// commits it if the base is still the newest revision.
func (s *Service) write(ctx context.Context, g *authz.Grant, e edit) (v *revision.View, cr *docs.ChangeRequest, err error) {
	err = s.Retry(ctx, g, func(sp docs.Space) error {
		l, err := s.line(ctx, s.Store.Reader, sp, e.on, e.expected)
		if err != nil {
			return err
		}
		// Joined before the draft is made, so that the queue keeps the changes made meanwhile.
		q := s.queues.of(lineKey(l))
		defer s.queues.leave(lineKey(l))
		d, err := e.draft(ctx, l)
		if err != nil {
			return err
		}
		if err := s.CheckSpecs(ctx, g, d); err != nil {
			return err
		}
		var c *changeSet
		if l.request != nil {
			if c, err = s.changesAside(ctx, d); err == nil {
				c.decides, err = s.decided(ctx, *l.request, d)
			}
		} else {
			c, err = s.changesOfSpace(ctx, d, nil)
		}
		if err != nil {
			return err
		}
		v, cr, err = s.commitEdit(ctx, g, e, l, q, c)
		return err
	})
	return v, cr, err
}

// commitEdit commits a change after those that are being committed to the
// same line.
func (s *Service) commitEdit(ctx context.Context, g *authz.Grant, e edit, l *line, q *queue, c *changeSet) (*revision.View, *docs.ChangeRequest, error) {
	q.mu.Lock()
	unlock := q.unlocker()
	defer unlock()
	base, err := q.base(ctx, c, e.expected == "")
	var p *Prepared
	if err == nil {
		p, err = s.apply(ctx, c, base)
	}
	if err != nil && base.ID != l.Rev.ID {
		err = q.failed(base.ID, err)
	}
	if err != nil {
		return nil, nil, err
	}
	rev := e.rev
	rev.ID = docs.NewID[docs.RevisionID](s.Store.Clock())
	leave := q.push(rev.ID, p)
	var cr *docs.ChangeRequest
	v, err := authz.InTxQueued(ctx, s.Store, g, unlock, func(tx *store.Tx, g *authz.Grant) (*revision.View, error) {
		head, request, err := lineHead(ctx, tx.Reader, g.Space, e.on, e.expected)
		if err != nil {
			return nil, err
		}
		if head != p.Base() || request == nil && !p.Fits(g.Space) {
			return nil, ErrMoved
		}
		v, err := s.commitLine(ctx, tx, g, request, p, rev)
		cr = request
		return v, err
	})
	unlock()
	leave(err)
	return v, cr, err
}

// draft returns a draft on a revision.
func (s *Service) draft(v *revision.View) *revision.Draft { return v.DraftAt(s.Store.Clock()) }
