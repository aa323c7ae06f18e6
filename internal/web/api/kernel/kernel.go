// Package kernel is what all operations of the API have in common. An operation is one
// declaration, its input and output types, and an adapter of a few lines to a service.
// Routing, decoding, validation, authorization, paging, errors, limits, metrics and the
// description all come from the declaration.
package kernel

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/signin"
)

// Config holds what the kernel needs.
type Config struct {
	Guard   *authz.Guard
	Signer  *blob.Signer // signs addresses of files
	Clock   func() time.Time
	Log     *slog.Logger
	BaseURL string // without a trailing slash, such as https://docs.example.com
	Version string
	Build   string
	Limit   Limit // requests of a caller
	Memory  int64 // bytes that the process may use; 0 if unknown
	// Turns are shared with other handlers of the process. If it is nil, the API has its own.
	Turns *budget.Turns
	// Observe is called for every request, for metrics, unless it is nil.
	Observe func(operation string, status int, took time.Duration)
	// Tags are the groups of operations in the order of the description. Others are behind
	// them.
	Tags []string
	// Examples returns the examples of the description by operation id, unless it is nil.
	Examples func() map[string]Example
	// Reference returns the address of a published site that has the reference of the API, or
	// an empty string. It may be nil.
	Reference func(ctx context.Context) string
}

// Kernel is the handler of the operations that are registered.
type Kernel struct {
	Config
	Cookie  string // name of the session cookie
	huma    huma.API
	mux     *http.ServeMux
	cursors cursors
	limits  *limiter
	ops     []Op
	ref     func() []byte
	spec    func() []byte
	bodies  *budget.Pool  // bytes of large request bodies
	turns   *budget.Turns // for expensive work
}

// Op declares an operation. Together with its input and output types, it is the only
// source of routing, validation, authorization and documentation.
type Op struct {
	ID      string
	Route   string // method and path below /v1
	Allow   authz.Rule
	Summary string
	About   string // details beyond the summary; may be empty
	Tag     string
	Status  int   // of a successful response; 0 is 200, or 204 without a body
	Also    []int // further statuses of responses
	MaxBody int64 // maximum size of the request body in bytes; 0 is MaxBody
	// Deprecated is the id of the operation that replaces this one; empty if it is not
	// deprecated.
	Deprecated string
	// Time is the limit for reading the request and writing the response; 0 is the
	// default of the server.
	Time time.Duration
	// Signed returns the values that the signature of the address covers. It is required
	// if the rule is authz.Signed, and not allowed otherwise.
	Signed func(r *http.Request) []string
	// Sends lists the content types of a streamed response.
	Sends []string
	// Cached sends a cached response without decoding the input, and reports whether it
	// did. If not, the handler is called. Cached is called after the rule has allowed the
	// request.
	Cached func(w http.ResponseWriter, r *http.Request, g *authz.Grant) bool

	in    reflect.Type    // type of the input
	query map[string]bool // the query parameters, with whether they can be repeated; nil if all are accepted, as in signed addresses
	// params are the query parameters, also of signed addresses. fields are the fields of the
	// body; nil if it is no object.
	params, fields map[string]bool
}

// Prefix is the prefix of every path.
const Prefix = "/v1"

// MaxBody is the maximum size of a request body, unless an operation declares another
// one.
const MaxBody = 1 << 20

// New returns a kernel with the operations that describe the server.
func New(c Config, secret string) *Kernel {
	k := &Kernel{Config: c, mux: http.NewServeMux(), cursors: cursors{key: []byte(secret)}, limits: newLimiter(c.Limit), Cookie: signin.Cookie(c.BaseURL),
		bodies: budget.NewPool("large requests", poolOfBodies(c.Memory)), turns: cmp.Or(c.Turns, budget.ProcessTurns())}
	config := huma.DefaultConfig("Octavo", c.Version)
	config.Info.Description = apiAbout
	config.OpenAPIPath, config.DocsPath, config.SchemasPath = "", "", ""
	config.CreateHooks = nil // no $schema in responses
	config.Servers = []*huma.Server{{URL: c.BaseURL + Prefix}}
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "A personal token, octavo_…"},
	}
	config.Components.Schemas = NewSchemas()
	k.huma = humago.NewWithPrefix(k.mux, Prefix, config)
	k.system()
	k.descriptions()
	k.describe()
	k.mux.HandleFunc("/", k.unknown)
	return k
}

// Types that are embedded in inputs are exported, because reflection cannot call methods
// of unexported fields.

// Register declares an operation. The handler is called only after the rule has allowed
// the request and the input was found valid.
func Register[I, O any](k *Kernel, o Op, h func(context.Context, *I) (*O, error)) {
	k.declare(o, reflect.TypeFor[I](), reflect.TypeFor[O](), func(ctx context.Context, in any) (any, error) {
		out, err := h(ctx, in.(*I))
		if err != nil || out == nil { // a nil *O in an any is not nil
			return nil, err
		}
		return out, nil
	})
}

// declare is the part of register that does not depend on type parameters.
func (k *Kernel) declare(o Op, in, out reflect.Type, handle call) {
	method, route, ok := strings.Cut(o.Route, " ")
	switch {
	case !ok || o.ID == "" || o.Summary == "" || o.Tag == "":
		panic(fmt.Sprintf("operation %q is not fully declared", o.ID))
	case !o.Allow.Declared():
		panic(fmt.Sprintf("operation %q declares no permission", o.ID))
	case o.Allow.IsSigned() != (o.Signed != nil):
		panic(fmt.Sprintf("operation %q must say what its signature covers, and only if its rule asks for one", o.ID))
	}
	if hidden := hiddenParts(in); len(hidden) > 0 {
		panic(fmt.Sprintf("the input of operation %q hides parts of itself: %s", o.ID, strings.Join(hidden, "; ")))
	}
	o.in = in
	k.ops = append(k.ops, o)
	schemas := k.huma.OpenAPI().Components.Schemas
	aliasOptions(schemas, in)
	declared := &huma.Operation{
		OperationID: o.ID, Method: method, Path: route, Summary: o.Summary, Description: o.describe(), Tags: []string{o.Tag},
		DefaultStatus: o.Status, MaxBodyBytes: cmp.Or(o.MaxBody, MaxBody),
		Responses: map[string]*huma.Response{}, Deprecated: o.Deprecated != "",
	}
	if o.Allow.NeedsToken() {
		declared.Security = []map[string][]string{{"token": {}}}
	}
	declareErrors(declared, o, schemas)
	declareStream(declared, o)
	k.bind(o, declared, out, handle)
}

// guard returns the middleware of an operation, which runs before the body is read. It
// counts the request against the limit of the caller, authenticates and authorizes the
// caller, and converts all errors and panics to problems.
func (k *Kernel) guard(o Op) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		start := time.Now()
		r, w := humago.Unwrap(ctx)
		request := w.Header().Get(requestIDHeader)
		defer func() {
			p := recover()
			if p != nil && p != http.ErrAbortHandler { //nolint:errorlint // a panic, not an error
				k.Log.Error("panic", "operation", o.ID, "request", request, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				if !written(w) {
					k.fail(w, o, request, errs.E(errs.Internal, "panic"))
				}
			}
			if k.Observe != nil {
				k.Observe(o.ID, statusOf(w), time.Since(start))
			}
			if p == http.ErrAbortHandler { //nolint:errorlint // as above
				panic(p)
			}
		}()
		if o.Deprecated != "" {
			w.Header().Set("Deprecation", "true")
		}
		uses := k.turns.Budget(ctx.Context(), "") // who pays is not known yet
		defer uses.End()
		with := budget.NewContext(ctx.Context(), uses)
		grant, err := k.admit(with, r, w, o, request, start)
		if err != nil {
			k.fail(w, o, request, err)
			return
		}
		tag(w.Header(), grant)
		if o.Cached != nil && o.Cached(w, r, grant) {
			return
		}
		if o.Time > 0 {
			k.extendDeadlines(w, o.Time)
		}
		uses.PaidBy(payer(grant))
		next(huma.WithContext(ctx, authz.NewContext(with, grant)))
	}
}

// payer returns the name of the party that takes turns with others: an organization, a
// user, or a network.
func payer(g *authz.Grant) string {
	if g.Access != nil {
		return string(g.Access.Org)
	}
	return cmp.Or(string(g.Actor.User), networkCaller(g.Actor.Address))
}

// tag sets the cache tags of a response to a visitor. When a space or a site changes, a
// renderer drops the responses that it cached under the tag of the space or site.
func tag(h http.Header, g *authz.Grant) {
	if g.VisitorAccess() == nil {
		return
	}
	tags := "site:" + string(g.Site.ID)
	if g.Space.ID != "" {
		tags = "space:" + string(g.Space.ID) + "," + tags
	}
	h.Set("X-Gitbook-Cache-Tag", tags)
}

// admit counts a request against the limit of its caller, authenticates the caller, and
// returns the grant if the rule of the operation allows the request.
func (k *Kernel) admit(ctx context.Context, r *http.Request, w http.ResponseWriter, o Op, request string, now time.Time) (*authz.Grant, error) {
	from := authz.OriginOf(r.RemoteAddr, request)
	if !o.Allow.NeedsToken() {
		err := k.limits.take(w.Header(), networkCaller(from.Address), now)
		if err == nil && o.Allow.IsSigned() {
			err = k.Signer.Verify(r.URL.Query().Get("signature"), k.Clock(), o.Signed(r)...)
		}
		if err == nil {
			err = checkQuery(r.URL.RawQuery, o.query)
		}
		return &authz.Grant{Actor: authz.Actor{Request: from.Request, Address: from.Address}}, err
	}
	session, err := k.authenticate(ctx, r, from)
	who := networkCaller(from.Address)
	if err == nil && session.Actor.User != "" { // not a visitor
		who = string(session.Actor.User + docs.UserID(session.Actor.Org)) // all tokens of a user share one limit
	}
	if limited := k.limits.take(w.Header(), who, now); limited != nil {
		return nil, limited
	}
	if err != nil {
		return nil, err
	}
	grant, err := k.Guard.Check(ctx, session, o.Allow, r.PathValue, now)
	if err != nil {
		return nil, err
	}
	return grant, checkQuery(r.URL.RawQuery, o.query)
}

// csrfHeader is the header that a request with a session cookie must have if it changes
// something.
const csrfHeader = "X-CSRF-Token"

// authenticate returns the session of the token of a request, or of the cookie of a
// browser. Pages of other sites can make a browser send its cookie, but not the header
// csrfHeader.
func (k *Kernel) authenticate(ctx context.Context, r *http.Request, from authz.Origin) (*authz.Session, error) {
	header := r.Header.Get("Authorization")
	c, err := r.Cookie(k.Cookie)
	if header != "" || err != nil {
		return k.Guard.Authenticate(ctx, header, from)
	}
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads && subtle.ConstantTimeCompare([]byte(r.Header.Get(csrfHeader)), []byte(signin.CSRF(c.Value))) == 0 {
		return nil, errs.E(errs.Forbidden, "a request with a session must have the header %s; GET /user/session returns its value", csrfHeader)
	}
	return k.Guard.AuthenticateSession(ctx, c.Value, from)
}

// clientOf returns the name of a caller without a user, who counts by network.
func clientOf(r *http.Request) string {
	return networkCaller(authz.OriginOf(r.RemoteAddr, "").Address)
}

func (o Op) describe() string {
	parts := []string{"Needs: " + o.Allow.String() + "."}
	if o.Deprecated != "" {
		parts = slices.Insert(parts, 0, "Deprecated: use "+o.Deprecated+".")
	}
	if o.About != "" {
		parts = slices.Insert(parts, 0, o.About)
	}
	return strings.Join(parts, "\n\n")
}

// ServeHTTP routes a request to its operation. A slash at the end of a path is ignored.
// Other paths that are not clean, such as //orgs and a/../orgs, are unknown: the standard
// mux would redirect them.
func (k *Kernel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r = withoutSlash(r)
	if !cleaned(r.URL.Path) {
		k.unknown(w, r)
		return
	}
	k.mux.ServeHTTP(w, r)
}

// unknown handles requests for which no operation is declared. The standard mux would
// respond in plain text.
func (k *Kernel) unknown(w http.ResponseWriter, r *http.Request) {
	if err := k.limits.take(w.Header(), clientOf(r), time.Now()); err != nil {
		writeProblem(w, problemOf(err, Op{}.place))
		return
	}
	if allowed := k.methods(r); len(allowed) > 0 {
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		writeProblem(w, newProblem(http.StatusMethodNotAllowed, "this path allows "+strings.Join(allowed, ", ")+" only", nil))
		return
	}
	if strings.Contains(r.URL.Path, "/path/") {
		writeProblem(w, newProblem(http.StatusNotFound, fmt.Sprintf("there is no operation %s %s; write the slashes in the path of a page as %%2F", r.Method, r.URL.Path), nil))
		return
	}
	writeProblem(w, newProblem(http.StatusNotFound, fmt.Sprintf("there is no operation %s %s; see %s%s/reference", r.Method, r.URL.Path, k.BaseURL, Prefix), nil))
}

// withoutSlash returns a request without the slash at the end of its path, which can be
// encoded, as in the path of a page. The prefix itself keeps it.
func withoutSlash(r *http.Request) *http.Request {
	short, cut := strings.CutSuffix(r.URL.Path, "/")
	if !cut && short != Prefix || cut && short == Prefix {
		return r
	}
	u, out := *r.URL, *r
	if u.Path = short; short == Prefix {
		u.Path += "/"
	}
	for _, slash := range []string{"/", "%2F", "%2f"} {
		if raw, cut := strings.CutSuffix(u.RawPath, slash); cut {
			u.RawPath = raw
			break
		}
	}
	out.URL = &u
	return &out
}

func cleaned(p string) bool {
	return plainPath(p) || (p == path.Clean(p) || p == Prefix+"/") && plainText(p)
}

// plainPath is a fast check that recognizes nearly all clean paths.
func plainPath(p string) bool {
	for i := range len(p) {
		c := p[i]
		if c <= ' ' || c >= utf8.RuneSelf || c == '/' && (i+1 == len(p) || p[i+1] == '/' || p[i+1] == '.') {
			return false
		}
	}
	return strings.HasPrefix(p, "/")
}

// methods returns the methods that the path of a request allows.
func (k *Kernel) methods(r *http.Request) []string {
	var out []string
	if !cleaned(r.URL.Path) {
		return nil
	}
	for _, m := range []string{"GET", "POST", "PUT", "PATCH", "DELETE"} {
		probe := &http.Request{Method: m, URL: r.URL, Host: r.Host}
		if _, pattern := k.mux.Handler(probe); pattern != "" && pattern != "/" {
			out = append(out, m)
			if m == http.MethodGet {
				out = append(out, http.MethodHead)
			}
		}
	}
	return out
}

// requestIDHeader is the header with the id of the request, which log entries contain.
const requestIDHeader = "X-Request-Id"

// WriteJSON writes a value as JSON, with a line break at the end.
func WriteJSON(w io.Writer, v any) error {
	if e, ok := v.(interface{ bytes() []byte }); ok {
		_, err := w.Write(e.bytes())
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// Out, Created, Page and Done are the outputs of nearly all operations. Out is one with a
// body.
type Out[T any] struct{ Body T }

// OK returns an output with a body.
func OK[T any](body T) *Out[T] { return &Out[T]{body} }

// Created is the output of an operation that creates a resource, whose address it has.
type Created[T any] struct {
	Location string `header:"Location"`
	Body     T
}

// Made returns the output for a resource that was created at an address.
func Made[T any](location string, body T) *Created[T] { return &Created[T]{location, body} }

// Put is the output of an operation that creates or changes a resource.
type Put[T any] struct {
	Made bool // the resource was created: status 201
	Body T
}

// Done is an output without a body: status 204, or 205 for a deletion that deleted
// something.
type Done struct{}

// Page is the output of a list.
type Page[T any] struct{ Body List[T] }

// Items returns the output for a list with one page.
func Items[T any](items []T) *Page[T] { return &Page[T]{List[T]{Items: items}} }

// List is the envelope of every list.
type List[T any] struct {
	Next  *Next  `json:"next,omitempty" doc:"Absent on the last page."`
	Count *int64 `json:"count,omitempty" doc:"Number of all items; present if limit is 0."`
	Items []T    `json:"items"`
}

// Next leads to the next page of a list.
type Next struct {
	Page string `json:"page" doc:"Value of the query parameter page for the next page."`
}

// Location returns the absolute address of a resource.
func (k *Kernel) Location(parts ...string) string {
	n := len(k.BaseURL) + len(Prefix)
	for _, p := range parts {
		n += 1 + len(p)
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(k.BaseURL)
	b.WriteString(Prefix)
	for _, p := range parts {
		b.WriteByte('/')
		b.WriteString(p)
	}
	return b.String()
}

// written reports whether a response has begun.
func written(w http.ResponseWriter) bool {
	s, ok := w.(interface{ Written() bool })
	return ok && s.Written()
}

// statusOf returns the status of a response, or 0 if it is not known.
func statusOf(w http.ResponseWriter) int {
	if s, ok := w.(interface{ Status() int }); ok {
		return s.Status()
	}
	return 0
}

var _ http.Handler = (*Kernel)(nil)
