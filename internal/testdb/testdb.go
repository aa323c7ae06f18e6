// Package testdb returns tests an empty database of each kind: a SQLite file,
// and a PostgreSQL database if OCTAVO_TEST_POSTGRES names a server (make test
// starts one). It is for tests only.
package testdb

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Env names the server, as a postgres:// address whose user may create databases.
const Env = "OCTAVO_TEST_POSTGRES"

// Each runs a test on an empty database of each kind.
func Each(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// SQLite returns the options of a store in a temporary folder.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Path: filepath.Join(t.TempDir(), "octavo.db")}
}

// Postgres returns the options of a store in a new database, which is dropped
// when the test ends.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	server := os.Getenv(Env)
	if server == "" {
		t.Skipf("%s is not set: no PostgreSQL to test on (make test starts one)", Env)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	admin, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ToLower(docs.NewID[string](time.Now()))
	if _, err := admin.ExecContext(ctx, `CREATE DATABASE `+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if _, err := admin.ExecContext(ctx, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
		_ = admin.Close() // nothing depends on it any more
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return store.Options{DatabaseURL: u.String(), MaxConns: 8}
}

// Blobs returns an empty folder for the bytes of files.
func Blobs(t testing.TB) blob.Store {
	t.Helper()
	s, err := blob.OpenFolder(filepath.Join(t.TempDir(), "files"), 0)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Open opens a store that is closed when the test ends.
func Open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close the store: %v", err)
		}
	})
	return s
}
