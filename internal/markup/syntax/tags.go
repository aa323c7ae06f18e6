package syntax

import (
	"bytes"
	"regexp"
	"strings"
)

// Tag is a parsed `{% … %}`.
type Tag struct {
	Name string // "hint", "endhint", "@mermaid/diagram"
	Args string // the text between the name and "%}"
	End  int    // length of the tag in bytes
}

// Closes returns the name of the tag that this tag closes, or "".
func (t *Tag) Closes() string {
	name, ok := strings.CutPrefix(t.Name, "end")
	if !ok {
		return ""
	}
	return name
}

// ReadTag parses the tag at the start of b. A tag ends at the first "%}"
// outside quotes. If the quotes are not balanced, it ends at the first "%}" on
// the line.
func ReadTag(b []byte) (t Tag, ok bool) {
	if !bytes.HasPrefix(b, []byte("{%")) {
		return Tag{}, false
	}
	i := 2
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	from := i
	for i < len(b) && IsTagNameByte(b[i]) {
		i++
	}
	if i == from {
		return Tag{}, false
	}
	t.Name = string(b[from:i])
	end := tagEnd(b, i, t.Name == "if")
	if end < 0 {
		return Tag{}, false
	}
	t.Args = string(bytes.TrimSpace(b[i : end-2]))
	t.End = end
	return t, true
}

// maxTagBytes is the maximum length of a tag with quoted line breaks.
const maxTagBytes = 64 << 10

func tagEnd(b []byte, from int, expression bool) int {
	if len(b) > from+maxTagBytes {
		b = b[:from+maxTagBytes]
	}
	line := b
	if i := bytes.IndexByte(b[from:], '\n'); i >= 0 {
		line = b[:from+i]
	}
	if end := quotedEnd(line, from, expression); end >= 0 {
		return end
	}
	if i := bytes.Index(line[from:], []byte("%}")); i >= 0 {
		return from + i + 2
	}
	return quotedEnd(b, from, expression)
}

// quotedEnd returns the offset after the first "%}" outside quotes, or -1. A
// line break outside quotes ends the search.
func quotedEnd(b []byte, from int, expression bool) int {
	var quote byte
	for i := from; i < len(b); i++ {
		c := b[i]
		switch {
		case c == '\\':
			i++ // also outside quotes, so that no text is scanned again for another tag
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"', c == '\'' && (expression || i > from && b[i-1] == '='):
			quote = c
		case c == '\n':
			return -1
		case c == '%' && i+1 < len(b) && b[i+1] == '}':
			return i + 2
		}
	}
	return -1
}

// IsTagNameByte reports whether c may be in the name of a tag.
func IsTagNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '@' || c == '/' || c == '.'
}

// Attribute is a name="value" of a tag. A bare value has no name.
type Attribute struct{ Name, Value string }

// Attributes are the attributes of one tag in source order.
type Attributes []Attribute

// ReadAttributes parses name="value", name='value', name=value, name and
// "value".
func ReadAttributes(s string) Attributes {
	var as Attributes
	for {
		s = strings.TrimLeft(s, " \t\r\n,")
		if s == "" {
			return as
		}
		var a Attribute
		if s[0] != '"' {
			i := strings.IndexAny(s, "= \t\r\n")
			if i < 0 {
				return append(as, Attribute{s, ""})
			}
			if i == 0 { // a stray "="
				s = s[1:]
				continue
			}
			a.Name, s = s[:i], s[i:]
			if s[0] != '=' {
				as = append(as, a)
				continue
			}
			s = s[1:]
		}
		a.Value, s = readValue(s)
		as = append(as, a)
	}
}

func readValue(s string) (value, rest string) {
	if s == "" || s[0] != '"' && s[0] != '\'' {
		i := strings.IndexAny(s, " \t\r\n")
		if i < 0 {
			return s, ""
		}
		return s[:i], s[i:]
	}
	quote := s[0]
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s) && (s[i+1] == quote || s[i+1] == '\\'):
			i++
			b.WriteByte(s[i])
		case s[i] == quote && endsValue(s[i+1:]):
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// endsValue reports whether a quote before rest ends a value. Exporters do not
// escape quotes, so a quote in the middle of a title is part of it.
func endsValue(rest string) bool {
	trimmed := strings.TrimLeft(rest, " \t\r\n")
	if trimmed == "" {
		return true
	}
	if len(trimmed) == len(rest) {
		return false
	}
	name, _, ok := strings.Cut(trimmed, "=")
	return ok && AttributeName.MatchString(name) || trimmed[0] == '"'
}

// Get returns the last value of an attribute.
func (as Attributes) Get(name string) (string, bool) {
	for i := len(as) - 1; i >= 0; i-- {
		if as[i].Name == name {
			return as[i].Value, true
		}
	}
	return "", false
}

// Others returns the attributes whose names are not in known, as data that must
// not be lost.
func (as Attributes) Others(known ...string) map[string]any {
	var m map[string]any
next:
	for _, a := range as {
		for _, k := range known {
			if a.Name == k {
				continue next
			}
		}
		if !AttributeName.MatchString(a.Name) {
			continue
		}
		if m == nil {
			m = map[string]any{}
		}
		m[a.Name] = a.Value
	}
	return m
}

// QuoteValue quotes a value so that readValue returns the original.
func QuoteValue(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			b.WriteByte('\\')
		case s[i] == '\\' && (i+1 == len(s) || s[i+1] == '"' || s[i+1] == '\\'):
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	b.WriteByte('"')
	return b.String()
}

// AttributeName matches the names that attributes of tags may have.
var AttributeName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]*$`)

// Strings copies the named attributes that are not empty to m.
func (as Attributes) Strings(m map[string]any, names ...string) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	for _, name := range names {
		if v, _ := as.Get(name); v != "" {
			m[name] = v
		}
	}
	return m
}

// Flags copies the named attributes that are booleans to m.
func (as Attributes) Flags(m map[string]any, names ...string) map[string]any {
	if m == nil {
		m = map[string]any{}
	}
	for _, name := range names {
		v, ok := as.Get(name)
		if ok && (v == "true" || v == "") {
			m[name] = true
		} else if v == "false" {
			m[name] = false
		}
	}
	return m
}
