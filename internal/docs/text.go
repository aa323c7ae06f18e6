package docs

import "strings"

// FirstRunes returns the beginning of a text, at most n characters.
func FirstRunes(s string, n int) string {
	for i := range s {
		if n--; n < 0 {
			return s[:i]
		}
	}
	return s
}

// FirstBytes returns the beginning of a text, at most n bytes, without what is no
// character, so that databases accept it.
func FirstBytes(s string, n int) string { return strings.ToValidUTF8(s[:min(len(s), n)], "") }

// Clip returns a text of at most n characters. If it is the beginning of a longer text,
// its last character is an ellipsis.
func Clip(s string, n int) string {
	if first := FirstRunes(s, n); len(first) == len(s) {
		return s
	}
	return strings.TrimSpace(FirstRunes(s, n-1)) + "…"
}

// ClipBytes is like Clip for bytes: a text of at most n bytes and an ellipsis.
func ClipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return FirstBytes(s, n) + "…"
}
