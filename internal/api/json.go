package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
)

// maxJSONDepth bounds the nesting of a body.
const maxJSONDepth = 256

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
	d := json.NewDecoder(bytes.NewReader(b))
	value, err := strictValue(d, "body", 0)
	if err != nil {
		return err
	}
	if _, err := d.Token(); err != io.EOF {
		return errs.E(errs.Invalid, "holds more than one JSON value")
	}
	*v = value
	return nil
}

func strictValue(d *json.Decoder, path string, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, errs.E(errs.Invalid, "is nested deeper than %d levels", maxJSONDepth)
	}
	t, err := d.Token()
	if err != nil {
		return nil, malformed(err)
	}
	switch t {
	case json.Delim('{'):
		out := map[string]any{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, malformed(err)
			}
			key := k.(string) // the decoder gives nothing else here
			if _, twice := out[key]; twice {
				return nil, errs.E(errs.Invalid, "has the key %q twice in %s", key, path)
			}
			if out[key], err = strictValue(d, path+"."+key, depth+1); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return out, malformed(err)
	case json.Delim('['):
		out := []any{}
		for d.More() {
			v, err := strictValue(d, fmt.Sprintf("%s[%d]", path, len(out)), depth+1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		_, err = d.Token()
		return out, malformed(err)
	}
	return t, nil
}

func malformed(err error) error {
	if err == nil {
		return nil
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errs.E(errs.Invalid, "is not complete JSON")
	}
	return errs.E(errs.Invalid, "is not valid JSON: %v", err)
}
