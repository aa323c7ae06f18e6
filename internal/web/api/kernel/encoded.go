package kernel

import (
	"bytes"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// Encoded is a T that has already been encoded as JSON, such as a cached page. Its bytes
// are sent unchanged.
type Encoded[T any] struct{ Data []byte }

// Schema returns the schema of T.
func (Encoded[T]) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[T](), true, "")
}

func (e Encoded[T]) bytes() []byte { return e.Data }

// Encode returns a value with its JSON.
func Encode[T any](v T) (Encoded[T], error) {
	var b bytes.Buffer
	err := WriteJSON(&b, v)
	return Encoded[T]{b.Bytes()}, err
}
