package openapi

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/testing/testcpu"
)

const diffBase = `-- openapi.yaml --
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /orders/{id}:
    get:
      operationId: getOrder
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: view, in: query, schema: {type: string, enum: [short, long]}}
      responses:
        '200':
          description: An order
          headers: {X-Rate: {schema: {type: integer}}}
          content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}
        '404': {description: There is none}
    put:
      operationId: putOrder
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}
      responses: {'204': {description: Stored}}
  /health: {get: {operationId: health, responses: {'200': {description: OK}}}}
components:
  securitySchemes: {token: {type: http, scheme: bearer}, key: {type: apiKey, in: header, name: X-Key}}
  schemas:
    Order:
      type: object
      required: [id]
      properties:
        id: {type: string}
        note: {type: string, maxLength: 100}
        price: {type: number, multipleOf: 0.1}
        code: {type: string, pattern: '^a'}
        lines: {type: array, items: {$ref: '#/components/schemas/Line'}}
    Line: {type: object, properties: {count: {type: integer}, of: {$ref: '#/components/schemas/Order'}}}
`

func TestDiff(t *testing.T) {
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"nothing":         {"title: Shop", "title: Store", nil},
		"text":            {"description: An order", "description: One order", []string{"changed text-changed GET /orders/{id}"}},
		"operation gone":  {"  /health: {get: {operationId: health, responses: {'200': {description: OK}}}}\n", "", []string{"removed! operation-removed GET /health"}},
		"operation moved": {"/health:", "/up:", []string{"changed! operation-moved GET /up"}},
		"operation new":   {"  /health:", "  /new: {get: {responses: {'200': {description: OK}}}}\n  /health:", []string{"added operation-added GET /new"}},
		"renamed in path": {"{name: id, in: path, required: true", "{name: id, in: path, description: D, required: true", []string{"changed text-changed GET /orders/{id}"}},
		"deprecated":      {"operationId: health,", "operationId: health, deprecated: true,", []string{"changed operation-deprecated GET /health"}},
		"parameter":       {"        - {name: view, in: query, schema: {type: string, enum: [short, long]}}\n", "        - {name: all, in: query, required: true, schema: {type: string}}\n", []string{"added! required-parameter-added GET /orders/{id} query all", "removed parameter-removed GET /orders/{id} query view"}},
		"required":        {"{name: view, in: query,", "{name: view, in: query, required: true,", []string{"changed! parameter-required GET /orders/{id} query view"}},
		"enum":            {"enum: [short, long]", "enum: [short, all]", []string{"removed! value-removed GET /orders/{id} query view", "added value-added GET /orders/{id} query view"}},
		"type":            {"count: {type: integer}", "count: {type: string}", []string{"changed! type-changed GET /orders/{id} response 200: lines[].count", "changed! type-changed PUT /orders/{id} request body: lines[].count"}},
		"wider number":    {"count: {type: integer}", "count: {type: number}", []string{"changed! type-changed GET /orders/{id} response 200: lines[].count", "changed type-changed PUT /orders/{id} request body: lines[].count"}},
		"stricter":        {"maxLength: 100", "maxLength: 90", []string{"changed limit-changed GET /orders/{id} response 200: note", "changed! limit-changed PUT /orders/{id} request body: note"}},
		"wider":           {"maxLength: 100", "maxLength: 110", []string{"changed! limit-changed GET /orders/{id} response 200: note", "changed limit-changed PUT /orders/{id} request body: note"}},
		"no limit":        {", maxLength: 100", "", []string{"changed! limit-changed GET /orders/{id} response 200: note", "changed limit-changed PUT /orders/{id} request body: note"}},
		"coarser step":    {"multipleOf: 0.1", "multipleOf: 0.3", []string{"changed limit-changed GET /orders/{id} response 200: price", "changed! limit-changed PUT /orders/{id} request body: price"}},
		"finer step":      {"multipleOf: 0.1", "multipleOf: 0.01", []string{"changed! limit-changed GET /orders/{id} response 200: price", "changed limit-changed PUT /orders/{id} request body: price"}},
		"other step":      {"multipleOf: 0.1", "multipleOf: 0.15", []string{"changed! limit-changed GET /orders/{id} response 200: price", "changed! limit-changed PUT /orders/{id} request body: price"}},
		"other pattern":   {"pattern: '^a'", "pattern: '^b'", []string{"changed limit-changed GET /orders/{id} response 200: code", "changed! limit-changed PUT /orders/{id} request body: code"}},
		"no pattern":      {", pattern: '^a'", "", []string{"changed limit-changed GET /orders/{id} response 200: code", "changed limit-changed PUT /orders/{id} request body: code"}},
		"property gone":   {"        note: {type: string, maxLength: 100}\n", "", []string{"removed! property-removed GET /orders/{id} response 200: note", "removed property-removed PUT /orders/{id} request body: note"}},
		"now required":    {"required: [id]", "required: [id, note]", []string{"changed property-required GET /orders/{id} response 200: note", "changed! property-required PUT /orders/{id} request body: note"}},
		"now optional":    {"      required: [id]\n", "", []string{"changed! property-optional GET /orders/{id} response 200: id", "changed property-optional PUT /orders/{id} request body: id"}},
		"nullable":        {"id: {type: string}", "id: {type: [string, 'null']}", []string{"changed! nullable GET /orders/{id} response 200: id", "changed nullable PUT /orders/{id} request body: id"}},
		"body required":   {"requestBody: {content", "requestBody: {required: true, content", []string{"changed! body-required PUT /orders/{id} request body"}},
		"body gone":       {"      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}}\n", "", []string{"removed! body-removed PUT /orders/{id} request body"}},
		"response gone":   {"        '404': {description: There is none}\n", "", []string{"removed response-removed GET /orders/{id} response 404"}},
		"header gone":     {"          headers: {X-Rate: {schema: {type: integer}}}\n", "", []string{"removed! response-header-removed GET /orders/{id} response 200"}},
		"media type":      {"content: {application/json: {schema: {$ref: '#/components/schemas/Order'}}}\n        '404'", "content: {text/csv: {schema: {type: string}}}\n        '404'", []string{"removed! media-type-removed GET /orders/{id} response 200", "added media-type-added GET /orders/{id} response 200"}},
		"authentication":  {"operationId: health,", "operationId: health, security: [{token: []}],", []string{"changed! authentication-required GET /health authentication"}},
	} {
		t.Run(name, func(t *testing.T) { checkDiff(t, diffBase, c.old, c.new, c.want) })
	}
}

// checkDiff compares a description with the same description after one replacement. The
// changes that are wanted have the form "kind! rule operation where", with the mark if
// the change is breaking.
func checkDiff(t *testing.T, base, from, to string, want []string) {
	t.Helper()
	if strings.Count(base, from) != 1 {
		t.Fatalf("%q is there %d times", from, strings.Count(base, from))
	}
	var got []string
	changes := Diff(load(t, base), load(t, strings.Replace(base, from, to, 1)))
	for _, ch := range changes.Changes {
		mark := ""
		if ch.Breaking {
			mark = "!"
		}
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s%s %s %s %s", ch.Kind, mark, ch.Rule, ch.Operation, ch.Where)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := Changelog(changes)
	if strings.Contains(strings.Join(got, "\n"), "!") != strings.Contains(text, "## Breaking changes\n\n* `") || (text == "") != (len(got) == 0) {
		t.Errorf("the changelog is %q", text)
	}
}

// The API sends the requests of webhooks, so for them a body that allows more breaks
// clients, and a response that becomes stricter. A client that a removed webhook does not
// call any more breaks too.
func TestDiffOfWebhooks(t *testing.T) {
	const base = `-- openapi.yaml --
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths: {}
webhooks:
  paid:
    post:
      parameters:
        - {name: X-Sign, in: header, required: true, schema: {type: string}}
        - {name: X-Try, in: header, schema: {type: integer}}
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [id], properties: {id: {type: string}, note: {type: string}}}}}}
      responses: {'200': {description: OK, headers: {X-Rate: {schema: {type: integer}}}, content: {application/json: {schema: {type: object, properties: {seen: {type: boolean}}}}}}}
`
	for name, c := range map[string]struct {
		old, new string
		want     []string
	}{
		"property gone":      {", note: {type: string}", "", []string{"removed! property-removed POST paid request body: note"}},
		"now required":       {"required: [id]", "required: [id, note]", []string{"changed property-required POST paid request body: note"}},
		"now optional":       {"required: [id], ", "", []string{"changed! property-optional POST paid request body: id"}},
		"new and required":   {"required: [id], properties: {", "required: [id, at], properties: {at: {type: string}, ", []string{"added property-added POST paid request body: at"}},
		"body optional":      {"requestBody: {required: true", "requestBody: {required: false", []string{"changed! body-optional POST paid request body"}},
		"answer required":    {"schema: {type: object, properties: {seen", "schema: {type: object, required: [seen], properties: {seen", []string{"changed! property-required POST paid response 200: seen"}},
		"answer gone":        {"seen: {type: boolean}", "", []string{"removed property-removed POST paid response 200: seen"}},
		"header gone":        {"        - {name: X-Try, in: header, schema: {type: integer}}\n", "", []string{"removed! parameter-removed POST paid header X-Try"}},
		"header required":    {"X-Try, in: header", "X-Try, in: header, required: true", []string{"changed parameter-required POST paid header X-Try"}},
		"header optional":    {"X-Sign, in: header, required: true", "X-Sign, in: header", []string{"changed! parameter-optional POST paid header X-Sign"}},
		"webhook gone":       {base[strings.Index(base, "webhooks:"):], "", []string{"removed! operation-removed POST paid"}},
		"webhook renamed":    {"  paid:", "  bought:", []string{"added operation-added POST bought", "removed! operation-removed POST paid"}},
		"method gone":        {"    post:", "    put:", []string{"added operation-added PUT paid", "removed! operation-removed POST paid"}},
		"answer header gone": {"headers: {X-Rate: {schema: {type: integer}}}, ", "", []string{"removed response-header-removed POST paid response 200"}},
	} {
		t.Run(name, func(t *testing.T) { checkDiff(t, base, c.old, c.new, c.want) })
	}
}

// The work of comparing hostile descriptions is bounded.
func TestDiffIsLinear(t *testing.T) {
	for _, name := range []string{"operations", "properties", "chain of allOf", "unnamed choices"} {
		testcpu.Linear(t, 800, func(n int) func() {
			old := load(t, hostile[name](n))
			changed := load(t, strings.ReplaceAll(hostile[name](n), "type: string", "type: integer"))
			return func() {
				if all := Diff(old, changed); len(all.Changes) > maxChanges {
					t.Errorf("%d changes", len(all.Changes))
				}
			}
		})
	}
}

// Changes beyond the limits of a comparison are counted, or count as breaking.
func TestDiffBeyondLimits(t *testing.T) {
	const head = "-- a.yaml --\nopenapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths:\n"
	paths := func(name string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "  /%s%d: {get: {responses: {'200': {description: D}}}}\n", name, i)
		}
		return b.String()
	}
	t.Run("changes", func(t *testing.T) {
		d := Diff(load(t, head+paths("old", 3)), load(t, head+paths("new", maxChanges+5)))
		if len(d.Changes) != maxChanges || d.All != maxChanges+8 || d.Breaking != 3 {
			t.Errorf("%d of %d changes, %d are breaking", len(d.Changes), d.All, d.Breaking)
		}
		if text := Changelog(d); !strings.HasSuffix(text, "\nAnd 8 more; 3 changes of all break clients.") {
			t.Errorf("the changelog ends with %q", text[len(text)-100:])
		}
	})
	schema := func(s string) string {
		return head + "  /a: {post: {requestBody: {content: {application/json: {schema: " + s + "}}}, responses: {'200': {description: D}}}}\n"
	}
	nested := func(depth int, inner string) string {
		return schema(strings.Repeat("{type: object, properties: {a: ", depth) + inner + strings.Repeat("}}", depth))
	}
	for depth, want := range map[int]string{maxDiffing: "type-changed", maxDiffing + 1: "not-compared"} {
		d := Diff(load(t, nested(depth, "{type: string}")), load(t, nested(depth, "{type: integer}")))
		if len(d.Changes) != 1 || d.Changes[0].Rule != want || d.Breaking != 1 {
			t.Errorf("depth %d: %+v", depth, d)
		}
	}
	t.Run("properties", func(t *testing.T) {
		object := func(last string) string {
			var b strings.Builder
			for i := range maxProperties {
				fmt.Fprintf(&b, "p%d: {type: string}, ", i)
			}
			return schema("{type: object, properties: {" + b.String() + "last: {type: " + last + "}}}")
		}
		d := Diff(load(t, object("string")), load(t, object("integer")))
		if len(d.Changes) != 1 || d.Changes[0].Rule != "not-compared" || d.Breaking != 1 {
			t.Errorf("%+v", d)
		}
	})
	t.Run("media types", func(t *testing.T) {
		var types strings.Builder
		for i := range maxMedia {
			fmt.Fprintf(&types, "a/%d: {}, ", i)
		}
		all := head + "  /a: {get: {responses: {'200': {description: D, content: {" + types.String() + "a/last: {}}}}}}\n"
		d := Diff(load(t, all), load(t, strings.Replace(all, "a/last: {}", "", 1)))
		if len(d.Changes) != 1 || d.Changes[0].Rule != "not-compared" || d.Breaking != 1 {
			t.Errorf("%+v", d)
		}
	})
	t.Run("schemas", func(t *testing.T) {
		c := &comparison{left: 1, fresh: 1, done: map[schemaPair]bool{}}
		c.lists(load(t, nested(1, "{type: string}")).Operations, load(t, nested(1, "{type: integer}")).Operations)
		if d := c.found; len(d.Changes) != 1 || d.Changes[0].Rule != "not-compared" || d.Breaking != 1 {
			t.Errorf("%+v", d)
		}
	})
	t.Run("known schemas", func(t *testing.T) { // compared for an earlier operation
		spec := func(inner string) string {
			return strings.ReplaceAll(head+"  /a: X\n  /b: X\n", "X", "{post: {requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/S'}}}}, responses: {'200': {description: D}}}}") +
				"components: {schemas: {S: {type: object, properties: {a: {type: " + inner + "}}}}}\n"
		}
		c := &comparison{left: 2, fresh: 2, done: map[schemaPair]bool{}}
		c.lists(load(t, spec("string")).Operations, load(t, spec("integer")).Operations)
		if d := c.found; len(d.Changes) != 1 || d.Changes[0].Rule != "type-changed" || d.Breaking != 1 {
			t.Errorf("%+v", d)
		}
	})
}
