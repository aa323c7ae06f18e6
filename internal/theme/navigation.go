package theme

import (
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/icons"
)

// Every page has a navigation and a template takes longer for it than for all the rest,
// so it is written by hand.

func (w *markupWriter) navigation(links []*Link, style icons.Style) {
	w.raw("<ul>\n")
	for _, l := range links {
		w.raw("<li>")
		if l.drawn == nil {
			w.navigationEntry(l, style)
		} else {
			w.raw(l.drawn.entry(l, style))
		}
		w.below(l, style)
		w.raw("</li>\n")
	}
	w.raw("</ul>")
}

// navigationEntry writes an entry without what is below it.
func (w *markupWriter) navigationEntry(l *Link, style icons.Style) {
	switch {
	case l.Group:
		w.raw(`<p class="group">`)
		w.label(l, style)
		w.raw("</p>")
	case l.Href == "":
		w.raw(`<span class="nowhere">`)
		w.label(l, style)
		w.raw("</span>")
	default:
		w.raw("<a")
		w.address("href", l.Href)
		if l.Current {
			w.raw(` aria-current="page"`)
		}
		if l.External {
			w.raw(` rel="noreferrer"`)
		}
		w.raw(">")
		w.label(l, style)
		if l.External {
			w.raw(ourIcon("arrow-up-right-from-square"))
		}
		w.raw("</a>")
	}
}

// below writes the entries below one.
func (w *markupWriter) below(l *Link, style icons.Style) {
	switch {
	case len(l.Children) == 0:
	case l.Group:
		w.raw("\n")
		w.navigation(l.Children, style)
	default:
		w.raw("<details")
		if l.Open {
			w.raw(" open")
		}
		w.raw("><summary")
		w.attribute("aria-label", l.Title)
		w.raw("></summary>\n")
		w.navigation(l.Children, style)
		w.raw("</details>")
	}
}

// label writes the title of a link with its sign.
func (w *markupWriter) label(l *Link, style icons.Style) {
	switch {
	case l.Emoji != "":
		w.raw(`<span class="emoji">`)
		w.text(l.Emoji)
		w.raw("</span> ")
	case l.Icon != "":
		w.raw(icon(l.Icon, style))
	}
	w.text(l.Title)
}

// drawnLink is a link as an entry of navigations, without what is below it, in the styles of
// icons. It is made when the first page shows it.
type drawnLink struct{ plain, outlined atomic.Pointer[string] }

func (d *drawnLink) entry(l *Link, style icons.Style) string {
	kept := &d.plain
	if style == icons.Outlined {
		kept = &d.outlined
	}
	if html := kept.Load(); html != nil {
		return *html
	}
	var w markupWriter
	w.navigationEntry(l, style)
	html := w.String()
	kept.Store(&html)
	return html
}

// Freeze makes a link an entry of navigations that many pages have: it is drawn once. Nobody may
// change it or what is below it afterwards.
func Freeze(l *Link) { l.drawn = &drawnLink{} }

// Opened returns a copy of a link as the navigation of a page shows it that is at or below
// the link, with the entries below it.
func (l *Link) Opened(current bool, below []*Link) *Link {
	c := *l
	c.drawn, c.Open, c.Current, c.Children = nil, true, current, below
	return &c
}
