package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Reader reads on the pool, in a snapshot or in a transaction.
type Reader struct {
	run   runner
	d     dialect
	cache *rowCache // of the pool of SQLite; nil elsewhere
}

// Querier is a Reader or a Tx, or a type that embeds one.
type Querier interface{ reader() *Reader }

func (r *Reader) reader() *Reader { return r }

// Snapshot runs fn on one consistent state of the database.
func Snapshot(ctx context.Context, db *DB, fn func(r *Reader) error) error {
	return db.d.snapshot(ctx, func(run runner) error { return fn(&Reader{run: run, d: db.d}) })
}

// Scanner is a row that has been read.
type Scanner interface{ Scan(dest ...any) error }

// RawBytes are bytes of a column that are valid until the next row is read.
type RawBytes = sql.RawBytes

// ErrNoRow is returned by Scan of the result of Row if there is no row.
var ErrNoRow = sql.ErrNoRows

// Row runs a statement that returns at most one row.
func Row(ctx context.Context, r Querier, text string, args ...any) Scanner {
	return r.reader().run.row(ctx, text, args...)
}

// Query runs a statement that returns rows, for callers that read them in another way. The
// caller closes them.
func Query(ctx context.Context, r Querier, text string, args ...any) (*sql.Rows, error) {
	return r.reader().run.query(ctx, text, args...)
}

// One reads a single row. If there is none, the error is errs.Missing(what).
func One[T any](ctx context.Context, r Querier, what string, scan func(Scanner) (T, error), text string, args ...any) (T, error) {
	v, err := scan(r.reader().run.row(ctx, text, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return v, errs.Missing(what)
	}
	if err != nil {
		return v, fmt.Errorf("read %s: %w", what, err)
	}
	return v, nil
}

// Many reads all rows.
func Many[T any](ctx context.Context, r Querier, scan func(Scanner) (T, error), text string, args ...any) ([]T, error) {
	out := []T{}
	if err := Each(ctx, r, scan, func(v T) { out = append(out, v) }, text, args...); err != nil {
		return nil, err
	}
	return out, nil
}

// Each reads rows one by one.
func Each[T any](ctx context.Context, r Querier, scan func(Scanner) (T, error), fn func(T), text string, args ...any) error {
	rows, err := r.reader().run.query(ctx, text, args...)
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

// ScanText scans a single column of text.
func ScanText[T ~string](s Scanner) (v T, err error) { err = s.Scan(&v); return v, err }

// ScanInt scans a single column with a number.
func ScanInt(s Scanner) (v int64, err error) { err = s.Scan(&v); return v, err }

// ListOf appends values to the arguments of a statement, and returns the list of
// their parameters: ($n, …). It repeats the last argument up to one of few sizes,
// so that there are few different statements to prepare.
func ListOf[T any](args *[]any, values []T) string {
	first, size := len(*args)+1, 1
	for _, v := range values {
		*args = append(*args, v)
	}
	for size < len(values) {
		size += (size + 1) / 2
	}
	for range size - len(values) {
		*args = append(*args, (*args)[len(*args)-1])
	}
	b := make([]byte, 0, 6*size)
	for i := range size {
		b = append(b, ", $"...)
		b = strconv.AppendInt(b, int64(first+i), 10)
	}
	return "(" + string(b[2:]) + ")"
}
