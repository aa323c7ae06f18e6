package kernel

import (
	"reflect"
	"slices"

	"github.com/danielgtaylor/huma/v2"
)

// ReadInput returns a function that reads the input of an operation from a request.
func (k *Kernel) ReadInput(operation string) func(huma.Context) error {
	of := k.ops[slices.IndexFunc(k.ops, func(o Op) bool { return o.ID == operation })].in
	in := newInput(of, &huma.Operation{MaxBodyBytes: MaxBody}, k.huma.OpenAPI().Components.Schemas)
	return func(ctx huma.Context) error {
		if p := in.read(ctx, reflect.New(of).Elem()); p != nil {
			return p
		}
		return nil
	}
}
