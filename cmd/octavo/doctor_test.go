package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"

	"github.com/octavo-docs/octavo/internal/testing/testmail"
)

// A database without tables is empty, which is no failure.
func TestDoctorOnAnEmptyDatabase(t *testing.T) {
	t.Parallel()
	at := postgresPlace(t)
	out := mustOctavo(t, at, "doctor")
	if !strings.Contains(out, "warn  database       it is empty; ") || strings.Contains(out, "FAIL") || strings.Contains(out, "schema_migrations") {
		t.Errorf("doctor says\n%s", out)
	}
	if _, stderr, err := octavo(at, "backup", "--to="+filepath.Join(t.TempDir(), "b")); err == nil || !strings.Contains(stderr, "the database is empty; octavo bootstrap") {
		t.Errorf("backup: %v, %s", err, stderr)
	}
}

// Doctor signs in to the mail server and sends nothing.
func TestDoctorAsksTheMailServer(t *testing.T) {
	t.Parallel()
	at, srv := sqlitePlace(t), testmail.Start(t)
	mustOctavo(t, at, "migrate")
	out := mustOctavo(t, at, "doctor", "--smtp="+srv.URL(), "--mail-from=docs@octavo.example")
	if !strings.Contains(out, "ok    mail           the server "+srv.Addr+" answers and lets us in") {
		t.Errorf("doctor says\n%s", out)
	}
	if n := len(srv.Messages()); n > 0 {
		t.Errorf("%d mails were sent", n)
	}
	u := strings.Replace(srv.URL(), "://", "://ada:hush-hush@", 1)
	out, _, err := octavo(at, "doctor", "--smtp="+u, "--mail-from=docs@octavo.example")
	if err == nil || !strings.Contains(out, "FAIL  mail           mail server "+srv.Addr+": ") || strings.Contains(out, "hush-hush") {
		t.Errorf("a server that lets nobody sign in: %v\n%s", err, out)
	}
}

// bucketFlags returns flags for a bucket: of the server that OCTAVO_TEST_S3 names when the
// tests start, or of one in this process. forbid lets requests of a method fail; it needs
// the latter.
func bucketFlags(t *testing.T, forbid string) []string {
	t.Helper()
	flags := []string{"--s3-region=us-east-1", "--s3-path-style", "--s3-insecure"}
	if v := strings.Split(realS3, ","); len(v) == 4 && forbid == "" {
		return append(flags, "--s3-endpoint="+strings.TrimPrefix(v[0], "http://"), "--s3-access-key="+v[1], "--s3-secret-key="+v[2], "--s3-bucket="+v[3],
			"--s3-prefix="+strings.ReplaceAll(t.Name(), "/", "-")+filepath.Base(t.TempDir()))
	}
	backend := s3mem.New()
	if err := backend.CreateBucket("octavo"); err != nil {
		t.Fatal(err)
	}
	s3 := gofakes3.New(backend, gofakes3.WithTimeSkewLimit(0)).Server()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == forbid {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>AccessDenied</Code></Error>")
			return
		}
		s3.ServeHTTP(w, r)
	}))
	srv.Config.ErrorLog = nil
	t.Cleanup(srv.Close)
	return append(flags, "--s3-endpoint="+strings.TrimPrefix(srv.URL, "http://"), "--s3-access-key=key", "--s3-secret-key=secret", "--s3-bucket=octavo")
}

// Doctor writes, reads and deletes a file in the bucket, and says which of them fails.
func TestDoctorTriesTheBucket(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	mustOctavo(t, at, "migrate")
	out := mustOctavo(t, at, "doctor", bucketFlags(t, "")...)
	if !strings.Contains(out, " bucket octavo at ") {
		t.Errorf("doctor says\n%s", out)
	}
	for method, want := range map[string]string{http.MethodPut: "no file can be written", http.MethodGet: "cannot be read", http.MethodDelete: "cannot be deleted"} {
		out, _, err := octavo(at, "doctor", bucketFlags(t, method)...)
		if err == nil || !strings.Contains(out, "FAIL  files ") || !strings.Contains(out, want) || strings.Contains(out, "secret") {
			t.Errorf("without %s: %v\n%s", method, err, out)
		}
	}
}

// A finding has at most 20 lines, and says how many more there are.
func TestDoctorIsBrief(t *testing.T) {
	t.Parallel()
	at := sqlitePlace(t)
	mustOctavo(t, at, "migrate")
	for i := range 50 {
		if err := os.Mkdir(filepath.Join(at.data, fmt.Sprintf("x%d", i)), 0o500); err != nil {
			t.Fatal(err)
		}
	}
	out, _, err := octavo(at, "doctor")
	if n := strings.Count(out, " has the mode "); err == nil || n != 18 || !strings.Contains(out, "… and 32 more\n") {
		t.Errorf("%v, %d lines\n%s", err, n, out)
	}
}
