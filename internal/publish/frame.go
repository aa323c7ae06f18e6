package publish

import (
	"strings"

	"github.com/octavo-docs/octavo/internal/customization"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/theme"
)

// frame returns what surrounds a page of the site. The edition is nil outside of
// every space, and the page is nil where there is none.
func (v *visit) frame(e *edition, current *node) (*theme.Frame, error) {
	s := &v.settings
	f := &theme.Frame{
		Lang: v.lang(e), Title: v.site.Title, Home: v.root,
		Style: v.root + ownPrefix + "assets/" + theme.Style.Name, Script: v.root + ownPrefix + "assets/" + theme.Script.Name,
		Diagrams: v.root + ownPrefix + "assets/" + theme.Diagrams.Name,
		Colors: theme.Colors{
			Primary: tone(s.Styling.PrimaryColor), Info: tone(s.Styling.InfoColor), Success: tone(s.Styling.SuccessColor),
			Warning: tone(s.Styling.WarningColor), Danger: tone(s.Styling.DangerColor),
		},
		Fonts:    v.fonts(),
		Scheme:   v.scheme(),
		Hidden:   v.drafted || v.as.Preview || v.site.Visibility != docs.VisibilityPublic,
		Sections: v.sections(""),
		Icons:    v.look(e).icons,
		Switch:   s.Themes.Toggeable,
		Looks: []theme.Look{
			{Name: "theme", Value: s.Styling.Theme}, {Name: "corners", Value: s.Styling.Corners}, {Name: "depth", Value: s.Styling.Depth},
			{Name: "links", Value: s.Styling.Links}, {Name: "sidebar", Value: s.Styling.Sidebar.Background}, {Name: "list", Value: s.Styling.Sidebar.List},
			{Name: "search", Value: s.Styling.Search},
		},
	}
	if s.Title != "" {
		f.Title = s.Title
	}
	switch {
	case s.Favicon.Icon != nil:
		f.Favicon = s.Favicon.Icon.Light
	case s.Favicon.Emoji != "":
		f.Favicon = v.root + ownPrefix + "icon.svg"
	}
	f.Logo = picture(s.Header.Logo)
	f.Footer = theme.Footer{Logo: picture(s.Footer.Logo), Text: s.Footer.Copyright, Privacy: s.PrivacyPolicy.URL}
	if e == nil {
		return f, nil
	}
	switch {
	case v.drafted:
		f.Mark = "draft"
	case v.as.Preview:
		f.Mark = "preview"
	}
	var err error
	if f.Navigation, err = e.navigation(v.ctx, current); err != nil {
		return nil, err
	}
	f.Search = theme.Search{Action: e.base + ownPrefix + "search", Live: e.base + ownPrefix + "found"}
	if err := v.describe(f, e, current); err != nil {
		return nil, err
	}
	if f.Variants, err = v.variants(e, current); err != nil {
		return nil, err
	}
	if f.Translations, err = v.translations(e, current); err != nil {
		return nil, err
	}
	return f, v.decorate(f, v.printer(e))
}

// lang returns the language of the edition, or that of the site if it has none or
// is nil.
func (v *visit) lang(e *edition) string {
	if e != nil && e.space.Language != "" {
		return e.space.Language
	}
	return v.settings.Internationalization.Locale
}

// scheme returns the colours that pages have until a reader chooses others.
func (v *visit) scheme() theme.Scheme {
	switch v.settings.Themes.Default {
	case "light":
		return theme.Light
	case "dark":
		return theme.Dark
	}
	return theme.Auto
}

// absolute returns the whole address, on the host that the site has by its
// configuration, of an address that begins with the root.
func (v *visit) absolute(at string) string {
	return v.h.Sites.Hosts.URL(v.site.Publication(), v.key) + at[len(v.root):]
}

func tone(c customization.Color) theme.Tone { return theme.Tone{Light: c.Light, Dark: c.Dark} }

func picture(i *customization.Image) theme.Picture {
	if i == nil {
		return theme.Picture{}
	}
	return theme.Picture{Light: i.Light, Dark: i.Dark}
}

// sections returns the sections and groups that the visitor sees below one of
// them as tabs.
func (v *visit) sections(parent docs.SiteItemID) []*theme.Link {
	var out []*theme.Link
	for _, it := range v.seen.Structure.Children(parent) {
		l := &theme.Link{Title: it.Title, Icon: it.Icon}
		switch it.Kind {
		case docs.SiteSection:
			sp, ok := v.seen.Structure.Default(it.ID)
			if !ok {
				continue
			}
			l.Href, l.Current = v.baseOf(sp), it.ID == v.target.Section.ID
		case docs.SiteGroup:
			l.Children = v.sections(it.ID)
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

// variants returns the site spaces beside the one that is shown. Each leads to
// the same page, if it has one at the same path.
func (v *visit) variants(e *edition, current *node) ([]*theme.Link, error) {
	all := v.seen.Structure.Children(v.target.Section.ID)
	if len(all) < 2 {
		return nil, nil
	}
	var out []*theme.Link
	for _, it := range all {
		if it.Kind != docs.SiteSpace {
			continue
		}
		l := &theme.Link{Title: it.Title, Href: v.baseOf(it), Current: it.ID == v.target.Space.ID}
		if !l.Current && current != nil && current.ID != e.home {
			other, err := v.h.edition(v.ctx, v, it)
			if err != nil {
				return nil, err
			}
			at, err := v.counterpart(e, current, other)
			if err != nil {
				return nil, err
			}
			if at != "" {
				l.Href = at
			}
		}
		out = append(out, l)
	}
	return out, nil
}

// decorate adds the links of the customization.
func (v *visit) decorate(f *theme.Frame, p *printer) error {
	s := &v.settings
	link := func(title string, to *docs.Ref) *theme.Link {
		l := &theme.Link{Title: title}
		if to != nil {
			l.Href, _ = p.link(*to)
			l.External = to.Kind == docs.RefURL
		}
		return l
	}
	list := func(in []customization.ContentLink) (out []*theme.Link) {
		for _, c := range in {
			if l := link(c.Title, &c.To); l.Href != "" { // what the visitor does not see has no address
				out = append(out, l)
			}
		}
		return out
	}
	if to := s.Header.PrimaryLink; to != nil {
		if href, ok := p.link(*to); ok {
			f.Home = href
		}
	}
	for _, h := range s.Header.Links {
		l := link(h.Title, h.To.Ref)
		l.Button = strings.TrimPrefix(strings.TrimPrefix(h.Style, "link"), "button-")
		l.Children = list(h.Links)
		if l.Href != "" || len(l.Children) > 0 {
			f.Links = append(f.Links, l)
		}
	}
	for _, g := range s.Footer.Groups {
		if links := list(g.Links); len(links) > 0 {
			f.Footer.Groups = append(f.Footer.Groups, &theme.Link{Title: g.Title, Children: links})
		}
	}
	if a := s.Announcement; a != nil && a.Enabled {
		f.Announcement = &theme.Announcement{Style: a.Style, Message: a.Message}
		if a.Link != nil {
			if l := link(a.Link.Title, &a.Link.To); l.Href != "" {
				f.Announcement.Link = l
			}
		}
	}
	return p.err
}
