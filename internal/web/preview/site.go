package preview

import (
	"context"
	"net/url"
	"path"
	"strings"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/reading"
)

// site is one state of the folder. It is immutable, except that its report is set later.
type site struct {
	version string
	scanned state  // all files of the folder
	specs   string // hash of the files that API descriptions are read from
	tree    *folder.Tree
	pages   []*folder.Page // pages of the tree, with computed pages expanded
	index   *folder.Index
	files   map[string]*folder.File // files that may be served
	folded  map[string]*folder.Page // by case-folded address
	menu    *reading.Menu[*folder.Page]
	// redirects are the redirects of the folder: the target address by the old address.
	redirects map[string]string
	moved     map[string]*folder.Page // the target pages of redirects, by case-folded old address
	report    atomic.Pointer[report]  // nil until the state was checked
}

// newSite returns the site of a tree. describe returns the function that finds the API
// descriptions of the site.
func newSite(t *folder.Tree, version string, scanned state, describe func(*site) apidoc.Find) *site {
	s := &site{
		version: version, scanned: scanned, specs: scanned.specStamp(), tree: t, files: map[string]*folder.File{}, folded: map[string]*folder.Page{},
		redirects: map[string]string{}, moved: map[string]*folder.Page{},
	}
	shown := expanded(t, describe(s))
	s.pages, s.index = shown.Pages, folder.NewIndex(shown)
	// Files that no page refers to are not content, and may not be intended for readers.
	for _, f := range t.Files {
		s.files[f.Path] = f
	}
	s.menu = reading.NewMenu(s.pages, func(p *folder.Page) reading.Entry[*folder.Page] {
		if at := s.index.Address(p); at != "" {
			s.folded[names.Fold(at)] = p
		}
		return reading.Entry[*folder.Page]{Document: p.Type == folder.Document, Listed: s.visible(p), Children: p.Children}
	})
	for _, r := range t.Redirects {
		if to, page, ok := s.redirect(r.To); ok {
			from := strings.Trim(r.From, "/")
			s.redirects[from] = to
			if page != nil {
				s.moved[names.Fold(from)] = page
			}
		}
	}
	return s
}

// has reports whether the state holds the source of a Markdown file of the folder.
func (s *site) has(file string) bool {
	if s.tree.Root != "." {
		below, ok := strings.CutPrefix(file, s.tree.Root+"/")
		if !ok {
			return false
		}
		file = below
	}
	p := s.index.Doc(file)
	return p != nil && p.Source != nil || s.index.Include(file) != nil
}

func (s *site) visible(p *folder.Page) bool {
	m := p.Head.Meta
	listed, err := reading.Nobody.Listed(context.Background(), m.Hidden, m.If, s.tree.Variables, m.Vars)
	return listed && err == nil
}

func (s *site) environment(p *folder.Page) map[string]any {
	return reading.Nobody.Environment(s.tree.Variables, p.Head.Meta.Vars)
}

// href returns the address of a page, a group or a link.
func (s *site) href(p *folder.Page) (string, bool) {
	switch {
	case p.Type == folder.Link:
		return s.target(p.Target)
	case p == s.index.Home():
		return "/", true
	case p.Type == folder.Group && !s.hasFirst(p):
		return "", false // there is no page to show at its address
	case s.index.Address(p) != "":
		return rooted(s.index.Address(p)), true
	case p.Type == folder.Document && !s.menu.Has(p):
		return rooted(p.File), true
	}
	return "", false
}

// target returns the address of a link in the navigation. The target is an external
// address, or a page or a file of the folder.
func (s *site) target(target string) (string, bool) {
	if strings.Contains(target, ":") {
		return markup.SafeURL(target)
	}
	found, ok := s.index.Find(s.tree.Readme, "/"+target, markup.UseLink)
	if !ok {
		return "", false
	}
	switch {
	case found.File != nil:
		return rooted(found.Path), s.files[found.Path] != nil
	case found.Page != nil:
		href, ok := s.href(found.Page)
		return href + reading.Fragment(found.Anchor), ok
	}
	return "", false
}

func (s *site) hasFirst(p *folder.Page) bool { _, ok := s.menu.First(p); return ok }

// redirect returns the address of the target of a redirect. It also returns the page,
// unless the target is another site.
func (s *site) redirect(to string) (address string, page *folder.Page, ok bool) {
	if scheme, _, ok := strings.Cut(to, ":"); ok && (scheme == "http" || scheme == "https") {
		address, ok := markup.SafeURL(to)
		return address, nil, ok
	}
	found, ok := s.index.Find("README.md", to, markup.UseLink)
	if !ok || found.Page == nil {
		return "", nil, false
	}
	href, ok := s.href(found.Page)
	return href + reading.Fragment(found.Anchor), found.Page, ok
}

// rooted returns a path of the site as an escaped address.
func rooted(name string) string { return "/" + reading.EscapePath(name) }

// find returns the page or the file at an address of the site, or the address to redirect
// to. All results are empty if there is nothing at the address.
func (s *site) find(at string) (page *folder.Page, file *folder.File, elsewhere string) {
	name := strings.Trim(at, "/")
	if name == "" {
		return s.index.Home(), nil, ""
	}
	if path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") {
		return nil, nil, ""
	}
	ctx, pages := context.Background(), addresses{s} // all pages are in memory, so there are no errors
	if p, rest, _ := reading.At(ctx, pages, name); rest == "" {
		return s.open(p, at)
	}
	if f := s.files[name]; f != nil {
		return nil, f, ""
	}
	if to := s.redirects[name]; to != "" {
		return nil, nil, to
	}
	if p, ok, _ := reading.Find(ctx, pages, name); ok {
		return s.open(p, at)
	}
	if found, ok := s.index.Find(s.tree.Readme, rooted(name), markup.UseLink); ok && found.Page != nil {
		return s.open(found.Page, at)
	}
	return nil, nil, ""
}

// addresses implements the lookups of package reading for a site.
type addresses struct{ s *site }

func (a addresses) Child(_ context.Context, parent *folder.Page, slug string) (*folder.Page, bool, error) {
	at := slug
	if parent != nil {
		at = a.s.index.Address(parent) + "/" + slug
	}
	p := a.s.folded[names.Fold(at)]
	return p, p != nil, nil
}

func (a addresses) Address(_ context.Context, p *folder.Page) (string, error) {
	return a.s.index.Address(p), nil
}

func (a addresses) Moved(_ context.Context, address string) (*folder.Page, bool, error) {
	p := a.s.moved[names.Fold(address)]
	return p, p != nil, nil
}

// open returns the page if at is its address, and otherwise the address to redirect to.
// For a group, it is the first page of the group.
func (s *site) open(p *folder.Page, at string) (*folder.Page, *folder.File, string) {
	if p.Type == folder.Group {
		first, ok := s.menu.First(p)
		if !ok {
			return nil, nil, ""
		}
		p = first
	}
	href, ok := s.href(p)
	if !ok {
		return nil, nil, ""
	}
	if plain, err := url.PathUnescape(href); err == nil && plain == at {
		return p, nil, ""
	}
	return nil, nil, href
}
