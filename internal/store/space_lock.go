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

// Many people change one space at the same time. On PostgreSQL, where write
// transactions are serializable, all but one of them would fail and be
// repeated, over and over. So each takes the lock of the space first: within a
// node before it takes a connection, and between nodes by an advisory lock,
// before the transaction takes its snapshot.

// spaceLocks is the part of the locks within a node: one holder for each key.
type spaceLocks struct {
	mu    sync.Mutex
	free  map[string]chan struct{} // holds one value while nobody has the lock
	users map[string]int           // holders and waiters
}

// lock waits for the lock of a key and returns the function that unlocks it.
func (l *spaceLocks) lock(ctx context.Context, key string) (unlock func(), err error) {
	l.mu.Lock()
	if l.free == nil {
		l.free, l.users = map[string]chan struct{}{}, map[string]int{}
	}
	free := l.free[key]
	if free == nil {
		free = make(chan struct{}, 1)
		free <- struct{}{}
		l.free[key] = free
	}
	l.users[key]++
	l.mu.Unlock()
	leave := func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.users[key]--; l.users[key] == 0 {
			delete(l.users, key)
			delete(l.free, key)
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

// advisoryKey is the number of a key among the advisory locks of PostgreSQL.
// It must not change: nodes of two versions may run at the same time.
func advisoryKey(key string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte("octavo turn " + key)) // never fails
	return int64(h.Sum64())
}

// unlockTime bounds how long it may take to release an advisory lock before
// the connection is closed, which releases it too.
const unlockTime = 5 * time.Second

// withAdvisoryLock runs fn while the connection has the lock of a key.
func withAdvisoryLock(ctx context.Context, conn *sql.Conn, key string, fn func() error) (err error) {
	n := advisoryKey(key)
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTime)
		defer cancel()
		if _, uerr := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, n); uerr != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // the pool drops the connection
		}
	}()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, n); err != nil {
		return errors.Join(err, ctx.Err())
	}
	return fn()
}
