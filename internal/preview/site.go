package preview

import (
	"net/url"
	"path"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/expr"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/reading"
)

func itoa(n int) string { return strconv.Itoa(n) }

// site is one state of the folder. It does not change, except that its
// problems come later.
type site struct {
	version string
	tree    *folder.Tree
	index   *folder.Index
	files   map[string]*folder.File // that may be served
	folded  map[string]*folder.Page // by address in one case
	parent  map[*folder.Page]*folder.Page
	order   []*folder.Page // that readers see, in their order
	place   map[*folder.Page]int
	// redirects are those of the folder, by where they come from.
	redirects map[string]string
	report    atomic.Pointer[report] // nil until it was checked
}

func newSite(t *folder.Tree, version string) *site {
	s := &site{
		version: version, tree: t, index: folder.NewIndex(t), files: map[string]*folder.File{}, folded: map[string]*folder.Page{},
		parent: map[*folder.Page]*folder.Page{}, place: map[*folder.Page]int{}, redirects: map[string]string{},
	}
	// What no page uses is not content, and may not be meant for others.
	for _, f := range t.Files {
		s.files[f.Path] = f
	}
	s.walk(t.Pages, nil, true)
	for _, r := range t.Redirects {
		if to, ok := s.redirect(r.To); ok {
			s.redirects[strings.Trim(r.From, "/")] = to
		}
	}
	return s
}

// has tells whether a file of the folder is in the state as Markdown.
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

func (s *site) walk(pages []*folder.Page, parent *folder.Page, shown bool) {
	for _, p := range pages {
		s.parent[p] = parent
		if at := s.index.Address(p); at != "" {
			s.folded[names.Fold(at)] = p
		}
		visible := shown && s.visible(p)
		if visible && p.Type == folder.Document {
			s.place[p] = len(s.order)
			s.order = append(s.order, p)
		}
		s.walk(p.Children, p, visible)
	}
}

// visible tells whether the navigation has a page: it is not hidden, and its
// condition holds for somebody of whom nothing is known.
func (s *site) visible(p *folder.Page) bool {
	m := p.Head.Meta
	return !m.Hidden && (m.If == "" || expr.Condition(m.If, s.environment(p)))
}

func (s *site) environment(p *folder.Page) map[string]any {
	return reading.Environment(s.tree.Variables, p.Head.Meta.Vars)
}

// listed tells whether a page is one of the navigation, shown or not.
func (s *site) listed(p *folder.Page) bool {
	_, ok := s.parent[p]
	return ok
}

// href gives the address of a page, a group or a link.
func (s *site) href(p *folder.Page) (string, bool) {
	switch {
	case p.Type == folder.Link:
		return s.target(p.Target)
	case p == s.index.Home():
		return "/", true
	case p.Type == folder.Group && s.first(p) == nil:
		return "", false // there is nothing to show at its address
	case s.index.Address(p) != "":
		return rooted(s.index.Address(p)), true
	case p.Type == folder.Document && !s.listed(p):
		return rooted(p.File), true
	}
	return "", false
}

// target gives where an entry of the navigation leads: to an address, or to
// something in the folder.
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
		return href + fragment(found.Anchor), ok
	}
	return "", false
}

// redirect gives where a redirect leads: to a page, or to a site.
func (s *site) redirect(to string) (string, bool) {
	if scheme, _, ok := strings.Cut(to, ":"); ok && (scheme == "http" || scheme == "https") {
		return markup.SafeURL(to)
	}
	found, ok := s.index.Find("README.md", to, markup.UseLink)
	if !ok || found.Page == nil {
		return "", false
	}
	href, ok := s.href(found.Page)
	return href + fragment(found.Anchor), ok
}

// first gives the first document that readers see below a page, or nil.
func (s *site) first(p *folder.Page) *folder.Page {
	for _, c := range p.Children {
		if _, ok := s.place[c]; ok {
			return c
		}
		if found := s.first(c); found != nil {
			return found
		}
	}
	return nil
}

// rooted writes a path of the site as an address.
func rooted(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "/") {
		b.WriteString("/" + url.PathEscape(part))
	}
	return b.String()
}

func fragment(anchor string) string {
	if anchor == "" {
		return ""
	}
	return "#" + anchor
}

// find gives what an address of the site means: a page, a file, or another
// address. All is empty if it means nothing.
func (s *site) find(at string) (page *folder.Page, file *folder.File, elsewhere string) {
	name := strings.Trim(at, "/")
	if name == "" {
		return s.index.Home(), nil, ""
	}
	if path.Clean(name) != name || strings.ContainsAny(name, "\\\x00") {
		return nil, nil, ""
	}
	if p := s.index.At(name); p != nil && name != "." {
		return s.open(p, at)
	}
	if f := s.files[name]; f != nil {
		return nil, f, ""
	}
	if to := s.redirects[name]; to != "" {
		return nil, nil, to
	}
	if p := s.folded[names.Fold(name)]; p != nil {
		return s.open(p, at)
	}
	if found, ok := s.index.Find(s.tree.Readme, rooted(name), markup.UseLink); ok && found.Page != nil {
		return s.open(found.Page, at)
	}
	return nil, nil, ""
}

// open gives a page if this is its address, else where it is.
func (s *site) open(p *folder.Page, at string) (*folder.Page, *folder.File, string) {
	if p.Type == folder.Group {
		if p = s.first(p); p == nil {
			return nil, nil, ""
		}
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
