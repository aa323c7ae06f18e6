package theme

import (
	"bytes"
	"html/template"
	"strings"
)

// markupWriter writes HTML without templates. Texts and addresses are escaped exactly as in
// package html/template. The method raw is only for constant text of the program.
type markupWriter struct{ bytes.Buffer }

func (w *markupWriter) raw(parts ...string) {
	for _, s := range parts {
		w.WriteString(s)
	}
}

// text writes an escaped text, in content or in the value of an attribute.
func (w *markupWriter) text(s string) {
	from := 0
	for i := range len(s) {
		by := escapes[s[i]]
		if by == "" {
			continue
		}
		w.WriteString(s[from:i])
		w.WriteString(by)
		from = i + 1
	}
	w.WriteString(s[from:])
}

// escapes maps bytes that must be escaped to their replacements.
var escapes = [256]string{0: "\uFFFD", '"': "&#34;", '&': "&amp;", '\'': "&#39;", '+': "&#43;", '<': "&lt;", '>': "&gt;"}

// attribute writes an attribute whose value is a text.
func (w *markupWriter) attribute(name, value string) {
	w.raw(" ", name, `="`)
	w.text(value)
	w.WriteByte('"')
}

// address writes an attribute whose value is an address.
func (w *markupWriter) address(name, href string) {
	if isPlainAddress(href) {
		w.attribute(name, href)
	} else {
		w.raw(" ", name, `="`, attributeOf(addresses, href), `"`)
	}
}

// Templates that escape addresses which are not plain, with package html/template.
var (
	addresses = template.Must(template.New("").Parse(`<a href="{{.}}">`))
	anchors   = template.Must(template.New("").Parse(`<a href="#{{.}}">`))
)

// anchored returns the address of an anchor of the current page, as the value of an attribute.
func anchored(anchor string) string {
	if isPlain(anchor, "-_.~") {
		return "#" + anchor
	}
	return attributeOf(anchors, anchor)
}

func attributeOf(t *template.Template, value string) string {
	var b strings.Builder
	_ = t.Execute(&b, value) // a strings.Builder does not fail
	return strings.TrimSuffix(strings.TrimPrefix(b.String(), `<a href="`), `">`)
}

// isPlainAddress reports whether an address can be escaped as a text. It must be a path or an
// HTTP URL, and have only characters that are allowed in URLs.
func isPlainAddress(href string) bool {
	switch {
	case strings.HasPrefix(href, "//"):
		return false
	case strings.HasPrefix(href, "/"), strings.HasPrefix(href, "https://"), strings.HasPrefix(href, "http://"):
		return isPlain(href, "-_.~/:?=#@%+&,;!$*[]") && !hasBadEscape(href)
	}
	return false
}

// hasBadEscape reports whether an address has a percent sign that is not part of an escaped
// byte.
func hasBadEscape(href string) bool {
	const hex = "0123456789abcdefABCDEF"
	for i := strings.IndexByte(href, '%'); i >= 0; {
		if i+2 >= len(href) || strings.IndexByte(hex, href[i+1]) < 0 || strings.IndexByte(hex, href[i+2]) < 0 {
			return true
		}
		next := strings.IndexByte(href[i+1:], '%')
		if next < 0 {
			return false
		}
		i += 1 + next
	}
	return false
}

// isPlain reports whether a text has only ASCII letters, ASCII digits, and the bytes in others.
func isPlain(s, others string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(others, c) >= 0:
		default:
			return false
		}
	}
	return true
}
