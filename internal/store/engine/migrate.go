package engine

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migration is one step of the schema. Steps only go forward, and a released
// step never changes: its checksum is kept in the database.
type migration struct {
	version int
	name    string
	text    string
}

func (m migration) checksum() string {
	sum := sha256.Sum256([]byte(m.text))
	return hex.EncodeToString(sum[:8])
}

// migrations returns all steps in order; their numbers have no gaps.
func migrations() []migration {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // the pattern is constant
	}
	var out []migration
	for i, path := range names {
		text, err := migrationFiles.ReadFile(path)
		if err != nil {
			panic(err) // embedded files can be read
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "migrations/"), ".sql")
		number, _, _ := strings.Cut(name, "_")
		if v, err := strconv.Atoi(number); err != nil || v != i+1 {
			panic("migration " + name + " is out of order")
		}
		out = append(out, migration{version: i + 1, name: name, text: string(text)})
	}
	return out
}

func latest() int { return len(migrations()) }

// migrate brings the schema to a version, all steps in one transaction.
// Several processes that start at once wait for each other.
func (db *DB) migrate(ctx context.Context, to int) error {
	return db.d.exclusive(ctx, func(r runner) error {
		have, err := applied(ctx, r)
		if err != nil {
			return err
		}
		all := migrations()
		if len(have) > len(all) {
			return newerData(len(have))
		}
		for i, sum := range have {
			if sum != all[i].checksum() {
				return fmt.Errorf("migration %s differs from the one that made this database: it was changed after its release", all[i].name)
			}
		}
		if len(have) == 0 {
			if _, err := r.exec(ctx, db.d.prelude()); err != nil {
				return err
			}
		}
		for i := len(have); i < to; i++ {
			if _, err := r.exec(ctx, db.d.ddl(all[i].text)); err != nil {
				return fmt.Errorf("migration %s: %w", all[i].name, err)
			}
			_, err := r.exec(ctx, `INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)`,
				all[i].version, all[i].name, all[i].checksum(), docs.TimeOf(db.clock()))
			if err != nil {
				return err
			}
		}
		// The statement has a parameter, so that SQLite prepares it. The row is created once.
		_, err = r.exec(ctx, `
			INSERT INTO instance (id, auth_version, secret, created_at) VALUES (1, 1, $1, $2)
			ON CONFLICT (id) DO NOTHING`, docs.NewSecret(), docs.TimeOf(db.clock()))
		return err
	})
}

func newerData(version int) error {
	return fmt.Errorf("the data was written by a newer Octavo (schema %d, this program knows %d): run that version, or restore a backup", version, latest())
}

// applied returns the checksums of the steps that the database has.
func applied(ctx context.Context, r runner) ([]string, error) {
	_, err := r.exec(ctx, `
		CREATE TABLE IF NOT EXISTS schema_migrations (
			version    INTEGER PRIMARY KEY,
			name       TEXT   NOT NULL,
			checksum   TEXT   NOT NULL,
			applied_at BIGINT NOT NULL
		)`)
	if err != nil {
		return nil, err
	}
	return Many(ctx, &Reader{run: r}, ScanText[string], `SELECT checksum FROM schema_migrations ORDER BY version`)
}

// SchemaVersion returns the number of the last migration of the database.
func (r *Reader) SchemaVersion(ctx context.Context) (int, error) {
	n, err := One(ctx, r, "schema version", ScanInt, `SELECT COUNT(*) FROM schema_migrations`)
	return int(n), err
}

// Current reports whether the database has the schema that this program knows.
func (db *DB) Current(ctx context.Context) (bool, error) {
	v, err := db.read.SchemaVersion(ctx)
	return v == latest(), err
}

// Table is a table of the schema, for goldens and backups.
type Table struct {
	Name    string
	Columns []Column
}

// Column is a column of a table.
type Column struct {
	Name, Type string
	NotNull    bool
}

// Tables describes the schema as the database itself sees it.
func (r *Reader) Tables(ctx context.Context) ([]Table, error) { return r.d.describe(ctx, r.run) }

func describeWith(ctx context.Context, r runner, text string) ([]Table, error) {
	type row struct {
		table string
		col   Column
	}
	rows, err := Many(ctx, &Reader{run: r}, func(s Scanner) (v row, err error) {
		err = s.Scan(&v.table, &v.col.Name, &v.col.Type, &v.col.NotNull)
		return v, err
	}, text)
	if err != nil {
		return nil, err
	}
	var out []Table
	for _, v := range rows {
		if len(out) == 0 || out[len(out)-1].Name != v.table {
			out = append(out, Table{Name: v.table})
		}
		t := &out[len(out)-1]
		t.Columns = append(t.Columns, v.col)
	}
	return out, nil
}
