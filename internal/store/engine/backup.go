package engine

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// A backup is a compressed tar: one file of JSON lines for each table, then
// manifest.json with the number of rows and a checksum of each. It does not
// depend on the database, so a backup of SQLite restores into PostgreSQL and
// the other way round.

// Manifest describes a backup.
type Manifest struct {
	Format    int           `json:"format"`
	Program   string        `json:"program"`
	Schema    int           `json:"schema"`
	CreatedAt docs.Time     `json:"createdAt"`
	Tables    []BackupTable `json:"tables"`
	Files     int           `json:"files"` // of pages; each under its hash
}

// BackupTable is one table of a backup.
type BackupTable struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int      `json:"rows"`
	SHA256  string   `json:"sha256"`
}

// Rows returns the number of rows of all tables.
func (m Manifest) Rows() (n int) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

const (
	backupFormat = 1
	manifestName = "manifest.json"
	filesFolder  = "files/"
	// history is the table of the migrations of a database; restoring runs them.
	history = "schema_migrations"
)

// AddFile puts the bytes of a file into a backup, under their SHA-256.
type AddFile func(sha256 string, size int64, r io.Reader) error

// Backup writes one consistent state of the database, while others write, without the tables
// of leaveOut, and then the files that the given function adds; nil is none. A file is
// stored before anything in the database names it, so none is missing.
func Backup(ctx context.Context, db *DB, w io.Writer, program string, leaveOut []string, files func(AddFile) error) (Manifest, error) {
	m := Manifest{Format: backupFormat, Program: program, CreatedAt: docs.TimeOf(db.clock())}
	zip := gzip.NewWriter(w)
	archive := tar.NewWriter(zip)
	err := Snapshot(ctx, db, func(r *Reader) error {
		var err error
		if m.Schema, err = r.SchemaVersion(ctx); err != nil {
			return err
		}
		tables, err := r.Tables(ctx)
		if err != nil {
			return err
		}
		for _, t := range tables {
			if t.Name == history || slices.Contains(leaveOut, t.Name) {
				continue
			}
			done, err := backupTable(ctx, r, archive, t)
			if err != nil {
				return fmt.Errorf("back up %s: %w", t.Name, err)
			}
			m.Tables = append(m.Tables, done)
		}
		return nil
	})
	if err != nil {
		return m, err
	}
	if files != nil {
		err := files(func(sum string, size int64, r io.Reader) error {
			m.Files++
			return addFile(archive, filesFolder+sum, size, r)
		})
		if err != nil {
			return m, fmt.Errorf("back up files: %w", err)
		}
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return m, err
	}
	if err := addFile(archive, manifestName, int64(len(b)), bytes.NewReader(b)); err != nil {
		return m, err
	}
	return m, errors.Join(archive.Close(), zip.Close())
}

// backupTable writes a table through a temporary file, because a tar has the size of
// a file before its content.
func backupTable(ctx context.Context, r *Reader, archive *tar.Writer, t Table) (BackupTable, error) {
	out := BackupTable{Name: t.Name}
	for _, c := range t.Columns {
		out.Columns = append(out.Columns, c.Name)
	}
	tmp, err := os.CreateTemp("", "octavo-backup-*")
	if err != nil {
		return out, err
	}
	defer os.Remove(tmp.Name())
	defer tmp.Close()
	sum := sha256.New()
	buf := bufio.NewWriter(io.MultiWriter(tmp, sum))
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	rows, err := Query(ctx, r, `SELECT `+strings.Join(out.Columns, ", ")+` FROM `+t.Name)
	if err != nil {
		return out, err
	}
	defer rows.Close()
	for rows.Next() {
		values := make([]any, len(out.Columns))
		dest := make([]any, len(values))
		for i := range values {
			dest[i] = &values[i]
		}
		if err := rows.Scan(dest...); err != nil {
			return out, err
		}
		for i, v := range values {
			values[i] = portable(t.Columns[i], v)
		}
		if err := enc.Encode(values); err != nil {
			return out, err
		}
		out.Rows++
	}
	if err := errors.Join(rows.Err(), buf.Flush()); err != nil {
		return out, err
	}
	out.SHA256 = hex.EncodeToString(sum.Sum(nil))
	size, err := tmp.Seek(0, io.SeekCurrent)
	if err != nil {
		return out, err
	}
	if _, err := tmp.Seek(0, io.SeekStart); err != nil {
		return out, err
	}
	return out, addFile(archive, "tables/"+t.Name+".jsonl", size, tmp)
}

// portable returns a value in a form that both databases accept: SQLite stores
// booleans as numbers, which PostgreSQL would reject. Package json encodes bytes as
// base64.
func portable(c Column, v any) any {
	switch v := v.(type) {
	case []byte:
		if isBytes(c) {
			return append([]byte{}, v...) // JSON makes null of nil
		}
		return string(v)
	case int64:
		if strings.EqualFold(c.Type, "boolean") {
			return v != 0
		}
	}
	return v
}

func isBytes(c Column) bool { return strings.EqualFold(c.Type, "bytea") }

func addFile(archive *tar.Writer, name string, size int64, r io.Reader) error {
	if err := archive.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size}); err != nil {
		return err
	}
	_, err := io.Copy(archive, r)
	return err
}

// Restoring is what Restore has to know of the rows.
type Restoring struct {
	// HasData reports whether the database has what a backup would replace.
	HasData func(ctx context.Context, r *Reader) (bool, error)
	// Started are the tables with rows that a server makes when it starts on an empty
	// database. They are emptied first.
	Started []string
	// Restored is called in the transaction that stores the rows, with the version of the
	// schema that they have, and again in one after the migration of the schema.
	Restored func(ctx context.Context, tx *Tx, schema int) error
	// PutFile is called with the bytes of each file.
	PutFile func(io.Reader) error
}

// Restore reads a backup into an empty database and migrates it to the current schema.
// The whole backup is verified first. If Restore fails, the database stays empty, except
// for files that nothing refers to.
func Restore(ctx context.Context, o Options, f io.ReadSeeker, how Restoring) (Manifest, error) {
	m, err := readManifest(f)
	if err != nil {
		return m, err
	}
	if m.Format != backupFormat || m.Schema > latest() {
		return m, fmt.Errorf("the backup was written by a newer Octavo (%s); restore it with that version", m.Program)
	}
	db, err := open(ctx, o)
	if err != nil {
		return m, err
	}
	defer db.Close()
	if err := db.migrate(ctx, m.Schema); err != nil {
		return m, err
	}
	if has, err := how.HasData(ctx, db.read); err != nil || has {
		return m, errors.Join(err, errHasData)
	}
	err = eachFile(f, func(name string, r io.Reader) error {
		if !strings.HasPrefix(name, filesFolder) {
			return nil
		}
		return how.PutFile(r)
	})
	if err != nil {
		return m, fmt.Errorf("restore files: %w", err)
	}
	err = Do(ctx, db, "", func() {}, func(tx *Tx) error {
		has, err := how.HasData(ctx, tx.Reads())
		if err != nil {
			return err
		}
		if has {
			return errHasData
		}
		if err := tx.clear(ctx, how.Started); err != nil {
			return err
		}
		if err := tx.restoreTables(ctx, f, m); err != nil {
			return err
		}
		return how.Restored(ctx, tx, m.Schema)
	})
	if err != nil {
		return m, fmt.Errorf("restore: %w", err)
	}
	if err := db.migrate(ctx, latest()); err != nil {
		return m, err
	}
	return m, Do(ctx, db, "", func() {}, func(tx *Tx) error { return how.Restored(ctx, tx, latest()) })
}

// clear deletes the rows of those of the tables that the schema has.
func (tx *Tx) clear(ctx context.Context, names []string) error {
	tables, err := tx.read.Tables(ctx)
	if err != nil {
		return err
	}
	for _, t := range tables { // the schema may be older than the program
		if !slices.Contains(names, t.Name) {
			continue
		}
		if err := Put(ctx, tx, `DELETE FROM `+t.Name); err != nil {
			return err
		}
	}
	return nil
}

var errHasData = errors.New("the store has data; restore into an empty one")

// readManifest reads through the whole archive and verifies every checksum.
func readManifest(f io.ReadSeeker) (Manifest, error) {
	var m Manifest
	sums := map[string]string{}
	err := eachFile(f, func(name string, r io.Reader) error {
		if name == manifestName {
			return json.NewDecoder(r).Decode(&m)
		}
		if _, twice := sums[name]; twice {
			return fmt.Errorf("%s is in it twice", name)
		}
		sum := sha256.New()
		_, err := io.Copy(sum, r)
		sums[name] = hex.EncodeToString(sum.Sum(nil))
		return err
	})
	if err != nil {
		return m, fmt.Errorf("the backup cannot be read: %w", err)
	}
	if len(m.Tables) == 0 {
		return m, errors.New("the backup is incomplete: it has no manifest")
	}
	for _, t := range m.Tables {
		if sums["tables/"+t.Name+".jsonl"] != t.SHA256 {
			return m, fmt.Errorf("the backup is damaged: the checksum of %s does not match", t.Name)
		}
		delete(sums, "tables/"+t.Name+".jsonl")
	}
	files := 0
	for name, sum := range sums {
		if named, ok := strings.CutPrefix(name, filesFolder); ok {
			if named != sum {
				return m, fmt.Errorf("the backup is damaged: the checksum of %s does not match", name)
			}
			files++
			delete(sums, name)
		}
	}
	if len(sums) > 0 || m.Schema < 1 || files != m.Files {
		return m, errors.New("the backup is damaged: its manifest does not fit its content")
	}
	return m, nil
}

func eachFile(f io.ReadSeeker, fn func(name string, r io.Reader) error) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	zip, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	archive := tar.NewReader(zip)
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// The tar ends before the checksum of the compressed file, which
			// also covers the manifest.
			_, err = io.Copy(io.Discard, zip)
			return err
		}
		if err != nil {
			return err
		}
		if err := fn(h.Name, archive); errors.Is(err, errEnough) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

// errEnough stops reading an archive early.
var errEnough = errors.New("enough")

// restoreTables fills the tables in an order in which every reference finds
// its target: as the migrations declare them.
func (tx *Tx) restoreTables(ctx context.Context, f io.ReadSeeker, m Manifest) error {
	byName := map[string]BackupTable{}
	for _, t := range m.Tables {
		byName[t.Name] = t
	}
	real, err := tx.read.Tables(ctx)
	if err != nil {
		return err
	}
	columns := map[string]map[string]Column{}
	for _, t := range real {
		columns[t.Name] = map[string]Column{}
		for _, c := range t.Columns {
			columns[t.Name][c.Name] = c
		}
	}
	for _, name := range TableOrder() {
		t, ok := byName[name]
		if !ok {
			continue
		}
		// Names become SQL, so they must be those of the schema.
		for _, c := range t.Columns {
			if columns[name][c].Name == "" {
				return fmt.Errorf("the backup has an unknown column %s.%s", name, c)
			}
		}
		err := eachFile(f, func(file string, r io.Reader) error {
			if file != "tables/"+name+".jsonl" {
				return nil
			}
			if err := tx.restoreTable(ctx, t, columns[name], r); err != nil {
				return err
			}
			return errEnough
		})
		if err != nil {
			return fmt.Errorf("table %s: %w", name, err)
		}
		delete(byName, name)
	}
	for name := range byName {
		return fmt.Errorf("the backup has an unknown table %s", name)
	}
	return nil
}

// TableOrder returns the names of all tables, each before those that refer to it, as the
// migrations declare them.
func TableOrder() []string {
	var out []string
	for _, m := range migrations() {
		for line := range strings.Lines(m.text) {
			if rest, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
				name, _, _ := strings.Cut(rest, " ")
				out = append(out, name)
			}
		}
	}
	return out
}

func (tx *Tx) restoreTable(ctx context.Context, t BackupTable, columns map[string]Column, r io.Reader) error {
	holes := make([]string, len(t.Columns))
	for i := range holes {
		holes[i] = fmt.Sprintf("$%d", i+1)
	}
	text := `INSERT INTO ` + t.Name + ` (` + strings.Join(t.Columns, ", ") + `) VALUES (` + strings.Join(holes, ", ") + `)`
	dec := json.NewDecoder(r)
	dec.UseNumber()
	var later [][]any // rows of the one table whose order matters
	for {
		var values []any
		if err := dec.Decode(&values); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return err
		}
		if len(values) != len(t.Columns) {
			return errors.New("a row has the wrong number of columns")
		}
		for i, v := range values {
			var err error
			if values[i], err = restored(columns[t.Columns[i]], v); err != nil {
				return err
			}
		}
		if t.Name == "collections" {
			later = append(later, values)
		} else if err := Put(ctx, tx, text, values...); err != nil {
			return err
		}
	}
	return tx.insertInOrder(ctx, t, text, later)
}

// restored is the inverse of portable.
func restored(c Column, v any) (any, error) {
	switch v := v.(type) {
	case nil:
		if isBytes(c) && c.NotNull {
			return []byte{}, nil // older versions wrote empty bytes like this
		}
	case json.Number:
		return v.Int64()
	case string:
		if isBytes(c) {
			return base64.StdEncoding.DecodeString(v)
		}
	case []any, map[string]any:
		return nil, fmt.Errorf("a value of the column %s is a list or an object", c.Name)
	}
	return v, nil
}

// insertInOrder inserts each row after the row of the same table that it refers to
// (a collection after its parent).
func (tx *Tx) insertInOrder(ctx context.Context, t BackupTable, text string, rows [][]any) error {
	id, parent := -1, -1
	for i, c := range t.Columns {
		switch c {
		case "id":
			id = i
		case "parent_id":
			parent = i
		}
	}
	if len(rows) == 0 {
		return nil
	}
	if id < 0 || parent < 0 {
		return errors.New("it has no id and parent_id")
	}
	children := map[any][][]any{}
	for _, v := range rows {
		children[v[parent]] = append(children[v[parent]], v)
	}
	done := 0
	var insert func(of any) error
	insert = func(of any) error {
		for _, v := range children[of] {
			if err := Put(ctx, tx, text, v...); err != nil {
				return err
			}
			done++
			if err := insert(v[id]); err != nil {
				return err
			}
		}
		return nil
	}
	if err := insert(nil); err != nil {
		return err
	}
	if done < len(rows) {
		return fmt.Errorf("%d rows hang below none that is at the top", len(rows)-done)
	}
	return nil
}
