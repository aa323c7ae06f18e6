// Package store stores everything but the bytes of files in a SQL database. Each SQL
// text runs on SQLite and on PostgreSQL, and is next to the code that scans its rows.
//
// A Store reads on its pool; InTx returns a Tx that reads and writes in one
// transaction. Both have the same read methods. A method never opens a
// transaction, never decides who may do something, and never calls the
// network. Package engine knows how statements are run on the databases, and
// package searchrows how the search index is stored.
//
// The methods of Reader and Tx are grouped by nouns (rows.go). What a member may see is
// decided in access.go, for lists, and by docs.Access for one thing.
package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// What callers need of the engine.
type (
	// Options are the options of Open.
	Options = engine.Options
	// Page requests a page of a list.
	Page = engine.Page
	// Key is the position of an item in the order of its list.
	Key = engine.Key
	// List is a list that is read a page at a time.
	List[T any] = engine.List[T]
	// Manifest describes a backup.
	Manifest = engine.Manifest
	// AddFile puts the bytes of a file into a backup.
	AddFile = engine.AddFile
)

// ErrEmpty is returned by Attach for a database that has no tables of Octavo yet.
var ErrEmpty = engine.ErrEmpty

// IsCollision reports whether a transaction failed only because of others.
func IsCollision(err error) bool { return engine.IsCollision(err) }

// Store is an open database whose schema is the one this program knows.
type Store struct {
	Reader
	*engine.DB
	*searchrows.Index
	jobs  chan struct{} // see JobQueued
	bases *deltaBases
	known *knownBases
}

// NewID returns an id that sorts after the ids it returned for the transaction before.
func NewID[T ~string](tx *Tx) T { return engine.NewID[T](tx) }

// Open opens the database and migrates its schema. It fails if the schema was made by a
// newer version of Octavo.
func Open(ctx context.Context, o Options) (*Store, error) {
	db, err := engine.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return over(db, o), nil
}

// Attach opens a database without migrating its schema, to inspect it while another
// version of Octavo may be serving it.
func Attach(ctx context.Context, o Options) (*Store, error) {
	db, err := engine.Attach(ctx, o)
	if err != nil {
		return nil, err
	}
	return over(db, o), nil
}

// maxWakes is the maximum number of jobs that workers are notified of at once.
const maxWakes = 128

// over returns the rows of a database.
func over(db *engine.DB, o Options) *Store {
	return &Store{
		Reader: readerOf(db.Pool()), DB: db, Index: searchrows.New(db, o.Log),
		jobs: make(chan struct{}, maxWakes), bases: newDeltaBases(), known: newKnownBases(),
	}
}

// Close waits for running statements.
func (s *Store) Close() error {
	s.Index.Close()
	return s.DB.Close()
}

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
	return engine.Do(ctx, s.DB, string(space), queued, func(tx *engine.Tx) error {
		return fn(s.txOf(tx))
	})
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
	return engine.Snapshot(ctx, s.DB, func(r *engine.Reader) error { return fn(readerOf(r)) })
}
