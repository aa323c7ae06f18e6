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
const (
	usedHalfLife = time.Second
	// muchTime is how much of it is much: a tenth of the time
	muchTime = 150 * time.Millisecond
)

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
	return q.take(q.best())
}

// more adds a transaction that waits to a group. If none does, others get the processor once: a
// request that is about to write comes along, and alone the writer goes on at once. A group of
// somebody who writes little does not wait for those who write much.
func (q *writeQueue) more(group []*job) []*job {
	for range 2 {
		q.arrive()
		if len(q.waiting) == 0 {
			runtime.Gosched()
			continue
		}
		now, next := time.Now(), q.best()
		if q.writesMuch(q.waiting[next], now) && !q.writesMuch(group[0], now) {
			return group
		}
		return append(group, q.take(next))
	}
	return group
}

// onlyOf reports whether a group and all who wait have one payer: a long group holds up nobody else.
func (q *writeQueue) onlyOf(group []*job) bool {
	q.arrive()
	other := func(j *job) bool { return j.payer != group[0].payer }
	return !slices.ContainsFunc(group, other) && !slices.ContainsFunc(q.waiting, other)
}

// writesMuch reports whether the payer of a transaction used much of the writer's time lately.
func (q *writeQueue) writesMuch(j *job, now time.Time) bool {
	return q.used.Of(j.payer, now) > muchTime
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

// best returns the place of the transaction whose payer used least, of these the first that arrived.
func (q *writeQueue) best() int {
	if len(q.waiting) == 1 {
		return 0
	}
	now := time.Now()
	best, least := 0, time.Duration(math.MaxInt64)
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
	return best
}

func (q *writeQueue) take(i int) *job {
	j := q.waiting[i]
	q.waiting = slices.Delete(q.waiting, i, i+1)
	return j
}
