package apidoc

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/openapi"
)

func load(t *testing.T, src string) Find {
	t.Helper()
	d, err := openapi.Load(t.Context(), openapi.Bundle{Root: "a.yaml", Files: map[string][]byte{"a.yaml": []byte(src)}})
	if err != nil {
		t.Fatal(err)
	}
	return func(ref docs.Ref) *openapi.Description {
		if ref.Spec != "pets" {
			return nil
		}
		return d
	}
}

func petStore(t *testing.T) Find {
	t.Helper()
	b, err := os.ReadFile("../testdata/petstore.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, src, _ := strings.Cut(string(b), "\n") // after the name of the file
	return load(t, src)
}

// show renders a page as HTML.
func show(t *testing.T, find Find, source string) string {
	t.Helper()
	var b strings.Builder
	o := html.Options{}
	o.API = NewPage(find, o).HTML
	if err := html.Write(&b, markup.Parse([]byte(source), markup.Refs{}), o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var void = map[string]bool{"wbr": true, "br": true, "img": true, "input": true, "hr": true}

// wellFormed checks that every element is closed, and that no id is used twice.
func wellFormed(t *testing.T, page string) {
	t.Helper()
	var open []string
	ids := map[string]bool{}
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for {
		switch z.Next() {
		case nethtml.ErrorToken:
			if len(open) > 0 {
				t.Errorf("not closed: %v", open)
			}
			return
		case nethtml.StartTagToken:
			tok := z.Token()
			if !void[tok.Data] {
				open = append(open, tok.Data)
			}
			for _, a := range tok.Attr {
				if a.Key == "id" && ids[a.Val] {
					t.Errorf("the id %q is used twice", a.Val)
				}
				if a.Key == "id" {
					ids[a.Val] = true
				}
			}
		case nethtml.EndTagToken:
			tok := z.Token()
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Fatalf("</%s> closes %v", tok.Data, open)
			}
			open = open[:len(open)-1]
		}
	}
}

var tagPattern = regexp.MustCompile(`<[^>]*>`)

// plain returns the text of HTML.
func plain(page string) string {
	return strings.Join(strings.Fields(tagPattern.ReplaceAllString(page, " ")), " ")
}

func TestOperation(t *testing.T) {
	page := show(t, petStore(t), `{% openapi-operation spec="pets" path="/pets" method="get" %}[x](y){% endopenapi-operation %}`)
	wellFormed(t, page)
	text := plain(page)
	for _, want := range []string{
		"List pets", "GET / pets Base URL https://eu.pets.example.com/v1", "Returns pets, newest first", "Authentication Authorization Bearer token",
		"Query parameters limit integer min 1 max 100 How many to return. Default 20", "Headers X-Trace string (uuid)", "Can be bought.",
		"200 A page of pets", "X-Next string", "application/json array of Pet", "name string required min length 1 max length 80",
		"default Something is wrong", "cURL", "JavaScript", "Python", "Go", "Authorization: Bearer YOUR_TOKEN",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if !strings.Contains(page, `<a href="#model-pet">Pet</a>`) || !strings.Contains(page, `id="model-pet"`) {
		t.Errorf("a pet within a pet does not lead to the model: %s", page)
	}
	before, model, _ := strings.Cut(page, `id="model-pet"`)
	if strings.Contains(before, ">password<") || !strings.Contains(model, ">password<") {
		t.Error("a field that is only written is shown in an answer, or not in the model")
	}
	if !strings.Contains(page, `<h2 class="api-heading">List pets</h2>`) {
		t.Errorf("no heading: %s", page)
	}
}

// The values of the elements of an array are shown with the array.
func TestValuesOfElements(t *testing.T) {
	find := load(t, "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {/a: {get: {parameters: [{name: of, in: query, schema: "+
		"{type: array, items: {type: string, enum: [red, blue]}}}], responses: {'200': {description: D}}}}}\n")
	if page := show(t, find, "{% openapi-operation spec=\"pets\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n"); !strings.Contains(page, "<code>red</code> <code>blue</code>") {
		t.Error(page)
	}
}

func TestBlocksOfOnePage(t *testing.T) {
	find := petStore(t)
	page := show(t, find, `# A

{% openapi-operation spec="pets" path="/pets/{petId}" method="delete" %}{% endopenapi-operation %}

{% openapi-operation spec="pets" path="/pets" method="post" %}{% endopenapi-operation %}

{% openapi-schemas spec="pets" schemas="Pet,Status,Nobody" grouped="true" %}{% endopenapi-schemas %}

{% openapi-operation spec="other" path="/pets" method="post" %}{% endopenapi-operation %}

{% openapi-operation spec="pets" path="/secret" method="get" %}{% endopenapi-operation %}
`)
	wellFormed(t, page)
	text := plain(page)
	for _, want := range []string{"deprecated until 2027-01-01", "OAuth 2", "Scopes pets:write", "None", "Tom", "Pet object", "Status string"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	if strings.Contains(text, "Nobody object") || !strings.Contains(page, `data-spec="other"`) {
		t.Error("something is shown that is not there")
	}
	if got := Title(find, markup.APIBlock{Type: "openapi-operation", Ref: docs.Ref{Kind: docs.RefOpenAPI, Spec: "pets"}, Method: "get", Path: "/pets"}); got != "List pets" {
		t.Errorf("the title is %q", got)
	}
}

// All texts of a description are escaped.
func TestHostileTexts(t *testing.T) {
	const evil = `'<script>alert(1)</script>"onload=x ${1} {% openapi-operation spec=\"pets\" path=\"/x\" method=\"get\" %}{% endopenapi-operation %}'`
	find := load(t, `
openapi: 3.1.0
info: {title: `+evil+`, version: '1'}
servers: [{url: `+evil+`, description: `+evil+`}, {url: b}]
paths:
  /x:
    get:
      operationId: `+evil+`
      summary: `+evil+`
      description: `+evil+`
      deprecated: true
      x-deprecated-sunset: `+evil+`
      security: [{a: [`+evil+`]}]
      parameters: [{name: `+evil+`, in: query, required: true, description: `+evil+`, schema: {type: string, format: `+evil+`, enum: [`+evil+`], default: `+evil+`, pattern: `+evil+`}}]
      requestBody: {content: {`+evil+`: {schema: {$ref: '#/components/schemas/a'}, examples: {`+evil+`: {value: `+evil+`}}}}}
      responses: {'200': {description: `+evil+`, content: {application/json: {schema: {$ref: '#/components/schemas/a'}}}}}
      callbacks: {`+evil+`: {`+evil+`: {post: {description: `+evil+`, responses: {'200': {description: `+evil+`}}}}}}
components:
  securitySchemes: {a: {type: apiKey, in: header, name: `+evil+`, description: `+evil+`}}
  schemas:
    a: {type: object, properties: {`+evil+`: {title: `+evil+`, description: `+evil+`, oneOf: [{$ref: '#/components/schemas/a'}, {title: `+evil+`, type: string}]}}}
`)
	page := show(t, find, `{% openapi-operation spec="pets" path="/x" method="get" %}{% endopenapi-operation %}

{% openapi-schemas spec="pets" schemas="a" %}{% endopenapi-schemas %}`)
	wellFormed(t, page)
	if strings.Contains(page, "<script") || strings.Contains(page, `"onload`) {
		t.Errorf("a text became HTML: %s", page)
	}
}

// The output for schemas that contain each other many times is bounded.
func TestDenseSchemasAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("openapi: 3.0.0\ninfo: {title: T, version: '1'}\npaths: {/x: {get: {responses: {'200': {description: d, content: {application/json: {schema: {$ref: '#/components/schemas/a'}}}}}}}}\ncomponents:\n  schemas:\n")
	names := strings.Split("abcdefghijklmnopqrst", "")
	for _, n := range names {
		b.WriteString("    " + n + ": {type: object, properties: {")
		for _, m := range names {
			b.WriteString(m + ": {$ref: '#/components/schemas/" + m + "'}, ")
		}
		b.WriteString("}}\n")
	}
	find := load(t, b.String())
	block := `{% openapi-operation spec="pets" path="/x" method="get" %}{% endopenapi-operation %}` + "\n\n"
	page := show(t, find, strings.Repeat(block, 3))
	wellFormed(t, page)
	if n := strings.Count(page, `class="api-field"`); n > maxPageFields+3*maxFields {
		t.Errorf("%d fields are shown", n)
	}
	if len(page) > 4<<20 {
		t.Errorf("the page has %d bytes", len(page))
	}
}

func TestBlocks(t *testing.T) {
	doc := markup.Parse([]byte(`## Pets

{% openapi-operation spec="pets" path="/pets" method="post" %}{% endopenapi-operation %}

{% openapi-schemas spec="pets" schemas="Status" %}{% endopenapi-schemas %}

{% openapi-operation spec="other" path="/pets" method="post" %}{% endopenapi-operation %}
`), markup.Refs{})
	got := string(markup.Print(Blocks(petStore(t), doc), markup.Refs{}))
	for _, want := range []string{"### Create a pet\n", "`POST /pets`", "#### Request body (required)", "* `name` (string, required", "### Status\n", `spec="other"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in %s", want, got)
		}
	}
}

// placeOnly matches a block without content of its description.
var placeOnly = regexp.MustCompile(`<section class="openapi [^>]*><p>.*`)

// All sample descriptions are rendered, as HTML and as blocks.
func TestSamples(t *testing.T) {
	files, err := filepath.Glob("../testdata/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d samples: %v", len(files), err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			d, err := openapi.Load(t.Context(), bundle(string(src)))
			if err != nil {
				t.Fatal(err)
			}
			var page strings.Builder
			for _, o := range d.Operations {
				page.WriteString(`{% openapi-operation spec="pets" path="` + o.Path + `" method="` + strings.ToLower(o.Method) + "\" %}{% endopenapi-operation %}\n\n")
			}
			for _, o := range d.Webhooks {
				page.WriteString(`{% openapi-webhook spec="pets" name="` + o.Path + `" method="` + strings.ToLower(o.Method) + "\" %}{% endopenapi-webhook %}\n\n")
			}
			for _, s := range d.Schemas {
				page.WriteString(`{% openapi-schemas spec="pets" schemas="` + s.Name() + "\" %}{% endopenapi-schemas %}\n\n")
			}
			find := func(docs.Ref) *openapi.Description { return d }
			shown := show(t, find, page.String())
			wellFormed(t, shown)
			if empty := placeOnly.FindString(shown); empty != "" {
				t.Errorf("a block is not shown: %s", empty)
			}
			doc := markup.Parse([]byte(page.String()), markup.Refs{})
			if text := string(markup.Print(Blocks(find, doc), markup.Refs{})); strings.Contains(text, "{% openapi") {
				t.Errorf("a block is not written out: %s", text)
			}
		})
	}
}

var fileLine = regexp.MustCompile(`(?m)^-- (\S+) --\n`)

// bundle parses a text of several files, each after a line with its name. The first file
// is the root.
func bundle(src string) openapi.Bundle {
	b := openapi.Bundle{Files: map[string][]byte{}}
	at := fileLine.FindAllStringSubmatchIndex(src, -1)
	for i, m := range at {
		end := len(src)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		b.Files[src[m[2]:m[3]]] = []byte(src[m[1]:end])
		if i == 0 {
			b.Root = src[m[2]:m[3]]
		}
	}
	return b
}

// Repeating a block of an operation does not make the page arbitrarily large.
func TestRepeatedBlocksAreBounded(t *testing.T) {
	var fields, names strings.Builder
	for i := range 300 {
		fmt.Fprintf(&fields, "        f%d: {type: string, description: %q}\n", i, strings.Repeat("words ", 40))
	}
	for i := range 100 {
		fmt.Fprintf(&names, "    M%d:\n      type: object\n      properties:\n%s", i, fields.String())
	}
	find := load(t, `openapi: 3.0.0
info: {title: Pets, version: "1"}
paths:
  /a:
    post:
      summary: A
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/M1'}}}}
      responses: {'200': {description: OK, content: {application/json: {example: `+strings.Repeat("x", 60<<10)+`, schema: {$ref: '#/components/schemas/M2'}}}}}
components:
  schemas:
`+names.String())
	const block = "{% openapi-operation spec=\"pets\" path=\"/a\" method=\"post\" %}\n[a](https://a.test)\n{% endopenapi-operation %}\n\n"
	source := strings.Repeat(block, 2000)
	if n := len(show(t, find, source)); n < 1<<20 || n > 2*maxHTML {
		t.Errorf("the page has %d bytes", n)
	}
	written := func(source string) int {
		return len(markup.Print(Blocks(find, markup.Parse([]byte(source), markup.Refs{})), markup.Refs{}))
	}
	if n := written(source); n < 1<<20 || n > 2*maxWritten {
		t.Errorf("the Markdown of the page has %d bytes", n)
	}
	if n := written("{% openapi-schemas spec=\"pets\" schemas=\"\" %}\n[a](https://a.test)\n{% endopenapi-schemas %}\n"); n < 1<<19 || n > 2<<20 {
		t.Errorf("the Markdown of all schemas has %d bytes", n)
	}
}
