package sitefile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup/yamldoc"
)

// Spaces finds spaces by ID, by title, or by the folder that they are synchronized with.
type Spaces struct {
	byID     map[string]Space
	byTitle  map[string][]string
	byFolder map[Folder][]string
}

// NewSpaces returns the spaces of an organization and of a site. A space in the trash can
// be on a site, but is in no list of the organization.
func NewSpaces(list []Space, c Current) *Spaces {
	s := &Spaces{map[string]Space{}, map[string][]string{}, map[Folder][]string{}}
	for _, sp := range list {
		s.add(sp)
	}
	for _, it := range allVariants(c.Items) {
		s.add(it.Space)
	}
	return s
}

func (s *Spaces) add(sp Space) {
	if _, ok := s.byID[sp.ID]; !ok {
		s.byID[sp.ID] = sp
		s.byTitle[sp.Title] = append(s.byTitle[sp.Title], sp.ID)
		if sp.Folder != "" {
			s.byFolder[sp.Folder] = append(s.byFolder[sp.Folder], sp.ID)
		}
	}
}

// of returns the space that a variant of a file refers to.
func (s *Spaces) of(v Space) (Space, error) {
	if v.Folder == "" {
		return s.find(v.Name)
	}
	ids := s.byFolder[v.Folder]
	switch len(ids) {
	case 0:
		return Space{}, fmt.Errorf("no space that you can synchronize has its content in the folder %q of a repository; connect one to it, or name a space", v.Folder)
	case 1:
		return s.byID[ids[0]], nil
	}
	return Space{}, fmt.Errorf("%d spaces have their content in a folder %q of a repository; name one of them with the key space: %s", len(ids), v.Folder, some(ids))
}

// some returns the first IDs of a list as text.
func some(ids []string) string {
	ids = slices.Sorted(slices.Values(ids))
	shown, more := ids[:min(len(ids), 10)], ""
	if len(shown) < len(ids) {
		more = ", …"
	}
	return strings.Join(shown, ", ") + more
}

// find returns the space with the given ID or title.
func (s *Spaces) find(name string) (Space, error) {
	if sp, ok := s.byID[name]; ok {
		return sp, nil
	}
	ids := s.byTitle[name]
	switch len(ids) {
	case 0:
		return Space{}, fmt.Errorf("there is no space %q in the organization that you can see; name one by its title or its id", name)
	case 1:
		return s.byID[ids[0]], nil
	}
	return Space{}, fmt.Errorf("%d spaces have the title %q; name one of them by its id: %s", len(ids), name, some(ids))
}

// Name returns the name of a space in a file: its title, or its ID if the title is not
// unique.
func (s *Spaces) Name(sp Space) string {
	if found, err := s.find(sp.Title); err == nil && found.ID == sp.ID && strings.TrimSpace(sp.Title) != "" {
		return sp.Title
	}
	return sp.ID
}

// Folders reports whether the file refers to spaces by folders of a repository.
func (f *File) Folders() bool {
	return f.Structure != nil && slices.ContainsFunc(allVariants(*f.Structure), func(it *Item) bool { return it.Space.Folder != "" })
}

// Resolve finds the spaces that the file refers to. It sets missing paths of variants,
// derived from the titles of their spaces.
func (f *File) Resolve(s *Spaces) error {
	if f.Structure == nil {
		return nil
	}
	p := &parser{}
	p.Report = func(line int, format string, args ...any) {
		p.problems = append(p.problems, &yamldoc.Error{Line: line, Reason: fmt.Sprintf(format, args...)})
	}
	for _, it := range allVariants(*f.Structure) {
		sp, err := s.of(it.Space)
		if err != nil {
			p.Report(it.line, "%s", err)
			continue
		}
		sp.Name = it.Space.Name
		it.Space = sp
		if it.Path == "" {
			it.Path = docs.SitePathOf(sp.Title)
		}
	}
	if len(p.problems) == 0 {
		p.uniqueVariants(*f.Structure)
	}
	return errors.Join(p.problems[:min(len(p.problems), maxProblems)]...)
}

func (p *parser) uniqueVariants(items []*Item) {
	if !sectioned(items) {
		p.unique(items, "variant", "the site")
		return
	}
	for _, sec := range allSections(items) {
		p.unique(sec.Items, "variant", "the section "+sec.Title)
	}
}

// allSections returns the sections of items and of their groups, in order.
func allSections(items []*Item) []*Item { return collect(items, docs.SiteSection) }

func allVariants(items []*Item) []*Item { return collect(items, docs.SiteSpace) }

func collect(items []*Item, kind docs.SiteItemKind) []*Item {
	var out []*Item
	for _, it := range items {
		if it.Kind == kind {
			out = append(out, it)
		}
		out = append(out, collect(it.Items, kind)...)
	}
	return out
}
