package engine

import (
	"math"
	"runtime"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/budget"
)

// writeQueue holds the transactions that wait for the writer. Payers who used less of the writer's
// time lately come first, so that large changes delay the small ones of others by at most one
// transaction. Transactions of one space keep their order.
type writeQueue struct {
	arriving <-chan *job
	waiting  []*job            // in the order of arrival
	used     *budget.RecentUse // recent use of the writer's time, by payer
}

const (
	// usedHalfLife is the half-life of the recorded use of the writer.
	usedHalfLife = time.Second
	// muchTime is the recorded use from which a payer writes much: a tenth of the time.
	muchTime = 150 * time.Millisecond
	// smallGroup is the number of transactions from which a group does not wait for more:
	// if everybody who writes is in one group, nobody prepares the next change while it
	// is committed.
	smallGroup = 4
)

func newWriteQueue(arriving <-chan *job) *writeQueue {
	return &writeQueue{arriving: arriving, used: budget.NewRecentUse(usedHalfLife)}
}

// wait waits for the next transaction and returns it, or nil if the queue is closed.
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

// more adds a waiting transaction to a group. If there is none and the group is small, it yields the
// processor once, so that a request that is about to write can join. A transaction of a payer who writes much is not added to
// a group of one who writes little.
func (q *writeQueue) more(group []*job) []*job {
	for range 2 {
		q.arrive()
		if len(q.waiting) == 0 {
			if len(group) >= smallGroup {
				return group
			}
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

// onlyOf reports whether a group and all waiting transactions have one payer, so that a long group
// delays nobody else.
func (q *writeQueue) onlyOf(group []*job) bool {
	q.arrive()
	other := func(j *job) bool { return j.payer != group[0].payer }
	return !slices.ContainsFunc(group, other) && !slices.ContainsFunc(q.waiting, other)
}

// writesMuch reports whether the payer of a transaction used much of the writer's time lately.
func (q *writeQueue) writesMuch(j *job, now time.Time) bool {
	return q.used.Of(j.payer, now) > muchTime
}

// arrive moves all arrived transactions to q.waiting, without blocking.
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

// best returns the index of the transaction whose payer used least, or the first of several.
func (q *writeQueue) best() int {
	if len(q.waiting) == 1 {
		return 0
	}
	now := time.Now()
	best, least := 0, time.Duration(math.MaxInt64)
	spaces := map[string]bool{} // spaces of earlier transactions
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
