package store

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
)

// writeQueue has the transactions that wait for the writer. Those of a payer who used less of the
// writer's time lately come first, so a large change, or many of them, hold up small ones of others
// by one transaction at most. Those of one space keep their order.
type writeQueue struct {
	arriving <-chan *job
	waiting  []*job         // in the order of arrival
	used     *budget.Lately // of the writer's time
}

// usedHalfLife is after how long half of what was used is forgotten.
const usedHalfLife = time.Second

func newWriteQueue(arriving <-chan *job) *writeQueue {
	return &writeQueue{arriving: arriving, used: budget.NewLately(usedHalfLife)}
}

// wait returns the next transaction, or nil when there will be none.
func (q *writeQueue) wait() *job {
	q.arrive()
	if len(q.waiting) == 0 {
		j, open := <-q.arriving
		if !open {
			return nil
		}
		q.waiting = append(q.waiting, j)
		q.arrive()
	}
	return q.next()
}

// more adds a transaction that waits to a group. If none does, others get the processor once: a
// request that is about to write comes along, and alone the writer goes on at once.
func (q *writeQueue) more(group []*job) []*job {
	for range 2 {
		if q.arrive(); len(q.waiting) > 0 {
			return append(group, q.next())
		}
		runtime.Gosched()
	}
	return group
}

// arrive takes in whatever has arrived.
func (q *writeQueue) arrive() {
	for {
		select {
		case j, open := <-q.arriving:
			if !open {
				return
			}
			q.waiting = append(q.waiting, j)
		default:
			return
		}
	}
}

// next takes out the transaction whose payer used least, of these the first that arrived.
func (q *writeQueue) next() *job {
	if len(q.waiting) == 1 {
		j := q.waiting[0]
		q.waiting = q.waiting[:0]
		return j
	}
	now := time.Now()
	best, least := -1, time.Duration(math.MaxInt64)
	spaces := map[string]bool{} // that an earlier one changes
	for i, j := range q.waiting {
		if j.space != "" && spaces[j.space] {
			continue
		}
		spaces[j.space] = true
		if used := q.used.Of(j.payer, now); used < least {
			best, least = i, used
		}
	}
	j := q.waiting[best]
	q.waiting = slices.Delete(q.waiting, best, best+1)
	return j
}
