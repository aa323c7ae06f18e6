package main

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/api"
	"github.com/octavo-docs/octavo/internal/server"
	"github.com/octavo-docs/octavo/internal/testdb"
)

// A specification is published from a file, which says what is wrong with it; a file
// that did not change makes no version.
func TestOpenAPISpecificationsArePublished(t *testing.T) {
	ctx := context.Background()
	srv, err := server.Start(ctx, server.Config{
		Listen: "127.0.0.1:0", Database: testdb.SQLite(t), Files: server.Files{Folder: filepath.Join(t.TempDir(), "files")}, Version: "test", Build: "test",
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Limit: api.Limit{Requests: 1 << 30, Period: time.Minute},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
		defer cancel()
		if err := srv.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	b, err := srv.Orgs.Bootstrap(ctx, "ada@acme.test", "Acme", "test")
	if err != nil {
		t.Fatal(err)
	}
	call := func(code int, want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"openapi", args[0], "--url=" + srv.BaseURL, "--token=" + b.Token}, args[1:]...)
		if got := run(args, streams{&out, &out}); got != code || !strings.Contains(out.String(), want) {
			t.Errorf("%v: %d, %q", args, got, out.String())
		}
	}
	file := filepath.Join(t.TempDir(), "openapi.yaml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const text = "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n"
	write(text)
	call(0, "pets has the new version ", "publish", "--slug=pets", file)
	call(0, "pets did not change", "publish", "--slug=pets", file)
	write("asyncapi: 3.0.0\n")
	call(1, "openapi.yaml:1: this is an AsyncAPI description", "publish", "--slug=pets", file)
	call(1, "no such file", "publish", "--slug=pets", filepath.Join(t.TempDir(), "none.yaml"))
	call(1, "400", "publish", "--slug=no_slug", file)
	call(0, text, "show", "pets")
	call(1, "404", "show", "pets", "none")
	call(0, "pets  PARSE_ERROR  private", "list")
	call(0, "pets is deleted", "delete", "pets")
	call(1, "404", "delete", "pets")
}
