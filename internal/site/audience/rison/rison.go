// Package rison parses Rison, a compact form of JSON for URLs:
// (plan:pro,beta:!t,tags:!(a,'two words')).
package rison

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of a text.
const (
	MaxBytes  = 8 << 10
	MaxDepth  = 16
	MaxValues = 1000
)

// Parse returns the value of a text with the types of encoding/json: nil, bool, float64,
// string, []any or map[string]any.
func Parse(s string) (v any, err error) {
	if len(s) > MaxBytes {
		return nil, fmt.Errorf("is longer than %d bytes", MaxBytes)
	}
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("is not valid UTF-8")
	}
	p := parser{rest: s, size: len(s)}
	v = p.value(0)
	if p.err == nil && p.rest != "" {
		p.fail("there is more after the value")
	}
	return v, p.err
}

// parser consumes rest from its beginning and keeps the first error.
type parser struct {
	rest   string
	size   int
	values int
	err    error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fmt.Errorf("byte %d: %s", p.size-len(p.rest)+1, fmt.Sprintf(format, args...))
	}
	p.rest = "" // ends every loop
}

// take removes a prefix from rest and reports whether rest had it.
func (p *parser) take(prefix string) bool {
	rest, ok := strings.CutPrefix(p.rest, prefix)
	p.rest = rest
	return ok
}

func (p *parser) value(depth int) any {
	p.values++
	switch {
	case depth > MaxDepth:
		p.fail("is nested deeper than %d levels", MaxDepth)
	case p.values > MaxValues:
		p.fail("has more than %d values", MaxValues)
	case p.take("!t"):
		return true
	case p.take("!f"):
		return false
	case p.take("!n"):
		return nil
	case p.take("!("):
		return p.array(depth)
	case p.take("("):
		return p.object(depth)
	case p.take("'"):
		return p.quoted()
	case p.rest == "":
		p.fail("a value is missing")
	case p.rest[0] == '-' || p.rest[0] >= '0' && p.rest[0] <= '9':
		return p.number()
	default:
		return p.word()
	}
	return nil
}

func (p *parser) array(depth int) any {
	out := []any{}
	if p.take(")") {
		return out
	}
	for p.err == nil {
		out = append(out, p.value(depth+1))
		if p.take(")") {
			return out
		}
		if !p.take(",") {
			p.fail("a comma or a closing bracket is missing")
		}
	}
	return nil
}

func (p *parser) object(depth int) any {
	out := map[string]any{}
	if p.take(")") {
		return out
	}
	for p.err == nil {
		key := p.key()
		if _, twice := out[key]; twice {
			p.fail("the key %q is there twice", key)
		}
		if !p.take(":") {
			p.fail("a colon is missing")
			break
		}
		out[key] = p.value(depth + 1)
		if p.take(")") {
			return out
		}
		if !p.take(",") {
			p.fail("a comma or a closing bracket is missing")
		}
	}
	return nil
}

func (p *parser) key() string {
	if p.take("'") {
		return p.quoted()
	}
	if m := numberRE.FindString(p.rest); m != "" { // some writers leave digits unquoted
		p.rest = p.rest[len(m):]
		return m
	}
	return p.word()
}

// quoted reads a string up to its closing quote. In it, ! escapes a quote and itself.
func (p *parser) quoted() string {
	var b strings.Builder
	for p.err == nil {
		i := strings.IndexAny(p.rest, "'!")
		if i < 0 {
			p.fail("a quote is missing")
			break
		}
		b.WriteString(p.rest[:i])
		p.rest = p.rest[i:]
		switch {
		case p.take("'"):
			return b.String()
		case p.take("!'"):
			b.WriteByte('\'')
		case p.take("!!"):
			b.WriteByte('!')
		default:
			p.fail("only !! and !' are escapes in a text")
		}
	}
	return ""
}

// word reads a string without quotes.
func (p *parser) word() string {
	i := strings.IndexAny(p.rest, " '!:(),*@$")
	if i < 0 {
		i = len(p.rest)
	}
	word := p.rest[:i]
	if word == "" {
		p.fail("a value is missing")
		return ""
	}
	p.rest = p.rest[i:]
	return word
}

var numberRE = regexp.MustCompile(`^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:e-?[0-9]+)?`)

func (p *parser) number() any {
	m := numberRE.FindString(p.rest)
	n, err := strconv.ParseFloat(m, 64)
	if err != nil || math.IsInf(n, 0) {
		p.fail("is not a number")
		return nil
	}
	p.rest = p.rest[len(m):]
	return n
}
