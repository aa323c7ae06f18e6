package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

// What a purge leaves on purpose.
var keptByPurge = map[string]string{
	"audit":              "the log says what was there",
	"outbox":             "webhooks report what happened",
	"webhook_deliveries": "webhooks report what happened",
	"jobs":               "the purge itself",
	"site_events":        "numbers of the site",
	"site_questions":     "questions to the site",
	"links":              "those of other spaces to it are broken now",
}

// table is the content of a table, as texts.
type table struct {
	columns []string
	rows    [][]string
}

func readTable(t testing.TB, db *sql.DB, name string) (out table) {
	t.Helper()
	rows, err := db.Query("SELECT * FROM " + name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if out.columns, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(out.columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		row := make([]string, len(values))
		for i, v := range values {
			switch v := (*v.(*any)).(type) {
			case []byte:
				row[i] = string(v)
			default:
				row[i] = fmt.Sprint(v)
			}
		}
		out.rows = append(out.rows, row)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// A space that is purged leaves no row behind, in whatever table: neither its own
// nor those of what was in it.
func TestPurgeLeavesNothing(t *testing.T) {
	testdb.EachBare(t, func(t *testing.T, o store.Options) {
		ctx := context.Background()
		s := filled(t, o)
		db := raw(t, o)
		tables, err := s.Tables(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var id docs.SpaceID
		if err := db.QueryRow(`SELECT space_id FROM change_requests`).Scan(&id); err != nil {
			t.Fatal(err)
		}
		mustExec(t, db, `UPDATE invite_links SET space_id = $1`, id)
		names := map[string]string{string(id): "the space"}
		for _, x := range tables {
			content := readTable(t, db, x.Name)
			at, own := slices.Index(content.columns, "space_id"), slices.Index(content.columns, "id")
			if at < 0 || keptByPurge[x.Name] != "" {
				continue
			}
			found := false
			for _, row := range content.rows {
				if row[at] != string(id) {
					continue
				}
				if found = true; own >= 0 {
					names[row[own]] = "a row of " + x.Name
				}
			}
			if !found {
				t.Errorf("%s has no row of the space; filled should make one", x.Name)
			}
		}
		mustExec(t, db, `DELETE FROM site_items WHERE space_id = $1`, id) // the service takes it off its sites
		sp, err := s.Space(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Do(ctx, func(tx *store.Tx) error { return tx.PurgeSpace(ctx, sp.It) }); err != nil {
			t.Fatal(err)
		}
		for _, x := range tables {
			if keptByPurge[x.Name] != "" {
				continue
			}
			content := readTable(t, db, x.Name)
			for _, row := range content.rows {
				for i, v := range row {
					if what := names[v]; what != "" {
						t.Errorf("%s.%s still names %s (%s)", x.Name, content.columns[i], what, v)
					}
				}
			}
		}
	})
}

// A backup that is a whole archive with other content is refused by its sums.
func TestRestoreChecksEverySum(t *testing.T) {
	s := filled(t, testdb.BareSQLite(t))
	var b bytes.Buffer
	text := "the bytes of a file"
	sum := "0000000000000000000000000000000000000000000000000000000000000000"
	_, err := s.Backup(context.Background(), &b, "test", func(add store.AddFile) error {
		return add(sum, int64(len(text)), strings.NewReader(text))
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := restore(testdb.BareSQLite(t), b.Bytes()); err == nil || !strings.Contains(err.Error(), "checksum of files/"+sum) {
		t.Errorf("a file with other content: %v", err)
	}
	m, files := unpack(t, backup(t, s))
	for i, x := range m.Tables {
		if x.Name == "spaces" {
			m.Tables[i].SHA256 = sum
		}
	}
	if err := restore(testdb.BareSQLite(t), packAs(t, m, files)); err == nil || !strings.Contains(err.Error(), "checksum of spaces") {
		t.Errorf("a table with other content: %v", err)
	}
}
