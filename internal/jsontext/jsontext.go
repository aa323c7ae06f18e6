// Package jsontext writes JSON without the HTML escaping that encoding/json does by
// default. This JSON is not embedded in HTML, and people read it. The package also reads
// single members of an object without decoding the others.
package jsontext

import (
	"bytes"
	"encoding/json"
	"errors"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendString appends s as a JSON string to b.
func AppendString(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			return appendEscaped(b, s)
		}
		i += size
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	data, _ := Marshal(s) // a string can always be encoded
	return append(b, data...)
}

// AppendField appends a comma and a member of an object to b, unless value is
// empty.
func AppendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return AppendString(b, value)
}

// Marshal is json.Marshal without escaping of HTML.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

var errObject = errors.New("not a JSON object, or one that is cut off")

// Members calls fn for each member of an object. value is the JSON of the value; name is
// the text between the quotes, with escape sequences. Members does not check that the
// values are valid JSON.
func Members(object []byte, fn func(name, value []byte)) error {
	b := trimSpace(object)
	if len(b) == 0 || b[0] != '{' {
		return errObject
	}
	if b = trimSpace(b[1:]); len(b) > 0 && b[0] == '}' {
		return nil
	}
	for {
		n := stringEnd(b)
		if n < 0 {
			return errObject
		}
		name := b[1 : n-1]
		if b = trimSpace(b[n:]); len(b) == 0 || b[0] != ':' {
			return errObject
		}
		b = trimSpace(b[1:])
		if n = valueEnd(b); n <= 0 {
			return errObject
		}
		fn(name, b[:n])
		b = trimSpace(b[n:])
		if len(b) == 0 || b[0] != ',' && b[0] != '}' {
			return errObject
		}
		if b[0] == '}' {
			return nil
		}
		b = trimSpace(b[1:])
	}
}

// String decodes a JSON string.
func String(value []byte) (string, error) {
	if n := stringEnd(value); n == len(value) && bytes.IndexByte(value, '\\') < 0 && utf8.Valid(value) {
		return string(value[1 : n-1]), nil
	}
	var s string
	err := json.Unmarshal(value, &s)
	return s, err
}

// stringEnd returns the length of the JSON string at the beginning of b, or -1.
func stringEnd(b []byte) int {
	if len(b) == 0 || b[0] != '"' {
		return -1
	}
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// valueEnd returns the length of the JSON value at the beginning of b, or -1.
func valueEnd(b []byte) int {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := stringEnd(b[i:])
			if n < 0 {
				return -1
			}
			if i += n - 1; depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t', '\n', '\r':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}

func trimSpace(b []byte) []byte {
	for len(b) > 0 && (b[0] == ' ' || b[0] == '\t' || b[0] == '\n' || b[0] == '\r') {
		b = b[1:]
	}
	return b
}

// MoreValues reports whether JSON has more than n values. An empty object or array counts
// as two. MoreValues reads the bytes once and does not allocate memory for them. For
// invalid JSON the result is meaningless.
func MoreValues(b []byte, n int) bool {
	if len(b) <= n {
		return false // the shortest value takes one byte
	}
	c := Counter{Most: n}
	return c.Exceeded(b)
}

// Counter is MoreValues for JSON that arrives in parts.
type Counter struct {
	Most int

	seen            int
	quoted, escaped bool // the last part ended inside a string, after a backslash
}

// Exceeded counts the values of the next part, and reports whether there are more than
// Most in total.
func (c *Counter) Exceeded(part []byte) bool {
	for _, b := range part {
		switch {
		case c.escaped:
			c.escaped = false
		case c.quoted:
			c.quoted, c.escaped = b != '"', b == '\\'
		case b == '"':
			c.quoted = true
		case b == ',' || b == '{' || b == '[': // each begins another value
			c.seen++
		}
	}
	return c.seen >= c.Most
}

// TextProblem returns why JSON has a text that cannot be stored as it is, or "" if it has none:
// bytes that are no UTF-8 and halves of surrogate pairs, which encoding/json replaces, and NUL
// characters, which PostgreSQL refuses. For invalid JSON the result is meaningless.
func TextProblem(b []byte) string {
	if !utf8.Valid(b) {
		return "is not valid UTF-8"
	}
	for {
		at := bytes.IndexByte(b, '\\') // begins an escape sequence: it occurs in strings only
		if at < 0 || at+1 == len(b) {
			return ""
		}
		b = b[at:]
		switch unit, ok := CodeUnit(b); {
		case !ok:
			b = b[2:]
		case unit == 0:
			return "has a NUL character"
		case !utf16.IsSurrogate(unit):
			b = b[6:]
		default:
			if low, _ := CodeUnit(b[6:]); utf16.DecodeRune(unit, low) == utf8.RuneError {
				return "has a half of a surrogate pair, which is no character"
			}
			b = b[12:]
		}
	}
}

var hexDigits = []byte("0123456789abcdef")

// CodeUnit parses \u and four hexadecimal digits at the beginning of b.
func CodeUnit(b []byte) (v rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	for _, c := range b[2:6] {
		digit := bytes.IndexByte(hexDigits, c|0x20)
		if digit < 0 || c < '0' {
			return 0, false
		}
		v = v<<4 | rune(digit)
	}
	return v, true
}
