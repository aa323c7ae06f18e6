package content

import (
	"context"
	"slices"
	"sync"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Changes of one line wait for the same disk. While one of them is being
// flushed, the next ones are rebased on top of it and share the next flush, instead
// of failing in their transactions and being prepared again.

// queues holds the queues of the lines that are being written to.
type queues struct {
	mu    sync.Mutex
	lines map[string]*queue
}

// queue holds the newest changes of a line in order, committed or being committed.
// If another process changes the line, the next transaction fails and the queue is
// emptied.
type queue struct {
	mu    sync.Mutex // held while a change is rebased and appended
	state sync.Mutex // guards steps
	steps []step
	slow  chan struct{} // holds one value between turn and endTurn
	users int           // number of users; guarded by queues.mu
}

// step is a change of a queue.
type step struct {
	rev   docs.Revision
	base  docs.RevisionID
	pages map[docs.PageID]bool // see revision.ChangeSet.Pages
}

// key returns the key of the queue of the line that an edit changes.
func (h Heads) key() string {
	if h.Request != nil {
		return string(h.Space.ID) + "/" + string(h.Request.ID)
	}
	return string(h.Space.ID)
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

// turn waits until no other change of the line is being prepared again. endTurn has
// to be called afterwards.
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

// base returns the revision that a change has to be rebased on: the last one of the
// queue. It fails with ErrMoved if the change is not independent of the changes since
// its own base. If may is false, the change is not rebased.
func (q *queue) base(ctx context.Context, c changeSet, may bool) (docs.Revision, error) {
	last, free, known := q.newest(c)
	if last.ID == "" || !may || last.ID == c.Base.ID {
		return c.Base, nil // the transaction fails if the line has moved
	}
	if !known {
		var err error
		if free, err = c.Independent(ctx, last); err != nil {
			return last, err
		}
	}
	if !free {
		return last, ErrMoved
	}
	return last, nil
}

// newest returns the last revision of the queue, without an id if there is none,
// and the results of independent for a change.
func (q *queue) newest(c changeSet) (last docs.Revision, free, known bool) {
	q.state.Lock()
	defer q.state.Unlock()
	if len(q.steps) > 0 {
		last = q.steps[len(q.steps)-1].rev
		free, known = independent(q.steps, c)
	}
	return last, free, known
}

// failed returns the error of rebasing a change on a revision of the queue: ErrMoved
// if that revision has failed meanwhile, because then it cannot be read.
func (q *queue) failed(base docs.RevisionID, err error) error {
	q.state.Lock()
	defer q.state.Unlock()
	if !slices.ContainsFunc(q.steps, func(s step) bool { return s.rev.ID == base }) {
		return ErrMoved
	}
	return err
}

// independent reports whether a change is independent of the steps since its base.
// known is false if the base of the change is not the base of a step.
func independent(steps []step, c changeSet) (free, known bool) {
	from := slices.IndexFunc(steps, func(s step) bool { return s.base == c.Base.ID })
	if from < 0 {
		return false, false
	}
	mine := c.Pages()
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

// maxSteps is the maximum number of changes in a queue.
const maxSteps = 64

// push appends a change to the queue. leave has to be called with the result of its
// transaction.
func (q *queue) push(p *Prepared) (leave func(err error)) {
	rev := docs.Revision{ID: p.id, Root: p.tree.Root}
	if !p.tree.Changed() {
		return func(error) {} // it makes no revision
	}
	release := p.Hold()
	q.state.Lock()
	q.steps = append(q.steps[max(0, len(q.steps)-maxSteps+1):], step{rev: rev, base: p.sides.Into, pages: p.Pages()})
	q.state.Unlock()
	return func(err error) {
		q.state.Lock()
		if err != nil {
			q.steps = nil // the transactions of the changes after it fail with ErrMoved
		}
		q.state.Unlock()
		release()
	}
}
