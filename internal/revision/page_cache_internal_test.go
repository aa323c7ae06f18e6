package revision

import (
	"reflect"
	"testing"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Whatever a page can point to keeps it out of the cache of drafts.
func TestPlainPagesPointToNothing(t *testing.T) {
	typ := reflect.TypeFor[docs.Page]()
	for i := range typ.NumField() {
		var p docs.Page
		f := reflect.ValueOf(&p).Elem().Field(i)
		switch f.Kind() {
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Map:
			f.Set(reflect.MakeMap(f.Type()))
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case reflect.Struct, reflect.Interface, reflect.Array:
			t.Errorf("%s: decide whether it points to something", typ.Field(i).Name)
		default:
			continue
		}
		if isPlain(p) {
			t.Errorf("a page with %s is kept as one that points to nothing", typ.Field(i).Name)
		}
	}
}
