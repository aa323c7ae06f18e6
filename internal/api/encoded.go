package api

import (
	"bytes"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// encoded is a T that was turned into JSON before, such as a page that is
// read again and again. It is sent as it is.
type encoded[T any] struct{ data []byte }

// Schema is that of T.
func (encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func (e encoded[T]) bytes() []byte { return e.data }

func encode[T any](v T) (encoded[T], error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return encoded[T]{b.Bytes()}, err
}
