package page

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/reading"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/publish/rss"
)

const (
	// FeedFile is the file name of the feed of a page, relative to the address of that page.
	FeedFile = "rss.xml"
	// maxFed is the maximum number of updates in a feed. The newest are kept.
	maxFed = 50
)

// FeedAddress returns the address of the feed of the page at an address.
func FeedAddress(at string) string { return strings.TrimSuffix(at, "/") + "/" + FeedFile }

// Feed returns the RSS feed of a page, with the newest update first. If the page has no
// block of updates, ok is false.
func (c *Composer) Feed(e *edition.Edition, n *edition.Node) (feed []byte, ok bool, err error) {
	doc, err := reading.Document(c.Ctx, e.View.Reading(n.Page), reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
	if err != nil {
		return nil, false, err
	}
	updates, ok := markup.Updates(doc)
	if !ok {
		return nil, false, nil
	}
	at, err := e.Address(c.Ctx, n)
	if err != nil {
		return nil, false, err
	}
	slices.SortStableFunc(updates, func(a, b markup.Update) int { return b.Date.Compare(a.Date) })
	f := rss.Feed{
		Title: n.Title + " · " + c.Title(), Link: c.Absolute(at), Self: c.Absolute(FeedAddress(at)),
		Description: cmp.Or(n.Description, n.Title), Language: e.Space.Language,
	}
	p := c.Printer(e)
	for _, u := range updates[:min(len(updates), maxFed)] {
		item, err := c.feedItem(p, u, f.Link)
		if err != nil {
			return nil, false, err
		}
		f.Items = append(f.Items, item)
	}
	if p.Err != nil {
		return nil, false, p.Err
	}
	b, err := f.XML()
	return b, true, err
}

// feedItem returns an update as an item of a feed. Its links are absolute, because feed
// readers do not resolve relative ones. The page argument is the URL of the page.
func (c *Composer) feedItem(p *Printer, u markup.Update, page string) (rss.Item, error) {
	item := rss.Item{Link: page, Date: u.Date}
	if all := markup.Headings(u.Document); len(all) > 0 {
		item.Title, item.Link = all[0].Text, page+reading.Fragment(all[0].Anchor)
	}
	item.ID = item.Link
	if !u.Date.IsZero() {
		day := u.Date.Format(time.DateOnly)
		item.Title, item.ID = cmp.Or(item.Title, day), item.Link+" "+day
	}
	for _, tag := range u.Tags {
		if label, ok := p.title(tag); ok {
			item.Categories = append(item.Categories, label)
		}
	}
	o, _ := p.options(func(about byte, ref docs.Ref) lookupResult { return p.resolve(lookup{about: about, ref: ref}) })
	o.NoAnchors = true
	o.Link = func(ref docs.Ref) (string, bool) {
		at, ok := p.Link(ref)
		switch {
		case strings.HasPrefix(at, c.Root):
			at = c.Absolute(at)
		case strings.HasPrefix(at, "#"):
			at = page + at
		}
		return at, ok
	}
	var b bytes.Buffer
	err := html.Write(&b, u.Document, o)
	item.Description = strings.TrimSpace(b.String())
	return item, err
}
