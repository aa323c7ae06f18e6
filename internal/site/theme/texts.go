package theme

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/markup/html"
)

// Texts are the texts of the user interface in one language.
type Texts struct {
	Skip, Announcement, Menu, Close, Search, Links, Scheme, Sections, Pages, Privacy, Version string
	Outline, Breadcrumbs, Page, Turn, Previous, Next, Updated                                 string
	SearchHint, Results, NoResults, Near, Everywhere                                          string
	SystemScheme, LightScheme, DarkScheme                                                     string // choices of Scheme

	// In the menu of a page.
	ViewMarkdown, ConnectMCP, NewsFeed string
	EditOn, EditSource                 string // %s is the name of a host of repositories
	DownloadPDF, DownloadAll           string
	OpenIn, AskAbout                   string // %s is the name of an assistant, or the address of the page

	Finder FinderTexts

	PublishedWith string   // precedes the name of the software
	Feedback      Feedback // the feedback form below a page

	// In messages that are shown instead of a page.
	Missing, MissingText, Start                           string
	MCP, MCPText                                          string
	Documentation                                         string // the title of a site whose name must not be revealed
	SignIn, SignInText, SignInFailed, SignInAgain, Report string
	Refused                                               TokenErrors

	// In the script.
	Copy, Copied, CopyPage, Diagrams, Zoom, More, Less string
	Play, OpenHere, LoadsFrom                          string // %s is the host that content is loaded from
	Wrap, NoDiagram                                    string

	// In banners of drafts.
	Review Review

	// In the content of a page.
	Labels html.Labels
}

// FinderTexts holds the texts of the search.
type FinderTexts struct {
	Recent, Suggested string // headings of lists of pages
	Count             string // %s is how many results there are
	Advice, Failed    string // if nothing is found, or there is no answer
	Choose, Open      string // what keys do
}

// Review holds the texts about a change request or a revision that is not published.
type Review struct {
	Label, Request, Revision, By   string
	Draft, Open, Merged, Archived  string // the status
	Live, Show, Pages, More        string
	First, Same, Large             string
	Added, Removed, Changed, Moved string
}

// Feedback holds the texts of the feedback form.
type Feedback struct{ Question, Bad, OK, Good, Thanks, Back, Later string }

// TokenErrors holds the texts about why the token of a reader was refused.
type TokenErrors struct{ Expired, Early, Lifetime, Signature, Algorithm, Malformed string }

// ForScript returns the texts that the script uses, as JSON.
func (t *Texts) ForScript() (string, error) {
	b, err := json.Marshal(map[string]string{
		"copy": t.Copy, "copied": t.Copied, "copyPage": t.CopyPage, "diagrams": t.Diagrams, "zoom": t.Zoom, "more": t.More, "less": t.Less, "play": t.Play, "openHere": t.OpenHere, "loads": t.LoadsFrom, "noResults": t.NoResults, "everywhere": t.Everywhere, "sections": t.Sections, "headers": t.Labels.API.ResponseHeaders, "noAnswer": t.Labels.API.NoAnswer,
		"thanks": t.Feedback.Thanks,
		"recent": t.Finder.Recent, "suggested": t.Finder.Suggested, "count": t.Finder.Count, "advice": t.Finder.Advice, "failed": t.Finder.Failed,
		"choose": t.Finder.Choose, "open": t.Finder.Open, "close": t.Close, "results": t.Results,
		"wrap": t.Wrap, "noDiagram": t.NoDiagram,
	})
	return string(b), err
}

// languages maps languages to their texts, with the names that a customization uses.
var languages = map[string]*Texts{
	"en": &english, "fr": &french, "es": &spanish, "zh": &chinese, "ja": &japanese, "de": &german, "nl": &dutch, "no": &norwegian,
	"pt-br": &portuguese, "ru": &russian,
}

// nearest maps languages to others that their readers understand.
var nearest = map[string]string{"pt": "pt-br", "nb": "no", "nn": "no"}

// TextsIn returns the texts in a language, such as de, de-AT or pt-BR. It falls back to the
// base language and then to English.
func TextsIn(lang string) *Texts {
	lang = strings.ReplaceAll(strings.ToLower(lang), "_", "-")
	base, _, _ := strings.Cut(lang, "-")
	for _, name := range []string{lang, base, nearest[base]} {
		if t := languages[name]; t != nil {
			return t
		}
	}
	return &english
}

// Texts returns the texts of the user interface in the language of the frame.
func (f *Frame) Texts() *Texts { return TextsIn(f.Lang) }

// Day returns a day in words.
func (t *Texts) Day(at time.Time) string {
	text, _, _ := t.Labels.Dates.Format(at.UTC().Format(time.RFC3339), "full")
	return text
}
