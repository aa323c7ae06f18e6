package markup

import (
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// Documents are encoded by appending: encoding/json would compact the output of
// every level again in the level above.

// MarshalJSON implements json.Marshaler. It returns the form that clients use.
func (d *Document) MarshalJSON() ([]byte, error) {
	b := append(make([]byte, 0, 4096), `{"object":"document","data":{},"nodes":`...)
	b, err := appendNodes(b, d.Nodes)
	return append(b, '}'), err
}

// MarshalJSON implements json.Marshaler. It returns the form that clients use.
func (n *Node) MarshalJSON() ([]byte, error) { return n.appendJSON(nil) }

func (n *Node) appendJSON(b []byte) (_ []byte, err error) {
	b = append(b, `{"object":"`...)
	b = append(b, n.Object...)
	b = append(b, '"')
	if n.Object == ObjectText {
		b = jsontext.AppendField(b, "key", n.Key)
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
		b = jsontext.AppendField(b, "key", n.Key)
		b = jsontext.AppendField(b, "fragment", n.Fragment)
		b = jsontext.AppendField(b, "type", n.Type)
		b = append(b, `,"nodes":`...)
		b, err = appendNodes(b, n.Nodes)
		return append(b, '}'), err
	}
	b = append(b, `,"type":`...)
	b = jsontext.AppendString(b, n.Type)
	b = append(b, `,"isVoid":`...)
	b = strconv.AppendBool(b, n.IsVoid())
	b = append(b, `,"data":`...)
	if b, err = appendValue(b, n.wireData()); err != nil {
		return b, err
	}
	b = jsontext.AppendField(b, "key", n.Key)
	if !n.IsVoid() {
		b = append(b, `,"nodes":`...)
		if b, err = appendNodes(b, n.Nodes); err != nil {
			return b, err
		}
	}
	if t := nodeTypes[n.Type]; len(n.Fragments) > 0 || t != nil && t.framed {
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

var narrowAnchor = regexp.MustCompile(`^[-a-z0-9.+_]+$`)

// wireData returns the data of the node for clients: with unsafe addresses
// replaced, and with actions and anchors in the form that clients accept.
func (n *Node) wireData() map[string]any {
	if t := nodeTypes[n.Type]; t != nil && t.wire != nil {
		return t.wire(n)
	}
	return n.Data
}

func (n *Node) headingData() map[string]any {
	id, ok := n.value(FieldID).(string)
	if !ok || narrowAnchor.MatchString(id) {
		return n.Data
	}
	data := maps.Clone(n.Data)
	delete(data, "id")
	data[fieldWideAnchor.name] = id
	return data
}

// readWideAnchor is the inverse of headingData.
func readWideAnchor(data map[string]any) {
	if anchor, ok := data[fieldWideAnchor.name]; ok {
		delete(data, fieldWideAnchor.name)
		if data["id"] == nil {
			data["id"] = anchor
		}
	}
}

func (n *Node) integrationData() map[string]any {
	url := n.Str(FieldURL)
	if InertURL(url) == url {
		return n.Data
	}
	data := maps.Clone(n.Data)
	data["url"] = InertURL(url)
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
	b = jsontext.AppendString(b, l.Text)
	b = append(b, `,"marks":[`...)
	for i, m := range l.Marks {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"object":"mark","type":`...)
		b = jsontext.AppendString(b, m.Type)
		if len(m.Data) > 0 {
			b = append(b, `,"data":{`...)
			for j, k := range slices.Sorted(maps.Keys(m.Data)) {
				if j > 0 {
					b = append(b, ',')
				}
				b = jsontext.AppendString(b, k)
				b = append(b, ':')
				b = jsontext.AppendString(b, m.Data[k])
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

// appendValue appends a value of Data. Common types are encoded here, all others
// by encoding/json.
func appendValue(b []byte, v any) (_ []byte, err error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case string:
		return jsontext.AppendString(b, v), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case int:
		return strconv.AppendInt(b, int64(v), 10), nil
	case docs.Ref:
		return Inert(v).AppendJSON(b), nil
	case map[string]any:
		b = append(b, '{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(jsontext.AppendString(b, k), ':')
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
	data, err := jsontext.Marshal(v)
	return append(b, data...), err
}
