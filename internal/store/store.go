// Package store stores everything but the bytes of files in a SQL database. Each SQL
// text runs on SQLite and on PostgreSQL, and is next to the code that scans its rows.
//
// A Store reads on its pool; InTx returns a Tx that reads and writes in one
// transaction. Both have the same read methods. A method never opens a
// transaction of its own, never decides who may do something, and never
// calls the network. The few things that differ between the databases are in
// sqlite.go and postgres.go.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Options are the options of Open.
type Options struct {
	// Path of the SQLite file; used when DatabaseURL is empty.
	Path string
	// DatabaseURL is a postgres:// address.
	DatabaseURL string
	// Clock is for tests; nil is the real one.
	Clock func() time.Time
	// MaxConns is the maximum number of connections of the pool; 0 is a default.
	MaxConns int
	// Log records failures of background work; nil is slog.Default.
	Log *slog.Logger
}

// Store is an open database whose schema is the one this program knows.
type Store struct {
	Reader
	db    *sql.DB
	d     dialect
	clock func() time.Time
	jobs  chan struct{} // see JobQueued
	bases *deltaBases
	known *knownBases
	texts *insertTexts
	folds foldWorker
	// searches limits how many searches read snapshots at the same time.
	searches *semaphore.Weighted
	full     atomic.Int64 // Unix time of the last write that failed because the disk was full
}

// dialect is what differs between the two databases.
type dialect interface {
	name() string
	// pool returns the reads that run on any connection.
	pool(db *sql.DB) Reader
	// transact runs fn in a transaction that is durable when transact returns
	// nil. It holds the lock of the space, or no lock if space is empty.
	transact(ctx context.Context, space string, queued func(), fn func(runner) error) error
	// snapshot runs fn on one consistent, read-only state.
	snapshot(ctx context.Context, fn func(runner) error) error
	// ddl returns the text of a migration for this database.
	ddl(text string) string
	// prelude is DDL that the migrations build on.
	prelude() string
	// exclusive is transact while other processes that call it wait.
	exclusive(ctx context.Context, fn func(runner) error) error
	// skipLocked goes behind the subselect that claims a job.
	skipLocked() string
	// describe returns the schema, for goldens and backups.
	describe(ctx context.Context, r runner) ([]Table, error)
	// parameter returns the n-th parameter of a statement whose parameters are in
	// order.
	parameter(n int) string
	// manyRows returns the beginning of an INSERT of many rows.
	manyRows(insert string) string
	// duplicate reports whether err says that a unique key is taken.
	duplicate(err error) bool
	// full reports whether err says that there is no room on the disk.
	full(err error) bool
	// nowMillis is the query for the time of the database.
	nowMillis() string
	// check looks for damage.
	check(ctx context.Context, r runner) error
	close() error
}

// runner runs a statement on the pool or inside a transaction.
type runner interface {
	query(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	row(ctx context.Context, text string, args ...any) *sql.Row
	exec(ctx context.Context, text string, args ...any) (sql.Result, error)
}

// Reader has every read of the store. It is part of Store and of Tx.
type Reader struct {
	run   runner
	d     dialect
	cache *rowCache // of the pool of SQLite; nil elsewhere
}

// Tx is one transaction. Its methods see its own writes.
type Tx struct {
	Reader
	now     time.Time
	ids     time.Duration // number of ids returned by NewID
	commits []func()
	known   *knownBases
	texts   *insertTexts
	jobs    chan<- struct{}
	fold    func(layer string, pending int64)
}

// NewID returns an id that sorts after the ids it returned for the transaction before.
func NewID[T ~string](tx *Tx) T {
	tx.ids++
	return docs.NewID[T](tx.now.Add(tx.ids))
}

// Now is the moment of the transaction: the same value for everything in it.
func (tx *Tx) Now() docs.Time { return docs.TimeOf(tx.now) }

// OnCommit runs fn after the transaction is durable.
func (tx *Tx) OnCommit(fn func()) { tx.commits = append(tx.commits, fn) }

// Open opens the database and migrates its schema. It fails if the schema was made by a
// newer version of Octavo.
func Open(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.migrate(ctx, latest()); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Attach opens a database without migrating its schema, to inspect it while another
// version of Octavo may be serving it.
func Attach(ctx context.Context, o Options) (*Store, error) {
	s, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	v, err := s.attached(ctx)
	switch {
	case err != nil && !errors.Is(err, ErrEmpty):
		err = fmt.Errorf("there is no Octavo data: %w", err)
	case v > latest():
		err = newerData(v)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// ErrEmpty is returned by Attach for a database that has no tables of Octavo yet.
var ErrEmpty = errors.New("the database is empty; octavo bootstrap makes an organization in it, octavo restore fills it from a backup")

// attached returns the version of the schema, or ErrEmpty.
func (s *Store) attached(ctx context.Context) (int, error) {
	tables, err := s.Tables(ctx)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(tables, func(t Table) bool { return t.Name == history }) {
		return 0, ErrEmpty
	}
	v, err := s.SchemaVersion(ctx)
	if err == nil && v == 0 {
		err = ErrEmpty
	}
	return v, err
}

// open connects without touching the schema.
func open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{clock: o.Clock, jobs: make(chan struct{}, maxGroup), bases: newDeltaBases(), known: newKnownBases(), texts: &insertTexts{}, folds: foldWorker{log: o.Log}}
	if s.clock == nil {
		s.clock = time.Now
	}
	var err error
	switch {
	case o.DatabaseURL == "":
		s.db, s.d, err = openSQLite(ctx, o)
	case strings.HasPrefix(o.DatabaseURL, "postgres://"), strings.HasPrefix(o.DatabaseURL, "postgresql://"):
		s.db, s.d, err = openPostgres(ctx, o)
	default:
		err = errors.New("the database address must start with postgres://; leave it out to use SQLite in the data folder")
	}
	if err != nil {
		return nil, err
	}
	s.Reader = s.d.pool(s.db)
	// What a search asks of its readers needs other connections than its snapshot.
	s.searches = semaphore.NewWeighted(max(1, int64(s.db.Stats().MaxOpenConnections/4)))
	return s, nil
}

// Close waits for running statements. The writer closes last, so that SQLite
// can fold its log back into the file.
func (s *Store) Close() error {
	s.folds.close()
	return errors.Join(s.db.Close(), s.d.close())
}

// Dialect names the database: "sqlite" or "postgres".
func (s *Store) Dialect() string { return s.d.name() }

// Stats of the connection pool, for metrics.
func (s *Store) Stats() sql.DBStats { return s.db.Stats() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	var n int
	return s.run.row(ctx, `SELECT id FROM instance`).Scan(&n)
}

// DiskFull reports whether a write failed in the last seconds because the disk is full.
// Small writes may still succeed.
func (s *Store) DiskFull() bool { return s.clock().Unix()-s.full.Load() < fullFor }

// fullFor is the number of seconds during which a full disk is reported.
const fullFor = 15

// Check looks for damage in the database; it can take long.
func (s *Store) Check(ctx context.Context) error { return s.d.check(ctx, s.run) }

// Clock returns the current time of the store, which tests can change.
func (s *Store) Clock() time.Time { return s.clock() }

// Do runs fn in a transaction: durable when Do returns nil, without effect
// when it returns an error. fn may run more than once, so it must not keep
// anything from a run that failed.
func (s *Store) Do(ctx context.Context, fn func(tx *Tx) error) error { return s.DoLocked(ctx, "", fn) }

// DoLocked is Do for a change of a space. Changes of the same space run one
// after the other, on all nodes, instead of failing and being repeated.
func (s *Store) DoLocked(ctx context.Context, space docs.SpaceID, fn func(tx *Tx) error) error {
	return s.DoQueued(ctx, space, func() {}, fn)
}

// DoQueued is DoLocked that calls queued as soon as the order of the
// transaction among others of the space is decided, before it has run.
func (s *Store) DoQueued(ctx context.Context, space docs.SpaceID, queued func(), fn func(tx *Tx) error) error {
	var tx *Tx
	err := s.d.transact(ctx, string(space), queued, func(r runner) error {
		tx = &Tx{Reader: Reader{run: r, d: s.d}, now: s.clock(), jobs: s.jobs, known: s.known, texts: s.texts, fold: s.foldSoon}
		return fn(tx)
	})
	if err != nil {
		if s.d.full(err) {
			s.full.Store(s.clock().Unix())
			err = &errs.Error{Kind: errs.NoSpace, Message: errs.DiskFull, Err: err}
		}
		return err
	}
	for _, after := range tx.commits {
		after()
	}
	return nil
}

// InTx is Do for a function with a result.
func InTx[T any](ctx context.Context, s *Store, fn func(tx *Tx) (T, error)) (T, error) {
	return InTxLocked(ctx, s, "", fn)
}

// InTxLocked is DoLocked for a function with a result.
func InTxLocked[T any](ctx context.Context, s *Store, space docs.SpaceID, fn func(tx *Tx) (T, error)) (T, error) {
	return InTxQueued(ctx, s, space, func() {}, fn)
}

// InTxQueued is DoQueued for a function with a result.
func InTxQueued[T any](ctx context.Context, s *Store, space docs.SpaceID, queued func(), fn func(tx *Tx) (T, error)) (T, error) {
	var out T
	err := s.DoQueued(ctx, space, queued, func(tx *Tx) (err error) {
		out, err = fn(tx)
		return err
	})
	if err != nil {
		var zero T
		return zero, err
	}
	return out, nil
}

// Snapshot runs fn on one consistent state of the database.
func (s *Store) Snapshot(ctx context.Context, fn func(r Reader) error) error {
	return s.d.snapshot(ctx, func(run runner) error { return fn(Reader{run: run, d: s.d}) })
}

// scanner is *sql.Row or *sql.Rows.
type scanner interface{ Scan(dest ...any) error }

// one reads a single row. If there is none, the error is errs.Missing(what).
func one[T any](ctx context.Context, r Reader, what string, scan func(scanner) (T, error), text string, args ...any) (T, error) {
	v, err := scan(r.run.row(ctx, text, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, errs.Missing(what)
	}
	if err != nil {
		return v, fmt.Errorf("read %s: %w", what, err)
	}
	return v, nil
}

// many reads all rows.
func many[T any](ctx context.Context, r Reader, scan func(scanner) (T, error), text string, args ...any) ([]T, error) {
	out := []T{}
	if err := each(ctx, r, scan, func(v T) { out = append(out, v) }, text, args...); err != nil {
		return nil, err
	}
	return out, nil
}

// each reads rows one by one.
func each[T any](ctx context.Context, r Reader, scan func(scanner) (T, error), fn func(T), text string, args ...any) error {
	rows, err := r.run.query(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return err
		}
		fn(v)
	}
	return rows.Err()
}

// exec runs a statement and returns the number of rows that it changed.
func (tx *Tx) exec(ctx context.Context, text string, args ...any) (int64, error) {
	res, err := tx.run.exec(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// put is exec for callers that do not need the number of rows.
func (tx *Tx) put(ctx context.Context, text string, args ...any) error {
	_, err := tx.run.exec(ctx, text, args...)
	return err
}

// taken turns the error of a duplicate key into errs.Conflict with a message.
func (tx *Tx) taken(err error, format string, args ...any) error {
	if err != nil && tx.d.duplicate(err) {
		return &errs.Error{Kind: errs.Conflict, Message: fmt.Sprintf(format, args...), Err: err}
	}
	return err
}

// scanText and friends scan a single column.
func scanText[T ~string](s scanner) (v T, err error) { err = s.Scan(&v); return v, err }
func scanInt(s scanner) (v int64, err error)         { err = s.Scan(&v); return v, err }

// ClockSkew returns the difference between the clock of the database and that of the store.
func (s *Store) ClockSkew(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	ms, err := one(ctx, s.Reader, "clock", scanInt, s.d.nowMillis())
	middle := start.Add(time.Since(start) / 2)
	return time.UnixMilli(ms).Sub(middle), err
}
