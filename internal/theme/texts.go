package theme

import (
	"encoding/json"
	"strings"

	"github.com/octavo-docs/octavo/internal/markup"
)

// Texts are the words of the interface in one language.
type Texts struct {
	Skip, Announcement, Menu, Close, Search, Links, Scheme, Sections, Pages, Privacy, Version string
	Outline, Breadcrumbs, Page, Turn, Previous, Next, Updated                                 string
	SearchHint, Results, NoResults, Near, Everywhere                                          string

	// Of the menu of a page.
	ViewMarkdown, ConnectMCP, EditSource string
	DownloadPDF, DownloadAll             string
	OpenIn, AskAbout                     string // %s is an assistant; the address of the page

	PublishedWith string   // before the name of the program
	Feedback      Feedback // of the question below a page

	// Of messages that are shown instead of a page.
	Missing, MissingText, Start                           string
	MCP, MCPText                                          string
	Documentation                                         string // the title of a site that must not be named
	SignIn, SignInText, SignInFailed, SignInAgain, Report string
	Refused                                               TokenErrors

	// Of the script.
	Copy, Copied, CopyPage, Diagrams, Recent, Zoom, More, Less string

	// Of what is not published.
	Review Review

	// Of what is in a page.
	Labels markup.Labels
}

// Review are the words about a change request or a revision that is shown before it
// is published.
type Review struct {
	Label, Request, Revision, By   string
	Draft, Open, Merged, Archived  string // the status
	Live, Show, Pages, More        string
	First, Same, Large             string
	Added, Removed, Changed, Moved string
}

// Feedback are the words of the question what readers think of a page.
type Feedback struct{ Question, Bad, OK, Good, Thanks, Back, Later string }

// TokenErrors says why the token of a reader was refused.
type TokenErrors struct{ Expired, Early, Endless, Signature, Algorithm, Malformed string }

// ForScript returns the words that the script says, as JSON.
func (t *Texts) ForScript() (string, error) {
	b, err := json.Marshal(map[string]string{
		"copy": t.Copy, "copied": t.Copied, "copyPage": t.CopyPage, "diagrams": t.Diagrams, "recent": t.Recent, "zoom": t.Zoom, "more": t.More, "less": t.Less, "noResults": t.NoResults, "everywhere": t.Everywhere, "sections": t.Sections, "headers": t.Labels.API.ResponseHeaders, "noAnswer": t.Labels.API.NoAnswer,
		"thanks": t.Feedback.Thanks,
	})
	return string(b), err
}

// languages are the texts by the language they are in, named as a customization
// names it.
var languages = map[string]*Texts{
	"en": &english, "fr": &french, "es": &spanish, "zh": &chinese, "ja": &japanese, "de": &german, "nl": &dutch, "no": &norwegian,
	"pt-br": &portuguese, "ru": &russian,
}

// nearest are languages whose readers understand texts in another one.
var nearest = map[string]string{"pt": "pt-br", "nb": "no", "nn": "no"}

// TextsIn returns the texts in a language, such as de, de-AT or pt-BR: those of
// exactly that one or of its base language, and English if there are none.
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

// Texts returns the words of the interface in the language of the frame.
func (f *Frame) Texts() *Texts { return TextsIn(f.Lang) }
