package expr

import "math"

// constants are the global names that have a value. They cannot be shadowed.
var constants = map[string]any{"undefined": Undefined{}, "NaN": math.NaN(), "Infinity": math.Inf(1)}

// refusedName reports whether a word cannot be a name, and fails if so.
func (p *parser) refusedName(t token) bool {
	switch {
	case reserved[t.text] != "":
		p.fail(t, "%s", reserved[t.text])
	case t.text == "true", t.text == "false", t.text == "null", t.text == "typeof":
		p.unexpected(t)
	case isForbidden(t.text):
		p.fail(t, "`%s` cannot be read", t.text)
	default:
		return false
	}
	return true
}

// isForbidden reports whether a key leads to a prototype in JavaScript.
// Expressions have no prototypes. Rejecting the key makes that clear, and
// prevents harm if another program evaluates the expression.
func isForbidden(key string) bool {
	return key == "constructor" || key == "__proto__" || key == "prototype"
}

const statement = "statements are not available, only one expression"

// reserved maps the words that cannot be names to error messages.
var reserved = map[string]string{
	"new": "`new` is not available", "delete": "`delete` is not available", "void": "`void` is not available",
	"this": "`this` is not available", "super": "`super` is not available", "await": "`await` is not available",
	"in":         "`in` is not available; use includes for lists, or compare with undefined",
	"instanceof": "`instanceof` is not available",
	"function":   "functions are not available; write a callback as item => item.status",
	"class":      "classes are not available", "yield": "`yield` is not available",
	"enum": statement, "extends": statement, "import": statement, "export": statement, "let": statement,
	"const": statement, "var": statement, "if": statement, "else": statement, "for": statement,
	"while": statement, "do": statement, "return": statement, "throw": statement, "try": statement,
	"catch": statement, "finally": statement, "switch": statement, "case": statement, "default": statement,
	"break": statement, "continue": statement, "debugger": statement, "with": statement,
}
