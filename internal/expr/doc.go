// Package expr implements the language of visitor conditions, inline expressions
// and custom merge rules: one JavaScript expression over plain data.
//
// The language has literals, names, member access, `?.`, `!`, `&&`, `||`, `??`,
// `? :`, comparison, arithmetic, typeof, array and object literals, and the
// methods in methods.go, some of which take a callback such as
// `review => review.status === "approved"`. Parse rejects everything else:
// statements, assignment, calls of anything but a known method, `new`, `this`,
// `in`, bitwise operators, regular expressions, template literals, spread, and
// the names that lead to prototypes.
//
// An expression can read only the data that it is evaluated over. There are no
// prototypes, no globals and no functions that can be stored. Members are read
// from own keys. Go values of types that JSON does not have are an error. Time
// and memory are limited by counting, so that the same expression over the same
// data always has the same result.
//
// An evaluation returns the result of JavaScript or an error. It is an error to
// compare two objects, to read an unknown name, or to use a method as a value.
// Half of a surrogate pair becomes U+FFFD, because text is UTF-8 here.
//
// Where a change goes:
//   - a method of expressions: an entry in methods.go, rows in testdata
package expr

import (
	"errors"
	"fmt"
)

// Limits of an expression. Steps and bytes are counted for each evaluation, and
// for all expressions of a document together, see Document. They are counted and
// not measured, so that the result does not depend on the machine.
const (
	// MaxLength is the maximum length of an expression in characters.
	MaxLength = 1024
	// MaxDepth is the maximum depth of nested brackets, unary operators, `? :`,
	// `**`, callbacks, and lists that are converted to text.
	MaxDepth = 128
	// MaxSteps is the maximum number of operations of an evaluation. An operation
	// on text or lists counts by their size. All steps take some milliseconds.
	MaxSteps = 100_000
	// MaxBytes is the approximate maximum number of bytes of text and list items
	// that an evaluation may allocate.
	MaxBytes = 1 << 20
)

// ErrBudget is wrapped by the errors of evaluations that exceed a limit.
var ErrBudget = errors.New("the expression takes too long or makes too much text")

// Error is an error in an expression and its position. Every error of Parse and
// Eval is an *Error.
type Error struct {
	// Column counts characters from the beginning of the expression, from 1.
	Column  int
	Message string
	err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s", e.Column, e.Message)
}

// Unwrap returns ErrBudget if the evaluation exceeded a limit.
func (e *Error) Unwrap() error { return e.err }

func failed(column int, format string, args ...any) *Error {
	return &Error{Column: column, Message: fmt.Sprintf(format, args...)}
}

// Undefined is the value undefined of JavaScript, the value of a missing key. It
// is not nil, which is null.
type Undefined struct{}
