package scim

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// attributes receives the attributes in a request. Values are passed to set, both for a complete
// resource and for the operations of a PATCH.
type attributes interface {
	// set sets the value of an attribute. It ignores attributes that are not stored: a directory sends
	// every attribute that an admin has mapped there, and would stop at an error.
	set(op string, at path, value json.RawMessage) error
}

// path is the path of an attribute in a resource: name.givenName, or members[value eq "x"].
type path struct {
	name   string // in lower case
	filter string // without brackets
	sub    string // in lower case
}

var pathRE = regexp.MustCompile(`^([A-Za-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([A-Za-z$][\w$-]*))?$`)

// compare orders paths. An attribute is before its parts.
func (p path) compare(q path) int {
	return cmp.Or(cmp.Compare(p.name, q.name), cmp.Compare(p.filter, q.filter), cmp.Compare(p.sub, q.sub))
}

// foreign is the name in a path whose schema is not supported.
const foreign = "urn:"

func parsePath(text, schema string) (path, error) {
	text = local(strings.TrimSpace(text), schema)
	if len(text) >= len(foreign) && strings.EqualFold(text[:len(foreign)], foreign) {
		return path{name: foreign}, nil
	}
	m := pathRE.FindStringSubmatch(text)
	if m == nil || len(text) > maxFilter {
		return path{}, bad("invalidPath", "%.100q is not the path of an attribute", text)
	}
	return path{strings.ToLower(m[1]), m[2], strings.ToLower(m[3])}, nil
}

// whole passes every attribute of a resource to a, in the order of their names. Names are case
// insensitive (RFC 7643, section 2.1); it returns an error if one occurs twice.
func whole(op string, body map[string]json.RawMessage, schema string, a attributes) error {
	keys := map[path]string{}
	for key := range body {
		at, err := parsePath(key, schema)
		if err != nil {
			return err
		}
		if _, twice := keys[at]; twice && at.name != foreign {
			return bad("invalidSyntax", "the attribute %.100q is there twice; names of attributes are case insensitive", key)
		}
		keys[at] = key
	}
	for _, at := range slices.SortedFunc(maps.Keys(keys), path.compare) {
		if err := a.set(op, at, body[keys[at]]); err != nil {
			return err
		}
	}
	return nil
}

type patchBody struct {
	Operations []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	} `json:"Operations"`
}

// patch passes every operation of a PATCH request to a.
func (c *call) patch(schema string, a attributes) error {
	var body patchBody
	if err := c.read(&body); err != nil {
		return err
	}
	if n := len(body.Operations); n == 0 || n > maxOps {
		return bad("invalidValue", "Operations must have 1 to %d items", maxOps)
	}
	for _, o := range body.Operations {
		op := strings.ToLower(o.Op) // the case differs between directories: Replace and replace
		if op != "add" && op != "remove" && op != "replace" {
			return bad("invalidSyntax", "op must be add, remove or replace")
		}
		if o.Path == "" {
			var values map[string]json.RawMessage
			if op == "remove" || json.Unmarshal(o.Value, &values) != nil || values == nil {
				return bad("noTarget", "without a path, the operation %s needs an object as its value", op)
			}
			if err := whole(op, values, schema, a); err != nil {
				return err
			}
			continue
		}
		at, err := parsePath(o.Path, schema)
		if err != nil {
			return err
		}
		if err := a.set(op, at, o.Value); err != nil {
			return err
		}
	}
	return nil
}

// decodeString decodes a string of at most most characters. An absent value and null are empty.
func decodeString(name string, value json.RawMessage, most int) (string, error) {
	var s string
	if len(value) > 0 && json.Unmarshal(value, &s) != nil {
		return "", bad("invalidValue", "%s must be a text", name)
	}
	s = strings.TrimSpace(s)
	if utf8.RuneCountInString(s) > most || strings.ContainsRune(s, 0) {
		return "", bad("invalidValue", "%s must have at most %d characters", name, most)
	}
	return s, nil
}

// decodeBool decodes a boolean. It also accepts strings such as "False", which Entra ID sends.
func decodeBool(name string, value json.RawMessage) (bool, error) {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(string(value)), `"`)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, bad("invalidValue", "%s must be true or false", name)
}
