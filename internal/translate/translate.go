// Package translate translates documents by engines that other people make:
// machine translation and language models.
//
// A document is split into segments, one for each block or field with words
// (Split). What must not change in a segment is replaced by placeholders
// (protect.go): code, addresses, variables, tags, and the marks of text. An Engine
// gets segments in that form. Its answers are checked before they replace
// anything: one that lost, doubled or moved a placeholder is refused.
//
// The package knows no database. internal/translations keeps what was translated.
package translate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"
)

// Engine translates texts from one language into another.
type Engine interface {
	// Translate returns the translations of the texts of a request, in their order.
	// A text that the engine could not translate is empty. The error is a *Failure
	// if the engine is to blame.
	Translate(ctx context.Context, r Request) ([]string, error)
}

// Request is what an engine translates at once.
type Request struct {
	From, To     string   // languages, as in docs.Languages
	Texts        []string // in the protected form, see Segment
	Instructions string   // of people, for engines that understand any
	Terms        []Term   // that occur in the texts
}

// Term is a word that a glossary translates.
type Term struct{ From, To string }

// Failure says why an engine did not translate.
type Failure struct {
	Reason string // for people
	// Final says that it makes no sense to try again.
	Final bool
	// Garbled says that the engine works, but its answer makes no sense.
	Garbled bool
	// After is how long the engine asks to wait.
	After time.Duration
	// Err is the cause, for the log.
	Err error
}

func (f *Failure) Error() string {
	if f.Err != nil {
		return f.Reason + ": " + f.Err.Error()
	}
	return f.Reason
}

func (f *Failure) Unwrap() error { return f.Err }

// fail returns a failure that may be over in a moment.
func fail(format string, a ...any) *Failure { return &Failure{Reason: fmt.Sprintf(format, a...)} }

// refuse returns a failure that lasts.
func refuse(format string, a ...any) *Failure {
	return &Failure{Reason: fmt.Sprintf(format, a...), Final: true}
}

// garbled returns a failure of one answer.
func garbled(format string, a ...any) *Failure {
	return &Failure{Reason: fmt.Sprintf(format, a...), Garbled: true}
}

// None is the engine that translates nothing: texts come from the memory and from
// people.
type None struct{}

// Translate implements Engine.
func (None) Translate(_ context.Context, r Request) ([]string, error) {
	return make([]string, len(r.Texts)), nil
}

// Words counts the words of a text in the protected form. It is what limits and
// statistics are about.
func Words(text string) int {
	n, inside, word := 0, false, false
	for _, r := range text {
		switch {
		case r == '<':
			inside, word = true, false
		case r == '>':
			inside = false
		case inside:
		case unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Thai, r):
			n, word = n+1, false // scripts without spaces
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if !word {
				n++
			}
			word = true
		case unicode.IsSpace(r) || r == '/':
			word = false
		}
	}
	return n
}

// clip bounds what is quoted of an answer.
func clip(s string) string {
	const most = 200
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}

// asFailure returns an error of an engine as a failure, and ok if it is one.
func asFailure(err error) (f *Failure, ok bool) {
	ok = errors.As(err, &f)
	return f, ok
}
