// Package export writes what readers of a site get to files: a whole site for a web server without
// Octavo, and books.
//
// Where a change goes:
//   - which files a site has: export.go, site.go and redirects.go; their addresses in addresses.go;
//     the index of the search in staticindex, the search in the browser in site/theme/web/find.js
//   - a book: chapters in book.go, the format in epub; make validate checks it
package export

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/budget"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/docs/emoji"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/audience"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/export/staticindex"
	"github.com/octavo-docs/octavo/internal/site/publish/page"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Site describes which site is exported to files, and how.
type Site struct {
	Site docs.Site
	// By is the member who requests the export. Spaces that the member cannot see are
	// omitted.
	By docs.UserID
	// Address is the URL at which the files will be served. If empty, it is the address of
	// the site. Links between pages are relative and do not need it. It is used for search
	// engines, feeds and the error page of the web server.
	Address string
}

// Put writes one file of an export. The name is a path with slashes.
type Put func(name string, size int64, content io.Reader) error

// format is part of the version of an export. Increment it if the format of the search
// index changes.
const format = "2"

// Marker is the last file of an export. It marks a folder that was written by an
// export. An export without it is incomplete.
const Marker = ".octavo-export"

// exporter writes a site to files, as a visitor without claims sees it.
type exporter struct {
	*page.Shared
	ctx     context.Context
	site    docs.Site
	state   *page.State
	seen    *audience.VisitorView
	address string // ends with a slash
	own     bool   // the caller has set the address, so it is not that of the site
	put     Put

	version string // hash of the content
	number  map[docs.SiteItemID]int
	spaces  map[docs.SpaceID]*edition.Edition
	written map[string]bool
	used    map[string]usedFile // files of spaces, by the path that pages use for them
	assets  map[string]bool
	index   *staticindex.Writer
	moved   []movedPage
}

type usedFile struct {
	space docs.SpaceID
	file  docs.File
}

// Write writes the whole site. The output is deterministic: the same content produces the
// same files in the same order. Memory holds the list of pages, the words of the search
// index, and one page at a time.
func Write(ctx context.Context, pages *page.Shared, e Site, put Put) error {
	x := &exporter{
		Shared: pages, ctx: ctx, site: e.Site, address: e.Address, own: e.Address != "", put: put,
		number: map[docs.SiteItemID]int{}, spaces: map[docs.SpaceID]*edition.Edition{}, written: map[string]bool{}, used: map[string]usedFile{}, assets: map[string]bool{},
	}
	if x.address == "" {
		x.address = pages.Sites.Hosts.URL(e.Site.Publication(), "")
	}
	x.address = strings.TrimSuffix(x.address, "/") + "/"
	x.index = staticindex.New(func(name string, script []byte) error {
		return x.bytes(sites.OwnPrefix+"search/"+x.version+"/"+name, script)
	})
	var err error
	if x.state, err = pages.StateOf(ctx, e.Site); err != nil {
		return err
	}
	// A preview shows what all visitors would see if the site was public, limited to the
	// spaces that the member can see. Drafts are not part of it.
	preview := authz.Visitor{Org: e.Site.Org, Site: e.Site.ID, Preview: true, Live: true, By: e.By}
	if x.seen, err = pages.Audience.VisitorViewOf(ctx, e.Site, preview); err != nil {
		return err
	}
	if x.state, err = x.state.SeenBy(ctx, x.seen.Reader); err != nil {
		return err
	}
	return x.all()
}

// all writes all files.
func (x *exporter) all() error {
	items := x.seen.Structure.All(docs.SiteSpace)
	if len(items) == 0 {
		return errs.E(errs.Precondition, "the site has no content that you can see; add a space first")
	}
	if err := x.open(items); err != nil {
		return err
	}
	for _, it := range items {
		if err := x.space(it); err != nil {
			return err
		}
	}
	for _, step := range []func() error{x.redirects, x.index.Close, x.siteFiles, x.spaceFiles, x.assetFiles} {
		if err := step(); err != nil {
			return err
		}
	}
	return x.bytes(Marker, fmt.Appendf(nil, "Made by octavo site export. Files in this folder are replaced by the next one.\nversion %s\nfiles %d\n", x.version, len(x.written)+1))
}

// open opens the newest revision of every space, and computes the version of the export.
// All files are made from these revisions, however long the export takes.
func (x *exporter) open(items []docs.SiteItem) error {
	sum := sha256.New()
	fmt.Fprintln(sum, format, theme.Finder.Name, x.site.ID, x.site.Version)
	for i, it := range items {
		x.number[it.ID] = i
		e, err := x.composer(it, 0, false).Edition(x.ctx, it)
		if err != nil {
			return err
		}
		fmt.Fprintln(sum, it.Address, e.View.Rev.ID)
	}
	x.version = hex.EncodeToString(sum.Sum(nil)[:6])
	return nil
}

// space writes the pages of a site space.
func (x *exporter) space(it docs.SiteItem) error {
	e, err := x.composer(it, 0, false).Edition(x.ctx, it)
	if err != nil {
		return err
	}
	if err := x.below(it, e, nil); err != nil {
		return err
	}
	return x.spaceRedirects(it, e)
}

// below writes the descendants of a page. Unlisted pages are written too, because links may
// lead to them.
func (x *exporter) below(it docs.SiteItem, e *edition.Edition, n *edition.Node) error {
	return e.EachBelow(x.ctx, n, func(c *edition.Node) (bool, error) {
		if err := budget.Yield(x.ctx); err != nil { // other exports may wait for the place of this one
			return false, err
		}
		if c.Type == docs.PageDocument {
			if err := x.page(it, e, c); err != nil {
				return false, fmt.Errorf("page %s of space %s: %w", c.ID, e.Space.ID, err)
			}
		}
		return true, x.below(it, e, c)
	})
}

// pageFolder returns the folder of a page of a site space.
func pageFolder(it docs.SiteItem, e *edition.Edition, n *edition.Node) string {
	if n.ID == e.Home {
		return it.Address
	}
	return strings.TrimPrefix(it.Address+"/"+n.Path, "/")
}

// page writes a page, its Markdown and its feed.
func (x *exporter) page(it docs.SiteItem, whole *edition.Edition, n *edition.Node) error {
	budget.FromContext(x.ctx).Renew(budget.Steps) // an export may have any number of pages
	dir := pageFolder(it, whole, n)
	c := x.composer(it, depthOf(dir), true)
	e, err := c.Edition(x.ctx, it)
	if err != nil {
		return err
	}
	p, err := c.Compose(e, n)
	if err != nil {
		return err
	}
	if !strings.Contains(string(p.Page.Body), `<pre class="diagram"`) {
		p.Frame.Diagrams = ""
	}
	if theme.HasFormula(p.Page.Body) {
		for _, a := range theme.MathFont() {
			x.assets[sites.OwnPrefix+"assets/"+a.Name] = true
		}
	}
	if err := x.view(under(dir, indexFile), c, p.Frame, p.Page); err != nil {
		return err
	}
	doc, err := c.Printer(e).Document(n)
	if err != nil {
		return err
	}
	if err := x.addToIndex(c, it, n, dir, doc); err != nil {
		return err
	}
	if p.Page.Feed != "" {
		if err := x.feed(it, n, dir); err != nil {
			return err
		}
	}
	return x.markdown(it, n, dir)
}

// addToIndex adds a page to the search index, if it is reachable by navigation.
func (x *exporter) addToIndex(c *page.Composer, it docs.SiteItem, n *edition.Node, dir string, doc *markup.Document) error {
	if !n.Reachable() || n.NoIndex {
		return nil
	}
	sections := markup.Sections(doc)
	sections[0].Body = strings.TrimSpace(n.Description + "\n" + sections[0].Body)
	var above []string
	if len(x.number) > 1 {
		above = append(above, page.SectionTitle(x.seen.Structure, it, x.language(it.Space)))
	}
	for _, up := range n.Ancestors() {
		above = append(above, up.Title)
	}
	return x.index.Add(staticindex.Page{
		Space: x.number[it.ID], Title: n.Title, Ancestors: theme.Above(above...), File: reading.EscapePath(under(dir, indexFile)),
		Emoji: emoji.FromCode(n.Emoji), Icon: theme.Draw(n.Icon, c.IconStyle()), Sections: sections,
	})
}

// feed writes the feed of a page.
func (x *exporter) feed(it docs.SiteItem, n *edition.Node, dir string) error {
	c := x.composer(it, depthOf(dir), false)
	e, err := c.Edition(x.ctx, it)
	if err != nil {
		return err
	}
	b, ok, err := c.Feed(e, n)
	if err != nil || !ok {
		return err
	}
	return x.bytes(under(dir, page.FeedFile), b)
}

// markdown writes the Markdown of a page next to the folder of the page. The Markdown of a
// home page is written into the folder of its space.
func (x *exporter) markdown(it docs.SiteItem, n *edition.Node, dir string) error {
	name, depth := dir+".md", depthOf(dir)-1
	if dir == it.Address {
		name, depth = under(dir, page.HomeMarkdown), depthOf(dir)
	}
	c := x.composer(it, depth, false)
	e, err := c.Edition(x.ctx, it)
	if err != nil {
		return err
	}
	text, err := c.Printer(e).Markdown(n)
	if err != nil {
		return err
	}
	return x.bytes(name, []byte(text))
}

func under(dir, name string) string { return strings.TrimPrefix(dir+"/"+name, "/") }

// view renders a view in its frame, writes it, and records the assets that the frame needs.
func (x *exporter) view(name string, c *page.Composer, f *theme.Frame, view theme.View) error {
	needs := []string{f.Style, f.Script, f.Diagrams, f.Favicon, f.Search.Script}
	for _, files := range [][]theme.FontFile{f.Fonts.Text, f.Fonts.Heading, f.Fonts.Code} {
		for _, file := range files {
			needs = append(needs, file.Href)
		}
	}
	for _, at := range needs {
		if own, ok := strings.CutPrefix(at, c.Root); ok && at != "" {
			x.assets[own] = true
		}
	}
	b, err := theme.Render(f, view)
	if err != nil {
		return err
	}
	return x.bytes(name, b)
}

// use records a file that a page refers to.
func (x *exporter) use(e *edition.Edition, f docs.File) {
	x.used[pathBelow(page.FileAddress(e, f))] = usedFile{e.Space.ID, f}
}

// pathBelow returns the unescaped path of a relative address, from the folder of the site.
func pathBelow(at string) string {
	for strings.HasPrefix(at, "../") {
		at = at[len("../"):]
	}
	at = strings.TrimPrefix(at, "./")
	if name, err := url.PathUnescape(at); err == nil {
		return name
	}
	return at
}

func (x *exporter) bytes(name string, b []byte) error {
	return x.file(name, int64(len(b)), bytes.NewReader(b))
}

// file writes a file, unless a file with this name was written before. Pages are written
// first, so they take precedence over all files that could have the same name.
func (x *exporter) file(name string, size int64, r io.Reader) error {
	if x.written[name] {
		return nil
	}
	x.written[name] = true
	return x.put(name, size, r)
}

// spaceFiles writes the files of spaces that pages refer to.
func (x *exporter) spaceFiles() error {
	for _, name := range slices.Sorted(maps.Keys(x.used)) {
		u := x.used[name]
		o, err := x.Content.OpenFile(x.ctx, u.space, u.file.Blob)
		if err == nil {
			err = x.object(name, o)
		}
		if err != nil {
			return fmt.Errorf("file %s of space %s: %w", u.file.ID, u.space, err)
		}
	}
	return nil
}

func (x *exporter) object(name string, o blob.Object) error {
	defer o.Close()
	return x.file(name, o.Info().Size, o)
}

// assetFiles writes the style sheets, scripts and fonts that pages need.
func (x *exporter) assetFiles() error {
	assets := sites.OwnPrefix + "assets/"
	if x.assets[assets+theme.Diagrams.Name] {
		for _, a := range theme.Drawing {
			x.assets[assets+a.Name] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.assets)) {
		if a, ok := theme.Find(strings.TrimPrefix(name, assets)); ok {
			if err := x.bytes(name, a.Bytes()); err != nil {
				return err
			}
			continue
		}
		file, ok := strings.CutPrefix(name, sites.FontPath)
		if !ok {
			continue // written by siteFiles
		}
		hash, _, _ := strings.Cut(file, ".")
		o, err := blob.OpenNamed(x.ctx, x.Content.Blobs, hash)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err == nil {
			err = x.object(name, o)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
