package names

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normal returns a name in the one normal form in which names are stored and compared (NFC).
// The same name can be typed in several ways: é is one character, or e with an accent.
func Normal(s string) string {
	if ascii(s) {
		return s
	}
	return norm.NFC.String(s)
}

// Key returns the form in which names are compared, without regard to case.
func Key(s string) string {
	if ascii(s) {
		return strings.ToLower(s)
	}
	return norm.NFC.String(strings.ToLower(norm.NFC.String(s)))
}

// Decomposed returns a name in the other normal form (NFD), in which some systems name files.
func Decomposed(s string) string {
	if ascii(s) {
		return s
	}
	return norm.NFD.String(s)
}

// Spellings returns the forms in which a name can be stored: as it is, then its other normal
// forms. Names were not always stored in their normal form.
func Spellings(s string) []string {
	out := []string{s}
	if ascii(s) {
		return out
	}
	for _, other := range []string{Normal(s), Decomposed(s)} {
		if other != s {
			out = append(out, other)
		}
	}
	return out
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
