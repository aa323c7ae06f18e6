package expr

import (
	"math"
	"strconv"
	"strings"
)

func isNullish(v any) bool {
	switch v.(type) {
	case nil, Undefined:
		return true
	}
	return false
}

func isObject(v any) bool {
	switch v.(type) {
	case []any, map[string]any:
		return true
	}
	return false
}

func truthy(v any) bool {
	switch v := v.(type) {
	case nil, Undefined:
		return false
	case bool:
		return v
	case float64:
		return v != 0 && v == v
	case string:
		return v != ""
	}
	return true
}

func typeOf(v any) string {
	switch v.(type) {
	case Undefined:
		return "undefined"
	case bool:
		return "boolean"
	case float64:
		return "number"
	case string:
		return "string"
	}
	return "object"
}

// kindOf returns the type of a value for error messages.
func kindOf(v any) string {
	switch v.(type) {
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	case string:
		return "a text"
	}
	return "a " + typeOf(v)
}

// primitive converts lists and objects to text, as JavaScript does before it
// compares or adds them.
func (r *run) primitive(v any, column int) (any, error) {
	if isObject(v) {
		return r.text(v, column)
	}
	return v, nil
}

// text converts a value to a string as JavaScript does.
func (r *run) text(v any, column int) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case Undefined:
		return "undefined", nil
	case bool:
		return strconv.FormatBool(v), nil
	case float64:
		return numberText(v), nil
	case string:
		return v, nil
	case []any:
		return r.join(v, ",", column)
	case map[string]any:
		if _, own := v["toString"]; own {
			return "", failed(column, "an object with a key toString cannot be used as text")
		}
		return "[object Object]", nil
	}
	return "", failed(column, "the value cannot be used as text")
}

// join joins the items of a list. It also converts lists to text. Go data may
// have a list that contains itself, so the depth is limited.
func (r *run) join(items []any, separator string, column int) (string, error) {
	if r.depth++; r.depth > MaxDepth {
		return "", &Error{Column: column, Message: "the lists are nested too deep to be used as text", err: ErrBudget}
	}
	defer func() { r.depth-- }()
	var b strings.Builder
	for i, item := range items {
		if err := r.spend(column, 1); err != nil {
			return "", err
		}
		item, err := normalize(item, column)
		if err != nil {
			return "", err
		}
		s := ""
		if !isNullish(item) {
			if s, err = r.text(item, column); err != nil {
				return "", err
			}
		}
		if i > 0 {
			s = separator + s
		}
		if err := r.allocate(column, len(s)); err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

// number converts a value to a number as JavaScript does.
func (r *run) number(v any, column int) (float64, error) {
	v, err := r.primitive(v, column)
	if err != nil {
		return 0, err
	}
	switch v := v.(type) {
	case nil:
		return 0, nil
	case bool:
		if v {
			return 1, nil
		}
		return 0, nil
	case float64:
		return v, nil
	case string:
		return textNumber(v), r.scan(column, len(v))
	}
	return math.NaN(), nil
}

// integer converts a value to a number without a fraction; NaN becomes 0.
func (r *run) integer(v any, column int) (float64, error) {
	x, err := r.number(v, column)
	if x != x {
		x = 0
	}
	return math.Trunc(x), err
}

// strictEqual implements `===`. Comparing two objects is an error: JavaScript
// compares their identity, which is not what the author of a condition intends.
func (r *run) strictEqual(a, b any, column int) (bool, error) {
	if isObject(a) && isObject(b) {
		return false, failed(column, "two objects cannot be compared; compare one of their fields")
	}
	switch a := a.(type) {
	case float64:
		b, ok := b.(float64)
		return ok && a == b, nil
	case string:
		b, ok := b.(string)
		return ok && a == b, r.scan(column, len(a))
	case []any, map[string]any:
		return false, nil
	}
	return !isObject(b) && a == b, nil
}

// looseEqual implements `==`.
func (r *run) looseEqual(a, b any, column int) (bool, error) {
	if isNullish(a) || isNullish(b) {
		return isNullish(a) && isNullish(b), nil
	}
	if isObject(a) != isObject(b) {
		var err error
		if a, err = r.primitive(a, column); err != nil {
			return false, err
		}
		if b, err = r.primitive(b, column); err != nil {
			return false, err
		}
	}
	if typeOf(a) == typeOf(b) {
		return r.strictEqual(a, b, column)
	}
	x, err := r.number(a, column)
	if err != nil {
		return false, err
	}
	y, err := r.number(b, column)
	return x == y, err
}

// less implements a < b, or !(a < b) if not is true. It is false if an operand is
// NaN.
func (r *run) less(a, b any, not bool, column int) (any, error) {
	a, err := r.primitive(a, column)
	if err != nil {
		return nil, err
	}
	if b, err = r.primitive(b, column); err != nil {
		return nil, err
	}
	if s, ok := a.(string); ok {
		if t, ok := b.(string); ok {
			return (compare(s, t) < 0) != not, r.scan(column, min(len(s), len(t)))
		}
	}
	x, err := r.number(a, column)
	if err != nil {
		return nil, err
	}
	y, err := r.number(b, column)
	if x != x || y != y {
		return false, err
	}
	return (x < y) != not, err
}

func (r *run) add(a, b any, column int) (any, error) {
	a, err := r.primitive(a, column)
	if err != nil {
		return nil, err
	}
	if b, err = r.primitive(b, column); err != nil {
		return nil, err
	}
	if typeOf(a) != "string" && typeOf(b) != "string" {
		x, err := r.number(a, column)
		if err != nil {
			return nil, err
		}
		y, err := r.number(b, column)
		return x + y, err
	}
	s, err := r.text(a, column)
	if err != nil {
		return nil, err
	}
	t, err := r.text(b, column)
	if err != nil {
		return nil, err
	}
	if err := r.allocate(column, len(s)+len(t)); err != nil {
		return nil, err
	}
	return s + t, nil
}

// power implements `**`. It differs from math.Pow for a base of 1 or -1 and an
// exponent that is not finite.
func power(x, y float64) float64 {
	if y != y || (x == 1 || x == -1) && math.IsInf(y, 0) {
		return math.NaN()
	}
	return math.Pow(x, y)
}
