package api

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"strings"
)

// filler stores parsed JSON in a zero value, with the same result as encoding/json for
// the bytes. It returns false for values that it does not support, such as null or a key
// in another case. Then the value is undefined, and the bytes have to be decoded.
// Strings, which are most of a body, are neither parsed nor copied a second time.
type filler func(v reflect.Value, from any) bool

// fillerOf returns the filler of a type, or nil. Types that decode themselves have none.
// Numbers have none either: 1.0 was parsed as 1, which is valid for an integer, while
// encoding/json refuses 1.0 for it.
func fillerOf(t reflect.Type) filler {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[optional]()):
		return optionalFiller(reflect.New(t).Interface().(optional).Elem())
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()),
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()),
		t == reflect.TypeFor[json.Number]():
		return nil
	}
	switch t.Kind() {
	case reflect.String:
		return func(v reflect.Value, from any) bool {
			s, is := from.(string)
			v.SetString(s)
			return is
		}
	case reflect.Bool:
		return func(v reflect.Value, from any) bool {
			b, is := from.(bool)
			v.SetBool(b)
			return is
		}
	case reflect.Pointer:
		return pointerFiller(t.Elem())
	case reflect.Slice:
		return sliceFiller(t)
	case reflect.Struct:
		return structFiller(t)
	}
	return nil
}

// optional is a pointer to an opt.Val.
type optional interface {
	Elem() reflect.Type
	Present() any
}

func optionalFiller(value reflect.Type) filler {
	fill := fillerOf(value)
	if fill == nil {
		return nil
	}
	return func(v reflect.Value, from any) bool {
		return fill(reflect.ValueOf(v.Addr().Interface().(optional).Present()).Elem(), from)
	}
}

func pointerFiller(elem reflect.Type) filler {
	fill := fillerOf(elem)
	if fill == nil {
		return nil
	}
	return func(v reflect.Value, from any) bool {
		v.Set(reflect.New(elem))
		return fill(v.Elem(), from)
	}
}

func sliceFiller(t reflect.Type) filler {
	fill := fillerOf(t.Elem())
	if fill == nil {
		return nil
	}
	return func(v reflect.Value, from any) bool {
		list, is := from.([]any)
		if !is {
			return false
		}
		v.Set(reflect.MakeSlice(t, len(list), len(list)))
		for i, item := range list {
			if !fill(v.Index(i), item) {
				return false
			}
		}
		return true
	}
}

func structFiller(t reflect.Type) filler {
	type field struct {
		index int
		fill  filler
	}
	fields := map[string]field{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || !f.IsExported() || name == "-" || options != "" && options != "omitempty" {
			continue // not decoded, or decoded in another way
		}
		if fill := fillerOf(f.Type); fill != nil {
			fields[cmp.Or(name, f.Name)] = field{i, fill}
		}
	}
	return func(v reflect.Value, from any) bool {
		object, is := from.(map[string]any)
		if !is {
			return false
		}
		for name, value := range object {
			f, known := fields[name]
			if !known || !f.fill(v.Field(f.index), value) {
				return false
			}
		}
		return true
	}
}
