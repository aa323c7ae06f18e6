package kernel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// maxJSONDepth is the maximum nesting of a body.
const maxJSONDepth = 256

// readStrict parses a body that is one JSON value, with the same result as encoding/json.
// It refuses everything that strictReader refuses, and bodies with more than most values.
func readStrict(b []byte, most int64) (any, error) {
	// Each value takes much more memory than its bytes. The document of the largest page
	// that is allowed has fewer values than the default limit.
	if jsontext.MoreValues(b, int(most)) {
		return nil, errs.E(errs.Invalid, "has more than %d values; send it in several requests", most)
	}
	if !utf8.Valid(b) {
		return nil, errs.E(errs.Invalid, "is not valid UTF-8")
	}
	r := strictReader{rest: b, way: make([]step, 0, 8)}
	v, err := r.value(0)
	if err == errSyntax {
		err = syntaxError(b)
	}
	if r.next(); err == nil && len(r.rest) > 0 {
		err = errSeveral
	}
	if err != nil {
		return nil, err
	}
	return v, nil
}

var (
	errSyntax  = errs.E(errs.Invalid, "is not valid JSON")
	errSeveral = errs.E(errs.Invalid, "contains more than one JSON value")
	errHalf    = errs.E(errs.Invalid, "has a half of a surrogate pair")
)

// syntaxError returns the error of encoding/json for a text that strictReader has
// refused. It is slow, so it is not called for valid texts.
func syntaxError(b []byte) error {
	d := json.NewDecoder(bytes.NewReader(b))
	for depth := 0; ; {
		t, err := d.Token()
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			return errs.E(errs.Invalid, "is not complete JSON")
		case err != nil:
			return errs.E(errs.Invalid, "is not valid JSON: %v", err)
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth == 0 { // two numbers without a separator, such as 01
			return errSeveral
		}
	}
}

// strictReader parses one JSON value in valid UTF-8. It refuses objects with duplicate
// keys, which two parsers could interpret differently. It also refuses NUL characters,
// which PostgreSQL cannot store, unpaired surrogates, which are no characters and which
// encoding/json replaces, and values that are nested too deeply. encoding/json would read
// a body twice for that: once for its tokens, and once to find the end of each token.
//
// The path to a value is formatted only for error messages.
type strictReader struct {
	rest []byte
	way  []step
	text []byte // buffer for a string with escapes
}

// step is one step of the path to a value: the key of a member or the index of an
// element.
type step struct {
	key   string
	index int // -1 if the step is a key
}

// Next skips white space and returns the next byte without consuming it. At the end it
// returns 0, with which no value begins.
func (r *strictReader) next() byte {
	for i, c := range r.rest {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			r.rest = r.rest[i:]
			return c
		}
	}
	r.rest = nil
	return 0
}

// skip consumes the byte c, which must be the next one; if c is 0, it does nothing.
func (r *strictReader) skip(c byte) error {
	if c == 0 {
		return nil
	}
	if r.next() != c {
		return errSyntax
	}
	r.rest = r.rest[1:]
	return nil
}

// ends reports whether the current object or array ends here, or the input does.
func (r *strictReader) ends() bool {
	c := r.next()
	return c == 0 || c == '}' || c == ']'
}

// value parses a value after a separator; 0 is no separator.
func (r *strictReader) value(separator byte) (any, error) {
	if len(r.way) > maxJSONDepth {
		return nil, errs.E(errs.Invalid, "is nested deeper than %d levels", maxJSONDepth)
	}
	if err := r.skip(separator); err != nil {
		return nil, err
	}
	switch r.next() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.string()
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	}
	return r.number()
}

func (r *strictReader) object() (any, error) {
	out := map[string]any{}
	r.rest = r.rest[1:]
	r.way = append(r.way, step{index: -1})
	last := len(r.way) - 1
	for separator := byte(0); !r.ends(); separator = ',' {
		if err := r.skip(separator); err != nil {
			return nil, err
		}
		if r.next() != '"' {
			return nil, errSyntax
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		r.way[last].key = key
		if _, twice := out[key]; twice {
			return nil, errs.E(errs.Invalid, "has the key %q twice", r.at())
		}
		if out[key], err = r.value(':'); err != nil {
			return nil, err
		}
	}
	r.way = r.way[:last]
	return out, r.skip('}')
}

func (r *strictReader) array() (any, error) {
	out := []any{}
	r.rest = r.rest[1:]
	r.way = append(r.way, step{})
	last := len(r.way) - 1
	for separator := byte(0); !r.ends(); separator = ',' {
		r.way[last].index = len(out)
		v, err := r.value(separator)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	r.way = r.way[:last]
	return out, r.skip(']')
}

func (r *strictReader) word(w string) error {
	if !bytes.HasPrefix(r.rest, []byte(w)) {
		return errSyntax
	}
	r.rest = r.rest[len(w):]
	return nil
}

// number parses a number. Bodies contain few of them, so encoding/json does it.
func (r *strictReader) number() (any, error) {
	n := 0
	for n < len(r.rest) && strings.IndexByte("+-.0123456789Ee", r.rest[n]) >= 0 {
		n++
	}
	var v float64
	if json.Unmarshal(r.rest[:n], &v) != nil {
		return nil, errSyntax
	}
	r.rest = r.rest[n:]
	return v, nil
}

// string parses a string, and refuses NUL characters and unpaired surrogates.
func (r *strictReader) string() (string, error) {
	s, err := r.unquote()
	switch {
	case err == errHalf:
		err = errs.E(errs.Invalid, "has a half of a surrogate pair, which is no character, at body.%s", r.at())
	case err == nil && strings.IndexByte(s, 0) >= 0:
		err = errs.E(errs.Invalid, "has a NUL character at body.%s", r.at())
	}
	return s, err
}

func (r *strictReader) unquote() (string, error) {
	b := r.rest[1:]
	r.text = r.text[:0]
	for from := 0; ; {
		i := from
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= ' ' {
			i++
		}
		switch {
		case i == len(b) || b[i] < ' ':
			return "", errSyntax
		case b[i] == '"' && from == 0:
			r.rest = b[i+1:]
			return string(b[:i]), nil
		case cap(r.text) == 0:
			r.text = make([]byte, 0, min(len(b), 4<<10))
		}
		r.text = append(r.text, b[from:i]...)
		if b[i] == '"' {
			r.rest = b[i+1:]
			return string(r.text), nil
		}
		n, err := r.escape(b[i:])
		if err != nil {
			return "", err
		}
		from = i + n
	}
}

// escape appends the character of an escape sequence to the text. It returns the length
// of the sequence.
func (r *strictReader) escape(b []byte) (int, error) {
	if len(b) < 2 {
		return 0, errSyntax
	}
	if at := strings.IndexByte(`"\/bfnrt`, b[1]); at >= 0 {
		r.text = append(r.text, "\"\\/\b\f\n\r\t"[at])
		return 2, nil
	}
	one, ok := jsontext.CodeUnit(b)
	if !ok {
		return 0, errSyntax
	}
	if !utf16.IsSurrogate(one) {
		r.text = utf8.AppendRune(r.text, one)
		return 6, nil
	}
	two, _ := jsontext.CodeUnit(b[6:])
	both := utf16.DecodeRune(one, two)
	if both == utf8.RuneError {
		return 0, errHalf
	}
	r.text = utf8.AppendRune(r.text, both)
	return 12, nil
}

func (r *strictReader) at() string {
	var b strings.Builder
	for i, s := range r.way {
		if s.index >= 0 {
			fmt.Fprintf(&b, "[%d]", s.index)
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(clip(s.key))
	}
	return clip(b.String())
}
