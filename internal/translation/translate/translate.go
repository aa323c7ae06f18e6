// Package translate translates documents with external engines: machine translation and
// language models.
//
// Split divides a document into segments, one for each block or field with words. Parts
// of a segment that must not change are replaced by placeholders (protect.go): code,
// addresses, variables, tags, and the marks of text. An Engine receives segments in this
// form. Its answers are checked before they replace a text: an answer that lost,
// duplicated or moved a placeholder is refused.
//
// The package does not use the database. Package translations stores the results.
package translate

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Engine translates texts from one language into another.
type Engine interface {
	// Translate returns the translations of the texts of a request, in their order.
	// The translation is empty for a text that the engine could not translate. Errors
	// of the engine are of type *Failure.
	Translate(ctx context.Context, r Request) ([]string, error)
}

// Request is one batch of texts for an engine.
type Request struct {
	From, To     string   // languages, as in docs.Languages
	Texts        []string // in the protected form, see Segment
	Instructions string   // written by people, for engines that support instructions
	Terms        []Term   // the glossary terms that occur in the texts
}

// Term is an entry of a glossary: a term and its translation.
type Term struct{ From, To string }

// Failure is the error of an engine that did not translate.
type Failure struct {
	Reason string // for people
	// Final reports that a retry is useless.
	Final bool
	// Garbled reports that the engine works, but its answer is not usable.
	Garbled bool
	// After is the time to wait before a retry, as requested by the engine.
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

// temporary returns a temporary failure.
func temporary(format string, a ...any) *Failure { return &Failure{Reason: fmt.Sprintf(format, a...)} }

// permanent returns a permanent failure.
func permanent(format string, a ...any) *Failure {
	return &Failure{Reason: fmt.Sprintf(format, a...), Final: true}
}

// garbled returns a failure that concerns one answer.
func garbled(format string, a ...any) *Failure {
	return &Failure{Reason: fmt.Sprintf(format, a...), Garbled: true}
}

// None is the engine that translates nothing. Translations then come only from the
// translation memory and from people.
type None struct{}

// Translate implements Engine.
func (None) Translate(_ context.Context, r Request) ([]string, error) {
	return make([]string, len(r.Texts)), nil
}

// Words counts the words of a text in the protected form, for limits and statistics.
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

// clip shortens the text of an answer for quoting it.
func clip(s string) string {
	const most = 200
	return docs.ClipBytes(strings.Join(strings.Fields(s), " "), most)
}

// asFailure returns the Failure in the chain of err, and whether there is one.
func asFailure(err error) (f *Failure, ok bool) {
	ok = errors.As(err, &f)
	return f, ok
}
