package publish_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/site/publish"
)

// triedAPI is a description with servers at two addresses.
func triedAPI(address, other string) string {
	return fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "tags": [{"name": "pets"}], "servers": [{"url": %q}, {"url": %q}],
"components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
"paths": {"/pets/{id}": {"put": {"operationId": "putPet", "tags": ["pets"], "security": [{"key": []}],
 "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}}, {"name": "limit", "in": "query", "schema": {"type": "integer"}},
  {"name": "X-Trace", "in": "header", "schema": {"type": "string"}}, {"name": "Cookie", "in": "header", "schema": {"type": "string"}}, {"name": "X-Forwarded-For", "in": "header", "schema": {"type": "string"}}],
 "requestBody": {"content": {"application/json": {"schema": {"type": "object", "properties": {"name": {"type": "string", "examples": ["Rex"]}}}}}},
 "responses": {"200": {"description": "OK"}}}},
 "/other": {"get": {"operationId": "other", "tags": ["pets"], "responses": {"200": {"description": "OK"}}}},
 "/hidden": {"get": {"operationId": "hidden", "x-hideTryItPanel": true, "tags": ["pets"], "responses": {"200": {"description": "OK"}}}}}}`, address, other)
}

var tryAddress = regexp.MustCompile(`<form action="([^"]+/try/[^"]+)"`)

// Readers can send requests only to servers of descriptions that a page shows. A request
// contains only their input, and the response is returned as data.
func TestTryIt(t *testing.T) {
	var got *http.Request
	var sent string
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		got, sent = r, string(b)
		w.Header().Set("Set-Cookie", "session=1")
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Query().Get("limit") == "302" {
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
			return
		}
		fmt.Fprint(w, `<script>alert(1)</script>`)
	}))
	defer api.Close()
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	w.specify(triedAPI(api.URL+"/v1", "http://10.1.2.3"))
	if _, page := w.get(root + "pets/putpet"); strings.Contains(page, "api-try") || tryAddress.MatchString(page) {
		t.Error("operations can be tried though the operator did not allow it")
	}
	allowed, err := outbound.Parse("127.0.0.1")
	must(t, err)
	c := w.handler.Config
	c.TryIt = &allowed
	w.handler, err = publish.New(c)
	must(t, err)
	_, page := w.get(root + "pets/putpet")
	m := tryAddress.FindStringSubmatch(page)
	if m == nil {
		t.Fatalf("no address in %s", page)
	}
	if _, other := w.get(root + "pets/other"); tryAddress.FindStringSubmatch(other) == nil || tryAddress.FindStringSubmatch(other)[1] == m[1] {
		t.Error("two pages send requests to the same address")
	}
	for _, want := range []string{`<button type="button" class="api-open" aria-haspopup="dialog" hidden>Try it</button>`, `<dialog class="api-try" aria-label="Try it: putPet" data-from="` + api.URL + `/v1">`, `data-spec="pets" data-method="PUT" data-path="/pets/{id}"`, `name="path.id" value="" placeholder="" autocomplete="off" spellcheck="false" required`, `type="password" name="credentials.key"`, `name="body"`} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	if _, page := w.get(root + "pets/hidden"); strings.Contains(page, "api-try") {
		t.Error("an operation can be tried whose description hides that")
	}
	if strings.Contains(page, `name="header.Cookie"`) || strings.Contains(page, "X-Forwarded-For\" value") {
		t.Error("readers can type in cookies or on whose behalf a request is")
	}
	at := "https://acme.docs.test" + m[1]
	same := []string{"Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "Origin", "https://acme.docs.test", "Cookie", "secret=1", "X-Forwarded-For", "192.0.2.1", "Authorization", "Bearer mine"}
	try := func(body string) (int, string) {
		t.Helper()
		got = nil
		a, text := w.get(at, post(body, same...))
		if a.Header.Get("Content-Security-Policy") != "sandbox" || a.Header.Get("X-Content-Type-Options") != "nosniff" || a.Header.Get("Cache-Control") != "private, no-store" || a.Header.Get("Content-Type") != "application/json" || len(a.Cookies()) > 0 {
			t.Errorf("headers of %s: %v", body, a.Header)
		}
		return a.StatusCode, text
	}
	const filled = `{"spec": "pets", "method": "PUT", "path": "/pets/{id}", "server": 0, "body": "{\"name\": \"Rex\"}", "inputs": {"path.id": "a/b?c", "query.limit": "10", "header.X-Trace": "7", "credentials.key": "T", "header.Cookie": "x=1", "header.Host": "evil.test"}}`
	status, text := try(filled)
	var out struct {
		Status  int
		Headers [][2]string
		Body    string
	}
	must(t, json.Unmarshal([]byte(text), &out))
	if status != 200 || out.Status != 200 || out.Body != "<script>alert(1)</script>" || strings.Contains(text, "session=1") {
		t.Errorf("%d: %s", status, text)
	}
	if got == nil || got.Method != "PUT" || got.RequestURI != "/v1/pets/a%2Fb%3Fc?limit=10" || got.Header.Get("Authorization") != "Bearer T" || got.Header.Get("X-Trace") != "7" || sent != `{"name": "Rex"}` || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("sent was %+v %s", got, sent)
	}
	for _, name := range []string{"Cookie", "X-Forwarded-For", "Origin", "Referer", "Forwarded"} {
		if got.Header.Get(name) != "" {
			t.Errorf("%s was sent: %s", name, got.Header.Get(name))
		}
	}
	if status, text := try(strings.Replace(filled, `"10"`, `"302"`, 1)); status != 200 || !strings.Contains(text, `"status":302`) {
		t.Errorf("a redirect was followed: %d %s", status, text)
	}
	for name, c := range map[string]struct {
		body   string
		status int
	}{
		"private address":       {strings.Replace(filled, `"server": 0`, `"server": 1`, 1), 400},
		"no such server":        {strings.Replace(filled, `"server": 0`, `"server": 2`, 1), 400},
		"before the first":      {strings.Replace(filled, `"server": 0`, `"server": -1`, 1), 400},
		"missing value":         {strings.Replace(filled, `"a/b?c"`, `""`, 1), 400},
		"parent folder":         {strings.Replace(filled, `"a/b?c"`, `".."`, 1), 400},
		"two lines in a header": {strings.Replace(filled, `"7"`, `"7\r\nX: 1"`, 1), 400},
		"another page's":        {`{"spec": "pets", "method": "GET", "path": "/other"}`, 404},
		"another description":   {strings.Replace(filled, `"pets"`, `"cats"`, 1), 404},
		"no operation":          {`{}`, 404},
		"no JSON":               {`x`, 400},
		"too much":              {`{"body": "` + strings.Repeat("x", 300<<10) + `"}`, 400},
	} {
		if status, text := try(c.body); status != c.status || got != nil {
			t.Errorf("%s: %d %s, sent %v", name, status, text, got)
		}
	}
	if a, _ := w.get(at, post(filled, "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.test")); a.StatusCode != 403 {
		t.Errorf("of another site: %d", a.StatusCode)
	}
	if a, _ := w.get(at, post(filled, append(same, "User-Agent", "Octavo (a reader tries an operation)")...)); a.StatusCode != 403 {
		t.Errorf("of a request that a reader tries: %d", a.StatusCode)
	}
	if status, text := try(strings.Replace(filled, `"server": 0`, `"server": 1`, 1)); strings.Contains(text, "OCTAVO") {
		t.Errorf("readers see settings: %d %s", status, text)
	}
	if a, _ := w.get(at); a.StatusCode != 405 {
		t.Errorf("GET: %d", a.StatusCode)
	}
	if a, _ := w.get(root+"~octavo/try/absent", post(filled, same...)); a.StatusCode != 404 {
		t.Errorf("an absent page: %d", a.StatusCode)
	}
	files, _ := w.exported("")
	if strings.Contains(files["pets/putpet/index.html"], "api-try") {
		t.Error("an exported page offers what no server does")
	}
}

// Readers choose the variables of servers. No choice leads to a server that the description
// does not name.
func TestTryItWithServerVariables(t *testing.T) {
	var got []string
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = append(got, r.Host+r.RequestURI) }))
	defer api.Close()
	host := strings.TrimPrefix(api.URL, "http://")
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	w.specify(fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "tags": [{"name": "pets"}], "servers": [
 {"url": "http://%[1]s/{version}/{tenant}", "variables": {"version": {"default": "v1", "enum": ["v1", "v2"]}, "tenant": {"default": "all"}}},
 {"url": "http://{host}/x", "variables": {"host": {"default": %[1]q}}},
 {"url": "http://{place}", "variables": {"place": {"default": %[1]q, "enum": [%[1]q, "10.1.2.3"]}}}],
"paths": {"/pets": {"get": {"operationId": "listPets", "tags": ["pets"], "responses": {"200": {"description": "OK"}}}}}}`, host))
	allowed, err := outbound.Parse("127.0.0.1")
	must(t, err)
	c := w.handler.Config
	c.TryIt = &allowed
	w.handler, err = publish.New(c)
	must(t, err)
	_, page := w.get(root + "pets/listpets")
	for _, want := range []string{
		`" data-sample="http://` + host + `/v1/all/pets" data-from="http://` + host + `/v1/all">`, `<form class="api-choose" data-servers="`,
		`<fieldset data-server="0" data-url="http://` + host + `/{version}/{tenant}"><legend`, `<select name="server.0.version"><option value="v1" selected>v1</option><option value="v2">v2</option></select>`,
		`<input type="text" name="server.0.tenant" value="all"`, `<fieldset data-server="2" data-url="http://{place}" hidden>`,
		`<option value="1" data-url="http://` + host + `/x">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	if strings.Contains(page, "server.1.host") {
		t.Error("readers can type in any host")
	}
	at := "https://acme.docs.test" + tryAddress.FindStringSubmatch(page)[1]
	for inputs, want := range map[string]string{
		`"server": 0, "inputs": {}`: host + "/v1/all/pets",
		`"server": 0, "inputs": {"server.0.version": "v2", "server.0.tenant": "acme-1.eu"}`: host + "/v2/acme-1.eu/pets",
		`"server": 1, "inputs": {"server.1.host": "evil.test"}`:                             host + "/x/pets", // cannot be chosen
		`"server": 0, "inputs": {"server.2.place": "10.1.2.3"}`:                             host + "/v1/all/pets",
		`"server": 0, "inputs": {"server.0.version": "v3"}`:                                 "",
		`"server": 0, "inputs": {"server.0.version": "../admin"}`:                           "",
		`"server": 0, "inputs": {"server.0.tenant": ".."}`:                                  "",
		`"server": 0, "inputs": {"server.0.tenant": "a/../../admin"}`:                       "",
		`"server": 0, "inputs": {"server.0.tenant": "a?b=#"}`:                               "",
		`"server": 0, "inputs": {"server.0.tenant": "a\r\nHost: evil.test"}`:                "",
		`"server": 2, "inputs": {"server.2.place": "10.1.2.3"}`:                             "", // named, but private
		`"server": 2, "inputs": {"server.2.place": "evil.test"}`:                            "",
		`"server": 2, "inputs": {"server.2.place": "` + host + `@evil.test"}`:               "",
		`"server": 3, "inputs": {}`:                                                         "",
	} {
		got = nil
		a, text := w.get(at, post(`{"spec": "pets", "method": "GET", "path": "/pets", `+inputs+`}`, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin"))
		if sent := strings.Join(got, " "); sent != want || (a.StatusCode == http.StatusOK) != (want != "") || want == "" && a.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %d %s, sent %q", inputs, a.StatusCode, text, sent)
		}
	}
}

// A parameter whose values are listed is chosen from a list.
func TestTryItWithChoices(t *testing.T) {
	got := ""
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.RequestURI }))
	defer api.Close()
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	w.specify(fmt.Sprintf(`{"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "tags": [{"name": "pets"}], "servers": [{"url": %q}],
"paths": {"/pets/{kind}": {"get": {"operationId": "listPets", "tags": ["pets"], "responses": {"200": {"description": "OK"}}, "parameters": [
 {"name": "kind", "in": "path", "required": true, "example": "dog", "schema": {"type": "string", "enum": ["cat", "dog"]}},
 {"name": "sort", "in": "query", "schema": {"type": "string", "enum": ["name", "a\"<b>"]}}]}}}}`, api.URL))
	allowed, err := outbound.Parse("127.0.0.1")
	must(t, err)
	c := w.handler.Config
	c.TryIt = &allowed
	w.handler, err = publish.New(c)
	must(t, err)
	_, page := w.get(root + "pets/listpets")
	for _, want := range []string{
		`<select name="path.kind" autocomplete="off" required><option value="cat">cat</option><option value="dog" selected>dog</option></select>`,
		`<select name="query.sort" autocomplete="off"><option value=""></option><option value="name">name</option><option value="a&#34;&lt;b&gt;">`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%s is missing in %s", want, page)
		}
	}
	at := "https://acme.docs.test" + tryAddress.FindStringSubmatch(page)[1]
	w.get(at, post(`{"spec": "pets", "method": "GET", "path": "/pets/{kind}", "inputs": {"path.kind": "cat"}}`, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "Origin", "https://acme.docs.test"))
	if got != "/pets/cat" {
		t.Errorf("sent was %q", got)
	}
}

// A long response is cut at a character. A binary one is not shown as text.
func TestTryItWithLongResponses(t *testing.T) {
	answer := ""
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, answer) }))
	defer api.Close()
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	w.specify(triedAPI(api.URL, api.URL))
	allowed, err := outbound.Parse("127.0.0.1")
	must(t, err)
	c := w.handler.Config
	c.TryIt = &allowed
	w.handler, err = publish.New(c)
	must(t, err)
	_, page := w.get(root + "pets/other")
	at := "https://acme.docs.test" + tryAddress.FindStringSubmatch(page)[1]
	const limit = 512 << 10
	for name, c := range map[string]struct {
		answer string
		shown  int
		binary bool
	}{
		"text":            {strings.Repeat("x", limit+10), limit, false},
		"in a character":  {"x" + strings.Repeat("€", limit/3+10), limit - 1, false},
		"binary":          {strings.Repeat("\xff\xfex", limit/3+10), 0, true},
		"at the end":      {strings.Repeat("x", limit-1) + "\xffxxxx", 0, true},
		"continuation":    {strings.Repeat("x", limit-4) + "\x80\x80\x80\x80xxxx", 0, true},
		"short":           {"\xffx", 0, true},
		"short and whole": {"€", 3, false},
		"short and cut":   {"\xe2\x82", 0, true},
	} {
		answer = c.answer
		_, text := w.get(at, post(`{"spec": "pets", "method": "GET", "path": "/other"}`, "Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "Origin", "https://acme.docs.test"))
		var out struct {
			Body              string
			Binary, Truncated bool
		}
		must(t, json.Unmarshal([]byte(text), &out))
		if len(out.Body) != c.shown || !strings.HasPrefix(c.answer, out.Body) || out.Binary != c.binary || out.Truncated != (len(c.answer) > limit) {
			t.Errorf("%s: %d bytes, binary %v, truncated %v", name, len(out.Body), out.Binary, out.Truncated)
		}
	}
}

// The server answers requests to its own address in the process, for the reader. Other ports of the
// machine stay closed, also if the address of the server is a loopback address.
func TestTryItAtTheServerItself(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a connection was made") }))
	defer other.Close()
	w := newWorld(t)
	w.acme()
	space, _ := w.titled("v2")
	w.refer(space.ID, "by-operation")
	base := w.handler.Sites.Hosts.Base
	w.specify(triedAPI(base+"/v1", other.URL+"/v1"))
	var got *http.Request
	c := w.handler.Config
	c.TryIt = &outbound.Policy{}
	c.Own = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.WriteHeader(http.StatusTeapot)
		io.WriteString(w, strings.Repeat("x", 600<<10))
	})
	var err error
	w.handler, err = publish.New(c)
	must(t, err)
	_, page := w.get(root + "pets/other")
	at := "https://acme.docs.test" + tryAddress.FindStringSubmatch(page)[1]
	try := func(server int) (int, string) {
		got = nil
		a, text := w.get(at, post(fmt.Sprintf(`{"spec": "pets", "method": "GET", "path": "/other", "server": %d}`, server),
			"Content-Type", "application/json", "Sec-Fetch-Site", "same-origin", "Cookie", "session=1", "Authorization", "Bearer mine"))
		return a.StatusCode, text
	}
	status, text := try(0)
	if status != http.StatusOK || !strings.Contains(text, `"status":418`) || !strings.Contains(text, `"truncated":true`) {
		t.Errorf("%d %.200s", status, text)
	}
	if got == nil || got.RequestURI != "/v1/other" || "https://"+got.Host != base || got.Header.Get("Cookie") != "" || got.Header.Get("Authorization") != "" || got.RemoteAddr == "" {
		t.Errorf("the server got %+v", got)
	}
	if status, text := try(1); status != http.StatusBadRequest || got != nil {
		t.Errorf("another port: %d %s", status, text)
	}
	c.Own = nil
	w.handler, err = publish.New(c)
	must(t, err)
	if status, _ := try(0); status == http.StatusOK || got != nil {
		t.Errorf("without a handler: %d", status)
	}
}
