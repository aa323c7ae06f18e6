package openapi

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

// fields is the number of properties of a schema of api, besides the reference to the
// next schema.
const fields = 38

// api returns a description with n operations, each with parameters, a body and its own
// schemas. YAML is in block style, as generators write it.
func api(n int, yaml bool) string {
	var b strings.Builder
	if yaml {
		b.WriteString("-- openapi.yaml --\nopenapi: 3.0.3\ninfo:\n  title: Large\n  version: '1'\npaths:\n")
		for i := range n {
			fmt.Fprintf(&b, "  /things%d/{id}:\n    post:\n      operationId: thing%d\n      summary: Change thing %d\n      tags:\n        - tag%d\n", i, i, i, i%40)
			b.WriteString("      parameters:\n        - name: id\n          in: path\n          required: true\n          schema:\n            type: string\n")
			fmt.Fprintf(&b, "      requestBody:\n        content:\n          application/json:\n            schema:\n              $ref: '#/components/schemas/Thing%d'\n", i)
			fmt.Fprintf(&b, "      responses:\n        '200':\n          description: Changed\n          content:\n            application/json:\n              schema:\n                $ref: '#/components/schemas/Thing%d'\n", i)
		}
		b.WriteString("components:\n  schemas:\n")
		for i := range n {
			fmt.Fprintf(&b, "    Thing%d:\n      type: object\n      properties:\n        next:\n          $ref: '#/components/schemas/Thing%d'\n", i, (i+1)%n)
			for j := range fields {
				fmt.Fprintf(&b, "        field%d:\n          type: string\n          maxLength: %d\n          description: What field %d of things of the type %d is for, in some words.\n", j, j+1, j, i)
			}
		}
		return b.String()
	}
	b.WriteString("-- openapi.json --\n" + `{"openapi":"3.0.3","info":{"title":"Large","version":"1"},"paths":{`)
	for i := range n {
		fmt.Fprintf(&b, `%s"/things%d/{id}":{"post":{"operationId":"thing%d","summary":"Change thing %d","tags":["tag%d"],"parameters":[{"name":"id","in":"path","required":true,"schema":{"type":"string"}}],`, comma(i), i, i, i, i%40)
		fmt.Fprintf(&b, `"requestBody":{"content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}},"responses":{"200":{"description":"Changed","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Thing%d"}}}}}}}`, i, i)
	}
	b.WriteString(`},"components":{"schemas":{`)
	for i := range n {
		fmt.Fprintf(&b, `%s"Thing%d":{"type":"object","properties":{"next":{"$ref":"#/components/schemas/Thing%d"}`, comma(i), i, (i+1)%n)
		for j := range fields {
			fmt.Fprintf(&b, `,"field%d":{"type":"string","maxLength":%d,"description":"What field %d of things of the type %d is for, in some words."}`, j, j+1, j, i)
		}
		b.WriteString("}}")
	}
	b.WriteString("}}}\n")
	return b.String()
}

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// A description of 5 MB and 1,000 operations is loaded with less than 300 MB of
// allocations, including memory that is freed again.
func TestLarge(t *testing.T) {
	for _, yaml := range []bool{false, true} {
		b := bundle(api(1000, yaml))
		if size := len(b.Files[b.Root]); size < 5_000_000 || size > 8<<20 {
			t.Errorf("the description has %d KB", size>>10)
		}
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		d, err := Load(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		if mb := (after.TotalAlloc - before.TotalAlloc) >> 20; mb > 300 {
			t.Errorf("yaml %v: reading allocates %d MB", yaml, mb)
		}
		if len(d.Operations) != 1000 || len(d.Schemas) != 1000 || len(d.Tags) != 40 {
			t.Fatalf("%d operations, %d schemas, %d tags", len(d.Operations), len(d.Schemas), len(d.Tags))
		}
		for i := 0; i < len(d.Operations); i += 20 {
			o := d.Operations[i]
			if text := o.Markdown(2); len(text) < 1000 || len(text) > 64<<10 {
				t.Fatalf("%s has %d bytes of Markdown", o.Title(), len(text))
			}
		}
	}
}

// hostile are descriptions that cause much work; each repeats the named construct n
// times.
var hostile = map[string]func(n int) string{
	"operations": func(n int) string { return api(n/40+1, false) },
	"YAML":       func(n int) string { return api(n/40+1, true) },
	"all of all": func(n int) string {
		var parts, all []string
		for i := range n {
			parts = append(parts, fmt.Sprintf("    P%d: {type: object, properties: {a%d: {type: string}}}\n", i, i))
			all = append(all, fmt.Sprintf("{$ref: '#/components/schemas/P%d'}", i))
		}
		return hostileHead + strings.Join(parts, "") + "    All: {allOf: [" + strings.Join(all, ",") + "], oneOf: [" + strings.Join(all, ",") + "]}\n"
	},
	"chain of allOf": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "    P%d: {allOf: [{$ref: '#/components/schemas/P%d'}, {$ref: '#/components/schemas/P%d'}]}\n", i, min(i+1, n-1), min(i+2, n-1))
		}
		return hostileHead + b.String() + "    All: {$ref: '#/components/schemas/P0'}\n"
	},
	"properties": func(n int) string {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("a%d: {$ref: '#/components/schemas/All'}", i))
		}
		return hostileHead + "    All: {properties: {" + strings.Join(names, ",") + "}, oneOf: [" + strings.Repeat("{$ref: '#/components/schemas/All'},", n) + "{type: string}]}\n"
	},
	"unnamed choices": func(n int) string {
		depth := 50
		inner := strings.Repeat("{oneOf: [{type: string},", depth) + "{type: string}" + strings.Repeat("]}", depth)
		return hostileHead + "    All: {anyOf: [" + strings.Repeat(inner+",", n/depth) + inner + "]}\n"
	},
	"values": func(n int) string {
		return hostileHead + "    All: {type: string, enum: [" + strings.Repeat("same,", n) + "same], example: [" + strings.Repeat("same,", n) + "same]}\n"
	},
	"references": func(n int) string {
		return hostileHead + "    B: {type: string}\n    All: {properties: {a: {enum: [1]}}, anyOf: [" + strings.Repeat("{$ref: '#/components/schemas/%42'},", n) + "{$ref: '#/components/schemas/B'}]}\n"
	},
	"aliases": func(n int) string {
		var b strings.Builder
		b.WriteString("-- a.yaml --\nx0: &x0 [a, b]\n")
		for i := range 60 { // exponential growth, which is refused
			fmt.Fprintf(&b, "x%d: &x%d [*x%d, *x%d]\n", i+1, i+1, i, i)
		}
		return b.String() + "x: [" + strings.Repeat("*x0,", n) + "]\n"
	},
	"brackets": func(n int) string { return "-- a.yaml --\n" + strings.Repeat("[", n) },
	"quotes":   func(n int) string { return "-- a.yaml --\nopenapi: 3.0.0\n" + strings.Repeat("a: \"", n) },
	"same key": func(n int) string { return "-- a.json --\n{" + strings.Repeat(`"a":1,`, n) + `"a":1}` },
	"markup":   func(n int) string { return "-- a.html --\n" + strings.Repeat("<div>", n) },
}

const hostileHead = "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n" +
	"  /a: {post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/All'}}}}," +
	" responses: {'200': {description: D, content: {application/json: {schema: {$ref: '#/components/schemas/All'}}}}}}}\ncomponents:\n  schemas:\n"

// show computes everything that pages show of up to 20 operations, webhooks and schemas.
func show(d *Description) {
	d.Find("all things", 10)
	for _, o := range slices.Concat(d.Operations[:min(len(d.Operations), 20)], d.Webhooks[:min(len(d.Webhooks), 20)]) {
		o.Markdown(2)
		o.Samples()
		o.Callbacks()
		o.Security()
		o.Fingerprint()
	}
	for _, s := range d.Schemas[max(0, len(d.Schemas)-20):] {
		d.SchemaMarkdown([]string{s.Name()}, 2)
		s.Label()
		s.Fingerprint()
	}
}

// The work of loading and showing a description is linear in its size.
func TestLinear(t *testing.T) {
	for name, source := range hostile {
		t.Run(name, func(t *testing.T) {
			testcpu.Linear(t, 1200, func(n int) func() {
				b := bundle(source(n))
				return func() {
					if d, err := Load(t.Context(), b); err == nil {
						show(d)
					}
				}
			})
		})
	}
}
