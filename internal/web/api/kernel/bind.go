package kernel

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
)

// Operations are bound to HTTP by reflection on the types of their inputs and outputs.
// huma.Register does the same for more kinds of APIs than this one, but it is generic:
// the compiler instantiates all of it for each pair of types, which was most of the build
// time of the whole program.

// call runs the handler of an operation. in is a pointer to its input; the result is a
// pointer to its output, or nil.
type call func(ctx context.Context, in any) (any, error)

// bind registers the handler of an operation and adds the operation to the OpenAPI
// description.
func (k *Kernel) bind(o Op, d *huma.Operation, out reflect.Type, handle call) {
	spec := k.huma.OpenAPI()
	reading, writing := newInput(o.in, d, spec.Components.Schemas), newOutput(out, d, spec.Components.Schemas)
	reading.bodies = k.bodies
	spec.AddOperation(d)
	o.params, o.fields = reading.query(), reading.fields()
	if o.Signed == nil { // the server generates the query of signed addresses
		o.query = o.params
	}
	d.Middlewares = huma.Middlewares{k.guard(o)}
	k.huma.Adapter().Handle(d, d.Middlewares.Handler(func(ctx huma.Context) {
		_, w := humago.Unwrap(ctx)
		v := reflect.New(o.in)
		if p := reading.read(ctx, v.Elem()); p != nil {
			writeProblem(w, p)
			return
		}
		end, err := budget.Begin(ctx.Context())
		if err != nil {
			k.fail(w, o, authz.FromContext(ctx.Context()).Actor.Request, err)
			return
		}
		answer, err := handle(ctx.Context(), v.Interface())
		end()
		if err != nil {
			k.fail(w, o, authz.FromContext(ctx.Context()).Actor.Request, err)
			return
		}
		writing.write(ctx, answer)
	}))
}

// output writes the output of an operation. Fields with the tag header are response
// headers. The field Body is encoded as JSON, or it is a function that writes the whole
// response.
type output struct {
	status  int
	body    int // index of the field Body; -1 if there is none
	made    int // index of the field Made, as in put; -1 if there is none
	headers []header
}

type header struct {
	field int
	name  string
}

// newOutput returns the writer for outputs of type t, and describes the response in the
// operation d.
func newOutput(t reflect.Type, d *huma.Operation, schemas huma.Registry) *output {
	o := &output{body: -1, made: -1, status: cmp.Or(d.DefaultStatus, http.StatusNoContent)}
	body, has := t.FieldByName("Body")
	if has {
		o.body, o.status = body.Index[0], cmp.Or(d.DefaultStatus, http.StatusOK)
	}
	d.DefaultStatus = o.status
	status := strconv.Itoa(o.status)
	if d.Responses[status] == nil {
		d.Responses[status] = &huma.Response{Description: http.StatusText(o.status)}
	}
	r := d.Responses[status]
	if r.Headers == nil {
		r.Headers = map[string]*huma.Param{}
	}
	if has && body.Type.Kind() != reflect.Func {
		schema := huma.SchemaFromField(schemas, body, hint(t, body.Name, d.OperationID+"Response"))
		if r.Content == nil {
			r.Content = map[string]*huma.MediaType{"application/json": {Schema: schema}}
		}
	}
	if made, is := t.FieldByName("Made"); is {
		o.made = made.Index[0]
		d.Responses["201"] = &huma.Response{Description: http.StatusText(http.StatusCreated), Content: r.Content}
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("header")
		if name == "" {
			continue
		}
		o.headers = append(o.headers, header{i, name})
		if f.Tag.Get("hidden") != "true" {
			r.Headers[name] = &huma.Param{Schema: huma.SchemaFromField(schemas, f, hint(t, f.Name, d.OperationID+status+name))}
		}
	}
	return o
}

// write sends the output of an operation as the response.
func (o *output) write(ctx huma.Context, answer any) {
	if answer == nil {
		ctx.SetStatus(o.status)
		return
	}
	v := reflect.ValueOf(answer).Elem()
	for _, h := range o.headers {
		if text := v.Field(h.field).String(); text != "" {
			ctx.SetHeader(h.name, text)
		}
	}
	if o.body < 0 {
		ctx.SetStatus(o.status)
		return
	}
	body := v.Field(o.body).Interface()
	if send, is := body.(func(huma.Context)); is {
		send(ctx)
		return
	}
	ctx.SetHeader("Content-Type", "application/json")
	status := o.status
	if o.made >= 0 && v.Field(o.made).Bool() {
		status = http.StatusCreated
	}
	ctx.SetStatus(status)
	if err := WriteJSON(ctx.BodyWriter(), body); err != nil && ctx.Context().Err() == nil {
		panic(err) // the response has begun; the guard logs the panic
	}
}
