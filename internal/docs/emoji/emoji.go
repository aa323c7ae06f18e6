// Package emoji recognises emoji, and knows their short names.
package emoji

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pictures are the characters that are displayed as emoji by themselves; dingbats
// are displayed as emoji before a variation selector.
var (
	pictures = &unicode.RangeTable{
		R16: []unicode.Range16{
			{0x231a, 0x231b, 1}, {0x23e9, 0x23ec, 1}, {0x23f0, 0x23f3, 3}, {0x25fd, 0x25fe, 1}, {0x2614, 0x2615, 1},
			{0x2648, 0x2653, 1}, {0x267f, 0x2693, 20}, {0x26a1, 0x26a1, 1}, {0x26aa, 0x26ab, 1}, {0x26bd, 0x26be, 1},
			{0x26c4, 0x26c5, 1}, {0x26ce, 0x26d4, 6}, {0x26ea, 0x26ea, 1}, {0x26f2, 0x26f3, 1}, {0x26f5, 0x26fa, 5},
			{0x26fd, 0x2705, 8}, {0x270a, 0x270b, 1}, {0x2728, 0x2728, 1}, {0x274c, 0x274e, 2}, {0x2753, 0x2755, 1},
			{0x2757, 0x2757, 1}, {0x2795, 0x2797, 1}, {0x27b0, 0x27bf, 15}, {0x2b1b, 0x2b1c, 1}, {0x2b50, 0x2b55, 5},
		},
		R32: []unicode.Range32{
			{0x1f004, 0x1f004, 1}, {0x1f0cf, 0x1f0cf, 1}, {0x1f18e, 0x1f18e, 1}, {0x1f191, 0x1f19a, 1}, {0x1f201, 0x1f202, 1},
			{0x1f21a, 0x1f21a, 1}, {0x1f22f, 0x1f22f, 1}, {0x1f232, 0x1f23a, 1}, {0x1f250, 0x1f251, 1}, {0x1f300, 0x1f64f, 1},
			{0x1f680, 0x1f6ff, 1}, {0x1f7e0, 0x1f7eb, 1}, {0x1f7f0, 0x1f7f0, 1}, {0x1f90c, 0x1f9ff, 1}, {0x1fa70, 0x1faff, 1},
		},
	}
	dingbats = &unicode.RangeTable{
		R16: []unicode.Range16{
			{0x00a9, 0x00ae, 5}, {0x203c, 0x2049, 13}, {0x2122, 0x2139, 23}, {0x2194, 0x2199, 1}, {0x21a9, 0x21aa, 1},
			{0x2300, 0x23ff, 1}, {0x24c2, 0x24c2, 1}, {0x25aa, 0x25fe, 1}, {0x2600, 0x27bf, 1}, {0x2934, 0x2935, 1},
			{0x2b05, 0x2b55, 1}, {0x3030, 0x303d, 13}, {0x3297, 0x3299, 2},
		},
		R32: []unicode.Range32{{0x1f170, 0x1f171, 1}, {0x1f17e, 0x1f17f, 1}, {0x1f202, 0x1f237, 1}},
	}
)

const (
	selector = '\ufe0f' // shows the character before it as emoji
	joiner   = '\u200d' // joins two emoji to one
	keycap   = '\u20e3'
)

// Is reports whether s is exactly one emoji.
func Is(s string) bool { return s != "" && Prefix(s) == len(s) }

// Split separates the emoji that a title begins with from the rest. A title
// that consists of an emoji alone is returned as the rest, and so is one whose
// first character goes on after the emoji that is known: apart, its parts would
// be other characters.
func Split(title string) (emoji, rest string) {
	n := Prefix(title)
	rest = strings.TrimLeft(title[n:], " ")
	if n == 0 || rest == "" || continues(title[n:]) {
		return "", title
	}
	return title[:n], rest
}

// continues reports whether s begins with a part of the character before it.
func continues(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == joiner || isTone(r) || unicode.In(r, unicode.Mn, unicode.Me) || r >= 0xe0020 && r <= 0xe007f
}

// Join returns a title that begins with an emoji. The space between them is that
// of another title, which is like it if both have an emoji.
func Join(emoji, title, like string) string {
	if emoji == "" {
		return title
	}
	if e, rest := Split(like); e != "" && e+rest == like {
		if again, same := Split(emoji + title); again == emoji && same == title {
			return emoji + title
		}
	}
	return emoji + " " + title
}

// FromCode returns the emoji that s is, or whose code points s lists in
// hexadecimal digits, such as 1f4d8 or 1f468-200d-1f4bb. It returns an empty
// string for any other text.
func FromCode(s string) string {
	if Is(s) {
		return s
	}
	var b strings.Builder
	for code := range strings.SplitSeq(s, "-") {
		n, err := strconv.ParseUint(code, 16, 32)
		if err != nil || n > unicode.MaxRune {
			return ""
		}
		b.WriteRune(rune(n))
	}
	// The selector is often left out of codes.
	for _, e := range []string{b.String(), b.String() + string(selector)} {
		if Is(e) {
			return e
		}
	}
	return ""
}

// Prefix returns the length of the emoji that s begins with, or 0.
func Prefix(s string) int {
	n := onePicture(s)
	for n > 0 && strings.HasPrefix(s[n:], string(joiner)) {
		more := onePicture(s[n+len(string(joiner)):])
		if more == 0 {
			more = loosePicture(s[n+len(string(joiner)):]) // such as the sign of a profession
		}
		if more == 0 {
			break
		}
		n += len(string(joiner)) + more
	}
	return n
}

// loosePicture returns the length of the picture that s begins with, or 0. The
// picture needs no variation selector, because it is part of a longer emoji.
func loosePicture(s string) int {
	if r, n := utf8.DecodeRuneInString(s); unicode.Is(dingbats, r) {
		return n
	}
	return 0
}

// onePicture returns the length of the emoji without joiners that s begins
// with, or 0.
func onePicture(s string) int {
	r, n := utf8.DecodeRuneInString(s)
	next, width := utf8.DecodeRuneInString(s[n:])
	switch {
	case r >= 0x1f1e6 && r <= 0x1f1ff: // a flag is two letters
		if next >= 0x1f1e6 && next <= 0x1f1ff {
			return n + width
		}
		return 0
	case r == '#' || r == '*' || r >= '0' && r <= '9':
		if next == selector {
			n += width
			next, width = utf8.DecodeRuneInString(s[n:])
		}
		if next == keycap {
			return n + width
		}
		return 0
	case unicode.Is(dingbats, r) && next == selector, unicode.Is(dingbats, r) && isTone(next):
	case unicode.Is(pictures, r) && !isTone(r):
	default:
		return 0
	}
	if next == selector || isTone(next) {
		n += width
		next, width = utf8.DecodeRuneInString(s[n:])
	}
	for next >= 0xe0020 && next <= 0xe007f { // flags of regions
		n += width
		next, width = utf8.DecodeRuneInString(s[n:])
	}
	return n
}

func isTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }
