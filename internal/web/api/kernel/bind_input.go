package kernel

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// input reads the input of an operation from requests. Parameters are the fields with the
// tag path, query or header. The body is the field Body, which is JSON, or RawBody, which
// holds the bytes unparsed.
type input struct {
	schemas   huma.Registry
	params    []param
	body      []int // index of the field Body; nil if there is none
	schema    *huma.Schema
	required  bool
	raw       []int // index of the field RawBody; nil if there is none
	max       int64
	defaults  []preset
	resolvers [][]int
	bodies    *budget.Pool // memory for large bodies
}

// param is a parameter of an operation.
type param struct {
	index    []int
	name     string
	in       string // path, query or header
	preset   string // default value
	required bool
	repeated bool // as in ?a=1&a=2, instead of ?a=1,2
	schema   *huma.Schema
}

// preset is the default value of a field of a body.
type preset struct {
	index []int
	value reflect.Value
}

const (
	// bodyTime is how long a client may take to send a small body, and how long it may pause in a
	// large one.
	bodyTime = 5 * time.Second
	// bodyRate is the minimum number of bytes per second that a client has to send of a
	// large body: other requests may wait for the memory that the body takes from the
	// pool.
	bodyRate = 512 << 10
)

// newInput returns the reader for inputs of type t, and describes the parameters and the
// body in the operation d.
func newInput(t reflect.Type, d *huma.Operation, schemas huma.Registry) *input {
	in := &input{schemas: schemas, max: d.MaxBodyBytes}
	r := &rules{operation: d.OperationID, schemas: schemas, seen: map[*huma.Schema]bool{}}
	in.findParams(t, nil, d, r)
	in.findResolvers(t, nil)
	if f, ok := t.FieldByName("Body"); ok {
		in.body, in.required = f.Index, f.Type.Kind() != reflect.Pointer && f.Type.Kind() != reflect.Interface
		in.schema = huma.SchemaFromField(schemas, f, hint(t, f.Name, d.OperationID+"Request"))
		r.body(f.Type, in.schema)
		in.schema.PrecomputeMessages()
		in.findDefaults(f.Type, f.Index)
		d.RequestBody = &huma.RequestBody{Required: in.required, Content: map[string]*huma.MediaType{"application/json": {Schema: in.schema}}}
	}
	if f, ok := t.FieldByName("RawBody"); ok {
		in.raw, in.required = f.Index, true
		d.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
			"application/octet-stream": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}},
		}}
	}
	return in
}

// query returns the names of the query parameters, with whether they can be repeated.
func (in *input) query() map[string]bool {
	out := map[string]bool{}
	for _, p := range in.params {
		if p.in == "query" {
			out[p.name] = p.repeated
		}
	}
	return out
}

// fields returns the names of the fields of the body, or nil if it is no object.
func (in *input) fields() map[string]bool {
	s := in.schema
	if s != nil && s.Ref != "" {
		s = in.schemas.SchemaFromRef(s.Ref)
	}
	if s == nil || s.Properties == nil {
		return nil
	}
	out := map[string]bool{}
	for name := range s.Properties {
		out[name] = true
	}
	return out
}

// hint returns a name for the schema of a field of type t, or other if t has no name.
func hint(t reflect.Type, field, other string) string {
	if t.Name() != "" {
		return t.Name() + field
	}
	return other
}

func below(index []int, i int) []int { return append(append([]int{}, index...), i) }

// findParams collects and describes the parameters of the struct t and of the structs
// that it embeds. index is the path from the input to t.
func (in *input) findParams(t reflect.Type, index []int, d *huma.Operation, r *rules) {
	for i := range t.NumField() {
		f, at := t.Field(i), below(index, i)
		if f.Anonymous {
			if f.Type.Kind() == reflect.Struct {
				in.findParams(f.Type, at, d, r)
			}
			continue
		}
		p := param{index: at, preset: f.Tag.Get("default")}
		for _, p.in = range []string{"path", "query", "header"} {
			if p.name = f.Tag.Get(p.in); p.name != "" {
				break
			}
		}
		if p.name == "" || !f.IsExported() {
			continue
		}
		p.name, p.repeated = strings.CutSuffix(p.name, ",explode")
		p.required = p.in == "path" || f.Tag.Get("required") == "true"
		p.schema = huma.SchemaFromField(in.schemas, f, "")
		r.described(p.schema)
		switch kind := f.Type.Kind(); {
		case kind == reflect.String, kind == reflect.Int, kind == reflect.Bool:
		case f.Type == reflect.TypeFor[[]string]():
		default:
			panic(fmt.Sprintf("operation %s: the parameter %s has the type %s, which cannot be read from an address", d.OperationID, p.name, f.Type))
		}
		in.params = append(in.params, p)
		if f.Tag.Get("hidden") == "true" {
			continue
		}
		described := &huma.Param{Name: p.name, In: p.in, Description: p.schema.Description, Required: p.required, Schema: p.schema}
		if p.in == "query" {
			described.Explode = &p.repeated
		}
		d.Parameters = append(d.Parameters, described)
	}
}

// findResolvers collects the parts of an input that implement huma.Resolver.
func (in *input) findResolvers(t reflect.Type, index []int) {
	if resolves(t) {
		in.resolvers = append(in.resolvers, index)
		return
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			in.findResolvers(f.Type, below(index, i))
		}
	}
}

// findDefaults collects the fields of a body that have a default value.
func (in *input) findDefaults(t reflect.Type, index []int) {
	if t.Kind() != reflect.Struct {
		return
	}
	for i := range t.NumField() {
		f := t.Field(i)
		text := f.Tag.Get("default")
		if text == "" {
			in.findDefaults(f.Type, below(index, i))
			continue
		}
		v := reflect.New(f.Type).Elem()
		if err := parseValue(v, text); err != nil {
			panic(fmt.Sprintf("the default of the field %s: %v", f.Name, err))
		}
		in.defaults = append(in.defaults, preset{below(index, i), v})
	}
}

// parseValue parses a text and stores the result in v.
func parseValue(v reflect.Value, text string) error {
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int:
		n, err := strconv.ParseInt(text, 10, 0)
		if err != nil {
			return errors.New("invalid integer")
		}
		v.SetInt(n)
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("invalid boolean")
		}
		v.SetBool(b)
	default:
		return fmt.Errorf("a text cannot be a %s", v.Type())
	}
	return nil
}

// read fills an input from a request. It returns a problem if the request is not valid,
// and nil otherwise.
func (in *input) read(ctx huma.Context, v reflect.Value) *problem {
	found := &huma.ValidateResult{}
	path := huma.NewPathBuffer(make([]byte, 0, 64), 0)
	for _, p := range in.params {
		path.Reset()
		path.Push(p.in)
		path.Push(p.name)
		p.read(ctx, v.FieldByIndex(p.index), in.schemas, path, found)
	}
	if in.body != nil || in.raw != nil {
		if p := in.readBody(ctx, v, path, found); p != nil {
			return p
		}
	}
	for _, index := range in.resolvers {
		part := v.FieldByIndex(index).Addr().Interface().(huma.Resolver)
		found.Errors = append(found.Errors, part.Resolve(ctx)...)
	}
	if len(found.Errors) == 0 {
		return nil
	}
	status := http.StatusBadRequest
	for _, err := range found.Errors {
		if s, is := err.(huma.StatusError); is {
			status = s.GetStatus()
		}
	}
	return problemOfInput(status, "", found.Errors)
}

// read parses a parameter of a request, stores it in the field f and validates it. Errors
// are added to found.
func (p param) read(ctx huma.Context, f reflect.Value, schemas huma.Registry, path *huma.PathBuffer, found *huma.ValidateResult) {
	text := ""
	switch p.in {
	case "path":
		text = ctx.Param(p.name)
	case "query":
		text = ctx.Query(p.name)
	default:
		text = ctx.Header(p.name)
	}
	if text == "" {
		text = p.preset
	}
	if text == "" {
		if p.required {
			found.Add(path, "", "required "+p.in+" parameter is missing")
		}
		return
	}
	if f.Kind() == reflect.Slice {
		values := strings.Split(text, ",")
		if p.repeated {
			u := ctx.URL()
			values = u.Query()[p.name]
		}
		f.Set(reflect.ValueOf(values))
	} else if err := parseValue(f, text); err != nil {
		found.Add(path, text, err.Error())
		return
	}
	huma.Validate(schemas, p.schema, path, huma.ModeWriteToServer, plainValue(f), found)
}

// plainValue returns the value of a field in one of the types that huma.Validate accepts.
func plainValue(f reflect.Value) any {
	switch f.Kind() {
	case reflect.String:
		return f.String()
	case reflect.Int:
		return f.Int()
	}
	return f.Interface()
}

// readBody reads and validates the body of a request. It returns a problem if the body
// cannot be read. Errors in its content are added to found.
func (in *input) readBody(ctx huma.Context, v reflect.Value, path *huma.PathBuffer, found *huma.ValidateResult) *problem {
	body, p := in.bytes(ctx)
	switch {
	case p != nil:
		return p
	case len(body) == 0 && in.required:
		return problemOfInput(http.StatusBadRequest, "request body is required", found.Errors)
	case len(body) == 0:
		return nil
	case in.raw != nil:
		v.FieldByIndex(in.raw).SetBytes(body)
		return nil
	case !isJSON(ctx.Header("Content-Type")):
		return newProblem(http.StatusUnsupportedMediaType, "send the body as JSON, with the header Content-Type: application/json", nil)
	}
	wrong := func(err error) {
		found.Errors = append(found.Errors, &huma.ErrorDetail{Location: "body", Message: err.Error()})
	}
	parsed, err := readStrict(body, mostValues(ctx))
	if err != nil {
		wrong(err)
		return nil
	}
	path.Reset()
	path.Push("body")
	before := len(found.Errors)
	if in.validate(parsed, path, found) {
		return nil
	}
	err = json.Unmarshal(body, v.FieldByIndex(in.body).Addr().Interface())
	if err != nil && len(found.Errors) == before { // the schema allows a value that the type does not
		wrong(err)
	}
	for _, d := range in.defaults {
		if f := v.FieldByIndex(d.index); f.IsZero() {
			f.Set(d.value)
		}
	}
	return nil
}

// validate adds the errors in a body to found. It reports whether the body is not worth
// decoding, because a list in it is too long.
func (in *input) validate(parsed any, path *huma.PathBuffer, found *huma.ValidateResult) bool {
	cut := in.cutLists(parsed, path, found)
	s := in.schema
	if one := alternative(in.schemas, s, parsed); one != nil { // errors then name fields
		s = one
	}
	wrong := mistakesIn(in.schemas, s, path, parsed)
	found.Errors = append(found.Errors, wrong...)
	n := len(found.Errors)
	huma.Validate(in.schemas, s, path, huma.ModeWriteToServer, parsed, found)
	found.Errors = append(found.Errors[:n], withoutVague(found.Errors[n:], wrong)...)
	return cut
}

// cutLists cuts the lists of a body that are longer than its schema allows, because
// validating each item could find as many errors. It adds an error for each of them, and
// reports whether there are any.
func (in *input) cutLists(parsed any, path *huma.PathBuffer, found *huma.ValidateResult) bool {
	fields, _ := parsed.(map[string]any)
	before := len(found.Errors)
	for name, p := range Resolved(in.schemas, in.schema).Properties {
		list, _ := fields[name].([]any)
		if p.MaxItems != nil && len(list) > *p.MaxItems {
			path.Push(name)
			found.Add(path, nil, fmt.Sprintf("expected array length <= %d", *p.MaxItems))
			path.Pop()
			fields[name] = list[:*p.MaxItems]
		}
	}
	return len(found.Errors) > before
}

// isJSON reports whether a content type is JSON. A request without a content type counts
// as JSON.
func isJSON(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	switch kind = strings.ToLower(strings.TrimSpace(kind)); {
	case kind == "", kind == "application/json":
		return true
	default:
		return strings.HasSuffix(kind, "+json")
	}
}

// bytes reads the body of a request, within the limits of size and time.
func (in *input) bytes(ctx huma.Context) ([]byte, *problem) {
	r, w := humago.Unwrap(ctx)
	until := time.Now().Add(bodyTime)
	pace := func() { // if no deadline can be set, the default of the server applies
		_ = huma.SetReadDeadline(w, slices.MinFunc([]time.Time{until, time.Now().Add(bodyTime)}, time.Time.Compare))
	}
	defer func() { _ = huma.SetReadDeadline(w, time.Time{}) }()
	first := make([]byte, 0, min(max(r.ContentLength+1, 512), firstBody)) // one byte more, to detect the end
	tooLarge := in.max + 1
	small := int64(smallBody)
	if authz.FromContext(ctx.Context()).Actor.User == "" {
		small = strangersBody
	}
	body, err := readUpTo(r.Body, min(tooLarge, small), first, pace, notTooMany)
	if err == nil && int64(len(body)) == small && small < tooLarge {
		if err := in.wait(ctx, r, w); err != nil {
			return nil, busyProblem(w, err)
		}
		until = time.Now().Add(bodyTime + time.Duration(in.size(r)/bodyRate)*time.Second)
		body, err = readUpTo(r.Body, tooLarge, body, pace, in.tooMany(body, mostValues(ctx)))
		if err == nil {
			if err := budget.Turn(ctx.Context()); err != nil {
				return nil, busyProblem(w, err)
			}
		}
	}
	var timeout net.Error
	switch {
	case int64(len(body)) == tooLarge:
		return nil, newProblem(http.StatusRequestEntityTooLarge, "the body is too large: at most "+errs.Size(in.max), nil)
	case errors.As(err, &timeout) && timeout.Timeout():
		return nil, newProblem(http.StatusRequestTimeout, "request body read timeout", nil)
	case err != nil:
		return nil, newProblem(http.StatusInternalServerError, "cannot read request body", nil)
	}
	return body, nil
}

// firstBody is the maximum number of bytes that are allocated for a body before any of it
// has arrived.
const firstBody = 16 << 10

// smallBody is the number of bytes of a body that are read immediately. Larger bodies
// wait for a part of the pool that all requests share, see poolOfBodies.
const smallBody = 1 << 20

// strangersBody is smallBody for callers without a user. Anybody may send many requests at a
// time, and send them slowly.
const strangersBody = 64 << 10

// bodyCopies is the memory that a body takes, as a multiple of its size: as bytes, as the
// values that are validated, and as the input of the handler and what the handler derives
// from it.
const bodyCopies = 4

// poolOfBodies returns the number of bytes that all large bodies may take together: a
// quarter of the memory, within bounds. memory is 0 if it is not known.
func poolOfBodies(memory int64) int64 {
	const least, most = 64 << 20, 256 << 20
	if memory == 0 {
		return most
	}
	return min(most, max(least, memory/4))
}

// wait takes a part of the pool of large bodies, which is released at the end of the
// request.
func (in *input) wait(ctx huma.Context, r *http.Request, w http.ResponseWriter) error {
	// A request to a signed address has no user; it counts for the organization in the
	// path.
	actor := authz.FromContext(ctx.Context()).Actor
	who := cmp.Or(string(actor.User), r.PathValue("organizationId"), networkCaller(actor.Address))
	release, err := in.bodies.Take(ctx.Context(), who, bodyCopies*in.size(r))
	if err != nil {
		w.Header().Set("Connection", "close") // otherwise the rest of the body would be read only to be discarded
		return err
	}
	budget.FromContext(ctx.Context()).Hold(release)
	return nil
}

// size returns the maximum size of the body of a request.
func (in *input) size(r *http.Request) int64 {
	if r.ContentLength > 0 {
		return min(in.max, r.ContentLength)
	}
	return in.max
}

// mostValues returns the number of JSON values that a body may have.
func mostValues(ctx huma.Context) int64 {
	return budget.FromContext(ctx.Context()).Limit(budget.Values)
}

// tooMany returns a function that reports whether a body has more than most JSON values
// with its next part. body is the part that was read before. The rest of such a body need
// not be kept, because the body is refused.
func (in *input) tooMany(body []byte, most int64) func(part []byte) bool {
	if in.raw != nil {
		return notTooMany
	}
	values := jsontext.Counter{Most: int(most)}
	values.Exceeded(body)
	return values.Exceeded
}

func notTooMany([]byte) bool { return false }

// readUpTo reads up to a total of n bytes, which begin with the bytes of body that were
// read before. It calls pace before each read. After a part for which enough returns
// true, the rest is read and discarded, so that the client receives the response.
func readUpTo(r io.Reader, n int64, body []byte, pace func(), enough func(part []byte) bool) ([]byte, error) {
	r = io.LimitReader(r, n-int64(len(body)))
	for dropping := false; ; {
		if len(body) == cap(body) {
			body = slices.Grow(body, max(512, min(len(body), int(n)-len(body))))
		}
		pace()
		m, err := r.Read(body[len(body):cap(body)])
		if !dropping {
			dropping = enough(body[len(body) : len(body)+m])
			body = body[:len(body)+m]
		}
		if err == io.EOF {
			return body, nil
		}
		if err != nil {
			return body, err
		}
	}
}
