package theme

import (
	"cmp"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// The navigation is written without templates: every page has one, and a template took longer
// for the navigation than for the rest of the page.

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

// navigationEntry writes an entry without its children.
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

// below writes the children of an entry.
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

// methods maps the methods of operations to their CSS classes.
var methods = map[string]string{"GET": "method api-get", "POST": "method api-post", "PUT": "method api-put", "PATCH": "method api-put", "DELETE": "method api-delete"}

// label writes the title of a link with its emoji or icon, and the method of its operation.
func (w *markupWriter) label(l *Link, style icons.Style) {
	if l.Method != "" {
		w.raw(`<span class="`, cmp.Or(methods[l.Method], "method"), `">`)
		w.text(l.Method)
		w.raw("</span> ")
	}
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

// drawnLink caches the HTML of a navigation entry without its children, for each style of
// icons. The HTML is rendered when it is first needed.
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

// Freeze marks a link as a navigation entry that many pages share, so that it is rendered once.
// The link and its descendants must not be modified afterwards.
func Freeze(l *Link) { l.drawn = &drawnLink{} }

// Opened returns a copy of a link for the navigation of a page that is the link's target or one
// of its descendants. The copy is open and has the given children.
func (l *Link) Opened(current bool, below []*Link) *Link {
	c := *l
	c.drawn, c.Open, c.Current, c.Children = nil, true, current, below
	return &c
}
