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

// This file describes every type: the data of its nodes and the nodes that they
// hold. Decode checks a client's document against these descriptions. A data key
// that is not described is rejected if the type is closed, and kept otherwise.

// holds is the kind of nodes that a type holds.
type holds uint8

const (
	holdsNothing holds = iota
	holdsInlines       // texts and inlines
	holdsBlocks        // blocks that are not parts of another type, or only the types in parts
)

// shape describes one type of block or inline.
type shape struct {
	holds  holds
	parts  []string // the types of its nodes, if only these are allowed
	single bool     // exactly one node
	closed bool     // other data than the fields is rejected
	fields map[string]dataField
	// fragments are the slots of a void block. A fragment fills the slot that has
	// its name, or its type if it has no name.
	fragments []fragmentSlot
	cells     bool // the fragments are named by the cells of a table
}

type fragmentSlot struct {
	name     string
	required bool
}

type dataField struct {
	read     valueReader
	required bool
}

// valueReader checks a JSON value and returns the value to keep.
type valueReader func(d *decoder, v any) (any, error)

func needed(r valueReader) dataField   { return dataField{r, true} }
func optional(r valueReader) dataField { return dataField{r, false} }

// Values that several types share.
var (
	textAlignments     = []string{"start", "center", "end"}
	verticalAlignments = []string{"top", "middle", "bottom"}
	columnAlignments   = []string{"left", "center", "right"}
	hintStyles         = []string{"info", "warning", "danger", "success"}
	colours            = []string{
		"default", "green", "blue", "red", "orange", "yellow", "purple", "pink", "violet", "cyan",
		"$primary", "$info", "$success", "$warning", "$danger", "$tint",
	}
	objectFits  = []string{"contain", "fill", "cover"}
	columnTypes = []string{"text", "number", "checkbox", "files", "users", "rating", "select", "content-ref", "image"}
	refKinds    = []string{docs.RefFile, docs.RefURL, docs.RefPage, docs.RefAnchor, docs.RefUser, docs.RefCollection, docs.RefSpace, docs.RefReusable, docs.RefOpenAPI, docs.RefTag}
)

// partOf maps a type that is allowed in one other type only to a name of that
// type.
var partOf = map[string]string{
	"list-item": "a list", "code-line": "code", "image": "images", "tabs-item": "tabs", "stepper-step": "stepper",
	"column": "columns", "update": "updates",
}

var captionSlot = []fragmentSlot{{"caption", false}}

var blockShapes = map[string]*shape{
	"paragraph":      {holds: holdsInlines, closed: true, fields: map[string]dataField{"align": optional(asOneOf(textAlignments...))}},
	"heading-1":      headingShape,
	"heading-2":      headingShape,
	"heading-3":      headingShape,
	"list-ordered":   {holds: holdsBlocks, parts: []string{"list-item"}, fields: map[string]dataField{"start": optional(asWhole(0, math.MaxInt32))}},
	"list-unordered": {holds: holdsBlocks, parts: []string{"list-item"}, closed: true},
	"list-tasks":     {holds: holdsBlocks, parts: []string{"list-item"}, closed: true},
	"list-item":      {holds: holdsBlocks, fields: map[string]dataField{"checked": optional(asFlag)}},
	"divider":        {closed: true},
	"blockquote":     {holds: holdsBlocks, closed: true},
	"hint":           {holds: holdsBlocks, fields: map[string]dataField{"style": needed(asOneOf(hintStyles...)), "icon": optional(asLine)}},
	"code": {holds: holdsBlocks, parts: []string{"code-line"}, fields: map[string]dataField{
		"syntax": optional(asLine), "title": optional(asLine), "overflow": optional(asOneOf("scroll", "wrap")), "lineNumbers": optional(asFlag),
		"fullWidth": optional(asFlag), "expandable": optional(asFlag), "collapsedLineCount": optional(asWhole(1, math.MaxInt32)),
	}},
	"code-line": {holds: holdsInlines, fields: map[string]dataField{"highlighted": optional(asFlag)}},
	"math":      {fields: map[string]dataField{"formula": needed(asText)}},
	"images": {holds: holdsBlocks, parts: []string{"image"}, fields: map[string]dataField{
		"align": optional(asOneOf(columnAlignments...)), "fullWidth": optional(asFlag), "withFrame": optional(asFlag),
	}},
	"image": {fragments: captionSlot, fields: map[string]dataField{
		"ref": needed(asRef(docs.RefURL, docs.RefFile)), "refDark": optional(asRef(docs.RefURL, docs.RefFile)),
		"width": optional(asLength), "height": optional(asLength), "alt": optional(asText),
	}},
	"file":    {fragments: captionSlot, fields: map[string]dataField{"ref": needed(asRef(docs.RefFile, docs.RefURL))}},
	"drawing": {fragments: captionSlot, fields: map[string]dataField{"ref": optional(asRef(docs.RefFile, docs.RefURL))}},
	"embed":   {fragments: captionSlot, fields: map[string]dataField{"url": needed(asAddress), "fullWidth": optional(asFlag)}},
	"expandable": {closed: true, fields: map[string]dataField{"defaultExpanded": optional(asFlag)},
		fragments: []fragmentSlot{{"expandable-title", true}, {"expandable-body", true}}},
	"tabs":         {holds: holdsBlocks, parts: []string{"tabs-item"}, closed: true, fields: map[string]dataField{"fullWidth": optional(asFlag)}},
	"tabs-item":    {holds: holdsBlocks, fields: map[string]dataField{"title": optional(asLine), "icon": optional(asLine), "slug": optional(asLine)}},
	"stepper":      {holds: holdsBlocks, parts: []string{"stepper-step"}, closed: true},
	"stepper-step": {holds: holdsBlocks, fields: map[string]dataField{"icon": optional(asLine)}},
	"columns":      {holds: holdsBlocks, parts: []string{"column"}, fields: map[string]dataField{"fullWidth": optional(asFlag)}},
	"column": {holds: holdsBlocks, closed: true, fields: map[string]dataField{
		"width": optional(asLength), "verticalAlignment": optional(asOneOf(verticalAlignments...)),
	}},
	"table": {cells: true, fields: map[string]dataField{
		"definition": needed(asObject), "view": needed(asObject), "records": needed(asObject),
		"fullWidth": optional(asFlag), "search": optional(asFlag), "cellMerges": optional(asList(asCellMerge)),
	}},
	"content-ref":      {fields: map[string]dataField{"ref": needed(asRef(refKinds...))}},
	"reusable-content": {fields: map[string]dataField{"ref": needed(asRef(docs.RefReusable))}},
	"integration": {fields: map[string]dataField{
		"integration": needed(asLine), "block": needed(asLine), "props": needed(asObject), "action": optional(asObject),
		"url": optional(asKeptAddress), "fullWidth": optional(asFlag),
	}},
	"swagger": {fields: map[string]dataField{
		"ref": needed(asRef(docs.RefFile, docs.RefURL)), "path": needed(asLine), "method": needed(asLine), "expanded": optional(asFlag), "fullWidth": optional(asFlag),
	}},
	"openapi-operation": {fields: map[string]dataField{"ref": needed(asRef(docs.RefOpenAPI)), "path": needed(asLine), "method": needed(asLine)}},
	"openapi-schemas": {fields: map[string]dataField{
		"ref": needed(asRef(docs.RefOpenAPI)), "schemas": needed(asList(asLine)), "grouped": optional(asFlag), "title": optional(asLine),
	}},
	"openapi-webhook": {fields: map[string]dataField{"ref": needed(asRef(docs.RefOpenAPI)), "name": needed(asLine), "method": needed(asLine)}},
	"if":              {holds: holdsBlocks, fields: map[string]dataField{"expression": needed(asLine)}},
	"updates": {holds: holdsBlocks, parts: []string{"update"}, closed: true, fields: map[string]dataField{
		"format": optional(asOneOf("numeric", "full", "short")),
	}},
	"update": {holds: holdsBlocks, fields: map[string]dataField{"date": needed(asDate), "tags": optional(asList(asRef(docs.RefTag)))}},
	"prompt": {holds: holdsBlocks, parts: []string{"code"}, single: true, closed: true, fields: map[string]dataField{
		"description": needed(asLine), "icon": optional(asLine), "openInAIProviders": optional(asFlag),
		"defaultExpanded": optional(asOneOf("hidden", "partial", "full")),
	}},
}

// wideAnchor is the data key under which clients receive an anchor that their
// pattern for ids (narrowAnchor) does not allow. Decode stores it as the id.
const wideAnchor = "anchor"

var narrowAnchor = regexp.MustCompile(`^[-a-z0-9.+_]+$`)

// headingShape keeps the level of the source, because Markdown has more levels
// than there are heading types.
var headingShape = &shape{holds: holdsInlines, fields: map[string]dataField{
	"id": optional(asAnchor), wideAnchor: optional(asAnchor), "align": optional(asOneOf(textAlignments...)), "class": optional(asLine), "level": optional(asWhole(1, 6)),
}}

var inlineShapes = map[string]*shape{
	"link":        {holds: holdsInlines, fields: map[string]dataField{"ref": needed(asRef(refKinds...))}},
	"emoji":       {fields: map[string]dataField{"code": needed(asLine)}},
	"icon":        {fields: map[string]dataField{"icon": needed(asLine), "color": optional(asOneOf(colours...))}},
	"expression":  {fields: map[string]dataField{"expression": needed(asLine)}},
	"inline-math": {fields: map[string]dataField{"formula": needed(asText)}},
	"inline-image": {fields: map[string]dataField{
		"ref": needed(asRef(docs.RefURL, docs.RefFile)), "refDark": optional(asRef(docs.RefURL, docs.RefFile)),
		"caption": optional(asText), "alt": optional(asText), "size": optional(asOneOf("original", "line")),
	}},
	"annotation": {holds: holdsInlines, closed: true, fragments: []fragmentSlot{{"annotation-body", true}}},
	"mention":    {fields: map[string]dataField{"ref": needed(asRef(refKinds...))}},
	"button": {fields: map[string]dataField{
		"label": needed(asLine), "kind": needed(asOneOf("primary", "secondary")), "icon": optional(asLine),
		"size": optional(asOneOf(buttonSizes...)), "ref": optional(asRef(refKinds...)),
		"action": optional(asAction), "query": optional(asLine), "slug": optional(asLine),
	}},
}

// markTypes are the types of marks. Only color has data.
var markTypes = []string{"bold", "italic", "code", "keyboard", "strikethrough", "superscript", "subscript", "color"}

func asText(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	return s, d.spend(len(s))
}

// asLine reads a text that is not a body, such as a title, a name or a path.
func asLine(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	if len(s) > maxLine {
		return nil, d.fail("must have at most %d bytes", maxLine)
	}
	return s, d.spend(len(s))
}

func asFlag(d *decoder, v any) (any, error) {
	if _, ok := v.(bool); !ok {
		return nil, d.fail("must be true or false")
	}
	return v, nil
}

func asNumber(d *decoder, v any) (any, error) {
	if _, ok := v.(float64); !ok {
		return nil, d.fail("must be a number")
	}
	return v, nil
}

func asObject(d *decoder, v any) (any, error) {
	if _, ok := v.(map[string]any); !ok {
		return nil, d.fail("must be an object")
	}
	return v, nil
}

func asWhole(low, high float64) valueReader {
	return func(d *decoder, v any) (any, error) {
		f, ok := v.(float64)
		if !ok || f != math.Trunc(f) || f < low || f > high {
			return nil, d.fail("must be a whole number from %.0f to %.0f", low, high)
		}
		return f, nil
	}
}

func asOneOf(values ...string) valueReader {
	return func(d *decoder, v any) (any, error) {
		if s, ok := v.(string); ok && slices.Contains(values, s) {
			return s, nil
		}
		return nil, d.fail("must be one of %s", strings.Join(values, ", "))
	}
}

func asList(each valueReader) valueReader {
	return func(d *decoder, v any) (any, error) {
		in, ok := v.([]any)
		if !ok {
			return nil, d.fail("must be a list")
		}
		out := make([]any, len(in))
		for i, v := range in {
			d.enterIndex(i)
			kept, err := each(d, v)
			if err != nil {
				return nil, err
			}
			out[i] = kept
			d.leave()
		}
		return out, nil
	}
}

// maxAnchor is the maximum length of an anchor in characters.
const maxAnchor = 256

// isAnchor reports whether an id can be written in an attribute and in an address
// without escaping.
func isAnchor(s string) bool {
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

func asAnchor(d *decoder, v any) (any, error) {
	if s, ok := v.(string); ok && isAnchor(s) {
		return s, d.spend(len(s))
	}
	return nil, d.fail("must be an anchor such as getting-started")
}

// asDate reads a date or a point in time and returns it in the form that Parse
// uses.
func asDate(d *decoder, v any) (any, error) {
	s, _ := v.(string)
	t, ok := parseDate(s)
	if !ok {
		return nil, d.fail("must be a date such as 2026-01-31 or 2026-01-31T08:00:00Z")
	}
	return t.Format(wireTime), nil
}

var unitForm = regexp.MustCompile(`^[a-z%]{1,8}$`)

// asLength reads a number or a number with a unit.
func asLength(d *decoder, v any) (any, error) {
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

func asAddress(d *decoder, v any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, d.fail("must be a string")
	}
	if _, ok := SafeURL(s); !ok {
		return nil, d.fail(unsafeAddressMessage)
	}
	return s, d.spend(len(s))
}

const unsafeAddressMessage = "must be an http, https, mailto or tel address, or a relative one"

// checkAddress checks the address of a reference. It may be empty, because a
// reference may have no target yet. In an edit, an unsafe address is collected
// for CheckAddresses, because the edited document may already contain it.
func (d *decoder) checkAddress(url string) error {
	if _, ok := SafeURL(url); ok || url == "" {
		return nil
	}
	err := d.fail(unsafeAddressMessage)
	if d.unsafeAddresses == nil {
		return err
	}
	*d.unsafeAddresses = append(*d.unsafeAddresses, unsafeAddress{url, err})
	return nil
}

// asKeptAddress reads an address that may be unsafe if it came with the source,
// see CheckAddresses.
func asKeptAddress(d *decoder, v any) (any, error) {
	s, err := asLine(d, v)
	if err != nil {
		return nil, err
	}
	url := withoutInert(s.(string))
	return url, d.checkAddress(url)
}

// unsafeAddress is an address that readers are not sent to, with the error that
// rejects it.
type unsafeAddress struct {
	url string
	err error
}

// CheckAddresses returns an error if the document has an address that is not safe
// to follow and that is not in the edited document. An address of the edited
// document came with the source: it is kept, but is never a link for readers. If
// edited is nil, every unsafe address is an error.
func (doc *Document) CheckAddresses(edited *Document) error {
	if len(doc.unsafeAddresses) == 0 {
		return nil
	}
	known := map[string]bool{}
	if edited != nil {
		eachNode(edited.Nodes, func(n *Node) {
			for _, w := range n.extra().written {
				known[w.ref().URL] = true
			}
			if n.Type == "integration" {
				known[n.Str("url")] = true
			}
		})
	}
	for _, a := range doc.unsafeAddresses {
		if !known[a.url] {
			return a.err
		}
	}
	return nil
}

func asRef(kinds ...string) valueReader {
	return func(d *decoder, v any) (any, error) {
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
	}
}
