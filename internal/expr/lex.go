package expr

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

type tokenKind uint8

const (
	tokEnd tokenKind = iota
	tokNumber
	tokString
	tokName // also reserved words, which may follow a dot
	tokPunct
)

type token struct {
	kind    tokenKind
	text    string // name or punctuator, or the value of a string
	number  float64
	column  int
	newline bool // there is a line break before this token
}

// puncts are the punctuators in the order in which they are tried, longer ones
// first.
var puncts = []string{
	">>>=", "...", "===", "!==", "**=", "<<=", ">>=", ">>>", "&&=", "||=", "??=",
	"=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=",
	"*=", "/=", "%=", "&=", "|=", "^=", "<<", ">>", "**",
	"(", ")", "[", "]", "{", "}", ".", ",", ";", ":", "?", "!", "<", ">", "+", "-",
	"*", "/", "%", "&", "|", "^", "~", "=",
}

// refusedPuncts maps the punctuators of JavaScript that are not available to
// error messages.
var refusedPuncts = map[string]string{
	"...": "`...` is not available in expressions",
	"=":   "`=` would assign; compare with `===`",
	"++":  "`++` would change a value", "--": "`--` would change a value",
	"&": "`&` is not available; did you mean `&&`?", "|": "`|` is not available; did you mean `||`?",
	"^": "`^` is not available", "~": "`~` is not available", "<<": "`<<` is not available",
	">>": "`>>` is not available", ">>>": "`>>>` is not available",
}

type lexer struct {
	src     []rune
	pos     int
	tokens  []token
	newline bool
	err     *Error
}

// lex returns the tokens of an expression; the last one is tokEnd. It reads each
// character a limited number of times.
func lex(src string) ([]token, *Error) {
	if len(src) > utf8.UTFMax*MaxLength || utf8.RuneCountInString(src) > MaxLength {
		return nil, failed(MaxLength+1, "an expression has at most %d characters", MaxLength)
	}
	if !utf8.ValidString(src) {
		return nil, failed(1, "the text is not valid UTF-8")
	}
	l := &lexer{src: []rune(src)}
	l.tokens = make([]token, 0, len(l.src)/2+1)
	for l.err == nil && l.space() && l.err == nil {
		l.next()
	}
	if l.err != nil {
		return nil, l.err
	}
	l.add(token{kind: tokEnd, column: len(l.src) + 1})
	return l.tokens, nil
}

func (l *lexer) add(t token) {
	t.newline, l.newline = l.newline, false
	l.tokens = append(l.tokens, t)
}

func (l *lexer) fail(pos int, format string, args ...any) {
	if l.err == nil {
		l.err = failed(pos+1, format, args...)
	}
}

// at returns the rune n positions after the current one, or -1.
func (l *lexer) at(n int) rune {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return -1
}

// space skips white space and comments and reports whether anything follows.
func (l *lexer) space() bool {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case isLineEnd(c):
			l.newline = true
			l.pos++
		case isSpace(c):
			l.pos++
		case c == '/' && l.at(1) == '/':
			for l.pos < len(l.src) && !isLineEnd(l.src[l.pos]) {
				l.pos++
			}
		case c == '/' && l.at(1) == '*':
			start := l.pos
			for l.pos += 2; l.at(0) != '*' || l.at(1) != '/'; l.pos++ {
				if l.at(0) < 0 {
					l.fail(start, "the comment has no end")
					return false
				}
				l.newline = l.newline || isLineEnd(l.src[l.pos])
			}
			l.pos += 2
		default:
			return true
		}
	}
	return false
}

func (l *lexer) next() {
	switch c := l.src[l.pos]; {
	case isNameStart(c):
		start := l.pos
		for l.pos < len(l.src) && isNamePart(l.src[l.pos]) {
			l.pos++
		}
		l.add(token{kind: tokName, text: string(l.src[start:l.pos]), column: start + 1})
	case isDigit(c), c == '.' && isDigit(l.at(1)):
		l.number()
	case c == '"' || c == '\'':
		l.text(c)
	case c == '`':
		l.fail(l.pos, "template literals are not available; join text with `+`")
	case c == '\\':
		l.fail(l.pos, "`\\` is allowed in text only")
	case c == '/' && !l.afterValue():
		l.fail(l.pos, "regular expressions are not available; use includes, startsWith or endsWith")
	default:
		l.punct()
	}
}

// afterValue reports whether the previous token ends a value, so that a slash is
// a division and does not begin a regular expression.
func (l *lexer) afterValue() bool {
	if len(l.tokens) == 0 {
		return false
	}
	t := l.tokens[len(l.tokens)-1]
	switch t.kind {
	case tokNumber, tokString:
		return true
	case tokName:
		return t.text != "typeof"
	default:
		return t.text == ")" || t.text == "]" || t.text == "}"
	}
}

func (l *lexer) punct() {
	for _, p := range puncts {
		if !l.has(p) || p == "?." && isDigit(l.at(2)) {
			continue
		}
		if why, refused := refusedPuncts[p]; refused {
			l.fail(l.pos, "%s", why)
			return
		}
		if p != "==" && p != "===" && p != "!=" && p != "!==" && p != "<=" && p != ">=" && strings.HasSuffix(p, "=") {
			l.fail(l.pos, "`%s` is not available: an expression cannot assign", p)
			return
		}
		l.add(token{kind: tokPunct, text: p, column: l.pos + 1})
		l.pos += len(p)
		return
	}
	l.fail(l.pos, "%q is not expected here", l.src[l.pos])
}

func (l *lexer) has(p string) bool {
	for i := range len(p) {
		if l.at(i) != rune(p[i]) {
			return false
		}
	}
	return true
}

func (l *lexer) number() {
	start := l.pos
	t := token{kind: tokNumber, column: start + 1}
	var b strings.Builder
	if base := numberBase(l.at(1)); l.at(0) == '0' && base != 0 {
		l.pos += 2
		l.digits(&b, base)
		if b.Len() == 0 {
			l.fail(start, "the number is not complete")
		}
		t.number = digitsNumber(b.String(), base)
	} else {
		if l.at(0) == '0' && (isDigit(l.at(1)) || l.at(1) == '_') {
			l.fail(start, "a number does not begin with 0")
		}
		l.digits(&b, 10)
		if l.at(0) == '.' {
			l.pos++
			b.WriteByte('.')
			if isDigit(l.at(0)) || l.at(0) == '_' {
				l.digits(&b, 10)
			}
		}
		if l.at(0) == 'e' || l.at(0) == 'E' {
			l.pos++
			b.WriteByte('e')
			if l.at(0) == '+' || l.at(0) == '-' {
				b.WriteRune(l.at(0))
				l.pos++
			}
			if !isDigit(l.at(0)) {
				l.fail(start, "the exponent of the number has no digits")
			}
			l.digits(&b, 10)
		}
		t.number, _ = strconv.ParseFloat(b.String(), 64) // infinite if out of range, as in JavaScript
	}
	switch c := l.at(0); {
	case c == 'n':
		l.fail(start, "numbers that end in n are not available")
	case isNameStart(c), isDigit(c), c == '_', c == '\\':
		l.fail(start, "the number is followed by %q", c)
	}
	l.add(t)
}

// digits appends digits to b, without the `_` between them.
func (l *lexer) digits(b *strings.Builder, base int) {
	start := l.pos
	for ; l.pos < len(l.src); l.pos++ {
		c := l.src[l.pos]
		if c == '_' {
			if l.pos == start || l.src[l.pos-1] == '_' || digitValue(l.at(1)) >= base {
				l.fail(l.pos, "`_` is allowed between two digits only")
			}
			continue
		}
		if digitValue(c) >= base {
			return
		}
		b.WriteRune(c)
	}
}

func (l *lexer) text(quote rune) {
	start := l.pos
	var b strings.Builder
	for l.pos++; ; {
		c := l.at(0)
		switch {
		case c < 0 || c == '\n' || c == '\r':
			l.fail(start, "the text has no closing %c", quote)
		case c == quote:
			l.pos++
			l.add(token{kind: tokString, text: b.String(), column: start + 1})
			return
		case c == '\\':
			l.escape(&b)
		default:
			b.WriteRune(c)
			l.pos++
		}
		if l.err != nil {
			return
		}
	}
}

var escapes = map[rune]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}

func (l *lexer) escape(b *strings.Builder) {
	c := l.at(1)
	switch {
	case c == 'x' || c == 'u':
		l.codePoint(b)
		return
	case isDigit(c) && (c != '0' || isDigit(l.at(2))):
		l.fail(l.pos, "write a character by number as \\x41 or \\u0041")
		return
	case c < 0 || isLineEnd(c):
		l.fail(l.pos, "a text must end on the line where it begins")
		return
	case c == '0':
		c = 0
	default:
		if e, ok := escapes[c]; ok {
			c = e
		}
	}
	b.WriteRune(c)
	l.pos += 2
}

// codePoint parses \x41, \u0041, \u{41} or a surrogate pair of two \u.
func (l *lexer) codePoint(b *strings.Builder) {
	start := l.pos
	r := l.hex()
	if utf16.IsSurrogate(r) && l.at(0) == '\\' && l.at(1) == 'u' {
		r = utf16.DecodeRune(r, l.hex())
		if r == utf8.RuneError {
			l.fail(start, "the escape is half a character")
		}
	}
	if !utf8.ValidRune(r) {
		l.fail(start, "the escape is not a character")
	}
	b.WriteRune(r)
}

func (l *lexer) hex() rune {
	width := 4
	if l.at(1) == 'x' {
		width = 2
	}
	l.pos += 2
	braces := width == 4 && l.at(0) == '{'
	if braces {
		l.pos++
		for width = 0; width < MaxLength && digitValue(l.at(width)) < 16; width++ {
		}
		if width == 0 || l.at(width) != '}' {
			return -1
		}
	}
	r := rune(0)
	for ; width > 0; width-- {
		d := digitValue(l.at(0))
		if d >= 16 || r > unicode.MaxRune {
			return -1
		}
		r = r<<4 | rune(d)
		l.pos++
	}
	if braces {
		l.pos++
	}
	return r
}

func isDigit(c rune) bool { return '0' <= c && c <= '9' }

func digitValue(c rune) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return 16
}

func numberBase(c rune) int {
	switch c {
	case 'x', 'X':
		return 16
	case 'o', 'O':
		return 8
	case 'b', 'B':
		return 2
	}
	return 0
}

func isLineEnd(c rune) bool {
	return c == '\n' || c == '\r' || c == '\u2028' || c == '\u2029'
}

// isSpace reports whether c is white space or a line end in JavaScript. Unlike in
// Go, U+0085 is not, and U+FEFF is.
func isSpace(c rune) bool {
	switch c {
	case '\t', '\n', '\v', '\f', '\r', ' ', '\u00a0', '\ufeff', '\u2028', '\u2029':
		return true
	}
	return c >= utf8.RuneSelf && unicode.Is(unicode.Zs, c)
}

func isNameStart(c rune) bool {
	return c == '$' || c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c >= utf8.RuneSelf && (unicode.IsLetter(c) || unicode.Is(unicode.Nl, c)) && !unicode.Is(unicode.Pattern_Syntax, c)
}

func isNamePart(c rune) bool {
	return isNameStart(c) || isDigit(c) ||
		c >= utf8.RuneSelf && (unicode.In(c, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc) || c == '\u200c' || c == '\u200d')
}
