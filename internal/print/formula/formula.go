// Package formula typesets TeX formulas as MathML, which browsers render natively.
//
// The work is done by KaTeX, which runs in interpreters inside this process. It has
// access to nothing but the formula, and it is stopped if it takes too long or if nobody
// waits for it any more. Its output is checked before it is used.
//
// Where a change goes:
//   - the MathML that pages have: mathml.go, which checks what KaTeX wrote and says it in
//     the part of MathML that all browsers have
//   - how a formula is laid out on paper: what KaTeX leaves to its style sheet in
//     layout.go; drawn by print/pdf/math.go
package formula

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/cache"
)

// Limits of one formula.
const (
	maxSource = 4 << 10
	maxMathML = 256 << 10
	// maxNesting is the maximum depth of groups. The cost of a level grows with the number of
	// levels in it: 300 fractions in each other take seconds, 24 some milliseconds.
	maxNesting = 24
	maxTime    = 250 * time.Millisecond
)

// Times that the formulas of one page and of one book may take together. Ordinary formulas take
// a few milliseconds. Those for which no time is left are shown as their source.
const (
	PageTime = 2 * time.Second
	BookTime = 20 * time.Second
)

// freeTime is how long formulas are typeset without a turn among expensive requests.
const freeTime = 25 * time.Millisecond

// retryTime is how long a formula that took too long is not typeset again.
const retryTime = 10 * time.Minute

// Typesetter typesets formulas and caches their MathML.
type Typesetter struct {
	done *cache.Cache[key, typeset]
}

type key struct {
	formula string
	display bool
}

// typeset is the result of a formula. mathML is empty if the formula could not be
// typeset.
type typeset struct {
	mathML string
	again  time.Time // when to try again, because it took too long; zero: the result is final
}

// New returns a typesetter with a cache of the given size in bytes.
func New(bytes int) *Typesetter {
	return &Typesetter{done: cache.New[key](bytes, func(t typeset) int { return 256 + len(t.mathML) })}
}

// Work is the typesetting of the formulas of one page or book. It is not safe for concurrent
// use.
type Work struct {
	t       *Typesetter
	ctx     context.Context
	who     string
	most    time.Duration
	took    time.Duration
	omitted bool
}

// Begin returns a Work whose formulas may take a time together, such as PageTime. Who pays, such
// as an organization, shares the interpreters fairly with others.
func (t *Typesetter) Begin(ctx context.Context, who string, most time.Duration) *Work {
	return &Work{t: t, ctx: ctx, who: who, most: most}
}

// Omitted reports whether there was no time for a formula. Then what was made of the formulas
// must not be kept, because another time it may differ.
func (w *Work) Omitted() bool { return w.omitted }

// MathML returns a formula as a MathML element. It returns false if the formula cannot be
// typeset, or if there is no time for it.
func (w *Work) MathML(formula string, display bool) (string, bool) {
	if !acceptable(formula) {
		return "", false
	}
	k := key{formula, display}
	known := func() (typeset, bool) {
		out, ok := w.t.done.Get(k)
		return out, ok && (out.again.IsZero() || time.Now().Before(out.again))
	}
	out, ok := known()
	if !ok {
		err := w.run(func(m *machine) error {
			if out, ok = known(); ok { // another reader waited for the same formula
				return nil
			}
			text, err := m.call(w.ctx, m.mathML, formula, display)
			out = typeset{}
			switch {
			case err == nil:
				out.mathML, _ = checked(text) // a formula with an error is shown as its source
			case errors.Is(err, errSlow):
				out = typeset{again: time.Now().Add(retryTime)}
			case w.ctx.Err() != nil:
				return err
			}
			w.t.done.Set(k, out)
			return nil
		})
		if err != nil {
			return "", false
		}
	}
	w.omitted = w.omitted || !out.again.IsZero()
	return out.mathML, out.mathML != ""
}

// run calls fn with an interpreter, unless there is no time left.
func (w *Work) run(fn func(*machine) error) error {
	err := budget.Yield(w.ctx)
	if err == nil && w.took >= w.most {
		err = errSlow
	}
	if err == nil && w.took > freeTime {
		err = budget.Turn(w.ctx)
	}
	var m *machine
	if err == nil {
		m, err = take(w.ctx, w.who)
	}
	if err == nil {
		began := time.Now()
		err = fn(m)
		w.took += time.Since(began)
		m.release()
	}
	w.omitted = w.omitted || err != nil
	return err
}

// acceptable reports whether a formula may be passed to KaTeX.
func acceptable(formula string) bool {
	return len(formula) <= maxSource && strings.TrimSpace(formula) != "" && depth(formula) <= maxNesting
}

// depth returns how deep the groups of a formula are nested. Braces in comments and in verbatim
// text are no groups.
func depth(formula string) (most int) {
	now := 0
	for formula != "" {
		token := formula[:1]
		switch token {
		case "%":
			token, _, _ = strings.Cut(formula, "\n")
		case `\`:
			token = command(formula)
		}
		formula = formula[len(token):]
		switch token {
		case "{", `\left`, `\begin`, `\bgroup`, `\begingroup`:
			now++
		case "}", `\right`, `\end`, `\egroup`, `\endgroup`:
			now = max(0, now-1)
		case `\verb`:
			mark, end := utf8.DecodeRuneInString(strings.TrimPrefix(formula, "*"))
			end += len(formula) - len(strings.TrimPrefix(formula, "*"))
			_, formula, _ = strings.Cut(formula[end:], string(mark))
		}
		most = max(most, now)
	}
	return most
}

// command returns the command at the beginning of a text: a backslash with letters or with one
// other character.
func command(text string) string {
	end := 1
	for end < len(text) && (text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' || text[end] == '@') {
		end++
	}
	if end == 1 && len(text) > 1 {
		end = 2
	}
	return text[:end]
}

// checked returns the MathML in the output of KaTeX.
func checked(output string) (string, error) {
	_, mathML, _ := strings.Cut(output, ">") // without the enclosing element
	return check(strings.TrimSuffix(mathML, "</span>"))
}
