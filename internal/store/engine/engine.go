// Package engine runs SQL on SQLite and on PostgreSQL. It knows how a database is opened,
// migrated, backed up and restored, how transactions are ordered, retried and made
// durable, and how rows are read, cached, inserted and paged. Only package store, which
// is built on it, knows which rows there are.
//
// A DB reads on its pool, Do runs a transaction, and Snapshot reads one consistent state.
// A type that has rows embeds a Reader or a Tx, and passes itself to the functions of
// this package: One, Many and Each read, Exec, Put and Insert write. They are functions, not
// methods, so that what embeds a Tx does not offer SQL to its callers.
//
// The few things that differ between the databases are in sqlite.go and postgres.go. How
// writers wait for each other is in write_queue.go (SQLite) and space_lock.go (PostgreSQL),
// the schema in migrations, and what a backup holds in backup.go.
package engine

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

// DB is an open database whose schema is the one this program knows.
type DB struct {
	read  *Reader // on any connection
	db    *sql.DB
	d     dialect
	clock func() time.Time
	texts *insertTexts
	full  atomic.Int64 // Unix time of the last write that failed because the disk was full
}

// dialect is what differs between the two databases.
type dialect interface {
	name() string
	// pool returns the reads that run on any connection.
	pool(db *sql.DB) *Reader
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

// Open opens the database and migrates its schema. It fails if the schema was made by a
// newer version of Octavo.
func Open(ctx context.Context, o Options) (*DB, error) {
	db, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := db.migrate(ctx, latest()); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// Attach opens a database without migrating its schema, to inspect it while another
// version of Octavo may be serving it.
func Attach(ctx context.Context, o Options) (*DB, error) {
	db, err := open(ctx, o)
	if err != nil {
		return nil, err
	}
	v, err := db.attached(ctx)
	switch {
	case err != nil && !errors.Is(err, ErrEmpty):
		err = fmt.Errorf("there is no Octavo data: %w", err)
	case v > latest():
		err = newerData(v)
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// ErrEmpty is returned by Attach for a database that has no tables of Octavo yet.
var ErrEmpty = errors.New("the database is empty; octavo bootstrap makes an organization in it, octavo restore fills it from a backup")

// attached returns the version of the schema, or ErrEmpty.
func (db *DB) attached(ctx context.Context) (int, error) {
	tables, err := db.read.Tables(ctx)
	if err != nil {
		return 0, err
	}
	if !slices.ContainsFunc(tables, func(t Table) bool { return t.Name == history }) {
		return 0, ErrEmpty
	}
	v, err := db.read.SchemaVersion(ctx)
	if err == nil && v == 0 {
		err = ErrEmpty
	}
	return v, err
}

// open connects without touching the schema.
func open(ctx context.Context, o Options) (*DB, error) {
	db := &DB{clock: o.Clock, texts: &insertTexts{}}
	if db.clock == nil {
		db.clock = time.Now
	}
	var err error
	switch {
	case o.DatabaseURL == "":
		db.db, db.d, err = openSQLite(ctx, o)
	case strings.HasPrefix(o.DatabaseURL, "postgres://"), strings.HasPrefix(o.DatabaseURL, "postgresql://"):
		db.db, db.d, err = openPostgres(ctx, o)
	default:
		err = errors.New("the database address must start with postgres://; leave it out to use SQLite in the data folder")
	}
	if err != nil {
		return nil, err
	}
	db.read = db.d.pool(db.db)
	return db, nil
}

// Close waits for running statements. The writer closes last, so that SQLite
// can fold its log back into the file.
func (db *DB) Close() error { return errors.Join(db.db.Close(), db.d.close()) }

// Pool returns the reads that run on any connection.
func (db *DB) Pool() *Reader { return db.read }

// Dialect names the database: "sqlite" or "postgres".
func (db *DB) Dialect() string { return db.d.name() }

// Stats of the connection pool, for metrics.
func (db *DB) Stats() sql.DBStats { return db.db.Stats() }

// Ping reports whether the database answers.
func (db *DB) Ping(ctx context.Context) error {
	var n int
	return db.read.run.row(ctx, `SELECT id FROM instance`).Scan(&n)
}

// DiskFull reports whether a write failed in the last seconds because the disk is full.
// Small writes may still succeed.
func (db *DB) DiskFull() bool { return db.clock().Unix()-db.full.Load() < fullFor }

// fullFor is the number of seconds during which a full disk is reported.
const fullFor = 15

// Check looks for damage in the database; it can take long.
func (db *DB) Check(ctx context.Context) error { return db.d.check(ctx, db.read.run) }

// Clock returns the current time of the database, which tests can change.
func (db *DB) Clock() time.Time { return db.clock() }

// ClockSkew returns the difference between the clock of the database and that of the program.
func (db *DB) ClockSkew(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	ms, err := One(ctx, db.read, "clock", ScanInt, db.d.nowMillis())
	middle := start.Add(time.Since(start) / 2)
	return time.UnixMilli(ms).Sub(middle), err
}
