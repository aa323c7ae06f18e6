package api

import (
	"bytes"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// encoded is a T that has already been encoded as JSON, such as a cached page. Its bytes
// are sent unchanged.
type encoded[T any] struct{ data []byte }

// Schema returns the schema of T.
func (encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func (e encoded[T]) bytes() []byte { return e.data }

func encode[T any](v T) (encoded[T], error) {
	var b bytes.Buffer
	err := writeJSON(&b, v)
	return encoded[T]{b.Bytes()}, err
}
