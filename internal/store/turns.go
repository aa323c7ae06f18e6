package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"hash/fnv"
	"sync"
	"time"
)

// Many people change one space. On PostgreSQL all but one of them would do
// their work in vain and try again, over and over, so they take turns: within
// a node before they take a connection, and between nodes by a lock that is
// taken before the transaction begins to see.

// turns lets one caller at a time through for each key.
type turns struct {
	mu    sync.Mutex
	busy  map[string]chan struct{} // holds one value while nobody has the turn
	count map[string]int           // who has it or waits
}

// take waits for the turn of a key, and gives what ends it.
func (t *turns) take(ctx context.Context, key string) (func(), error) {
	t.mu.Lock()
	if t.busy == nil {
		t.busy, t.count = map[string]chan struct{}{}, map[string]int{}
	}
	free := t.busy[key]
	if free == nil {
		free = make(chan struct{}, 1)
		free <- struct{}{}
		t.busy[key] = free
	}
	t.count[key]++
	t.mu.Unlock()
	leave := func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.count[key]--; t.count[key] == 0 {
			delete(t.count, key)
			delete(t.busy, key)
		}
	}
	select {
	case <-free:
		return func() {
			free <- struct{}{}
			leave()
		}, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}

// lockNumber is the number that a key has among the locks of the database.
func lockNumber(key string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("octavo turn " + key)) // never fails
	return int64(h.Sum64())
}

// unlockTime is how long giving a lock back may take before the connection is
// closed, which gives it back too.
const unlockTime = 5 * time.Second

// locked runs fn while the connection has the lock of a key.
func locked(ctx context.Context, conn *sql.Conn, key string, fn func() error) (err error) {
	n := lockNumber(key)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTime)
		defer cancel()
		if _, uerr := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, n); uerr != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // the pool throws it away
		}
	}()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, n); err != nil {
		return errors.Join(err, ctx.Err())
	}
	return fn()
}
