package audit

import (
	"encoding/json"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Limits of the changes in an event.
const (
	maxChanges = 100 // fields
	maxValue   = 500 // bytes of a value
	maxDepth   = 4   // of nested fields
)

// Change is the value of a field before and after a change. A secret field has neither value.
type Change struct {
	From   any  `json:"from,omitempty"`
	To     any  `json:"to,omitempty"`
	Secret bool `json:"secret,omitempty"`
}

// Host returns the part of an address that the log may have: its path and its query often contain a
// secret.
func Host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Changed adds the fields that differ before and after a change to an event, with both values.
// Values of secrets are left out. Fields with the tag `audit:"-"` are not recorded: they change
// together with others, and tell readers of the log nothing. Strings that contain a JSON object are compared field by field.
func (e Event) Changed(before, after any) Event { return e.ChangedAt("", before, after) }

// ChangedAt is like Changed for a part of the subject. The names of its fields get the prefix path.
func (e Event) ChangedAt(path string, before, after any) Event {
	changes := map[string]Change{}
	if known, ok := e.Data["changes"].(map[string]Change); ok {
		changes = known
	}
	compare(changes, path, reflect.ValueOf(before), reflect.ValueOf(after), maxDepth)
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

// Same reports whether no field differs before and after a change, except those that change together
// with others. A change after which everything is the same is neither stored nor recorded, so that it
// moves no time.
func Same(before, after any) bool {
	changes := map[string]Change{}
	compare(changes, "", reflect.ValueOf(before), reflect.ValueOf(after), maxDepth)
	return len(changes) == 0
}

// compare adds the fields that differ to changes.
func compare(changes map[string]Change, path string, a, b reflect.Value, depth int) {
	if len(changes) == maxChanges || equal(a, b) {
		return
	}
	if secret(a) || secret(b) {
		changes[path] = Change{Secret: true}
		return
	}
	x, y := fields(a), fields(b)
	if x == nil && y == nil || depth == 0 {
		changes[path] = Change{From: value(a), To: value(b)}
		return
	}
	for _, key := range slices.Sorted(maps.Keys(joined(x, y))) {
		compare(changes, strings.TrimPrefix(path+"."+key, "."), x[key], y[key], depth-1)
	}
}

func secret(v reflect.Value) bool { return v.IsValid() && docs.IsSecret(v.Interface()) }

func equal(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if k := a.Kind(); k == b.Kind() && (k == reflect.Slice || k == reflect.Map) && a.Len() == 0 && b.Len() == 0 {
		return true // nil and empty are stored alike
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

// fields returns the fields of a struct, a map or a string with a JSON object. It returns nil for any
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
			f := v.Type().Field(i)
			if !f.IsExported() { // a value of its own, which is compared as a whole
				return nil
			}
			if f.Tag.Get("audit") != "-" {
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

// value returns a value for the log: nil for a zero value other than false, and long values cut.
func value(v reflect.Value) any {
	if !v.IsValid() || v.IsZero() && v.Kind() != reflect.Bool {
		return nil
	}
	text, err := json.Marshal(v.Interface())
	if err != nil || len(text) <= maxValue {
		return v.Interface()
	}
	return docs.ClipBytes(string(text), maxValue)
}

// lowerFirst returns the name of a Go field in the form of JSON names: IconURL becomes iconURL, AI
// becomes ai.
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
