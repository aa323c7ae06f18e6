package docs

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// Maximum lengths of the fields of a redirect.
const (
	MaxRedirectSource = 512
	maxRedirectURL    = 2048
	maxRedirectID     = 64
)

// RedirectID identifies a redirect of a site.
type RedirectID string

// Redirect redirects an address of a site that has no page to another address.
type Redirect struct {
	ID     RedirectID
	Source RedirectSource
	// Draft redirects are not active.
	Draft bool
	// KeepSuffix appends the part that the wildcard matched to the destination.
	KeepSuffix  bool
	Permanent   bool
	Destination RedirectDestination
	CreatedAt   Time
	UpdatedAt   Time `audit:"-"`
}

// RedirectKind is the kind of a destination. It determines which fields the destination
// has.
type RedirectKind string

// Kinds of destinations.
const (
	RedirectSection  RedirectKind = "site-section"
	RedirectSpace    RedirectKind = "site-space"
	RedirectPage     RedirectKind = "site-page"
	RedirectExternal RedirectKind = "external"
)

// RedirectDestination is the destination of a redirect: a section, a site space, a page
// of a site space, or an external address.
type RedirectDestination struct {
	Kind    RedirectKind `json:"kind"`
	Section string       `json:"siteSectionId,omitempty"`
	Space   string       `json:"siteSpaceId,omitempty"`
	Page    PageID       `json:"pageId,omitempty"`
	URL     string       `json:"url,omitempty"`
}

// RedirectSource is a path of a site, such as /old/page, or with a wildcard at the end,
// /old/*. It is normalized, so that each path has a single form.
type RedirectSource string

var (
	redirectSourceRE = regexp.MustCompile(`^(?:/(?:[A-Za-z0-9\-._~+]|%[0-9A-Fa-f]{2})+)+(?:/\*|\*)?$`)
	escapeRE         = regexp.MustCompile(`^%[0-9A-Fa-f]{2}`)
)

// ParseRedirectSource normalizes a source. It returns an error for the field if the
// source is invalid.
func ParseRedirectSource(field, s string) (RedirectSource, error) {
	if len(s) > MaxRedirectSource || !redirectSourceRE.MatchString(s) {
		return "", errs.Field(field, "must be a path of at most %d characters that begins with a slash and does not end with one, such as /old/page or /old/*", MaxRedirectSource)
	}
	prefix, wildcard := strings.CutSuffix(s, "*")
	prefix, below := strings.CutSuffix(prefix, "/")
	path, ok := NormalSitePath(prefix)
	if !ok || strings.Count(path, "/") != strings.Count(prefix, "/") {
		return "", errs.Field(field, "has a part that no address has: . or .. or an escaped control character")
	}
	if below {
		path += "/"
	}
	if wildcard {
		path += "*"
	}
	return RedirectSource(path), nil
}

// NormalSitePath returns the normalized form of an escaped path, in which redirects are
// stored and looked up. It is the form of CleanSitePath in lower case, because readers
// type addresses in any case. It reports whether a redirect from the path is possible.
func NormalSitePath(s string) (string, bool) {
	path, ok := CleanSitePath(s)
	if !ok || path == "/" || len(path) > MaxRedirectSource {
		return "", false
	}
	return normalParts(strings.ToLower(path)), true
}

// normalParts returns a clean path with each part in its normal form, see names.Normal.
func normalParts(path string) string { return respelled(path, names.Normal) }

// respelled returns a clean path after a change of the text of each part.
func respelled(path string, change func(string) string) string {
	if !strings.Contains(path, "%") {
		return path
	}
	parts := strings.Split(path, "/")
	for i, part := range parts {
		text, err := url.PathUnescape(part)
		if err == nil && utf8.ValidString(text) && change(text) != text {
			part, _ = cleanPart(url.PathEscape(change(text))) // it was clean before
			parts[i] = strings.ToLower(part)
		}
	}
	return strings.Join(parts, "/")
}

// Decomposed returns the other form in which a source can be stored: sources did not always
// have a normal form.
func (s RedirectSource) Decomposed() RedirectSource {
	prefix, _ := s.Prefix()
	return RedirectSource(respelled(prefix, names.Decomposed) + string(s[len(prefix):]))
}

// CleanSitePath cleans an escaped path as browsers do. The result has no empty elements,
// no "." and ".." elements, escaped or not, no trailing slash, and escapes only where
// required. It reports false for control characters and for invalid escapes.
func CleanSitePath(s string) (string, bool) {
	var parts []string
	for part := range strings.SplitSeq(s, "/") {
		part, ok := cleanPart(part)
		switch {
		case !ok:
			return "", false
		case part == "" || part == ".":
		case part == "..":
			parts = parts[:max(len(parts)-1, 0)]
		default:
			parts = append(parts, part)
		}
	}
	return "/" + strings.Join(parts, "/"), true
}

// cleanPart returns a path element with escapes only where required.
func cleanPart(s string) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if !escapeRE.MatchString(s[i:]) {
				return "", false
			}
			c, i = unhex(s[i+1])<<4|unhex(s[i+2]), i+2
		}
		switch {
		case c < ' ' || c == 0x7f:
			return "", false
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', strings.IndexByte("-._~+", c) >= 0:
			b.WriteByte(c)
		default:
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String(), true
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

// Prefix returns the prefix that a path must have, and whether the source ends with a
// wildcard.
func (s RedirectSource) Prefix() (prefix string, wildcard bool) {
	return strings.CutSuffix(string(s), "*")
}

// Match reports whether a path that NormalSitePath returned matches the source. It
// returns the part that the wildcard matched.
func (s RedirectSource) Match(path string) (suffix string, ok bool) {
	prefix, wildcard := s.Prefix()
	prefix = normalParts(prefix)
	if !wildcard {
		return "", path == prefix
	}
	return strings.CutPrefix(path, prefix)
}

// Example returns a path that matches the source.
func (s RedirectSource) Example() string { return strings.Replace(string(s), "*", "x", 1) }

// CheckCapture returns an error for the field if capture is set and the source has no
// wildcard.
func (s RedirectSource) CheckCapture(field string, capture bool) error {
	if _, wildcard := s.Prefix(); capture && !wildcard {
		return errs.Field(field, "needs a source that ends with a wildcard")
	}
	return nil
}

// CheckRedirectURL returns an error for the field unless s is a valid external
// destination.
func CheckRedirectURL(field, s string) error {
	if len(s) > maxRedirectURL {
		return errs.Field(field, "must not be longer than %d characters", maxRedirectURL)
	}
	return CheckWebURL(field, s)
}

// CheckRedirectPage returns an error for the field if a page ID is too long.
func CheckRedirectPage(field string, p PageID) error {
	if len(p) > maxRedirectID {
		return errs.Field(field, "must not be longer than %d characters", maxRedirectID)
	}
	return nil
}

// Check returns an error unless a destination has exactly the fields of its kind. path is
// the path of the destination in the request.
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
		if err := CheckRedirectURL(path+".url", d.URL); err != nil {
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
	return CheckRedirectPage(path+".pageId", d.Page)
}
