package audit

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what an event says about a change.
const (
	maxChanges = 100 // fields
	maxValue   = 500 // bytes of a value
	maxDepth   = 4   // of fields in fields
)

// Change is a field before and after a change. A secret has neither.
type Change struct {
	From   any  `json:"from,omitempty"`
	To     any  `json:"to,omitempty"`
	Secret bool `json:"secret,omitempty"`
}

// unrecorded fields change with others; whoever reads the log learns nothing from
// them.
var unrecorded = map[string]bool{
	"updatedAt": true, "version": true, "customizedAt": true, "schemaAt": true, "failures": true, "failingSince": true, "resumeAt": true,
	"counters": true, "revision": true, "layer": true, "siteSpaces": true, "lastError": true, "lastErrorAt": true,
}

// secret fields are never written into the log.
var secret = map[string]bool{"key": true, "sealed": true, "headers": true, "secret": true, "token": true, "password": true, "privateKey": true}

// Changed adds to an event which fields of a thing differ before and after the
// change, with both values. Texts that are JSON objects are compared by their
// fields.
func (e Event) Changed(before, after any) Event { return e.ChangedAt("", before, after) }

// ChangedAt is Changed for a part of the thing, whose fields are named with path in
// front.
func (e Event) ChangedAt(path string, before, after any) Event {
	changes := map[string]Change{}
	if known, ok := e.Data["changes"].(map[string]Change); ok {
		changes = known
	}
	compare(changes, path, "", reflect.ValueOf(before), reflect.ValueOf(after), maxDepth)
	if len(changes) > 0 {
		data := maps.Clone(e.Data)
		if data == nil {
			data = map[string]any{}
		}
		data["changes"] = changes
		e.Data = data
	}
	return e
}

// compare notes the fields that differ. name is the last part of path.
func compare(changes map[string]Change, path, name string, a, b reflect.Value, depth int) {
	if unrecorded[name] || len(changes) == maxChanges || equal(a, b) {
		return
	}
	if secret[name] {
		changes[path] = Change{Secret: true}
		return
	}
	x, y := fields(a), fields(b)
	if x == nil && y == nil || depth == 0 {
		changes[path] = Change{From: value(a), To: value(b)}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(joined(x, y))) {
		compare(changes, strings.TrimPrefix(path+"."+key, "."), key, x[key], y[key], depth-1)
	}
}

func equal(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

func joined(x, y map[string]reflect.Value) map[string]reflect.Value {
	all := maps.Clone(x)
	if all == nil {
		return y
	}
	maps.Copy(all, y)
	return all
}

// fields returns the fields of a struct, an object or the text of one; nil for any
// other value.
func fields(v reflect.Value) map[string]reflect.Value {
	for v.IsValid() && (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil
	}
	out := map[string]reflect.Value{}
	switch v.Kind() {
	case reflect.Struct:
		if _, own := v.Interface().(json.Marshaler); own {
			return nil
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				out[lowerFirst(f.Name)] = v.Field(i)
			}
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			out[key.String()] = v.MapIndex(key)
		}
	case reflect.String:
		var object map[string]any
		if !strings.HasPrefix(v.String(), "{") || json.Unmarshal([]byte(v.String()), &object) != nil {
			return nil
		}
		for key, x := range object {
			out[key] = reflect.ValueOf(x)
		}
	default:
		return nil
	}
	return out
}

// value returns a value as the log has it: nil for none, a long one cut.
func value(v reflect.Value) any {
	if !v.IsValid() || v.IsZero() && v.Kind() != reflect.Bool {
		return nil
	}
	text, err := json.Marshal(v.Interface())
	if err != nil || len(text) <= maxValue {
		return v.Interface()
	}
	cut := string(text[:maxValue])
	for !utf8.ValidString(cut) {
		cut = cut[:len(cut)-1]
	}
	return cut + "…"
}

// lowerFirst returns the name of a Go field as JSON has it: IconURL is iconURL, AI is
// ai.
func lowerFirst(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}
