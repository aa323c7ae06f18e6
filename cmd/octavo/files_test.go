package main_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// withAFile imports a page with a file into a new space, and returns the id of the space.
func withAFile(t *testing.T, at place, flags ...string) (space string) {
	t.Helper()
	admin := bootstrap(t, at, "Files")
	n := serve(t, at, flags...)
	space = n.made(t, admin.Token, "POST", "/v1/orgs/"+string(admin.Organization)+"/spaces", map[string]any{"title": "Guide", "empty": true})
	n.stop(t)
	from := t.TempDir()
	for name, text := range map[string]string{"README.md": "# Home\n\n[one](one.txt)\n", "one.txt": "one"} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	mustOctavo(t, at, "import", append([]string{"--space=" + space, from}, flags...)...)
	return space
}

// refused checks that a command is refused, because the files are elsewhere.
func refused(t *testing.T, at place, want, command string, args ...string) {
	t.Helper()
	stdout, stderr, err := octavo(at, command, args...)
	if err == nil || !strings.Contains(stderr+stdout, want) || !strings.Contains(stderr+stdout, "octavo files adopt") {
		t.Errorf("%s: %v\n%s%s", command, err, stdout, stderr)
	}
}

const lacksMark = "/files does not have the files of this database: the mark "

// A node without the files of the others does not start, and says what to do.
func TestANodeWithoutTheFilesDoesNotStart(t *testing.T) {
	t.Parallel()
	at := postgresPlace(t)
	space := withAFile(t, at)
	same := serve(t, at)
	serve(t, at).stop(t) // a second node with the same folder
	other := place{data: t.TempDir(), database: at.database}
	refused(t, other, "FAIL  files          the folder "+other.data+lacksMark, "doctor")
	if names := entries(t, other.data); len(names) > 0 {
		t.Errorf("doctor left %v", names)
	}
	for command, args := range map[string][]string{
		"serve":  {"--listen=127.0.0.1:0"},
		"import": {"--space=" + space, t.TempDir()},
		"export": {"--space=" + space, t.TempDir()},
		"check":  {"--space=" + space},
		"epub":   {"--space=" + space, filepath.Join(t.TempDir(), "book.epub")},
		"backup": {"--to=" + filepath.Join(t.TempDir(), "backup")},
		"doctor": {"--verify"},
	} {
		if command == "import" {
			if err := os.WriteFile(filepath.Join(args[1], "README.md"), []byte("# Home\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		refused(t, other, other.data+lacksMark, command, args...)
		refused(t, other, " in the folder "+at.data+"/files of the host ", command, args...)
	}
	refused(t, at, "the bucket octavo at ", "serve", append(bucketFlags(t, ""), "--listen=127.0.0.1:0")...)
	mustOctavo(t, other, "user list") // needs no files
	mustOctavo(t, other, "migrate")
	if out := mustOctavo(t, at, "doctor"); !strings.Contains(out, "can be written, read and deleted, and has the mark ") {
		t.Errorf("doctor says\n%s", out)
	}
	same.stop(t)

	// Adopted on purpose, it is the place, and the first one is refused.
	out := mustOctavo(t, other, "files adopt")
	if !strings.Contains(out, other.data+"/files is empty. The database knows its files in the folder "+at.data+"/files of the host ") {
		t.Errorf("adopt says\n%s", out)
	}
	refused(t, other, other.data+lacksMark, "serve", "--listen=127.0.0.1:0")
	mustOctavo(t, other, "files adopt", "--yes")
	serve(t, other).stop(t)
	refused(t, at, at.data+lacksMark, "serve", "--listen=127.0.0.1:0")
	if out, _, err := octavo(other, "doctor", "--verify"); err == nil || !strings.Contains(out, "(one.txt) are missing") {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	if out := mustOctavo(t, other, "files adopt", "--yes"); !strings.Contains(out, "nothing to do") {
		t.Errorf("adopt says\n%s", out)
	}
	if log := mustOctavo(t, other, "audit"); !strings.Contains(log, "instance.files") {
		t.Errorf("the log is\n%s", log)
	}
}

// Whoever moves an installation, or its files, is not kept from starting.
func TestFilesThatMove(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		space := withAFile(t, at)
		exported := func(at place, flags ...string) {
			t.Helper()
			to := filepath.Join(t.TempDir(), "out")
			mustOctavo(t, at, "export", append([]string{"--space=" + space, to}, flags...)...)
			if b, err := os.ReadFile(filepath.Join(to, "one.txt")); err != nil || string(b) != "one" {
				t.Errorf("%q, %v", b, err)
			}
		}
		copied := place{data: filepath.Join(t.TempDir(), "copy"), database: at.database}
		if out, err := exec.Command("cp", "-r", at.data, copied.data).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		serve(t, copied).stop(t)
		exported(copied)

		backup := filepath.Join(t.TempDir(), "backup")
		mustOctavo(t, at, "backup", "--to="+backup)
		for name, to := range map[string]place{"sqlite": sqlitePlace(t), "postgres": postgresPlace(t), "the folder of the original": {data: at.data, database: postgresPlace(t).database}} {
			t.Run(name, func(t *testing.T) {
				mustOctavo(t, to, "restore", "--from="+backup)
				serve(t, to).stop(t)
				exported(to)
			})
		}
		exported(at)

		// A server that was started before the restore, with another place.
		bucket, into := bucketFlags(t, ""), sqlitePlace(t)
		serve(t, into).stop(t)
		mustOctavo(t, into, "restore", append([]string{"--from=" + backup}, bucket...)...)
		serve(t, into, bucket...).stop(t)
		exported(into, bucket...)
		refused(t, into, into.data+lacksMark, "serve", "--listen=127.0.0.1:0")
	})
}

// What an older version wrote gets its mark silently, unless there is nothing of it.
func TestAnUpgradeMarksTheFiles(t *testing.T) {
	t.Parallel()
	eachPlace(t, func(t *testing.T, at place) {
		withAFile(t, at)
		db := at.sql(t)
		forget := func() {
			t.Helper()
			if _, err := db.Exec(`DELETE FROM file_place`); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(at.data, "files", "marks")); err != nil {
				t.Fatal(err)
			}
		}
		forget()
		mustOctavo(t, at, "backup", "--to="+filepath.Join(t.TempDir(), "backup"))
		mustOctavo(t, at, "doctor")
		n := serve(t, at)
		n.stop(t)
		if log := n.logged(); strings.Contains(log, "WARN") || strings.Contains(log, "ERROR") {
			t.Errorf("the log is\n%s", log)
		}
		if out := mustOctavo(t, at, "doctor"); !strings.Contains(out, "and has the mark ") {
			t.Errorf("doctor says\n%s", out)
		}
		forget()
		if err := os.Rename(filepath.Join(at.data, "files"), filepath.Join(at.data, "elsewhere")); err != nil {
			t.Fatal(err)
		}
		refused(t, at, at.data+"/files is empty, and this database has files. Mount the folder", "serve", "--listen=127.0.0.1:0")
		refused(t, at, "is empty, and this database has files.", "backup", "--to="+filepath.Join(t.TempDir(), "backup"))
		mustOctavo(t, at, "files adopt", "--yes")
		serve(t, at).stop(t)
	})
}

// A server that is killed while it starts for the first time can be started again, from any
// moment.
func TestKilledWhileItMarksTheFiles(t *testing.T) {
	t.Parallel()
	eachKilled(t, 20, func(t *testing.T, at place, rounds int) {
		for range rounds {
			if at.database == "" {
				at = sqlitePlace(t)
			} else {
				at = postgresPlace(t)
			}
			mustOctavo(t, at, "migrate")
			cmd := exec.Command(binary, append([]string{"serve", "--listen=127.0.0.1:0"}, at.flags()...)...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
				if _, err := os.Stat(filepath.Join(at.data, "files")); err == nil {
					break
				}
			}
			time.Sleep(rand.N(20 * time.Millisecond))
			_ = cmd.Process.Kill() // fails if it has ended
			_ = cmd.Wait()
			n := serve(t, at)
			n.want(t, http.StatusOK, "", "GET", "/readyz", nil, nil)
			n.stop(t)
			all, err := filepath.Glob(filepath.Join(at.data, "files", "marks", "*"))
			if err != nil || len(all) < 1 || len(all) > 2 {
				t.Error(fmt.Sprint(all), err)
			}
		}
	})
}
