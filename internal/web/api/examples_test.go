package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/octavo-docs/octavo/internal/testing/golden"
	"github.com/octavo-docs/octavo/internal/web/api"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
)

// exampleFile has one example for each operation. The reference shows them.
const exampleFile = "examples.json"

// examples collects what requests of the scripts look like and what they get:
// the best one for each operation.
type examples map[string]kernel.Example

// add takes a request as the example of an operation unless it has a better one.
func (e examples) add(id, host, path, body string, a answer) {
	if a.status >= 300 || id == "" || len(body) > longestExample {
		return
	}
	m := masked(host)
	x := kernel.Example{Status: a.status, Request: m.json([]byte(body))}
	if len(a.body) <= longestExample {
		x.Answer = m.json(a.body)
	}
	if _, query, ok := strings.Cut(path, "?"); ok && m.text(query) == query { // without ids of this run
		x.Query = query
	}
	e.keep(id, x)
}

// keep takes an example unless there is a better one.
func (e examples) keep(id string, x kernel.Example) {
	if worth(x) > worth(e[id]) {
		e[id] = x
	}
}

const (
	shortExample   = 3 << 10
	longestExample = 24 << 10 // longer ones teach no more
)

// worth orders examples: those with something in the answer, then short ones, then
// those that send something.
func worth(x kernel.Example) (points int) {
	if x.Status == 0 {
		return 0
	}
	points = 1
	if n := len(x.Request); n > len(`{}`) {
		points += 2
	}
	if len(x.Answer) < shortExample {
		points += 4
	}
	if len(x.Answer) > 0 && !bytes.Contains(x.Answer, []byte(`"items":[]`)) {
		points += 8
	}
	return points
}

// mask makes texts of one run those of every run.
type mask struct {
	host string
	ids  map[string]string
}

func masked(host string) *mask { return &mask{host, map[string]string{}} }

var (
	exampleTime  = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z`)
	exampleID    = regexp.MustCompile(`\b(?:[a-z]+_)?[A-Za-z0-9]{20,64}\b`)
	exampleToken = regexp.MustCompile(`\boctavo_[A-Za-z0-9_-]+|\bey[\w-]+\.[\w-]+\.[\w-]+|\b1\.\d{10}\.[\w-]+`)
)

func (m *mask) text(s string) string {
	s = strings.ReplaceAll(s, m.host, "https://docs.example.com")
	s = strings.ReplaceAll(s, strings.TrimPrefix(m.host, "http://"), "docs.example.com")
	s = strings.ReplaceAll(s, "acme.test", "example.com")
	s = exampleTime.ReplaceAllString(s, "2026-01-15T09:30:00.000Z")
	s = exampleToken.ReplaceAllString(s, "…")
	return exampleID.ReplaceAllStringFunc(s, func(id string) string {
		if !strings.ContainsAny(id, "0123456789") {
			return id // a word
		}
		if m.ids[id] == "" {
			m.ids[id] = fmt.Sprintf("id%02d", len(m.ids)+1)
		}
		return m.ids[id]
	})
}

// json returns a JSON text without what differs from run to run; nil for other texts.
func (m *mask) json(b []byte) json.RawMessage {
	var out bytes.Buffer
	if json.Compact(&out, []byte(m.text(string(b)))) != nil || out.Len() == 0 {
		return nil
	}
	return out.Bytes()
}

// check compares the examples with the file of them. What a run makes by chance is
// not compared: an example must have the fields that it has today.
func (e examples) check(t *testing.T) {
	t.Helper()
	file := api.Examples()
	for id, x := range e {
		old, ok := file[id]
		switch {
		case golden.Update() && (!ok || fields(old) != fields(x)):
			file[id] = x
		case !ok:
			t.Errorf("%s has no example; run make golden", id)
		case fields(old) != fields(x):
			t.Errorf("the example of %s is not as it was; run make golden\n%s", id, diff.Diff("want", []byte(fields(old)), "got", []byte(fields(x))))
		}
	}
	for id := range file {
		if _, ok := e[id]; !ok {
			t.Errorf("%s has an example and is no operation; take it out of %s", id, exampleFile)
		}
	}
	if golden.Update() {
		b, err := json.MarshalIndent(file, "", " ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Write(t, exampleFile, append(b, '\n'))
	}
}

// fields lists the places of an example that have a value, one on a line. Lists count as
// their first item.
func fields(x kernel.Example) string {
	lines := map[string]bool{fmt.Sprint(x.Status, " ", x.Query): true}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		lines[at] = true
		switch v := v.(type) {
		case map[string]any:
			for k, v := range v {
				walk(at+"."+k, v)
			}
		case []any:
			if len(v) > 0 {
				walk(at+"[]", v[0])
			}
		}
	}
	for name, text := range map[string]json.RawMessage{"request": x.Request, "answer": x.Answer} {
		var v any
		if len(text) > 0 && json.Unmarshal(text, &v) == nil {
			walk(name, v)
		}
	}
	return strings.Join(slices.Sorted(maps.Keys(lines)), "\n") + "\n"
}
