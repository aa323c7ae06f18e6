package export

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Statuses of redirects that keep the method of the request.
const (
	temporary = 307
	permanent = 308
)

// movedPage is a redirect of an export.
type movedPage struct {
	from   string // path of the site, not escaped
	to     string // path of the site, or an absolute URL; escaped
	splat  bool   // matches everything below from
	keep   bool   // the path below from is appended to the destination
	status int
}

// spaceRedirects records the redirects from former addresses of the pages of a space, and
// the redirects of the folder that the space was imported from.
func (x *exporter) spaceRedirects(it docs.SiteItem, e *edition.Edition) error {
	err := e.View.Scan(x.ctx, revision.KeyRedirect, "", func(from string, id []byte) (bool, error) {
		n, err := e.Page(x.ctx, docs.PageID(id))
		if err == nil && n != nil {
			err = x.movedFrom(it, e, from, n)
		}
		return true, err
	})
	if err != nil {
		return err
	}
	return e.View.Scan(x.ctx, revision.KeySetting+revision.SettingRedirect, "", func(from string, _ []byte) (bool, error) {
		to, err := e.Redirect(x.ctx, from)
		if err == nil && to != "" {
			x.moved = append(x.moved, movedPage{from: under(it.Address, from), to: strings.TrimPrefix(to, "./"), status: temporary})
		}
		return true, err
	})
}

// movedFrom records redirects from the former addresses of a page and its descendants.
func (x *exporter) movedFrom(it docs.SiteItem, e *edition.Edition, from string, n *edition.Node) error {
	at, err := e.Address(x.ctx, n)
	if err != nil {
		return err
	}
	if at != "" {
		x.moved = append(x.moved, movedPage{from: under(it.Address, from), to: strings.TrimPrefix(at, "./"), status: temporary})
	}
	return e.EachBelow(x.ctx, n, func(c *edition.Node) (bool, error) {
		return true, x.movedFrom(it, e, from+"/"+c.Slug, c)
	})
}

// redirects writes an HTML page for every redirect, and the file _redirects, which several
// web hosts support.
func (x *exporter) redirects() error {
	if err := x.Sites.Redirects.Each(x.ctx, x.site.ID, x.siteRedirect); err != nil {
		return err
	}
	// If an address has two redirects, the first one wins, as on the server: redirects of
	// moved pages precede those of the site.
	slices.SortStableFunc(x.moved, func(a, b movedPage) int {
		return cmp.Or(strings.Compare(a.from, b.from), boolOrder(a.splat, b.splat))
	})
	x.moved = slices.CompactFunc(x.moved, func(a, b movedPage) bool { return a.from == b.from && a.splat == b.splat })
	var list bytes.Buffer
	for _, m := range x.moved {
		if !m.splat && (x.written[under(m.from, indexFile)] || x.written[m.from]) {
			continue // there is a page at this address now
		}
		m.line(&list, x.root())
		if m.splat {
			continue
		}
		if err := x.movedPage(m); err != nil {
			return err
		}
	}
	if list.Len() == 0 {
		return nil
	}
	return x.bytes("_redirects", list.Bytes())
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// isAbsolute reports whether an address is an absolute URL, outside of the site.
func isAbsolute(at string) bool { return strings.Contains(at, "://") }

// line writes a redirect as a line of the file _redirects.
func (m movedPage) line(w *bytes.Buffer, root string) {
	from, to := root+reading.EscapePath(m.from), m.to
	if !isAbsolute(to) {
		to = root + to
	}
	if m.splat {
		from += "*"
	}
	if m.splat && m.keep {
		path, anchor, _ := strings.Cut(to, "#")
		to = strings.TrimSuffix(path, "/") + "/:splat" + reading.Fragment(anchor)
	}
	fmt.Fprintf(w, "%s %s %d\n", from, to, m.status)
}

// movedPage writes an HTML page that redirects to another address.
func (x *exporter) movedPage(m movedPage) error {
	name := under(m.from, indexFile)
	if strings.Contains(m.from[strings.LastIndexByte(m.from, '/')+1:], ".htm") {
		name = m.from // the former address was a file
	}
	href, canonical := m.to, m.to
	if !isAbsolute(m.to) {
		path, anchor, _ := strings.Cut(m.to, "#")
		href = relativeRoot(strings.Count(name, "/")) + path
		href, canonical = edition.FileOf(href, indexFile)+reading.Fragment(anchor), x.address+path
	}
	b, err := theme.RenderMoved(x.state.Settings.Internationalization.Locale, href, canonical)
	if err != nil {
		return err
	}
	return x.bytes(name, b)
}

// siteRedirect records a redirect of the site, if the visitor sees its destination.
func (x *exporter) siteRedirect(r docs.Redirect) error {
	source, wildcard := r.Source.Prefix()
	c := x.composer(docs.SiteItem{}, 0, false)
	to, err := x.Sites.Redirects.Destination(x.ctx, x.site, x.seen.Structure, r.Destination, c.PagePath)
	if errs.Is(err, errs.NotFound) {
		return nil // the visitor does not see the destination
	}
	if err != nil {
		return err
	}
	if own, ok := strings.CutPrefix(to, x.Sites.Hosts.URL(x.site.Publication(), "")); ok {
		to = own
	}
	from, err := url.PathUnescape(strings.TrimPrefix(source, "/"))
	if err != nil {
		return nil //nolint:nilerr // no page has such an address
	}
	status := temporary
	if r.Permanent {
		status = permanent
	}
	x.moved = append(x.moved, movedPage{from: from, to: to, splat: wildcard, keep: r.KeepSuffix, status: status})
	return nil
}
