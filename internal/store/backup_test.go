package store_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// awkward is a text that does not survive a careless round trip.
const awkward = "„Ünïcode“ <&> \\ \" ' \u2028 \t\n 🖋 $1"

// rowsOfEveryTable fills a store with one row at least of each table, so
// that a backup that forgets one is noticed.
var rowsOfEveryTable = []string{
	`INSERT INTO users VALUES ('u1', 'ada@octavo.example', TRUE, '` + strings.ReplaceAll(awkward, "'", "''") + `', '', 1, 9007199254740993)`,
	`INSERT INTO users VALUES ('u2', 'grace@octavo.example', FALSE, 'Grace', '', 1, 2)`,
	`INSERT INTO tokens VALUES ('k1', 'u1', 'hash', 'label', 'read write', 1, 0, 2)`,
	`INSERT INTO organizations VALUES ('o1', 'Acme', 'acme', 'business', '', '', 'read', '', FALSE, TRUE, TRUE, '{}', '', 'octavo.example', 'free', '{}', '{}', '', '', '', 5, 'u1', 1, 2)`,
	`INSERT INTO organizations VALUES ('o2', 'No hostname', NULL, 'business', '', '', 'read', '', FALSE, TRUE, TRUE, '{}', '', '', 'free', '{}', '{}', '', '', '', 1, 'u1', 1, 2)`,
	`INSERT INTO organization_domains VALUES ('o1', 'octavo.example')`,
	`INSERT INTO members VALUES ('o1', 'u1', 'admin', FALSE, FALSE, 1, 2)`,
	`INSERT INTO members VALUES ('o1', 'u2', '', TRUE, TRUE, 1, 0)`,
	`INSERT INTO teams VALUES ('t1', 'o1', 'Writers', 1)`,
	`INSERT INTO team_members VALUES ('t1', 'u1', 'owner')`,
	// A chain whose ends are made first, beside one made from the top.
	`INSERT INTO collections VALUES ('c1', 'o1', NULL, 'leaf', '', 'inherit', 'a', 'u1', 1, 1)`,
	`INSERT INTO collections VALUES ('c2', 'o1', NULL, 'inner', '', 'none', 'b', 'u1', 1, 1)`,
	`INSERT INTO collections VALUES ('c3', 'o1', NULL, 'top', '', 'inherit', 'c', 'u1', 1, 1)`,
	`UPDATE collections SET parent_id = 'c2' WHERE id = 'c1'`,
	`UPDATE collections SET parent_id = 'c3' WHERE id = 'c2'`,
	`INSERT INTO collections VALUES ('c4', 'o1', 'c3', 'below', '', 'inherit', 'd', 'u1', 1, 1)`,
	`INSERT INTO spaces VALUES ('s1', 'o1', 'c1', 'Handbook', '1f4d6', '', 'live', 'inherit', 'en', '{}', 'r1', 'a', 'u1', 1, 2, 0)`,
	`INSERT INTO spaces VALUES ('s2', 'o1', NULL, 'Trash', '', '', 'locked', 'inherit', '', '{}', 'r2', 'b', 'u1', 1, 2, 3)`,
	`INSERT INTO revisions VALUES ('r1', 's1', 'edits', 'u1', 1)`,
	`INSERT INTO change_requests VALUES ('q1', 's1', 1, 'open')`,
	`INSERT INTO comments VALUES ('m1', 's1', 0)`,
	`INSERT INTO user_grants VALUES ('s1', 'space', 'o1', 'u2', 'edit')`,
	`INSERT INTO team_grants VALUES ('c1', 'collection', 'o1', 't1', 'edit')`,
	`INSERT INTO invite_links VALUES ('i1', 'o1', 'read', 's1', NULL, 'u1', 1, 0)`,
	`INSERT INTO agent_instructions VALUES ('o1', '{"object":"document"}', 1, 'u1')`,
	`INSERT INTO audit VALUES ('a1', 1, 'o1', 'u1', 'k1', 'request', 'space.create', 'space', 's1', '{"title":"Handbook"}')`,
	`INSERT INTO outbox VALUES ('a1', 1, 'a1')`,
	`INSERT INTO jobs VALUES ('j1', 'space.purge', 's2', '{"space":"s2"}', 'queued', 0, 1, 2, 3, '', 0, 'an error', 1)`,
}

// filled gives a store with rows in every table.
func filled(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s := testdb.Open(t, o)
	db := raw(t, o)
	for _, row := range rowsOfEveryTable {
		mustExec(t, db, row)
	}
	return s
}

func backup(t testing.TB, s *store.Store) []byte {
	t.Helper()
	var b bytes.Buffer
	if _, err := s.Backup(context.Background(), &b, "test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func restore(o store.Options, b []byte) error {
	_, err := store.Restore(context.Background(), o, bytes.NewReader(b))
	return err
}

// unpack gives the files of a backup.
func unpack(t testing.TB, b []byte) (store.Manifest, map[string][]byte) {
	t.Helper()
	zip, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(zip); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
	var m store.Manifest
	if err := json.Unmarshal(files["manifest.json"], &m); err != nil {
		t.Fatal(err)
	}
	delete(files, "manifest.json")
	return m, files
}

// pack is the opposite of unpack. The checksums are those of the files, so
// that a backup with wrong content is still a whole one.
func pack(t testing.TB, m store.Manifest, files map[string][]byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	archive := tar.NewWriter(zip)
	put := func(name string, content []byte) {
		t.Helper()
		err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(content))})
		if err == nil {
			_, err = archive.Write(content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i := range m.Tables {
		name := "tables/" + m.Tables[i].Name + ".jsonl"
		sum := sha256.Sum256(files[name])
		m.Tables[i].SHA256 = hex.EncodeToString(sum[:])
		put(name, files[name])
	}
	content, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	put("manifest.json", content)
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// content gives the rows of every table. Their order is the database's own.
func content(t testing.TB, b []byte) string {
	t.Helper()
	_, files := unpack(t, b)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		lines := strings.SplitAfter(string(files[name]), "\n")
		slices.Sort(lines)
		fmt.Fprintf(&out, "%s\n%s", name, strings.Join(lines, ""))
	}
	return out.String()
}

func TestBackupHoldsEveryTable(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := filled(t, o)
		tables, err := s.Tables(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		m, _ := unpack(t, backup(t, s))
		rows := map[string]int{}
		for _, table := range m.Tables {
			rows[table.Name] = table.Rows
		}
		for _, table := range tables {
			if table.Name != "schema_migrations" && rows[table.Name] == 0 {
				t.Errorf("no row of %s is in the backup; a new table wants one in rowsOfEveryTable", table.Name)
			}
		}
	})
}

func TestRestoreGivesBackEveryRow(t *testing.T) {
	kinds := []struct {
		name  string
		place func(testing.TB) store.Options
	}{{"sqlite", testdb.SQLite}, {"postgres", testdb.Postgres}}
	for _, from := range kinds {
		for _, to := range kinds {
			t.Run(from.name+" to "+to.name, func(t *testing.T) {
				b := backup(t, filled(t, from.place(t)))
				target := to.place(t)
				if err := restore(target, b); err != nil {
					t.Fatal(err)
				}
				if got, want := content(t, backup(t, testdb.Open(t, target))), content(t, b); got != want {
					t.Errorf("restored\n%s\nbacked up\n%s", got, want)
				}
			})
		}
	}
}

func TestRestoreRefusesADamagedBackup(t *testing.T) {
	whole := backup(t, filled(t, testdb.SQLite(t)))
	refuse := func(t *testing.T, damaged []byte, what string, at int) {
		t.Helper()
		o := testdb.SQLite(t)
		err := restore(o, damaged)
		if err == nil || !strings.Contains(err.Error(), "the backup ") {
			t.Errorf("%s at %d of %d: %v", what, at, len(whole), err)
		}
		if _, err := os.Stat(o.Path); !os.IsNotExist(err) {
			t.Errorf("%s at %d: a database was made", what, at)
		}
	}
	// Every damage costs a pass over the archive, so it is not done to each
	// byte; the step has no factor in common with anything in the format.
	const step = 37
	for at := 0; at < len(whole); at += step {
		if at >= 4 && at < 10 {
			continue // when and where it was compressed: says nothing of the content
		}
		flipped := slices.Clone(whole)
		flipped[at] ^= 0x10
		refuse(t, flipped, "a flipped bit", at)
		refuse(t, whole[:at], "the end", at)
	}
	for at := len(whole) - 12; at < len(whole); at++ {
		flipped := slices.Clone(whole)
		flipped[at] ^= 1
		refuse(t, flipped, "a flipped bit", at)
		refuse(t, whole[:at], "the end", at)
	}
	refuse(t, append(slices.Clone(whole), "more"...), "more behind it", len(whole))
}

func TestRestoreRefusesWhatItCannotRead(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(m *store.Manifest, files map[string][]byte)
		says   string
	}{
		{"a newer format", func(m *store.Manifest, _ map[string][]byte) { m.Format++ }, "newer Octavo (test)"},
		{"a newer schema", func(m *store.Manifest, _ map[string][]byte) { m.Schema = 9999 }, "newer Octavo (test)"},
		{"an unknown table", func(m *store.Manifest, _ map[string][]byte) { m.Tables[0].Name = "x; DROP TABLE users" }, "unknown table"},
		{"an unknown column", func(m *store.Manifest, _ map[string][]byte) { m.Tables[0].Columns[0] = "1) --" }, "unknown column"},
		{"no table", func(m *store.Manifest, _ map[string][]byte) { m.Tables = nil }, "incomplete"},
		{"a short row", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = []byte("[1]\n") }, "table users: a row has the wrong number of columns"},
		{"no JSON", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = []byte("[") }, "table users"},
		{"a reference to nothing", func(_ *store.Manifest, f map[string][]byte) { f["tables/users.jsonl"] = nil }, "table "},
		{
			"a collection inside itself", func(_ *store.Manifest, f map[string][]byte) {
				f["tables/collections.jsonl"] = bytes.Replace(f["tables/collections.jsonl"], []byte(`["c3","o1",null`), []byte(`["c3","o1","c1"`), 1)
			}, "table collections: 4 rows hang below none",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			testdb.Each(t, func(t *testing.T, o store.Options) {
				m, files := unpack(t, backup(t, filled(t, testdb.SQLite(t))))
				c.change(&m, files)
				err := restore(o, pack(t, m, files))
				if err == nil || !strings.Contains(err.Error(), c.says) {
					t.Errorf("error %v, want %q", err, c.says)
				}
				// What was refused must not be in the way of what is right.
				if err := restore(o, backup(t, filled(t, testdb.SQLite(t)))); err != nil {
					t.Errorf("a good backup afterwards: %v", err)
				}
			})
		})
	}
}

func TestRestoreRefusesAStoreWithData(t *testing.T) {
	b := backup(t, filled(t, testdb.SQLite(t)))
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		mustExec(t, raw(t, o), `INSERT INTO users VALUES ('u9', 'linus@octavo.example', TRUE, 'Linus', '', 1, 1)`)
		before := content(t, backup(t, s))
		if err := restore(o, b); err == nil || !strings.Contains(err.Error(), "restore into an empty one") {
			t.Errorf("error %v", err)
		}
		if after := content(t, backup(t, s)); after != before {
			t.Errorf("there is\n%s\nthere was\n%s", after, before)
		}
	})
}

// Jobs that repeat are queued by every server that starts, also by one that
// is to be filled from a backup.
func TestRestoreReplacesWhatAServerMakesByItself(t *testing.T) {
	b := backup(t, filled(t, testdb.SQLite(t)))
	testdb.Each(t, func(t *testing.T, o store.Options) {
		s := testdb.Open(t, o)
		err := s.Do(context.Background(), func(tx *store.Tx) error {
			return tx.AddJob(context.Background(), store.Job{Kind: "space.purge", Key: "s2"})
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := restore(o, b); err != nil {
			t.Fatal(err)
		}
		if got, want := content(t, backup(t, s)), content(t, b); got != want {
			t.Errorf("restored\n%s\nbacked up\n%s", got, want)
		}
	})
}

func TestBackupThatCannotBeWrittenFails(t *testing.T) {
	s := filled(t, testdb.SQLite(t))
	f, err := os.Create(filepath.Join(t.TempDir(), "closed"))
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Backup(context.Background(), f, "test"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("error %v", err)
	}
}
