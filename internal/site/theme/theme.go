// Package theme renders pages of documentation as HTML. It has templates, a style sheet, a
// small script, and the headers that prevent a browser from running anything else.
//
// It depends neither on folders nor on the store. Callers fill in a Frame (the parts around
// every page of a site) and a View (the part in the middle), and send both with Write. Every
// page is complete without the script.
//
// Where a change goes:
//   - how pages look: the style sheet in web/style, the script in web/script; assets.go has
//     the order of their parts
//   - the HTML around a page: web/frame.html and document.go, which joins the parts
//   - what a page has: theme.go; security headers: write.go
//
// Look at it in light, dark and narrow with octavo serve --preview docs/manual/guide.
package theme

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"html/template"
	"strconv"
	"time"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/icons"
)

// Link is a navigation entry, a tab or a menu entry. Without Href it is rendered as plain
// text, or as the heading of its children.
type Link struct {
	Title, Emoji, Icon, Href string
	Group                    bool   // a heading, not a page
	Open                     bool   // its children are shown
	External                 bool   // leads to another site
	Current                  bool   // leads to the current page
	Button                   string // rendered as a button: primary or secondary
	Method                   string // of the operation of an API that the page shows
	Children                 []*Link

	drawn *drawnLink // cached HTML of a link that many pages share, see Freeze
}

// Named returns the link whose title a menu has: the current entry of the menu, or else the
// menu itself.
func (l *Link) Named() *Link {
	if l.Group || l.Href != "" {
		return l
	}
	return cmp.Or(current(l.Children), l)
}

// current returns the current one of links and of those below them, or nil.
func current(links []*Link) *Link {
	for _, l := range links {
		if c := current(l.Children); c != nil {
			return c
		}
		if l.Current {
			return l
		}
	}
	return nil
}

// Frame holds the parts around every page of a site. Empty parts are omitted.
type Frame struct {
	Lang          string // of the texts; English if empty
	RightToLeft   bool   // direction of the texts, if Lang is empty
	Title         string // of the site
	Home          string // address of the home page
	Logo          Picture
	Favicon       string
	Mark          string // next to the title: the kind of the site, such as preview
	Style, Script string // addresses of the assets
	Diagrams      string // address of the document that draws diagrams; if empty, diagrams are shown as source
	Nonce         string // if set, only assets with this nonce are allowed
	Colors        Colors
	Fonts         Fonts
	Scheme        Scheme
	Switch        bool // readers may choose another scheme
	Ahead         bool // pages may be fetched when a reader is about to follow a link to them
	Looks         []Look
	Icons         icons.Style
	Announcement  *Announcement
	Draft         *Draft  // the content is not the published one; nil if it is
	Links         []*Link // in the header
	Accounts      []*Link // in the header: accounts of the owner on other platforms
	Sections      []*Link // tabs; those with children are menus
	Variants      []*Link // versions or languages of the current page
	Navigation    []*Link
	Drawer        bool // the navigation is only the menu of small screens
	Search        Search
	Feedback      string // address that receives feedback about the page
	Footer        Footer
	Hidden        bool          // from search engines
	Alert         string        // a problem with the site
	Below         template.HTML // at the end of the document
	Canonical     string        // absolute URL of the current page
	Alternate     string        // address of the Markdown of the current page
	Image         string        // address of the picture for links to the page
	Drawn         bool          // the picture was drawn from the page, and has the standard size
	Translations  []Translation // of the current page, including itself, and alternates from its front matter
	Frames        []string      // origins of what readers may load into the page
	Data          []any         // structured data of the page (schema.org), each value written as JSON

	Parts *Parts // cache shared by pages with the same frame; nil if there is none
}

// Translation is the absolute URL of a page in a language. Lang is empty if the language is
// unknown.
type Translation struct{ Lang, Href string }

// Section returns the section that is shown, or nil.
func (f *Frame) Section() *Link { return current(f.Sections) }

// Look is a setting of a site that the style sheet implements, such as the shape of corners.
type Look struct{ Name, Value string }

// Picture is an image that may have a variant for dark backgrounds.
type Picture struct{ Light, Dark string }

// Cover is the picture above a page.
type Cover struct {
	Picture
	LightFiles, DarkFiles string // the picture in several widths, as in the attribute srcset; may be empty
	Width, Height         int    // in pixels; 0 if they are not known
}

// Scheme is the colour scheme of a page: always light, always dark, or the preference of the
// system of the reader.
type Scheme string

// The schemes.
const (
	Auto  Scheme = ""
	Light Scheme = "light"
	Dark  Scheme = "dark"
)

// Dark returns the media query under which the dark variant of a picture is shown. The script
// changes the media query when a reader chooses a scheme.
func (s Scheme) Dark() string {
	switch s {
	case Light:
		return "not all"
	case Dark:
		return "all"
	}
	return "(prefers-color-scheme: dark)"
}

// Draft is a banner about unpublished content.
type Draft struct {
	Name    string // such as a change request and its number
	Subject string
	Status  Status
	Author  string
	Live    string // address of the published content
	Switch  *Link  // shows or hides the changes of the page; nil if they cannot be shown
	Marked  bool   // the changes of the page are highlighted
	Changes int    // number of changes on the page
	First   string // address of the first change
	Note    string // shown instead of changes
	Pages   []Changed
	More    int // number of pages that are not listed
}

// Status is the status of a change request: its name in the API, and its text for readers.
type Status struct{ Name, Text string }

// Changed is a page that a draft changes.
type Changed struct {
	Link
	Kind string // added, removed, edited or moved
	Text string // Kind as a text for readers
}

// Sign returns the symbol of a change, which does not depend on its colour.
func (c Changed) Sign() string {
	return map[string]string{"added": "+", "removed": "−", "edited": "~", "moved": "↕"}[c.Kind]
}

// Announcement is a banner above the header.
type Announcement struct {
	Style, Title, Message string // Style is the style of a hint: info, success, warning, danger
	Link                  *Link
}

// Key identifies the content of the announcement. A reader who closes it does not close those
// that follow.
func (a *Announcement) Key() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q", a.Style, a.Title, a.Message)
	if a.Link != nil {
		fmt.Fprintf(h, " %q %q", a.Link.Title, a.Link.Href)
	}
	return strconv.FormatUint(h.Sum64(), 36)
}

// Footer is the part below the content.
type Footer struct {
	Logo      Picture
	Text      string
	Privacy   string  // address of the privacy policy
	Accounts  []*Link // on other platforms
	Trademark bool    // the software is named
	Groups    []*Link // columns of links
}

// Empty reports whether there is no footer.
func (f Footer) Empty() bool {
	return f.Logo.Light == "" && f.Text == "" && f.Privacy == "" && len(f.Groups) == 0 && len(f.Accounts) == 0 && !f.Trademark
}

// Search holds the addresses of the search of a site.
type Search struct {
	Action string // address of the page of results; empty if there is no search
	Live   string // address of Found as JSON, for results while the reader types
	Hint   string // describes what is searched
	Script string // address of a script that searches without a server; Live is then the address of its index
	Scope  string // for Script: numbers of the spaces to search, the current one first
	// Section is the section that can be searched alone; empty if the site has only one.
	Section string
}

// Page is a page of documentation.
type Page struct {
	Title, Emoji, Icon string
	MarkedTitle        template.HTML // the title with its changes highlighted
	MarkedDescription  template.HTML
	Anchor             string // of the title
	Untitled           bool   // the title is not shown
	Description        string
	Cover              Cover
	Frames             []string // origins of what readers may load into the page
	Tags               []string
	Notes              []string // about the page, for its authors
	Breadcrumbs        []*Link
	Body               template.HTML
	Below              []*Link // child pages, shown instead of a body
	Outline            []markup.Heading
	Previous, Next     *Link
	Feed               string    // address of the RSS feed of the page
	Actions            []*Link   // entries of the menu of the page
	Updated            time.Time // not shown if zero
	Wide               bool      // the text takes the width of the window
	FullWidth          bool      // some blocks take it, the text does not
	Operations         bool      // samples are beside operations of an API
	NoOutline          bool      // the page has no outline by choice, and not because it has no headings
}

// roomy reports whether there is no room for an outline beside the page: it has none, or it is above
// a page that needs its width. A page without headings keeps the room, so that the text of all pages
// is in the same place. A page with wide blocks keeps it too: they cover the outline while they pass.
func (p *Page) roomy() bool { return p.Wide || p.Operations || p.NoOutline }

// Message is shown instead of a page, such as for a missing page or when a reader must sign
// in.
type Message struct {
	Title string
	Text  string
	At    string  // an address, shown after the text
	Near  []*Link // pages that the reader may have meant
	Next  *Link   // what to do instead
}

// View is the part in the middle of a frame: a Page, Results or a Message.
type View interface{ name() string }

func (*Page) name() string    { return "page" }
func (*Results) name() string { return "results" }
func (*Message) name() string { return "message" }
