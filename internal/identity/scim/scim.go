// Package scim lets the directory of an organization manage its members and teams. It implements SCIM
// 2.0 (RFC 7643, RFC 7644) for users and groups. The caller authenticates with the token of an admin
// of the organization, which is a user or a service account.
package scim

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/identity/orgs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Prefix is the path of the handler.
const Prefix = "/scim/v2/"

// Limits of requests and responses.
const (
	maxBody    = 1 << 20
	maxCount   = 200    // resources in a response
	maxMembers = 10_000 // members in a response
	maxChanges = 5_000  // members in a request
	maxOps     = 1_000  // operations of a PATCH
	maxText    = 255    // characters of an external id
)

// Config holds the dependencies of the handler.
type Config struct {
	Guard     *authz.Guard
	Directory *orgs.Directory
	BaseURL   string
	Clock     func() time.Time
	Log       *slog.Logger
	// Take counts a request against the rate limit of the client.
	Take func(w http.ResponseWriter, r *http.Request) error
}

// Handler serves SCIM for all organizations.
type Handler struct {
	Config
	mux *http.ServeMux
}

// call is a request of an authorized caller.
type call struct {
	r     *http.Request
	grant *authz.Grant
	org   docs.OrgID
	base  string // URL of the organization's directory
}

// answer is a response: a status, and a body unless body is nil.
type answer struct {
	status int
	body   any
}

// New returns a Handler.
func New(c Config) *Handler {
	h := &Handler{Config: c, mux: http.NewServeMux()}
	routes := map[string]func(*call) (answer, error){
		"GET ServiceProviderConfig": h.config,
		"GET ResourceTypes":         h.resourceTypes,
		"GET ResourceTypes/{id}":    h.resourceType,
		"GET Schemas":               h.schemas,
		"GET Schemas/{id}":          h.schema,
		"GET Users":                 h.listUsers,
		"POST Users":                h.createUser,
		"GET Users/{id}":            h.getUser,
		"PUT Users/{id}":            h.replaceUser,
		"PATCH Users/{id}":          h.patchUser,
		"DELETE Users/{id}":         h.deleteUser,
		"GET Groups":                h.listGroups,
		"POST Groups":               h.createGroup,
		"GET Groups/{id}":           h.getGroup,
		"PUT Groups/{id}":           h.replaceGroup,
		"PATCH Groups/{id}":         h.patchGroup,
		"DELETE Groups/{id}":        h.deleteGroup,
	}
	for route, do := range routes {
		method, path, _ := strings.Cut(route, " ")
		h.mux.HandleFunc(method+" "+Prefix+"{organizationId}/"+path, h.serve(do))
	}
	h.mux.HandleFunc("/", h.serve(func(*call) (answer, error) { return answer{}, errs.Missing("resource") }))
	return h
}

// ServeHTTP serves a request below Prefix.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	h.mux.ServeHTTP(w, r)
}

// serve returns a handler that checks the permission before it reads the body, calls do, and writes the
// response.
func (h *Handler) serve(do func(*call) (answer, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		c, err := h.admit(w, r)
		var a answer
		if err == nil {
			a, err = do(c)
		}
		if err != nil {
			a = h.failure(r, err)
		}
		if a.status == http.StatusUnauthorized {
			w.Header().Set("WWW-Authenticate", `Bearer realm="Octavo"`)
		}
		if a.body == nil {
			w.WriteHeader(a.status)
			return
		}
		b, err := json.Marshal(a.body)
		if err != nil {
			h.Log.Error("an answer of SCIM cannot be written", "path", r.URL.Path, "error", err)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/scim+json")
		w.WriteHeader(a.status)
		_, _ = w.Write(b) // the client may have closed the connection
	}
}

// admit authenticates the caller, who must be an admin of the organization.
func (h *Handler) admit(w http.ResponseWriter, r *http.Request) (*call, error) {
	if err := h.Take(w, r); err != nil {
		return nil, err
	}
	s, err := h.Guard.Authenticate(r.Context(), r.Header.Get("Authorization"), authz.OriginOf(r.RemoteAddr, w.Header().Get("X-Request-Id")))
	if err != nil {
		return nil, err
	}
	g, err := h.Guard.Check(r.Context(), s, authz.Org(authz.AdminOrg), r.PathValue, h.Clock())
	if err != nil {
		return nil, err
	}
	org := docs.OrgID(r.PathValue("organizationId"))
	return &call{r: r, grant: g, org: org, base: h.BaseURL + Prefix + string(org)}, nil
}

// URNs of schemas.
const (
	schemaUser   = "urn:ietf:params:scim:schemas:core:2.0:User"
	schemaGroup  = "urn:ietf:params:scim:schemas:core:2.0:Group"
	schemaError  = "urn:ietf:params:scim:api:messages:2.0:Error"
	schemaList   = "urn:ietf:params:scim:api:messages:2.0:ListResponse"
	schemaConfig = "urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"
	schemaType   = "urn:ietf:params:scim:schemas:core:2.0:ResourceType"
	schemaSchema = "urn:ietf:params:scim:schemas:core:2.0:Schema"
)

// problem is an error with its scimType.
type problem struct {
	kind string
	err  *errs.Error
}

func (p *problem) Error() string { return p.err.Error() }
func (p *problem) Unwrap() error { return p.err }

func bad(kind, format string, args ...any) error {
	return &problem{kind, errs.E(errs.Invalid, format, args...)}
}

type failureBody struct {
	Schemas  []string `json:"schemas"`
	ScimType string   `json:"scimType,omitempty"`
	Detail   string   `json:"detail"`
	Status   string   `json:"status"`
}

// failure returns the response for an error.
func (h *Handler) failure(r *http.Request, err error) answer {
	kind := errs.KindOf(err)
	out := failureBody{Schemas: []string{schemaError}, Detail: errs.Message(err)}
	status := kind.Status()
	var p *problem
	switch {
	case errors.As(err, &p):
		out.ScimType = p.kind
	case kind == errs.Conflict:
		out.ScimType = "uniqueness"
	case kind == errs.Invalid:
		out.ScimType = "invalidValue"
	case kind == errs.Precondition: // such as the last admin; SCIM uses 412 only for versions
		status = http.StatusConflict
	case errs.Cancelled(err):
		status, out.Detail = http.StatusServiceUnavailable, "the request was cancelled; send it again"
	case kind == errs.Internal:
		h.Log.Error("scim", "path", r.URL.Path, "error", err)
		out.Detail = "something went wrong; try again"
	}
	out.Status = strconv.Itoa(status)
	return answer{status, out}
}

// read decodes the body of a request into v.
func (c *call) read(v any) error {
	body, err := io.ReadAll(c.r.Body)
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return bad("tooMany", "the request is longer than %s; send it in parts", errs.Size(maxBody))
	case err == nil:
		err = json.NewDecoder(bytes.NewReader(body)).Decode(v)
	}
	if err != nil {
		return bad("invalidSyntax", "the body is not a JSON object of SCIM")
	}
	if why := jsontext.TextProblem(body); why != "" {
		return bad("invalidSyntax", "the body %s", why)
	}
	return nil
}

// pageRange is the requested range of a list.
type pageRange struct{ from, count int }

// pageRange parses the parameters startIndex, which is 1-based, and count.
func (c *call) pageRange() (s pageRange, err error) {
	q := c.r.URL.Query()
	number := func(name string, value int) int {
		text := q.Get(name)
		if text == "" || err != nil {
			return value
		}
		n, wrong := strconv.Atoi(text)
		if wrong != nil {
			err = bad("invalidValue", "%s must be a number", name)
		}
		return n
	}
	s.from = max(number("startIndex", 1), 1) - 1
	s.count = min(max(number("count", maxCount), 0), maxCount)
	return s, err
}

type listBody struct {
	Schemas      []string `json:"schemas"`
	TotalResults int64    `json:"totalResults"`
	StartIndex   int      `json:"startIndex"`
	ItemsPerPage int      `json:"itemsPerPage"`
	Resources    []any    `json:"Resources"`
}

func listed(s pageRange, total int64, items []any) answer {
	if items == nil {
		items = []any{}
	}
	return answer{http.StatusOK, listBody{[]string{schemaList}, total, s.from + 1, len(items), items}}
}

type meta struct {
	ResourceType string `json:"resourceType"`
	Created      string `json:"created,omitempty"`
	Location     string `json:"location"`
}

func formatTime(t docs.Time) string { return t.Std().UTC().Format(time.RFC3339) }
