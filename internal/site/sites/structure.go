package sites

import (
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// Structure is the ordered tree of one site in memory. Its methods enforce the following
// rules. If a change violates them, the error names the field of the request:
//
//   - The site contains either site spaces, or sections, groups and links. A section
//     contains site spaces. A group contains sections, groups and links.
//   - The paths of sections are unique in the site, because groups are not part of an
//     address. The paths of site spaces are unique in their section.
//   - If a site has sections, exactly one is the default. If a section, or the site
//     itself, contains site spaces, exactly one of them is the default.
//   - There are at most docs.MaxSiteItems items. Groups are nested at most
//     docs.MaxSiteGroupDepth levels deep.
//
// A method that returns an error may have modified the structure, which must then be
// discarded.
type Structure struct {
	title    string // of the site
	newID    func(docs.SiteItemKind) docs.SiteItemID
	items    map[docs.SiteItemID]docs.SiteItem
	children map[docs.SiteItemID][]docs.SiteItemID // in order; "" has the children of the site
}

// maxRank is the maximum length of a rank. If a rank gets longer, all siblings get new ranks.
const maxRank = 64

// NewStructure returns the tree of items that are sorted by rank. The function newID is called
// for each item that is added.
func NewStructure(title string, items []docs.SiteItem, newID func(docs.SiteItemKind) docs.SiteItemID) *Structure {
	s := &Structure{
		title: title, newID: newID,
		items: make(map[docs.SiteItemID]docs.SiteItem, len(items)), children: map[docs.SiteItemID][]docs.SiteItemID{},
	}
	for _, it := range items {
		s.items[it.ID] = it
		s.children[it.Parent] = append(s.children[it.Parent], it.ID)
	}
	return s
}

// Len returns the number of items.
func (s *Structure) Len() int { return len(s.items) }

// Item returns the item with a kind and an id. The error is NotFound if there is none.
func (s *Structure) Item(kind docs.SiteItemKind, id docs.SiteItemID) (docs.SiteItem, error) {
	it, ok := s.items[id]
	if !ok || it.Kind != kind {
		return it, errs.Missing(nouns[kind])
	}
	return it, nil
}

var nouns = map[docs.SiteItemKind]string{
	docs.SiteSection: "site section", docs.SiteGroup: "site section group", docs.SiteSpace: "site space",
	docs.SiteLink: "external link",
}

// itemInField is Item for an id in the body of a request.
func (s *Structure) itemInField(field string, kind docs.SiteItemKind, id docs.SiteItemID) (docs.SiteItem, error) {
	it, err := s.Item(kind, id)
	if err != nil {
		err = errs.At(errs.NotFound, field, "there is no %s %q in the site", nouns[kind], id)
	}
	return it, err
}

// Children returns the children of an item in order. If parent is empty, that is the site.
func (s *Structure) Children(parent docs.SiteItemID) []docs.SiteItem {
	out := make([]docs.SiteItem, 0, len(s.children[parent]))
	for _, id := range s.children[parent] {
		out = append(out, s.items[id])
	}
	return out
}

// Listed returns the children of an item that navigation shows to a reader of a site space:
// those that are not hidden, and the one that is read. Sections and groups in which everything
// is hidden are left out.
func (s *Structure) Listed(parent, current docs.SiteItemID) []docs.SiteItem {
	return slices.DeleteFunc(s.Children(parent), func(it docs.SiteItem) bool {
		switch it.Kind {
		case docs.SiteSpace:
			return it.Hidden && it.ID != current
		case docs.SiteLink:
			return false
		}
		return len(s.Listed(it.ID, current)) == 0
	})
}

// Entry returns the site space to which navigation leads readers of a section: its default, or
// the first one that navigation shows if the default is hidden.
func (s *Structure) Entry(section, current docs.SiteItemID) (docs.SiteItem, bool) {
	listed := s.Listed(section, current)
	if it, ok := defaultOf(listed); ok {
		return it, true
	}
	if len(listed) == 0 {
		return docs.SiteItem{}, false
	}
	return listed[0], true
}

// AllListed returns the site spaces that are not hidden.
func (s *Structure) AllListed() []docs.SiteItem {
	return slices.DeleteFunc(s.All(docs.SiteSpace), func(it docs.SiteItem) bool { return it.Hidden })
}

// All returns the items of a kind in the order of the tree.
func (s *Structure) All(kind docs.SiteItemKind) []docs.SiteItem {
	var out []docs.SiteItem
	var walk func(parent docs.SiteItemID)
	walk = func(parent docs.SiteItemID) {
		for _, it := range s.Children(parent) {
			if it.Kind == kind {
				out = append(out, it)
			}
			walk(it.ID)
		}
	}
	walk("")
	return out
}

// SortKey returns a sort key for an item. Keys sort in the order of the tree, and do not change
// when other items are added or removed.
func (s *Structure) SortKey(it docs.SiteItem) string {
	place := string(it.Rank) + "\x00" + string(it.ID)
	for it.Parent != "" {
		it = s.items[it.Parent]
		place = string(it.Rank) + "\x00" + string(it.ID) + "\x01" + place
	}
	return place
}

// HasSections reports whether the children of the site are sections, groups or links instead
// of site spaces.
func (s *Structure) HasSections() bool {
	top := s.children[""]
	return len(top) > 0 && s.items[top[0]].Kind != docs.SiteSpace
}

// Default returns the default site space of a section, or of the site if section is empty.
func (s *Structure) Default(section docs.SiteItemID) (docs.SiteItem, bool) {
	return defaultOf(s.Children(section))
}

// DefaultSection returns the default section of the site.
func (s *Structure) DefaultSection() (docs.SiteItem, bool) { return defaultOf(s.All(docs.SiteSection)) }

func defaultOf(items []docs.SiteItem) (docs.SiteItem, bool) {
	if i := slices.IndexFunc(items, func(it docs.SiteItem) bool { return it.Default }); i >= 0 {
		return items[i], true
	}
	return docs.SiteItem{}, false
}

// level returns the items that share one default with an item: all sections of the site, or a
// site space and its siblings.
func (s *Structure) level(it docs.SiteItem) []docs.SiteItem {
	switch it.Kind {
	case docs.SiteSection:
		return s.All(docs.SiteSection)
	case docs.SiteSpace:
		return s.Children(it.Parent)
	}
	return nil
}

// setDefault makes an item the only default of its level.
func (s *Structure) setDefault(it docs.SiteItem) {
	for _, other := range s.level(it) {
		other.Default = other.ID == it.ID
		s.items[other.ID] = other
	}
}

// place inserts an item among the children of a parent at an index, and sets its rank.
func (s *Structure) place(it docs.SiteItem, parent docs.SiteItemID, index int) {
	all := slices.Insert(slices.Clone(s.children[parent]), index, it.ID)
	s.children[parent] = all
	var before, behind docs.Rank
	if index > 0 {
		before = s.items[all[index-1]].Rank
	}
	if index+1 < len(all) {
		behind = s.items[all[index+1]].Rank
	}
	it.Parent = parent
	if behind == "" {
		it.Rank = docs.RankAfter(before)
	} else {
		it.Rank = docs.RankBetween(before, behind)
	}
	s.items[it.ID] = it
	if len(it.Rank) > maxRank {
		s.rerank(parent)
	}
}

// rerank sets short ranks of the children of an item, and keeps their order.
func (s *Structure) rerank(parent docs.SiteItemID) {
	var last docs.Rank
	for _, it := range s.Children(parent) {
		last = docs.RankAfter(last)
		it.Rank = last
		s.items[it.ID] = it
	}
}

// detach removes an item from the children of its parent, but not from items.
func (s *Structure) detach(it docs.SiteItem) {
	s.children[it.Parent] = slices.DeleteFunc(slices.Clone(s.children[it.Parent]), func(id docs.SiteItemID) bool { return id == it.ID })
}

// add adds an item at the end of a parent. The first item of a level becomes its default.
func (s *Structure) add(it docs.SiteItem, parent docs.SiteItemID) (docs.SiteItem, error) {
	if len(s.items) >= docs.MaxSiteItems {
		return it, errs.Field("", "would give the site more than %d sections, groups, spaces and links; delete some first", docs.MaxSiteItems)
	}
	it.ID, it.Parent = s.newID(it.Kind), parent
	if it.Kind.HasPath() {
		level := s.level(it)
		it.Path, it.Default = freePath(it.Title, level), len(level) == 0
	}
	s.place(it, parent, len(s.children[parent]))
	return s.items[it.ID], nil
}

// freePath returns a path for a title that no item of a level has. That is the slug of the
// title, with a number appended if it is taken.
func freePath(title string, level []docs.SiteItem) string {
	base := docs.SitePathOf(title)
	taken := map[string]bool{}
	for _, it := range level {
		if rest, ok := strings.CutPrefix(docs.SlugKey(it.Path), base); ok && strings.Trim(rest, "-0123456789") == "" {
			taken[rest] = true
		}
	}
	if !taken[""] {
		return base
	}
	n := len(taken) + 1 // free unless somebody chose a path with this number
	for taken["-"+strconv.Itoa(n)] {
		n++
	}
	return base + "-" + strconv.Itoa(n)
}

// setPath sets the path of an item. It returns an error if another item of its level has
// that path.
func (s *Structure) setPath(it *docs.SiteItem, path string) error {
	const field = "path"
	path = names.Normal(path)
	if err := docs.CheckSitePath(field, path); err != nil {
		return err
	}
	for _, other := range s.level(*it) {
		if other.ID != it.ID && docs.SlugKey(other.Path) == docs.SlugKey(path) {
			return errs.Taken(field, "is taken by %q; choose another", other.Title)
		}
	}
	it.Path = path
	return nil
}

// remove deletes an item and its children. If the item was a default, the next item of its
// level becomes the default.
func (s *Structure) remove(it docs.SiteItem) {
	level := s.level(it)
	if i := slices.IndexFunc(level, func(other docs.SiteItem) bool { return other.ID == it.ID }); it.Default && len(level) > 1 {
		if i++; i == len(level) {
			i = len(level) - 2
		}
		s.setDefault(level[i])
	}
	for _, in := range s.Children(it.ID) {
		delete(s.items, in.ID)
	}
	delete(s.children, it.ID)
	s.detach(it)
	delete(s.items, it.ID)
}

// Filter returns the structure with only the items for which keep is true. Sections and groups
// that become empty are removed too. If a level loses its default, its first item becomes
// the default. Addresses do not change.
func (s *Structure) Filter(keep func(docs.SiteItem) bool) *Structure {
	out := NewStructure(s.title, nil, s.newID)
	var walk func(parent docs.SiteItemID)
	walk = func(parent docs.SiteItemID) {
		for _, it := range s.Children(parent) {
			if !keep(it) {
				continue
			}
			walk(it.ID)
			if it.Kind == docs.SiteSpace || it.Kind == docs.SiteLink || len(out.children[it.ID]) > 0 {
				out.items[it.ID] = it
				out.children[parent] = append(out.children[parent], it.ID)
			}
		}
	}
	walk("")
	out.pickDefaults()
	return out
}

// pickDefaults makes the first item of every level without a default the default, if possible
// one that is not hidden.
func (s *Structure) pickDefaults() {
	pick := func(level []docs.SiteItem) {
		if _, ok := defaultOf(level); ok || len(level) == 0 {
			return
		}
		s.setDefault(level[max(0, slices.IndexFunc(level, func(it docs.SiteItem) bool { return !it.Hidden }))])
	}
	sections := s.All(docs.SiteSection)
	pick(sections)
	for _, sec := range sections {
		pick(s.Children(sec.ID))
	}
	if !s.HasSections() { // otherwise the default section can be in a group
		pick(s.Children(""))
	}
}
