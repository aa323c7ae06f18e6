package engine

import (
	"context"
	"math"
	"strconv"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Key is the position of an item in the order of its list. Clients get it inside a
// signed cursor, so store methods can trust its form.
type Key []string

// Page requests a page of a list: at most Limit items after the key After.
type Page struct {
	After Key
	Limit int
	Bytes int // approximate maximum size of the texts in the items; 0: no limit
}

// List is a list that is read a page at a time. The zero List is empty.
type List[T any] struct {
	// Page returns a page and the key of its last item, or no key if it is the
	// last page.
	Page func(ctx context.Context, p Page) ([]T, Key, error)
	// Count returns the number of all items; nil if the list is not counted.
	Count func(ctx context.Context) (int64, error)
}

// Text returns the i-th part of the key, or "" without a key, which sorts before
// everything.
func (p Page) Text(i int) string {
	if i < len(p.After) {
		return p.After[i]
	}
	return ""
}

// Number returns the first part as a number; without a key, first.
func (p Page) Number(first int64) (int64, error) {
	if len(p.After) == 0 {
		return first, nil
	}
	n, err := strconv.ParseInt(p.After[0], 10, 64)
	if err != nil {
		return 0, errs.Field("page", "is not a cursor of this list")
	}
	return n, nil
}

// LastText sorts after every id, for lists in descending order.
const LastText = "~"

// Down returns the start of a page of a list that is sorted by descending time.
func (p Page) Down() (at int64, id string, err error) {
	at, err = p.Number(math.MaxInt64)
	if err != nil {
		return 0, "", err
	}
	if len(p.After) < 2 {
		return at, LastText, nil
	}
	return at, p.After[1], nil
}

// Sorting is the direction of a list by a number and an id, and where its page starts.
type Sorting struct {
	Compare, Direction string // operator of the condition, and word of the order
	At                 int64
	ID                 string
}

// Sorted returns the start of a page of a list with the lowest first, or with the highest.
func (p Page) Sorted(asc bool) (by Sorting, err error) {
	by.Compare, by.Direction = Directed(asc)
	if asc {
		by.ID = p.Text(1)
		by.At, err = p.Number(math.MinInt64)
	} else {
		by.At, by.ID, err = p.Down()
	}
	return by, err
}

// Directed returns the operator of the condition and the word of the order of a list.
func Directed(asc bool) (compare, direction string) {
	if asc {
		return ">", "ASC"
	}
	return "<", "DESC"
}

// Cut returns at most Limit of the Limit+1 rows of a query, and the key of the last
// one if there are more.
func Cut[T any](p Page, items []T, key func(T) Key) ([]T, Key) {
	if len(items) <= p.Limit {
		return items, nil
	}
	items = items[:p.Limit]
	if p.Limit == 0 {
		return items, nil
	}
	return items, key(items[p.Limit-1])
}

// Bodies reads one page of a list of texts. The page ends early if the texts are
// larger than p.Bytes.
func Bodies[T any](ctx context.Context, r Querier, p Page, scan func(Scanner) (T, error), size func(T) int, key func(T) Key, text string, args ...any) ([]T, Key, error) {
	rows, err := Query(ctx, r, text, args...)
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

// Ask returns the number of rows to read: one more than Limit, to find out whether
// there is a next page. Statements use LIMIT $n + 0, because SQLite prepares a
// statement with a bare parameter again for each value.
func (p Page) Ask() int { return p.Limit + 1 }
