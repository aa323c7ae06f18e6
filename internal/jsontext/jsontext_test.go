package jsontext

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
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

// The count does not depend on how the JSON is divided into parts.
func TestCounter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := []byte(strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{
			`{`, `}`, `[`, `]`, `,`, `:`, `"`, `\`, `"a,b"`, `"\""`, `"\\"`, `1`, ` `, `"[\u005b{"`,
		})).Draw(rt, "text"), ""))
		most := rapid.IntRange(1, 8).Draw(rt, "most")
		whole, parts := Counter{Most: most}, Counter{Most: most}
		want, got := whole.Exceeded(text), false
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, len(rest)).Draw(rt, "part")
			got = parts.Exceeded(rest[:n])
			rest = rest[n:]
		}
		if len(text) > 0 && got != want {
			rt.Fatalf("%q: %v in parts, %v as a whole", text, got, want)
		}
	})
	for text, n := range map[string]int{`1`: 1, `[]`: 2, `[1]`: 2, `{"a":1,"b":[2,3]}`: 5, `"[,{"`: 1, `["\"",",\\",3]`: 4} {
		if MoreValues([]byte(strings.Repeat(" ", 9)+text), n) || !MoreValues([]byte(strings.Repeat(" ", 9)+text), n-1) && n > 1 {
			t.Errorf("%s does not have %d values", text, n)
		}
	}
}

func TestTextProblem(t *testing.T) {
	for text, want := range map[string]string{
		`{"a":"plain é 😀"}`:         "",
		`{"a":"\ud83d\ude00"}`:      "",
		`{"a":"\\ud800"}`:           "",
		`{"a":"\u00e9\n\\"}`:        "",
		`{"a":"\ud800"}`:            "surrogate",
		`{"a":"\uDC00\uD800"}`:      "surrogate",
		`{"\ud83dx":1}`:             "surrogate",
		`{"a":"\ud83d\\ude00"}`:     "surrogate",
		`{"a":"\u0000"}`:            "NUL",
		"{\"a\":\"\xff\"}":          "UTF-8",
		`{"a":"\u12`:                "",
		`{"a":"\`:                   "",
		`{"a":"\ud83d\ude00\ud83d"`: "surrogate",
	} {
		if got := TextProblem([]byte(text)); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("TextProblem(%s) = %q, want %q", text, got, want)
		}
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[1,{"c":null}]}`, "{ \"b\": [1, {\"c\": null}],\n\"a\": 1 }", true},
		{`{"a":1}`, `{"a":1,"b":null}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`9007199254740993`, `9007199254740992`, false},
		{`"é"`, `"\u00e9"`, true},
		{``, ``, true},
		{``, `null`, false},
		{`{`, `{}`, false},
	} {
		if got := Same([]byte(c.a), []byte(c.b)); got != c.want {
			t.Errorf("%s and %s: %t", c.a, c.b, got)
		}
	}
}
