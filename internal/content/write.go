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
	work     Work
}

// committedEdit is an edit that was committed.
type committedEdit struct {
	*revision.View                     // the newest revision of the line
	request        *docs.ChangeRequest // as it is now; nil: the space itself
	applied        *Applied            // see drafted
}

// ErrMoved means that the content has changed since a change was prepared.
var ErrMoved = errors.New("the content has moved")

// retryTime is the maximum time during which a change is prepared again because
// others were faster.
const retryTime = 10 * time.Second

// Retry calls try, which prepares a change of a space and commits it, until it
// does not fail with ErrMoved. sp is the current state of the space. Only one caller
// for each space retries at a time.
func Retry[T any](ctx context.Context, s *Service, g *authz.Grant, try func(sp docs.Space) (T, error)) (T, error) {
	out, err := try(g.Space)
	if !errors.Is(err, ErrMoved) {
		return out, err
	}
	key := string(g.Space.ID)
	q := s.queues.of(key)
	defer s.queues.leave(key)
	if err := q.turn(ctx); err != nil {
		return out, err
	}
	defer q.endTurn()
	for end := time.Now().Add(retryTime); errors.Is(err, ErrMoved); {
		if time.Now().After(end) {
			return out, errs.E(errs.Conflict, "others keep changing the same content; try again")
		}
		now, rerr := s.Store.Space(ctx, g.Space.ID)
		if rerr != nil {
			return out, rerr
		}
		out, err = try(now.It)
	}
	return out, err
}

// write makes an edit. It prepares the edit on the newest revision outside of any
// transaction, rebases it on independent changes that others made meanwhile, and
// commits it if the base is still the newest revision.
func (s *Service) write(ctx context.Context, g *authz.Grant, e edit) (committedEdit, error) {
	return Retry(ctx, s, g, func(sp docs.Space) (committedEdit, error) {
		h, err := readHeads(ctx, s.Store.Reader, sp, e.on, e.expected)
		if err != nil {
			return committedEdit{}, err
		}
		// Joined before the draft is made, so that the queue keeps the changes made meanwhile.
		q := s.queues.of(h.key())
		defer s.queues.leave(h.key())
		c, err := s.changes(ctx, g, h, e.work)
		if err != nil {
			return committedEdit{}, err
		}
		return s.commitEdit(ctx, g, e, q, c)
	})
}

// commitEdit commits a change after those that are being committed to the
// same line.
func (s *Service) commitEdit(ctx context.Context, g *authz.Grant, e edit, q *queue, c changeSet) (committedEdit, error) {
	q.mu.Lock()
	unlock := q.unlocker()
	defer unlock()
	base, err := q.base(ctx, c, e.expected == "")
	var p *Prepared
	if err == nil {
		p, err = s.apply(ctx, c, base)
	}
	if err != nil && base.ID != c.Base.ID {
		err = q.failed(base.ID, err)
	}
	if err != nil {
		return committedEdit{}, err
	}
	p.id = docs.NewID[docs.RevisionID](s.Store.Clock())
	leave := q.push(p)
	out, err := authz.InTxQueued(ctx, s.Store, g, unlock, func(tx *store.Tx, g *authz.Grant) (Committed, error) {
		h, err := readHeads(ctx, tx.Reader, g.Space, e.on, e.expected)
		if err != nil {
			return Committed{}, err
		}
		return s.Commit(ctx, tx, g, h, p)
	})
	unlock()
	leave(err)
	if err != nil {
		return committedEdit{}, err
	}
	return committedEdit{View: s.Source.View(out.Space, out.Revision), request: out.Request, applied: p.applied}, nil
}

// draft returns a draft on a revision.
func (s *Service) draft(v *revision.View) *revision.Draft { return v.DraftAt(s.Store.Clock()) }
