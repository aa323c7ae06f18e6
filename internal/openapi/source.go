package openapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// source is the parsed files of a description.
type source struct {
	root  string
	files map[string]*file
	nodes int // values in all files, see maxNodes
	bytes int
}

// format is the specification that a description follows.
type format uint8

const (
	swagger2 format = iota
	openAPI30
	openAPI31
)

func (s *source) parse(ctx context.Context, b Bundle) error {
	r := &reader{left: maxNodes}
	var found problems
	for _, name := range slices.Sorted(maps.Keys(b.Files)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, p := r.readFile(name, b.Files[name])
		if p != nil {
			found.add(*p)
			continue
		}
		s.files[name] = &file{name: name, root: n}
		s.bytes += len(b.Files[name])
	}
	s.nodes = maxNodes - r.left
	return found.err()
}

func (r *reader) readFile(name string, data []byte) (*node, *Problem) {
	start := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\ufeff")), " \t\r\n")
	if len(start) == 0 {
		return nil, &Problem{Code: CodeParse, File: name, Message: "the file is empty"}
	}
	if start[0] == '<' {
		what := "XML or HTML"
		if lower := bytes.ToLower(start[:min(len(start), 1000)]); bytes.Contains(lower, []byte("<html")) || bytes.Contains(lower, []byte("<!doctype html")) {
			what = "an HTML page"
		}
		return nil, &Problem{Code: CodeUnsupported, File: name, Line: 1,
			Message: "this is " + what + ", not an OpenAPI description: check that the address leads to the JSON or YAML file itself"}
	}
	n, err := r.read(name, data)
	var bad *textError
	switch {
	case errors.As(err, &bad):
		return nil, &Problem{Code: CodeParse, File: name, Line: bad.line, Message: bad.message}
	case err != nil:
		return nil, &Problem{Code: CodeLimit, File: name, Message: err.Error()}
	}
	return n, nil
}

// version returns the specification that the root follows, or an *Invalid.
func (s *source) version() (format, error) {
	root := s.files[s.root].root
	refuse := func(n *node, message string) (format, error) {
		p := Problem{Code: CodeUnsupported, File: s.root, Message: message}
		if n != nil {
			p.Line = int(n.line)
		}
		return 0, &Invalid{[]Problem{p}}
	}
	if root.kind != object {
		return refuse(root, "this is "+root.kind.String()+", not an OpenAPI description")
	}
	if n := root.get("asyncapi"); n != nil {
		return refuse(n, "this is an AsyncAPI description, which is not supported: only OpenAPI 3.0 and 3.1 and Swagger 2.0 are")
	}
	if n := root.get("swagger"); n != nil {
		if v := root.str("swagger"); v != "2.0" && v != "2" {
			return refuse(n, fmt.Sprintf("Swagger %s is not supported: only 2.0 is", clip(v)))
		}
		return swagger2, nil
	}
	n := root.get("openapi")
	if n == nil {
		return refuse(nil, `this is not an OpenAPI description: it has neither "openapi" nor "swagger" at the top`)
	}
	v := root.str("openapi")
	switch {
	case v == "3.0" || strings.HasPrefix(v, "3.0."):
		return openAPI30, nil
	case v == "3.1" || strings.HasPrefix(v, "3.1."):
		return openAPI31, nil
	}
	return refuse(n, fmt.Sprintf("OpenAPI %s is not supported: only 3.0 and 3.1 are, and Swagger 2.0", clip(v)))
}

// References returns the files that a file of a description refers to, as paths of a
// Bundle, each once and in order. Callers follow them from the root to fetch all files of
// a bundle. References with other schemes than http and https, and to paths above the
// root, are skipped; Load reports them.
func References(name string, data []byte) ([]string, error) {
	if len(data) > MaxBytes {
		return nil, &Invalid{[]Problem{{Code: CodeLimit, File: name, Message: "the file is larger than " + errs.Size(MaxBytes)}}}
	}
	r := &reader{left: maxNodes}
	n, p := r.readFile(name, data)
	if p != nil {
		return nil, &Invalid{[]Problem{*p}}
	}
	var out []string
	seen := map[string]bool{name: true}
	walkReferences(n, func(ref *node, _ func() string) bool {
		target, _, err := splitReference(name, ref.text)
		if err == nil && !seen[target] {
			seen[target] = true
			out = append(out, target)
		}
		return true
	})
	return out, nil
}

// splitReference returns the path of the file that a reference names, and the fragment.
func splitReference(from, ref string) (target, fragment string, err error) {
	address, fragment, _ := strings.Cut(ref, "#")
	if unescaped, err := url.PathUnescape(fragment); err == nil {
		fragment = unescaped
	}
	if address == "" {
		return from, fragment, nil
	}
	u, err := url.Parse(address)
	if err != nil {
		return "", "", fmt.Errorf("%q is no address", clip(ref))
	}
	if u.Scheme != "" && u.Scheme != "http" && u.Scheme != "https" {
		return "", "", fmt.Errorf("%q: only files of the description can be referred to, not by %s", clip(ref), clip(u.Scheme))
	}
	if u.Scheme != "" {
		return u.String(), fragment, nil
	}
	if base, err := url.Parse(from); err == nil && isAddress(from) {
		return base.ResolveReference(u).String(), fragment, nil
	}
	p := u.Path
	if u.Host != "" || strings.HasPrefix(p, "/") {
		return "", "", fmt.Errorf("%q: a file is named from the file that refers to it, or by its whole address", clip(ref))
	}
	p = path.Join(path.Dir(from), p)
	if p == ".." || strings.HasPrefix(p, "../") {
		return "", "", fmt.Errorf("%q leads out of the folder of the description", clip(ref))
	}
	return p, fragment, nil
}

// isAddress reports whether the name of a file is an http or https address.
func isAddress(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// opaque are keys whose values are data, in which $ref has no meaning.
var opaque = map[string]bool{"example": true, "examples": true, "default": true, "enum": true, "const": true, "value": true}

// walkReferences calls visit with the text of each reference in a tree and a function
// that returns its JSON pointer. It stops when visit returns false. Nodes that aliases
// share are visited once.
func walkReferences(root *node, visit func(ref *node, path func() string) bool) {
	seen := map[*node]bool{}
	var keys []string
	var walk func(n *node, named bool) bool
	walk = func(n *node, named bool) bool {
		if n.kind != list && n.kind != object || seen[n] {
			return true
		}
		seen[n] = true
		for i, kid := range n.kids {
			key := strconv.Itoa(i)
			if n.kind == object {
				key = n.keys[i]
			}
			keys = append(keys, key)
			on := true
			switch {
			case n.kind == object && !named && key == "$ref" && kid.kind == text:
				on = visit(kid, func() string { return pointer(keys) })
			case n.kind == object && !named && key == "examples" && kid.kind == object:
				on = walkExamples(kid, walk, &keys)
			case n.kind == object && !named && (opaque[key] || strings.HasPrefix(key, "x-")):
			default:
				on = walk(kid, n.kind == object && !named && namesOf[key])
			}
			keys = keys[:len(keys)-1]
			if !on {
				return false
			}
		}
		return true
	}
	walk(root, false)
}

// walkExamples walks named examples that are references. Other examples are data.
func walkExamples(n *node, walk func(*node, bool) bool, keys *[]string) bool {
	for i, kid := range n.kids {
		*keys = append(*keys, n.keys[i])
		on := kid.get("$ref") == nil || walk(kid, false)
		*keys = (*keys)[:len(*keys)-1]
		if !on {
			return false
		}
	}
	return true
}

// namesOf are keys whose values are objects with names chosen by the author. In these
// objects, example and $ref are ordinary names.
var namesOf = map[string]bool{"properties": true, "patternProperties": true, "schemas": true, "definitions": true, "$defs": true, "responses": true,
	"parameters": true, "requestBodies": true, "headers": true, "securitySchemes": true, "securityDefinitions": true, "links": true, "callbacks": true,
	"paths": true, "webhooks": true, "pathItems": true, "content": true, "dependentSchemas": true, "variables": true, "mapping": true}

// pointer returns the JSON pointer of a path of keys.
func pointer(keys []string) string {
	var b strings.Builder
	for _, k := range keys {
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(k, "~", "~0"), "/", "~1"))
	}
	return b.String()
}

// find returns the target of a reference in a file.
func (s *source) find(from *file, ref string) (*file, *node, error) {
	target, fragment, err := splitReference(from.name, ref)
	if err != nil {
		return nil, nil, err
	}
	f := s.files[target]
	if f == nil {
		return nil, nil, fmt.Errorf("%q: the file %s is not part of the description", clip(ref), clip(target))
	}
	n, ok := f.at(fragment)
	if !ok {
		return nil, nil, fmt.Errorf("%q leads to nothing: %s has no %s", clip(ref), clip(target), clip("#"+fragment))
	}
	return f, n, nil
}

// at returns the value at a fragment, which is a JSON pointer or the name of an anchor.
func (f *file) at(fragment string) (*node, bool) {
	if fragment == "" || fragment == "/" {
		return f.root, true
	}
	if fragment[0] != '/' {
		n, ok := f.anchors[fragment]
		return n, ok
	}
	n := f.root
	for _, key := range strings.Split(fragment[1:], "/") {
		key = strings.ReplaceAll(strings.ReplaceAll(key, "~1", "/"), "~0", "~")
		if n.kind == list {
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n.kids) {
				return nil, false
			}
			n = n.kids[i]
			continue
		}
		if n = n.get(key); n == nil {
			return nil, false
		}
	}
	return n, true
}

// fileNode is a value with its file.
type fileNode struct {
	f *file
	n *node
}

func (p fileNode) get(key string) fileNode { return fileNode{p.f, p.n.get(key)} }

// follow returns the target of a chain of references that starts at p, or p itself if it
// is not a reference. ref is the last reference, or "". Load has checked that references
// have targets. The target has no value if p has none.
func (s *source) follow(p fileNode) (target fileNode, ref string) {
	for range maxReferences {
		n := p.n.get("$ref")
		if n == nil || n.kind != text {
			return p, ref
		}
		f, to, err := s.find(p.f, n.text)
		if err != nil {
			return fileNode{}, ref
		}
		p, ref = fileNode{f, to}, n.text
	}
	return fileNode{}, ref
}
