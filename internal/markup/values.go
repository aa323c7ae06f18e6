package markup

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
)

// valueKind is a kind of JSON values. Editors get these names, see Schema.
type valueKind string

const (
	textKind    valueKind = "string"
	flagKind    valueKind = "boolean"
	numberKind  valueKind = "number"
	lengthKind  valueKind = "length" // a number, or an object with a value and a unit
	refKind     valueKind = "reference"
	listKind    valueKind = "list"
	objectKind  valueKind = "object" // with fields
	mapKind     valueKind = "map"    // an object with any keys
	anchorKind  valueKind = "anchor" // a text that IsAnchor accepts
	dateKind    valueKind = "date"
	addressKind valueKind = "address" // a text that SafeURL accepts
)

// A valueType describes the values of a field. read checks a JSON value and returns
// the value to keep; the rest describes what read accepts.
type valueType struct {
	kind valueKind
	read func(d *decoder, v any) (any, error)

	values    []string   // all allowed texts; nil: any
	maxBytes  int        // of a text; 0: only the limits of the document
	whole     bool       // of a number
	low, high float64    // of a whole number
	kinds     []string   // of a reference
	each      *valueType // of a list or a map; nil: any values
	fields    fields     // of an object
	closed    bool       // of an object: other fields are rejected
	or        *valueType // another form
}

// A dataField describes a field of an object.
type dataField struct {
	field
	valueType
	required  bool
	otherwise any // the meaning of an object without the field; nil: it depends
}

type fields map[string]*dataField

func fieldsOf(list ...dataField) fields {
	out := make(fields, len(list))
	for _, f := range list {
		out[f.key()] = &f
	}
	return out
}

func needed(f field, v valueType) dataField   { return dataField{field: f, valueType: v, required: true} }
func optional(f field, v valueType) dataField { return dataField{field: f, valueType: v} }

// otherwise is optional for a field whose absence means a value.
func otherwise(f field, v valueType, value any) dataField {
	return dataField{field: f, valueType: v, otherwise: value}
}

func flag(f FlagField) dataField { return otherwise(f, asFlag, false) }

// Values that several types share.
var (
	TextAlignments     = []string{"start", "center", "end"}
	VerticalAlignments = []string{"top", "middle", "bottom"}
	ColumnAlignments   = []string{"left", "center", "right"}
	HintStyles         = []string{"info", "warning", "danger", "success"}
	Colours            = []string{
		"default", "green", "blue", "red", "orange", "yellow", "purple", "pink", "violet", "cyan",
		"$primary", "$info", "$success", "$warning", "$danger", "$tint",
	}
	ObjectFits  = []string{"contain", "fill", "cover"}
	ColumnTypes = []string{"text", "number", "checkbox", "files", "users", "rating", "select", "content-ref", "image"}
	refKinds    = []string{docs.RefFile, docs.RefURL, docs.RefPage, docs.RefAnchor, docs.RefUser, docs.RefCollection, docs.RefSpace, docs.RefReusable, docs.RefOpenAPI, docs.RefTag}
)

var (
	asText   = valueType{kind: textKind, read: readText}
	asLine   = valueType{kind: textKind, maxBytes: maxLine, read: readLine}
	asFlag   = valueType{kind: flagKind, read: readFlag}
	asNumber = valueType{kind: numberKind, read: readNumber}
	asObject = valueType{kind: mapKind, read: readObject}
	asAnchor = valueType{kind: anchorKind, read: readAnchor}
	asDate   = valueType{kind: dateKind, read: readDate}
	asLength = valueType{kind: lengthKind, read: readLengthValue}
	// asAddress is an address that readers may follow.
	asAddress = valueType{kind: addressKind, read: readAddress}
	// asKeptAddress is an address that may be unsafe if it came with the source, see
	// CheckAddresses.
	asKeptAddress = valueType{kind: textKind, maxBytes: maxLine, read: readKeptAddress}
)

func readText(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	return s, d.spend(len(s))
}

// readLine reads a text that is not a body, such as a title, a name or a path.
func readLine(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	if len(s) > maxLine {
		return nil, d.fail("must have at most %d bytes", maxLine)
	}
	return s, d.spend(len(s))
}

func readFlag(d *decoder, v any) (any, error) {
	if _, ok := v.(bool); !ok {
		return nil, d.fail("must be true or false")
	}
	return v, nil
}

func readNumber(d *decoder, v any) (any, error) {
	if _, ok := v.(float64); !ok {
		return nil, d.fail("must be a number")
	}
	return v, nil
}

func readObject(d *decoder, v any) (any, error) {
	if _, ok := v.(map[string]any); !ok {
		return nil, d.fail("must be an object")
	}
	return v, nil
}

func asWhole(low, high float64) valueType {
	return valueType{kind: numberKind, whole: true, low: low, high: high, read: func(d *decoder, v any) (any, error) {
		f, ok := v.(float64)
		if !ok || f != math.Trunc(f) || f < low || f > high {
			return nil, d.fail("must be a whole number from %.0f to %.0f", low, high)
		}
		return f, nil
	}}
}

func asOneOf(values ...string) valueType {
	return valueType{kind: textKind, values: values, read: func(d *decoder, v any) (any, error) {
		if s, ok := v.(string); ok && slices.Contains(values, s) {
			return s, nil
		}
		return nil, d.fail("must be one of %s", strings.Join(values, ", "))
	}}
}

func asList(each valueType) valueType {
	return valueType{kind: listKind, each: &each, read: func(d *decoder, v any) (any, error) {
		in, ok := v.([]any)
		if !ok {
			return nil, d.fail("must be a list")
		}
		out := make([]any, len(in))
		for i, v := range in {
			d.enterIndex(i)
			kept, err := each.read(d, v)
			if err != nil {
				return nil, err
			}
			out[i] = kept
			d.leave()
		}
		return out, nil
	}}
}

// asObjectOf is an object with the given fields. If closed is set, others are
// rejected.
func asObjectOf(closed bool, fields fields) valueType {
	return valueType{kind: objectKind, fields: fields, closed: closed, read: func(d *decoder, v any) (any, error) {
		return d.object(v, closed, fields)
	}}
}

// maxAnchor is the maximum length of an anchor in characters.
const maxAnchor = 256

// IsAnchor reports whether an id can be written in an attribute and in an address
// without escaping.
func IsAnchor(s string) bool {
	if s == "" || utf8.RuneCountInString(s) > maxAnchor {
		return false
	}
	for _, r := range s {
		if !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("-.+_", r) {
			return false
		}
	}
	return true
}

func readAnchor(d *decoder, v any) (any, error) {
	if s, ok := v.(string); ok && IsAnchor(s) {
		return s, d.spend(len(s))
	}
	return nil, d.fail("must be an anchor such as getting-started")
}

// readDate reads a date or a point in time and returns it in the form that Parse
// uses.
func readDate(d *decoder, v any) (any, error) {
	s, _ := v.(string)
	t, ok := parseDate(s)
	if !ok {
		return nil, d.fail("must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z")
	}
	return t.Format(wireTime), nil
}

var unitForm = regexp.MustCompile(`^[a-z%]{1,8}$`)

// readLengthValue reads a number or a number with a unit.
func readLengthValue(d *decoder, v any) (any, error) {
	if _, ok := v.(float64); ok {
		return v, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, d.fail("must be a number or an object with unit and value")
	}
	unit, _ := m["unit"].(string)
	value, ok := m["value"].(float64)
	if !ok || !unitForm.MatchString(unit) {
		return nil, d.fail("must be a number or an object with unit and value")
	}
	return map[string]any{"unit": unit, "value": value}, nil
}

func readAddress(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	if _, ok := SafeURL(s); !ok {
		return nil, d.fail(unsafeAddressMessage)
	}
	return s, d.spend(len(s))
}

// readKeptAddress reads an address that may be unsafe if it came with the source,
// see CheckAddresses.
func readKeptAddress(d *decoder, v any) (any, error) {
	s, err := readLine(d, v)
	if err != nil {
		return nil, err
	}
	url := withoutInert(s.(string))
	return url, d.checkAddress(url)
}

func asRef(kinds ...string) valueType {
	return valueType{kind: refKind, kinds: kinds, read: func(d *decoder, v any) (any, error) {
		m, ok := v.(map[string]any)
		if !ok {
			return nil, d.fail("must be a reference: an object with kind")
		}
		kind, _ := m["kind"].(string)
		if !slices.Contains(kinds, kind) {
			return nil, d.failAt("kind", "must be one of %s", strings.Join(kinds, ", "))
		}
		ref := docs.Ref{Kind: kind}
		for i, key := range docs.RefFields(kind) {
			v, given := m[key]
			if v == nil {
				given = false
			}
			s, isText := v.(string)
			if key == "url" {
				s = withoutInert(s)
			}
			switch {
			case given && (!isText || len(s) > maxURL):
				return nil, d.failAt(key, "must be a string of at most %d bytes", maxURL)
			case i == 0 && s == "" && kind != docs.RefURL:
				return nil, d.failAt(key, "is required in a reference of kind %s", kind)
			}
			*ref.Field(key) = s
			if err := d.spend(len(s)); err != nil {
				return nil, err
			}
		}
		d.enter("url")
		defer d.leave()
		return ref, d.checkAddress(ref.URL)
	}}
}
