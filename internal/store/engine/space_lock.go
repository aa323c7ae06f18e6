package engine

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"hash/fnv"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Many people change one space at the same time. On PostgreSQL, where write
// transactions are serializable, all but one of the concurrent transactions would
// fail and be retried. So each transaction first takes the lock of its space: within
// a node before it takes a connection, and between nodes as an advisory lock before
// the transaction takes its snapshot. It also takes a share of the lock of all
// writers, which a transaction that keeps failing takes exclusively.

// spaceLocks holds the locks within a node: one holder for each key.
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

// unlockTime is the time to release an advisory lock. After it, the connection is
// closed, which also releases the lock.
const unlockTime = 5 * time.Second

// allWriters is the weight of the lock of all writers within a node. A shared holder takes 1 of it.
const allWriters = 1 << 30

// writersKey is the key of that lock between nodes. No space has it.
const writersKey = "all writers"

// advisoryLock is a shared or exclusive advisory lock.
type advisoryLock struct {
	key    string
	shared bool
}

// The lock of a space is always taken before that of the writers, so that no transaction waits for a
// space while it holds a share of the writers.

func lockShared(space string) []advisoryLock {
	return []advisoryLock{{key: space}, {key: writersKey, shared: true}}
}

func lockAlone(space string) []advisoryLock {
	locks := []advisoryLock{{key: space}, {key: writersKey}}
	if space == "" {
		return locks[1:]
	}
	return locks
}

// call returns the call of a function of PostgreSQL and its argument.
func (l advisoryLock) call(function string, n int) (string, any) {
	if l.shared {
		function += "_shared"
	}
	return function + "($" + strconv.Itoa(n) + ")", advisoryKey(l.key)
}

// forAll calls a function for all locks, in their order, in one statement.
func forAll(ctx context.Context, conn *sql.Conn, function string, locks []advisoryLock) error {
	calls, args := make([]string, len(locks)), make([]any, len(locks))
	for i, l := range locks {
		calls[i], args[i] = l.call(function, i+1)
	}
	_, err := conn.ExecContext(ctx, "SELECT "+strings.Join(calls, ", "), args...)
	return err
}

// withAdvisoryLocks runs fn while the connection has locks.
func withAdvisoryLocks(ctx context.Context, conn *sql.Conn, locks []advisoryLock, fn func() error) (err error) {
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unlockTime)
		defer cancel()
		if forAll(ctx, conn, "pg_advisory_unlock", locks) != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // the pool drops the connection
		}
	}()
	if err := forAll(ctx, conn, "pg_advisory_lock", locks); err != nil {
		return errors.Join(err, ctx.Err())
	}
	return fn()
}
