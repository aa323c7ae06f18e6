package expr

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JavaScript measures text in UTF-16 units: a character beyond U+FFFF has two.
// Text is UTF-8 here, and units are counted when they are needed.

// units returns the length of a text in UTF-16 units.
func units(s string) int {
	n := 0
	for _, c := range s {
		n += width(c)
	}
	return n
}

func width(c rune) int {
	if c > 0xFFFF {
		return 2
	}
	return 1
}

// slice returns the part of a text between two positions in UTF-16 units. Half of
// a character becomes U+FFFD.
func slice(s string, from, to int) string {
	if from >= to {
		return ""
	}
	var b strings.Builder
	at := 0
	start, end := -1, len(s)
	half := false
	for i, c := range s {
		switch w := width(c); {
		case at >= to:
			end = i
		case at+w > to: // begins inside and ends outside of the range
			if at >= from {
				if start < 0 {
					start = i
				}
				half = true
			}
			end = i
		case at < from && at+w > from: // begins outside and ends inside of the range
			b.WriteRune(utf8.RuneError)
		case at >= from && start < 0:
			start = i
		}
		if end < len(s) {
			break
		}
		at += width(c)
	}
	if start >= 0 && start < end {
		if b.Len() == 0 && !half {
			return s[start:end]
		}
		b.WriteString(s[start:end])
	}
	if half {
		b.WriteRune(utf8.RuneError)
	}
	return b.String()
}

// compare compares two texts by UTF-16 units. In this order, characters beyond
// U+FFFF come before U+E000.
func compare(a, b string) int {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	for i > 0 && (i < len(a) && !utf8.RuneStart(a[i]) || i < len(b) && !utf8.RuneStart(b[i])) {
		i--
	}
	if i == len(a) || i == len(b) {
		return len(a) - len(b)
	}
	x, _ := utf8.DecodeRuneInString(a[i:])
	y, _ := utf8.DecodeRuneInString(b[i:])
	if width(x) == width(y) {
		return int(x) - int(y)
	}
	// The first unit of a surrogate pair is at least 0xD800.
	if x > 0xFFFF {
		x = 0xD800
	} else {
		y = 0xD800
	}
	return int(x) - int(y)
}

func trim(s string) string { return strings.TrimFunc(s, isSpace) }

// numberText returns a number as JavaScript formats it.
func numberText(x float64) string {
	switch {
	case x != x:
		return "NaN"
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	case x == 0:
		return "0" // also -0
	}
	if a := math.Abs(x); a >= 1e-6 && a < 1e21 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	s := strconv.FormatFloat(x, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	return mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0")
}

// textNumber converts text to a number as JavaScript does: blank text is 0, and
// text that is not a number is NaN.
func textNumber(s string) float64 {
	s = trim(s)
	if s == "" {
		return 0
	}
	if len(s) > 2 && s[0] == '0' {
		if base := numberBase(rune(s[1])); base != 0 {
			return digitsNumber(s[2:], base)
		}
	}
	sign, digits := 1.0, s
	if s[0] == '+' || s[0] == '-' {
		digits = s[1:]
		if s[0] == '-' {
			sign = -1
		}
	}
	if digits == "Infinity" {
		return math.Inf(int(sign))
	}
	// ParseFloat accepts more forms than JavaScript: _, hex, inf, nan.
	if digits == "" || strings.Trim(digits, "0123456789.eE+-") != "" || digits[0] == '+' || digits[0] == '-' {
		return math.NaN()
	}
	x, err := strconv.ParseFloat(digits, 64)
	if err != nil && x == 0 {
		return math.NaN()
	}
	return sign * x
}

// digitsNumber converts digits of base 2, 8 or 16 to a number. It rounds once at
// the end: of the digits beyond 64 bits it keeps only whether one of them is not
// 0.
func digitsNumber(s string, base int) float64 {
	shift := bits.Len(uint(base)) - 1
	mantissa, exponent, more := uint64(0), 0, uint64(0)
	for _, c := range s {
		d := digitValue(c)
		switch {
		case d >= base:
			return math.NaN()
		case exponent == 0 && mantissa>>(64-shift) == 0:
			mantissa = mantissa<<shift | uint64(d)
		default:
			exponent += shift
			more |= uint64(min(d, 1))
		}
	}
	return math.Ldexp(float64(mantissa|more), exponent)
}

// indexText returns the index that a key represents. It returns false unless the
// key is a number without leading zeros, such as "10".
func indexText(key string) (float64, bool) {
	if key == "" || len(key) > 10 || key[0] == '0' && key != "0" {
		return 0, false
	}
	n := 0.0
	for _, c := range key {
		if !isDigit(c) {
			return 0, false
		}
		n = n*10 + float64(c-'0')
	}
	return n, true
}
