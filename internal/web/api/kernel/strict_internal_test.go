package kernel

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
)

func TestStrictReader(t *testing.T) {
	deep := func(n int, in string) string { return strings.Repeat("[", n) + in + strings.Repeat("]", n) }
	for _, c := range []struct{ in, want string }{
		{`{"a":1,"b":[{"c":1,"c":2}]}`, `has the key "b[0].c" twice`},
		{`{"a":1,"\u0061":2}`, `has the key "a" twice`},
		{`{"a":[0,"x\u0000"]}`, `has a NUL character at body.a[1]`},
		{`{"a":1,"\u0000":1}`, `has a NUL character at body.a`},
		{`{"a":[0,"\ud800"]}`, `has a half of a surrogate pair, which is no character, at body.a[1]`},
		{`{"a":"\udc00\ud83d"}`, `has a half of a surrogate pair, which is no character, at body.a`},
		{`{"a":1,"x\uD83Dx":1}`, `has a half of a surrogate pair`},
		{`{"a":"\ud83d\ude00 \\ud800 \ufffd"}`, ``},
		{deep(257, ``), ``},
		{deep(257, `1`), `is nested deeper than 256 levels`},
		{deep(257, `x`), `is nested deeper than 256 levels`},
		{"\"\xff\"", `is not valid UTF-8`},
		{``, `is not complete JSON`},
		{`{"a":"b`, `is not complete JSON`},
		{`nul`, `is not complete JSON`},
		{`[1,]`, `is not valid JSON: invalid character ']'`},
		{`{"a":1,}`, `is not valid JSON: invalid character '}'`},
		{`{"a" 1}`, `is not valid JSON: invalid character '1' after object key`},
		{"\"a\nb\"", `is not valid JSON: invalid character '\n' in string literal`},
		{`"\x"`, `is not valid JSON: invalid character 'x' in string escape code`},
		{`[01]`, `is not valid JSON: invalid character '1' after array element`},
		{`[1e999]`, `is not valid JSON: json: cannot unmarshal number 1e999 into Go value of type float64`},
		{`01`, `contains more than one JSON value`},
		{`{} {}`, `contains more than one JSON value`},
		{"1\x00", `contains more than one JSON value`},
	} {
		_, err := readStrict([]byte(c.in), testValues)
		switch {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want)):
			t.Errorf("%.40q: %v, not %q", c.in, err, c.want)
		}
	}
}

// testValues is the default limit.
var testValues = budget.New(context.Background()).Limit(budget.Values)

// FuzzStrict compares what is accepted, and what it means, with encoding/json.
func FuzzStrict(f *testing.F) {
	for _, s := range []string{
		`{"a":[1,-2.5e+3,"x\n\u00e9\ud83d\ude00"],"b":{"c":null}}`, `[true,false]`, `"\ud800\u0041"`, `"\udE00\uD83d"`, `-0`, `01`, `1e999`, `{"a":1,"a":2}`,
		`{"a":"\u0000"}`, "1\x00", `{"a":1,}`, `[,1]`, `{"a"}`, `"\u00g0"`, ` [ 1 , 2 ] `, "\v1", `[}`, strings.Repeat("[", 300),
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := readStrict(b, testValues)
		var want any
		unmarshalErr := json.Unmarshal(b, &want)
		accepted := unmarshalErr == nil && utf8.Valid(b) && !halved.Match(whole.ReplaceAll(b, nil)) && acceptable(json.NewDecoder(strings.NewReader(string(b))))
		if accepted != (err == nil) {
			t.Fatalf("%q: %v, encoding/json: %v", b, err, unmarshalErr)
		}
		if accepted && !reflect.DeepEqual(got, want) {
			t.Fatalf("%q: %#v, encoding/json: %#v", b, got, want)
		}
	})
}

// whole matches the escape sequences that are characters, so that halved finds the others in
// what is left of a valid text.
var (
	whole  = regexp.MustCompile(`\\(?:[^u]|(?i:u(?:[0-9a-ce-f].|d[0-7])..|ud[89ab]..\\ud[c-f]..))`)
	halved = regexp.MustCompile(`\\(?i:ud[89a-f])`)
)

// acceptable reports whether valid JSON has no key twice, no NUL character and not too many levels.
func acceptable(d *json.Decoder) bool {
	type object struct {
		names map[string]bool // nil: an array
		value bool            // comes next, behind its name
	}
	var in []object
	for {
		token, err := d.Token()
		if err != nil {
			return err == io.EOF
		}
		delim, _ := token.(json.Delim)
		if delim == '}' || delim == ']' {
			in = in[:len(in)-1]
			continue
		}
		text, isText := token.(string)
		if strings.Contains(text, "\x00") {
			return false
		}
		if n := len(in) - 1; n >= 0 && in[n].names != nil {
			if in[n].value = !in[n].value; in[n].value && isText {
				if in[n].names[text] {
					return false
				}
				in[n].names[text] = true
				continue
			}
		}
		if len(in) > maxJSONDepth {
			return false
		}
		switch delim {
		case '{':
			in = append(in, object{names: map[string]bool{}})
		case '[':
			in = append(in, object{})
		}
	}
}

// A body with too many values is not kept as a whole, and read to its end.
func TestTooManyValuesAreDropped(t *testing.T) {
	text := "[" + strings.Repeat("1,", 8<<20) + "1]"
	in := &input{}
	r := strings.NewReader(text)
	body, err := readUpTo(r, 1<<30, []byte(text[:0]), func() {}, in.tooMany(nil, testValues))
	if err != nil || len(body) > 8<<20 || r.Len() != 0 {
		t.Errorf("%d of %d bytes were kept, %d not read: %v", len(body), len(text), r.Len(), err)
	}
	if _, err := readStrict(body, testValues); err == nil || !strings.Contains(err.Error(), "values") {
		t.Errorf("it is refused with %v", err)
	}
}

// A body may have as many bytes as the limit.
func TestABodyOfTheLimit(t *testing.T) {
	for _, most := range []int64{600, strangersBody - 1, strangersBody, strangersBody + 1, smallBody - 1, smallBody, smallBody + 1, 3 * smallBody} {
		for _, known := range []bool{true, false} {
			for _, size := range []int64{most - 1, most, most + 1, most + 2*smallBody} {
				r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(strings.Repeat("x", int(size))))
				if !known {
					r.ContentLength = -1
				}
				r = r.WithContext(authz.NewContext(r.Context(), &authz.Grant{}))
				in := &input{max: most, bodies: budget.NewPool("bodies", 1<<30)}
				body, p := in.bytes(humago.NewContext(nil, r, httptest.NewRecorder()))
				if (p == nil) != (size <= most) || p == nil && int64(len(body)) != size {
					t.Errorf("%d of %d bytes (length known: %v): read %d, %v", size, most, known, len(body), p)
				}
			}
		}
	}
}

// Long bodies of strangers take a part of the pool, so that their memory has a limit. Those of
// users do when they are longer.
func TestBodiesOfStrangersHaveALimit(t *testing.T) {
	full := budget.NewPool("bodies", 1)
	if _, err := full.Try("other", 1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		user docs.UserID
		size int
		read bool
	}{{"", strangersBody - 1, true}, {"", strangersBody + 1, false}, {"ada", strangersBody + 1, true}, {"ada", smallBody + 1, false}} {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(strings.Repeat("x", c.size)))
		r = r.WithContext(authz.NewContext(r.Context(), &authz.Grant{Actor: authz.Actor{User: c.user}}))
		in := &input{max: 2 * smallBody, bodies: full}
		if _, p := in.bytes(humago.NewContext(nil, r, httptest.NewRecorder())); (p == nil) != c.read {
			t.Errorf("%d bytes of %q: %v", c.size, c.user, p)
		}
		cancel()
	}
}
