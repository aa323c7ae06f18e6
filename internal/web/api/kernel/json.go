package kernel

import (
	"maps"
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
// that nobody takes an unfiltered list for a filtered one, for those of which it reads one
// value and finds several, and for texts that cannot be stored. known are the parameters of
// the operation, with whether they can be repeated. If it is nil, all are accepted.
func checkQuery(raw string, known map[string]bool) error {
	if raw == "" {
		return nil
	}
	q, err := url.ParseQuery(raw)
	if err != nil {
		return errs.Field("query", "is not well-formed")
	}
	var wrong errs.Mistakes
	for _, name := range slices.Sorted(maps.Keys(q)) {
		at := "query." + strings.ToValidUTF8(name[:min(len(name), maxNamed)], "?")
		repeated, is := known[name]
		switch {
		case !plainText(name), slices.ContainsFunc(q[name], func(v string) bool { return !plainText(v) }):
			wrong.Field(at, "has a NUL character or is not valid UTF-8")
		case known != nil && !is:
			wrong.Field(at, "%s", unknownName(name, slices.Sorted(maps.Keys(known)), "parameter"))
		case is && !repeated && len(q[name]) > 1:
			wrong.Field(at, "is there %d times; send it once", len(q[name]))
		}
	}
	return wrong.Err()
}

// maxNamed is the maximum number of bytes of an unknown name in an error message.
const maxNamed = 100
