package main_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckOfASpace(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	if err := os.RemoveAll(filepath.Join(dir, "notes")); err != nil {
		t.Fatal(err)
	}
	l.importFrom(t, dir)
	if out := mustOctavo(t, l.at, "check", "--space="+l.space); !strings.Contains(out, "no mistakes") {
		t.Errorf("a good space: %q", out)
	}
	edit(t, dir, "guides/README.md", appended("\nSee [nothing](nothing.md) and [no heading](install.md#no-such).\n"))
	l.importFrom(t, dir)
	want := []string{"guides/README.md:9: guides/nothing.md does not exist (broken-link)", "guides/README.md:9: guides/install.md has no heading #no-such (broken-anchor)"}
	for _, args := range [][]string{{"--space=" + l.space}, {dir}} {
		out, stderr, err := octavo(l.at, "check", args...)
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 1 || stderr != "" {
			t.Errorf("check %v: %v, %q", args, err, stderr)
		}
		for _, line := range want {
			if !strings.Contains(out, line) {
				t.Errorf("check %v says %q, want %q in it", args, out, line)
			}
		}
	}
	out, _, _ := octavo(l.at, "check", "--format=json", "--space="+l.space)
	var problems []struct {
		File, Code, Level string
		Line              int
	}
	if err := json.Unmarshal([]byte(out), &problems); err != nil || len(problems) != 2 || problems[0].File != "guides/README.md" || problems[0].Line != 9 {
		t.Errorf("as JSON: %v, %s", err, out)
	}
	l.n.stop(t)
}

// damage changes the database in a way that must be detected.
func (l *library) damage(t *testing.T, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(l.at.data, "octavo.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	done, err := db.Exec(statement)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		t.Fatalf("nothing was damaged: %v", err)
	}
}

func TestDoctorFindsWhatDoesNotFitTheContent(t *testing.T) {
	t.Parallel()
	l := openLibrary(t, sqlitePlace(t))
	dir := handbook(t)
	grow(t, dir, 100, "wick") // enough for a part of the index that is stored in segments
	l.importFrom(t, dir)
	edit(t, dir, "reference/parts.md", appended("\nMore of the wick.\n"))
	l.importFrom(t, dir) // and a part that is pending
	l.n.stop(t)
	l.verify(t)
	for _, d := range []struct{ name, statement string }{
		{"a link that is missing", `DELETE FROM links WHERE target = (SELECT MIN(target) FROM links WHERE kind = 'page')`},
		{"a link to something else", `UPDATE links SET target = 'elsewhere' WHERE kind = 'page' AND n = 0`},
		{"a page without links", `DELETE FROM layer_pages WHERE page_id = (SELECT MIN(page_id) FROM layer_pages)`},
		{"anchors of another text", `UPDATE layer_pages SET anchors = '' WHERE anchors LIKE '%the-wick%'`},
		{"a page that search does not know", `DELETE FROM search_pages WHERE page_id = (SELECT MIN(page_id) FROM search_pages)`},
		{"a page that search knows otherwise", `UPDATE search_pages SET sections = REPLACE(sections, 'wick', 'wax') WHERE sections LIKE '%wick%'`},
		{"words that search has lost", `DELETE FROM search_index`},
		{"words that wait and are lost", `DELETE FROM search_pending`},
		{"an object with other bytes", `UPDATE objects SET data = x'00' WHERE hash = (SELECT MIN(hash) FROM objects)`},
		{"an object that is missing", `DELETE FROM objects WHERE hash = (SELECT body FROM documents LIMIT 1)`},
		{"the root of a revision is missing", `DELETE FROM objects WHERE hash = (SELECT r.root FROM revisions r JOIN spaces s ON s.revision_id = r.id)`},
	} {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			hurt := &library{at: sqlitePlace(t), space: l.space}
			if err := os.CopyFS(hurt.at.data, os.DirFS(l.at.data)); err != nil {
				t.Fatal(err)
			}
			hurt.damage(t, d.statement)
			out, stderr, err := octavo(hurt.at, "doctor", "--verify")
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(out, "FAIL  content") {
				t.Errorf("%v:\n%s%s", err, out, stderr)
			}
			if out := mustOctavo(t, hurt.at, "doctor"); strings.Contains(out, "content") {
				t.Errorf("without --verify:\n%s", out)
			}
		})
	}
	t.Run("bytes of a file that are missing", func(t *testing.T) {
		t.Parallel()
		files := contents(t, filepath.Join(l.at.data, "files"))
		for name, text := range files {
			hurt := sqlitePlace(t)
			if err := os.CopyFS(hurt.data, os.DirFS(l.at.data)); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(filepath.Join(hurt.data, "files", name)); err != nil {
				t.Fatal(err)
			}
			if out, _, err := octavo(hurt, "doctor", "--verify"); err == nil {
				t.Errorf("without %q:\n%s", text, out)
			}
		}
	})
}

// A backup is complete: an imported folder can be restored from it with the content of
// its files, on either kind of database.
func TestBackupHasContentAndFiles(t *testing.T) {
	t.Parallel()
	places := []struct {
		name     string
		from, to func(testing.TB) place
	}{
		{"sqlite to sqlite", sqlitePlace, sqlitePlace},
		{"sqlite to postgres", sqlitePlace, postgresPlace},
		{"postgres to sqlite", postgresPlace, sqlitePlace},
	}
	for _, p := range places {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			from, to := p.from(t), p.to(t)
			l := openLibrary(t, from)
			dir := handbook(t)
			l.importFrom(t, dir)
			file := filepath.Join(t.TempDir(), "backup")
			out := mustOctavo(t, from, "backup", "--to="+file)
			if !strings.Contains(out, " 4 files to ") { // three assets and LICENSE
				t.Errorf("backup printed %q", out)
			}
			l.n.stop(t)

			mustOctavo(t, to, "restore", "--from="+file)
			again := &library{at: to, space: l.space, admin: l.admin, n: serve(t, to)}
			wantSame(t, dir, again.take(t))
			if out := again.importFrom(t, dir); out != "nothing has changed\n" {
				t.Errorf("import into the restored space: %q", out)
			}
			again.verify(t)
			again.checkDownloads(t, dir)
			var found struct{ Items []thing }
			again.get(t, "/search?query=cotton", &found)
			if len(found.Items) != 1 || found.Items[0].Title != "Parts" {
				t.Errorf("search finds %v", found.Items)
			}
			again.n.stop(t)
		})
	}
}

// checkDownloads downloads every file of the space as a browser would.
func (l *library) checkDownloads(t *testing.T, dir string) {
	t.Helper()
	files := list[struct{ Name, DownloadURL string }](t, l.n, l.admin.Token, "/v1/spaces/"+l.space+"/content/files")
	if len(files) != 3 {
		t.Errorf("there are %d files, want 3", len(files))
	}
	for _, f := range files {
		want, err := os.ReadFile(filepath.Join(dir, ".gitbook", "assets", f.Name))
		if err != nil {
			t.Error(err)
		}
		at, err := url.Parse(f.DownloadURL)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.n.call("", "GET", at.RequestURI(), nil)
		if err != nil || got.status != http.StatusOK || !bytes.Equal(got.body, want) {
			t.Errorf("%s: status %d, %v, %d bytes, want %d", f.Name, got.status, err, len(got.body), len(want))
		}
	}
}
