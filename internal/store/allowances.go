package store

import (
	"context"
	"time"

	"github.com/octavo-docs/octavo/internal/store/engine"
)

// allowanceHours is the number of hours of the clock that count, with the current one. So nobody
// waits longer than the 24 hours that the message of a limit names.
const allowanceHours = 24

// Allowance is what somebody can do at most within 24 hours.
type Allowance struct {
	Who  string // id of a user or an organization
	What string
	Most int
}

// Spend adds n to what was done of an allowance. If that would be more than allowed, it changes
// nothing, and returns how often it is allowed now and how long to wait until n are allowed, or as
// many as ever are; at most 24 hours. Write transactions are serialized, so the number is exact with several nodes.
func (tx orgWrites) Spend(ctx context.Context, a Allowance, n int) (left int, wait time.Duration, err error) {
	type bucket struct{ hour, times int64 }
	hour := tx.Began().Unix() / 3600
	used, err := engine.Many(ctx, tx, func(s engine.Scanner) (b bucket, err error) {
		err = s.Scan(&b.hour, &b.times)
		return b, err
	}, `SELECT hour, times FROM allowances WHERE who = $1 AND what = $2 AND hour > $3 ORDER BY hour`, a.Who, a.What, hour-allowanceHours)
	if err != nil {
		return 0, 0, err
	}
	free := int64(a.Most)
	for _, b := range used {
		free -= b.times
	}
	left = int(max(0, free))
	if int64(n) > free {
		wait = allowanceHours * time.Hour // if n are never allowed
		for i := 0; i < len(used) && free < int64(min(n, a.Most)); i++ {
			free += used[i].times
			wait = time.Unix((used[i].hour+allowanceHours)*3600, 0).Sub(tx.Began())
		}
		return left, wait, nil
	}
	if err := engine.Put(ctx, tx, `DELETE FROM allowances WHERE hour <= $1`, hour-allowanceHours); err != nil {
		return left, 0, err
	}
	return left - n, 0, engine.Put(ctx, tx, `
		INSERT INTO allowances (who, what, hour, times) VALUES ($1, $2, $3, $4)
		ON CONFLICT (who, what, hour) DO UPDATE SET times = allowances.times + excluded.times`, a.Who, a.What, hour, n)
}
