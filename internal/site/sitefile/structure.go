package sitefile

import (
	"cmp"
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/lis"
)

// structure plans either the sections and groups of the site, or its variants.
func (p *planner) structure(title string, wanted []*Item) error {
	have := len(p.root.children) > 0
	flat := have && p.root.children[0].Kind == docs.SiteSpace
	switch {
	case len(wanted) == 0, !sectioned(wanted) && have && !flat:
		p.clear()
	case sectioned(wanted) && flat && len(p.root.children)+2 > docs.MaxSiteItems:
		p.clear() // the site has too many items to add the section
	case sectioned(wanted) && flat:
		p.wrap(title)
	}
	if !sectioned(wanted) {
		p.variants(p.root, wanted)
		return nil
	}
	return p.sections(wanted)
}

// clear plans the deletion of all items of the site.
func (p *planner) clear() {
	for _, kind := range []docs.SiteItemKind{docs.SiteSection, docs.SiteGroup, docs.SiteSpace} {
		for _, n := range p.root.all(kind) {
			p.delete(n)
		}
	}
}

// wrap plans a section that holds all variants of a site without sections. The server
// creates that section when a site gets its first section or group.
func (p *planner) wrap(title string) {
	sec, group := &node{Item: Item{Kind: docs.SiteSection, ID: p.ref(), Title: title, Path: docs.SitePathOf(title)}, parent: p.root}, p.ref()
	made := p.call("POST", map[string]any{"title": "Sections"}, "section-groups")
	made.Bind = map[string]Ref{"id": group}
	look := p.call("GET", nil, "sections")
	look.Bind = map[string]Ref{"items.0.id": sec.ID}
	p.step(Add, fmt.Sprintf("section %s (%q) with all variants of the site", sec.Path, title), made, look, p.call("DELETE", nil, "section-groups", group))

	sec.children, sec.def, sec.unknown = p.root.children, p.root.def, p.root.unknown
	for _, v := range sec.children {
		v.parent = sec
	}
	p.root.children, p.root.def, p.root.unknown = []*node{sec}, sec, false
}

// delete plans the deletion of an item. The children of a group move to the parent of the
// group.
func (p *planner) delete(n *node) {
	p.step(Delete, n.label(), p.call("DELETE", nil, collection(n.Kind), n.ID))
	if n.Kind == docs.SiteGroup {
		parent, at := n.parent, n.index()
		for i, c := range n.children {
			c.insert(parent, at+i)
		}
	}
	for _, at := range []*node{p.root, n.parent} {
		if at.def == n {
			at.def = nil
		}
	}
	n.remove()
}

// collection returns the path element of the API for items of a kind.
func collection(kind docs.SiteItemKind) Ref {
	switch kind {
	case docs.SiteSection:
		return "sections"
	case docs.SiteGroup:
		return "section-groups"
	}
	return "site-spaces"
}

// sections plans a site with sections. Items that are no longer wanted are deleted after
// new items are created, so that an interrupted plan loses nothing. They are deleted
// first only if the site would otherwise exceed the limit of items.
func (p *planner) sections(wanted []*Item) error {
	m := match(p.root, wanted)
	for _, w := range allSections(wanted) {
		if m[w] == nil && len(w.Items) == 0 {
			return fmt.Errorf("line %d: the section %q is new and has no variants; it needs at least one", w.line, w.Title)
		}
	}
	have := len(p.root.all(docs.SiteSection)) + len(p.root.all(docs.SiteGroup)) + len(p.root.all(docs.SiteSpace))
	early := have+count(wanted) > docs.MaxSiteItems
	if early {
		p.prune()
	}
	p.place(p.root, wanted, m)
	p.prune()
	p.order(p.root, wanted, m)
	p.defaultSection(allSections(wanted), m)
	return nil
}

// prune plans the deletion of sections and groups that the file does not mention.
func (p *planner) prune() {
	for _, kind := range []docs.SiteItemKind{docs.SiteSection, docs.SiteGroup} {
		for _, n := range p.root.all(kind) {
			if !n.matched {
				p.delete(n)
			}
		}
	}
}

// place plans the items of a group or the site, and all their descendants.
func (p *planner) place(parent *node, wanted []*Item, m matches) {
	for _, w := range wanted {
		n := m[w]
		if w.Kind == docs.SiteGroup {
			if n == nil {
				n = p.addGroup(parent, w)
				m[w] = n
			} else {
				var f fields
				f.clearable("icon", n.Icon, w.Icon)
				f.flag("draft", n.Draft, w.Draft)
				f.localized("localizedTitle", n.Titles, w.Titles)
				p.update(f, n.label(), "section-groups", n.ID)
			}
			p.place(n, w.Items, m)
			continue
		}
		if n == nil {
			n = p.addSection(w)
			m[w] = n
		} else {
			p.updateSection(n, w)
		}
		p.variants(n, w.Items)
		p.regroup(n, parent)
	}
}

func (p *planner) addGroup(parent *node, w *Item) *node {
	n := &node{Item: *w, matched: true}
	n.ID, n.Items = p.ref(), nil
	body := map[string]any{"title": w.Title}
	if w.Icon != "" {
		body["icon"] = w.Icon
	}
	if parent != p.root {
		body["parent"] = parent.ID
	}
	if w.Draft {
		body["draft"] = true
	}
	c := p.call("POST", body, "section-groups")
	c.Bind = map[string]Ref{"id": n.ID}
	calls := []Call{c}
	var f fields
	if f.localized("localizedTitle", "", w.Titles); len(f.body) > 0 {
		calls = append(calls, p.call("PATCH", f.body, "section-groups", n.ID))
	}
	p.step(Add, n.label(), calls...)
	n.insert(parent, len(parent.children))
	return n
}

// hidden is a condition that is never true.
const hidden = "false"

// addSection plans a section with its first variant. The path of the section and the
// condition of the variant can only be set in later calls. If the variant has a
// condition, or is a draft or hidden, the section is hidden until then.
func (p *planner) addSection(w *Item) *node {
	n := &node{Item: *w, matched: true}
	n.ID, n.Items = p.ref(), nil
	first := &node{Item: *w.Items[0], parent: n}
	first.ID = p.ref()
	n.children, n.def = []*node{first}, first
	if len(p.root.all(docs.SiteSection)) == 0 {
		p.root.def = n
	}
	p.condition(w, "")
	p.condition(w.Items[0], "")
	body := map[string]any{"title": w.Title, "spaceId": first.Space.ID}
	if w.Icon != "" {
		body["icon"] = w.Icon
	}
	condition := w.Condition
	if first.Condition != "" || first.Draft || first.Hidden {
		condition = hidden
	}
	if condition != "" {
		body["condition"] = condition
	}
	if w.Draft {
		body["draft"] = true
	}
	made := p.call("POST", body, "sections")
	made.Bind = map[string]Ref{"id": n.ID, "siteSpaces.0.id": first.ID}
	var f fields
	f.set("path", "path", w.Path, "", w.Path)
	f.clearable("description", "", w.Description)
	f.localized("localizedTitle", "", w.Titles)
	f.localized("localizedDescription", "", w.Descriptions)
	f.clearable("condition", condition, w.Condition)
	p.step(Add, fmt.Sprintf("section %s (%q) with the variant %s (%q)", w.Path, w.Title, first.Path, first.Space.Title),
		made, p.finishVariant(first, "", false), p.call("PATCH", f.body, "sections", n.ID))
	n.insert(p.root, len(p.root.children))
	return n
}

func (p *planner) updateSection(n *node, w *Item) {
	var f fields
	f.set("title", "title", w.Title, n.Title, w.Title)
	f.set("path", "path", w.Path, n.Path, w.Path)
	f.clearable("icon", n.Icon, w.Icon)
	f.clearable("description", n.Description, w.Description)
	f.localized("localizedTitle", n.Titles, w.Titles)
	f.localized("localizedDescription", n.Descriptions, w.Descriptions)
	f.clearable("condition", n.Condition, w.Condition)
	f.flag("draft", n.Draft, w.Draft)
	p.condition(w, n.Condition)
	p.update(f, n.label(), "sections", n.ID)
	n.Title, n.Path = w.Title, w.Path
}

// regroup plans the moves of a section into another group, or out of all groups.
func (p *planner) regroup(n, parent *node) {
	switch {
	case n.parent == parent:
	case parent != p.root:
		p.step(Change, "move "+n.label()+" into the "+parent.label(), p.call("POST", map[string]any{"sectionId": n.ID}, "section-groups", parent.ID, "sections"))
		n.remove()
		n.insert(parent, len(parent.children))
	default:
		for n.parent != p.root {
			group := n.parent
			p.step(Change, "move "+n.label()+" out of the "+group.label(), p.call("DELETE", nil, "section-groups", group.ID, "sections", n.ID))
			n.remove()
			n.insert(group.parent, group.index()+1)
		}
	}
}

// order plans the order of the items of the site and of its groups.
func (p *planner) order(parent *node, wanted []*Item, m matches) {
	p.sort(parent, wanted, m)
	for _, w := range wanted {
		if w.Kind == docs.SiteGroup {
			p.order(m[w], w.Items, m)
		}
	}
}

// sort plans the smallest number of moves that bring the children into the wanted order.
func (p *planner) sort(parent *node, wanted []*Item, m matches) {
	stays := map[*node]bool{}
	at := make([]int, len(wanted))
	for i, w := range wanted {
		at[i] = m[w].index()
	}
	for _, i := range lis.Longest(at, cmp.Compare[int]) {
		stays[m[wanted[i]]] = true
	}
	for i, w := range wanted {
		n := m[w]
		if stays[n] {
			continue
		}
		n.remove()
		side, mark, to := "before", (*node)(nil), 0
		if i > 0 {
			side, mark = "after", m[wanted[i-1]]
			to = mark.index() + 1
		} else {
			mark = parent.children[0]
		}
		n.insert(parent, to)
		p.step(Change, fmt.Sprintf("move %s %s %s", n.label(), side, mark.label()), p.call("PATCH", map[string]any{
			"item": pointer(n), "position": map[string]any{side: pointer(mark)},
		}, "structure", "sort"))
	}
}

func pointer(n *node) map[string]any { return map[string]any{"type": n.Kind, "id": n.ID} }

// defaultSection plans the default section: the one that the file marks as default, else
// the first one.
func (p *planner) defaultSection(wanted []*Item, m matches) {
	if len(wanted) == 0 {
		return
	}
	if n := m[chosen(wanted)]; p.root.def != n {
		p.step(Change, "default "+n.label(), p.call("PATCH", map[string]any{"defaultSiteSection": n.ID}))
		p.root.def = n
	}
}

func chosen(items []*Item) *Item {
	for _, it := range items {
		if it.Default {
			return it
		}
	}
	return items[0]
}
