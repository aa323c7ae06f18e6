package markup

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
)

// maxEntities is how often an address is decoded before it is judged: a
// scheme may hide under entities of entities.
const maxEntities = 4

// SafeURL returns an address as it can be written in a link, and whether it can: its
// scheme is http, https, mailto or tel, or it has none. The scheme is judged
// as the most forgiving reader would see it, after entities are decoded and
// blanks and control characters are gone. Every address that this package
// writes has passed here.
func SafeURL(s string) (string, bool) {
	if len(s) > maxURL || !safeDecoded(s) {
		return "", false
	}
	var b strings.Builder
	for _, r := range strings.TrimFunc(s, invisible) {
		switch {
		case r == ' ':
			b.WriteString("%20")
		case r == '\\':
			b.WriteString("%5C") // browsers take it for a slash
		case !unicode.IsControl(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		}
	}
	// What was left out may have stood inside of an entity.
	return b.String(), b.Len() > 0 && safeDecoded(b.String())
}

// safeDecoded judges an address however often its entities are decoded.
func safeDecoded(s string) bool {
	for range maxEntities + 1 {
		if !safeScheme(s) {
			return false
		}
		next := html.UnescapeString(s)
		if next == s {
			return true
		}
		s = next
	}
	return false
}

// safeScheme looks at what is before the first colon. A colon after a
// slash, a question mark or a hash is not the end of a scheme.
func safeScheme(s string) bool {
	var scheme strings.Builder
	for _, r := range s {
		switch {
		case invisible(r):
		case r == '/' || r == '?' || r == '#':
			return true
		case r == ':' || r == '：':
			switch strings.ToLower(scheme.String()) {
			case "http", "https", "mailto", "tel":
				return true
			}
			return false
		default:
			scheme.WriteRune(r)
		}
	}
	return true
}

// invisible characters do not count in a scheme.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
}

// inert begins addresses that browsers and clients cannot open, whatever follows it.
const inert = "about:invalid#"

// Inert returns a reference as answers have it: an address that SafeURL refuses is
// replaced by one that opens nothing and has the address in its fragment. Decode
// turns it back, so that what was read can be written back.
func Inert(ref docs.Ref) docs.Ref {
	ref.URL = InertURL(ref.URL)
	return ref
}

// InertURL returns the address of a reference as answers have it, see Inert.
func InertURL(address string) string {
	if _, ok := SafeURL(address); ok || strings.TrimFunc(address, invisible) == "" {
		return address
	}
	return inert + url.QueryEscape(address)
}

// withoutInert returns the address that InertURL was given.
func withoutInert(address string) string {
	if escaped, ok := strings.CutPrefix(address, inert); ok {
		if original, err := url.QueryUnescape(escaped); err == nil {
			return original
		}
	}
	return address
}
