package expr

import (
	"strconv"
	"strings"
)

// Condition reports whether a condition holds, so that something is shown or a
// merge is allowed. A blank condition holds. A condition that cannot be parsed or
// evaluated does not: a mistake must hide something, never show it.
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

// Holds is Condition for a parsed expression.
func (p *Program) Holds(env map[string]any) bool {
	v, err := p.Eval(env)
	return err == nil && truthy(v)
}

// Text returns the text that is shown for the result of an inline expression:
// strings as they are, numbers and booleans as in JavaScript, and nothing for
// any other value.
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

// Template replaces each {{ expression }} in a text by the Text of its result. An
// expression ends at the first }}. An expression that fails is replaced by
// nothing; Template returns the text with the first error, whose column is
// counted in that expression. All expressions share one budget. Template returns
// a text longer than MaxTemplate unchanged with an error.
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
	// The same long text may be inserted many times.
	text := Text(v)
	if err := (&run{budget: b}).make(1, len(text)); err != nil {
		return "", err
	}
	return text, nil
}
