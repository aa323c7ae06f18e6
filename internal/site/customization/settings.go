// Package customization defines how a site looks and which features it offers its readers:
// colours, fonts, header, footer, languages, page actions.
//
// Settings is the complete object, as clients read and write it. Clients of different versions
// support different parts of the object, so it has the union of these parts. Values that a
// client omits have their defaults. Override is a part of the settings, for one space of a
// site.
//
// Limits and enumerations are tags of the fields, from which the API generates its schema.
// Check checks the rules that tags cannot express.
//
// Where a change goes:
//   - a setting of a site's look: its field and tags in settings.go, its default in
//     default.go, what tags cannot express in check.go
package customization

import (
	"encoding/json"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/jsontext"
)

// MaxBytes is the maximum size of the settings of a site as JSON, including all defaults.
const MaxBytes = 256 << 10

// Settings is the customization of a site. Arrays and objects are never missing, unless they are
// pointers or maps.
type Settings struct {
	Title                 string               `json:"title,omitempty" minLength:"2" maxLength:"128" doc:"Title of the published site; by default that of the site."`
	LocalizedTitle        Localized            `json:"localizedTitle,omitempty" doc:"Titles by language."`
	Styling               Styling              `json:"styling"`
	Internationalization  Internationalization `json:"internationalization" deprecated:"true"`
	Favicon               Favicon              `json:"favicon"`
	Header                Header               `json:"header"`
	Footer                Footer               `json:"footer"`
	Announcement          *Announcement        `json:"announcement,omitempty"`
	Themes                Themes               `json:"themes"`
	PDF                   Switch               `json:"pdf" doc:"Whether readers can get pages as PDF; the same as the page action pdf."`
	Feedback              Switch               `json:"feedback" doc:"Whether readers can rate pages."`
	AI                    AI                   `json:"ai"`
	AdvancedCustomization Switch               `json:"advancedCustomization"`
	Git                   Git                  `json:"git"`
	PageActions           PageActions          `json:"pageActions"`
	MCP                   Switch               `json:"mcp" doc:"Whether the site is an MCP server for assistants, if everybody can read it. A site that is not public is one only if the page actions have mcp, too."`
	ExternalLinks         ExternalLinks        `json:"externalLinks"`
	Embeds                Embeds               `json:"embeds"`
	Pagination            Switch               `json:"pagination" doc:"Whether pages link to the previous and the next one."`
	Trademark             Switch               `json:"trademark" doc:"Whether the site names the software that serves it."`
	PrivacyPolicy         Link                 `json:"privacyPolicy"`
	SocialPreview         Link                 `json:"socialPreview" doc:"Image for previews of links to the site."`
	SocialAccounts        []SocialAccount      `json:"socialAccounts" maxItems:"10"`
	Insights              Insights             `json:"insights"`
	UpdatedAt             docs.Time            `json:"updatedAt,omitzero" readOnly:"true" doc:"When the settings were changed last. Ignored in requests."`
}

// Localized maps languages to texts.
type Localized map[string]string

// Styling holds colours, fonts and shapes.
type Styling struct {
	Theme         string     `json:"theme" enum:"clean,muted,bold,gradient"`
	PrimaryColor  Color      `json:"primaryColor" doc:"Colour of links and buttons."`
	Tint          *Tint      `json:"tint,omitempty" doc:"Colour of header, sidebar and background."`
	InfoColor     Color      `json:"infoColor"`
	SuccessColor  Color      `json:"successColor"`
	WarningColor  Color      `json:"warningColor"`
	DangerColor   Color      `json:"dangerColor"`
	Corners       string     `json:"corners" enum:"straight,rounded,circular"`
	Depth         string     `json:"depth" enum:"subtle,flat"`
	Links         string     `json:"links" enum:"default,accent"`
	Font          TextFont   `json:"font"`
	HeadingFont   *TextFont  `json:"headingFont,omitempty" doc:"Absent if headings have the font of text."`
	MonospaceFont CodeFont   `json:"monospaceFont"`
	Background    string     `json:"background" enum:"plain,match" deprecated:"true"`
	Icons         string     `json:"icons" enum:"regular,solid,duotone,light,thin"`
	CodeTheme     CodeThemes `json:"codeTheme"`
	Sidebar       Sidebar    `json:"sidebar"`
	Search        string     `json:"search" enum:"prominent,subtle"`
}

// Color is a colour in light and in dark mode.
type Color struct {
	Light string `json:"light" pattern:"^#(?:[0-9a-fA-F]{3}){1,2}$" patternDescription:"a colour such as #346ddb or #36d"`
	Dark  string `json:"dark" pattern:"^#(?:[0-9a-fA-F]{3}){1,2}$" patternDescription:"a colour such as #346ddb or #36d"`
}

// Tint is the colour of surfaces.
type Tint struct {
	Color Color `json:"color"`
}

// CodeThemes are the colours of code blocks and of API blocks.
type CodeThemes struct {
	Default CodeTheme `json:"default"`
	OpenAPI CodeTheme `json:"openapi"`
}

// CodeTheme names the colours of code in light and in dark mode.
type CodeTheme struct {
	Light CodeThemeName `json:"light"`
	Dark  CodeThemeName `json:"dark"`
}

// Sidebar is the style of the list of pages.
type Sidebar struct {
	Background string `json:"background" enum:"default,filled"`
	List       string `json:"list" enum:"default,pill,line"`
}

// Internationalization is the language of buttons and labels.
type Internationalization struct {
	Locale string `json:"locale" enum:"en,fr,es,zh,ja,de,nl,no,pt-br,ru"`
}

// Favicon is an icon, an emoji, or empty.
type Favicon struct {
	Icon  *Image `json:"icon,omitempty"`
	Emoji string `json:"emoji,omitempty" maxLength:"50" format:"emoji"`
}

// Image has the URLs of an image for light and for dark mode.
type Image struct {
	Light string `json:"light" format:"uri" maxLength:"2048"`
	Dark  string `json:"dark" format:"uri" maxLength:"2048"`
}

// Header is the bar at the top of each page.
type Header struct {
	Preset          string       `json:"preset" enum:"default,bold,contrast,custom,none" deprecated:"true"`
	Logo            *Image       `json:"logo,omitempty"`
	PrimaryLink     *docs.Ref    `json:"primaryLink,omitempty" doc:"Where the title and the logo lead to, if not to the start of the site."`
	BackgroundColor *Color       `json:"backgroundColor,omitempty" deprecated:"true"`
	LinkColor       *Color       `json:"linkColor,omitempty" deprecated:"true"`
	Links           []HeaderLink `json:"links" maxItems:"50"`
}

// HeaderLink is a link, a button or a menu.
type HeaderLink struct {
	Title          string        `json:"title" maxLength:"256"`
	LocalizedTitle Localized     `json:"localizedTitle,omitempty"`
	Style          string        `json:"style,omitempty" enum:"link,button-primary,button-secondary"`
	To             Target        `json:"to" required:"false"`
	Links          []ContentLink `json:"links" required:"false" maxItems:"50" doc:"Entries of the menu."`
	Condition      string        `json:"condition,omitempty" maxLength:"1024" doc:"Who sees the link; an empty condition is everybody. Visitors never receive it."`
}

// Target is the target of a link of the header. Ref is nil for a menu that is not itself a link.
// In JSON it is a reference or null.
type Target struct{ Ref *docs.Ref }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Target) UnmarshalJSON(b []byte) error {
	t.Ref = nil
	return json.Unmarshal(b, &t.Ref)
}

// MarshalJSON implements json.Marshaler.
func (t Target) MarshalJSON() ([]byte, error) { return jsontext.Marshal(t.Ref) }

// ContentLink is a link with a title.
type ContentLink struct {
	Title          string    `json:"title" maxLength:"64"`
	LocalizedTitle Localized `json:"localizedTitle,omitempty"`
	To             docs.Ref  `json:"to"`
}

// Footer is the part below each page.
type Footer struct {
	Logo      *Image        `json:"logo,omitempty"`
	Groups    []FooterGroup `json:"groups" maxItems:"20"`
	Copyright string        `json:"copyright,omitempty" maxLength:"512"`
}

// FooterGroup is a column of links.
type FooterGroup struct {
	Title          string        `json:"title" maxLength:"256"`
	LocalizedTitle Localized     `json:"localizedTitle,omitempty"`
	Links          []ContentLink `json:"links" required:"false" maxItems:"50"`
}

// Announcement is a banner at the top of the site.
type Announcement struct {
	Enabled          bool         `json:"enabled"`
	Message          string       `json:"message" minLength:"2" maxLength:"128"`
	LocalizedMessage Localized    `json:"localizedMessage,omitempty"`
	Link             *ContentLink `json:"link,omitempty"`
	Style            string       `json:"style" enum:"info,warning,danger,success"`
}

// Themes is the choice between light and dark mode.
type Themes struct {
	Default   string `json:"default" enum:"light,dark,system"`
	Toggeable bool   `json:"toggeable" doc:"Whether readers can switch."`
}

// Switch is a feature that is on or off.
type Switch struct {
	Enabled bool `json:"enabled"`
}

// AI holds the settings of AI search and of the assistant.
type AI struct {
	Mode              string    `json:"mode" enum:"none,search,assistant"`
	Greeting          string    `json:"greeting,omitempty" maxLength:"256"`
	LocalizedGreeting Localized `json:"localizedGreeting,omitempty"`
	Suggestions       []string  `json:"suggestions,omitempty" maxItems:"5"`
	Instructions      string    `json:"instructions,omitempty" maxLength:"10000" doc:"For the assistant; visitors never receive it."`
}

// Git holds the settings of links to a connected repository.
type Git struct {
	ShowEditLink bool `json:"showEditLink" doc:"Whether pages link to their source; the same as the page action git."`
}

// PageActions are the entries of the menu of each page. Older clients use the three switches, newer
// ones use Items. Both are kept consistent.
type PageActions struct {
	ExternalAI bool     `json:"externalAI"`
	Markdown   bool     `json:"markdown"`
	MCP        bool     `json:"mcp"`
	Items      []string `json:"items" enum:"assistant,external-ai,markdown,mcp,git,pdf" maxItems:"6"`
}

// ExternalLinks is the target of links to other sites: the same tab or a new one.
type ExternalLinks struct {
	Target string `json:"target" enum:"self,blank"`
}

// Embeds names the web sites whose content readers may load into a page.
type Embeds struct {
	Providers []string `json:"providers" enum:"codepen,codesandbox,figma,loom,stackblitz,vimeo,youtube" maxItems:"20" doc:"Web sites whose videos, sandboxes and designs can be shown inside of pages that embed them. Nothing is loaded from them before a reader asks for it. All other embedded pages are links."`
}

// Link is an optional URL.
type Link struct {
	URL string `json:"url,omitempty" format:"uri" maxLength:"2048"`
}

// SocialAccount is an account that header and footer can link to.
type SocialAccount struct {
	Platform string        `json:"platform" enum:"twitter,instagram,facebook,linkedin,github,discord,slack,youtube,tiktok,reddit,bluesky,mastodon,threads,medium"`
	Handle   string        `json:"handle" minLength:"1" maxLength:"128"`
	Display  SocialDisplay `json:"display"`
}

// SocialDisplay selects the places in which an account is linked.
type SocialDisplay struct {
	Footer bool `json:"footer"`
	Header bool `json:"header"`
}

// Insights holds the settings of what the site records about its readers.
type Insights struct {
	TrackingCookie bool `json:"trackingCookie" doc:"Whether visits of one browser may be recognized by a cookie."`
}
