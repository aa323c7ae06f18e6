// Package testdb returns tests a database of each kind: a SQLite file,
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

// patience bounds what is asked of the server, which many tests ask at once.
const patience = 2 * time.Minute

// Each runs a test on a database of each kind, which has the schema and nothing
// else.
func Each(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, SQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, Postgres(t)) })
}

// EachBare is Each without a schema.
func EachBare(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, BareSQLite(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, BarePostgres(t)) })
}

// SQLite returns the options of a store in a temporary folder. It has the
// schema and nothing else.
func SQLite(t testing.TB) store.Options {
	t.Helper()
	o := BareSQLite(t)
	file, err := template()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(o.Path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return o
}

// BareSQLite is SQLite without a schema, and without a file.
func BareSQLite(t testing.TB) store.Options {
	t.Helper()
	return store.Options{Path: filepath.Join(t.TempDir(), "octavo.db")}
}

// Postgres returns the options of a store in a new database, which is dropped
// when the test ends. It has the schema and nothing else.
func Postgres(t testing.TB) store.Options {
	t.Helper()
	needPostgres(t)
	from, err := postgresTemplate()
	if err != nil {
		t.Fatal(err)
	}
	return newPostgres(t, from)
}

// BarePostgres is Postgres without a schema.
func BarePostgres(t testing.TB) store.Options {
	t.Helper()
	needPostgres(t)
	return newPostgres(t, "template1")
}

func needPostgres(t testing.TB) {
	t.Helper()
	if os.Getenv(Env) == "" {
		t.Skipf("%s is not set: no PostgreSQL to test on (make test starts one)", Env)
	}
}

// newPostgres makes a database as a copy of another one.
func newPostgres(t testing.TB, from string) store.Options {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	admin, err := sql.Open("pgx", os.Getenv(Env))
	if err != nil {
		t.Fatal(err)
	}
	name := "t_" + strings.ToLower(docs.NewID[string](time.Now()))
	if _, err := admin.ExecContext(ctx, `CREATE DATABASE `+name+` TEMPLATE `+from+copyFiles()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if _, err := admin.ExecContext(ctx, `DROP DATABASE `+name+` WITH (FORCE)`); err != nil {
			t.Errorf("drop the test database: %v", err)
		}
		_ = admin.Close() // nothing depends on it any more
	})
	address, err := postgresAddress(name)
	if err != nil {
		t.Fatal(err)
	}
	return store.Options{DatabaseURL: address, MaxConns: 8}
}

// postgresAddress returns the address of a database of the server.
func postgresAddress(name string) (string, error) {
	u, err := url.Parse(os.Getenv(Env))
	if err != nil {
		return "", err
	}
	u.Path = "/" + name
	return u.String(), nil
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
