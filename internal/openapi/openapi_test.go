package openapi

import (
	"errors"
	goformat "go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var fileLine = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// bundle parses a text of several files, each after a line with its name. The first file
// is the root.
func bundle(src string) Bundle {
	b := Bundle{Files: map[string][]byte{}}
	at := fileLine.FindAllStringSubmatchIndex(src, -1)
	for i, m := range at {
		end := len(src)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		name := src[m[2]:m[3]]
		if i == 0 {
			b.Root = name
		}
		b.Files[name] = []byte(src[m[1]:end])
	}
	return b
}

func load(t testing.TB, src string) *Description {
	t.Helper()
	d, err := Load(t.Context(), bundle(src))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// samples returns the descriptions in testdata by their names.
func samples(t testing.TB) map[string]string {
	t.Helper()
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	out := map[string]string{}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out[strings.TrimSuffix(filepath.Base(f), ".txt")] = string(b)
	}
	return out
}

func TestLoad(t *testing.T) {
	all := samples(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			d := load(t, all[name])
			if d.Title == "" || d.Version == "" || d.Hash != bundle(all[name]).Hash() {
				t.Errorf("title %q, version %q, hash %q", d.Title, d.Version, d.Hash)
			}
			for _, o := range slices.Concat(d.Operations, d.Webhooks) {
				for _, p := range o.Parameters() {
					if p.Name == "" || p.Schema.Label() == "" {
						t.Errorf("%s: parameter %+v", o.Title(), p)
					}
				}
				if b := o.Body(); b != nil && len(b.Content) == 0 {
					t.Errorf("%s: a body without content", o.Title())
				}
				for _, r := range o.Responses() {
					for _, m := range r.Content {
						m.Examples(InResponse)
					}
				}
			}
		})
	}
}

func TestInvalid(t *testing.T) {
	const info = "info: {title: T, version: '1'}\n"
	for name, c := range map[string]struct{ src, want string }{
		"empty":          {"-- a.yaml --\n\n", "a.yaml: the file is empty"},
		"HTML":           {"-- a.yaml --\n<!DOCTYPE html><html></html>", "a.yaml:1: this is an HTML page, not an OpenAPI description"},
		"XML":            {"-- a.yaml --\n<?xml version='1.0'?><a/>", "a.yaml:1: this is XML or HTML"},
		"AsyncAPI":       {"-- a.yaml --\nasyncapi: 2.6.0\n" + info, "a.yaml:1: this is an AsyncAPI description"},
		"something else": {"-- a.yaml --\nname: x\n", `it has neither "openapi" nor "swagger"`},
		"a list":         {"-- a.yaml --\n- a\n", "this is a list"},
		"old":            {"-- a.json --\n{\"swagger\": \"1.2\"}", "a.json:1: Swagger 1.2 is not supported"},
		"new":            {"-- a.yaml --\nopenapi: 4.0.0\n" + info, "OpenAPI 4.0.0 is not supported"},
		"syntax":         {"-- a.yaml --\nopenapi: 3.0.0\ninfo: {\n", "a.yaml:2: "},
		"JSON syntax":    {"-- a.json --\n{\n \"openapi\": \"3.0.0\",\n \"info\": nope\n}", "a.json:3: "},
		"twice":          {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "openapi: 3.0.0\n", `a.yaml:3: the key "openapi" is set twice`},
		"no info":        {"-- a.yaml --\nopenapi: 3.0.0\npaths: {}\n", `the description needs "info"`},
		"no title":       {"-- a.yaml --\nopenapi: 3.0.0\npaths: {}\ninfo: {version: '1'}\n", `a.yaml:3: /info: "info" needs "title"`},
		"no paths":       {"-- a.yaml --\nopenapi: 3.0.0\n" + info, `the description needs "paths"`},
		"nothing":        {"-- a.yaml --\nopenapi: 3.1.0\n" + info, `needs "paths", "webhooks" or "components"`},
		"path":           {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths:\n  pets: {}\n", `a.yaml:4: /paths/pets: the path "pets" must begin with a slash`},
		"status":         {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths:\n  /p:\n    get:\n      responses:\n        ok: {description: d}\n", `a.yaml:7: /paths/~1p/get/responses/ok: "ok" is no status`},
		"type":           {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {}\ncomponents:\n  schemas:\n    A: {type: text}\n", `a.yaml:6: /components/schemas/A: "text" is no type`},
		"kind":           {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: []\n", `a.yaml:3: /paths: "paths" must be an object, not a list`},
		"list of items":  {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {}\ncomponents: {schemas: {A: {type: array, items: [{type: string}]}}}\n", `/components/schemas/A/items: a schema must be an object or true or false, not a list`},
		"in":             {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {get: {parameters: [{name: a, in: body}]}}}\n", `/paths/~1p/get/parameters/0: a parameter is in path, query, header, cookie, not in "body"`},
		"same id":        {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {get: {operationId: a}, put: {operationId: a}}}\n", `the operationId "a" is used by another operation`},
		"no target":      {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: '#/nope'}}\n", `a.yaml:3: /paths/~1p/$ref: "#/nope" leads to nothing`},
		"circle":         {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {}\ncomponents: {schemas: {A: {$ref: '#/components/schemas/A'}}}\n", "back to itself"},
		"file scheme":    {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: 'file:///proc/self/environ'}}\n", "only files of the description can be referred to, not by file"},
		"above":          {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: '../../etc/passwd'}}\n", "leads out of the folder"},
		"absolute":       {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: '/etc/passwd'}}\n", "by its whole address"},
		"network":        {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: 'http://169.254.169.254/x'}}\n", "is not part of the description"},
		"in other file":  {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: {/p: {$ref: b.yaml#/p}}\n-- b.yaml --\np:\n  get: 1\n", "b.yaml:2: /p/get: an operation must be an object, not a number"},
		"alias of self":  {"-- a.yaml --\nopenapi: 3.0.0\n" + info + "paths: &a {/p: *a}\n", "contains itself"},
		"deep":           {"-- a.json --\n" + strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), "nested deeper"},
		"deep YAML":      {"-- a.yaml --\n" + strings.Repeat(`[`, 1000) + strings.Repeat("]", 1000), "nested deeper"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(t.Context(), bundle(c.src))
			var bad *Invalid
			if !errors.As(err, &bad) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("got %v, want %s", err, c.want)
			}
		})
	}
}

func TestStability(t *testing.T) {
	for value, want := range map[string]struct {
		stability  string
		deprecated bool
	}{"beta": {"beta", false}, "deprecated": {"", true}, "stable": {"", false}} {
		o := load(t, "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {x-stability: "+value+", responses: {'200': {description: D}}}}}\n").Operations[0]
		if o.Stability != want.stability || o.Deprecated != want.deprecated {
			t.Errorf("%s: %q, deprecated: %v", value, o.Stability, o.Deprecated)
		}
	}
}

// The sample for Go of an upload is a program that sends the form.
func TestGoSampleOfUpload(t *testing.T) {
	const schema = "{type: object, properties: {note: {type: string, example: hi}, file: {type: string, format: binary}}}"
	o := load(t, "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://api.example.com'}]\n"+
		"paths: {/a: {post: {requestBody: {content: {multipart/form-data: {schema: "+schema+"}}}, responses: {'200': {description: D}}}}}\n").Operations[0]
	for _, s := range o.Samples() {
		if s.Label != "Go" {
			continue
		}
		formatted, err := goformat.Source([]byte(s.Source + "\n"))
		if err != nil || string(formatted) != s.Source+"\n" {
			t.Errorf("not formatted: %v\n%s", err, s.Source)
		}
		for _, want := range []string{`form.WriteField("note", "hi")`, `range []string{"file"}`, `"https://api.example.com/a", &body)`, `"Content-Type", form.FormDataContentType()`} {
			if !strings.Contains(s.Source, want) {
				t.Errorf("no %s in\n%s", want, s.Source)
			}
		}
		return
	}
	t.Error("no sample for Go")
}

// Samples send files, not the text that an example shows instead of their content.
func TestSamplesOfFiles(t *testing.T) {
	const form = "{type: object, properties: {note: {type: string, example: hi}, photo: {type: string, format: binary}, more: {type: array, items: {type: string, format: binary}}}}"
	for content, want := range map[string]map[string][]string{
		"multipart/form-data: {schema: " + form + "}": {
			"cURL":       {`-F 'note=hi'`, `-F 'photo=@file'`, `-F 'more=@file'`},
			"JavaScript": {`import { openAsBlob } from "node:fs";`, `form.append("note", "hi");`, `form.append("photo", await openAsBlob("file"), "file");`, `form.append("more", await openAsBlob("file"), "file");`},
			"Python":     {`"note": (None, "hi"),`, `"photo": open("file", "rb"),`, `"more": open("file", "rb"),`},
			"Go":         {`form.WriteField("note", "hi")`, `range []string{"photo", "more"}`},
		},
		"application/octet-stream: {}":                                       binarySamples,
		"application/octet-stream: {schema: {type: string, format: binary}}": binarySamples,
		"image/png: {schema: {type: string, contentMediaType: image/png}}":   binarySamples,
		"application/x-own: {schema: {type: string, format: binary}}":        binarySamples,
		"'*/*': {schema: {type: string, format: binary}}":                    binarySamples,
		"text/csv: {example: 'a,b'}": {
			"cURL": {`-d 'a,b'`}, "JavaScript": {`body: "a,b"`}, "Python": {`data="a,b"`}, "Go": {`strings.NewReader("a,b")`},
		},
		`text/plain: {example: "a\a\U000e0001"}`: { // JavaScript has neither \a nor \U
			"JavaScript": {`body: "a\u0007` + "\U000e0001" + `"`}, "Python": {`data="a\u0007` + "\U000e0001" + `"`}, "Go": {`"a\a\U000e0001"`},
		},
		"application/json: {schema: {type: object, properties: {a: {type: string}}}}": {
			"cURL": {`-d '{`}, "JavaScript": {`JSON.stringify({`}, "Python": {`json={`}, "Go": {"strings.NewReader(`{"},
		},
	} {
		o := load(t, "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://api.example.com'}]\n"+
			"paths: {/a: {post: {requestBody: {content: {"+content+"}}, responses: {'200': {description: D}}}}}\n").Operations[0]
		for _, s := range o.Samples() {
			if strings.Contains(s.Source, "<binary>") || strings.Contains(s.Source, "*/*") {
				t.Errorf("%s: %s sends a placeholder:\n%s", content, s.Label, s.Source)
			}
			for _, want := range want[s.Label] {
				if !strings.Contains(s.Source, want) {
					t.Errorf("%s: no %s in\n%s", content, want, s.Source)
				}
			}
			if s.Label == "Go" {
				if formatted, err := goformat.Source([]byte(s.Source + "\n")); err != nil || string(formatted) != s.Source+"\n" {
					t.Errorf("%s: not formatted: %v\n%s", content, err, s.Source)
				}
			}
		}
	}
}

// A sample for curl sends what the description says, and no file that it names: curl reads one for a
// value that begins with @ or <.
func TestSamplesReadNoFiles(t *testing.T) {
	for content, want := range map[string][]string{
		"text/plain: {example: '@/etc/passwd'}": {`--data-raw '@/etc/passwd'`},
		"multipart/form-data: {example: {a: '@/etc/passwd', b: '</etc/passwd', c: 'x;type=y', d: '\"q\"', e: 'plain', 'f=@/etc/passwd;g': 'h'}}": {
			`--form-string 'a=@/etc/passwd'`, `--form-string 'b=</etc/passwd'`, `--form-string 'c=x;type=y'`, `--form-string 'd="q"'`, `-F 'e=plain'`, `--form-string 'f=@/etc/passwd;g=h'`,
		},
		"multipart/form-data: {schema: {type: object, properties: {'a=@/etc/passwd;b': {type: string, format: binary}}}}": {`--form-string 'a=@/etc/passwd;b=`},
		"application/x-www-form-urlencoded: {example: {a: '@/etc/passwd', 'b@/etc/passwd': 'c'}}":                         {`--data-urlencode 'a=@/etc/passwd'`, `--data-urlencode 'b@/etc/passwd=c'`},
		`text/csv: {example: "a\e[201~\r\nrm -rf b\tc\x9b\x00"}`:                                                          {"-d 'a[201~\nrm -rf b\tc'"},
	} {
		o := load(t, "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\nservers: [{url: 'https://api.example.com'}]\n"+
			"paths: {/a: {post: {requestBody: {content: {"+content+"}}, responses: {'200': {description: D}}}}}\n").Operations[0]
		for _, s := range o.Samples() {
			for _, part := range want {
				if s.Label == "cURL" && !strings.Contains(s.Source, part) {
					t.Errorf("%s: no %s in\n%s", content, part, s.Source)
				}
			}
		}
	}
}

// binarySamples has parts of samples whose body is a file.
var binarySamples = map[string][]string{
	"cURL": {`--data-binary '@file'`}, "JavaScript": {`import { openAsBlob } from "node:fs";`, `body: await openAsBlob("file")`},
	"Python": {`data=open("file", "rb")`}, "Go": {`body, err := os.Open("file")`, `"https://api.example.com/a", body)`},
}

func TestReferences(t *testing.T) {
	got, err := References("api/openapi.yaml", []byte(`
paths:
  /a: {$ref: paths/a.yaml#/x}
  /b: {$ref: ./paths/a.yaml}
  /c: {$ref: ../common.yaml}
  /d: {$ref: https://example.com/d.yaml#/y}
  /e: {$ref: file:///etc/passwd}
  /f: {$ref: ../../out.yaml}
  /g: {get: {responses: {'200': {content: {a/b: {example: {$ref: data.yaml}}}}}}}
components: {schemas: {A: {properties: {$ref: {type: string}, example: {$ref: property.yaml}}}}}
`))
	want := []string{"api/paths/a.yaml", "common.yaml", "https://example.com/d.yaml", "api/property.yaml"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	got, err = References("https://example.com/v1/d.yaml", []byte("$ref: ../e.yaml"))
	if err != nil || !slices.Equal(got, []string{"https://example.com/e.yaml"}) {
		t.Errorf("got %q, %v", got, err)
	}
}
