package docs

import (
	"net/mail"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// Email is an e-mail address in its normalized form: lower case, ASCII, without a display
// name.
type Email string

// ParseEmail validates an address and returns it in normalized form. The domain must be
// ASCII (an internationalized one in its xn-- form), so that no domain looks like
// another.
func ParseEmail(s string) (Email, error) {
	s = strings.TrimSpace(s)
	ascii := isASCII(s) // before ToLower, which maps some non-ASCII letters to ASCII
	s = strings.ToLower(s)
	a, err := mail.ParseAddress(s)
	if err != nil || a.Address != s || len(s) > 254 || !ascii {
		return "", errs.E(errs.Invalid, "%q is not an e-mail address", FirstBytes(s, 80))
	}
	e := Email(s)
	if _, err := ParseDomain(e.Domain()); err != nil {
		return "", err
	}
	return e, nil
}

// Domain returns the part after the last @.
func (e Email) Domain() string {
	return string(e[strings.LastIndexByte(string(e), '@')+1:])
}

// Name returns a display name for a user whose name is unknown: the part before the @.
func (e Email) Name() string {
	local, _, _ := strings.Cut(string(e), "@")
	return FirstBytes(local, 64)
}

var domainRE = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

// ParseDomain validates a DNS name with at least two labels and returns it in lower case.
func ParseDomain(s string) (string, error) {
	s = strings.TrimSpace(s)
	ascii := isASCII(s)
	s = strings.ToLower(s)
	if len(s) > 253 || !ascii || !domainRE.MatchString(s) {
		return "", errs.E(errs.Invalid, "%q is not a domain name", FirstBytes(s, 80))
	}
	return s, nil
}

// publicMail are domains where anybody can get an address. An organization that all users
// of such a domain may join would be open to everybody.
var publicMail = map[string]bool{
	"gmail.com": true, "googlemail.com": true, "outlook.com": true, "hotmail.com": true, "live.com": true,
	"msn.com": true, "yahoo.com": true, "ymail.com": true, "icloud.com": true, "me.com": true, "mac.com": true,
	"aol.com": true, "proton.me": true, "protonmail.com": true, "pm.me": true, "gmx.com": true, "gmx.de": true,
	"gmx.net": true, "web.de": true, "mail.com": true, "mail.ru": true, "yandex.ru": true, "yandex.com": true,
	"qq.com": true, "163.com": true, "126.com": true, "zoho.com": true, "fastmail.com": true, "hey.com": true,
	"tutanota.com": true, "duck.com": true, "laposte.net": true, "orange.fr": true, "free.fr": true,
	"yahoo.co.uk": true, "yahoo.fr": true, "yahoo.de": true, "hotmail.fr": true, "hotmail.co.uk": true, "hotmail.de": true,
	"outlook.fr": true, "outlook.de": true, "gmx.at": true, "gmx.ch": true, "t-online.de": true, "live.co.uk": true,
}

// PublicMailDomain reports whether anybody can get an address in a domain.
func PublicMailDomain(domain string) bool { return publicMail[domain] }

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}
