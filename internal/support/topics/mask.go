package topics

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Replacements of personal data.
const (
	maskedEmail = "[email]"
	maskedCard  = "[card]"
	maskedPhone = "[phone]"
)

var (
	// phoneRun matches digits with blanks, dots, dashes, slashes or parentheses between
	// them, which may be a phone number.
	phoneRun = regexp.MustCompile(`[+(]?[0-9](?:[ .\-/()]{0,2}[0-9])*`)
	isDate   = regexp.MustCompile(`^\d{4}[-./]\d{1,2}[-./]\d{1,2}|^\d{1,2}[-./]\d{1,2}[-./]\d{4}`)
	isIP     = regexp.MustCompile(`^\d{1,3}(\.\d{1,3}){3}$`)
)

// Mask replaces e-mail addresses, card numbers and phone numbers in a text. It also finds
// those with digits of another script, or with invisible characters in between. It takes
// time proportional to the length of the text.
func Mask(s string) string {
	p := foldPlain(s)
	if !strings.ContainsAny(p.text, "@0123456789") {
		return s
	}
	found := slices.Concat(emails(p.text), cards(p.text), phones(p.text))
	slices.SortStableFunc(found, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	last := 0
	for i, f := range found {
		from, to := p.place(f)
		if from < last { // inside of a part that is already masked
			continue
		}
		// Mask overlapping spans as one.
		for _, g := range found[i+1:] {
			if g.start >= f.end {
				break
			}
			f.end = max(f.end, g.end)
			_, to = p.place(f)
		}
		b.WriteString(s[last:from])
		b.WriteString(f.mask)
		last = to
	}
	b.WriteString(s[last:])
	return b.String()
}

// span is a part of a text and its replacement.
type span struct {
	start, end int
	mask       string
}

// plain is a copy of a text with ASCII digits, blanks and dashes, and without invisible
// characters.
type plain struct {
	text string
	at   []int // for each byte, the offset of its character in the original; nil: same offsets
	size int   // length of the original
}

func foldPlain(s string) plain {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return plain{text: s, size: len(s)}
	}
	p := plain{at: make([]int, 0, len(s)), size: len(s)}
	var b strings.Builder
	for i, r := range s {
		b.WriteString(foldRune(r))
		for len(p.at) < b.Len() {
			p.at = append(p.at, i)
		}
	}
	p.text = b.String()
	return p
}

func foldRune(r rune) string {
	switch {
	case r < utf8.RuneSelf:
		return string(r)
	case unicode.Is(unicode.Cf, r):
		return ""
	case unicode.Is(unicode.Pd, r):
		return "-"
	}
	s := norm.NFKC.String(string(r))
	if d, size := utf8.DecodeRuneInString(s); size == len(s) && unicode.IsDigit(d) {
		return string(rune('0' + digitValue(d)))
	}
	return s
}

// digitValue returns the value of a decimal digit. In Unicode, the digits of a script are
// consecutive and begin with zero.
func digitValue(r rune) rune {
	for _, t := range unicode.Nd.R16 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	for _, t := range unicode.Nd.R32 {
		if rune(t.Lo) <= r && r <= rune(t.Hi) {
			return (r - rune(t.Lo)) % 10
		}
	}
	return 0
}

// place returns the offsets of a span in the original.
func (p plain) place(f span) (from, to int) {
	if p.at == nil {
		return f.start, f.end
	}
	from, to = p.at[f.start], p.size
	for i := f.end; i < len(p.at); i++ {
		if p.at[i] != p.at[f.end-1] { // the next character
			return from, p.at[i]
		}
	}
	return from, to
}

// emails finds e-mail addresses: each @ with the name before it and the host after it.
func emails(s string) (out []span) {
	const most = 64 // characters of a name and of each part of a host
	last := 0
	for i := range len(s) {
		if s[i] != '@' {
			continue
		}
		start, end := i, i+1
		for range most {
			r, size := utf8.DecodeLastRuneInString(s[last:start])
			if size == 0 || !isLetter(r) && !strings.ContainsRune("._%+'-", r) {
				break
			}
			start -= size
		}
		for n := 0; n < 4*most; n++ {
			r, size := utf8.DecodeRuneInString(s[end:])
			if size == 0 || !isLetter(r) && r != '-' && r != '.' {
				break
			}
			end += size
		}
		host := strings.TrimRight(s[i+1:end], ".-")
		if end = i + 1 + len(host); start < i && strings.Contains(strings.TrimLeft(host, "."), ".") {
			out = append(out, span{start, end, maskedEmail})
			last = end
		}
	}
	return out
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

const (
	minCard, maxCard = 13, 19 // digits
	maxGap           = 3      // characters between two digits of a card
)

// cards finds card numbers. Other digits may be next to a card number, such as a date or
// an amount, so every part of a run of digits is checked.
func cards(s string) (out []span) {
	var digits []byte
	var at []int
	gap := 0
	flush := func() {
		out = append(out, cardsIn(digits, at)...)
		digits, at = digits[:0], at[:0]
	}
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits, at, gap = append(digits, byte(r)), append(at, i), 0
		case len(digits) > 0:
			if gap++; gap > maxGap || isLetter(r) {
				flush()
			}
		}
	}
	flush()
	return out
}

// cardsIn finds card numbers in a run of digits. at holds the offset of each digit.
func cardsIn(digits []byte, at []int) (out []span) {
	for i := range digits {
		for n := min(maxCard, len(digits)-i); n >= minCard; n-- {
			number := digits[i : i+n]
			alone := n == len(digits)
			if (alone || issued(number)) && luhn(number) {
				out = append(out, span{at[i], at[i+n-1] + 1, maskedCard})
				break
			}
		}
	}
	return out
}

// issued reports whether a number has a prefix and a length that card issuers use. The
// check digit alone is not enough, because one number out of ten passes by chance.
func issued(number []byte) bool {
	n, head := len(number), 0
	for _, d := range number[:4] {
		head = 10*head + int(d-'0')
	}
	switch {
	case head/1000 == 4:
		return n == 13 || n == 16 || n == 19
	case head >= 5100 && head < 5600, head >= 2221 && head <= 2720:
		return n == 16
	case head/100 == 34, head/100 == 37:
		return n == 15
	case head/100 == 36, head/100 == 38, head/100 == 39, head >= 3000 && head < 3060:
		return n == 14
	case head >= 3528 && head < 3590, head/100 == 62, head == 6011, head >= 6440 && head < 6600:
		return n >= 16
	case head/100 == 50, head/100 >= 56 && head/100 < 60, head/1000 == 6:
		return true
	}
	return false
}

// luhn reports whether the check digit of a card number is right.
func luhn(digits []byte) bool {
	sum := 0
	for i := range digits {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// phones finds phone numbers.
func phones(s string) (out []span) {
	for _, at := range phoneRun.FindAllStringIndex(s, -1) {
		if isPhone(s[at[0]:at[1]]) && !partOfWord(s, at[0], at[1]) {
			out = append(out, span{at[0], at[1], maskedPhone})
		}
	}
	return out
}

// partOfWord reports whether a number is part of a word, such as an identifier.
func partOfWord(s string, start, end int) bool {
	return start > 0 && isWord(s[start-1]) || end < len(s) && isWord(s[end])
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isPhone reports whether a number is written like a phone number: with a leading +, (
// or 0, or in groups. A number without these is more often the ID of an order.
func isPhone(run string) bool {
	digits := 0
	for i := range len(run) {
		if run[i] >= '0' && run[i] <= '9' {
			digits++
		}
	}
	if digits < 7 || digits > 15 || isDate.MatchString(run) || isIP.MatchString(run) {
		return false
	}
	return run[0] == '+' || run[0] == '(' || digits >= 9 && (run[0] == '0' || strings.ContainsAny(run, " -/()."))
}
