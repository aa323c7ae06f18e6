// Package inline escapes text for a line of inline Markdown, and removes
// escapes from one. It does not parse Markdown: markup does.
package inline

import (
	"html"
	"regexp"
	"strings"
)

var charEntity = regexp.MustCompile(`^&(#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// Unescape returns s without backslashes before punctuation, and with
// characters instead of HTML entities. Destinations and titles of links are
// written in this form.
func Unescape(s string) string {
	if !strings.ContainsAny(s, "\\&") {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		switch {
		case s[i] == '\\' && i+1 < len(s) && isPunct(s[i+1]):
			out.WriteByte(s[i+1])
			i += 2
			continue
		case s[i] == '&':
			if e := charEntity.FindString(s[i:]); e != "" {
				out.WriteString(html.UnescapeString(e))
				i += len(e)
				continue
			}
		}
		out.WriteByte(s[i])
		i++
	}
	return out.String()
}

// Escape returns inline Markdown that markup.InlineText reads as s, with no
// more backslashes than necessary.
func Escape(s string) string {
	var b strings.Builder
	trailing := strings.TrimRight(s, "#")
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '\\', '`', '*', '[', ']', '<', '~':
			b.WriteByte('\\')
		case '_':
			// A run of underscores is one mark. Inside a word it is plain text.
			from, to := len(strings.TrimRight(s[:i], "_")), len(s)-len(strings.TrimLeft(s[i:], "_"))
			if from == 0 || to == len(s) || !isWordByte(s[from-1]) || !isWordByte(s[to]) {
				b.WriteByte('\\')
			}
		case '&':
			if charEntity.MatchString(s[i:]) {
				b.WriteByte('\\')
			}
		case '#':
			if i == len(trailing) && (i == 0 || s[i-1] == ' ') {
				b.WriteByte('\\') // otherwise it closes a heading
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func isWordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// isPunct reports whether c is one of the ASCII characters that a backslash
// escapes in Markdown.
func isPunct(c byte) bool {
	return c >= '!' && c <= '/' || c >= ':' && c <= '@' || c >= '[' && c <= '`' || c >= '{' && c <= '~'
}
