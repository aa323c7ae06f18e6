package scim

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/store"
)

// filterRE matches a comparison of one attribute with a string. Directories use such filters to find
// out whether a user or a group with a name or an id exists.
var filterRE = regexp.MustCompile(`^\s*([A-Za-z][\w$:.-]*(?:\[[^\]]*\](?:\.\w+)?)?)\s+([A-Za-z]{2})\s+("(?:[^"\\]|\\.)*")\s*$`)

// maxFilter is the maximum length of a filter in bytes.
const maxFilter = 1000

// parseFilter parses a filter. name is the attribute with the name of a resource: userName or
// displayName.
func parseFilter(text, name, schema string) (f store.DirectoryFilter, err error) {
	if strings.TrimSpace(text) == "" {
		return f, nil
	}
	m := filterRE.FindStringSubmatch(text)
	if len(text) > maxFilter || m == nil || !strings.EqualFold(m[2], "eq") {
		return f, bad("invalidFilter", `this server knows filters of the form %s eq "…" and externalId eq "…"`, name)
	}
	var value string
	if err := json.Unmarshal([]byte(m[3]), &value); err != nil {
		return f, bad("invalidFilter", "the value of the filter cannot be read")
	}
	if value == "" || strings.ContainsRune(value, 0) { // no resource matches these values, and an empty filter would match every resource
		value = "\n"
	}
	switch attribute := local(m[1], schema); {
	case strings.EqualFold(attribute, name):
		f.Name = value
	case strings.EqualFold(attribute, "externalId"):
		f.ExternalID = value
	default:
		return f, bad("invalidFilter", "things cannot be found by %s; use %s or externalId", m[1], name)
	}
	return f, nil
}

// local returns the name of an attribute without the prefix of its schema.
func local(path, schema string) string {
	if n := len(schema); len(path) > n && strings.EqualFold(path[:n], schema) && path[n] == ':' {
		return path[n+1:]
	}
	return path
}
