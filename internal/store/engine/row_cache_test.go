package engine

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func openFile(t testing.TB, path string) *DB {
	t.Helper()
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.read.cache == nil {
		t.Skip("there is no row cache on this system")
	}
	return s
}

// A commit is visible before it is counted, for as long as SQLite copies its
// log. Whoever has seen the new state must not get the old one.
func TestNoRowComesFromTheCacheDuringACommit(t *testing.T) {
	ctx := t.Context()
	s := openFile(t, filepath.Join(t.TempDir(), "octavo.db"))
	reads := 0
	read := func() int {
		n, err := Cached(ctx, s.read, "test", "x", func(context.Context) (int, error) {
			reads++
			return reads, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if first, second := read(), read(); first != 1 || second != 1 {
		t.Error("the row is not cached")
	}
	s.read.cache.committing.Store(true)
	if read() != 2 {
		t.Error("the row is the one before the commit")
	}
	s.read.cache.gen.bump()
	s.read.cache.committing.Store(false)
	if first, second := read(), read(); first != 3 || second != 3 {
		t.Error("the row is the one before the commit was counted, or is not cached again")
	}
}

// authVersion goes up when a token is revoked.
func authVersion(t *testing.T, s *DB) int64 {
	t.Helper()
	v, err := readVersion(t.Context(), s.read)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// readVersion reads a row through the cache.
func readVersion(ctx context.Context, r *Reader) (int64, error) {
	return Cached(ctx, r, "version", "", func(ctx context.Context) (int64, error) {
		return One(ctx, r, "instance", ScanInt, `SELECT auth_version FROM instance`)
	})
}

// The two stores are as far apart as those of two processes: each has its own
// connections, its own cache and its own handle of the generation file.
func TestWhatAnotherProcessWritesIsSeenByTheNextRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "octavo.db")
	server, command := openFile(t, path), openFile(t, path)
	for range 100 {
		before := authVersion(t, server)
		err := do(t.Context(), command, func(tx *Tx) error {
			return Put(t.Context(), tx, `UPDATE instance SET auth_version = auth_version + 1`)
		})
		if err != nil {
			t.Fatal(err)
		}
		if now := authVersion(t, server); now != before+1 {
			t.Fatalf("the server reads version %d after another process wrote %d", now, before+1)
		}
	}
}

// A process that is killed between its commit and counting it is noticed too,
// a moment later.
func TestACommitThatWasNotCountedIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "octavo.db")
	s := openFile(t, path)
	before := authVersion(t, s)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `UPDATE instance SET auth_version = auth_version + 1`); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); authVersion(t, s) != before+1; {
		if time.Now().After(deadline) {
			t.Fatal("the commit was not noticed")
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// BenchmarkNoticeWrites measures what it costs to ask whether somebody has
// written, in two ways, and what a row costs with and without the cache.
func BenchmarkNoticeWrites(b *testing.B) {
	ctx := b.Context()
	path := filepath.Join(b.TempDir(), "octavo.db")
	s := openFile(b, path)
	run := func(name string, fn func() error) {
		b.Run(name, func(b *testing.B) {
			b.RunParallel(func(p *testing.PB) {
				for p.Next() {
					if err := fn(); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
	run("generation", func() error { s.read.cache.gen.now(); return nil })
	conn, err := s.d.(*sqlite).wdb.Conn(ctx)
	if err != nil {
		b.Fatal(err)
	}
	defer conn.Close()
	version, err := conn.PrepareContext(ctx, `PRAGMA data_version`)
	if err != nil {
		b.Fatal(err)
	}
	defer version.Close()
	var mu sync.Mutex // the pragma compares with the last time on the same connection
	ask := func() error {
		mu.Lock()
		defer mu.Unlock()
		var v int64
		return version.QueryRowContext(ctx).Scan(&v)
	}
	run("data_version", ask)
	run("cached row", func() error { _, err := readVersion(ctx, s.read); return err })
	run("cached row after data_version", func() error {
		if err := ask(); err != nil {
			return err
		}
		_, err := readVersion(ctx, s.read)
		return err
	})
	uncached := *s.read
	uncached.cache = nil
	run("uncached row", func() error { _, err := readVersion(ctx, &uncached); return err })
}
