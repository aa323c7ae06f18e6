package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
)

// The writer of SQLite is tested from the inside: only there a group can be
// made on purpose, instead of hoping that transactions meet.

// scratch opens a store with a table to write to.
func scratch(t *testing.T) *DB {
	t.Helper()
	ctx := context.Background()
	s, err := Open(ctx, Options{Path: filepath.Join(t.TempDir(), "octavo.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	err = do(ctx, s, func(tx *Tx) error {
		return Put(ctx, tx, `CREATE TABLE scratch (n INTEGER PRIMARY KEY, of INTEGER REFERENCES scratch (n))`)
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// do runs a transaction that belongs to no space.
func do(ctx context.Context, s *DB, fn func(tx *Tx) error) error {
	return Do(ctx, s, "", func() {}, fn)
}

func add(tx *Tx, n int) error {
	return Put(context.Background(), tx, `INSERT INTO scratch (n) VALUES ($1)`, n)
}

// scratched returns what anybody who is no part of a transaction can see.
func (s *DB) scratched(t *testing.T) []int64 {
	t.Helper()
	got, err := Many(context.Background(), s.read, ScanInt, `SELECT n FROM scratch ORDER BY n`)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// outcome is how a transaction ended for its caller.
type outcome struct {
	err    error
	panics any
}

// together runs transactions as one group, in their order: the writer is
// busy with another one until all of them wait.
func together(s *DB, fns ...func(tx *Tx) error) []outcome {
	ctx := context.Background()
	out := make([]outcome, len(fns))
	var wg sync.WaitGroup
	release := occupy(s)
	for i, fn := range fns {
		wg.Go(func() {
			defer func() { out[i].panics = recover() }()
			out[i].err = do(ctx, s, fn)
		})
		awaitQueued(s, i+1)
	}
	release()
	wg.Wait()
	return out
}

// occupy keeps the writer busy until release is called. The transaction that
// does it shares the fate of the group, which is of no interest.
func occupy(s *DB) (release func()) {
	busy, free, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		_ = do(context.Background(), s, func(*Tx) error { close(busy); <-free; return nil })
		close(done)
	}()
	<-busy
	return func() { close(free); <-done }
}

func awaitQueued(s *DB, n int) {
	for len(s.d.(*sqlite).queue) < n {
		runtime.Gosched()
	}
}

func TestGroupKeepsExactlyWhatSucceeded(t *testing.T) {
	const size = 64 // fits into one group with the transaction before it
	s := scratch(t)
	var fns []func(tx *Tx) error
	var want []int64
	refused := make([]error, size)
	committed := make([]bool, size)
	const panicking = 40
	for i := range size {
		refused[i] = fmt.Errorf("refused %d", i)
		fns = append(fns, func(tx *Tx) error {
			tx.OnCommit(func() { committed[i] = true })
			if err := add(tx, i); err != nil {
				return err
			}
			switch {
			case i == panicking:
				panic("number 40")
			case i%5 == 1: // after it has written
				return refused[i]
			case i%5 == 2: // SQLite refuses: the number is taken
				return add(tx, i)
			}
			return nil
		})
		if i != panicking && i%5 != 1 && i%5 != 2 {
			want = append(want, int64(i))
		}
	}
	for i, got := range together(s, fns...) {
		ok := got.panics == nil
		switch {
		case i == panicking:
			ok = got.panics == "number 40"
		case i%5 == 1:
			ok = ok && errors.Is(got.err, refused[i])
		case i%5 == 2:
			ok = ok && s.d.duplicate(got.err)
		default:
			ok = ok && got.err == nil
		}
		if !ok {
			t.Errorf("transaction %d: error %v, panic %v", i, got.err, got.panics)
		}
		if shouldCommit := slices.Contains(want, int64(i)); committed[i] != shouldCommit {
			t.Errorf("transaction %d: OnCommit ran: %v", i, committed[i])
		}
	}
	if got := s.scratched(t); !slices.Equal(got, want) {
		t.Errorf("there is %v, want %v", got, want)
	}
}

// The first transaction of a group has no savepoint.
func TestFirstOfAGroupFails(t *testing.T) {
	s := scratch(t)
	refused := errors.New("refused")
	for i, end := range []func() error{
		func() error { return refused },
		func() error { panic(refused) },
		func() error { return nil },
	} {
		busy, free, done := make(chan struct{}), make(chan struct{}), make(chan outcome)
		go func() {
			var out outcome
			defer func() { out.panics = recover(); done <- out }()
			out.err = do(context.Background(), s, func(tx *Tx) error {
				if err := add(tx, 10*i); err != nil {
					return err
				}
				close(busy)
				<-free
				return end()
			})
		}()
		<-busy
		second := make(chan error)
		go func() { second <- do(context.Background(), s, func(tx *Tx) error { return add(tx, 10*i+1) }) }()
		awaitQueued(s, 1)
		close(free)
		if out := <-done; errors.Is(out.err, refused) != (i == 0) || (out.panics == any(refused)) != (i == 1) {
			t.Errorf("first transaction of group %d: error %v, panic %v", i, out.err, out.panics)
		}
		if err := <-second; err != nil {
			t.Errorf("second transaction of group %d: %v", i, err)
		}
	}
	if got := s.scratched(t); !slices.Equal(got, []int64{1, 11, 20, 21}) {
		t.Errorf("there is %v", got)
	}
}

func TestTransactionsOfAGroupSeeTheOnesBefore(t *testing.T) {
	s := scratch(t)
	// Each adds the number behind the highest: two that saw the same would
	// collide.
	next := func(tx *Tx) error {
		n, err := One(context.Background(), tx, "number", ScanInt, `SELECT COALESCE(MAX(n), 0) + 1 FROM scratch`)
		if err != nil {
			return err
		}
		return add(tx, int(n))
	}
	fns := make([]func(tx *Tx) error, 50)
	for i := range fns {
		fns[i] = next
	}
	for i, got := range together(s, fns...) {
		if got.err != nil || got.panics != nil {
			t.Errorf("transaction %d: %+v", i, got)
		}
	}
	if got := s.scratched(t); len(got) != len(fns) || got[len(got)-1] != int64(len(fns)) {
		t.Errorf("there is %v", got)
	}
}

func TestNothingIsVisibleBeforeItsGroupIsCommitted(t *testing.T) {
	s := scratch(t)
	for i, got := range together(s,
		func(tx *Tx) error {
			tx.OnCommit(func() {
				if got := s.scratched(t); !slices.Equal(got, []int64{1, 2}) {
					t.Errorf("after the commit others see %v", got)
				}
			})
			return add(tx, 1)
		},
		func(tx *Tx) error {
			// The first is done but not on disk: if others saw it now, a
			// crash could take back what they had seen.
			if got := s.scratched(t); len(got) > 0 {
				t.Errorf("before the commit others see %v", got)
			}
			return add(tx, 2)
		},
	) {
		if got.err != nil || got.panics != nil {
			t.Errorf("transaction %d: %+v", i, got)
		}
	}
}

func TestLostGroupTellsEverybody(t *testing.T) {
	s := scratch(t)
	ctx := context.Background()
	own := errors.New("own failure")
	// A broken reference that is checked only at the commit loses the group;
	// the schema has none, so this represents a disk that fails.
	poison := func(tx *Tx) error {
		if err := Put(ctx, tx, `PRAGMA defer_foreign_keys = ON`); err != nil {
			return err
		}
		return Put(ctx, tx, `INSERT INTO scratch (n, of) VALUES ($1, $2)`, 2, 99)
	}
	ran := false
	outcomes := together(s,
		func(tx *Tx) error { tx.OnCommit(func() { ran = true }); return add(tx, 1) },
		poison,
		func(tx *Tx) error { return errors.Join(add(tx, 3), own) },
	)
	for i, got := range outcomes {
		if got.err == nil || got.panics != nil {
			t.Errorf("transaction %d: %+v", i, got)
		}
	}
	if !errors.Is(outcomes[2].err, own) {
		t.Errorf("its own failure became %v", outcomes[2].err)
	}
	if ran {
		t.Error("OnCommit ran without a commit")
	}
	if got := s.scratched(t); len(got) > 0 {
		t.Errorf("there is %v", got)
	}
	if err := do(ctx, s, func(tx *Tx) error { return add(tx, 7) }); err != nil {
		t.Errorf("the writer is broken afterwards: %v", err)
	}
	if got := s.scratched(t); !slices.Equal(got, []int64{7}) {
		t.Errorf("there is %v", got)
	}
}

func TestCancelledTransactionDoesNotStart(t *testing.T) {
	s := scratch(t)
	never := func(*Tx) error { t.Error("it was started"); return nil }
	ctx, cancel := context.WithCancel(context.Background())
	release := occupy(s)
	ended := make(chan error)
	go func() { ended <- do(ctx, s, never) }()
	awaitQueued(s, 1)
	cancel() // while it waits
	release()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if err := do(ctx, s, never); !errors.Is(err, context.Canceled) { // before it waits
		t.Errorf("error %v", err)
	}
}

// Somebody who goes away must not undo what others have in the same group.
func TestCancellationDuringATransactionKeepsTheGroup(t *testing.T) {
	s := scratch(t)
	ctx, cancel := context.WithCancel(context.Background())
	err := do(ctx, s, func(tx *Tx) error {
		cancel()
		return Put(ctx, tx, `INSERT INTO scratch (n) VALUES ($1)`, 1)
	})
	if err != nil {
		t.Errorf("error %v", err)
	}
	if got := s.scratched(t); !slices.Equal(got, []int64{1}) {
		t.Errorf("there is %v", got)
	}
}

func TestPoolRefusesToWrite(t *testing.T) {
	s := scratch(t)
	ctx := context.Background()
	if _, err := s.read.run.exec(ctx, `INSERT INTO scratch (n) VALUES ($1)`, 1); err == nil {
		t.Error("a write outside a transaction succeeded")
	}
	var n int64
	if err := s.read.run.row(ctx, `INSERT INTO scratch (n) VALUES ($1) RETURNING n`, 2).Scan(&n); err == nil {
		t.Error("a write disguised as a read succeeded")
	}
}

// A kill does not show whether a commit reaches the disk, because the system
// keeps what was written. So it is asked for.
func TestWriterAsksForTheDisk(t *testing.T) {
	s := scratch(t)
	for pragma, want := range map[string]string{
		"journal_mode": "wal",
		"synchronous":  "2", // FULL: every commit is flushed
		"foreign_keys": "1",
	} {
		var got string
		err := do(context.Background(), s, func(tx *Tx) error {
			return tx.read.run.row(context.Background(), `PRAGMA `+pragma).Scan(&got)
		})
		if err != nil || got != want {
			t.Errorf("%s is %q, want %q, %v", pragma, got, want, err)
		}
	}
}
