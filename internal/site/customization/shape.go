package customization

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
)

// checker collects what is wrong with settings.
type checker struct{ errs.Mistakes }

// checkShape returns an error unless a tree is a part of the settings: all keys are known, and
// all values have the types of their fields and conform to their tags. The API checks requests
// by the same tags before it decodes them. This check is for all other sources of settings.
func checkShape(tree map[string]any) error {
	c := checker{}
	c.object("", tree, reflect.TypeFor[Settings](), true)
	return c.Err()
}

// value checks a value for a field of a type with tags. Only objects that are groups may be
// incomplete.
func (c *checker) value(path string, v any, t reflect.Type, tags reflect.StructTag) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if v == nil {
		if t != reflect.TypeFor[Target]() {
			c.Field(path, "must not be null")
		}
		return
	}
	switch t {
	case reflect.TypeFor[TextFont]():
		c.fontShape(path, v, TextFonts)
		return
	case reflect.TypeFor[CodeFont]():
		c.fontShape(path, v, CodeFonts)
		return
	case reflect.TypeFor[CodeThemeName]():
		c.oneOf(path, v, CodeThemeNames)
		return
	case reflect.TypeFor[Target]():
		t = reflect.TypeFor[docs.Ref]()
	}
	switch t.Kind() {
	case reflect.Struct:
		if object, ok := v.(map[string]any); ok {
			c.object(path, object, t, Group(path))
			return
		}
		c.Field(path, "must be an object with keys")
	case reflect.Map:
		c.texts(path, v)
	case reflect.Slice:
		c.list(path, v, t, tags)
	case reflect.String:
		c.text(path, v, tags)
	case reflect.Bool:
		if _, ok := v.(bool); !ok {
			c.Field(path, "must be true or false")
		}
	default:
		c.number(path, v, tags)
	}
}

// object checks the members of an object. If part is set, members can be missing, or null to
// drop the previous value. Otherwise a null member counts as missing.
func (c *checker) object(path string, object map[string]any, t reflect.Type, part bool) {
	known := fieldsOf(t)
	for _, key := range slices.Sorted(maps.Keys(object)) {
		at := strings.TrimPrefix(path+"."+key, ".")
		f, ok := known[key]
		switch {
		case !ok:
			c.Field(at, "is not a key of the customization")
		case object[key] == nil && (part || !required(f)):
		default:
			c.value(at, object[key], f.Type, f.Tag)
		}
	}
	if part {
		return
	}
	for _, key := range slices.Sorted(maps.Keys(known)) {
		if _, ok := object[key]; !ok && required(known[key]) {
			c.Field(path, "needs the key %s", key)
		}
	}
}

// fieldsOf returns the fields of a struct by their names in JSON.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	out := map[string]reflect.StructField{}
	for i := range t.NumField() {
		f := t.Field(i)
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			out[name] = f
		}
	}
	return out
}

func required(f reflect.StructField) bool {
	_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	return options == "" && f.Tag.Get("required") != "false"
}

// fontShape checks the name or the definition of a font.
func (c *checker) fontShape(path string, v any, names []string) {
	if object, ok := v.(map[string]any); ok {
		c.object(path, object, reflect.TypeFor[FontDefinition](), false)
		return
	}
	if s, ok := v.(string); !ok || !slices.Contains(names, s) {
		c.Field(path, "must be a custom font or one of %s", strings.Join(names, ", "))
	}
}

func (c *checker) oneOf(path string, v any, values []CodeThemeName) {
	if s, ok := v.(string); !ok || !slices.Contains(values, CodeThemeName(s)) {
		c.Field(path, "must be the name of colours of code, such as %s or %s", values[0], values[1])
	}
}

// texts checks an object whose values are texts. Settings.Check checks its keys.
func (c *checker) texts(path string, v any) {
	object, ok := v.(map[string]any)
	if !ok {
		c.Field(path, "must be an object with a text for each language")
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if _, ok := object[key].(string); !ok {
			c.Field(path+"."+key, "must be a text")
		}
	}
}

func (c *checker) list(path string, v any, t reflect.Type, tags reflect.StructTag) {
	list, ok := v.([]any)
	if !ok {
		c.Field(path, "must be a list")
		return
	}
	if low, high := limit(tags, "minItems", 0), limit(tags, "maxItems", len(list)); len(list) < low || len(list) > high {
		c.Field(path, "must have %s", span(low, high, "entries"))
		return
	}
	for i, entry := range list {
		c.value(fmt.Sprintf("%s[%d]", path, i), entry, t.Elem(), reflect.StructTag(enumTag(tags)))
	}
}

// enumTag returns the enumeration of a list, which applies to its entries.
func enumTag(tags reflect.StructTag) string {
	if values := tags.Get("enum"); values != "" {
		return "enum:" + strconv.Quote(values)
	}
	return ""
}

func (c *checker) text(path string, v any, tags reflect.StructTag) {
	s, ok := v.(string)
	if !ok {
		c.Field(path, "must be a text; put it into quotes")
		return
	}
	if values := tags.Get("enum"); values != "" && !slices.Contains(strings.Split(values, ","), s) {
		c.Field(path, "must be one of %s", strings.ReplaceAll(values, ",", ", "))
	}
	n := utf8.RuneCountInString(s)
	if low, high := limit(tags, "minLength", 0), limit(tags, "maxLength", n); n < low || n > high {
		c.Field(path, "must have %s", span(low, high, "characters"))
	}
	if ok, err := regexp.MatchString(tags.Get("pattern"), s); err != nil || !ok {
		about := tags.Get("patternDescription")
		if about == "" {
			about = "a colour such as #346DDB"
		}
		c.Field(path, "must be %s", about)
	}
}

func (c *checker) number(path string, v any, tags reflect.StructTag) {
	n, ok := v.(float64)
	if low, high := limit(tags, "minimum", int(n)), limit(tags, "maximum", int(n)); !ok || n != float64(int(n)) || int(n) < low || int(n) > high {
		c.Field(path, "must be a whole number from %s to %s", tags.Get("minimum"), tags.Get("maximum"))
	}
}

// limit returns the value of a numeric tag, or otherwise if there is no such tag.
func limit(tags reflect.StructTag, name string, otherwise int) int {
	if n, err := strconv.Atoi(tags.Get(name)); err == nil {
		return n
	}
	return otherwise
}

func span(low, high int, noun string) string {
	if low == 0 {
		return fmt.Sprintf("at most %d %s", high, noun)
	}
	return fmt.Sprintf("%d to %d %s", low, high, noun)
}
