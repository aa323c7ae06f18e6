package jsontext

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Same reports whether two texts are the same JSON value: objects with the same members in
// any order, with any white space between them. Numbers are the same if they are written
// the same. A text that is not JSON is the same as no other.
func Same(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	x, err := decode(a)
	if err != nil {
		return false
	}
	y, err := decode(b)
	return err == nil && reflect.DeepEqual(x, y)
}

func decode(b []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
