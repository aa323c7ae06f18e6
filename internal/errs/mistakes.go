package errs

import (
	"errors"
	"slices"
)

// MaxDetails is the maximum number of details of an error. More of them help nobody.
const MaxDetails = 20

// Mistakes collects what is wrong with the parts of an input, so that one response names
// all of it: callers should not find the second mistake by mending the first and trying again.
type Mistakes struct {
	details []Detail
	only    error // the first error, which is returned as it is if there is no other
	several bool
	other   error // the first one that is not about the input
}

// Field adds a mistake at one place.
func (m *Mistakes) Field(path, format string, args ...any) { m.Add(Field(path, format, args...)) }

// Add adds errors of checks; nil is none.
func (m *Mistakes) Add(all ...error) {
	for _, err := range all {
		if err == nil {
			continue
		}
		m.several = m.several || m.only != nil
		if m.only == nil {
			m.only = err
		}
		var e *Error
		if !errors.As(err, &e) || e.Kind == Internal || len(e.Details) == 0 {
			if m.other == nil || Is(err, Internal) && !Is(m.other, Internal) {
				m.other = err
			}
			continue
		}
		for _, d := range e.Details {
			if len(m.details) < MaxDetails && !slices.Contains(m.details, d) {
				m.details = append(m.details, d)
			}
		}
	}
}

// Err returns an error that names all mistakes, or nil if there are none. A failure of the
// server comes before all of them, and they come before what is not about one place of the
// input.
func (m *Mistakes) Err() error {
	switch {
	case !m.several:
		return m.only
	case len(m.details) == 0 || m.other != nil && Is(m.other, Internal):
		return m.other
	}
	return Fields(m.details)
}

// All returns an error that names all mistakes that checks have found, or nil.
func All(checks ...error) error {
	var m Mistakes
	m.Add(checks...)
	return m.Err()
}
