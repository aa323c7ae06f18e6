package store

import (
	"context"
	"math"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Key is the place of an item in the order of its list. It travels inside a
// signed cursor, so a store method can trust its shape once it has parsed.
type Key []string

// Page asks for a stretch of a list: at most Limit items behind After.
type Page struct {
	After Key
	Limit int
	Bytes int // of texts in the items, roughly; 0: any number
}

// List is a list that is read a page at a time. The zero List is empty.
type List[T any] struct {
	// Page returns a page and the key behind its last item; no key if it is
	// the last page.
	Page func(ctx context.Context, p Page) ([]T, Key, error)
	// Count returns the number of all items; nil if the list is not counted.
	Count func(ctx context.Context) (int64, error)
}

// text returns the i-th part of a key; without a key, the lowest text, which
// sorts before everything.
func (p Page) text(i int) string {
	if i < len(p.After) {
		return p.After[i]
	}
	return ""
}

// number returns the i-th part as a number; without a key, first.
func (p Page) number(i int, first int64) (int64, error) {
	if i >= len(p.After) {
		return first, nil
	}
	n, err := strconv.ParseInt(p.After[i], 10, 64)
	if err != nil {
		return 0, errs.Field("query.page", "is not a cursor of this list")
	}
	return n, nil
}

// lastText sorts behind every id, for lists that run backward.
const lastText = "~"

// down returns where a list that runs backward in time starts.
func (p Page) down() (at int64, id string, err error) {
	at, err = p.number(0, math.MaxInt64)
	if err != nil {
		return 0, "", err
	}
	if len(p.After) < 2 {
		return at, lastText, nil
	}
	return at, p.After[1], nil
}

// cut takes what a query for Limit+1 rows gave, and the key of the last item
// if there are more.
func cut[T any](p Page, items []T, key func(T) Key) ([]T, Key) {
	if len(items) <= p.Limit {
		return items, nil
	}
	items = items[:p.Limit]
	if p.Limit == 0 {
		return items, nil
	}
	return items, key(items[p.Limit-1])
}

// bodies reads one page of a list of texts. It ends early when they are longer than
// the page may be.
func bodies[T any](ctx context.Context, r Reader, p Page, scan func(scanner) (T, error), size func(T) int, key func(T) Key, text string, args ...any) ([]T, Key, error) {
	rows, err := r.run.query(ctx, text, args...)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	out, total := []T{}, 0
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, nil, err
		}
		total += size(v)
		if n := len(out); n > 0 && (n >= p.Limit || p.Bytes > 0 && total > p.Bytes) {
			return out, key(out[n-1]), nil
		}
		out = append(out, v)
	}
	return out, nil, rows.Err()
}

// weightOf returns roughly how many bytes a text is in an answer. Blocks, marks and links
// become objects there, which are much longer than what is written.
func weightOf(markdown string) int {
	n := len(markdown)
	for _, c := range []string{"\n", "*", "_", "`", "["} {
		n += 100 * strings.Count(markdown, c)
	}
	return n
}

// ask is how many rows to read: one more than wanted, to know of a next page.
// Statements say LIMIT $n + 0: SQLite would look at a bare parameter and
// prepare the statement anew every time.
func (p Page) ask() int { return p.Limit + 1 }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
