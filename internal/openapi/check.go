package openapi

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// check reports violations of the specification, and collects anchors. Each value is
// checked once per shape that it is used as, so the work is linear in the size of the
// description.
func (s *source) check(ctx context.Context, version format) error {
	c := &checker{s: s, version: version, seen: map[visit]bool{}, ids: map[string]bool{}}
	for _, f := range s.files {
		f.collectAnchors()
	}
	root := shapes(version)
	c.queue = append(c.queue, task{fileNode{s.files[s.root], s.files[s.root].root}, root, nil})
	for len(c.queue) > 0 && !c.found.full() {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := c.queue[len(c.queue)-1]
		c.queue = c.queue[:len(c.queue)-1]
		c.value(t.fileNode, t.shape, t.path)
	}
	if c.operations > maxOperations {
		c.found.add(Problem{Code: CodeLimit, File: s.root, Message: tooManyOperations})
	}
	c.references()
	return c.found.err()
}

var tooManyOperations = fmt.Sprintf("the description has more than %d operations", maxOperations)

// collectAnchors fills f.anchors with the values that have an $anchor.
func (f *file) collectAnchors() {
	seen := map[*node]bool{}
	var walk func(n *node)
	walk = func(n *node) {
		if n.kind != list && n.kind != object || seen[n] {
			return
		}
		seen[n] = true
		if a := n.str("$anchor"); a != "" {
			if f.anchors == nil {
				f.anchors = map[string]*node{}
			}
			f.anchors[a] = n
		}
		for _, kid := range n.kids {
			walk(kid)
		}
	}
	walk(f.root)
}

// checker walks a description and checks its parts against their shapes.
type checker struct {
	s          *source
	version    format
	found      problems
	seen       map[visit]bool
	queue      []task
	ids        map[string]bool // of operations
	operations int
}

type visit struct {
	n     *node
	shape *shape
}

type task struct {
	fileNode
	shape *shape
	path  []string
}

// shape describes the form of a part of a description. Keys that are not in fields are
// ignored: the specifications require that of extensions, and descriptions in use have
// other unknown keys.
type shape struct {
	name     string // with its article, for messages
	kinds    []kind
	fields   map[string]*shape
	required []string
	each     *shape // the shape of the elements of a list, or of the values of keys without a field
	ref      bool   // a reference is allowed instead of the value
	rule     func(c *checker, n *node) string
	// named checks a key whose value has the shape each. It returns a message, or "".
	named func(c *checker, key string) string
	// counts marks operations, which count toward maxOperations.
	counts bool
}

func (c *checker) problem(p fileNode, path []string, format string, args ...any) {
	c.found.add(Problem{Code: CodeParse, File: p.f.name, Line: int(p.n.line), Path: pointer(path), Message: fmt.Sprintf(format, args...)})
}

func (c *checker) value(p fileNode, sh *shape, path []string) {
	if c.found.full() || c.seen[visit{p.n, sh}] {
		return
	}
	c.seen[visit{p.n, sh}] = true
	if sh.ref && p.n.kind == object && p.n.get("$ref") != nil {
		c.queueTarget(p, sh, path)
		return
	}
	if len(sh.kinds) > 0 && !slices.Contains(sh.kinds, p.n.kind) {
		c.problem(p, path, "%s must be %s, not %s", sh.name, kindNames(sh.kinds), p.n.kind)
		return
	}
	if sh.counts {
		c.operations++
	}
	for _, key := range sh.required {
		if p.n.get(key) == nil {
			c.problem(p, path, "%s needs %q", sh.name, key)
		}
	}
	if sh.rule != nil {
		if message := sh.rule(c, p.n); message != "" {
			c.problem(p, path, "%s", message)
		}
	}
	c.inside(p, sh, path)
}

func (c *checker) inside(p fileNode, sh *shape, path []string) {
	for i, kid := range p.n.kids {
		if p.n.kind == list {
			if sh.each != nil {
				c.value(fileNode{p.f, kid}, sh.each, append(path[:len(path):len(path)], strconv.Itoa(i)))
			}
			continue
		}
		key := p.n.keys[i]
		below := append(path[:len(path):len(path)], key)
		if known := sh.fields[key]; known != nil {
			c.value(fileNode{p.f, kid}, known, below)
		} else if sh.each != nil && !strings.HasPrefix(key, "x-") {
			if sh.named != nil {
				if message := sh.named(c, key); message != "" {
					c.problem(fileNode{p.f, kid}, below, "%s", message)
				}
			}
			c.value(fileNode{p.f, kid}, sh.each, below)
		}
	}
}

// queueTarget queues the target of a reference for a check against the shape of the
// reference's place.
func (c *checker) queueTarget(p fileNode, sh *shape, path []string) {
	ref := p.n.get("$ref")
	if ref.kind != text {
		c.problem(fileNode{p.f, ref}, append(path[:len(path):len(path)], "$ref"), "a reference must be a text, not %s", ref.kind)
		return
	}
	f, n, err := c.s.find(p.f, ref.text)
	if err != nil {
		return // references reports the error
	}
	_, fragment, _ := strings.Cut(ref.text, "#")
	var keys []string
	for _, k := range strings.Split(strings.TrimPrefix(fragment, "/"), "/") {
		if k != "" {
			keys = append(keys, strings.ReplaceAll(strings.ReplaceAll(k, "~1", "/"), "~0", "~"))
		}
	}
	c.queue = append(c.queue, task{fileNode{f, n}, sh, keys})
}

// references reports every reference in any file that has no target or is part of a
// cycle.
func (c *checker) references() {
	for _, name := range sortedNames(c.s.files) {
		f := c.s.files[name]
		walkReferences(f.root, func(ref *node, path func() string) bool {
			_, n, err := c.s.find(f, ref.text)
			if err == nil && n.get("$ref") != nil {
				if p, _ := c.s.follow(fileNode{f, &node{kind: object, keys: []string{"$ref"}, kids: []*node{ref}}}); p.n == nil {
					err = fmt.Errorf("%q leads to a reference that leads to nothing, or back to itself", clip(ref.text))
				}
			}
			if err != nil {
				c.found.add(Problem{Code: CodeReference, File: name, Line: int(ref.line), Path: path(), Message: err.Error()})
			}
			return !c.found.full()
		})
	}
}

func sortedNames(files map[string]*file) []string {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func kindNames(kinds []kind) string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return strings.Join(names, " or ")
}

var statusPattern = regexp.MustCompile(`^([1-5]([0-9][0-9]|XX|xx)|default)$`)

func isStatus(_ *checker, key string) string {
	if statusPattern.MatchString(key) {
		return ""
	}
	return fmt.Sprintf("%q is no status: three digits, such as 200, a range such as 4XX, or default", clip(key))
}

func isPath(_ *checker, key string) string {
	if strings.HasPrefix(key, "/") {
		return ""
	}
	return fmt.Sprintf("the path %q must begin with a slash", clip(key))
}

// uniqueID reports an operation whose operationId another operation has.
func uniqueID(c *checker, n *node) string {
	id := n.str("operationId")
	if id == "" {
		return ""
	}
	if c.ids[id] {
		return fmt.Sprintf("the operationId %q is used by another operation", clip(id))
	}
	c.ids[id] = true
	return ""
}

// isParameter checks the location of a parameter.
func isParameter(c *checker, n *node) string {
	places := []string{"path", "query", "header", "cookie"}
	if c.version == swagger2 {
		places = []string{"path", "query", "header", "body", "formData"}
	}
	if in := n.str("in"); !slices.Contains(places, in) {
		return fmt.Sprintf("a parameter is in %s, not in %q", strings.Join(places, ", "), clip(in))
	}
	return ""
}

var schemaTypes = []string{"string", "number", "integer", "boolean", "array", "object", "null", "file"}

// isSchema checks the type of a schema.
func isSchema(c *checker, n *node) string {
	t := n.get("type")
	if t == nil || n.kind != object {
		return ""
	}
	names := t.texts()
	switch {
	case t.kind == text:
		names = []string{t.text}
	case t.kind != list:
		return fmt.Sprintf("the type of a schema must be a text, not %s", t.kind)
	case c.version == openAPI30:
		return "several types in a list are of OpenAPI 3.1; in 3.0 use oneOf, or nullable"
	}
	for _, name := range names {
		if !slices.Contains(schemaTypes, name) {
			return fmt.Sprintf("%q is no type: it is one of %s", clip(name), strings.Join(schemaTypes[:7], ", "))
		}
	}
	return ""
}

var schemeTypes = []string{"apiKey", "http", "oauth2", "openIdConnect", "mutualTLS", "basic"}

func isScheme(_ *checker, n *node) string {
	if t := n.str("type"); !slices.Contains(schemeTypes, t) {
		return fmt.Sprintf("%q is no type of authentication: it is one of %s", clip(t), strings.Join(schemeTypes, ", "))
	}
	return ""
}

// hasContent checks that an OpenAPI 3.1 description has paths, webhooks or components.
func hasContent(_ *checker, n *node) string {
	if n.get("paths") == nil && n.get("webhooks") == nil && n.get("components") == nil {
		return `the description needs "paths", "webhooks" or "components"`
	}
	return ""
}
