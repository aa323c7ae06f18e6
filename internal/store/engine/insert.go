package engine

import (
	"context"
	"slices"
	"strings"
	"sync"
)

// InsertAll is Insert for a list that may be very long: row makes the rows of
// a part of it at a time.
func InsertAll[T any](ctx context.Context, tx Writer, into, behind string, all []T, row func(T) []any) error {
	_, err := InsertNew(ctx, tx, into, behind, all, row)
	return err
}

// InsertNew is InsertAll that returns the number of stored rows, without those that
// exist already and that the clause behind does not change.
func InsertNew[T any](ctx context.Context, tx Writer, into, behind string, all []T, row func(T) []any) (stored int64, err error) {
	for some := range slices.Chunk(all, 512) {
		rows := make([][]any, len(some))
		for i, v := range some {
			rows[i] = row(v)
		}
		n, err := Insert(ctx, tx, into, behind, rows)
		if err != nil {
			return 0, err
		}
		stored += n
	}
	return stored, nil
}

const (
	// The numbers of rows of a statement. There are few different ones, so that few
	// statements have to be prepared.
	batchRows = 64
	fewRows   = 8
	// maxStatement is the maximum size of the texts in a statement of several rows, in
	// bytes. Drivers copy them into growing buffers, which add up to many times that size.
	maxStatement = 128 << 10
)

// Insert stores rows with few statements, and returns how many were stored.
func Insert(ctx context.Context, tx Writer, into, behind string, rows [][]any) (stored int64, err error) {
	of := tx.writer()
	for len(rows) > 0 {
		n := rowsAtOnce(rows)
		done, err := Exec(ctx, of, of.texts.of(of.read.d, insertSize{into, behind, n, len(rows[0])}), slices.Concat(rows[:n]...)...)
		if err != nil {
			return 0, err
		}
		stored += done
		rows = rows[n:]
	}
	return stored, nil
}

// rowsAtOnce returns the number of rows that the next statement stores.
func rowsAtOnce(rows [][]any) int {
	if len(rows) >= batchRows && bytesIn(rows[:batchRows]) <= maxStatement {
		return batchRows
	}
	n := min(len(rows), fewRows)
	for n > 1 && bytesIn(rows[:n]) > maxStatement {
		n--
	}
	return n
}

// bytesIn returns the size of the texts in rows.
func bytesIn(rows [][]any) (n int) {
	for _, row := range rows {
		for _, v := range row {
			switch v := v.(type) {
			case string:
				n += len(v)
			case []byte:
				n += len(v)
			}
		}
	}
	return n
}

// insertTexts caches the texts of INSERT statements: making one takes more memory
// than its arguments.
type insertTexts struct {
	mu    sync.Mutex
	texts map[insertSize]string
}

// insertSize is an INSERT of a number of rows.
type insertSize struct {
	into, behind  string
	rows, columns int
}

// of returns the text of an INSERT.
func (t *insertTexts) of(d dialect, s insertSize) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, known := t.texts[s]; known {
		return text
	}
	if t.texts == nil {
		t.texts = map[insertSize]string{}
	}
	text := d.manyRows(s.into) + " VALUES " + valuesList(d, s.rows, s.columns) + " " + s.behind
	t.texts[s] = text
	return text
}

// valuesList returns the parameters of rows.
func valuesList(d dialect, rows, columns int) string {
	all := make([]string, rows)
	for i := range all {
		row := make([]string, columns)
		for c := range row {
			row[c] = d.parameter(i*columns + c + 1)
		}
		all[i] = "(" + strings.Join(row, ", ") + ")"
	}
	return strings.Join(all, ", ")
}
