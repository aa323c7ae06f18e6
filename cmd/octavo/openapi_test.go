package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A specification is published from a file, and its problems are reported. Publishing an
// unchanged file creates no version.
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
	file := filepath.Join(t.TempDir(), "petstore.yml")
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
	call(1, "400", "publish", "--slug=no_slug", file)
	write("asyncapi: 3.0.0\n")
	call(1, "petstore.yml:1: this is an AsyncAPI description", "publish", "--slug=pets", file)
	call(1, "no such file", "publish", "--slug=pets", filepath.Join(t.TempDir(), "none.yaml"))
	call(0, text, "show", "pets")
	part := filepath.Join(filepath.Dir(file), "parts", "pets.yaml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(part), 0o700), os.WriteFile(part, []byte("get:\n  summary: [1]\n"), 0o600)); err != nil {
		t.Fatal(err)
	}
	write(strings.Replace(text, "paths: {}", "paths: {/pets: {$ref: parts/pets.yaml}}", 1))
	call(1, "parts/pets.yaml:2: /get/summary: the summary must be", "publish", "--slug=parts", file)
	if err := os.WriteFile(part, []byte("get: {responses: {'200': {description: OK}}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	call(0, "parts has the new version", "publish", "--slug=parts", file)
	call(0, "  GET /pets: the operation is new", "diff", "@pets/latest", "@parts")
	call(0, "Nothing differs.", "diff", "@parts", file)
	call(1, "404", "diff", "@absent", file)
	call(0, "x-files", "show", "parts")
	call(0, "parts is deleted", "delete", "parts")
	write(strings.Replace(text, "paths: {}", "paths: {/pets: {$ref: parts/none.yaml}}", 1))
	call(1, "none.yaml: no such file", "publish", "--slug=parts", file)
	call(1, "404", "show", "pets", "none")
	call(0, "pets  complete  private", "list")
	call(0, "pets is deleted", "delete", "pets")
	call(1, "404", "delete", "pets")
}

func TestOpenAPISpecificationsAreCompared(t *testing.T) {
	dir := t.TempDir()
	write := func(name, paths string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte("openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {"+paths+"}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const cats = "/cats: {get: {responses: {'200': {description: OK}}}}"
	one, two := write("one.yaml", cats), write("two.yaml", "/dogs: {get: {responses: {'200': {description: OK}}}}")
	names := write("names.yaml", `/cats: {get: {parameters: [{name: "page_size[]\e[2J", in: query, schema: {type: string}}], responses: {"200": {description: OK}}}}`)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--markdown", one, two}, 0, "## Breaking changes\n\n* `GET /cats`: the operation is gone\n\n## Added\n\n* `GET /dogs`: the operation is new\n"},
		{[]string{one, two}, 0, "Breaking changes:\n  GET /cats: the operation is gone\n\nAdded:\n  GET /dogs: the operation is new\n"},
		{[]string{one, names}, 0, "Added:\n  GET /cats, query page_size[][2J: the parameter is new\n"},
		{[]string{"--fail-on-breaking", one, two}, 1, "there are changes that break clients"},
		{[]string{"--fail-on-breaking", one, one}, 0, "Nothing differs.\n"},
		{[]string{one, write("bad.yaml", "cats: {}")}, 1, "bad.yaml:3: /paths/cats: the path"},
		{[]string{one, filepath.Join(dir, "none.yaml")}, 1, "no such file"},
	} {
		var out bytes.Buffer
		if got := run(append([]string{"openapi", "diff"}, c.args...), streams{&out, &out}); got != c.code || !strings.Contains(out.String(), c.want) {
			t.Errorf("%v: %d, %q", c.args, got, out.String())
		}
	}
}
