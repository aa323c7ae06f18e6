package sites

import (
	"net/url"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

// The address of a site space is the path of its section followed by its own path, relative
// to the address of the site. The default section and the default site space have no path in
// the address. An address that contains their paths leads to the same content.

// Present returns the structure without spaces in the trash, withheld translations and
// drafts.
func (s *Structure) Present() *Structure {
	return s.Filter(func(it docs.SiteItem) bool { return !it.Trashed && !it.Withheld && !it.Draft })
}

// Staged returns the structure as it would be if all drafts were live.
func (s *Structure) Staged() *Structure {
	out := s.Filter(func(it docs.SiteItem) bool { return !it.Trashed && !it.Withheld })
	out.setAddresses(out)
	return out
}

// readdress recomputes the address of every site space, and which items are drafts because an
// ancestor is one.
func (s *Structure) readdress() {
	for id, it := range s.items {
		it.Address, it.Drafted = "", false
		for at := it; at.ID != "" && !it.Drafted; at = s.items[at.Parent] {
			it.Drafted = at.Draft
		}
		s.items[id] = it
	}
	s.setAddresses(s.Present())
}

// setAddresses sets the addresses that the site spaces have in a part of the structure.
func (s *Structure) setAddresses(seen *Structure) {
	sections := map[string]bool{}
	for _, sec := range seen.All(docs.SiteSection) {
		sections[docs.SlugKey(sec.Path)] = true
	}
	for _, it := range seen.All(docs.SiteSpace) {
		var parts []string
		own := !it.Default
		// A site space of the default section can have the path of another section. The
		// section takes precedence, so the address names the default section too.
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

// Target is the item of a structure that a path resolves to.
type Target struct {
	ShareKey string
	Section  docs.SiteItem // the zero item in a site without sections
	Space    docs.SiteItem
	// Prefix is the part of the path that names the section and the site space. Rest is
	// the remaining path, of a page. Neither begins or ends with a slash.
	Prefix string
	Rest   string
	// Complete reports whether every longer path resolves to the same section and site
	// space.
	Complete bool
}

// Canonical reports whether the path names the site space by its canonical address. Other
// forms are redirected to that address.
func (t Target) Canonical() bool { return t.Prefix == EscapePath(t.Space.Address) }

// Paths is an index of the site spaces of a structure by path. A lookup takes constant time,
// independent of the size of the site.
type Paths struct {
	sectioned bool
	levels    map[docs.SiteItemID]level // site spaces by section; in a site with sections, "" has the sections
}

// level maps one segment of a path to an item.
type level struct {
	byPath   map[string]docs.SiteItem // by docs.SlugKey, see find
	standard docs.SiteItem            // for an empty path; the zero item if there is none
}

// find returns the item with a path. A path is found in any normal form; items from before paths
// had a single one can differ in their forms alone, so the form that is asked for comes first.
func (l level) find(path string) (docs.SiteItem, bool) {
	it, ok := l.byPath[strings.ToLower(path)]
	if !ok {
		it, ok = l.byPath[docs.SlugKey(path)]
	}
	return it, ok
}

// Paths returns an index of the paths of the structure.
func (s *Structure) Paths() *Paths {
	p := &Paths{sectioned: s.HasSections(), levels: map[docs.SiteItemID]level{}}
	add := func(parent docs.SiteItemID, items []docs.SiteItem) {
		l := level{byPath: make(map[string]docs.SiteItem, len(items))}
		for _, it := range items {
			l.byPath[strings.ToLower(it.Path)] = it
		}
		for _, it := range items {
			if _, taken := l.byPath[docs.SlugKey(it.Path)]; !taken {
				l.byPath[docs.SlugKey(it.Path)] = it
			}
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

// Resolve resolves a path below the address of the site to the section and the site space
// that it names, or to the defaults. The path is escaped, as in a URL. If shareLink is set,
// the first segment is a share key, which the caller must check. It returns false if there
// is no site space.
func (p *Paths) Resolve(path string, shareLink bool) (t Target, ok bool) {
	parts := SplitPath(path)
	var named []string
	if shareLink && len(parts) > 0 {
		t.ShareKey, parts = parts[0], parts[1:]
	}
	pick := func(l level) (docs.SiteItem, bool) {
		if len(parts) > 0 {
			if text, err := url.PathUnescape(parts[0]); err == nil {
				if it, ok := l.find(text); ok {
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

// SplitPath returns the segments of a path, without empty ones.
func SplitPath(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}

// EscapePath returns a path whose segments are escaped, as in a URL.
func EscapePath(path string) string {
	parts := SplitPath(path)
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// ShareKey splits a path below the address of a site into the share key and the rest. The
// key is empty if the site is not read by share links.
func ShareKey(site docs.Site, path string) (key, below string) {
	path = strings.TrimPrefix(path, "/")
	if site.Visibility != docs.VisibilityLink {
		return "", path
	}
	key, below, _ = strings.Cut(path, "/")
	return key, below
}

// Hosts holds the addresses at which sites are served.
type Hosts struct {
	Base   string // URL of the server, without a final slash
	Domain string // sites have the host names basename.Domain; empty if they do not

	// Trusted lists host names of sites that need no proof of ownership, and patterns such
	// as *.example.com. The operator vouches for them.
	Trusted []string
}

// maxLabel is the maximum length of a label of a host name.
const maxLabel = 63

// URL returns the address of a place in a site. The share key precedes the path. It is used
// only for a site that is read by share links.
func (h Hosts) URL(p docs.Publication, shareKey string) string {
	u := h.root(p)
	if shareKey != "" && p.Visibility == docs.VisibilityLink {
		u += url.PathEscape(shareKey) + "/"
	}
	if p.Path != "" {
		u += EscapePath(p.Path) + "/"
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

// ServerURL returns the address of a site on this server, to which a proxy on the domain of
// the owner forwards.
func (h Hosts) ServerURL(p docs.Publication) string {
	switch {
	case p.Basename != "" && h.Domain != "" && len(p.Basename) <= maxLabel:
		return h.onHost(p.Basename + "." + h.Domain)
	case p.Basename != "":
		return h.Base + Path + p.Basename + "/"
	}
	return h.Base + Path + string(p.Site) + "/"
}

// onHost returns the URL of a host name of sites. It has the scheme and the port of the
// server, because both are reached in the same way.
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

// Path is the path prefix, on the host of the server, of sites without a host name.
const Path = "/s/"

// Name identifies a site in an address. One of its fields is set.
type Name struct {
	ID       docs.SiteID
	Basename string
	Hostname string
}

// Locate returns the name of a site in a URL, and the escaped path below the address of the
// site. It returns false if the URL does not name a site.
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

// hostOf returns a host with a port in canonical form: in lower case, without a final dot
// in the name, and without a default port.
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
