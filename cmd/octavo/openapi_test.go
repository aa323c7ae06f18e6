package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A specification is published from a file, which says what is wrong with it; a file
// that did not change makes no version.
func TestOpenAPISpecificationsArePublished(t *testing.T) {
	at := startServer(t, false)
	call := func(code int, want string, args ...string) {
		t.Helper()
		var out bytes.Buffer
		args = append([]string{"openapi", args[0], "--url=" + at.URL, "--token=" + at.Token}, args[1:]...)
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
