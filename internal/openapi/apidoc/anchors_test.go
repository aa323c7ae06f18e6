package apidoc

import (
	"slices"
	"strings"
	"testing"

	nethtml "golang.org/x/net/html"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
)

// elements returns all elements of HTML with a class, or with any class.
func elements(t *testing.T, page, class string) (out []map[string]string) {
	t.Helper()
	z := nethtml.NewTokenizer(strings.NewReader(page))
	for z.Next() != nethtml.ErrorToken {
		tok, attributes := z.Token(), map[string]string{}
		for _, a := range tok.Attr {
			attributes[a.Key] = a.Val
		}
		if slices.Contains(strings.Fields(attributes["class"]), class) {
			out = append(out, attributes)
		}
	}
	return out
}

func anchors(t *testing.T, page string) (out []string) {
	t.Helper()
	for _, e := range elements(t, page, "api-field") {
		if e["id"] != "" {
			out = append(out, e["id"])
		}
	}
	return out
}

const orderAPI = `openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /orders/{id}:
    post:
      parameters:
        - {name: id, in: path, required: true, schema: {type: string}}
        - {name: limit, in: query, schema: {type: integer}}
        - {name: Limit, in: query, schema: {type: integer}}
      requestBody:
        content:
          application/json: {schema: {type: object, properties: {address: {type: object, properties: {street: {type: string}}}, tags: {type: array, items: {type: object, properties: {name: {type: string}}}}}, additionalProperties: {type: object, properties: {x: {type: string}}}}}
          application/xml: {schema: {type: object, properties: {address: {type: string}}}}
      responses:
        "200": {description: OK, headers: {X-Next: {schema: {type: string}}}, content: {application/json: {schema: {oneOf: [{title: Cat, type: object, properties: {name: {type: string}}}, {title: Dog, type: object, properties: {name: {type: string}}}]}}}}
      callbacks: {done: {"{$request.body#/url}": {post: {requestBody: {content: {application/json: {schema: {type: object, properties: {ok: {type: boolean}}}}}}, responses: {"200": {description: OK}}}}}}
`

// The anchor of a field consists of what the field is. It does not depend on what else is on the page.
func TestAnchorsOfFields(t *testing.T) {
	const block = "{% openapi-operation spec=\"pets\" path=\"/orders/{id}\" method=\"post\" %}\n{% endopenapi-operation %}\n\n"
	page := show(t, load(t, orderAPI), block+"# Post orders id\n\n"+block)
	wellFormed(t, page)
	want := []string{
		"path.id", "query.limit", "query.limit-1", "body.address", "body.address.street", "body.tags", "body.tags.name", "body.any", "body.any.x",
		"body.application-xml.address", "response.200.header.x-next", "response.200.cat.name", "response.200.dog.name", "callback.done-post.body.ok",
	}
	var first, second []string
	for _, w := range want {
		first, second = append(first, "post-orders-id--"+w), append(second, "post-orders-id-1--"+w)
	}
	if got := anchors(t, page); !slices.Equal(got, append(first, second...)) {
		t.Errorf("the anchors are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(append(first, second...), "\n"))
	}
	for _, a := range append(first, second...) {
		if !strings.Contains(page, `<a class="anchor" href="#`+a+`" aria-label="Link to this part: `) {
			t.Errorf("nothing links to %s", a)
		}
	}
}

// Text that is read outside of its page has no anchors, and names that are long have none either.
func TestFieldsWithoutAnchors(t *testing.T) {
	find := load(t, strings.ReplaceAll(orderAPI, "address:", strings.Repeat("long", 60)+":"))
	doc := markup.Parse([]byte("{% openapi-operation spec=\"pets\" path=\"/orders/{id}\" method=\"post\" %}\n{% endopenapi-operation %}\n"), markup.Refs{})
	for _, none := range []bool{false, true} {
		var b strings.Builder
		o := html.Options{NoAnchors: none}
		o.API = NewPage(find, o).HTML
		if err := html.Write(&b, doc, o); err != nil {
			t.Fatal(err)
		}
		got := anchors(t, b.String())
		if none && len(got) > 0 || !none && (!slices.Contains(got, "post-orders-id--body.tags.name") || slices.ContainsFunc(got, func(a string) bool { return len(a) > maxAnchor })) {
			t.Errorf("without anchors %v: %v", none, got)
		}
		if n := strings.Count(b.String(), `class="anchor"`); n != len(got) {
			t.Errorf("%d links to %d anchors", n, len(got))
		}
	}
}

// The servers of a description are shown once on a page, with one form for all operations that have
// the same ones.
func TestServersAreShownOnce(t *testing.T) {
	find := load(t, `openapi: 3.1.0
info: {title: Shop, version: "1"}
servers: [{url: "https://a.example.com", description: Live}, {url: "https://b.example.com"}]
paths:
  /a: {get: {responses: {"200": {description: OK}}}}
  /b: {get: {responses: {"200": {description: OK}}}}
  /c: {get: {servers: [{url: "https://c.example.com"}], responses: {"200": {description: OK}}}}
  /d: {get: {servers: [{url: "https://c.example.com"}], responses: {"200": {description: OK}}}}
webhooks: {done: {post: {responses: {"200": {description: OK}}}}}
`)
	source := "{% openapi-webhook spec=\"pets\" name=\"done\" method=\"post\" %}\n{% endopenapi-webhook %}\n\n"
	for _, path := range []string{"a", "b", "c", "d", "a"} {
		source += "{% openapi-operation spec=\"pets\" path=\"/" + path + "\" method=\"get\" %}\n{% endopenapi-operation %}\n\n"
	}
	page := show(t, find, source)
	wellFormed(t, page)
	if bases, forms, lists := len(elements(t, page, "api-base")), elements(t, page, "api-choose"), len(elements(t, page, "api-servers")); bases != 2 || len(forms) != 1 || lists != 1 {
		t.Fatalf("%d addresses, %d forms and %d lists in %s", bases, len(forms), lists, page)
	}
	var keys []string
	for _, e := range elements(t, page, "api-samples") {
		keys = append(keys, e["data-servers"])
	}
	key := elements(t, page, "api-choose")[0]["data-servers"]
	if key == "" || !slices.Equal(keys, []string{key, key, "", "", key}) {
		t.Errorf("the samples are for the servers %q, the form is for %q", keys, key)
	}
	if !strings.Contains(page, `<option value="0" data-url="https://a.example.com">https://a.example.com · Live</option>`) {
		t.Errorf("the first server is not among the choices: %s", page)
	}
}

// An operation without code takes the whole width.
func TestColumns(t *testing.T) {
	find := load(t, `openapi: 3.1.0
info: {title: Shop, version: "1"}
paths:
  /a: {get: {responses: {"200": {description: OK}}}}
  /b: {get: {x-codeSamples: false, responses: {"200": {description: OK}}}}
`)
	for path, want := range map[string]bool{"/a": true, "/b": false} {
		p := NewPage(find, html.Options{})
		got, _ := p.HTML(markup.APIBlock{Type: "openapi-operation", Ref: markup.APIBlocks(markup.Parse([]byte("{% openapi-operation spec=\"pets\" path=\"/a\" method=\"get\" %}\n{% endopenapi-operation %}\n"), markup.Refs{}))[0].Ref, Method: "get", Path: path, Level: 2})
		if p.Columns() != want || strings.Contains(got, "api-samples") != want || strings.Contains(got, "api-columns") != want {
			t.Errorf("%s has two columns: %v, %s", path, p.Columns(), got)
		}
	}
}
