// Package theme turns pages of documentation into HTML: templates, a style
// sheet, a small script, and the headers that keep a browser from running
// anything else.
//
// It knows neither folders nor the store. Whoever serves pages fills in a Frame
// (what surrounds every page of a site) and a View (what is in the middle), and
// sends both with Write. Every page is complete without the script.
package theme

import (
	"html/template"
	"time"

	"github.com/octavo-docs/octavo/internal/icons"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Link is something that can be followed: an entry of the navigation, a tab, a
// choice of a menu. Without Href it is shown as plain text, or as the heading of its
// children.
type Link struct {
	Title, Emoji, Icon, Href string
	Group                    bool   // a heading, not a page
	Open                     bool   // its children are shown
	External                 bool   // leads to another site
	Current                  bool   // leads to what is shown
	Button                   string // looks like a button: primary or secondary
	Children                 []*Link

	drawn *drawnLink // of one that many pages have, see Freeze
}

// Frame is what surrounds every page of a site. Whatever is empty is left out.
type Frame struct {
	Lang          string // of the texts; empty is English
	RightToLeft   bool   // how the texts are written, if Lang is empty
	Title         string // of the site
	Home          string // address of the first page
	Logo          Picture
	Favicon       string
	Mark          string // beside the title: what kind of site this is
	Style, Script string // addresses of the assets
	Diagrams      string // address of the document that draws diagrams; empty: they are shown as their source
	Nonce         string // if set, only the assets with this nonce are allowed
	Colors        Colors
	Fonts         Fonts
	Scheme        Scheme
	Switch        bool // readers may choose another scheme
	Looks         []Look
	Icons         icons.Style
	Announcement  *Announcement
	Draft         *Draft  // what is shown is not what is published
	Links         []*Link // in the header
	Accounts      []*Link // the same, of the owner elsewhere
	Sections      []*Link // tabs; those with children are menus
	Variants      []*Link // versions or languages of what is shown
	Navigation    []*Link
	Search        Search
	Feedback      string // address that takes what readers think of the page
	Footer        Footer
	Hidden        bool          // from search engines
	Alert         string        // something is wrong with the site
	Below         template.HTML // at the end of the document
	Canonical     string        // whole address of what is shown
	Alternate     string        // address of what is shown, as Markdown
	Image         string        // address of a picture for links to the site
	Drawn         bool          // the picture was drawn of the page, and is as large as services ask for
	Translations  []Translation // of what is shown, itself included, and other places of its content
	Data          []any         // descriptions of what is shown by schema.org, each written as JSON

	Parts *Parts // of other pages with the same frame; nil: none are kept
}

// Translation is where a page is in a language, which may be unknown. The address is
// whole.
type Translation struct{ Lang, Href string }

// Look is a choice of the owner of a site that the style sheet follows, such as
// the form of corners.
type Look struct{ Name, Value string }

// Picture is an image that may have another form on a dark background.
type Picture struct{ Light, Dark string }

// Scheme says which colours a page has: those that the reader's system asks
// for, or always the same.
type Scheme string

// The schemes.
const (
	Auto  Scheme = ""
	Light Scheme = "light"
	Dark  Scheme = "dark"
)

// Dark returns when the dark form of a picture is shown, as a media query. The
// script changes it when a reader chooses a scheme.
func (s Scheme) Dark() string {
	switch s {
	case Light:
		return "not all"
	case Dark:
		return "all"
	}
	return "(prefers-color-scheme: dark)"
}

// Draft is a banner about what is shown before it is published.
type Draft struct {
	Name    string // such as a change request and its number
	Subject string
	Status  Status
	Author  string
	Live    string // address of what is published in its place
	Switch  *Link  // shows or hides the changes of the page; nil: they cannot be shown
	Marked  bool   // the changes of the page are shown
	Changes int    // how many
	First   string // address of the first one
	Note    string // instead of changes
	Pages   []Changed
	More    int // pages that are not listed
}

// Status of a change request, in its own word and in that of the reader.
type Status struct{ Name, Text string }

// Changed is a page that a draft changes.
type Changed struct {
	Link
	Kind string // added, removed, edited or moved
	Text string // the same, for the reader
}

// Sign is what a change is marked with besides its colour.
func (c Changed) Sign() string {
	return map[string]string{"added": "+", "removed": "−", "edited": "~", "moved": "↕"}[c.Kind]
}

// Announcement is a banner above everything.
type Announcement struct {
	Style, Title, Message string // Style is that of a hint: info, success, warning, danger
	Link                  *Link
}

// Footer is what is below everything.
type Footer struct {
	Logo      Picture
	Text      string
	Privacy   string  // address of the privacy policy
	Accounts  []*Link // elsewhere
	Trademark bool    // the program is named
	Groups    []*Link // columns of links
}

// Empty reports whether there is no footer.
func (f Footer) Empty() bool {
	return f.Logo.Light == "" && f.Text == "" && f.Privacy == "" && len(f.Groups) == 0 && len(f.Accounts) == 0 && !f.Trademark
}

// Search says where a site is searched.
type Search struct {
	Action string // address of the page of results; empty: there is no search
	Live   string // address of results as JSON, for results while somebody types
	Hint   string // what is searched
	Script string // address of a script that searches without a server; Live is where its index is then
	Scope  string // for that script: the numbers of the spaces that are searched, the one that is shown first
	// Section is the section that can be searched alone; empty: the site has one.
	Section string
}

// Page is a page of documentation.
type Page struct {
	Title, Emoji, Icon string
	MarkedTitle        template.HTML // the title with its changes
	MarkedDescription  template.HTML
	Anchor             string // of the title
	Untitled           bool   // the title is not shown
	Description        string
	Cover              Picture
	Tags               []string
	Notes              []string // about the page, for whoever writes it
	Breadcrumbs        []*Link
	Body               template.HTML
	Below              []*Link // instead of a body
	Outline            []markup.Heading
	Previous, Next     *Link
	Feed               string    // address of its news
	Actions            []*Link   // what can be done with the page
	Updated            time.Time // zero: not shown
	Wide               bool
}

// Results are what a search has found.
type Results struct {
	Query  string
	Hits   []Hit
	Scopes []*Link // the same search in all sections and in one; nil: there is one
}

// Hit is a result of a search.
type Hit struct {
	Title string `json:"title"`
	Where string `json:"where,omitempty"` // the pages above it
	Text  string `json:"text,omitempty"`
	Href  string `json:"href"`
}

// Message is shown instead of a page: there is none, or a reader must sign in
// first.
type Message struct {
	Title string
	Text  string
	At    string  // an address, behind the text
	Near  []*Link // pages that may have been meant
	Next  *Link   // what to do instead
}

// View is what is in the middle of a frame: a Page, Results or a Message.
type View interface{ name() string }

func (*Page) name() string    { return "page" }
func (*Results) name() string { return "results" }
func (*Message) name() string { return "message" }
