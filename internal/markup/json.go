package markup

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Documents are written as JSON by appending: encoding/json would compact
// the output of every level again in the level above.

// MarshalJSON writes the form that clients know.
func (d *Document) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 4096), `{"object":"document","data":{},"nodes":`...)
	b, err := appendNodes(b, d.Nodes)
	return append(b, '}'), err
}

// MarshalJSON writes the form that clients know.
func (n *Node) MarshalJSON() ([]byte, error) { return n.appendJSON(nil) }

func (n *Node) appendJSON(b []byte) (_ []byte, err error) {
	b = append(b, `{"object":"`...)
	b = append(b, n.Object...)
	b = append(b, '"')
	if n.Object == ObjectText {
		b = appendField(b, "key", n.Key)
		b = append(b, `,"leaves":[`...)
		for i, l := range n.Leaves {
			if i > 0 {
				b = append(b, ',')
			}
			b = l.appendJSON(b)
		}
		return append(b, `]}`...), nil
	}
	if n.Object == ObjectFragment {
		b = appendField(b, "key", n.Key)
		b = appendField(b, "fragment", n.Fragment)
		b = appendField(b, "type", n.Type)
		b = append(b, `,"nodes":`...)
		b, err = appendNodes(b, n.Nodes)
		return append(b, '}'), err
	}
	b = append(b, `,"type":`...)
	b = appendString(b, n.Type)
	b = append(b, `,"isVoid":`...)
	b = strconv.AppendBool(b, n.IsVoid())
	b = append(b, `,"data":`...)
	if b, err = appendValue(b, n.wireData()); err != nil {
		return b, err
	}
	b = appendField(b, "key", n.Key)
	if !n.IsVoid() {
		b = append(b, `,"nodes":`...)
		if b, err = appendNodes(b, n.Nodes); err != nil {
			return b, err
		}
	}
	if len(n.Fragments) > 0 || n.Type == "image" || n.Type == "table" { // clients expect these to have them, even none
		b = append(b, `,"fragments":`...)
		if b, err = appendNodes(b, n.Fragments); err != nil {
			return b, err
		}
	}
	if len(n.Meta) > 0 {
		b = append(b, `,"meta":`...)
		if b, err = appendValue(b, n.Meta); err != nil {
			return b, err
		}
	}
	return append(b, '}'), nil
}

// wireData is the data as clients may see it.
func (n *Node) wireData() map[string]any {
	id, ok := n.Data["id"].(string)
	if !ok || narrowAnchor.MatchString(id) || !strings.HasPrefix(n.Type, "heading-") {
		return n.Data
	}
	data := maps.Clone(n.Data)
	delete(data, "id")
	data[wideAnchor] = id
	return data
}

func appendNodes(b []byte, nodes []*Node) (_ []byte, err error) {
	b = append(b, '[')
	for i, n := range nodes {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = n.appendJSON(b); err != nil {
			return b, err
		}
	}
	return append(b, ']'), nil
}

func (l Leaf) appendJSON(b []byte) []byte {
	b = append(b, `{"object":"leaf","text":`...)
	b = appendString(b, l.Text)
	b = append(b, `,"marks":[`...)
	for i, m := range l.Marks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"object":"mark","type":`...)
		b = appendString(b, m.Type)
		if len(m.Data) > 0 {
			b = append(b, `,"data":{`...)
			for j, k := range slices.Sorted(maps.Keys(m.Data)) {
				if j > 0 {
					b = append(b, ',')
				}
				b = appendString(b, k)
				b = append(b, ':')
				b = appendString(b, m.Data[k])
			}
			b = append(b, '}')
		}
		b = append(b, '}')
	}
	b = append(b, ']')
	if l.Raw {
		b = append(b, `,"raw":true`...)
	}
	return append(b, '}')
}

// MarshalJSON writes the form that clients know.
func (r Ref) MarshalJSON() ([]byte, error) { return r.appendJSON(nil), nil }

func (r Ref) appendJSON(b []byte) []byte {
	b = append(b, `{"kind":`...)
	b = appendString(b, r.Kind)
	b = appendField(b, "file", r.File)
	if r.Kind == RefURL && r.URL == "" { // it leads nowhere yet; clients expect the field of its kind
		b = append(b, `,"url":""`...)
	}
	b = appendField(b, "url", r.URL)
	b = appendField(b, "anchor", r.Anchor)
	b = appendField(b, "page", r.Page)
	b = appendField(b, "user", r.User)
	b = appendField(b, "collection", r.Collection)
	b = appendField(b, "reusableContent", r.ReusableContent)
	b = appendField(b, "spec", r.Spec)
	b = appendField(b, "tag", r.Tag)
	b = appendField(b, "space", r.Space)
	return append(b, '}')
}

// appendField adds a text that is left out when it is empty.
func appendField(b []byte, name, value string) []byte {
	if value == "" {
		return b
	}
	b = append(b, ',', '"')
	b = append(b, name...)
	b = append(b, '"', ':')
	return appendString(b, value)
}

// appendValue adds a value of Data. What is usual there is written here, all
// else by encoding/json.
func appendValue(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return appendString(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case Ref:
		return v.appendJSON(b), nil
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(appendString(b, k), ':')
			if b, err = appendValue(b, v[k]); err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	case []any:
		b = append(b, '[')
		for i, x := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendValue(b, x); err != nil {
				return b, err
			}
		}
		return append(b, ']'), nil
	}
	data, err := encode(v)
	return append(b, data...), err
}

// appendString adds a text as it is if nothing in it needs to be escaped.
func appendString(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		c := s[i]
		if c < ' ' || c == '"' || c == '\\' {
			return appendEscaped(b, s)
		}
		if c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			return appendEscaped(b, s)
		}
		i += size
	}
	b = append(b, '"')
	b = append(b, s...)
	return append(b, '"')
}

func appendEscaped(b []byte, s string) []byte {
	data, _ := encode(s) // a text always can be encoded
	return append(b, data...)
}

// encode is json.Marshal without escaping of HTML, which the API does not
// need and which makes documents harder to read.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
