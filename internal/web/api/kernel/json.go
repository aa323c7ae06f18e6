package kernel

import (
	"fmt"
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
		return errs.Problems([]errs.Detail{{Path: "query", Message: "is not well-formed"}})
	}
	var wrong []errs.Detail // they are of the query, also if a field of the body is called query
	add := func(at, format string, args ...any) {
		if len(wrong) < errs.MaxDetails {
			wrong = append(wrong, errs.Detail{Path: at, Message: fmt.Sprintf(format, args...)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(q)) {
		at := "query." + strings.ToValidUTF8(name[:min(len(name), maxNamed)], "?")
		repeated, is := known[name]
		switch {
		case !plainText(name), slices.ContainsFunc(q[name], func(v string) bool { return !plainText(v) }):
			add(at, "has a NUL character or is not valid UTF-8")
		case known != nil && !is:
			add(at, "%s", unknownName(name, slices.Sorted(maps.Keys(known)), "parameter"))
		case is && !repeated && len(q[name]) > 1:
			add(at, "is there %d times; send it once", len(q[name]))
		}
	}
	return errs.Problems(wrong)
}

// maxNamed is the maximum number of bytes of an unknown name in an error message.
const maxNamed = 100
