// Package opt holds a JSON field that is absent, null or a value. A PATCH
// needs the three apart: leave it, clear it, set it.
package opt

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// Val is a field of a request body. The zero value is absent.
type Val[T any] struct {
	v    T
	set  bool
	null bool
}

// Of returns a present value.
func Of[T any](v T) Val[T] { return Val[T]{v: v, set: true} }

// Null returns a present null.
func Null[T any]() Val[T] { return Val[T]{set: true, null: true} }

// IsSet reports whether the field was there, null included.
func (o Val[T]) IsSet() bool { return o.set }

// IsNull reports whether the field was there as null.
func (o Val[T]) IsNull() bool { return o.set && o.null }

// Get returns the value, and whether there is one that is not null.
func (o Val[T]) Get() (T, bool) { return o.v, o.set && !o.null }

// Or returns the value, the zero value for null, or cur for an absent field:
// what the field is after the patch, where null clears.
func (o Val[T]) Or(cur T) T {
	if !o.set {
		return cur
	}
	return o.v
}

// UnmarshalJSON implements json.Unmarshaler; it is called only for fields
// that are there.
func (o *Val[T]) UnmarshalJSON(b []byte) error {
	*o = Val[T]{set: true}
	if bytes.Equal(b, []byte("null")) {
		o.null = true
		return nil
	}
	return json.Unmarshal(b, &o.v)
}

// MarshalJSON implements json.Marshaler, for clients written in Go. Combine
// it with the omitzero tag option.
func (o Val[T]) MarshalJSON() ([]byte, error) {
	if !o.set || o.null {
		return []byte("null"), nil
	}
	return json.Marshal(o.v)
}

// Elem returns the type of the value, so that a schema can be derived from it.
func (Val[T]) Elem() reflect.Type { return reflect.TypeFor[T]() }
