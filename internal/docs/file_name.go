package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
)

// MaxFileName bounds the characters in the name of a file.
const MaxFileName = 256

// FileName returns a name that is a name and nothing else in every place where
// files are stored or shown. field says where a request has the name.
func FileName(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	bad := strings.IndexFunc(name, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '/' || r == '\\' || unicode.Is(unicode.Cf, r) || r == utf8.RuneError
	})
	switch {
	case name == "" || name == "." || name == "..":
		return "", errs.Field(field, "is required")
	case utf8.RuneCountInString(name) > MaxFileName:
		return "", errs.Field(field, "is longer than %d characters", MaxFileName)
	case bad >= 0:
		return "", errs.Field(field, "has a character that cannot be in the name of a file")
	}
	return name, nil
}
