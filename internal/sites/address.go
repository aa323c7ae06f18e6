package sites

import (
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// The address of a site space is the path of its section and its own path,
// below that of the site. The default section and the default site space leave
// theirs out; with it, they lead to the same content.

// present returns the structure as readers see it at most: without spaces in
// the trash, translations that are withheld, and drafts.
func (s *Structure) present() *Structure {
	return s.Filter(func(it docs.SiteItem) bool { return !it.Trashed && !it.Withheld && !it.Draft })
}

// readdress works out the address of every site space again.
func (s *Structure) readdress() {
	for id, it := range s.items {
		it.Address = ""
		s.items[id] = it
	}
	seen := s.present()
	sections := map[string]bool{}
	for _, sec := range seen.All(docs.SiteSection) {
		sections[docs.SlugKey(sec.Path)] = true
	}
	for _, it := range seen.All(docs.SiteSpace) {
		var parts []string
		own := !it.Default
		// The path of a site space of the default section can be that of another
		// section, which comes first: then the section is named too.
		if sec := seen.items[it.Parent]; sec.ID != "" && (!sec.Default || own && sections[docs.SlugKey(it.Path)]) {
			parts = append(parts, sec.Path)
		}
		if own {
			parts = append(parts, it.Path)
		}
		full := s.items[it.ID]
		full.Address = strings.Join(parts, "/")
		s.items[it.ID] = full
	}
}

// Target is what a path of a site leads to.
type Target struct {
	ShareKey string
	Section  docs.SiteItem // the zero item in a site without sections
	Space    docs.SiteItem
	// Prefix is the part of the path that named the section and the site space
	// and Rest what is left of it, the path of a page. Both have no slashes
	// around them.
	Prefix string
	Rest   string
	// Complete reports whether the path would lead to the same section and
	// site space with any continuation.
	Complete bool
}

// Canonical reports whether the path named the site space in the one way that
// others should be redirected to.
func (t Target) Canonical() bool { return t.Prefix == escapePath(t.Space.Address) }

// Paths finds the site spaces of a structure by their paths. Finding one takes the
// same time in a site of any size.
type Paths struct {
	sectioned bool
	levels    map[docs.SiteItemID]level // site spaces by their section; of a site with sections, those are under ""
}

// level is where one part of a path leads.
type level struct {
	byPath   map[string]docs.SiteItem // by docs.SlugKey
	standard docs.SiteItem            // without a path; the zero item if there is none
}

// Paths returns the paths of the structure as it is now.
func (s *Structure) Paths() *Paths {
	p := &Paths{sectioned: s.HasSections(), levels: map[docs.SiteItemID]level{}}
	add := func(parent docs.SiteItemID, items []docs.SiteItem) {
		l := level{byPath: make(map[string]docs.SiteItem, len(items))}
		for _, it := range items {
			l.byPath[docs.SlugKey(it.Path)] = it
		}
		l.standard, _ = defaultOf(items)
		p.levels[parent] = l
	}
	if !p.sectioned {
		add("", s.Children(""))
		return p
	}
	sections := s.All(docs.SiteSection)
	add("", sections)
	for _, sec := range sections {
		add(sec.ID, s.Children(sec.ID))
	}
	return p
}

// Resolve returns what a path below the address of the site leads to: the
// section and the site space that it names, or the defaults. The path is
// escaped, as in a URL. In a site that is read by share links, the first part of
// the path is a key, which the caller checks. It returns false if the site has no
// site space there.
func (p *Paths) Resolve(path string, shareLink bool) (t Target, ok bool) {
	parts := splitPath(path)
	var named []string
	if shareLink && len(parts) > 0 {
		t.ShareKey, parts = parts[0], parts[1:]
	}
	pick := func(l level) (docs.SiteItem, bool) {
		if len(parts) > 0 {
			if text, err := url.PathUnescape(parts[0]); err == nil {
				if it, ok := l.byPath[docs.SlugKey(text)]; ok {
					named, parts = append(named, parts[0]), parts[1:]
					return it, true
				}
			}
		}
		return l.standard, false
	}
	if p.sectioned {
		t.Section, _ = pick(p.levels[""])
	}
	var explicit bool
	if !p.sectioned || t.Section.ID != "" {
		t.Space, explicit = pick(p.levels[t.Section.ID])
	}
	t.Prefix, t.Rest = strings.Join(named, "/"), strings.Join(parts, "/")
	t.Complete = (explicit || t.Rest != "") && (!shareLink || t.ShareKey != "")
	return t, t.Space.Kind == docs.SiteSpace
}

// splitPath returns the parts of a path without empty ones.
func splitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

func escapePath(path string) string {
	parts := splitPath(path)
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// Hosts says where sites are served.
type Hosts struct {
	Base   string // address of the server, without a slash at the end
	Domain string // sites have the hosts basename.Domain; empty: they do not

	// Vouched are host names of sites that need no proof, and patterns of them
	// such as *.example.com: the operator says that they belong to the owners.
	Vouched []string
}

// maxLabel is the length of one part of a host name.
const maxLabel = 63

// URL returns the address of a place in a site. A key goes in front of the path
// in a site that is read by share links, and nowhere else.
func (h Hosts) URL(p docs.Publication, shareKey string) string {
	u := h.root(p)
	if shareKey != "" && p.Visibility == docs.VisibilityLink {
		u += url.PathEscape(shareKey) + "/"
	}
	if p.Path != "" {
		u += escapePath(p.Path) + "/"
	}
	return u
}

func (h Hosts) root(p docs.Publication) string {
	switch {
	case p.Proxy != "":
		return "https://" + p.Proxy + "/"
	case p.Hostname != "":
		return h.onHost(p.Hostname)
	}
	return h.ServerURL(p)
}

// ServerURL returns the address of a site on this server, which a proxy on the
// owner's domain forwards to.
func (h Hosts) ServerURL(p docs.Publication) string {
	switch {
	case p.Basename != "" && h.Domain != "" && len(p.Basename) <= maxLabel:
		return h.onHost(p.Basename + "." + h.Domain)
	case p.Basename != "":
		return h.Base + Path + p.Basename + "/"
	}
	return h.Base + Path + string(p.Site) + "/"
}

// onHost returns the address of a host of sites. It has the scheme and the port
// of the server itself: both are reached in the same way.
func (h Hosts) onHost(name string) string {
	scheme, port := "https", ""
	if base, err := url.Parse(h.Base); err == nil && base.Host != "" {
		scheme = base.Scheme
		if base.Port() != "" {
			port = ":" + base.Port()
		}
	}
	return scheme + "://" + name + port + "/"
}

// Path is where the server has the sites without a host of their own.
const Path = "/s/"

// Name is how an address names a site: by one of the fields.
type Name struct {
	ID       docs.SiteID
	Basename string
	Hostname string
}

// Locate returns how a URL names a site, and the escaped path below the
// address of the site. It returns false if the URL is that of no site.
func (h Hosts) Locate(u *url.URL) (Name, string, bool) { return h.locate(u.Host, u.EscapedPath()) }

func (h Hosts) locate(host, path string) (Name, string, bool) {
	base, err := url.Parse(h.Base)
	if err == nil && hostOf(base.Host) == hostOf(host) {
		rest, ok := strings.CutPrefix(path, base.EscapedPath()+Path)
		first, rest, _ := strings.Cut(rest, "/")
		switch {
		case !ok || first == "":
			return Name{}, "", false
		case strings.HasPrefix(first, docs.SiteIDPrefix):
			return Name{ID: docs.SiteID(first)}, rest, true
		}
		return Name{Basename: first}, rest, true
	}
	host = (&url.URL{Host: hostOf(host)}).Hostname()
	rest := strings.TrimPrefix(path, "/")
	if label, ok := strings.CutSuffix(host, "."+h.Domain); ok && h.Domain != "" {
		return Name{Basename: label}, rest, docs.IsBasename(label)
	}
	return Name{Hostname: host}, rest, host != ""
}

// hostOf returns the one form of a host with a port: in lower case, without the
// dot at the end of the name and without a port that browsers leave out.
func hostOf(host string) string {
	u := url.URL{Host: strings.ToLower(host)}
	name, port := strings.TrimSuffix(u.Hostname(), "."), u.Port()
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	if port == "" || port == "80" || port == "443" {
		return name
	}
	return name + ":" + port
}
