package markup

import (
	"html"
	"net/url"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
)

// maxEntities is how many times the entities of an address are decoded to check
// it: a scheme may be hidden by entities that are encoded repeatedly. An address
// with more levels is unsafe.
const maxEntities = 4

// SafeURL returns the form of an address that can be written in a link, or false
// if the address is unsafe: its scheme must be http, https, mailto or tel, or it
// must have none. The scheme is determined as the most lenient reader would do
// it, with entities decoded and white space and control characters removed. Every
// address that this package writes has passed SafeURL.
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
			b.WriteString("%5C") // browsers treat it as a slash
		case !unicode.IsControl(r) && r != unicode.ReplacementChar:
			b.WriteRune(r)
		}
	}
	// The removed characters may have been inside of an entity.
	return b.String(), b.Len() > 0 && safeDecoded(b.String())
}

// safeDecoded reports whether an address is safe at every level of decoding its
// entities.
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

// safeScheme checks the text before the first colon. A colon after a slash, a
// question mark or a hash does not end a scheme.
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

// invisible reports whether a character is ignored in a scheme.
func invisible(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar
}

// IsNear reports whether an address refers to another page or file of the same
// site.
func IsNear(url string) bool {
	safe, ok := SafeURL(url)
	if !ok || strings.HasPrefix(safe, "#") || strings.HasPrefix(safe, "//") {
		return false
	}
	colon := strings.IndexByte(safe, ':')
	return colon < 0 || strings.ContainsAny(safe[:colon], "/?#")
}

// IsRelative reports whether an address depends on the page that it is written in.
func IsRelative(url string) bool { return IsNear(url) && !strings.HasPrefix(url, "/") }

// inert is a prefix that makes an address unusable for browsers and clients,
// whatever follows it.
const inert = "about:invalid#"

// Inert returns a reference for responses to clients: an address that SafeURL
// rejects is replaced by one that cannot be opened and has the original in its
// fragment. Decode restores the original, so that clients can send a document
// back unchanged.
func Inert(ref docs.Ref) docs.Ref {
	ref.URL = InertURL(ref.URL)
	return ref
}

// InertURL returns the address of a reference for responses to clients, see
// Inert.
func InertURL(address string) string {
	if _, ok := SafeURL(address); ok || strings.TrimFunc(address, invisible) == "" {
		return address
	}
	return inert + url.QueryEscape(address)
}

// withoutInert returns the original address of one that InertURL returned.
func withoutInert(address string) string {
	if escaped, ok := strings.CutPrefix(address, inert); ok {
		if original, err := url.QueryUnescape(escaped); err == nil {
			return original
		}
	}
	return address
}
