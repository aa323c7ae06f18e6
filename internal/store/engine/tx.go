package engine

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// Tx is one transaction. What is read in it sees what it wrote.
type Tx struct {
	read    Reader
	now     time.Time
	ids     time.Duration // number of ids returned by NewID
	commits []func()
	texts   *insertTexts
}

// Writer is a Tx, or a type that embeds one.
type Writer interface {
	Querier
	writer() *Tx
}

func (tx *Tx) writer() *Tx     { return tx }
func (tx *Tx) reader() *Reader { return &tx.read }

// NewID returns an id that sorts after the ids it returned for the transaction before.
func NewID[T ~string](tx Writer) T {
	of := tx.writer()
	of.ids++
	return docs.NewID[T](of.now.Add(of.ids))
}

// Now is the moment of the transaction: the same value for everything in it.
func (tx *Tx) Now() docs.Time { return docs.TimeOf(tx.now) }

// Began is Now with all its digits.
func (tx *Tx) Began() time.Time { return tx.now }

// Reads returns the reads of the transaction.
func (tx *Tx) Reads() *Reader { return &tx.read }

// OnCommit runs fn after the transaction is durable.
func (tx *Tx) OnCommit(fn func()) { tx.commits = append(tx.commits, fn) }

// Do runs fn in a transaction: durable when Do returns nil, without effect when it returns
// an error. fn may run more than once, so it must not keep anything from a run that failed.
//
// Transactions of the same space run one after the other, on all nodes, instead of failing
// and being repeated; an empty space is none. Do calls queued as soon as the order of the
// transaction among others of the space is decided, before it has run.
func Do(ctx context.Context, db *DB, space string, queued func(), fn func(tx *Tx) error) error {
	var tx *Tx
	err := db.d.transact(ctx, space, queued, func(r runner) error {
		tx = &Tx{read: Reader{run: r, d: db.d}, now: db.clock(), texts: db.texts}
		return fn(tx)
	})
	if err != nil {
		if db.d.full(err) {
			db.full.Store(db.clock().Unix())
			err = &errs.Error{Kind: errs.NoSpace, Message: errs.DiskFull, Err: err}
		}
		return err
	}
	for _, after := range tx.commits {
		after()
	}
	return nil
}

// Exec runs a statement and returns the number of rows that it changed.
func Exec(ctx context.Context, tx Writer, text string, args ...any) (int64, error) {
	res, err := tx.writer().read.run.exec(ctx, text, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Put is Exec for callers that do not need the number of rows.
func Put(ctx context.Context, tx Writer, text string, args ...any) error {
	_, err := tx.writer().read.run.exec(ctx, text, args...)
	return err
}

// Taken turns the error of a duplicate key into errs.Conflict with a message.
func Taken(tx Writer, err error, format string, args ...any) error {
	if err != nil && tx.writer().read.d.duplicate(err) {
		return &errs.Error{Kind: errs.Conflict, Message: fmt.Sprintf(format, args...), Err: err}
	}
	return err
}

// SkipLocked returns what goes behind a subselect that claims a row, so that it skips the
// rows that other transactions are claiming.
func SkipLocked(tx Writer) string { return tx.writer().read.d.skipLocked() }
