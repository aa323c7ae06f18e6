package page

import (
	"cmp"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// Composed is a page in its frame.
type Composed struct {
	Frame *theme.Frame
	Page  *theme.Page
	MadeOf
}

// Compose composes a page, and records what it is made of.
func (c *Composer) Compose(e *edition.Edition, n *edition.Node) (*Composed, error) {
	c.read = map[docs.SpaceID]stamp{e.Space.ID: stampOf(e.Space)}
	p := c.Printer(e)
	page, err := p.Page(n)
	if err != nil {
		return nil, err
	}
	f, err := c.Frame(e, n)
	if err != nil {
		return nil, err
	}
	f.Frames = page.Frames
	if page.Actions, err = c.actions(f, e, n, page.Feed); err != nil {
		return nil, err
	}
	return &Composed{f, page, MadeOf{slices.Collect(maps.Values(c.read)), p.specs, p.partial}}, nil
}

// Frame returns the frame of a page of the site. The edition is nil for responses outside
// of all spaces. The current page is nil for responses that are not a page.
func (c *Composer) Frame(e *edition.Edition, current *edition.Node) (*theme.Frame, error) {
	if e == nil {
		return c.plainFrame(nil), nil
	}
	f, err := c.shell(e)
	if err != nil {
		return nil, err
	}
	if f.Draft, err = c.Output.Banner(f, c, e, current); err != nil {
		return nil, err
	}
	if f.Navigation, err = e.Navigation(c.Ctx, current); err != nil {
		return nil, err
	}
	f.Feedback = c.feedbackAddress(e, current)
	if err := c.describe(f, e, current); err != nil {
		return nil, err
	}
	if f.Variants, err = c.variants(e, current); err != nil {
		return nil, err
	}
	if f.Translations, err = c.translations(e, current); err != nil {
		return nil, err
	}
	f.Translations, err = c.alternates(e, current, f.Translations)
	return f, err
}

// shell is the part of a frame that all pages of an edition share. It is immutable.
type shell struct {
	frame theme.Frame
	read  []stamp // spaces that the frame was made of
}

// shellWeight is the approximate memory that a shell takes, in bytes.
const shellWeight = 32 << 10

// shell returns a copy of the frame that all pages of an edition share. It is cached for
// all visitors who see the same content, in the same way as responses.
func (c *Composer) shell(e *edition.Edition) (*theme.Frame, error) {
	key := c.Key(e, "")
	keep := c.Keeps()
	if s, ok := c.shells.Get(key); ok && keep {
		if current, err := c.current(c.Ctx, s.read, e.Space); err != nil || current {
			return c.frameOf(s), err
		}
	}
	before := c.read
	c.read = map[docs.SpaceID]stamp{e.Space.ID: stampOf(e.Space)}
	s := &shell{frame: *c.plainFrame(e)}
	c.Output.Dress(&s.frame, c, e)
	err := c.decorate(&s.frame, c.Printer(e))
	s.read, c.read = slices.Collect(maps.Values(c.read)), before
	if err == nil && keep {
		s.frame.Parts = &theme.Parts{}
		c.shells.Set(key, s)
	}
	return c.frameOf(s), err
}

// frameOf returns a copy of the frame of a shell, and records the spaces that the shell was
// made of.
func (c *Composer) frameOf(s *shell) *theme.Frame {
	if c.read != nil {
		for _, st := range s.read {
			c.read[st.id] = st
		}
	}
	f := s.frame
	return &f
}

// plainFrame returns a frame with the settings of the customization that all pages share.
// The edition may be nil.
func (c *Composer) plainFrame(e *edition.Edition) *theme.Frame {
	s := &c.Settings
	f := &theme.Frame{
		Lang: c.lang(e), Title: c.Site.Title, Home: c.Output.Href(c.Root),
		Style: c.Root + sites.OwnPrefix + "assets/" + theme.Style.Name, Script: c.Root + sites.OwnPrefix + "assets/" + theme.Script.Name,
		Diagrams: c.Root + sites.OwnPrefix + "assets/" + theme.Diagrams.Name,
		Colors: theme.Colors{
			Primary: tone(s.Styling.PrimaryColor), Info: tone(s.Styling.InfoColor), Success: tone(s.Styling.SuccessColor),
			Warning: tone(s.Styling.WarningColor), Danger: tone(s.Styling.DangerColor),
			Tint: tint(s.Styling.Tint), Bar: ownColor(s.Header.BackgroundColor), BarLinks: ownColor(s.Header.LinkColor),
			Code:    theme.CodeTheme{Light: string(s.Styling.CodeTheme.Default.Light), Dark: string(s.Styling.CodeTheme.Default.Dark)},
			APICode: theme.CodeTheme{Light: string(s.Styling.CodeTheme.OpenAPI.Light), Dark: string(s.Styling.CodeTheme.OpenAPI.Dark)},
		},
		Fonts:    c.fonts(),
		Scheme:   c.scheme(),
		Hidden:   !c.Listed(),
		Sections: c.sections("", c.lang(e)),
		Icons:    c.look(e).icons,
		Switch:   s.Themes.Toggeable,
		Ahead:    !c.Private && c.Output.Published(),
		Looks: []theme.Look{
			{Name: "theme", Value: s.Styling.Theme}, {Name: "corners", Value: s.Styling.Corners}, {Name: "depth", Value: s.Styling.Depth},
			{Name: "links", Value: s.Styling.Links}, {Name: "sidebar", Value: s.Styling.Sidebar.Background}, {Name: "list", Value: s.Styling.Sidebar.List},
			{Name: "search", Value: s.Styling.Search}, {Name: "backdrop", Value: s.Styling.Background}, {Name: "icons", Value: s.Styling.Icons},
			{Name: "header", Value: s.Header.Preset}, {Name: "tint", Value: when(s.Styling.Tint != nil, "on")},
		},
	}
	f.Title = local(cmp.Or(s.Title, f.Title), s.LocalizedTitle, f.Lang)
	switch {
	case s.Favicon.Icon != nil:
		f.Favicon = s.Favicon.Icon.Light
	case s.Favicon.Emoji != "":
		f.Favicon = c.Root + sites.OwnPrefix + "icon.svg"
	}
	f.Logo = picture(s.Header.Logo)
	f.Footer = theme.Footer{Logo: picture(s.Footer.Logo), Text: s.Footer.Copyright, Privacy: s.PrivacyPolicy.URL, Trademark: s.Trademark.Enabled}
	f.Footer.Accounts = accounts(s.SocialAccounts, func(d customization.SocialDisplay) bool { return d.Footer })
	f.Accounts = accounts(s.SocialAccounts, func(d customization.SocialDisplay) bool { return d.Header })
	return f
}

// lang returns the language of the edition. It returns the language of the site if the
// edition is nil or has no language.
func (c *Composer) lang(e *edition.Edition) string {
	if e != nil && e.Space.Language != "" {
		return e.Space.Language
	}
	return c.Settings.Internationalization.Locale
}

// scheme returns the colour scheme that pages have until the reader chooses another one.
func (c *Composer) scheme() theme.Scheme {
	switch c.Settings.Themes.Default {
	case "light":
		return theme.Light
	case "dark":
		return theme.Dark
	}
	return theme.Auto
}

// Absolute returns the absolute URL of an address that begins with the root. Its host is
// the one that the configuration of the site names.
func (c *Composer) Absolute(at string) string { return c.Output.Absolute(c, at) }

func when(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

func tint(t *customization.Tint) theme.Tone {
	if t == nil {
		return theme.Tone{}
	}
	return tone(t.Color)
}

func ownColor(c *customization.Color) theme.Tone {
	if c == nil {
		return theme.Tone{}
	}
	return tone(*c)
}

// networks maps platforms to the URLs of accounts. An @ is replaced by the name of the account,
// and a ~ by a literal @.
var networks = map[string]string{
	"twitter": "https://x.com/@", "instagram": "https://www.instagram.com/@", "facebook": "https://www.facebook.com/@", "linkedin": "https://www.linkedin.com/company/@",
	"github": "https://github.com/@", "discord": "https://discord.gg/@", "slack": "https://@.slack.com/", "youtube": "https://www.youtube.com/~@", "tiktok": "https://www.tiktok.com/~@",
	"reddit": "https://www.reddit.com/r/@", "bluesky": "https://bsky.app/profile/@", "mastodon": "https://mastodon.social/~@", "threads": "https://www.threads.net/~@", "medium": "https://medium.com/~@",
}

// accounts returns links to social accounts. Names are escaped, so that a name is never
// more than one segment of a path.
func accounts(all []customization.SocialAccount, shown func(customization.SocialDisplay) bool) (out []*theme.Link) {
	for _, a := range all {
		at, ok := networks[a.Platform]
		if !ok || !shown(a.Display) {
			continue
		}
		name := url.PathEscape(strings.TrimPrefix(a.Handle, "@"))
		href := strings.NewReplacer("@", name, "~", "@").Replace(at)
		if a.Platform == "slack" && !slackName.MatchString(name) {
			continue
		}
		out = append(out, &theme.Link{Title: a.Platform, Icon: a.Platform, Href: href, External: true})
	}
	return out
}

var slackName = regexp.MustCompile(`^[a-z0-9-]{1,60}$`)

// local returns the translation of a text into a language, or the text if there is none.
func local(text string, in customization.Localized, lang string) string {
	base, _, _ := strings.Cut(lang, "-")
	return cmp.Or(in[lang], in[base], text)
}

func tone(c customization.Color) theme.Tone { return theme.Tone{Light: c.Light, Dark: c.Dark} }

func picture(i *customization.Image) theme.Picture {
	if i == nil {
		return theme.Picture{}
	}
	return theme.Picture{Light: i.Light, Dark: i.Dark}
}

// sections returns the children of a section or group that the visitor sees, as tabs with
// titles in a language.
func (c *Composer) sections(parent docs.SiteItemID, lang string) []*theme.Link {
	var out []*theme.Link
	for _, it := range c.Seen.Structure.Listed(parent, c.Target.Space.ID) {
		l := &theme.Link{Title: it.TitleIn(lang), Icon: it.Icon}
		switch it.Kind {
		case docs.SiteSection:
			sp, ok := c.Seen.Structure.Entry(it.ID, c.Target.Space.ID)
			if !ok {
				continue
			}
			l.Href, l.Current = c.Output.Href(c.BaseOf(sp)), it.ID == c.Target.Section.ID
		case docs.SiteGroup:
			l.Children = c.sections(it.ID, lang)
			for _, c := range l.Children {
				l.Current = l.Current || c.Current
			}
		case docs.SiteLink:
			l.Href, l.External = it.URL, true
		default:
			continue
		}
		out = append(out, l)
	}
	return out
}

// decorate adds the links and the announcement of the customization to a frame.
func (c *Composer) decorate(f *theme.Frame, p *Printer) error {
	s, lang := &c.Settings, f.Lang
	link := func(title string, to *docs.Ref) *theme.Link {
		l := &theme.Link{Title: title}
		if to != nil {
			l.Href, _ = p.Link(*to)
			l.External = to.Kind == docs.RefURL
		}
		return l
	}
	list := func(in []customization.ContentLink) (out []*theme.Link) {
		for _, c := range in {
			if l := link(local(c.Title, c.LocalizedTitle, lang), &c.To); l.Href != "" { // a target that the visitor does not see has no address
				out = append(out, l)
			}
		}
		return out
	}
	if to := s.Header.PrimaryLink; to != nil {
		if href, ok := p.Link(*to); ok {
			f.Home = href
		}
	}
	for _, h := range s.Header.Links {
		l := link(local(h.Title, h.LocalizedTitle, lang), h.To.Ref)
		l.Button = strings.TrimPrefix(strings.TrimPrefix(h.Style, "link"), "button-")
		l.Children = list(h.Links)
		if l.Href != "" || len(l.Children) > 0 {
			f.Links = append(f.Links, l)
		}
	}
	for _, g := range s.Footer.Groups {
		if links := list(g.Links); len(links) > 0 {
			f.Footer.Groups = append(f.Footer.Groups, &theme.Link{Title: local(g.Title, g.LocalizedTitle, lang), Children: links})
		}
	}
	if a := s.Announcement; a != nil && a.Enabled {
		f.Announcement = &theme.Announcement{Style: a.Style, Message: local(a.Message, a.LocalizedMessage, lang)}
		if a.Link != nil {
			if l := link(local(a.Link.Title, a.Link.LocalizedTitle, lang), &a.Link.To); l.Href != "" {
				f.Announcement.Link = l
			}
		}
	}
	return p.Err
}
