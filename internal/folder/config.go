package folder

import (
	"bytes"
	"errors"
	"io"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/frontmatter"
	"github.com/octavo-docs/octavo/internal/names"
)

var yamlLine = regexp.MustCompile(`^line (\d+): `)

// parseYAML reads one document without anchors, with the line and the reason
// of what is wrong. An empty one is null.
func parseYAML(src []byte) (n *yaml.Node, line int, why string) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if len(src) > maxConfig {
		return nil, 1, "the file is too large"
	}
	var doc, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(src))
	err := d.Decode(&doc)
	if errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null"}, 0, ""
	}
	if err == nil {
		if err = d.Decode(&more); err == nil {
			return nil, more.Line, "there is more than one document"
		}
	}
	if !errors.Is(err, io.EOF) {
		why = strings.TrimPrefix(err.Error(), "yaml: ")
		line = 1
		if m := yamlLine.FindStringSubmatch(why); m != nil {
			line, _ = strconv.Atoi(m[1])
			why = why[len(m[0]):]
		}
		return nil, line, why
	}
	root := doc.Content[0]
	if a := findAnchor(root); a != nil {
		return nil, a.Line, "anchors and aliases are not allowed; repeat the value"
	}
	return root, 0, ""
}

// findAnchor finds the first node that has or is another name of a node: a
// few lines of those can stand for billions of values.
func findAnchor(n *yaml.Node) *yaml.Node {
	if n.Anchor != "" || n.Kind == yaml.AliasNode {
		return n
	}
	for _, c := range n.Content {
		if a := findAnchor(c); a != nil {
			return a
		}
	}
	return nil
}

func encodeYAML(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := errors.Join(e.Encode(n), e.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// reader reads a YAML file and reports what is wrong in it.
type reader struct {
	file string
	out  *problems
}

func (r reader) problem(n *yaml.Node, format string, args ...any) {
	r.out.add(r.file, n.Line, CodeYAML, format, args...)
}

// each calls f for every key of a mapping that is there for the first time.
func (r reader) each(n *yaml.Node, what string, f func(key string, k, v *yaml.Node)) {
	if n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.problem(n, "%s must be a list of keys with values", what)
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Kind != yaml.ScalarNode:
			r.problem(k, "a key must be a text")
		case seen[k.Value]:
			r.problem(k, "%s is there twice; the first one counts", k.Value)
		default:
			seen[k.Value] = true
			f(k.Value, k, v)
		}
	}
}

// text reads a scalar as it is written.
func (r reader) text(what string, n *yaml.Node) string {
	if n.Kind != yaml.ScalarNode {
		r.problem(n, "%s must be a text", what)
		return ""
	}
	if n.Tag == "!!null" {
		return ""
	}
	return strings.TrimSpace(n.Value)
}

func (r reader) parse(src []byte) *yaml.Node {
	n, line, why := parseYAML(src)
	if why != "" {
		r.out.add(r.file, line, CodeYAML, "the file cannot be read: %s", why)
		return nil
	}
	return n
}

// config is what .gitbook.yaml says.
type config struct {
	root, readme, summary string
	redirects             []Redirect
}

// parseConfig reads .gitbook.yaml. A path that leaves the folder is an error
// where it says where the content is: everything else would be wrong too.
func parseConfig(src []byte, out *problems) (config, error) {
	c := config{root: ".", readme: readmeName, summary: summaryName}
	r := reader{configName, out}
	n := r.parse(src)
	if n == nil {
		return c, nil
	}
	var err error
	within := func(what string, v *yaml.Node, otherwise string) string {
		s := r.text(what, v)
		if s == "" {
			return otherwise
		}
		p, ok := inside(".", s)
		if ok && p != "." {
			ok = names.Bad(p) == ""
		}
		if !ok && err == nil {
			err = errs.E(errs.Invalid, "%s:%d: %s is %q, which is not a path in the folder", configName, v.Line, what, s)
		}
		return p
	}
	r.each(n, "the file", func(key string, k, v *yaml.Node) {
		switch key {
		case "root":
			c.root = within("root", v, ".")
		case "structure":
			r.each(v, "structure", func(key string, k, v *yaml.Node) {
				switch key {
				case "readme":
					c.readme = within("structure.readme", v, readmeName)
				case "summary":
					c.summary = within("structure.summary", v, summaryName)
				}
			})
		case "redirects":
			r.each(v, "redirects", func(from string, k, v *yaml.Node) {
				to := r.text("a redirect", v)
				if to == "" {
					return
				}
				if scheme, address := schemeOf(to); address && !linkSchemes[scheme] {
					r.problem(v, "the redirect from %q leads to %q, which is not an address that a page may lead to", from, to)
					return
				} else if !address {
					clean := strings.TrimPrefix(to, "/")
					if p, ok := inside(".", clean); !ok || strings.Contains("/"+p+"/", "/../") {
						r.problem(v, "the redirect from %q leads out of the folder", from)
						return
					}
				}
				c.redirects = append(c.redirects, Redirect{from, to, k.Line})
			})
		}
	})
	return c, err
}

// configBytes gives the .gitbook.yaml for a tree, or nil if it needs none.
func (t *Tree) configBytes() ([]byte, error) {
	want := config{root: path.Clean(t.Root), readme: t.readme(), summary: t.summary(), redirects: t.Redirects}
	have := config{root: ".", readme: readmeName, summary: summaryName}
	if t.ConfigSource != nil {
		var err error
		if have, err = parseConfig(t.ConfigSource, &problems{}); err != nil {
			return nil, err
		}
	}
	// Read finds both files in any case.
	structure := strings.EqualFold(have.readme, want.readme) && strings.EqualFold(have.summary, want.summary)
	if have.root == want.root && structure && sameRedirects(have.redirects, want.redirects) {
		return t.ConfigSource, nil
	}
	root := mappingOf(t.ConfigSource)
	if have.root != want.root {
		setKey(root, "root", textNode("./"+strings.TrimPrefix(want.root, ".")))
	}
	if !structure {
		s := copyMapping(keyOf(root, "structure"))
		setKey(s, "readme", textNode(want.readme))
		setKey(s, "summary", textNode(want.summary))
		setKey(root, "structure", s)
	}
	if !sameRedirects(have.redirects, want.redirects) {
		list := copyMapping(keyOf(root, "redirects"))
		for _, r := range have.redirects {
			if !slices.ContainsFunc(want.redirects, func(w Redirect) bool { return w.From == r.From }) {
				setKey(list, r.From, nil)
			}
		}
		for _, r := range want.redirects {
			if old := keyOf(list, r.From); old == nil || old.Value != r.To {
				setKey(list, r.From, textNode(r.To))
			}
		}
		if len(list.Content) == 0 {
			list = nil
		}
		setKey(root, "redirects", list)
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return patched(t.ConfigSource, root)
}

// sameRedirects compares where addresses lead; the order does not matter.
func sameRedirects(a, b []Redirect) bool {
	table := func(list []Redirect) map[string]string {
		m := map[string]string{}
		for _, r := range list {
			m[r.From] = r.To
		}
		return m
	}
	return reflect.DeepEqual(table(a), table(b))
}

// parseVariables reads .gitbook/vars.yaml.
func parseVariables(src []byte, out *problems) map[string]any {
	r := reader{variablesName, out}
	vars := map[string]any{}
	if n := r.parse(src); n != nil {
		r.each(n, "the file", func(key string, k, v *yaml.Node) {
			value, why := frontmatter.ReadVariable(v)
			if why != "" {
				r.problem(v, "the variable %s %s", key, why)
				return
			}
			vars[key] = value
		})
	}
	return vars
}

func (t *Tree) variablesBytes() ([]byte, error) {
	var have map[string]any
	if t.VariablesSource != nil {
		have = parseVariables(t.VariablesSource, &problems{})
	}
	if len(have) == 0 && len(t.Variables) == 0 || reflect.DeepEqual(have, t.Variables) {
		return t.VariablesSource, nil
	}
	root := mappingOf(t.VariablesSource)
	for name := range have {
		if _, ok := t.Variables[name]; !ok {
			setKey(root, name, nil)
		}
	}
	for _, name := range sortedKeys(t.Variables) {
		if was, ok := have[name]; ok && was == t.Variables[name] {
			continue
		}
		value := &yaml.Node{}
		if err := value.Encode(t.Variables[name]); err != nil {
			return nil, err
		}
		setKey(root, name, value)
	}
	if len(root.Content) == 0 {
		return []byte("{}\n"), nil
	}
	return patched(t.VariablesSource, root)
}

// ParseTags gives the tags of a .gitbook/tags.yaml that was read before, for
// a tree that is put together again.
func ParseTags(src []byte) []Tag { return parseTags(src, &problems{}) }

// parseTags reads .gitbook/tags.yaml.
func parseTags(src []byte, out *problems) []Tag {
	r := reader{tagsName, out}
	n := r.parse(src)
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.problem(n, "the file must be a list")
		return nil
	}
	var tags []Tag
	seen := map[string]bool{}
	for _, c := range n.Content {
		var t Tag
		r.each(c, "a tag", func(key string, k, v *yaml.Node) {
			switch key {
			case "tag":
				t.Tag = r.text("tag", v)
			case "label":
				t.Label = r.text("label", v)
			case "icon":
				t.Icon = r.text("icon", v)
			case "color":
				t.Color = r.text("color", v)
			}
		})
		switch {
		case t.Tag == "":
			r.problem(c, "a tag has no name")
		case seen[t.Tag]:
			r.problem(c, "the tag %s is there twice; the first one counts", t.Tag)
		default:
			seen[t.Tag] = true
			tags = append(tags, t)
		}
	}
	return tags
}

func (t *Tree) tagsBytes() ([]byte, error) {
	var have []Tag
	if t.TagsSource != nil {
		have = parseTags(t.TagsSource, &problems{})
	}
	if slices.Equal(have, t.Tags) {
		return t.TagsSource, nil
	}
	if len(t.Tags) == 0 {
		return []byte("[]\n"), nil
	}
	n := &yaml.Node{}
	if err := n.Encode(t.Tags); err != nil {
		return nil, err
	}
	return encodeYAML(n)
}

// RootOf gives where .gitbook.yaml says that the content is. What is wrong
// with the rest of it is for Read to tell.
func RootOf(size int64, src io.Reader) (string, error) {
	if src == nil || size > maxConfig {
		return ".", nil
	}
	b, err := io.ReadAll(src)
	if err != nil {
		return ".", err
	}
	c, err := parseConfig(b, &problems{})
	return c.root, err
}
