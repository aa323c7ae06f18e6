// Package expr is the language of visitor conditions, inline expressions and
// custom merge rules: one JavaScript expression over plain data.
//
// It owns the grammar, the meaning and the limits. What it knows is a closed
// list: literals, names, member access, `?.`, `!`, `&&`, `||`, `??`, `? :`,
// comparison, arithmetic, typeof, array and object literals, and the methods
// named in methods.go, of which some take a callback such as
// `review => review.status === "approved"`. All else is refused when the
// text is parsed: statements, assignment, calls of anything but a known
// method, `new`, `this`, `in`, bitwise operators, regular expressions,
// template literals, spread, and the names that lead to prototypes.
//
// An expression cannot reach anything but the data it is given. There are no
// prototypes, no globals and no functions that can be stored; members are
// read from own keys; Go values are never inspected beyond the kinds that
// JSON has. Time and memory are bounded by counting, so that the same
// expression over the same data always ends the same way.
//
// Where the result differs from a browser's, it is an error instead: two
// objects are not compared by identity, an unknown name is not undefined,
// and a method is not a value. Half of a surrogate pair reads as U+FFFD, as
// text of ours never holds half a character.
package expr

import (
	"errors"
	"fmt"
)

// The limits of an expression. Steps and bytes are counted per evaluation
// (and once for all expressions of a template), not measured, so that the
// outcome does not depend on the machine.
const (
	// MaxLength is how many characters an expression may have.
	MaxLength = 1024
	// MaxDepth is how deep brackets, operators before their operand, `? :`,
	// `**` and callbacks may be nested, and lists that become text.
	MaxDepth = 128
	// MaxSteps is how many operations an evaluation may take; an operation
	// on text or lists counts more, by its size. It is some milliseconds.
	MaxSteps = 100_000
	// MaxBytes is how much text and how many list items an evaluation may
	// make, about.
	MaxBytes = 1 << 20
	// MaxTemplate is how many bytes a text with {{ }} may have.
	MaxTemplate = 64 << 10
)

// ErrBudget is in the chain of an error that came from a limit of evaluation.
var ErrBudget = errors.New("the expression takes too long or makes too much text")

// Error says what is wrong with an expression and where. Parse and Eval
// return no other kind of error.
type Error struct {
	// Column counts characters from the beginning of the expression, from 1.
	Column  int
	Message string
	err     error
}

func (e *Error) Error() string {
	return fmt.Sprintf("column %d: %s", e.Column, e.Message)
}

// Unwrap returns ErrBudget if that is the reason.
func (e *Error) Unwrap() error { return e.err }

func failed(column int, format string, args ...any) *Error {
	return &Error{Column: column, Message: fmt.Sprintf(format, args...)}
}

// Undefined is JavaScript's undefined: what a missing key reads as. It is
// not nil, which is null.
type Undefined struct{}
