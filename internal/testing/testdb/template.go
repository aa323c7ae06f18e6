package testdb

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Making the schema takes longer than most tests, so each of them gets a copy of
// a database that has it.

// template returns a SQLite file with the schema.
var template = sync.OnceValues(func() (file []byte, err error) {
	dir, err := os.MkdirTemp("", "octavo-testdb-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "octavo.db")
	if err := prepare(store.Options{Path: path}, "sqlite", path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// postgresTemplate returns the name of a database with the schema. It stays on
// the server, which make test throws away.
var postgresTemplate = sync.OnceValues(func() (string, error) {
	admin, err := sql.Open("pgx", os.Getenv(Env))
	if err != nil {
		return "", err
	}
	defer admin.Close()
	name := "template_" + strings.ToLower(docs.NewID[string](time.Now()))
	if _, err := admin.Exec(`CREATE DATABASE ` + name); err != nil {
		return "", err
	}
	address, err := postgresAddress(name)
	if err != nil {
		return "", err
	}
	return name, prepare(store.Options{DatabaseURL: address}, "pgx", address)
})

// copyFiles returns the part of CREATE DATABASE that makes the server copy files. Since
// version 15 it writes each page to its log unless it is asked not to, which takes most
// of the time.
var copyFiles = sync.OnceValue(func() string {
	admin, err := sql.Open("pgx", os.Getenv(Env))
	if err != nil {
		return ""
	}
	defer admin.Close()
	var since15 bool
	if err := admin.QueryRow(`SELECT current_setting('server_version_num')::int >= 150000`).Scan(&since15); err != nil || !since15 {
		return "" // CREATE DATABASE says what is wrong
	}
	return ` STRATEGY file_copy`
})

// prepare creates the schema in a database, without what installations differ in.
func prepare(o store.Options, driver, address string) (err error) {
	s, err := store.Open(context.Background(), o)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.Exec(`DELETE FROM instance`)
	return err
}
