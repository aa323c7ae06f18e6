package sitefile

import (
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
)

// variants plans the variants of a section, or of a site without sections.
func (p *planner) variants(parent *node, wanted []*Item) {
	m := matches{}
	m.pair(wanted, parent.children, func(w *Item, n *node) bool { return docs.SlugKey(w.Path) == docs.SlugKey(n.Path) })
	m.pair(wanted, parent.children, func(w *Item, n *node) bool { return w.Space.ID == n.Space.ID })
	early := len(p.root.all(docs.SiteSection))+len(p.root.all(docs.SiteGroup))+len(p.root.all(docs.SiteSpace))+len(wanted) > docs.MaxSiteItems
	if early {
		p.pruneVariants(parent)
	}
	for _, w := range wanted {
		if m[w] == nil {
			m[w] = p.addVariant(parent, w)
		} else {
			p.updateVariant(m[w], w)
		}
	}
	p.pruneVariants(parent)
	p.sort(parent, wanted, m)
	p.defaultVariant(parent, wanted, m)
}

func (p *planner) pruneVariants(parent *node) {
	for _, n := range parent.all(docs.SiteSpace) {
		if !n.matched {
			p.delete(n)
		}
	}
}

func (p *planner) addVariant(parent *node, w *Item) *node {
	n := &node{Item: *w, matched: true}
	n.ID = p.ref()
	if len(parent.children) == 0 {
		parent.def = n
	}
	n.insert(parent, len(parent.children))
	p.condition(w, "")
	body := map[string]any{"spaceId": w.Space.ID}
	if parent != p.root {
		body["sectionId"] = parent.ID
	}
	if w.Condition != "" {
		body["condition"] = w.Condition
	}
	draft := w.Draft || w.Hidden // which only the second call can set
	if draft {
		body["draft"] = true
	}
	made := p.call("POST", body, "site-spaces")
	made.Bind = map[string]Ref{"id": n.ID}
	p.step(Add, fmt.Sprintf("%s (%q)", n.label(), w.Space.Title), made, p.finishVariant(n, n.Condition, draft))
	return n
}

// finishVariant returns the call that sets the fields of a new variant that could not be
// set when it was created. condition and draft are what it was created with.
func (p *planner) finishVariant(n *node, condition string, draft bool) Call {
	var f fields
	f.set("path", "path", n.Path, "", n.Path)
	f.clearable("condition", condition, n.Condition)
	f.flag("hidden", false, n.Hidden)
	f.flag("draft", draft, n.Draft)
	f.localized("localizedTitle", "", n.Titles)
	return p.call("PATCH", f.body, "site-spaces", n.ID)
}

func (p *planner) updateVariant(n *node, w *Item) {
	var f fields
	f.set("path", "path", w.Path, n.Path, w.Path)
	f.clearable("condition", n.Condition, w.Condition)
	f.flag("draft", n.Draft, w.Draft)
	f.flag("hidden", n.Hidden, w.Hidden)
	f.localized("localizedTitle", n.Titles, w.Titles)
	p.condition(w, n.Condition)
	if w.Space.ID != n.Space.ID {
		f.set("spaceId", "space", w.Space.ID, n.Space.Title+" ("+n.Space.ID+")", w.Space.Title+" ("+w.Space.ID+")")
	}
	p.update(f, n.label(), "site-spaces", n.ID)
	n.Path, n.Space = w.Path, w.Space
}

// defaultVariant plans the default variant: the one that the file marks as default, else
// the first one. If the current default is not visible to the caller, it is kept unless
// the file marks a default.
func (p *planner) defaultVariant(parent *node, wanted []*Item, m matches) {
	if len(wanted) == 0 {
		return
	}
	w := chosen(wanted)
	n := m[w]
	if parent.def == n || parent.unknown && !w.Default {
		return
	}
	path := []Ref{}
	if parent != p.root {
		path = []Ref{"sections", parent.ID}
	}
	p.step(Change, "default "+n.label(), p.call("PATCH", map[string]any{"defaultSiteSpace": n.ID}, path...))
	parent.def = n
}

// matches maps items of the file to the nodes of the site that they describe.
type matches map[*Item]*node

// pair matches items and nodes that are not matched yet, in order.
func (m matches) pair(wanted []*Item, nodes []*node, same func(*Item, *node) bool) {
	for _, w := range wanted {
		if m[w] != nil {
			continue
		}
		for _, n := range nodes {
			if !n.matched && n.Kind == w.Kind && same(w, n) {
				m[w], n.matched = n, true
				break
			}
		}
	}
}

// match matches the sections and groups of a file with those of the site. A section is
// matched by its path, else by its title, else by the space of its default variant. A
// group is matched by its title and its parent, because groups cannot be moved.
func match(root *node, wanted []*Item) matches {
	m := matches{}
	var groups func(parent *node, wanted []*Item)
	groups = func(parent *node, wanted []*Item) {
		m.pair(only(wanted, docs.SiteGroup), parent.children, func(w *Item, n *node) bool { return w.Title == n.Title })
		for _, w := range wanted {
			if n := m[w]; n != nil {
				groups(n, w.Items)
			}
		}
	}
	groups(root, wanted)
	sections, have := allSections(wanted), root.all(docs.SiteSection)
	m.pair(sections, have, func(w *Item, n *node) bool { return docs.SlugKey(w.Path) == docs.SlugKey(n.Path) })
	m.pair(sections, have, func(w *Item, n *node) bool { return w.Title == n.Title })
	m.pair(sections, have, func(w *Item, n *node) bool {
		return len(w.Items) > 0 && n.def != nil && chosen(w.Items).Space.ID == n.def.Space.ID
	})
	return m
}

func only(items []*Item, kind docs.SiteItemKind) []*Item {
	var out []*Item
	for _, it := range items {
		if it.Kind == kind {
			out = append(out, it)
		}
	}
	return out
}
