package docs

import (
	"regexp"
	"strings"

	"github.com/octavo-docs/octavo/internal/errs"
)

// MaxRedirectSource is the length of the source of a redirect.
const MaxRedirectSource = 512

// RedirectID identifies a redirect of a site.
type RedirectID string

// Redirect leads from an address of a site that has no page to another one.
type Redirect struct {
	ID     RedirectID
	Source RedirectSource
	// Draft redirects are being prepared: nobody is led anywhere.
	Draft bool
	// KeepSuffix appends what the wildcard matched to the destination.
	KeepSuffix  bool
	Permanent   bool
	Destination RedirectDestination
	CreatedAt   Time
	UpdatedAt   Time
}

// RedirectKind says what a redirect leads to, and so which fields its
// destination has.
type RedirectKind string

// Kinds of destinations.
const (
	RedirectSection  RedirectKind = "site-section"
	RedirectSpace    RedirectKind = "site-space"
	RedirectPage     RedirectKind = "site-page"
	RedirectExternal RedirectKind = "external"
)

// RedirectDestination is where a redirect leads: a section, a site space, a page
// of a site space, or an address outside of the site.
type RedirectDestination struct {
	Kind    RedirectKind `json:"kind"`
	Section string       `json:"siteSectionId,omitempty"`
	Space   string       `json:"siteSpaceId,omitempty"`
	Page    PageID       `json:"pageId,omitempty"`
	URL     string       `json:"url,omitempty"`
}

// RedirectSource is a path of a site, such as /old/page, or with a wildcard at
// its end /old/*. It is normalized: the same path has one form.
type RedirectSource string

var (
	redirectSourceRE = regexp.MustCompile(`^(?:/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)+(?:/\*|\*)?$`)
	escapeRE         = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

// ParseRedirectSource normalizes a source, or returns an error for the field.
func ParseRedirectSource(field, s string) (RedirectSource, error) {
	if len(s) > MaxRedirectSource || !redirectSourceRE.MatchString(s) {
		return "", errs.Field(field, "must be a path of at most %d characters that begins with a slash and does not end with one, such as /old/page or /old/*", MaxRedirectSource)
	}
	path, ok := normalPath(s)
	if !ok {
		return "", errs.Field(field, "has a part that no address has: . or .. or an escaped control character")
	}
	return RedirectSource(path), nil
}

// NormalSitePath returns the form of a path that the sources of redirects have.
// It reports whether there can be a redirect from the path.
func NormalSitePath(s string) (string, bool) {
	s = strings.TrimRight(s, "/")
	if len(s) > MaxRedirectSource || !redirectSourceRE.MatchString(s) || strings.HasSuffix(s, "*") {
		return "", false
	}
	return normalPath(s)
}

// normalPath returns a path in lower case, with escapes only where they are
// needed: readers type addresses in any case.
func normalPath(s string) (string, bool) {
	s = escapeRE.ReplaceAllStringFunc(s, func(esc string) string {
		c := unhex(esc[1])<<4 | unhex(esc[2])
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte("-._~+", c) >= 0:
			return string(rune(c))
		}
		return strings.ToUpper(esc)
	})
	for _, part := range strings.Split(s[1:], "/") {
		if part == "." || part == ".." {
			return "", false
		}
	}
	if strings.Contains(s, "%0") || strings.Contains(s, "%1") || strings.Contains(s, "%7F") {
		return "", false
	}
	return strings.ToLower(s), true
}

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c >= 'a':
		return c - 'a' + 10
	}
	return c - 'A' + 10
}

// Prefix returns what a path must begin with, and whether there is a wildcard.
func (s RedirectSource) Prefix() (prefix string, wildcard bool) {
	return strings.CutSuffix(string(s), "*")
}

// Match reports whether a path that NormalSitePath returned has the source, and
// returns what the wildcard stands for.
func (s RedirectSource) Match(path string) (suffix string, ok bool) {
	prefix, wildcard := s.Prefix()
	if !wildcard {
		return "", path == prefix
	}
	return strings.CutPrefix(path, prefix)
}

// Example returns a path that has the source.
func (s RedirectSource) Example() string { return strings.Replace(string(s), "*", "x", 1) }

// Check returns an error unless a destination has the fields of its kind and no
// others. path is where it is in the request.
func (d RedirectDestination) Check(path string) error {
	clean := RedirectDestination{Kind: d.Kind}
	switch d.Kind {
	case RedirectSection:
		clean.Section = d.Section
	case RedirectSpace:
		clean.Space = d.Space
	case RedirectPage:
		clean.Space, clean.Page = d.Space, d.Page
	case RedirectExternal:
		clean.URL = d.URL
		if err := CheckWebURL(path+".url", d.URL); err != nil {
			return err
		}
	default:
		return errs.Field(path+".kind", "must be one of site-section, site-space, site-page, external")
	}
	if clean != d {
		return errs.Field(path, "has fields that do not belong to the kind %q", d.Kind)
	}
	for _, f := range []struct {
		name    string
		missing bool
	}{
		{"siteSectionId", d.Kind == RedirectSection && d.Section == ""},
		{"siteSpaceId", (d.Kind == RedirectSpace || d.Kind == RedirectPage) && d.Space == ""},
		{"pageId", d.Kind == RedirectPage && d.Page == ""},
	} {
		if f.missing {
			return errs.Field(path+"."+f.name, "is required")
		}
	}
	return nil
}
