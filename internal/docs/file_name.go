package docs

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// MaxFileName is the maximum length of a file name in characters.
const MaxFileName = 256

// FileName validates a file name and returns it without surrounding white space. A valid
// name is a plain name everywhere: it contains no separators, control or invisible
// characters, and it is in its normal form, see names.Normal. field is the path of the field in error messages.
func FileName(field, name string) (string, error) {
	name = names.Normal(strings.TrimSpace(name))
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
