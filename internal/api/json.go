package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

const (
	// maxJSONDepth bounds the nesting of a body.
	maxJSONDepth = 256
)

// readJSON decodes a body. huma decodes each body twice, first into an any
// that it validates; that one is read strictly: no repeated keys, which two
// readers could understand differently, no invalid UTF-8, no second value.
func readJSON(b []byte, v any) error {
	if into, ok := v.(*any); ok {
		return readStrict(b, into)
	}
	return json.Unmarshal(b, v)
}

func readStrict(b []byte, v *any) error {
	if !utf8.Valid(b) {
		return errs.E(errs.Invalid, "is not valid UTF-8")
	}
	// Each value takes much more memory than its bytes. The largest page that is allowed has fewer
	// than the default as a document.
	if most := budget.Limit(budget.Values); jsontext.MoreValues(b, int(most)) {
		return errs.E(errs.Invalid, "has more than %d values; send it in several requests", most)
	}
	r := strictReader{d: json.NewDecoder(bytes.NewReader(b))}
	value, err := r.value()
	if err != nil {
		return err
	}
	if _, err := r.d.Token(); err != io.EOF {
		return errs.E(errs.Invalid, "contains more than one JSON value")
	}
	*v = value
	return nil
}

// strictReader reads one JSON value. The path to it is written
// down only when something is wrong there.
type strictReader struct {
	d   *json.Decoder
	way []any // keys and indexes
}

func (r *strictReader) at() string {
	var b strings.Builder
	for i, step := range r.way {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", step)
		case string:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(step))
		}
	}
	return clip(b.String())
}

func (r *strictReader) token() (json.Token, error) {
	t, err := r.d.Token()
	switch {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil, errs.E(errs.Invalid, "is not complete JSON")
	case err != nil:
		return nil, errs.E(errs.Invalid, "is not valid JSON: %v", err)
	}
	if s, ok := t.(string); ok && strings.ContainsRune(s, 0) {
		return nil, errs.E(errs.Invalid, "has a NUL character at body.%s", r.at())
	}
	return t, nil
}

func (r *strictReader) value() (any, error) {
	if len(r.way) > maxJSONDepth {
		return nil, errs.E(errs.Invalid, "is nested deeper than %d levels", maxJSONDepth)
	}
	t, err := r.token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		return r.object()
	case json.Delim('['):
		return r.array()
	}
	return t, nil
}

func (r *strictReader) object() (any, error) {
	out := map[string]any{}
	r.way = append(r.way, "")
	last := len(r.way) - 1
	for r.d.More() {
		k, err := r.token()
		if err != nil {
			return nil, err
		}
		key := k.(string) // the decoder returns nothing else here
		r.way[last] = key
		if _, twice := out[key]; twice {
			return nil, errs.E(errs.Invalid, "has the key %q twice", r.at())
		}
		if out[key], err = r.value(); err != nil {
			return nil, err
		}
	}
	r.way = r.way[:last]
	_, err := r.token()
	return out, err
}

func (r *strictReader) array() (any, error) {
	out := []any{}
	r.way = append(r.way, 0)
	last := len(r.way) - 1
	for r.d.More() {
		r.way[last] = len(out)
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	r.way = r.way[:last]
	_, err := r.token()
	return out, err
}

// plainText reports whether a text can be stored everywhere: PostgreSQL takes
// neither NUL nor invalid UTF-8.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// checkQuery refuses parameters that an operation does not know, so that nobody
// takes a list for filtered that is not, and texts that cannot be stored. Without
// names, all parameters are known.
func checkQuery(raw string, names []string) error {
	if raw == "" {
		return nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return errs.Field("query", "is not well-formed")
	}
	for name, values := range q {
		for _, v := range values {
			if !plainText(v) || !plainText(name) {
				return errs.Field("query."+strings.ToValidUTF8(name, "?"), "has a NUL character or is not valid UTF-8")
			}
		}
		if names != nil && !slices.Contains(names, name) {
			return errs.Field("query."+name[:min(len(name), maxNamed)], "is not known here; %s", known(names))
		}
	}
	return nil
}

// maxNamed bounds how much of an unknown name an error repeats.
const maxNamed = 100

func known(names []string) string {
	if len(names) == 0 {
		return "there are no parameters"
	}
	return "known are " + strings.Join(names, ", ")
}

// nullCheck is a field of a body that may be left out, but not be null.
type nullCheck struct {
	index []int
	path  string
}

// nullChecks finds them in an input type. huma takes null for "left out",
// which in a patch is something else: a field says with the tag null:"ok" or
// nullable:"true" that null clears it.
func nullChecks(t reflect.Type, index []int, path string) []nullCheck {
	var out []nullCheck
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(slices.Clone(index), i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Name == "Body" && path == "" && f.Type.Kind() == reflect.Struct:
			out = append(out, nullChecks(f.Type, at, "body")...)
		case f.Anonymous && f.Type.Kind() == reflect.Struct:
			out = append(out, nullChecks(f.Type, at, path)...)
		case path != "" && f.Type.Implements(reflect.TypeFor[nullable]()):
			if f.Tag.Get("nullable") != "true" && f.Tag.Get("null") != "ok" {
				out = append(out, nullCheck{at, path + "." + name})
			}
		}
	}
	return out
}

type nullable interface{ IsNull() bool }

func refuseNulls(in any, checks []nullCheck) error {
	for _, c := range checks {
		if reflect.ValueOf(in).Elem().FieldByIndex(c.index).Interface().(nullable).IsNull() {
			return errs.Field(c.path, "must not be null; leave it out to keep the value")
		}
	}
	return nil
}
