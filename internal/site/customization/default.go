package customization

// Default returns the settings of a site that was never customized. It uses only values that
// clients of all versions support, except for the colour scheme: readers expect that of their
// system, which older clients do not name.
func Default(title string) Settings {
	code := CodeTheme{Light: "default-light", Dark: "default-dark"}
	s := Settings{
		Title: title,
		Styling: Styling{
			Theme: "clean", PrimaryColor: both("#346DDB"),
			InfoColor: both("#787878"), SuccessColor: both("#00C950"), WarningColor: both("#FE9A00"), DangerColor: both("#FB2C36"),
			Corners: "rounded", Depth: "subtle", Links: "default",
			Font: TextFont{Font{Name: "Inter"}}, MonospaceFont: CodeFont{Font{Name: "IBMPlexMono"}},
			Background: "plain", Icons: "regular", CodeTheme: CodeThemes{Default: code, OpenAPI: code},
			Sidebar: Sidebar{Background: "default", List: "default"}, Search: "prominent",
		},
		Internationalization: Internationalization{Locale: "en"},
		Header:               Header{Preset: "default"},
		Themes:               Themes{Default: "system", Toggeable: true},
		Feedback:             Switch{Enabled: true},
		AI:                   AI{Mode: "none"},
		PageActions:          PageActions{Items: []string{"external-ai", "markdown", "pdf"}},
		MCP:                  Switch{Enabled: true},
		ExternalLinks:        ExternalLinks{Target: "self"},
		Pagination:           Switch{Enabled: true},
		Insights:             Insights{TrackingCookie: true},
	}
	s.complete()
	return s
}

func both(color string) Color { return Color{Light: color, Dark: color} }

// complete replaces missing arrays by empty ones, and sets the switches that correspond to
// Items.
func (s *Settings) complete() {
	s.Header.Links = orEmpty(s.Header.Links)
	for i := range s.Header.Links {
		s.Header.Links[i].Links = orEmpty(s.Header.Links[i].Links)
	}
	s.Footer.Groups = orEmpty(s.Footer.Groups)
	for i := range s.Footer.Groups {
		s.Footer.Groups[i].Links = orEmpty(s.Footer.Groups[i].Links)
	}
	s.SocialAccounts = orEmpty(s.SocialAccounts)
	s.PageActions.Items = orEmpty(s.PageActions.Items)
	s.Embeds.Providers = orEmpty(s.Embeds.Providers)
	for _, a := range s.actions() {
		*a.on = s.hasAction(a.item)
	}
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
