package expr

import (
	"strconv"
	"strings"
)

// Condition reports whether something is shown, or a merge allowed, by a
// condition. A blank condition holds. One that cannot be parsed or evaluated
// does not: a mistake must hide, never show.
func Condition(src string, env map[string]any) bool {
	if trim(src) == "" {
		return true
	}
	p, err := Parse(src)
	if err != nil {
		return false
	}
	return p.Holds(env)
}

// Holds is Condition for an expression that is parsed already.
func (p *Program) Holds(env map[string]any) bool {
	v, err := p.Eval(env)
	return err == nil && truthy(v)
}

// Text is how the result of an inline expression reads: text as it is,
// numbers and booleans as JavaScript prints them, and nothing for all else.
func Text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return numberText(v)
	case int:
		return strconv.Itoa(v)
	case int64:
		return strconv.FormatInt(v, 10)
	}
	return ""
}

// Template replaces each {{ expression }} in a text by what it reads as. An
// expression ends at the first }}. One that fails leaves nothing in its
// place; the first error is returned along with the text, its column counted
// within that expression. All expressions of a text share one budget. A text
// longer than MaxTemplate is returned unchanged with an error.
func Template(src string, env map[string]any) (string, error) {
	if len(src) > MaxTemplate {
		return src, failed(1, "a text with {{ }} has at most %d bytes", MaxTemplate)
	}
	var out strings.Builder
	var first error
	budget := newBudget()
	for {
		before, rest, opened := strings.Cut(src, "{{")
		inner, after, closed := strings.Cut(rest, "}}")
		if !opened || !closed {
			out.WriteString(src)
			return out.String(), first
		}
		out.WriteString(before)
		text, err := inline(inner, env, budget)
		if err != nil && first == nil {
			first = err
		}
		out.WriteString(text)
		src = after
	}
}

func inline(src string, env map[string]any, b *budget) (string, error) {
	p, err := Parse(src)
	if err != nil {
		return "", err
	}
	v, err := p.eval(env, b)
	if err != nil {
		return "", err
	}
	// The same long text may be asked for many times.
	text := Text(v)
	if err := (&run{budget: b}).make(1, len(text)); err != nil {
		return "", err
	}
	return text, nil
}
