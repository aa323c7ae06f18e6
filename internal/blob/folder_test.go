package blob

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// writerVariable makes this test program the process that is killed.
const writerVariable = "OCTAVO_TEST_BLOB_WRITER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(writerVariable); dir != "" {
		fmt.Fprintln(os.Stderr, writeUntilKilled(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// writeUntilKilled prints the hash of each file after Put returned.
func writeUntilKilled(dir string) error {
	s, err := OpenFolder(dir, testLimit)
	if err != nil {
		return err
	}
	errs := make(chan error)
	for worker := range uint64(4) {
		go func() {
			seed := worker << 16
			for i := uint64(0); ; i++ {
				data := randomBytes(seed+i%200, int(i%50)*10_000)
				info, err := s.Put(context.Background(), bytes.NewReader(data))
				if err != nil {
					errs <- err
					return
				}
				fmt.Println(info.Hash)
				if i%7 == 3 {
					// Nothing is old enough to be deleted, so nothing may be lost.
					if _, err := s.Delete(context.Background(), info.Hash, info.LastPut.Add(-time.Minute)); err != nil {
						errs <- err
						return
					}
				}
			}
		}()
	}
	return <-errs
}

// A process is killed repeatedly while it writes.
func TestAcknowledgedFilesSurviveAKill(t *testing.T) {
	dir := t.TempDir()
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	kept := map[string]bool{}
	for round := range rounds {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), writerVariable+"="+dir)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		acknowledged := 0
		for lines := bufio.NewScanner(out); lines.Scan(); {
			kept[lines.Text()] = true
			if acknowledged++; acknowledged == 20+round*37 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		if acknowledged < 20 {
			t.Fatalf("the writer ended by itself: %s", stderr.String())
		}
		s, err := OpenFolder(dir, testLimit)
		if err != nil {
			t.Fatal(err)
		}
		for line := range kept {
			h, err := ParseHash(line)
			if err != nil {
				continue // the last line may be truncated
			}
			if err := intact(t.Context(), s, h); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
		// Files that were not acknowledged may exist, but must be complete.
		for h := range all(t, s) {
			if err := intact(t.Context(), s, h); err != nil {
				t.Errorf("round %d: %v", round, err)
			}
		}
	}
}

func TestLeftoversOfACrash(t *testing.T) {
	s := newFolder(t)
	data := []byte("condemned")
	h := put(t, s, data)
	write := func(name string, age time.Duration, data []byte) string {
		p := filepath.Join(s.temp(), name)
		if err := os.WriteFile(p, data, 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(p, at, at); err != nil {
			t.Fatal(err)
		}
		return p
	}
	old := write("octavo-put-1", 2*time.Hour, nil)
	young := write("octavo-put-2", 30*time.Minute, nil)
	foreign := write("notes.txt", 48*time.Hour, nil)
	// A crash during Delete.
	away := write(deletionPrefix+h.String()+"-X", 48*time.Hour, data)
	if err := os.Remove(s.path(h)); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(s.dir, 0); err != nil {
		t.Fatal(err)
	}
	for path, there := range map[string]bool{old: false, young: true, foreign: true, away: false, s.path(h): true} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
	if ok, err := s.Delete(t.Context(), h, time.Now().Add(-time.Hour)); ok || err != nil {
		t.Errorf("what was put back counts as old: %v, %v", ok, err)
	}
}

func TestFolderOnDisk(t *testing.T) {
	s := newFolder(t)
	h := put(t, s, []byte("hello"))
	before, err := os.Stat(s.path(h))
	if err != nil {
		t.Fatal(err)
	}
	yesterday := time.Now().Add(-24 * time.Hour)
	if err := os.Chtimes(s.path(h), yesterday, yesterday); err != nil {
		t.Fatal(err)
	}
	put(t, s, []byte("hello"))
	after, err := os.Stat(s.path(h))
	if err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was written again: %v", err)
	}
	if time.Since(after.ModTime()) > time.Minute {
		t.Errorf("putting the same bytes did not renew them: %v", after.ModTime())
	}
	// A damaged file is repaired when the same content is put again.
	if err := os.Truncate(s.path(h), 2); err != nil {
		t.Fatal(err)
	}
	if err := intact(t.Context(), s, h); err == nil {
		t.Error("the damage was not seen")
	}
	put(t, s, []byte("hello"))
	if err := intact(t.Context(), s, h); err != nil {
		t.Error(err)
	}
	if rel, _ := filepath.Rel(s.dir, s.path(h)); filepath.ToSlash(rel) != "2c/"+h.String() {
		t.Errorf("the file is at %s", rel)
	}
	// Other users have no access, and no temporary files are left.
	err = filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err != nil {
			return err
		}
		if p != s.dir && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", p, st.Mode())
		}
		if strings.HasPrefix(d.Name(), "octavo-") {
			t.Errorf("%s was left behind", p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// Walk ignores files with other names.
	for _, name := range []string{"2c/readme", "2c/" + strings.Repeat("0", 64)} {
		if err := os.WriteFile(filepath.Join(s.dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := all(t, s); len(got) != 1 {
		t.Errorf("walked %v", got)
	}
}

func TestAFolderThatCannotBe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenFolder(path, 0); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
}

// If a Put renews the file just before Delete moves it away, the file is kept.
func TestAPutInTheMiddleOfADelete(t *testing.T) {
	s := newFolder(t)
	yesterday := time.Now().Add(-24 * time.Hour)
	for _, again := range []bool{true, false} {
		h := put(t, s, []byte("x"))
		away := s.deletionPath(h)
		if !again {
			if err := os.Chtimes(s.path(h), yesterday, yesterday); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Rename(s.path(h), away); err != nil {
			t.Fatal(err)
		}
		gone, err := s.deleteOrRestore(h, away, time.Now().Add(-time.Hour))
		if gone == again || err != nil {
			t.Errorf("put again %v: %v, %v", again, gone, err)
		}
		if ok, err := s.Has(t.Context(), h); ok != again || err != nil {
			t.Errorf("put again %v: there %v, %v", again, ok, err)
		}
	}
	// Another process has cleaned up in the meantime.
	h := put(t, s, []byte("x"))
	if gone, err := s.deleteOrRestore(h, s.deletionPath(h), time.Now().Add(time.Hour)); gone || err != nil {
		t.Errorf("%v, %v", gone, err)
	}
}

// One side puts the same contents repeatedly while the other deletes old ones. Neither
// fails, and the contents that are put last remain.
func TestPutAndDeleteAtTheSameTime(t *testing.T) {
	s := newFolder(t)
	data := [][]byte{[]byte("a"), []byte("b"), []byte("c")}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, d := range data {
				h := Hash(sha256.Sum256(d))
				// Set an old time, as if it had been put long ago.
				old := time.Now().Add(-48 * time.Hour)
				os.Chtimes(s.path(h), old, old)
				if _, err := s.Delete(t.Context(), h, time.Now().Add(-24*time.Hour)); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 300 {
		if _, err := s.Put(t.Context(), bytes.NewReader(data[i%3])); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wg.Wait()
	for _, d := range data {
		h := put(t, s, d)
		if err := intact(t.Context(), s, h); err != nil {
			t.Error(strconv.Quote(string(d)), err)
		}
	}
	left, err := filepath.Glob(filepath.Join(s.temp(), "octavo-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func BenchmarkFolderPut(b *testing.B) {
	s := newFolder(b)
	b.SetBytes(20_000)
	b.RunParallel(func(pb *testing.PB) {
		data := randomBytes(1, 20_000)
		for pb.Next() {
			copy(data, strconv.FormatInt(time.Now().UnixNano(), 10))
			put(b, s, data)
		}
	})
}
