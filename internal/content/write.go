package content

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

// edit is a change of a line that somebody asks for.
type edit struct {
	on       Branch
	expected docs.RevisionID // that the caller has seen; empty is any
	rev      docs.Revision   // what the revision says of itself
	// draft works the change out on the newest revision of the line. It is
	// called again if somebody else changes the line meanwhile.
	draft func(ctx context.Context, r store.Reader, l *line) (*revision.Draft, error)
}

// writeTime is for how long a change is worked out again because others were
// faster.
const writeTime = 10 * time.Second

// errMoved says that a line is no longer where a change was prepared.
var errMoved = errors.New("the line has moved")

// write makes a change durable. It is worked out against the newest revision
// outside of any transaction, moved onto what others wrote meanwhile where that
// is independent of it, and committed by comparing.
func (s *Service) write(ctx context.Context, g *authz.Grant, e edit) (*revision.View, *docs.ChangeRequest, error) {
	now := *g // with the space as it is
	var end time.Time
	for try := 0; ; try++ {
		l, p, err := s.prepareEdit(ctx, &now, e)
		if err != nil {
			return nil, nil, err
		}
		v, cr, err := s.commitEdit(ctx, g, e, l, p)
		if !errors.Is(err, errMoved) {
			return v, cr, err
		}
		switch {
		case try == 0: // those who were too slow go on one after the other
			q := s.queues.of(l)
			defer s.queues.leave(l)
			if err := q.turn(ctx); err != nil {
				return nil, nil, err
			}
			defer q.endTurn()
			end = time.Now().Add(writeTime)
		case time.Now().After(end):
			return nil, nil, errs.E(errs.Conflict, "others change the same content all the time; try again")
		}
		sp, err := s.Store.Space(ctx, g.Space.ID)
		if err != nil {
			return nil, nil, err
		}
		now.Space = sp.It
	}
}

// prepareEdit works out a change on the newest revision of its line.
func (s *Service) prepareEdit(ctx context.Context, g *authz.Grant, e edit) (*line, *Prepared, error) {
	r := s.Store.Reader
	l, err := s.line(ctx, r, g, e.on, e.expected)
	if err != nil {
		return nil, nil, err
	}
	d, err := e.draft(ctx, r, l)
	if err != nil {
		return nil, nil, err
	}
	p, err := s.prepareLine(ctx, r, l, d)
	return l, p, err
}

// prepareLine works out what a draft changes in a line.
func (s *Service) prepareLine(ctx context.Context, r store.Reader, l *line, d *revision.Draft) (*Prepared, error) {
	if l.request != nil {
		return s.prepareAside(ctx, d)
	}
	return s.prepareSpace(ctx, r, d, nil)
}

// commitEdit commits a prepared change behind those that are being committed to
// the same line.
func (s *Service) commitEdit(ctx context.Context, g *authz.Grant, e edit, l *line, p *Prepared) (*revision.View, *docs.ChangeRequest, error) {
	q := s.queues.of(l)
	defer s.queues.leave(l)
	q.mu.Lock()
	unlock := q.unlocker()
	defer unlock()
	p, err := q.follow(ctx, p, e.expected == "")
	if err != nil {
		return nil, nil, err
	}
	rev := e.rev
	rev.ID = docs.NewID[docs.RevisionID](s.Store.Clock())
	leave := q.push(rev.ID, p)
	var cr *docs.ChangeRequest
	v, err := authz.InTxQueued(ctx, s.Store, g, unlock, func(tx *store.Tx, g *authz.Grant) (*revision.View, error) {
		// A grant that was not asked for by a request has the space as it was.
		sp, err := tx.Space(ctx, g.Space.ID)
		if err != nil {
			return nil, err
		}
		still := *g
		still.Space = sp.It
		l, err := s.line(ctx, tx.Reader, &still, e.on, e.expected)
		if err != nil {
			return nil, err
		}
		if l.Rev.ID != p.sealed.Base.ID || l.request == nil && !p.index.Fits(l.Space) {
			return nil, errMoved
		}
		v, err := s.commitLine(ctx, tx, g, l, p, rev)
		cr = l.request
		return v, err
	})
	unlock()
	leave(err)
	return v, cr, err
}

// draft returns a draft on the newest revision of a line.
func (s *Service) draft(l *line) *revision.Draft {
	now := s.Store.Clock()
	return l.View.Draft(docs.TimeOf(now), revision.IDsFrom(now))
}
