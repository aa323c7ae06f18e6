package sites

import (
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
)

// AddSpace adds a space at the end of a section. If section is empty, that is the default
// section, or the site itself if it has no sections.
func (s *Structure) AddSpace(section docs.SiteItemID, sp docs.Space) (docs.SiteItem, error) {
	if section != "" {
		if _, err := s.itemInField("sectionId", docs.SiteSection, section); err != nil {
			return docs.SiteItem{}, err
		}
	} else if s.HasSections() {
		def, ok := s.DefaultSection()
		if !ok {
			return docs.SiteItem{}, errs.Field("sectionId", "is required: the site has groups but no section yet; add a section first")
		}
		section = def.ID
	}
	return s.add(docs.SiteItem{Kind: docs.SiteSpace, Title: sp.Title, Space: sp.ID}, section)
}

// SpacePatch is a change of a site space.
type SpacePatch struct {
	Path           opt.Val[string]
	Condition      opt.Val[string]
	Space          opt.Val[docs.SpaceID]
	Hidden         opt.Val[bool]
	Draft          opt.Val[bool]
	LocalizedTitle opt.Val[map[string]string]
}

// UpdateSpace changes a site space. The title is the title of the space that it refers to after
// the change.
func (s *Structure) UpdateSpace(id docs.SiteItemID, p SpacePatch, title string) (docs.SiteItem, error) {
	it, err := s.Item(docs.SiteSpace, id)
	if err != nil {
		return it, err
	}
	if path, ok := p.Path.Get(); ok {
		if err := s.setPath(&it, path); err != nil {
			return it, err
		}
	}
	it.Condition, it.Space, it.Title = p.Condition.Or(it.Condition), p.Space.Or(it.Space), title
	it.Hidden, it.Draft, it.LocalizedTitle = p.Hidden.Or(it.Hidden), p.Draft.Or(it.Draft), localized(p.LocalizedTitle, it.LocalizedTitle)
	it.Trashed = it.Trashed && !p.Space.IsSet() // a space in the trash cannot be chosen
	it.Withheld = it.Withheld && !p.Space.IsSet()
	s.items[id] = it
	return it, nil
}

// localized returns texts in several languages after a change.
func localized(p opt.Val[map[string]string], now docs.Localized) docs.Localized {
	if !p.IsSet() {
		return now
	}
	return docs.NewLocalized(p.Or(nil))
}

// AddSection adds a section with one site space at the end of the site. If the site has site
// spaces but no sections, they are moved into a section first. That section has the title of
// the site and becomes its default.
func (s *Structure) AddSection(title, icon string, sp docs.Space) (docs.SiteItem, error) {
	if err := s.wrapInSection(); err != nil {
		return docs.SiteItem{}, err
	}
	if title == "" {
		title = sp.Title
	}
	if utf8.RuneCountInString(title) < 2 { // the title of a space can be a single character
		title = s.title
	}
	sec, err := s.add(docs.SiteItem{Kind: docs.SiteSection, Title: title, Icon: icon}, "")
	if err != nil {
		return sec, err
	}
	_, err = s.AddSpace(sec.ID, sp)
	return sec, err
}

// wrapInSection moves the site spaces of a site without sections into a new section.
func (s *Structure) wrapInSection() error {
	if s.HasSections() || len(s.children[""]) == 0 {
		return nil
	}
	inside := s.Children("")
	delete(s.children, "")
	sec, err := s.add(docs.SiteItem{Kind: docs.SiteSection, Title: s.title}, "")
	if err != nil {
		return err
	}
	for _, it := range inside {
		it.Parent = sec.ID
		s.items[it.ID] = it
		s.children[sec.ID] = append(s.children[sec.ID], it.ID)
	}
	return nil
}

// SectionPatch is a change of a section.
type SectionPatch struct {
	Title        opt.Val[string]
	Path         opt.Val[string]
	Icon         opt.Val[string]
	Description  opt.Val[string]
	Condition    opt.Val[string]
	DefaultSpace opt.Val[docs.SiteItemID]
	Draft        opt.Val[bool]
	Group        opt.Val[docs.SiteItemID] // that contains it; empty for the site

	LocalizedTitle       opt.Val[map[string]string]
	LocalizedDescription opt.Val[map[string]string]
}

// UpdateSection changes a section.
func (s *Structure) UpdateSection(id docs.SiteItemID, p SectionPatch) (docs.SiteItem, error) {
	it, err := s.Item(docs.SiteSection, id)
	if err != nil {
		return it, err
	}
	if path, ok := p.Path.Get(); ok {
		if err := s.setPath(&it, path); err != nil {
			return it, err
		}
	}
	it.Title, it.Icon, it.Description = p.Title.Or(it.Title), p.Icon.Or(it.Icon), p.Description.Or(it.Description)
	it.Condition, it.Draft = p.Condition.Or(it.Condition), p.Draft.Or(it.Draft)
	it.LocalizedTitle, it.LocalizedDescription = localized(p.LocalizedTitle, it.LocalizedTitle), localized(p.LocalizedDescription, it.LocalizedDescription)
	s.items[id] = it
	if it, err = s.moveInto("siteSectionGroupId", it, p.Group.Or(it.Parent)); err != nil {
		return it, err
	}
	if def, ok := p.DefaultSpace.Get(); ok {
		return it, s.SetDefaultSpace(id, def)
	}
	return it, nil
}

// moveInto moves a section or a group to the end of another group, or of the site. What is
// there already does not move.
func (s *Structure) moveInto(field string, it docs.SiteItem, parent docs.SiteItemID) (docs.SiteItem, error) {
	if parent == it.Parent {
		return it, nil
	}
	if err := s.checkParent(field, parent, s.groupHeight(it)); err != nil {
		return it, err
	}
	for at := parent; at != ""; at = s.items[at].Parent {
		if at == it.ID {
			return it, errs.Field(field, "is the group itself or a group in it; choose another")
		}
	}
	s.detach(it)
	s.place(it, parent, len(s.children[parent]))
	return s.items[it.ID], nil
}

// groupHeight returns the number of levels of groups that an item adds to its parent.
func (s *Structure) groupHeight(it docs.SiteItem) (height int) {
	if it.Kind != docs.SiteGroup {
		return 0
	}
	for _, in := range s.Children(it.ID) {
		height = max(height, s.groupHeight(in))
	}
	return height + 1
}

// checkParent returns an error for the field unless a parent is a group, or the site if it is
// empty, that can contain so many levels of groups.
func (s *Structure) checkParent(field string, parent docs.SiteItemID, height int) error {
	if parent != "" {
		if _, err := s.itemInField(field, docs.SiteGroup, parent); err != nil {
			return err
		}
	}
	depth := height
	for at := parent; at != ""; at = s.items[at].Parent {
		depth++
	}
	if height > 0 && depth > docs.MaxSiteGroupDepth {
		return errs.Field(field, "is %d levels deep, which is the maximum; choose a group further up", docs.MaxSiteGroupDepth)
	}
	return nil
}

// SetDefaultSpace makes a site space the default of a section. If section is empty, it becomes
// the default of a site without sections.
func (s *Structure) SetDefaultSpace(section, id docs.SiteItemID) error {
	it, err := s.itemInField("defaultSiteSpace", docs.SiteSpace, id)
	if err != nil {
		return err
	}
	if it.Parent != section {
		return errs.Field("defaultSiteSpace", "is not in the section; name one of its own site spaces")
	}
	s.setDefault(it)
	return nil
}

// SetDefaults makes a section the default of the site. It makes a site space the default of
// the default section, or of a site without sections. An empty id changes nothing.
func (s *Structure) SetDefaults(section, space docs.SiteItemID) error {
	if section != "" {
		it, err := s.itemInField("defaultSiteSection", docs.SiteSection, section)
		if err != nil {
			return err
		}
		s.setDefault(it)
	}
	if space == "" {
		return nil
	}
	def, _ := s.DefaultSection()
	return s.SetDefaultSpace(def.ID, space)
}

// AddGroup adds a group at the end of a parent group or of the site, and moves sections into
// it in the given order.
func (s *Structure) AddGroup(title, icon string, parent docs.SiteItemID, sections []docs.SiteItemID) (docs.SiteItem, error) {
	if err := s.wrapInSection(); err != nil {
		return docs.SiteItem{}, err
	}
	if err := s.checkParent("parent", parent, 1); err != nil {
		return docs.SiteItem{}, err
	}
	group, err := s.add(docs.SiteItem{Kind: docs.SiteGroup, Title: title, Icon: icon}, parent)
	if err != nil {
		return group, err
	}
	for i, id := range sections {
		if err := s.group(fmt.Sprintf("sections[%d]", i), group.ID, id); err != nil {
			return group, err
		}
	}
	return group, nil
}

// GroupPatch is a change of a group.
type GroupPatch struct {
	Title          opt.Val[string]
	LocalizedTitle opt.Val[map[string]string]
	Icon           opt.Val[string]
	Draft          opt.Val[bool]
	Parent         opt.Val[docs.SiteItemID] // a group; empty for the site
}

// UpdateGroup changes a group.
func (s *Structure) UpdateGroup(id docs.SiteItemID, p GroupPatch) (docs.SiteItem, error) {
	it, err := s.Item(docs.SiteGroup, id)
	if err != nil {
		return it, err
	}
	it.Title, it.Icon, it.Draft = p.Title.Or(it.Title), p.Icon.Or(it.Icon), p.Draft.Or(it.Draft)
	it.LocalizedTitle = localized(p.LocalizedTitle, it.LocalizedTitle)
	s.items[id] = it
	return s.moveInto("parentSectionGroupId", it, p.Parent.Or(it.Parent))
}

// Group moves a section to the end of a group. A section that is already in the group does not
// move.
func (s *Structure) Group(group, section docs.SiteItemID) error {
	if _, err := s.Item(docs.SiteGroup, group); err != nil {
		return err
	}
	return s.group("sectionId", group, section)
}

func (s *Structure) group(field string, group, section docs.SiteItemID) error {
	it, err := s.itemInField(field, docs.SiteSection, section)
	if err != nil || it.Parent == group {
		return err
	}
	s.detach(it)
	s.place(it, group, len(s.children[group]))
	return nil
}

// Ungroup moves a section out of a group, to the place after the group. The error is NotFound
// if the section is not in the group.
func (s *Structure) Ungroup(group, section docs.SiteItemID) error {
	g, err := s.Item(docs.SiteGroup, group)
	if err != nil {
		return err
	}
	it, err := s.Item(docs.SiteSection, section)
	if err != nil {
		return err
	}
	if it.Parent != group {
		return errs.Missing("site section in the group")
	}
	s.detach(it)
	s.place(it, g.Parent, slices.Index(s.children[g.Parent], group)+1)
	return nil
}

// Delete removes a site space, a link, a section with its site spaces, or a group. The children
// of a group take its place.
func (s *Structure) Delete(kind docs.SiteItemKind, id docs.SiteItemID) (docs.SiteItem, error) {
	it, err := s.Item(kind, id)
	if err != nil {
		return it, err
	}
	if kind == docs.SiteGroup {
		at := slices.Index(s.children[it.Parent], id)
		for i, in := range s.Children(id) {
			s.detach(in)
			s.place(in, it.Parent, at+i)
		}
	}
	s.remove(it)
	return it, nil
}

// DropSpace removes all site spaces that refer to a space.
func (s *Structure) DropSpace(id docs.SpaceID) {
	for _, it := range s.All(docs.SiteSpace) {
		if it.Space == id {
			s.remove(s.items[it.ID])
		}
	}
}

// Pointer identifies an item of a site.
type Pointer struct {
	Kind docs.SiteItemKind
	ID   docs.SiteItemID
}

// Position is a place among siblings. At most one of Before and After is set. If neither is
// set, the place is after all siblings.
type Position struct {
	Before *Pointer
	After  *Pointer
}

// Move changes the position of an item among its siblings.
func (s *Structure) Move(what Pointer, to Position) (docs.SiteItem, error) {
	it, err := s.Item(what.Kind, what.ID)
	if err != nil {
		return it, err
	}
	mark, field := to.Before, "position.before"
	if mark == nil {
		mark, field = to.After, "position.after"
	}
	switch {
	case to.Before != nil && to.After != nil:
		return it, errs.Field("position", "must contain before or after, not both")
	case mark == nil:
		all := s.Children(it.Parent)
		last := all[len(all)-1]
		if last.ID == it.ID {
			return it, nil
		}
		mark = &Pointer{last.Kind, last.ID}
	case *mark == what:
		return it, errs.Field(field, "is the item that moves; name another item beside its new place")
	}
	sibling, err := s.Item(mark.Kind, mark.ID)
	if err != nil || sibling.Parent != it.Parent {
		return it, errs.Field(field, "is not in the same section or group as the item; only the order of siblings can be changed")
	}
	old := slices.Index(s.children[it.Parent], it.ID)
	s.detach(it)
	at := slices.Index(s.children[it.Parent], mark.ID)
	if to.Before == nil {
		at++
	}
	if at == old { // the item does not move
		s.children[it.Parent] = slices.Insert(s.children[it.Parent], at, it.ID)
		return it, nil
	}
	s.place(it, it.Parent, at)
	return s.items[it.ID], nil
}
