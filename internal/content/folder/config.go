package folder

import (
	"io"
	"path"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/names"
)

// config holds the settings of a .gitbook.yaml.
type config struct {
	root, readme, summary string
	redirects             []Redirect
}

// parseConfig parses .gitbook.yaml and adds its problems to out. It returns an error if
// the root, the landing page or the summary is outside of the folder, because then the
// folder cannot be read.
func parseConfig(src []byte, out *problems) (config, error) {
	c := config{root: ".", readme: readmeName, summary: summaryName}
	r := yamlReader(configName, out)
	n := parseYAML(src, r)
	if n == nil {
		return c, nil
	}
	var err error
	within := func(what string, v *yaml.Node, otherwise string) string {
		s := r.Text(what, v)
		if s == "" {
			return otherwise
		}
		p, ok := inside(".", s)
		if ok && p != "." {
			ok = names.Problem(p) == ""
		}
		if !ok && err == nil {
			err = errs.E(errs.Invalid, "%s:%d: %s is %q, which is not a path in the folder", configName, v.Line, what, s)
		}
		return p
	}
	var readme *yaml.Node
	r.Each(n, "the file", func(key, v *yaml.Node) {
		switch key.Value {
		case "root":
			c.root = within("root", v, ".")
		case "structure":
			r.Each(v, "structure", func(key, v *yaml.Node) {
				switch key.Value {
				case "readme":
					readme = v
				case "summary":
					c.summary = within("structure.summary", v, summaryName)
				}
			})
		case "redirects":
			r.Each(v, "redirects", func(key, v *yaml.Node) {
				from := key.Value
				to := r.Text("a redirect", v)
				if to == "" {
					return
				}
				if scheme, address := schemeOf(to); address && !linkSchemes[scheme] {
					r.Problem(v, "the redirect from %q leads to %q, which is not an address that a page may lead to", from, to)
					return
				} else if !address {
					clean := strings.TrimPrefix(to, "/")
					if p, ok := inside(".", clean); !ok || strings.Contains("/"+p+"/", "/../") {
						r.Problem(v, "the redirect from %q leads out of the folder", from)
						return
					}
				}
				c.redirects = append(c.redirects, Redirect{from, to, key.Line})
			})
		}
	})
	if readme == nil {
		return c, err
	}
	_, below := inside(".", readme.Value)
	if full, ok := inside(c.root, readme.Value); ok && !below && err == nil {
		if name, ok := above(c.root, full); ok {
			c.readme = name
		} else {
			r.Problem(readme, "structure.readme is %q, which is outside of the root and can be no page; the landing page is %s there", readme.Value, readmeName)
		}
		return c, nil
	}
	c.readme = within("structure.readme", readme, readmeName)
	return c, err
}

// above returns the path, relative to the root, of a landing page outside of the root. ok
// is false if the file cannot be a page.
func above(root, full string) (string, bool) {
	if !isMarkdown(full) || names.Problem(full) != "" || Ignored(full) {
		return "", false
	}
	if within, below := (Place{Root: root}).Name(full); below {
		return within, true
	}
	return path.Join(strings.Repeat("../", strings.Count(root, "/")+1), full), true
}

// configBytes returns the .gitbook.yaml of a tree, or nil if the tree needs none. It
// changes only the keys of ConfigSource that differ.
func (t *Tree) configBytes() ([]byte, error) {
	want := config{root: path.Clean(t.Root), readme: t.readme(), summary: t.summary(), redirects: t.Redirects}
	have := config{root: ".", readme: readmeName, summary: summaryName}
	if t.ConfigSource != nil {
		var err error
		if have, err = parseConfig(t.ConfigSource, &problems{}); err != nil {
			return nil, err
		}
	}
	// Read matches the names of both files in any case.
	structure := t.sameLanding(have.readme, want.readme) && strings.EqualFold(have.summary, want.summary)
	if have.root == want.root && structure && sameRedirects(have.redirects, want.redirects) {
		return t.ConfigSource, nil
	}
	root := mappingOf(t.ConfigSource)
	if have.root != want.root {
		dir := "./"
		if want.root != "." {
			dir += want.root
		}
		replaceText(root, "root", dir)
	}
	if !structure {
		s := yamldoc.CloneMapping(yamldoc.Value(root, "structure"))
		replaceText(s, "readme", want.readme)
		replaceText(s, "summary", want.summary)
		yamldoc.Set(root, "structure", s)
	}
	if !sameRedirects(have.redirects, want.redirects) {
		list := yamldoc.CloneMapping(yamldoc.Value(root, "redirects"))
		for _, r := range have.redirects {
			if !slices.ContainsFunc(want.redirects, func(w Redirect) bool { return w.From == r.From }) {
				yamldoc.Set(list, r.From, nil)
			}
		}
		for _, r := range want.redirects {
			if old := yamldoc.Value(list, r.From); old == nil || old.Value != r.To {
				replaceText(list, r.From, r.To)
			}
		}
		if len(list.Content) == 0 {
			list = nil
		}
		yamldoc.Set(root, "redirects", list)
	}
	if len(root.Content) == 0 {
		return nil, nil
	}
	return patched(t.ConfigSource, root)
}

// sameRedirects reports whether two lists redirect the same addresses to the same
// targets. The order does not matter.
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

// parseVariables parses .gitbook/vars.yaml and adds its problems to out.
func parseVariables(name string, src []byte, out *problems) map[string]any {
	r := yamlReader(name, out)
	vars := map[string]any{}
	if n := parseYAML(src, r); n != nil {
		r.Each(n, "the file", func(key, v *yaml.Node) {
			value, why := frontmatter.ReadVariable(v)
			if why != "" {
				r.Problem(v, "the variable %s %s", key.Value, why)
				return
			}
			vars[key.Value] = value
		})
	}
	return vars
}

func (t *Tree) variablesBytes() ([]byte, error) {
	var have map[string]any
	if t.VariablesSource != nil {
		have = parseVariables(variablesName, t.VariablesSource, &problems{})
	}
	if len(have) == 0 && len(t.Variables) == 0 || reflect.DeepEqual(have, t.Variables) {
		return t.VariablesSource, nil
	}
	root := mappingOf(t.VariablesSource)
	for name := range have {
		if _, ok := t.Variables[name]; !ok {
			yamldoc.Set(root, name, nil)
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
		yamldoc.Set(root, name, yamldoc.WithComment(value, yamldoc.Value(root, name)))
	}
	if len(root.Content) == 0 {
		return []byte("{}\n"), nil
	}
	return patched(t.VariablesSource, root)
}

// ParseTags returns the tags of a .gitbook/tags.yaml. It ignores the problems of the
// file; Read reports them.
func ParseTags(src []byte) []Tag { return parseTags(tagsName, src, &problems{}) }

// parseTags parses .gitbook/tags.yaml and adds its problems to out.
func parseTags(name string, src []byte, out *problems) []Tag {
	r := yamlReader(name, out)
	n := parseYAML(src, r)
	if n == nil || yamldoc.IsNull(n) {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		r.Problem(n, "the file must be a list")
		return nil
	}
	var tags []Tag
	seen := map[string]bool{}
	for _, c := range n.Content {
		var t Tag
		r.Each(c, "a tag", func(key, v *yaml.Node) {
			switch key.Value {
			case "tag":
				t.Tag = r.Text("tag", v)
			case "label":
				t.Label = r.Text("label", v)
			case "icon":
				t.Icon = r.Text("icon", v)
			case "color":
				t.Color = r.Text("color", v)
			}
		})
		switch {
		case t.Tag == "":
			r.Problem(c, "a tag has no name")
		case seen[t.Tag]:
			r.Problem(c, "the tag %s is listed twice; the first entry counts", t.Tag)
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
		have = parseTags(tagsName, t.TagsSource, &problems{})
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
	return yamldoc.Encode(n)
}

// LayoutOf returns the place of the content and the path of SUMMARY.md below the root,
// according to a .gitbook.yaml. src is nil if the file does not exist. It ignores other
// problems of the file; Read reports them.
func LayoutOf(size int64, src io.Reader) (at Place, summary string, err error) {
	at = Place{Root: ".", Readme: readmeName}
	if src == nil || size > maxConfig {
		return at, summaryName, nil
	}
	b, err := io.ReadAll(src)
	if err != nil {
		return at, summaryName, err
	}
	c, err := parseConfig(b, &problems{})
	return Place{c.root, c.readme}, c.summary, err
}
