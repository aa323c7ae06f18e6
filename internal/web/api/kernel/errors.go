package kernel

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// problem is the JSON form of all error responses.
type problem struct {
	Err problemBody `json:"error"`
}

type problemBody struct {
	Code    int           `json:"code" doc:"The HTTP status."`
	Message string        `json:"message" doc:"What is wrong and what to do about it."`
	Details []errs.Detail `json:"details,omitempty" doc:"Which part of the input is wrong."`
}

func newProblem(status int, message string, details []errs.Detail) *problem {
	return &problem{problemBody{Code: status, Message: message, Details: details}}
}

func (p *problem) Error() string  { return p.Err.Message }
func (p *problem) GetStatus() int { return p.Err.Code }

// problemOf converts an error to the problem that the caller sees. It hides internal
// errors and all causes. place returns the path of a field in the request.
func problemOf(err error, place func(string) string) *problem {
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind == errs.Internal {
		return newProblem(http.StatusInternalServerError, "the server failed; give its operator the request id from the header X-Request-Id", nil)
	}
	e = e.Placed(place)
	return newProblem(e.Kind.Status(), e.Message, e.Details)
}

// place returns the path of a field in a request. Services name a field as it is in their
// input, because they do not know where an operation has it from. It is a parameter of the
// query if the operation has one of this name, and otherwise a part of the body. Handlers
// may also name the part of the request themselves, unless a field of the body has the name
// of the part.
func (o Op) place(field string) string {
	first := field
	if end := strings.IndexAny(field, ".["); end >= 0 {
		first = field[:end]
	}
	switch first {
	case "body", "query", "path", "header":
		if !o.fields[first] {
			return field
		}
	case "":
		return "body" + field // all of it, or an element of a list
	}
	if _, is := o.params[first]; is {
		return "query." + field
	}
	return "body." + field
}

// requestProblem returns the response to a request that failed with err, and logs errors
// of the server. Deleting what does not exist, or is not visible to the caller, succeeds
// with status 204.
func (k *Kernel) requestProblem(o Op, request string, err error) *problem {
	if errs.Is(err, errs.NotFound) && strings.HasPrefix(o.Route, http.MethodDelete) {
		return newProblem(http.StatusNoContent, "", nil)
	}
	if errs.Cancelled(err) { // this client has left, or the one whose work it waited for: the server did not fail
		return newProblem(http.StatusServiceUnavailable, "the request was cancelled; send it again", nil)
	}
	p := problemOf(err, o.place)
	if p.Err.Code >= http.StatusInternalServerError && !errs.Is(err, errs.Busy) {
		k.Log.Error("request failed", "operation", o.ID, "request", request, "error", err)
	}
	return p
}

// fail sends the response to a request that failed with err.
func (k *Kernel) fail(w http.ResponseWriter, o Op, request string, err error) {
	p := k.requestProblem(o, request, err)
	if p.Err.Code == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="octavo"`)
	}
	if p.Err.Code == http.StatusServiceUnavailable || p.Err.Code == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
		if wait := errs.After(err, retryAfter); wait > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(wait))
		}
	}
	writeProblem(w, p)
}

// retryAfter is the value of the header Retry-After for requests that found the server
// busy, in seconds.
const retryAfter = 5

// busyProblem returns the problem of a request that waited too long, and sets the header
// Retry-After.
func busyProblem(w http.ResponseWriter, err error) *problem {
	kind := errs.KindOf(err)
	if kind == errs.Internal { // the client closed the connection
		return newProblem(http.StatusRequestTimeout, "the request was cancelled", nil)
	}
	w.Header().Set("Retry-After", strconv.Itoa(retryAfter))
	return newProblem(kind.Status(), errs.Message(err), nil)
}

func writeProblem(w http.ResponseWriter, p *problem) {
	if p.Err.Code == http.StatusNoContent {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.Err.Code)
	_ = WriteJSON(w, p) // an error means that the connection is broken
}

// The settings of huma's validation are package variables. They are set once, here, and
// hold no state.
func init() {
	huma.ValidateStrictCasing = true // otherwise "TITLE" would bypass the checks of "title"
	huma.DefaultArrayNullable = false
}

// maxDetails is the maximum number of errors in a problem. maxDetail is the maximum
// length of a path and a message in bytes, because they can repeat parts of the input.
const (
	maxDetails = errs.MaxDetails
	maxDetail  = 200
)

func clip(s string) string { return docs.ClipBytes(s, maxDetail) }

// problemOfInput returns a problem with the errors that validation found in an input.
// Each detail names the place of an error; there are at most maxDetails. message is used
// only if no error was found.
func problemOfInput(status int, message string, found []error) *problem {
	var details []errs.Detail
	seen := map[string]bool{}
	add := func(d errs.Detail) { // one message for each place is enough
		d.Path, d.Message = clip(d.Path), clip(d.Message)
		if !seen[d.Path] {
			seen[d.Path] = true
			details = append(details, d)
		}
	}
	for _, err := range found {
		var d *huma.ErrorDetail
		switch {
		case len(details) == maxDetails:
		case errors.As(err, &d):
			message := d.Message
			if message == "invalid integer" {
				message = "must be an integer"
			}
			add(errs.Detail{Path: d.Location, Message: message})
		case err != nil:
			add(errs.Detail{Message: err.Error()})
		}
	}
	if len(details) > 0 {
		parts := make([]string, 0, len(details))
		for _, d := range details[:min(len(details), 5)] {
			parts = append(parts, strings.TrimSpace(d.Path+" "+d.Message))
		}
		message = strings.Join(parts, "; ")
	}
	return newProblem(status, message, details)
}
