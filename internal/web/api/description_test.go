package api_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/testing/testdb"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// shape is a schema of the description.
type shape struct {
	Ref        string `json:"$ref"`
	Pattern    string
	MinLength  *int
	MaxLength  *int
	Properties map[string]*shape
	Items      *shape
	OneOf      []*shape
	More       any `json:"additionalProperties"`
}

// described is an operation of the description.
type described struct {
	kernel.OperationInfo
	Parameters []parameter
	body       *shape // nil if it has none in JSON
}

type parameter struct {
	Name, In string
	Explode  bool
	Schema   *shape
}

// description returns all operations as they are described.
func description(w *world) ([]described, func(*shape) *shape) {
	w.t.Helper()
	var doc struct {
		Paths map[string]map[string]struct {
			described
			RequestBody struct {
				Content map[string]struct{ Schema *shape }
			}
		}
		Components struct{ Schemas map[string]*shape }
	}
	if err := json.Unmarshal(w.must("nobody", "GET", "/openapi.json", "").body, &doc); err != nil {
		w.t.Fatal(err)
	}
	var out []described
	for _, info := range w.srv.API.Operations() {
		o, known := doc.Paths[strings.TrimSuffix(info.Path, "{$}")][strings.ToLower(info.Method)]
		if !known {
			continue // without a description
		}
		o.OperationInfo, o.body = info, o.RequestBody.Content["application/json"].Schema
		out = append(out, o.described)
	}
	if len(out) < 350 {
		w.t.Fatalf("only %d operations are described", len(out))
	}
	return out, func(s *shape) *shape {
		for s != nil && s.Ref != "" {
			s = doc.Components.Schemas[strings.TrimPrefix(s.Ref, "#/components/schemas/")]
		}
		return s
	}
}

// place is a schema in a body, and a body that has a value there and nothing else.
type place struct {
	path  string
	shape *shape
	with  func(value any) any
}

// places returns all schemas in a body, without those of alternatives: which one a value is meant for, nobody can know.
func places(s *shape, resolve func(*shape) *shape) []place {
	var out []place
	var walk func(p place, depth int)
	walk = func(p place, depth int) {
		if p.shape = resolve(p.shape); p.shape == nil || depth > 6 || len(p.shape.OneOf) > 0 {
			return
		}
		out = append(out, p)
		for name, of := range p.shape.Properties {
			walk(place{p.path + "." + name, of, func(v any) any { return p.with(map[string]any{name: v}) }}, depth+1)
		}
		if p.shape.Items != nil {
			walk(place{p.path + "[0]", p.shape.Items, func(v any) any { return p.with([]any{v}) }}, depth+1)
		}
	}
	walk(place{"body", s, func(v any) any { return v }}, 0)
	slices.SortFunc(out, func(a, b place) int { return strings.Compare(a.path, b.path) })
	return out
}

// refusal is the answer to a refused request.
type refusal struct {
	Error struct {
		Message string
		Details []struct{ Path, Message string }
	}
}

// message returns the message of an answer about a place, and all its messages.
func (a answer) message(path string) (at, all string) {
	var r refusal
	if json.Unmarshal(a.body, &r) != nil {
		return "", string(a.body)
	}
	for _, d := range r.Error.Details {
		if d.Path == path {
			at = d.Message
		}
		all += d.Message + "\n"
	}
	return at, all + r.Error.Message
}

func encode(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// misspelled returns a name with one letter too many, which no body has.
func misspelled(name string) string { return name + "q" }

// TestNamesThatAreNotKnown sends to every operation a misspelled name of each field and of each query parameter that it
// has, and each parameter twice: the answer names it and what was meant, and nothing changes.
func TestNamesThatAreNotKnown(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	f := newFixture(w)
	ops, resolve := description(w)
	before, fields, parameters := f.state(), 0, 0
	for _, op := range ops {
		path := f.path(op.Path)
		if slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.Name == "signature" }) {
			continue // the server makes the whole address
		}
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			parameters++
			name := misspelled(p.Name)
			twice := w.call("admin", op.Method, path+"?"+p.Name+"=a&"+p.Name+"=b", "{}")
			if at, _ := twice.message("query." + p.Name); !p.Explode && (twice.status != http.StatusBadRequest || !strings.Contains(at, "send it once")) {
				t.Errorf("%s?%s twice: %d %s", op.ID, p.Name, twice.status, twice.body)
			}
			a := w.call("admin", op.Method, path+"?"+name+"=1", "{}")
			if at, _ := a.message("query." + name); a.status != http.StatusBadRequest || !strings.Contains(at, "did you mean ") {
				t.Errorf("%s?%s: %d %s", op.ID, name, a.status, a.body)
			}
		}
		if op.body == nil {
			continue
		}
		for _, p := range places(op.body, resolve) {
			if closed, is := p.shape.More.(bool); !is || closed {
				continue
			}
			for name := range p.shape.Properties {
				fields++
				body := encode(t, p.with(map[string]any{misspelled(name): "x"}))
				a := w.call("admin", op.Method, path+queries[op.ID], body)
				if at, _ := a.message(p.path + "." + misspelled(name)); a.status != http.StatusBadRequest || !strings.Contains(at, "did you mean ") {
					t.Errorf("%s with %s: %d %s", op.ID, body, a.status, a.body)
				}
			}
		}
	}
	if fields < 500 || parameters < 300 {
		t.Errorf("only %d fields and %d parameters were tried", fields, parameters)
	}
	if f.state() != before {
		t.Error("a misspelled request has changed something")
	}
}

// signs are what only patterns have, not sentences.
var signs = regexp.MustCompile(`[\^$\\]|\[[^\]]*\]|\(\?|\.\*|\.\+|\{\d`)

// TestMessagesHaveNoPatterns sends a text that does not match to every place with a pattern, in bodies and in queries. The
// answer names the place and says in words what is expected there.
func TestMessagesHaveNoPatterns(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	f := newFixture(w)
	ops, resolve := description(w)
	tried := 0
	try := func(op described, at, query, body string, s *shape) {
		tried++
		a := w.call("admin", op.Method, f.path(op.Path)+query, body)
		words, all := a.message(at)
		if a.status != http.StatusBadRequest || words == "" || strings.Contains(all, s.Pattern) || signs.MatchString(words) {
			t.Errorf("%s%s with %s: %d %s", op.ID, query, body, a.status, a.body)
		}
	}
	for _, op := range ops {
		for _, p := range op.Parameters {
			if s := resolve(p.Schema); p.In == "query" && s.Pattern != "" {
				try(op, "query."+p.Name, "?"+p.Name+"="+url.QueryEscape(unlike(t, s)), "{}", s)
			}
		}
		if op.body == nil {
			continue
		}
		for _, p := range places(op.body, resolve) {
			if p.shape.Pattern != "" {
				try(op, p.path, queries[op.ID], encode(t, p.with(unlike(t, p.shape))), p.shape)
			}
		}
	}
	if tried < 50 {
		t.Errorf("only %d patterns were tried", tried)
	}
}

// unlike returns a text that a schema refuses for its pattern alone.
func unlike(t *testing.T, s *shape) string {
	t.Helper()
	pattern, err := regexp.Compile(s.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{" ", "!", "é", "a b", "A_!", "\u0001", "//", "0", "a"} {
		for n := 1; n <= 64; n *= 2 {
			long := strings.Repeat(text, n)
			size := utf8.RuneCountInString(long)
			if !pattern.MatchString(long) && (s.MinLength == nil || size >= *s.MinLength) && (s.MaxLength == nil || size <= *s.MaxLength) {
				return long
			}
		}
	}
	t.Fatalf("nothing is unlike %s", s.Pattern)
	return ""
}

// TestASlashAtTheEnd asks every operation with a slash at the end of its path. What reads answers the same; of what
// changes something, a request with a parameter that is not known is refused the same way.
func TestASlashAtTheEnd(t *testing.T) {
	testdb.Each(t, func(t *testing.T, o store.Options) {
		w := newWorld(t, o, nil)
		f := newFixture(w)
		for _, op := range w.srv.API.Operations() {
			path, body := f.path(op.Path), ""
			query := queries[op.ID]
			if op.Method != http.MethodGet {
				query, body = "?zzz=1", "{}"
			}
			for _, who := range []string{"admin", "nobody"} {
				plain := w.ask(who, op.Method, path+query, strings.NewReader(body))
				slash := w.ask(who, op.Method, path+"/"+query, strings.NewReader(body))
				a, b := passing.ReplaceAllString(string(plain.body), ""), passing.ReplaceAllString(string(slash.body), "")
				if plain.status != slash.status || a != b {
					t.Errorf("%s as %s: %d %.300s\nwith a slash: %d %.300s", op.ID, who, plain.status, plain.body, slash.status, slash.body)
				}
			}
		}
	})
}

// TestHeadAndOptions asks every path with HEAD, which answers as GET does without a body, and with a method that it has
// not, whose answer lists those that it has.
func TestHeadAndOptions(t *testing.T) {
	w := newWorld(t, testdb.SQLite(t), nil)
	f := newFixture(w)
	methods := map[string]map[string]bool{}
	for _, op := range w.srv.API.Operations() {
		path := f.path(op.Path)
		if methods[path] == nil {
			methods[path] = map[string]bool{}
		}
		methods[path][op.Method] = true
		if op.Method != http.MethodGet {
			continue
		}
		methods[path][http.MethodHead] = true
		get := w.ask("admin", http.MethodGet, path+queries[op.ID], nil)
		head := w.ask("admin", http.MethodHead, path+queries[op.ID], nil)
		if head.status != get.status || len(head.body) > 0 || head.header.Get("Content-Type") != get.header.Get("Content-Type") {
			t.Errorf("%s: GET %d %s, HEAD %d %s with %d bytes", op.ID, get.status, get.header.Get("Content-Type"), head.status, head.header.Get("Content-Type"), len(head.body))
		}
	}
	delete(methods, "/user/inbox/read") // also the path of a notice with this id
	for path, has := range methods {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"} {
			if has[method] {
				continue
			}
			a := w.ask("admin", method, path, strings.NewReader("{}"))
			allowed := strings.Split(a.header.Get("Allow"), ", ")
			slices.Sort(allowed)
			if want := slices.Sorted(maps.Keys(has)); a.status != http.StatusMethodNotAllowed || fmt.Sprint(allowed) != fmt.Sprint(want) {
				t.Errorf("%s %s: %d, allowed %v, want %v", method, path, a.status, allowed, want)
			}
		}
	}
}
