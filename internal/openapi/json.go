package openapi

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// JSON returns a file of a description as JSON, with its keys in their order. It returns
// an *Invalid if the JSON is larger than limit, which YAML aliases can cause.
func JSON(name string, data []byte, limit int) ([]byte, error) {
	r := &reader{left: maxNodes}
	n, p := r.readFile(name, data)
	if p != nil {
		return nil, &Invalid{[]Problem{*p}}
	}
	w := &jsonWriter{limit: limit}
	if !w.write(n) {
		return nil, tooLarge(name, limit)
	}
	return w.Bytes(), nil
}

// embedded is the key at the root of a joined description that holds the other files,
// each under a number. Join appends hyphens to the key until the root does not have it.
const embedded = "x-files"

// Join returns a description of several files as a single JSON file: the root with the
// other files embedded and all references rewritten. File names are not included, because
// they can be addresses with secrets. It returns an *Invalid if the JSON is larger than
// limit. Load must accept the bundle.
func Join(b Bundle, limit int) ([]byte, error) {
	s := &source{root: b.Root, files: map[string]*file{}}
	r := &reader{left: maxNodes}
	names := slices.Sorted(maps.Keys(b.Files))
	for _, name := range names {
		n, p := r.readFile(name, b.Files[name])
		if p != nil {
			return nil, &Invalid{[]Problem{*p}}
		}
		s.files[name] = &file{name: name, root: n}
	}
	key := embedded
	for s.files[b.Root].root.get(key) != nil {
		key += "-"
	}
	at := map[string]string{b.Root: ""}
	for i, name := range names {
		if name != b.Root {
			at[name] = "/" + key + "/" + strconv.Itoa(i)
		}
	}
	w := &jsonWriter{limit: limit, moved: map[*node]string{}}
	for name, f := range s.files {
		w.rewriteReferences(name, f.root, at)
	}
	whole := withFiles(s, key, at)
	if !w.write(whole) {
		return nil, tooLarge(b.Root, limit)
	}
	return w.Bytes(), nil
}

// withFiles returns the root with the other files under key.
func withFiles(s *source, key string, at map[string]string) *node {
	others := &node{kind: object}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		if where := at[name]; where != "" {
			others.keys = append(others.keys, where[strings.LastIndexByte(where, '/')+1:])
			others.kids = append(others.kids, s.files[name].root)
		}
	}
	root := s.files[s.root].root
	return &node{kind: object, keys: append(slices.Clone(root.keys), key), kids: append(slices.Clone(root.kids), others)}
}

// rewriteReferences records the rewritten references of a file. A reference to an anchor
// is not rewritten.
func (w *jsonWriter) rewriteReferences(name string, root *node, at map[string]string) {
	walkReferences(root, func(ref *node, _ func() string) bool {
		target, fragment, err := splitReference(name, ref.text)
		where, known := at[target]
		if err != nil || !known || fragment != "" && fragment[0] != '/' {
			return true
		}
		u := url.URL{Fragment: where + fragment}
		w.moved[ref] = "#" + u.EscapedFragment()
		return true
	})
}

func tooLarge(name string, limit int) error {
	return &Invalid{[]Problem{{Code: CodeLimit, File: name, Message: "as JSON, with all aliases written out, it is larger than " + errs.Size(int64(limit))}}}
}

// jsonWriter writes nodes as JSON, up to a limit.
type jsonWriter struct {
	bytes.Buffer
	limit int
	moved map[*node]string // rewritten references
}

// write writes a node and reports whether it is within the limit.
func (w *jsonWriter) write(n *node) bool {
	if w.Len() > w.limit {
		return false
	}
	switch n.kind {
	case null:
		w.WriteString("null")
	case boolean, number:
		w.WriteString(n.text)
	case text:
		value, moved := w.moved[n]
		if !moved {
			value = n.text
		}
		w.text(value)
	case list, object:
		return w.inside(n)
	}
	return w.Len() <= w.limit
}

func (w *jsonWriter) inside(n *node) bool {
	open, end := byte('['), byte(']')
	if n.kind == object {
		open, end = '{', '}'
	}
	w.WriteByte(open)
	for i, kid := range n.kids {
		if i > 0 {
			w.WriteByte(',')
		}
		if n.kind == object {
			w.text(n.keys[i])
			w.WriteByte(':')
		}
		if !w.write(kid) {
			return false
		}
	}
	w.WriteByte(end)
	return true
}

func (w *jsonWriter) text(s string) {
	b, err := json.Marshal(s)
	if err != nil { // a string can always be encoded
		panic(err)
	}
	w.Write(b)
}
