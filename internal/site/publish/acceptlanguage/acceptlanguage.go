// Package acceptlanguage chooses a language for a reader, by the header Accept-Language of the
// request and the languages that there are.
package acceptlanguage

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// maxPreferences is how many languages of a header are looked at.
const maxPreferences = 20

// Parse returns the languages of a header in lower case, the preferred ones first. Those that
// the reader does not want are not among them.
func Parse(header string) []string {
	type preference struct {
		lang    string
		quality float64
	}
	var all []preference
	for part := range strings.SplitSeq(header, ",") {
		if len(all) == maxPreferences {
			break
		}
		lang, rest, _ := strings.Cut(strings.TrimSpace(part), ";")
		p := preference{strings.ToLower(strings.TrimSpace(lang)), 1}
		if q, ok := strings.CutPrefix(strings.TrimSpace(rest), "q="); ok {
			p.quality, _ = strconv.ParseFloat(q, 64) // 0 if it is none: not wanted
		}
		if p.lang != "" && p.lang != "*" && p.quality > 0 {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b preference) int { return cmp.Compare(b.quality, a.quality) })
	out := make([]string, len(all))
	for i, p := range all {
		out[i] = p.lang
	}
	return out
}

// Best returns which of the languages that there are is the first in a wanted language: in the
// same one, or else in another form of it, as pt is of pt-br. It is -1 if there is none. All are
// in lower case.
func Best(languages, wanted []string) int {
	for _, lang := range wanted {
		if lang == "" {
			continue
		}
		if i := slices.Index(languages, lang); i >= 0 {
			return i
		}
		if i := slices.IndexFunc(languages, func(l string) bool { return primary(l) == primary(lang) }); i >= 0 {
			return i
		}
	}
	return -1
}

func primary(lang string) string {
	p, _, _ := strings.Cut(lang, "-")
	return p
}
