package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"golang.org/x/sync/semaphore"

	"github.com/octavo-docs/octavo/internal/errs"
)

// postgres serves any number of nodes. Write transactions are serializable, so they
// behave as on SQLite, where there is one writer. Serialization failures are retried.
type postgres struct {
	db      *sql.DB
	locks   spaceLocks
	writers *semaphore.Weighted // the lock of all writers within this node
}

// A large transaction among many small ones may fail each time: PostgreSQL tracks its many reads by
// page, and others write to the same pages. After sharedTime, it waits until it is the only writer of
// content, and is then retried for aloneTime.
const (
	sharedTime = 300 * time.Millisecond
	aloneTime  = 10 * time.Second
)

func openPostgres(ctx context.Context, o Options) (*sql.DB, dialect, error) {
	config, err := pgx.ParseConfig(o.DatabaseURL)
	if err != nil {
		return nil, nil, fmt.Errorf("the database address cannot be read: %w", redacted(err))
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(compressFast))
	n := o.MaxConns
	if n == 0 {
		n = 20
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	db.SetConnMaxIdleTime(5 * time.Minute)
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := db.PingContext(ctx); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("PostgreSQL does not answer: %w", redacted(err)), db.Close())
	}
	return db, &postgres{db: db, writers: semaphore.NewWeighted(allWriters)}, nil
}

// compressFast makes a connection compress long values with LZ4, which takes a tenth of the time of
// the default. A server without LZ4 keeps its default.
func compressFast(ctx context.Context, conn *pgx.Conn) error {
	_, err := conn.Exec(ctx, `SET default_toast_compression = 'lz4'`)
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return nil
	}
	return err
}

// redacted drops the connection string, which holds a password, from errors
// of the driver.
func redacted(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("it is not a valid postgres:// URL")
	}
	return err
}

func (p *postgres) name() string { return "postgres" }
func (p *postgres) close() error { return nil }

func (p *postgres) pool(db *sql.DB) *Reader { return &Reader{run: pgRunner{db}, d: p} }

func (p *postgres) transact(ctx context.Context, space string, queued func(), fn func(runner) error) error {
	queued() // locks of a space are granted in the order of the requests
	if space != "" {
		unlock, err := p.locks.lock(ctx, space)
		if err != nil {
			return err
		}
		defer unlock()
	}
	err := p.shared(ctx, space, fn)
	if IsCollision(err) {
		err = p.alone(ctx, space, fn)
	}
	if IsCollision(err) {
		return &errs.Error{Kind: errs.Conflict, Message: "others wrote at the same time again and again, so nothing was changed; try again, with fewer changes at a time", Err: err}
	}
	return err
}

// shared runs a transaction beside those of other spaces.
func (p *postgres) shared(ctx context.Context, space string, fn func(runner) error) error {
	if space == "" {
		return retried(ctx, sharedTime, func() error { return once(ctx, p.db, serializable, fn) })
	}
	return p.among(ctx, 1, lockShared(space), func(conn *sql.Conn) error {
		return retried(ctx, sharedTime, func() error { return once(ctx, conn, serializable, fn) })
	})
}

// alone runs a transaction while no other transaction on any node changes content.
func (p *postgres) alone(ctx context.Context, space string, fn func(runner) error) error {
	return p.among(ctx, allWriters, lockAlone(space), func(conn *sql.Conn) error {
		return retried(ctx, aloneTime, func() error { return once(ctx, conn, serializable, fn) })
	})
}

// among runs fn on a connection that holds advisory locks. It waits for its share of p.writers
// before it takes a connection, so that waiters do not use up the pool.
func (p *postgres) among(ctx context.Context, share int64, locks []advisoryLock, fn func(*sql.Conn) error) error {
	if err := p.writers.Acquire(ctx, share); err != nil {
		return err
	}
	defer p.writers.Release(share)
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return withAdvisoryLocks(ctx, conn, locks, func() error { return fn(conn) })
}

var serializable = &sql.TxOptions{Isolation: sql.LevelSerializable}

// retried repeats a transaction that fails only because of others, for at most long.
func retried(ctx context.Context, long time.Duration, do func() error) error {
	end := time.Now().Add(long)
	for try := 1; ; try++ {
		err := do()
		if err == nil || !IsCollision(err) || time.Now().After(end) {
			return err
		}
		pause := time.Duration(rand.Int64N(int64(min(try*try, 100)) * int64(time.Millisecond)))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// beginner is the pool, or one connection of it.
type beginner interface {
	BeginTx(ctx context.Context, o *sql.TxOptions) (*sql.Tx, error)
}

func once(ctx context.Context, db beginner, o *sql.TxOptions, fn func(runner) error) (err error) {
	tx, err := db.BeginTx(ctx, o)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := fn(pgRunner{tx}); err != nil {
		return ended(ctx, err)
	}
	return ended(ctx, tx.Commit())
}

// ended adds the reason to the error of a transaction that database/sql rolled back
// because ctx was done: callers tell those who left from failures by it.
func ended(ctx context.Context, err error) error {
	if errors.Is(err, sql.ErrTxDone) && ctx.Err() != nil {
		return fmt.Errorf("%w: %w", ctx.Err(), err)
	}
	return err
}

func (p *postgres) snapshot(ctx context.Context, fn func(runner) error) error {
	return once(ctx, p.db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}, fn)
}

// IsCollision reports whether a transaction failed only because of others.
func IsCollision(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && (e.Code == "40001" || e.Code == "40P01")
}

func (p *postgres) parameter(n int) string { return "$" + strconv.Itoa(n) }

func (p *postgres) manyRows(insert string) string { return insert }

func (p *postgres) nowMillis() string {
	return `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)`
}

func (p *postgres) duplicate(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "23505"
}

func (p *postgres) full(err error) bool {
	var e *pgconn.PgError
	return errors.As(err, &e) && e.Code == "53100"
}

func (p *postgres) ddl(text string) string { return text } // the rest is in comments

func (p *postgres) prelude() string {
	return `DO $$ BEGIN CREATE DOMAIN text_key AS text COLLATE "C"; EXCEPTION WHEN duplicate_object THEN NULL; END $$`
}

// migrationLock is an arbitrary number that only Octavo locks.
const migrationLock = 7_046_282_101

// exclusive does not use a serializable transaction, because that would not see what
// others committed while it waited for the lock.
func (p *postgres) exclusive(ctx context.Context, fn func(runner) error) error {
	return once(ctx, p.db, &sql.TxOptions{Isolation: sql.LevelReadCommitted}, func(r runner) error {
		if _, err := r.exec(ctx, `SELECT pg_advisory_xact_lock($1)`, migrationLock); err != nil {
			return err
		}
		return fn(r)
	})
}

func (p *postgres) skipLocked() string { return "FOR UPDATE SKIP LOCKED" }

func (p *postgres) check(ctx context.Context, r runner) error {
	var off string
	if err := r.row(ctx, `SHOW synchronous_commit`).Scan(&off); err != nil {
		return err
	}
	if off == "off" {
		return errors.New("PostgreSQL runs with synchronous_commit = off: a crash can lose acknowledged writes")
	}
	return nil
}

func (p *postgres) describe(ctx context.Context, r runner) ([]Table, error) {
	return describeWith(ctx, r, `
		SELECT table_name, column_name, COALESCE(domain_name, data_type), is_nullable = 'NO'
		FROM information_schema.columns
		WHERE table_schema = current_schema()
		ORDER BY table_name, ordinal_position`)
}

// pgRunner runs on the pool or in a transaction; pgx prepares and keeps the
// statements of each connection by itself.
type pgRunner struct {
	on interface {
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
		QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	}
}

func (r pgRunner) query(ctx context.Context, text string, args ...any) (*sql.Rows, error) {
	return r.on.QueryContext(ctx, text, args...)
}

func (r pgRunner) row(ctx context.Context, text string, args ...any) *sql.Row {
	return r.on.QueryRowContext(ctx, text, args...)
}

func (r pgRunner) exec(ctx context.Context, text string, args ...any) (sql.Result, error) {
	return r.on.ExecContext(ctx, text, args...)
}
