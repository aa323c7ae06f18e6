package expr

import "strconv"

// Condition reports whether a condition holds, so that content is shown or a
// merge is allowed. A blank condition holds. A condition that cannot be parsed or
// evaluated does not hold: an error must hide content, never show it.
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

// Text returns the text to display for the result of an inline expression:
// strings unchanged, numbers and booleans as in JavaScript, and an empty string
// for any other value.
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
