package markup

import (
	"encoding/json"
	"strconv"
	"strings"
)

// value reads the next JSON value. The document was validated before. Numbers are
// float64, as everywhere in data. A key that occurs twice is rejected, because
// readers differ on which value they use.
func (d *decoder) value(depth int) (any, error) {
	if d.values++; d.values > maxValues {
		return nil, d.fail("brings the document over %d values; split the page", maxValues)
	}
	if depth > maxJSONDepth {
		return nil, d.fail("is nested too deeply")
	}
	switch d.peek() {
	case '{':
		return d.members(depth)
	case '[':
		return d.elements(depth)
	case '"':
		return d.string(), nil
	case 't':
		d.off += len("true")
		return true, nil
	case 'f':
		d.off += len("false")
		return false, nil
	case 'n':
		d.off += len("null")
		return nil, nil
	}
	end := d.off
	for end < len(d.raw) && strings.IndexByte("+-.0123456789eE", d.raw[end]) >= 0 {
		end++
	}
	f, err := strconv.ParseFloat(string(d.raw[d.off:end]), 64)
	if err != nil {
		return nil, d.fail("is a number out of range")
	}
	d.off = end
	return f, nil
}

// peek skips white space and returns the next byte without consuming it.
func (d *decoder) peek() byte {
	for strings.IndexByte(" \t\r\n", d.raw[d.off]) >= 0 {
		d.off++
	}
	return d.raw[d.off]
}

// more advances to the next element of a list or an object and returns true, or
// skips the closing byte and returns false.
func (d *decoder) more(end byte) bool {
	switch d.peek() {
	case end:
		d.off++
		return false
	case ',':
		d.off++
		d.peek()
	}
	return true
}

func (d *decoder) members(depth int) (any, error) {
	m := map[string]any{}
	for d.off++; d.more('}'); {
		key := d.string()
		d.enter(key)
		if _, twice := m[key]; twice {
			return nil, d.fail("is twice in its object")
		}
		d.peek()
		d.off++ // the colon
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		m[key] = v
		d.leave()
	}
	return m, nil
}

func (d *decoder) elements(depth int) (any, error) {
	out := []any{}
	d.off++
	for i := 0; d.more(']'); i++ {
		d.enterIndex(i)
		v, err := d.value(depth + 1)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
		d.leave()
	}
	return out, nil
}

// string reads a string. It replaces NUL, because databases and Markdown do not
// allow it in text.
func (d *decoder) string() string {
	from, plain := d.off, true
	for d.off++; d.raw[d.off] != '"'; d.off++ {
		if d.raw[d.off] == '\\' {
			plain = false
			d.off++
		}
	}
	d.off++
	if plain {
		return string(d.raw[from+1 : d.off-1])
	}
	var s string
	if err := json.Unmarshal(d.raw[from:d.off], &s); err != nil {
		return "" // impossible: the whole document is valid JSON
	}
	return strings.ReplaceAll(s, "\x00", "\uFFFD")
}
