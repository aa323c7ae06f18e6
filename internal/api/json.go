package api

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
)

// plainText reports whether a text can be stored in every database: PostgreSQL accepts
// neither NUL nor invalid UTF-8.
func plainText(s string) bool { return utf8.ValidString(s) && !strings.ContainsRune(s, 0) }

// checkQuery returns an error for query parameters that an operation does not have, so
// that nobody takes an unfiltered list for a filtered one. It also refuses texts that
// cannot be stored. If names is nil, all parameters are accepted.
func checkQuery(raw string, names []string) error {
	if raw == "" {
		return nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return errs.Field("query", "is not well-formed")
	}
	for name, values := range q {
		for _, v := range values {
			if !plainText(v) || !plainText(name) {
				return errs.Field("query."+strings.ToValidUTF8(name, "?"), "has a NUL character or is not valid UTF-8")
			}
		}
		if names != nil && !slices.Contains(names, name) {
			return errs.Field("query."+name[:min(len(name), maxNamed)], "%s", unknownName(name, names, "parameter"))
		}
	}
	return nil
}

// maxNamed is the maximum number of bytes of an unknown name in an error message.
const maxNamed = 100
