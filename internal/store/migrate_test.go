package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/golden"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// raw opens a database without the store, to do to it what the store never
// would.
func raw(t testing.TB, o store.Options) *sql.DB {
	t.Helper()
	driver, address := "pgx", o.DatabaseURL
	if address == "" {
		driver, address = "sqlite", "file:"+o.Path+"?_pragma=busy_timeout(10000)" // a store may fold its search index
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() }) // the database goes away with the test
	return db
}

func mustExec(t testing.TB, db *sql.DB, text string, args ...any) {
	t.Helper()
	if _, err := db.Exec(text, args...); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func number(t testing.TB, db *sql.DB, query string) (n int) {
	t.Helper()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestOpenRefusesASchemaThatItDoesNotKnow(t *testing.T) {
	for _, c := range []struct {
		name, change string
		says         []string // what is wrong, and what to do or where to look
	}{
		{
			"from a newer program",
			`INSERT INTO schema_migrations (version, name, checksum, applied_at)
				SELECT MAX(version) + 1, 'from the future', 'x', 0 FROM schema_migrations`,
			[]string{"newer Octavo", "run that version, or restore a backup"},
		},
		{
			"from a migration that was changed",
			`UPDATE schema_migrations SET checksum = 'x' WHERE version = 1`,
			[]string{"0001_foundation", "changed after its release"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			testdb.EachBare(t, func(t *testing.T, o store.Options) {
				testdb.Open(t, o)
				db := raw(t, o)
				mustExec(t, db, c.change)
				s, err := store.Open(context.Background(), o)
				if err == nil {
					t.Fatal("it was opened", s.Close())
				}
				for _, text := range c.says {
					if !strings.Contains(err.Error(), text) {
						t.Errorf("the message %q does not say %q", err, text)
					}
				}
			})
		})
	}
}

func TestOpeningAnEmptyDatabaseManyTimesAtOnce(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		stores := make([]*store.Store, 4)
		var wg sync.WaitGroup
		for i := range stores {
			wg.Go(func() {
				var err error
				if stores[i], err = store.Open(context.Background(), o); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		secrets := map[string]bool{}
		for _, s := range stores {
			if s == nil {
				continue
			}
			secret, err := s.Secret(context.Background())
			if err != nil {
				t.Error(err)
			}
			secrets[secret] = true
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
		if len(secrets) != 1 {
			t.Errorf("there are %d secrets: cursors of one node are no good on another", len(secrets))
		}
		db := raw(t, o)
		steps, highest := number(t, db, `SELECT COUNT(*) FROM schema_migrations`), number(t, db, `SELECT MAX(version) FROM schema_migrations`)
		if steps != highest || steps == 0 {
			t.Errorf("%d migrations are noted, the last has the number %d", steps, highest)
		}
	})
}

// The goldens show in a review what a migration does to both databases.
func TestSchemaIsTheGoldenOne(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		tables, err := s.Tables(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, table := range tables {
			fmt.Fprintln(&got, table.Name)
			for _, c := range table.Columns {
				null := ""
				if c.NotNull {
					null = " not null"
				}
				fmt.Fprintf(&got, "    %-16s%s%s\n", c.Name, c.Type, null)
			}
		}
		golden.Compare(t, "testdata/schema."+s.Dialect()+".golden", []byte(got.String()))
	})
}

// A statement that one database understands otherwise than the other begins
// with a table that only looks the same.
func TestBothSchemasHaveTheSameColumns(t *testing.T) {
	columns := func(o store.Options) string {
		tables, err := testdb.Open(t, o).Tables(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		for _, table := range tables {
			for _, c := range table.Columns {
				fmt.Fprintf(&out, "%s.%s %v\n", table.Name, c.Name, c.NotNull)
			}
		}
		return out.String()
	}
	pg := columns(testdb.BarePostgres(t))
	if lite := columns(testdb.BareSQLite(t)); lite != pg {
		t.Errorf("SQLite has\n%s\nPostgreSQL has\n%s", lite, pg)
	}
}
