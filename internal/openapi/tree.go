package openapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
)

// kind is the type of a value in a file.
type kind uint8

const (
	null kind = iota
	boolean
	number
	text
	list
	object
)

func (k kind) String() string {
	return [...]string{"null", "true or false", "a number", "a text", "a list", "an object"}[k]
}

// node is a value in a file. Objects keep the order of their keys, because readers expect
// the order of the file.
type node struct {
	kind  kind
	line  int32
	text  string   // for a scalar: JSON without quotes
	keys  []string // for an object
	kids  []*node  // values of an object or a list
	index map[string]int
}

// indexed is the number of keys from which on an object has an index.
const indexed = 12

// get returns the value of a key, or nil. n can be nil.
func (n *node) get(key string) *node {
	if n == nil || n.kind != object {
		return nil
	}
	if n.index != nil {
		if i, ok := n.index[key]; ok {
			return n.kids[i]
		}
		return nil
	}
	for i, k := range n.keys {
		if k == key {
			return n.kids[i]
		}
	}
	return nil
}

// str returns the scalar value of a key, or "".
func (n *node) str(key string) string {
	if v := n.get(key); v != nil && v.kind != list && v.kind != object && v.kind != null {
		return v.text
	}
	return ""
}

// is reports whether a key has the value true.
func (n *node) is(key string) bool {
	v := n.get(key)
	return v != nil && v.kind == boolean && v.text == "true"
}

// items returns the elements of a list, or nil.
func (n *node) items() []*node {
	if n == nil || n.kind != list {
		return nil
	}
	return n.kids
}

// texts returns the strings in a list.
func (n *node) texts() []string {
	var out []string
	for _, v := range n.items() {
		if v.kind == text {
			out = append(out, v.text)
		}
	}
	return out
}

// file is a file of a bundle.
type file struct {
	name string
	root *node
	// anchors are the nodes with an $anchor, a keyword of OpenAPI 3.1.
	anchors map[string]*node
}

// reader builds the nodes of files.
type reader struct {
	left int // nodes that may still be created
}

var errTooMany = errors.New("it has too many values; aliases count as what they repeat")

// textError is a syntax error of a file.
type textError struct {
	line    int
	message string
}

func (e *textError) Error() string { return e.message }

// read parses a file as JSON or YAML. A file that begins with a brace is tried as JSON,
// and then as YAML unless its name ends with .json.
func (r *reader) read(name string, data []byte) (*node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		n, err := r.readJSON(data)
		if err == nil || errors.Is(err, errTooMany) || strings.HasSuffix(strings.ToLower(name), ".json") {
			return n, err
		}
		if n, yamlErr := r.readYAML(data); yamlErr == nil {
			return n, nil
		}
		return nil, err
	}
	return r.readYAML(data)
}

// jsonReader reads JSON tokens and tracks their line numbers.
type jsonReader struct {
	*reader
	d    *json.Decoder
	data []byte
	line int
	at   int // bytes of data whose lines were counted
}

func (r *reader) readJSON(data []byte) (*node, error) {
	j := &jsonReader{reader: r, d: json.NewDecoder(bytes.NewReader(data)), data: data, line: 1}
	j.d.UseNumber()
	n, err := j.value(0)
	if err == nil {
		if _, more := j.d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is something after the end of the object")
		}
	}
	if err != nil && !errors.Is(err, errTooMany) {
		return nil, &textError{j.here(), strings.TrimPrefix(err.Error(), "json: ")}
	}
	return n, err
}

// here returns the current line of the decoder.
func (j *jsonReader) here() int {
	if at := int(j.d.InputOffset()); at > j.at {
		j.line += bytes.Count(j.data[j.at:at], []byte{'\n'})
		j.at = at
	}
	return j.line
}

func (j *jsonReader) value(depth int) (*node, error) {
	t, err := j.d.Token()
	if err != nil {
		return nil, err
	}
	if j.left--; j.left < 0 {
		return nil, errTooMany
	}
	if depth > maxDepth {
		return nil, fmt.Errorf("values are nested deeper than %d", maxDepth)
	}
	n := &node{line: int32(j.here())}
	switch t := t.(type) {
	case json.Delim:
		return n, j.inside(n, t, depth)
	case bool:
		n.kind, n.text = boolean, strconv.FormatBool(t)
	case json.Number:
		n.kind, n.text = number, t.String()
	case string:
		n.kind, n.text = text, t
	}
	return n, nil
}

func (j *jsonReader) inside(n *node, open json.Delim, depth int) error {
	n.kind = list
	if open == '{' {
		n.kind = object
	}
	for j.d.More() {
		if n.kind == object {
			t, err := j.d.Token()
			if err != nil {
				return err
			}
			key, _ := t.(string)
			n.keys = append(n.keys, key)
		}
		kid, err := j.value(depth + 1)
		if err != nil {
			return err
		}
		n.kids = append(n.kids, kid)
	}
	if _, err := j.d.Token(); err != nil {
		return err
	}
	return n.finish()
}

// finish builds the index of an object, and returns an error for a duplicate key.
func (n *node) finish() error {
	twice := func(i int) error {
		return &textError{int(n.kids[i].line), fmt.Sprintf("the key %q is set twice", clip(n.keys[i]))}
	}
	if len(n.keys) >= indexed {
		n.index = make(map[string]int, len(n.keys))
		for i, k := range n.keys {
			if _, ok := n.index[k]; ok {
				return twice(i)
			}
			n.index[k] = i
		}
		return nil
	}
	for i, k := range n.keys {
		for _, before := range n.keys[:i] {
			if k == before {
				return twice(i)
			}
		}
	}
	return nil
}

// yamlReader converts nodes of the YAML parser.
type yamlReader struct {
	*reader
	// anchored holds the nodes of anchors with their number of values. The node is nil
	// while the anchor is being read; an alias to such an anchor is a cycle.
	anchored map[*yaml.Node]anchored
}

type anchored struct {
	n     *node
	nodes int
}

var errorLine = regexp.MustCompile(`^line (\d+): `)

func (r *reader) readYAML(data []byte) (*node, error) {
	var doc, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return nil, &textError{0, "it is empty"}
	}
	if err == nil {
		if err = d.Decode(&more); err == nil {
			return nil, &textError{more.Line, "it has more than one YAML document"}
		}
		if errors.Is(err, io.EOF) {
			err = nil
		}
	}
	if err != nil {
		e := &textError{1, strings.TrimPrefix(err.Error(), "yaml: ")} // errors in line 1 have no line number
		if m := errorLine.FindStringSubmatch(e.message); m != nil {
			e.line, _ = strconv.Atoi(m[1])
			e.message = e.message[len(m[0]):]
		}
		return nil, e
	}
	y := &yamlReader{r, map[*yaml.Node]anchored{}}
	return y.value(doc.Content[0], 0)
}

func (y *yamlReader) value(from *yaml.Node, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &textError{from.Line, fmt.Sprintf("values are nested deeper than %d", maxDepth)}
	}
	if from.Kind == yaml.AliasNode {
		a, ok := y.anchored[from.Alias]
		if ok && a.n == nil {
			return nil, &textError{from.Line, fmt.Sprintf("the alias %q contains itself", clip(from.Value))}
		}
		if ok {
			if y.left -= a.nodes; y.left < 0 {
				return nil, errTooMany
			}
			return a.n, nil
		}
		return nil, &textError{from.Line, fmt.Sprintf("the alias %q comes before its anchor", clip(from.Value))}
	}
	before := y.left
	if y.left--; y.left < 0 {
		return nil, errTooMany
	}
	if from.Anchor != "" {
		y.anchored[from] = anchored{}
	}
	n, err := y.plain(from, depth)
	if err == nil && from.Anchor != "" {
		y.anchored[from] = anchored{n, before - y.left}
	}
	return n, err
}

func (y *yamlReader) plain(from *yaml.Node, depth int) (*node, error) {
	n := &node{line: int32(from.Line)}
	switch from.Kind {
	case yaml.SequenceNode:
		n.kind = list
		for _, c := range from.Content {
			kid, err := y.value(c, depth+1)
			if err != nil {
				return nil, err
			}
			n.kids = append(n.kids, kid)
		}
		return n, nil
	case yaml.MappingNode:
		n.kind = object
		return n, y.mapping(n, from, depth)
	case yaml.ScalarNode:
		return n, n.scalar(from)
	}
	return nil, &textError{from.Line, "a value cannot be read"}
}

func (y *yamlReader) mapping(n *node, from *yaml.Node, depth int) error {
	var merged []*node
	for i := 0; i+1 < len(from.Content); i += 2 {
		key := from.Content[i]
		if key.Kind == yaml.AliasNode {
			key = key.Alias
		}
		if key.Kind != yaml.ScalarNode {
			return &textError{key.Line, "a key must be a text"}
		}
		kid, err := y.value(from.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if key.Tag == "!!merge" {
			merged = append(merged, kid)
			continue
		}
		n.keys = append(n.keys, key.Value)
		n.kids = append(n.kids, kid)
	}
	if err := n.finish(); err != nil || merged == nil {
		return err
	}
	return y.merge(n, merged)
}

// merge adds the keys of other objects that n does not have (the YAML merge key).
func (y *yamlReader) merge(n *node, from []*node) error {
	have := make(map[string]bool, len(n.keys))
	for _, k := range n.keys {
		have[k] = true
	}
	for len(from) > 0 {
		f := from[0]
		from = from[1:]
		switch f.kind {
		case list:
			if y.left -= len(f.kids); y.left < 0 {
				return errTooMany
			}
			from = append(from, f.kids...)
		case object:
			for i, k := range f.keys {
				if !have[k] {
					have[k] = true
					n.keys, n.kids = append(n.keys, k), append(n.kids, f.kids[i])
				}
			}
		default:
			return &textError{int(f.line), "a merge key needs an object"}
		}
	}
	return n.finish()
}

// scalar converts a scalar. Dates and other types that JSON lacks become strings.
func (n *node) scalar(from *yaml.Node) error {
	n.text = from.Value
	switch from.ShortTag() {
	case "!!null":
		n.text = ""
	case "!!bool":
		var b bool
		if err := from.Decode(&b); err != nil {
			return &textError{from.Line, "a truth value cannot be read"}
		}
		n.kind, n.text = boolean, strconv.FormatBool(b)
	case "!!int", "!!float":
		n.kind, n.text = number, jsonNumber(from)
		if n.text == "" {
			n.kind, n.text = text, from.Value
		}
	default:
		n.kind = text
	}
	return nil
}

// jsonNumber returns a number in the syntax of JSON, or "" if JSON cannot represent it.
func jsonNumber(from *yaml.Node) string {
	if json.Valid([]byte(from.Value)) {
		return from.Value
	}
	var i int64
	if from.Decode(&i) == nil {
		return strconv.FormatInt(i, 10)
	}
	var f float64
	if from.Decode(&f) == nil {
		if b, err := json.Marshal(f); err == nil {
			return string(b)
		}
	}
	return ""
}

// clip truncates a text for a message.
func clip(s string) string { return docs.ClipBytes(s, 80) }
