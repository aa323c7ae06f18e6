package topics

import (
	"regexp"
	"strings"
)

// What personal data is replaced by.
const (
	maskedEmail = "[email]"
	maskedCard  = "[card]"
	maskedPhone = "[phone]"
)

var (
	emailAddress = regexp.MustCompile(`[\p{L}\p{N}._%+'\-]{1,64}@[\p{L}\p{N}\-]{1,63}(\.[\p{L}\p{N}\-]{1,63})+`)
	// digitRun is a number that may be that of a card or of a phone: digits with blanks,
	// dots, dashes, slashes or parentheses between them.
	digitRun = regexp.MustCompile(`[+(]?\d(?:[ .\-/()]{0,2}\d){6,22}`)
	isDate   = regexp.MustCompile(`^\d{4}[-./]\d{1,2}[-./]\d{1,2}|^\d{1,2}[-./]\d{1,2}[-./]\d{4}`)
	isIP     = regexp.MustCompile(`^\d{1,3}(\.\d{1,3}){3}$`)
)

// Mask replaces e-mail addresses, numbers of cards and numbers of phones in a text. A number
// is that of a card if its check digit is right, otherwise that of a phone if it is
// written like one.
func Mask(s string) string {
	if !strings.ContainsAny(s, "@0123456789") {
		return s
	}
	s = emailAddress.ReplaceAllString(s, maskedEmail)
	var b strings.Builder
	last := 0
	for _, at := range digitRun.FindAllStringIndex(s, -1) {
		run := s[at[0]:at[1]]
		mask := maskOf(run)
		if mask == "" || partOfWord(s, at[0], at[1]) {
			continue
		}
		b.WriteString(s[last:at[0]])
		b.WriteString(mask)
		last = at[1]
	}
	b.WriteString(s[last:])
	return b.String()
}

// partOfWord reports whether a number is inside a word, such as the id of something.
func partOfWord(s string, start, end int) bool {
	return start > 0 && isWord(s[start-1]) || end < len(s) && isWord(s[end])
}

func isWord(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// maskOf returns what a number is replaced by; empty if it stays.
func maskOf(run string) string {
	digits := make([]byte, 0, len(run))
	for i := range len(run) {
		if c := run[i]; c >= '0' && c <= '9' {
			digits = append(digits, c)
		}
	}
	switch {
	case isDate.MatchString(run), isIP.MatchString(run):
		return ""
	case len(digits) >= 13 && len(digits) <= 19 && luhn(digits):
		return maskedCard
	case len(digits) > 15:
		return ""
	}
	// A phone number has a sign of one, or is written in groups; a bare number is more
	// often the id of an order.
	grouped := strings.ContainsAny(run, " -/().")
	if run[0] == '+' || run[0] == '(' || digits[0] == '0' && len(digits) >= 9 || grouped && len(digits) >= 9 {
		return maskedPhone
	}
	return ""
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
