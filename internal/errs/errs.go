// Package errs is the one error type of Octavo: a kind that decides how the
// caller should react, a message that may be displayed to that caller, and a
// cause that may not.
//
// It knows nothing of HTTP. The API maps kinds to status codes in one place;
// an error of no kind is a defect of ours and becomes a 500.
package errs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Kind says what went wrong in terms of what the caller can do about it.
type Kind uint8

// The kinds. Internal is the zero value on purpose: an error that nobody
// classified is never shown to a caller.
const (
	Internal        Kind = iota
	Invalid              // the input is wrong; repeat with other input
	Unauthenticated      // no or bad credentials
	Forbidden            // the caller may see the thing but not do this to it
	NotFound             // absent, or not visible to the caller
	Conflict             // the state already is what was asked for, or a name is taken
	Precondition         // the state forbids this now
	TooMany              // slow down
	Unsupported          // the body has a type that is not read here
	Busy                 // others are served first; try again in a few seconds
	NoSpace              // the server has no room to store anything; only its operator can help
	Quota                // the organization may not have more of something
)

// DiskFull is the message of NoSpace.
const DiskFull = "the server has no room left on its disk, so nothing was changed; its operator has to make room"

// Never is the After of an error that trying again does not change.
const Never time.Duration = -1

// Detail points at one part of the input, for example "title".
type Detail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// Error is what every layer returns for a failure that a caller may learn of.
// Only Message and Details ever leave the process.
type Error struct {
	Kind    Kind
	Message string
	Details []Detail
	After   time.Duration // when to try again; 0 if it is not known, or Never
	Err     error

	field  string // what the message begins with, if it is of At or About
	fields bool   // the details are fields of the input, and the message is made of them
}

func (e *Error) Error() string {
	if e.Err != nil {
		return e.Message + ": " + e.Err.Error()
	}
	return e.Message
}

// Unwrap returns the cause, which is for logs only.
func (e *Error) Unwrap() error { return e.Err }

// E makes an error of a kind. The message is displayed to the caller: it says
// what is wrong and, where that helps, what to do next.
func E(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// Field is invalid input at one place, such as Field("parent", "is not a collection"). The
// path is the one in the input of a service, which does not know where its caller has it
// from: the API says body.parent or query.parent, and the command line says parent. An
// empty path is the whole input.
func Field(path, format string, args ...any) *Error {
	return ofFields([]Detail{{Path: path, Message: fmt.Sprintf(format, args...)}})
}

// In returns the path of a field of the part of the input that is at a path. Both may be
// empty: the whole input, and the whole part.
func In(at, field string) string {
	if at == "" || field == "" {
		return at + field
	}
	return at + "." + field
}

// Fields is invalid input at several places, of which the message names the first ones.
// Without a detail, it returns nil.
func Fields(details []Detail) error {
	if len(details) == 0 {
		return nil
	}
	return ofFields(details)
}

func ofFields(details []Detail) *Error {
	return &Error{Kind: Invalid, Message: joined(details), Details: details, fields: true}
}

// Problems is as Fields for details that are no fields of the input, such as the lines of
// a file in it. Their paths stay as they are.
func Problems(details []Detail) error {
	if len(details) == 0 {
		return nil
	}
	return &Error{Kind: Invalid, Message: joined(details), Details: details}
}

// joined returns the message that names the first details.
func joined(details []Detail) string {
	var parts []string
	for _, d := range details[:min(len(details), 5)] {
		parts = append(parts, strings.TrimSpace(d.Path+" "+d.Message))
	}
	return strings.Join(parts, "; ")
}

// At is an error of a kind about one field, which only the message names: it begins with
// the path and a colon.
func At(kind Kind, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: path + ": " + fmt.Sprintf(format, args...), field: path}
}

// About is an error of a kind about one field, as At is, but its message is a sentence that
// begins with the path.
func About(kind Kind, path, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: path + " " + fmt.Sprintf(format, args...), field: path}
}

// Placed returns the error with the path of each field as place returns it, in the details
// and in the message.
func (e *Error) Placed(place func(path string) string) *Error {
	out := *e
	switch {
	case e.field != "":
		out.field = place(e.field)
		out.Message = out.field + strings.TrimPrefix(e.Message, e.field)
	case e.fields:
		out.Details = slices.Clone(e.Details)
		for i, d := range e.Details {
			out.Details[i].Path = place(d.Path)
		}
		out.Message = joined(out.Details)
	}
	return &out
}

// Taken is a Conflict at one place of the input: another thing has the name or the path.
func Taken(path, format string, args ...any) *Error {
	e := Field(path, format, args...)
	e.Kind = Conflict
	return e
}

// Missing is the one wording for a thing that is absent or invisible. Both
// look the same so that an answer never reports which of the two it is.
func Missing(what string) *Error {
	return E(NotFound, "%s not found", what)
}

// statuses is the only place that knows HTTP's number for a kind.
var statuses = map[Kind]int{
	Internal: 500, Invalid: 400, Unauthenticated: 401, Forbidden: 403, NotFound: 404, Conflict: 409, Precondition: 412,
	TooMany: 429, Unsupported: 415, Busy: 503, NoSpace: 507, Quota: 413,
}

// Status returns the status of an HTTP answer that says it.
func (k Kind) Status() int { return statuses[k] }

// KindOf returns the kind of the first Error in the chain, or Internal.
func KindOf(err error) Kind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return Internal
}

// Is reports whether err is of a kind.
func Is(err error, kind Kind) bool {
	return err != nil && KindOf(err) == kind
}

// Cancelled reports whether err is no failure: the request has ended because its client has left, or because the one
// left whose work it waited for. Nobody has to look at it, so it is not logged as an error.
func Cancelled(err error) bool { return Is(err, Internal) && errors.Is(err, context.Canceled) }

// After returns how many seconds to wait before trying again, rounded up, or otherwise if the
// error does not know it. It is 0 if waiting does not help.
func After(err error, otherwise int) int {
	var e *Error
	switch {
	case !errors.As(err, &e) || e.After == 0:
		return otherwise
	case e.After == Never:
		return 0
	}
	return int((e.After + time.Second - 1) / time.Second)
}

// Message returns what a person may read of an error: the words of the first
// Error in the chain, or nothing.
func Message(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Message
	}
	return ""
}

// Size returns a limit as messages print it: in the largest unit of which it is a
// multiple. A KB has 1024 bytes and an MB 1024 KB.
func Size(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
