package store

import (
	"reflect"
	"testing"
)

// Two groups with a method of the same name would hide it in Reader or Tx, where nobody who
// does not call it misses it.
func TestEveryMethodOfAGroupIsAMethodOfTheWhole(t *testing.T) {
	for _, c := range []struct{ whole, groups reflect.Type }{
		{reflect.TypeFor[Reader](), reflect.TypeFor[Reader]()},
		{reflect.TypeFor[*Tx](), reflect.TypeFor[Reader]()},
		{reflect.TypeFor[*Tx](), reflect.TypeFor[writes]()},
		{reflect.TypeFor[*Store](), reflect.TypeFor[Reader]()},
	} {
		for i := range c.groups.NumField() {
			group := c.groups.Field(i).Type
			if group.NumMethod() == 0 {
				t.Errorf("%v of %v has no methods", group, c.groups)
			}
			for m := range group.NumMethod() {
				if _, ok := c.whole.MethodByName(group.Method(m).Name); !ok {
					t.Errorf("%v has no method %s, which %v has: another group has one of the same name", c.whole, group.Method(m).Name, group)
				}
			}
		}
	}
}
