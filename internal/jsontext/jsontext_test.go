package jsontext

import (
	"encoding/json"
	"reflect"
	"testing"
)

func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { } `, `{"a":1}`, "{ \"a\" :\t[1, {\"b\":\"}\"}] ,\n\"c\": \"d\\\"e\" }", `{"a":{"f":"x"},"f":"y"}`,
		`{"a":"\\","b":null}`, `{"a":-1.5e3,"b":true}`, `{"a":`, `{"a"`, `{"a":1`, `[]`, ``, `{"a":}`, `{"a":"é\u00e9"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]json.RawMessage{}
		err := Members(b, func(name, value []byte) {
			key, err := String(append(append([]byte{'"'}, name...), '"'))
			if err != nil {
				return // not valid JSON
			}
			got[key] = value
		})
		want := map[string]json.RawMessage{}
		if json.Unmarshal(b, &want) != nil || want == nil { // null is not an object
			return
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %v\ngot  %q\nwant %q", b, err, got, want)
		}
		for _, v := range want {
			var text string
			if json.Unmarshal(v, &text) != nil || v[0] != '"' {
				continue
			}
			if s, err := String(v); err != nil || s != text {
				t.Fatalf("%s is read as %q: %v", v, s, err)
			}
		}
	})
}
