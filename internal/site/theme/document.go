package theme

import (
	"bytes"
	"cmp"
	"encoding/json"
	"html/template"
	"strconv"
	"strings"
	"sync"
)

// document is a view in its frame, being rendered as HTML. The parts that every page has are
// written without templates, because templates took most of the time of rendering a page.
// Parts that few pages have, or that are the same on all pages, are written by templates.
type document struct {
	markupWriter
	shown
	t   *template.Template
	err error
}

// documents is a pool of documents, to reuse their memory.
var documents = sync.Pool{New: func() any { return new(document) }}

// Render returns a view in its frame as a complete document.
func Render(f *Frame, v View) ([]byte, error) {
	d := documents.Get().(*document)
	defer func() {
		d.shown, d.t, d.err = shown{}, nil, nil
		documents.Put(d)
	}()
	d.Reset()
	d.shown, d.t = show(f, v), pages[f.Icons]
	d.head()
	d.top()
	if p, ok := v.(*Page); ok {
		d.page(p)
	} else {
		d.execute(v.name(), d.shown)
	}
	d.part("foot")
	if d.err != nil {
		return nil, d.err
	}
	return bytes.Clone(d.Bytes()), nil
}

// execute writes a template.
func (d *document) execute(name string, data any) { d.note(d.t.ExecuteTemplate(d, name, data)) }

// part writes a template whose output is the same on all pages of the site.
func (d *document) part(name string) {
	text, err := d.Parts.get(d.t, name, d.shown)
	d.note(err)
	d.raw(text)
}

func (d *document) note(err error) { d.err = cmp.Or(d.err, err) }

// head writes the head of the document, up to the part that all pages share.
func (d *document) head() {
	d.part("open")
	if d.Hidden {
		d.raw(`<meta name="robots" content="noindex">`, "\n")
	}
	d.meta("name", "description", d.Summary)
	d.raw("<title>")
	if d.shown.Title != "" {
		d.text(d.shown.Title)
		d.raw(" · ")
	}
	d.text(d.Frame.Title)
	d.raw("</title>\n")
	d.relation("canonical", "", d.Canonical)
	d.relation("alternate", "text/markdown", d.Alternate)
	d.relation("alternate", "application/rss+xml", d.Feed)
	for _, t := range d.Translations {
		d.raw(`<link rel="alternate"`)
		if t.Lang != "" {
			d.attribute("hreflang", t.Lang)
		}
		d.address("href", t.Href)
		d.raw(">\n")
	}
	if l := d.Turn.Previous; l != nil {
		d.relation("prev", "", l.Href)
	}
	if l := d.Turn.Next; l != nil {
		d.relation("next", "", l.Href)
	}
	if d.Canonical != "" {
		d.cards()
	}
	if p, ok := d.View.(*Page); ok && d.Style != "" && !d.Fonts.Late && HasFormula(p.Body) {
		d.raw(`<link rel="preload" as="font" type="font/woff2" crossorigin`)
		d.address("href", d.Style[:strings.LastIndexByte(d.Style, '/')+1]+mathFont[0].Name)
		d.raw(">\n")
	}
	d.part("toHeader")
}

// relation writes a link element for a related resource, if href is not empty.
func (d *document) relation(rel, kind, href string) {
	if href == "" {
		return
	}
	d.raw(`<link rel="`, rel, `"`)
	if kind != "" {
		d.raw(` type="`, kind, `"`)
	}
	d.address("href", href)
	d.raw(">\n")
}

// meta writes a meta element, if content is not empty.
func (d *document) meta(by, name, content string) {
	if content != "" {
		d.raw("<meta ", by, `="`, name, `"`)
		d.attribute("content", content)
		d.raw(">\n")
	}
}

// cards writes the metadata for previews of links in other services, and structured data.
func (d *document) cards() {
	title, card := cmp.Or(d.shown.Title, d.Frame.Title), "summary"
	d.meta("property", "og:type", "article")
	d.raw(`<meta property="og:site_name"`)
	d.attribute("content", d.Frame.Title)
	d.raw(">\n", `<meta property="og:title"`)
	d.attribute("content", title)
	d.raw(">\n")
	d.meta("property", "og:description", d.Summary)
	d.meta("property", "og:url", d.Canonical)
	if d.Image != "" {
		card = "summary_large_image"
		d.meta("property", "og:image", d.Image)
		if d.Drawn {
			d.raw(`<meta property="og:image:width" content="1200">`, "\n", `<meta property="og:image:height" content="630">`, "\n", `<meta property="og:image:alt"`)
			d.attribute("content", title)
			d.raw(">\n")
		}
	}
	d.meta("name", "twitter:card", card)
	for _, data := range d.Data {
		b, err := json.Marshal(data) // contains no < and no >
		d.note(err)
		d.raw(`<script type="application/ld+json">`)
		d.Write(b)
		d.raw("</script>\n")
	}
}

// top writes the header and the navigation.
func (d *document) top() {
	if d.hasMenu() {
		d.raw(`<a class="tool menu-open" href="#~pages"`)
		d.attribute("aria-label", d.T.Menu)
		d.raw(">", ourIcon("bars"), "</a>\n")
	}
	d.part("name")
	if len(d.Variants) > 1 {
		d.execute("variants", d.shown)
		d.raw("\n")
	}
	d.part("tools")
	if d.Draft != nil {
		d.execute("draft", d.shown)
		d.raw("\n")
	}
	if d.Alert != "" {
		d.raw(`<p class="alert" role="alert">`)
		d.text(d.Alert)
		d.raw("</p>\n")
	}
	d.raw(`<div class="frame`, d.kinds(), `">`, "\n")
	if d.hasMenu() {
		d.menu()
	}
}

// hasMenu reports whether there is something to put into the menu of small screens.
func (d *document) hasMenu() bool {
	return len(d.Navigation) > 0 || len(d.Sections) > 1 || len(d.Links) > 0 || len(d.Accounts) > 0
}

// kinds returns the classes of the frame, which say what is in it. Without them, the style
// sheet had to look for it after every change of the document.
func (d *document) kinds() (out string) {
	if d.Drawer || len(d.Navigation) == 0 {
		out += " bare"
	}
	p, _ := d.View.(*Page)
	if p == nil || len(p.Outline) == 0 {
		out += " alone"
	}
	if p != nil && len(p.Body) > longBody && d.Draft == nil { // signs of changes are beside the blocks
		out += " long"
	}
	if p != nil && p.roomy() {
		out += " roomy"
	}
	return out
}

// longBody is the size from which the body of a page is long, in bytes: the style sheet lets
// browsers lay out only what is in sight.
const longBody = 96 << 10

// menu writes the navigation, which is a drawer on small screens, and what is around it there:
// the sections, the links of the header, a way out and a backdrop.
func (d *document) menu() {
	d.raw(`<nav class="pages" id="~pages"`)
	d.attribute("aria-label", d.T.Pages)
	d.raw(` tabindex="-1">`, "\n", `<div class="menu-top">`)
	if len(d.Sections) > 1 {
		d.part("sections")
	} else {
		d.raw(`<span class="menu-title">`)
		d.text(d.T.Pages)
		d.raw("</span>")
	}
	d.raw(`<a class="tool menu-close" href="#~content"`)
	d.attribute("aria-label", d.T.Close)
	d.raw(">", ourIcon("xmark"), "</a></div>\n")
	if len(d.Navigation) > 0 {
		d.navigation(d.Navigation, d.Icons)
		d.raw("\n")
	}
	if len(d.Links) > 0 || len(d.Accounts) > 0 {
		d.part("links")
	}
	d.raw("</nav>\n", `<a class="scrim" href="#~content" tabindex="-1" aria-hidden="true"></a>`, "\n")
}

// page writes the main part of a page.
func (d *document) page(p *Page) {
	d.outline(p)
	d.raw(`<main id="~content"`)
	if w := p.widths(); w != nil {
		d.attribute("class", strings.Join(w, " "))
	}
	d.raw(">\n")
	for _, n := range p.Notes {
		d.raw(`<p class="note" role="note">`)
		d.text(n)
		d.raw("</p>\n")
	}
	if p.Cover.Light != "" {
		d.raw(`<div class="cover">`)
		d.execute("cover", coverOf(d.Frame, p))
		d.raw("</div>\n")
	}
	d.pageHead(p)
	if len(p.Tags) > 0 {
		d.raw(`<ul class="tags">`)
		for _, t := range p.Tags {
			d.raw("<li>")
			d.text(t)
			d.raw("</li>")
		}
		d.raw("</ul>\n")
	}
	d.raw("<article>\n", string(p.Body), "\n</article>\n")
	if len(p.Below) > 0 {
		d.raw(`<ul class="below">`)
		d.items(p.Below, ourIcon("angle-right"))
		d.raw("</ul>\n")
	}
	d.turns(p)
	d.feedback()
	if at := p.Updated.UTC(); !at.IsZero() {
		d.raw(`<p class="updated">`)
		d.text(d.T.Updated)
		d.raw(` <time datetime="`, at.Format("2006-01-02T15:04:05Z"), `">`)
		d.text(d.T.Day(at))
		d.raw("</time></p>\n")
	}
	d.raw("</main>\n")
}

// widths returns the CSS classes for what is wider than a column of text.
func (p *Page) widths() (out []string) {
	for _, c := range [...]struct {
		class string
		is    bool
	}{{"wide", p.Wide}, {"full", p.FullWidth && !p.Wide}, {"operations", p.Operations}} {
		if c.is {
			out = append(out, c.class)
		}
	}
	return out
}

// topLevel is the level of the headings of a page.
const topLevel = 2

// outline writes the list of headings. Each is one step below the heading that it belongs
// to, even if a level between them is left out.
func (d *document) outline(p *Page) {
	if len(p.Outline) == 0 {
		return
	}
	d.raw(`<nav class="outline"`)
	d.attribute("aria-label", d.T.Outline)
	d.raw("><details><summary>", ourIcon("align-left"))
	d.text(d.T.Outline)
	d.raw("</summary><ul>\n")
	var above []int // levels of the headings that the next one may be below
	for _, h := range p.Outline {
		if h.Anchor != "" {
			for len(above) > 0 && above[len(above)-1] >= h.Level {
				above = above[:len(above)-1]
			}
			d.raw(`<li class="level-`, strconv.Itoa(topLevel+len(above)), `"><a href="`, anchored(h.Anchor), `">`)
			above = append(above, h.Level)
			d.text(h.Text)
			d.raw("</a></li>\n")
		}
	}
	d.raw("</ul></details></nav>\n")
}

// pageHead writes the title, the breadcrumbs, the menu and the description of the page.
func (d *document) pageHead(p *Page) {
	d.raw(`<div class="head">`)
	if len(p.Breadcrumbs) > 0 {
		d.raw(`<nav class="crumbs"`)
		d.attribute("aria-label", d.T.Breadcrumbs)
		d.raw("><ol>")
		d.items(p.Breadcrumbs, "")
		d.raw("</ol></nav>\n")
	}
	if !p.Untitled {
		d.raw("<h1")
		d.attribute("id", p.Anchor)
		d.raw(">")
		if p.MarkedTitle != "" {
			d.raw(string(p.MarkedTitle))
		} else {
			d.label(&Link{Title: p.Title, Emoji: p.Emoji, Icon: p.Icon}, d.Icons)
		}
		d.raw("</h1>\n")
	}
	if len(p.Actions) > 0 {
		d.raw(`<details class="drop actions" name="drop"><summary>`, ourIcon("copy"), "<span>")
		d.text(d.T.Page)
		d.raw("</span>", ourIcon("angle-down"), "</summary>\n<ul>")
		for _, l := range p.Actions {
			d.raw("<li><a")
			d.address("href", l.Href)
			if l.External {
				d.raw(` rel="noreferrer"`)
			}
			d.raw(">")
			d.label(l, d.Icons)
			d.raw("</a></li>")
		}
		d.raw("</ul></details>\n")
	}
	switch {
	case p.MarkedDescription != "":
		d.raw(`<p class="description">`, string(p.MarkedDescription), "</p>\n")
	case p.Description != "":
		d.raw(`<p class="description">`)
		d.text(p.Description)
		d.raw("</p>\n")
	}
	d.raw("</div>\n")
}

// items writes a list of links. A link with an address ends with a sign.
func (d *document) items(links []*Link, sign string) {
	for _, l := range links {
		d.raw("<li>")
		if l.Href == "" {
			d.label(l, d.Icons)
		} else {
			d.raw("<a")
			d.address("href", l.Href)
			d.raw(">")
			d.label(l, d.Icons)
			d.raw(sign, "</a>")
		}
		d.raw("</li>")
	}
}

// turns writes the links to the previous and the next page.
func (d *document) turns(p *Page) {
	if p.Previous == nil && p.Next == nil {
		return
	}
	d.raw(`<nav class="turn"`)
	d.attribute("aria-label", d.T.Turn)
	d.raw(">\n")
	if l := p.Previous; l != nil {
		d.turn("prev", ourIcon("angle-left"), d.T.Previous, l, "")
	}
	if l := p.Next; l != nil {
		d.turn("next", "", d.T.Next, l, ourIcon("angle-right"))
	}
	d.raw("</nav>\n")
}

func (d *document) turn(rel, before, word string, l *Link, after string) {
	d.raw(`<a rel="`, rel, `"`)
	d.address("href", l.Href)
	d.raw(">", before, "<span><small>")
	d.text(word)
	d.raw("</small> ")
	d.label(l, d.Icons)
	d.raw("</span>", after, "</a>\n")
}

// feedback writes the feedback form.
func (d *document) feedback() {
	if d.Feedback == "" {
		return
	}
	words := d.T.Feedback
	d.raw(`<form class="feedback" method="post"`)
	d.address("action", d.Feedback)
	d.raw(`><p id="~helpful">`)
	d.text(words.Question)
	d.raw(`</p><div role="group" aria-labelledby="~helpful">`)
	for _, a := range [...]struct{ value, icon, text string }{{"good", "thumbs-up", words.Good}, {"ok", "face-meh", words.OK}, {"bad", "thumbs-down", words.Bad}} {
		d.raw(`<button name="rating" value="`, a.value, `">`, ourIcon(a.icon))
		d.text(a.text)
		d.raw("</button>")
	}
	d.raw("</div></form>\n")
}
