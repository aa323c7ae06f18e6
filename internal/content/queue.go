package content

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Changes of one line wait for the same disk. While one of them is being
// flushed, the next is moved on top of it and waits for the next flush together
// with others, instead of finding out later that it came too late.

// queues are the lines that are being written to.
type queues struct {
	mu    sync.Mutex
	lines map[string]*queue
}

// queue is the order of the newest changes of a line, durable or about to be.
// Where another process changes the line, the next transaction fails and the
// queue begins anew.
type queue struct {
	mu    sync.Mutex // held while a change finds its place
	state sync.Mutex // of the rest
	steps []step
	slow  chan struct{} // holds one value while somebody has the turn
	users int           // of the queue; guarded by queues.mu
}

// step is a change that is being committed.
type step struct {
	rev   docs.Revision
	base  docs.RevisionID
	pages map[docs.PageID]bool // that it edits; nil if it does more
}

func lineKey(l *line) string {
	if l.request != nil {
		return string(l.Space.ID) + "/" + string(l.request.ID)
	}
	return string(l.Space.ID)
}

// of returns the queue of a line. leave has to be called afterwards.
func (qs *queues) of(line string) *queue {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	if qs.lines == nil {
		qs.lines = map[string]*queue{}
	}
	q := qs.lines[line]
	if q == nil {
		q = &queue{slow: make(chan struct{}, 1)}
		qs.lines[line] = q
	}
	q.users++
	return q
}

func (qs *queues) leave(line string) {
	qs.mu.Lock()
	defer qs.mu.Unlock()
	q := qs.lines[line]
	if q.users--; q.users == 0 {
		delete(qs.lines, line)
	}
}

// turn waits until nobody else works a change out again. endTurn has to be
// called afterwards.
func (q *queue) turn(ctx context.Context) error {
	select {
	case q.slow <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (q *queue) endTurn() { <-q.slow }

// unlocker returns a function that unlocks the queue once, however often it is
// called.
func (q *queue) unlocker() func() {
	var once sync.Once
	return func() { once.Do(q.mu.Unlock) }
}

// base returns the revision that a change has to be made on: the last one of the
// queue. It fails with ErrMoved if the change depends on what it was not made on.
func (q *queue) base(ctx context.Context, p *Prepared, may bool) (docs.Revision, error) {
	last, free, known := q.newest(p)
	if last.ID == "" || !may || last.ID == p.Base() {
		return p.sealed.Base, nil // the transaction finds out if it has moved
	}
	if !known {
		var err error
		if free, err = p.sealed.Independent(ctx, last); err != nil {
			return last, err
		}
	}
	if !free {
		return last, ErrMoved
	}
	return last, nil
}

// newest returns the last revision of the queue, without an id if there is none,
// and what independent says of a change.
func (q *queue) newest(p *Prepared) (last docs.Revision, free, known bool) {
	q.state.Lock()
	defer q.state.Unlock()
	if len(q.steps) > 0 {
		last = q.steps[len(q.steps)-1].rev
		free, known = independent(q.steps, p)
	}
	return last, free, known
}

// failed returns an error of making a change on a revision of the queue: one
// that was never stored cannot be read.
func (q *queue) failed(base docs.RevisionID, err error) error {
	q.state.Lock()
	defer q.state.Unlock()
	if !slices.ContainsFunc(q.steps, func(s step) bool { return s.rev.ID == base }) {
		return ErrMoved
	}
	return err
}

// independent reports whether a change has nothing to do with those of the
// queue behind its base. known is false if the base is not among them.
func independent(steps []step, p *Prepared) (free, known bool) {
	from := slices.IndexFunc(steps, func(s step) bool { return s.base == p.sealed.Base.ID })
	if from < 0 {
		return false, false
	}
	mine := p.sealed.Pages()
	if mine == nil {
		return false, true
	}
	for _, s := range steps[from:] {
		if s.pages == nil {
			return false, true
		}
		for id := range mine {
			if s.pages[id] {
				return false, true
			}
		}
	}
	return true, true
}

// maxSteps is how many of the newest changes a queue remembers.
const maxSteps = 64

// push puts a change at the end of the queue. The function that it returns is
// called when the change is durable, or has failed with an error.
func (q *queue) push(id docs.RevisionID, p *Prepared) (leave func(err error)) {
	rev := docs.Revision{ID: id, Root: p.sealed.Root}
	if !p.sealed.Changed() {
		return func(error) {} // it makes no revision
	}
	release := p.sealed.Hold()
	q.state.Lock()
	q.steps = append(q.steps[max(0, len(q.steps)-maxSteps+1):], step{rev: rev, base: p.sealed.Base.ID, pages: p.sealed.Pages()})
	q.state.Unlock()
	return func(err error) {
		q.state.Lock()
		if err != nil {
			q.steps = nil // whatever follows it finds that out in its transaction
		}
		q.state.Unlock()
		release()
	}
}
