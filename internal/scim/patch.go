package scim

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode/utf8"
)

// attributes are what a request says of a thing. Values arrive by set, whether the
// request is a whole resource or single changes of one.
type attributes interface {
	// set takes the value of an attribute. Those that are not kept are ignored: a directory
	// sends whatever somebody mapped there, and would stop at an error.
	set(op string, at path, value json.RawMessage) error
}

// path is where in a resource a value goes: name.givenName, or members[value eq "x"].
type path struct {
	name   string // in lower case
	filter string // without brackets
	sub    string // in lower case
}

var pathRE = regexp.MustCompile(`^([A-Za-z$][\w$-]*)(?:\[([^\]]*)\])?(?:\.([A-Za-z$][\w$-]*))?$`)

// foreign is the name of attributes that belong to a schema that is not kept.
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

// whole hands every value of a resource to a.
func whole(op string, body map[string]json.RawMessage, schema string, a attributes) error {
	for key, value := range body {
		at, err := parsePath(key, schema)
		if err != nil {
			return err
		}
		if err := a.set(op, at, value); err != nil {
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

// patch hands every change of a request to a.
func (c *call) patch(schema string, a attributes) error {
	var body patchBody
	if err := c.read(&body); err != nil {
		return err
	}
	if n := len(body.Operations); n == 0 || n > maxOps {
		return bad("invalidValue", "Operations must have 1 to %d items", maxOps)
	}
	for _, o := range body.Operations {
		op := strings.ToLower(o.Op) // one directory writes Replace, another one replace
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

// text reads a text of at most most characters. Absent and null are empty.
func text(name string, value json.RawMessage, most int) (string, error) {
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

// truth reads true or false, also in the form "False" that Entra ID sends.
func truth(name string, value json.RawMessage) (bool, error) {
	switch strings.ToLower(strings.Trim(strings.TrimSpace(string(value)), `"`)) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, bad("invalidValue", "%s must be true or false", name)
}
