package docs

import (
	"bytes"
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// EncodePage returns the stored form of a page. Equal pages have equal bytes, so that
// their hashes can be compared.
func EncodePage(p Page) ([]byte, error) { return json.Marshal(p) }

// DecodePage decodes the stored form of a page. The ID of a page is the key under which
// it is stored.
func DecodePage(id string, b []byte) (Page, error) {
	var p Page
	err := json.Unmarshal(b, &p)
	p.ID = PageID(id)
	return p, err
}

// DecodePages decodes both sides of a change. A nil side, where the page does not exist,
// is the zero Page.
func DecodePages(id string, before, after []byte) (was, now Page, err error) {
	if before != nil {
		was, err = DecodePage(id, before)
	}
	if after != nil && err == nil {
		now, err = DecodePage(id, after)
	}
	return was, now, err
}

// PageSource holds the fields of a stored page that are about its source.
type PageSource struct {
	Type PageType
	Body chunk.Hash
	File string
}

// HasBody reports whether the page can have a source.
func (s PageSource) HasBody() bool { return s.Type == PageDocument }

// DecodePageSource decodes only a part of the stored form. It is several times as fast as
// DecodePage; imports call it for every page of a space.
func DecodePageSource(b []byte) (PageSource, error) {
	var typ, body, file []byte
	err := jsontext.Members(b, func(name, value []byte) {
		switch string(name) {
		case "t":
			typ = value
		case "b":
			body = value
		case "f":
			file = value
		}
	})
	var s PageSource
	for _, f := range []struct {
		value []byte
		to    *string
	}{{typ, (*string)(&s.Type)}, {body, (*string)(&s.Body)}, {file, &s.File}} {
		if err == nil && f.value != nil {
			*f.to, err = jsontext.String(f.value)
		}
	}
	return s, err
}

// mergedFields are the fields of a page that are merged independently, sorted by their
// key in the stored form. The other fields depend on each other or on the page tree;
// package merge implements their rules.
var mergedFields = []struct{ key, name string }{
	{"c", "cover"},
	{"cs", "computed"},
	{"d", "description"},
	{"e", "emoji"},
	{"h", "hidden"},
	{"i", "icon"},
	{"if", "condition"},
	{"l", "layout"},
	{"lt", "linkTitle"},
	{"ml", "metaLinks"},
	{"n", "title"},
	{"ni", "noIndex"},
	{"nr", "noRobotsIndex"},
	{"t", "type"},
	{"tg", "tags"},
	{"to", "target"},
}

// MergeFields merges the independent fields of a page: it returns ours with the values
// that theirs changed since base. base is nil for a page that both sides created.
// conflicts are the names of the fields that both sides changed to different values; they
// keep the value of ours.
func MergeFields(base *Page, ours, theirs Page) (merged Page, conflicts []string, err error) {
	was := map[string]json.RawMessage{}
	if base != nil {
		if was, err = fieldsOf(*base); err != nil {
			return ours, nil, err
		}
	}
	out, err := fieldsOf(ours)
	if err != nil {
		return ours, nil, err
	}
	now, err := fieldsOf(theirs)
	if err != nil {
		return ours, nil, err
	}
	for _, f := range mergedFields {
		k := f.key
		switch {
		case bytes.Equal(out[k], now[k]), bytes.Equal(was[k], now[k]):
		case !bytes.Equal(was[k], out[k]):
			conflicts = append(conflicts, f.name)
		default:
			setField(out, k, now[k])
		}
	}
	merged, err = pageOf(ours.ID, out)
	return merged, conflicts, err
}

// WithField returns mine with the value of theirs in the named field. It returns mine
// unchanged for a name that is not in mergedFields.
func WithField(mine, theirs Page, name string) (Page, error) {
	out, err := fieldsOf(mine)
	if err != nil {
		return mine, err
	}
	from, err := fieldsOf(theirs)
	if err != nil {
		return mine, err
	}
	for _, f := range mergedFields {
		if f.name == name {
			setField(out, f.key, from[f.key])
		}
	}
	return pageOf(mine.ID, out)
}

// FieldValue returns the value of a field as decoded by encoding/json. The name is one
// that MergeFields returns. ok is false for a field that is not set.
func FieldValue(p Page, name string) (value any, ok bool, err error) {
	fields, err := fieldsOf(p)
	if err != nil {
		return nil, false, err
	}
	for _, f := range mergedFields {
		if f.name == name && fields[f.key] != nil {
			err = json.Unmarshal(fields[f.key], &value)
			return value, true, err
		}
	}
	return nil, false, nil
}

// fieldsOf returns the stored form of a page by key. Fields that are not set are missing.
func fieldsOf(p Page) (map[string]json.RawMessage, error) {
	b, err := EncodePage(p)
	if err != nil {
		return nil, err
	}
	out := map[string]json.RawMessage{}
	return out, json.Unmarshal(b, &out)
}

func setField(fields map[string]json.RawMessage, key string, value json.RawMessage) {
	if value == nil {
		delete(fields, key)
	} else {
		fields[key] = value
	}
}

func pageOf(id PageID, fields map[string]json.RawMessage) (Page, error) {
	b, err := json.Marshal(fields)
	if err != nil {
		return Page{}, err
	}
	return DecodePage(string(id), b)
}
