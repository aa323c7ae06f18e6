package reading

import "slices"

// Entry is the part of a page that a menu needs.
type Entry[P any] struct {
	Document bool // a page with content, not a group or a link
	Listed   bool
	Children []P
}

// Menu is the navigation of a site: the pages that readers see, in order. P identifies a page,
// such as a pointer to it.
type Menu[P comparable] struct {
	top     []P
	entries map[P]Entry[P]
	parent  map[P]P // not set for the top level
	order   []P
	place   map[P]int
}

// NewMenu returns the menu of the given pages and their descendants.
func NewMenu[P comparable](top []P, entry func(P) Entry[P]) *Menu[P] {
	m := &Menu[P]{top: top, entries: map[P]Entry[P]{}, parent: map[P]P{}, place: map[P]int{}}
	m.add(top, true, entry)
	return m
}

func (m *Menu[P]) add(pages []P, shown bool, entry func(P) Entry[P]) {
	for _, p := range pages {
		e := entry(p)
		m.entries[p] = e
		visible := shown && e.Listed
		if visible && e.Document {
			m.place[p] = len(m.order)
			m.order = append(m.order, p)
		}
		for _, c := range e.Children {
			m.parent[c] = p
		}
		m.add(e.Children, visible, entry)
	}
}

// Len returns the number of all entries, listed or not.
func (m *Menu[P]) Len() int { return len(m.entries) }

// Has reports whether a page is in the menu, listed or not.
func (m *Menu[P]) Has(p P) bool { _, ok := m.entries[p]; return ok }

// Listed reports whether a page is listed, regardless of its ancestors.
func (m *Menu[P]) Listed(p P) bool { return m.entries[p].Listed }

// Reachable reports whether readers can reach a document by navigation: the document and all of
// its ancestors are listed.
func (m *Menu[P]) Reachable(p P) bool { _, ok := m.place[p]; return ok }

// Order returns the reachable documents in order.
func (m *Menu[P]) Order() []P { return m.order }

// Around returns the previous and the next reachable document. Each is zero if it does not
// exist.
func (m *Menu[P]) Around(p P) (before, after P) {
	at, ok := m.place[p]
	if !ok {
		return before, after
	}
	if at > 0 {
		before = m.order[at-1]
	}
	if at+1 < len(m.order) {
		after = m.order[at+1]
	}
	return before, after
}

// First returns the first reachable document among the descendants of a page.
func (m *Menu[P]) First(p P) (first P, ok bool) {
	for _, c := range m.entries[p].Children {
		if m.Reachable(c) {
			return c, true
		}
		if first, ok = m.First(c); ok {
			return first, true
		}
	}
	return first, false
}

// Above returns the ancestors of a page, from the top down.
func (m *Menu[P]) Above(p P) []P {
	var out []P
	for up, ok := m.parent[p]; ok; up, ok = m.parent[up] {
		out = append(out, up)
	}
	slices.Reverse(out)
	return out
}

// Walk calls fn for every entry that readers see, from the top down.
func (m *Menu[P]) Walk(fn func(p P, depth int)) { m.walk(m.top, 0, fn) }

func (m *Menu[P]) walk(pages []P, depth int, fn func(P, int)) {
	for _, p := range pages {
		if e := m.entries[p]; e.Listed {
			fn(p, depth)
			m.walk(e.Children, depth+1, fn)
		}
	}
}
