package apispec_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apispec"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
)

func pets(summary string) string {
	return "openapi: 3.0.3\ninfo: {title: " + summary + ", version: '1'}\npaths:\n  /pets:\n    get:\n      responses:\n        '200': {description: ok}\n"
}

// A source that did not change creates no version, and an invalid one does not replace
// the newest version.
func TestVersionsFollowTheText(t *testing.T) {
	each(t, func(w *world) {
		if spec := w.put("pets", apispec.Source{Text: pets("First")}); spec.State != docs.OpenAPIPending || spec.LastVersion != "" {
			w.t.Errorf("before it is processed: %+v", spec)
		}
		w.work()
		first := w.spec("pets")
		if first.State != docs.OpenAPIComplete || first.Error != "" || first.LastVersion == "" || first.ProcessedAt.IsZero() || !first.CheckAt.IsZero() {
			w.t.Fatalf("processed: %+v", first)
		}
		if again := w.set("pets", apispec.Source{Text: pets("First")}); again.LastVersion != first.LastVersion || again.ProcessedAt == first.ProcessedAt {
			w.t.Errorf("the same text: %+v", again)
		}
		second := w.set("pets", apispec.Source{Text: pets("Second")})
		if second.LastVersion == first.LastVersion || len(w.versions("pets")) != 2 || w.versions("pets")[0].ID != second.LastVersion {
			w.t.Errorf("another text: %+v", second)
		}
		broken := w.set("pets", apispec.Source{Text: "openapi: 3.0.3\npaths: ["})
		if broken.State != docs.OpenAPIComplete || broken.Error != docs.OpenAPIParseError || len(broken.Problems) == 0 || broken.LastVersion != second.LastVersion {
			w.t.Errorf("a broken text: %+v", broken)
		}
		back := w.set("pets", apispec.Source{Text: pets("First")})
		if back.Error != "" || len(back.Problems) != 0 || len(w.versions("pets")) != 3 || w.versions("pets")[0].Hash != w.versions("pets")[2].Hash {
			w.t.Errorf("the first text again: %+v", back)
		}
	})
}

// The content of a version is equal to the text that was sent.
func TestAVersionIsReadAsItWasSent(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	ctx := context.Background()
	text := pets("Pets")
	w.set("pets", apispec.Source{Text: text})
	_, v, err := w.s.Version(ctx, w.org, "pets", apispec.Latest)
	if err != nil {
		t.Fatal(err)
	}
	o, err := w.s.Open(ctx, v)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if b, err := io.ReadAll(o); err != nil || string(b) != text {
		t.Errorf("%q, %v", b, err)
	}
	for _, asList := range []bool{true, false} {
		b, err := w.s.Filesystem(ctx, v, asList)
		want := `{"dir":".","isEntrypoint":true,"references":[],"filename":"openapi.yaml","specification":{"openapi":"3.0.3",`
		want = map[bool]string{true: "[", false: `{"openapi.yaml":`}[asList] + want
		if err != nil || !strings.HasPrefix(string(b), want) || !json.Valid(b) {
			t.Errorf("%s, %v", b, err)
		}
	}
	if _, _, err := w.s.Published(ctx, w.org, "pets"); !errs.Is(err, errs.NotFound) {
		t.Errorf("a private description is published: %v", err)
	}
	if _, err := w.s.Update(ctx, w.g, "pets", apispec.Patch{Visibility: opt.Of(docs.OpenAPIPublic)}); err != nil {
		t.Fatal(err)
	}
	if _, got, err := w.s.Published(ctx, w.org, "pets"); err != nil || got.ID != v.ID {
		t.Errorf("a public description: %v, %v", got, err)
	}
}

const (
	petsRoot = `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{"/pets":{"get":{"responses":{"200":{"description":"ok",` +
		`"content":{"application/json":{"schema":{"$ref":"schemas/pet.yaml#/Pet"}}}}}}}}}`
	petFile = "Pet:\n  type: object\n  properties:\n    owner: {$ref: '../../common/person.yaml'}\n    friend: {$ref: '#/Pet'}\n"
	person  = "type: object\nproperties:\n  name: {type: string}\n  pet: {$ref: '../api/schemas/pet.yaml#/Pet'}\n"
)

func (w *world) serveFiles() string {
	w.web.set("/v1/api/openapi.json", petsRoot)
	w.web.set("/v1/api/schemas/pet.yaml", petFile)
	w.web.set("/v1/common/person.yaml", person)
	return w.web.URL + "/v1/api/openapi.json"
}

// Files that refer to each other form one description. Each file is downloaded again only
// if it changed.
func TestFilesAreFollowedAndFetchedOnce(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		at := w.serveFiles()
		spec := w.set("pets", apispec.Source{URL: at})
		if spec.Error != "" || len(spec.Fetched) != 3 || spec.CheckAt.IsZero() {
			w.t.Fatalf("%+v", spec)
		}
		if whole, same := w.web.counts(); whole != 3 || same != 0 {
			w.t.Errorf("%d files were sent, %d not", whole, same)
		}
		first := spec.LastVersion
		w.recheck()
		if whole, same := w.web.counts(); whole != 3 || same != 3 || w.spec("pets").LastVersion != first {
			w.t.Errorf("an unchanged description: %d files were sent, %d not", whole, same)
		}
		w.web.set("/v1/common/person.yaml", strings.Replace(person, "name", "title", 1))
		w.recheck()
		spec = w.spec("pets")
		if whole, same := w.web.counts(); whole != 4 || same != 5 || spec.LastVersion == first || spec.Error != "" {
			w.t.Errorf("a changed file: %d files were sent, %d not; %+v", whole, same, spec)
		}
		v := w.versions("pets")[0]
		o, err := w.s.Open(ctx, v)
		if err != nil {
			w.t.Fatal(err)
		}
		defer o.Close()
		one, err := io.ReadAll(o)
		if err != nil || strings.Contains(string(one), "yaml") || !strings.Contains(string(one), `"title":{"type":"string"}`) {
			w.t.Errorf("as one file: %s, %v", one, err)
		}
		if _, err := openapi.Load(ctx, openapi.Bundle{Root: "one.json", Files: map[string][]byte{"one.json": one}}); err != nil {
			w.t.Errorf("as one file: %v\n%s", err, one)
		}
		files, err := w.s.Filesystem(ctx, v, false)
		var byName map[string]struct {
			Dir, Filename string
			IsEntrypoint  bool
			References    []string
		}
		if err == nil {
			err = json.Unmarshal(files, &byName)
		}
		pet := byName["schemas/pet.yaml"]
		if err != nil || !byName["openapi.json"].IsEntrypoint || pet.Dir != "schemas" || !slices.Equal(pet.References, []string{"../common/person.yaml"}) {
			w.t.Errorf("%+v, %v", byName, err)
		}
	})
}

// recheck advances the clock by six hours and processes what is due.
func (w *world) recheck() {
	w.t.Helper()
	w.clock.add(6*time.Hour + time.Minute)
	if err := w.s.Recheck(context.Background(), nil); err != nil {
		w.t.Fatal(err)
	}
	w.work()
}

// URLs are fetched again after the interval, and after a shorter one if they failed.
func TestURLsAreFetchedAgainInTime(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		at := w.serveFiles()
		w.set("pets", apispec.Source{URL: at})
		due := func(after time.Duration) int {
			ids, err := w.s.Store.DueOpenAPISpecs(ctx, docs.TimeOf(w.clock.Now().Add(after)), 10)
			if err != nil {
				w.t.Fatal(err)
			}
			return len(ids)
		}
		if due(5*time.Hour) != 0 || due(6*time.Hour+time.Minute) != 1 {
			w.t.Error("a URL is not due after six hours")
		}
		w.web.mu.Lock()
		delete(w.web.files, "/v1/common/person.yaml")
		w.web.mu.Unlock()
		w.recheck()
		spec := w.spec("pets")
		if spec.Error != docs.OpenAPIFetchError || !strings.Contains(spec.Problems[0].Message, "../common/person.yaml, to which schemas/pet.yaml refers: ") || len(w.versions("pets")) != 1 {
			w.t.Errorf("without a file: %+v", spec)
		}
		if due(20*time.Minute) != 0 || due(31*time.Minute) != 1 {
			w.t.Error("a URL that could not be fetched is not due after half an hour")
		}
		w.web.set("/v1/common/person.yaml", person)
		w.recheck()
		if spec := w.spec("pets"); spec.Error != "" || len(w.versions("pets")) != 1 {
			w.t.Errorf("with the file again: %+v", spec)
		}
	})
}

// Problems of a source are reported, and no version is stored.
func TestBadSources(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	elsewhere := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		t.Errorf("%s was called", r.URL)
	}))
	defer elsewhere.Close()
	ref := func(to string) string {
		return `{"openapi":"3.1.0","info":{"title":"Pets","version":"1"},"paths":{},"components":{"schemas":{"A":{"$ref":"` + to + `"}}}}`
	}
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'l'; c++ {
		p := string(c - 1)
		bomb += string(c) + ": &" + string(c) + " [*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + ",*" + p + "]\n"
	}
	w.web.set("/html", "<!DOCTYPE html>\n<html><body>Not found</body></html>")
	w.web.set("/huge", strings.Repeat(" ", openapi.MaxBytes+1))
	w.web.set("/elsewhere", ref(elsewhere.URL+"/secret"))
	w.web.set("/file", ref("file:///etc/passwd"))
	w.web.set("/above", ref("../../../../etc/passwd"))
	for name, c := range map[string]struct {
		src  apispec.Source
		code docs.OpenAPIError
		text string
	}{
		"a page":            {apispec.Source{URL: w.web.URL + "/html"}, docs.OpenAPIParseError, "HTML"},
		"a large file":      {apispec.Source{URL: w.web.URL + "/huge"}, docs.OpenAPIFetchError, "larger than"},
		"nothing":           {apispec.Source{URL: w.web.URL + "/absent"}, docs.OpenAPIFetchError, "404"},
		"a private host":    {apispec.Source{URL: w.web.URL + "/elsewhere"}, docs.OpenAPIFetchError, "private address"},
		"a file":            {apispec.Source{URL: w.web.URL + "/file"}, docs.OpenAPIParseError, "file"},
		"a path above":      {apispec.Source{URL: w.web.URL + "/above"}, docs.OpenAPIFetchError, "404"},
		"no such host":      {apispec.Source{URL: "http://localhost.invalid/x"}, docs.OpenAPIFetchError, "cannot be called"},
		"AsyncAPI":          {apispec.Source{Text: "asyncapi: 2.6.0\ninfo: {title: A, version: '1'}\nchannels: {}\n"}, docs.OpenAPIParseError, "AsyncAPI"},
		"aliases":           {apispec.Source{Text: bomb}, docs.OpenAPIParseError, "too many values"},
		"a list":            {apispec.Source{Text: "- a\n- b\n"}, docs.OpenAPIParseError, "a list"},
		"a file of a text":  {apispec.Source{Text: ref("pet.yaml")}, docs.OpenAPIParseError, "refers to the file pet.yaml"},
		"a private address": {apispec.Source{Text: ref(w.web.URL + "/html")}, docs.OpenAPIFetchError, "private address"},
	} {
		spec := w.set("bad", c.src)
		if spec.State != docs.OpenAPIComplete || spec.Error != c.code || len(spec.Problems) == 0 || !strings.Contains(spec.Problems[0].Message, c.text) || spec.LastVersion != "" {
			t.Errorf("%s: %s %s %v", name, spec.State, spec.Error, spec.Problems)
		}
	}
}

// Fetching from a server that does not respond is aborted.
func TestASlowServer(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	ended := make(chan struct{})
	w.web.during = func(string) { <-ended }
	defer close(ended)
	w.s.Timeout = 50 * time.Millisecond
	if spec := w.set("slow", apispec.Source{URL: w.web.URL + "/slow"}); spec.Error != docs.OpenAPIFetchTimeout || spec.State != docs.OpenAPIComplete {
		t.Errorf("%+v", spec)
	}
}

// A source that is set while another one is processed wins.
func TestASourceThatIsSetMeanwhile(t *testing.T) {
	each(t, func(w *world) {
		w.web.set("/old", pets("Old"))
		w.web.during = func(path string) {
			if path == "/old" {
				w.put("pets", apispec.Source{Text: pets("New")})
			}
		}
		spec := w.set("pets", apispec.Source{URL: w.web.URL + "/old"})
		if spec.State != docs.OpenAPIComplete || spec.SourceURL != "" || len(w.versions("pets")) != 1 {
			w.t.Errorf("%+v, %d versions", spec, len(w.versions("pets")))
		}
		b, err := w.s.Filesystem(context.Background(), w.versions("pets")[0], false)
		if err != nil || !strings.Contains(string(b), `"New"`) {
			w.t.Errorf("%s, %v", b, err)
		}
	})
}

// If two nodes process the same description, only the one that began last stores its
// result.
func TestTwoNodesMakeOneVersion(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		w.web.set("/pets", pets("Pets"))
		spec := w.put("pets", apispec.Source{URL: w.web.URL + "/pets"})
		payload := []byte(jsonText(map[string]any{"spec": spec.ID}))
		inner := false
		w.web.during = func(string) {
			if !inner {
				inner = true
				if err := w.s.Process(ctx, payload); err != nil {
					w.t.Error(err)
				}
			}
		}
		if err := w.s.Process(ctx, payload); err != nil {
			w.t.Fatal(err)
		}
		if spec := w.spec("pets"); spec.State != docs.OpenAPIComplete || len(w.versions("pets")) != 1 {
			w.t.Errorf("%+v, %d versions", spec, len(w.versions("pets")))
		}
	})
}

// A description that is deleted during processing stays deleted.
func TestDeletedMeanwhile(t *testing.T) {
	each(t, func(w *world) {
		ctx := context.Background()
		w.web.set("/pets", pets("Pets"))
		w.web.during = func(string) {
			if err := w.s.Delete(ctx, w.g, "pets"); err != nil {
				w.t.Error(err)
			}
		}
		w.put("pets", apispec.Source{URL: w.web.URL + "/pets"})
		w.work()
		if _, err := w.s.Spec(ctx, w.org, "pets"); !errs.Is(err, errs.NotFound) {
			w.t.Errorf("a deleted description: %v", err)
		}
	})
}

// Events of a description are recorded once, without the query of its URL.
func TestEventsOfDescriptions(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t))
	ctx := context.Background()
	w.web.set("/pets", pets("Pets"))
	w.set("pets", apispec.Source{URL: w.web.URL + "/pets?key=secret"})
	w.web.set("/pets", "openapi: 3.0.3\n")
	w.recheck()
	w.recheck()
	rows, _, err := w.s.Store.Audit(ctx, w.org, store.AuditFilter{}, store.Page{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range slices.Backward(rows) {
		if r.SubjectKind == "openapi-spec" {
			got = append(got, r.Action)
		}
		if strings.Contains(r.Data, "secret") {
			t.Errorf("%s holds the query of the URL: %s", r.Action, r.Data)
		}
	}
	if want := []string{"openapi_spec.create", "openapi_spec.version", "openapi_spec.fail"}; !slices.Equal(got, want) {
		t.Errorf("%v, not %v", got, want)
	}
}
