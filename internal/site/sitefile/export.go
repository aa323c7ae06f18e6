package sitefile

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
	"github.com/octavo-docs/octavo/internal/site/customization"
)

// Export returns the file of a site. Applying the file to the same site changes nothing.
// The warnings name the parts of the site that a file cannot express and that the file
// therefore does not mention.
func Export(c Current, spaces *Spaces) (file []byte, warnings []string, err error) {
	root := mapping()
	c.Settings.UpdatedAt = 0
	name := c.Basename
	if name == "" {
		name = string(c.ID)
	}
	put(root, "site", name)
	put(root, "title", c.Title)
	put(root, "visibility", string(c.Visibility))
	yamldoc.Set(root, "adaptive", yamldoc.FromBool(c.Adaptive))
	yamldoc.Set(root, "publish", yamldoc.FromBool(c.Published))
	e := exporter{spaces}
	if sectioned(c.Items) {
		yamldoc.Set(root, "sections", e.sections(c.Items, firstDefault(allSections(c.Items))))
	} else {
		yamldoc.Set(root, "variants", e.variants(c.Items))
	}
	if look := part(differences(tree(c.Settings), tree(customization.Default(c.Title)), "")); len(look.Content) > 0 {
		yamldoc.Set(root, "customization", look)
	}
	if redirects, warning := exportRedirects(c); warning != "" {
		warnings = append(warnings, warning)
	} else if len(redirects.Content) > 0 {
		yamldoc.Set(root, "redirects", redirects)
	}
	file, err = yamldoc.Encode(root)
	return file, warnings, err
}

type exporter struct{ spaces *Spaces }

func mapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

func list() *yaml.Node { return &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"} }

// put sets a key to a text unless the text is empty.
func put(n *yaml.Node, key, value string) {
	if value != "" {
		yamldoc.Set(n, key, yamldoc.String(value, 0))
	}
}

// flag sets a key to true if on is set.
func flag(n *yaml.Node, key string, on bool) {
	if on {
		yamldoc.Set(n, key, yamldoc.FromBool(true))
	}
}

// localized writes texts by language, unless there are none.
func localized(n *yaml.Node, key string, l docs.Localized) {
	texts := l.Texts()
	if len(texts) == 0 {
		return
	}
	m := mapping()
	for _, language := range slices.Sorted(maps.Keys(texts)) {
		yamldoc.Set(m, language, yamldoc.String(texts[language], 0))
	}
	yamldoc.Set(n, key, m)
}

// firstDefault returns the default item if it is not the first one. Otherwise it returns
// nil, because the first item is the default if the file names none.
func firstDefault(items []*Item) *Item {
	if len(items) > 0 && !items[0].Default {
		if it := chosen(items); it.Default {
			return it
		}
	}
	return nil
}

func (e exporter) sections(items []*Item, def *Item) *yaml.Node {
	out := list()
	for _, it := range items {
		n := mapping()
		if it.Kind == docs.SiteGroup {
			put(n, "group", it.Title)
			localized(n, "localizedTitle", it.Titles)
			put(n, "icon", it.Icon)
			flag(n, "draft", it.Draft)
			yamldoc.Set(n, "sections", e.sections(it.Items, def))
		} else {
			put(n, "title", it.Title)
			localized(n, "localizedTitle", it.Titles)
			put(n, "path", it.Path)
			put(n, "icon", it.Icon)
			put(n, "description", it.Description)
			localized(n, "localizedDescription", it.Descriptions)
			put(n, "condition", it.Condition)
			flag(n, "draft", it.Draft)
			flag(n, "default", it == def)
			yamldoc.Set(n, "variants", e.variants(it.Items))
		}
		out.Content = append(out.Content, n)
	}
	return out
}

func (e exporter) variants(items []*Item) *yaml.Node {
	out := list()
	def := firstDefault(items)
	for _, it := range items {
		n := mapping()
		put(n, "space", e.spaces.Name(it.Space))
		localized(n, "localizedTitle", it.Titles)
		put(n, "path", it.Path)
		put(n, "condition", it.Condition)
		flag(n, "draft", it.Draft)
		flag(n, "hidden", it.Hidden)
		flag(n, "default", it == def)
		out.Content = append(out.Content, n)
	}
	return out
}

// part returns a mapping with the settings that are given by path.
func part(settings map[string]any) *yaml.Node {
	root := mapping()
	for _, path := range slices.Sorted(maps.Keys(settings)) {
		at, keys := root, strings.Split(path, ".")
		for _, key := range keys[:len(keys)-1] {
			inner := yamldoc.Value(at, key)
			if inner == nil {
				inner = mapping()
				yamldoc.Set(at, key, inner)
			}
			at = inner
		}
		yamldoc.Set(at, keys[len(keys)-1], value(settings[path]))
	}
	return root
}

// value returns the node of a JSON value.
func value(v any) *yaml.Node {
	switch v := v.(type) {
	case string:
		return yamldoc.String(v, 0)
	case bool:
		return yamldoc.FromBool(v)
	case float64:
		return yamldoc.FromNumber(v)
	case []any:
		n := list()
		for _, e := range v {
			n.Content = append(n.Content, value(e))
		}
		return n
	case map[string]any:
		n := mapping()
		for _, key := range slices.Sorted(maps.Keys(v)) {
			yamldoc.Set(n, key, value(v[key]))
		}
		return n
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}
}

// exportRedirects returns the redirects of a site, or the reason why a file cannot list
// them. A file without the key leaves the redirects of the site unchanged.
func exportRedirects(c Current) (*yaml.Node, string) {
	out := list()
	if len(c.Redirects) > MaxRedirects {
		return nil, fmt.Sprintf("the site has %d redirects, and a file can list %d: the file has none and leaves them as they are", len(c.Redirects), MaxRedirects)
	}
	sections, variants := map[string]string{}, map[string][2]string{}
	for _, sec := range allSections(c.Items) {
		sections[string(sec.ID)] = sec.Path
		for _, v := range sec.Items {
			variants[string(v.ID)] = [2]string{sec.Path, v.Path}
		}
	}
	for _, v := range c.Items {
		if v.Kind == docs.SiteSpace {
			variants[string(v.ID)] = [2]string{"", v.Path}
		}
	}
	for _, r := range c.Redirects {
		n, d := mapping(), r.Destination
		put(n, "from", string(r.Source))
		section, variant := sections[d.Section], variants[d.Space]
		switch {
		case d.Kind == docs.RedirectExternal:
			put(n, "to", d.URL)
		case d.Kind == docs.RedirectSection && section != "":
			put(n, "section", section)
		case d.Kind != docs.RedirectSection && variant[1] != "":
			put(n, "section", variant[0])
			put(n, "variant", variant[1])
			put(n, "page", string(d.Page))
		default:
			return nil, fmt.Sprintf("the redirect %s leads to something that the site does not have, or that you cannot see: the file lists no redirects and leaves them as they are", r.Source)
		}
		flag(n, "draft", r.Draft)
		flag(n, "captureWildcard", r.KeepSuffix)
		flag(n, "permanent", r.Permanent)
		out.Content = append(out.Content, n)
	}
	return out, ""
}
