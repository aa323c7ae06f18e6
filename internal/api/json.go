package api

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
)

// plainText reports whether a text can be stored in every database: PostgreSQL accepts
// neither NUL nor invalid UTF-8.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// checkQuery returns an error for query parameters that an operation does not have, so
// that nobody takes an unfiltered list for a filtered one. It also refuses texts that
// cannot be stored. If names is nil, all parameters are accepted.
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

// maxNamed is the maximum number of bytes of an unknown name in an error message.
const maxNamed = 100

func known(names []string) string {
	if len(names) == 0 {
		return "there are no parameters"
	}
	return "known are " + strings.Join(names, ", ")
}

// nullCheck is a field of a body that may be absent, but must not be null.
type nullCheck struct {
	index []int
	path  string
}

// nullChecks returns the fields of an input type that must not be null. huma treats null
// as absent, but in a patch they differ: a field on which null has a meaning has the tag
// null:"ok" or nullable:"true".
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
