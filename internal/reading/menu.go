package reading

import "slices"

// Entry is what a menu needs to know of a page.
type Entry[P any] struct {
	Document bool // a page with a text, not a group or a link
	Listed   bool
	Children []P
}

// Menu is the navigation of a site: which pages readers see, in which order.
// P names a page, such as a pointer to it.
type Menu[P comparable] struct {
	top     []P
	entries map[P]Entry[P]
	parent  map[P]P // of all but the top level
	order   []P
	place   map[P]int
}

// NewMenu returns the menu of some pages and of everything below them.
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

// Listed reports whether a page is listed if everything above it is.
func (m *Menu[P]) Listed(p P) bool { return m.entries[p].Listed }

// Reachable reports whether readers come across a document: it is listed, and
// so is everything above it.
func (m *Menu[P]) Reachable(p P) bool { _, ok := m.place[p]; return ok }

// Order returns the documents that readers come across, in their order.
func (m *Menu[P]) Order() []P { return m.order }

// Around returns the documents before and after one in the order of readers.
// Those that do not exist are zero.
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

// First returns the first document that readers come across below a page.
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

// Above returns the entries that a page is below, from the top down.
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
