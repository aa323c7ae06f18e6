package adaptive

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Limits of claims in query parameters and cookies.
const (
	maxParameters = 50
	maxParameter  = 2 << 10
	maxCookies    = 10
	maxCookie     = 4 << 10
)

const (
	parameterPrefix = "visitor."
	cookiePrefix    = "gitbook-visitor-public"
)

// Unsigned returns the claims that a visitor sends without a signature. They are JSON in
// cookies whose names begin with gitbook-visitor-public, and query parameters such as
// visitor.user.plan=pro. Parameters take precedence over cookies. The claims are not checked.
// Schema.Claims keeps only those that are declared.
func Unsigned(query url.Values, cookies map[string]string) map[string]any {
	out := map[string]any{}
	n := 0
	for _, name := range slices.Sorted(maps.Keys(cookies)) {
		if !strings.HasPrefix(name, cookiePrefix) {
			continue
		}
		if n++; n > maxCookies {
			break
		}
		mergeInto(out, cookieClaims(cookies[name]), 1)
	}
	n = 0
	for _, name := range slices.Sorted(maps.Keys(query)) {
		path, ok := strings.CutPrefix(name, parameterPrefix)
		values := query[name]
		if !ok || len(values) == 0 || len(values[0]) > maxParameter || len(path) > maxParameter {
			continue
		}
		if n++; n > maxParameters {
			break
		}
		set(out, strings.Split(path, "."), coerce(values[0]))
	}
	return out
}

// cookieClaims parses the value of a cookie, which may be query-escaped.
func cookieClaims(value string) map[string]any {
	if len(value) > maxCookie {
		return nil
	}
	for _, s := range []string{value, unescape(value)} {
		var v map[string]any
		if json.Unmarshal([]byte(s), &v) == nil {
			return v
		}
	}
	return nil
}

func unescape(s string) string {
	out, err := url.QueryUnescape(s)
	if err != nil {
		return ""
	}
	return out
}

// mergeInto merges objects recursively. Other values are replaced.
func mergeInto(out, in map[string]any, depth int) {
	for name, v := range in {
		if prototypeName(name) || depth > MaxDepth {
			continue
		}
		object, ok := v.(map[string]any)
		if !ok {
			out[name] = v
			continue
		}
		into, ok := out[name].(map[string]any)
		if !ok {
			into = map[string]any{}
			out[name] = into
		}
		mergeInto(into, object, depth+1)
	}
}

// set sets the value at a path of names.
func set(out map[string]any, path []string, v any) {
	if len(path) > MaxDepth || slices.ContainsFunc(path, func(s string) bool { return s == "" || prototypeName(s) }) {
		return
	}
	last := len(path) - 1
	for _, name := range path[:last] {
		into, ok := out[name].(map[string]any)
		if !ok {
			into = map[string]any{}
			out[name] = into
		}
		out = into
	}
	if object, ok := v.(map[string]any); ok {
		v = map[string]any{}
		mergeInto(v.(map[string]any), object, len(path)+1)
	}
	out[path[last]] = v
}

// coerce parses the value of a parameter as true, false, null, a number or a JSON object. Any
// other value is a text.
func coerce(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if n, ok := decimal(s); ok {
		return n
	}
	if strings.HasPrefix(s, "{") {
		var object map[string]any
		if json.Unmarshal([]byte(s), &object) == nil {
			return object
		}
	}
	return s
}

// decimal parses a number in canonical form. 1e3, 007 and 0x1 remain texts, because a number
// would lose their form.
func decimal(s string) (float64, bool) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || strconv.FormatFloat(n, 'f', -1, 64) != s {
		return 0, false
	}
	return n, s != "NaN" && !strings.HasSuffix(s, "Inf")
}
