package frontmatter

import (
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// changes returns the new values of the keys that change. A nil value deletes
// the key.
func (e *headEdit) changes(form frontForm, withTitle bool) map[string]*yaml.Node {
	out := map[string]*yaml.Node{}
	was, now := e.old.Meta, e.meta
	put := func(key string, same bool, value func(old *yaml.Node) *yaml.Node) {
		if !same {
			out[key] = value(e.oldValue(key))
		}
	}
	text := func(key, was, now string) {
		put(key, was == now, func(old *yaml.Node) *yaml.Node { return e.text(form, old, now) })
	}
	yes := func(key string, was, now bool) {
		put(key, was == now, func(old *yaml.Node) *yaml.Node {
			if !now {
				return nil
			}
			return yamldoc.WithComment(yamldoc.FromBool(true), old)
		})
	}
	num := func(key string, was, now float64) {
		put(key, was == now, func(old *yaml.Node) *yaml.Node {
			if now == 0 {
				return nil
			}
			return yamldoc.WithComment(yamldoc.FromNumber(now), old)
		})
	}
	if (was.Title != "" || withTitle) && was.Title != e.title {
		text("title", was.Title, e.title)
	}
	text("linkTitle", was.LinkTitle, now.LinkTitle)
	text("description", was.Description, now.Description)
	text("icon", was.Icon, now.Icon)
	text("id", was.ID, now.ID)
	yes("hidden", was.Hidden, now.Hidden)
	yes("noIndex", was.NoIndex, now.NoIndex)
	yes("noRobotsIndex", was.NoRobotsIndex, now.NoRobotsIndex)
	text("if", was.If, now.If)
	put("tags", slices.Equal(was.Tags, now.Tags), func(*yaml.Node) *yaml.Node { return e.tags(form) })
	put("vars", len(was.Vars) == 0 && len(now.Vars) == 0 || reflect.DeepEqual(was.Vars, now.Vars), func(old *yaml.Node) *yaml.Node { return e.vars(form, old) })
	put("cover", was.Cover == now.Cover && was.CoverDark == now.CoverDark, func(old *yaml.Node) *yaml.Node { return e.cover(form, old) })
	num("coverY", was.CoverY, now.CoverY)
	num("coverHeight", was.CoverHeight, now.CoverHeight)
	put("layout", reflect.DeepEqual(was.Layout, now.Layout), func(old *yaml.Node) *yaml.Node { return e.layout(form, old) })
	put("metaLinks", reflect.DeepEqual(was.MetaLinks, now.MetaLinks), func(old *yaml.Node) *yaml.Node { return e.metaLinks(form, old) })
	return out
}

// oldValue returns the value of a key in the old front matter, or nil.
func (e *headEdit) oldValue(key string) *yaml.Node { return yamldoc.Value(e.old.front.root, key) }

// text returns a node for a text, in the same quotes as the old value, or nil for
// an empty text.
func (e *headEdit) text(form frontForm, old *yaml.Node, s string) *yaml.Node {
	if s == "" {
		return nil
	}
	style := yaml.Style(0)
	if old != nil && old.Kind == yaml.ScalarNode {
		style = old.Style & (yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.FoldedStyle)
	}
	if form != changedLines {
		style = yaml.DoubleQuotedStyle
	}
	return yamldoc.WithComment(yamldoc.String(s, style), old)
}

// mappingLike returns a copy of an old mapping for changes, which preserves
// unknown keys. It has no comments: they are on separate lines, which are
// preserved.
func mappingLike(old *yaml.Node) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if old != nil && old.Kind == yaml.MappingNode {
		n.Style = old.Style
		n.Content = slices.Clone(old.Content)
	}
	return n
}

// unlessEmpty returns n, or nil if it has no keys.
func unlessEmpty(n *yaml.Node) *yaml.Node {
	if len(n.Content) == 0 {
		return nil
	}
	return n
}

func (e *headEdit) tags(form frontForm) *yaml.Node {
	if len(e.meta.Tags) == 0 {
		return nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, t := range e.meta.Tags {
		item := e.text(form, nil, t.Tag)
		if t.Primary {
			m := mappingLike(nil)
			yamldoc.Set(m, "tag", item)
			yamldoc.Set(m, "primary", yamldoc.FromBool(true))
			item = m
		}
		n.Content = append(n.Content, item)
	}
	return n
}

func (e *headEdit) vars(form frontForm, old *yaml.Node) *yaml.Node {
	n := mappingLike(old)
	for name := range e.old.Meta.Vars {
		if _, ok := e.meta.Vars[name]; !ok {
			yamldoc.Set(n, name, nil)
		}
	}
	for _, name := range sortedNames(e.meta.Vars) {
		now := e.meta.Vars[name]
		if was, ok := e.old.Meta.Vars[name]; ok && was == now {
			continue
		}
		before := yamldoc.Value(n, name)
		switch v := now.(type) {
		case string:
			value := e.text(form, before, v)
			if value == nil {
				value = yamldoc.String("", yaml.DoubleQuotedStyle)
			}
			yamldoc.Set(n, name, value)
		case float64:
			yamldoc.Set(n, name, yamldoc.WithComment(yamldoc.FromNumber(v), before))
		case bool:
			yamldoc.Set(n, name, yamldoc.WithComment(yamldoc.FromBool(v), before))
		}
	}
	return unlessEmpty(n)
}

func (e *headEdit) cover(form frontForm, old *yaml.Node) *yaml.Node {
	if e.meta.CoverDark == "" && (old == nil || old.Kind == yaml.ScalarNode) {
		return e.text(form, old, e.meta.Cover)
	}
	n := mappingLike(old)
	yamldoc.Set(n, "light", e.text(form, yamldoc.Value(n, "light"), e.meta.Cover))
	yamldoc.Set(n, "dark", e.text(form, yamldoc.Value(n, "dark"), e.meta.CoverDark))
	return unlessEmpty(n)
}

func (e *headEdit) layout(form frontForm, old *yaml.Node) *yaml.Node {
	now, was := e.meta.Layout, e.old.Meta.Layout
	if now.Preset != "" {
		return e.text(form, old, now.Preset)
	}
	n := mappingLike(old)
	if was.Width != now.Width {
		yamldoc.Set(n, "width", e.text(form, yamldoc.Value(n, "width"), now.Width))
	}
	cover := mappingLike(yamldoc.Value(n, "cover"))
	setBool(cover, "visible", was.CoverVisible, now.CoverVisible)
	if was.CoverSize != now.CoverSize {
		yamldoc.Set(cover, "size", e.text(form, yamldoc.Value(cover, "size"), now.CoverSize))
	}
	if was.CoverMask != now.CoverMask {
		yamldoc.Set(cover, "mask", e.text(form, yamldoc.Value(cover, "mask"), now.CoverMask))
	}
	if was.CoverVisible != nil || now.CoverVisible != nil || was.CoverSize+now.CoverSize+was.CoverMask+now.CoverMask != "" {
		yamldoc.Set(n, "cover", unlessEmpty(cover))
	}
	before, after := switches(&was), switches(&now)
	for _, name := range []string{"title", "description", "tableOfContents", "outline", "pagination", "metadata", "tags", "actions", "anchors"} {
		a, b := *before[name], *after[name]
		if a == nil && b == nil {
			continue
		}
		part := mappingLike(yamldoc.Value(n, name))
		setBool(part, "visible", a, b)
		yamldoc.Set(n, name, unlessEmpty(part))
	}
	return unlessEmpty(n)
}

// setBool changes a key of a mapping if the value changed.
func setBool(n *yaml.Node, key string, was, now *bool) {
	switch {
	case now == nil && was != nil:
		yamldoc.Set(n, key, nil)
	case now != nil && (was == nil || *was != *now):
		yamldoc.Set(n, key, yamldoc.WithComment(yamldoc.FromBool(*now), yamldoc.Value(n, key)))
	}
}

func (e *headEdit) metaLinks(form frontForm, old *yaml.Node) *yaml.Node {
	now, was := e.meta.MetaLinks, e.old.Meta.MetaLinks
	n := mappingLike(old)
	if now.Canonical != was.Canonical {
		yamldoc.Set(n, "canonical", e.text(form, yamldoc.Value(n, "canonical"), now.Canonical))
	}
	if !slices.Equal(now.Alternates, was.Alternates) {
		var list *yaml.Node
		if len(now.Alternates) > 0 {
			list = &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
			for _, s := range now.Alternates {
				list.Content = append(list.Content, e.text(form, nil, s))
			}
		}
		yamldoc.Set(n, "alternates", list)
	}
	return unlessEmpty(n)
}
