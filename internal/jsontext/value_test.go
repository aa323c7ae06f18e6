package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestValue(t *testing.T) {
	for in, want := range map[string]any{
		`{"a": [1, -0.5e+3, true, false, null], "b": {}, "c": []}`: map[string]any{
			"a": []any{1.0, -500.0, true, false, nil}, "b": map[string]any{}, "c": []any{}},
		` "a\n\u00e9\ud83d\ude00\ud83d x\/\"" `: "a\né😀\uFFFD x/\"",
		`""`:                                    "",
	} {
		if v, ok := Value([]byte(in), 10); !ok || !reflect.DeepEqual(v, want) {
			t.Errorf("%s: %v, %v", in, v, ok)
		}
	}
	for _, in := range []string{
		``, `{`, `[1,]`, `{"a":1,}`, `{"a":1 "b":2}`, `{"a":1,"a":2}`, `"\u0000"`, "\"\xff\"", "\"a\nb\"", `01`, `1.`, `-`, `1e`, `1e999`, `+1`, `nul`, `1 2`,
		strings.Repeat("[", 12) + strings.Repeat("]", 12), `"\x"`, `"\u12"`, `"a`, `{1:2}`, `{"a"}`,
	} {
		if v, ok := Value([]byte(in), 10); ok {
			t.Errorf("%s is read as %v", in, v)
		}
	}
	if _, ok := Value([]byte(strings.Repeat("[", 10)+strings.Repeat("]", 10)), 10); !ok {
		t.Error("ten levels are too deep")
	}
}

// FuzzValue compares with the standard library.
func FuzzValue(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5e3,"x\n\u00e9\ud83d\ude00"],"b":{"c":null}}`, `[true,false]`, `"\ud800\u0041"`, `-0`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want any
		err := json.Unmarshal(b, &want)
		got, ok := Value(b, 1000)
		if ok && (err != nil || !reflect.DeepEqual(got, want)) {
			t.Fatalf("%q: %v, not %v, %v", b, got, want, err)
		}
		simple := err == nil && utf8.Valid(b) && !bytes.Contains(b, []byte("u0000")) && bytes.Count(b, []byte(`"`)) < 4 && len(b) < 1000
		if simple && !ok {
			t.Fatalf("%q is not read", b)
		}
	})
}
