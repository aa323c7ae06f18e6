package customization

import (
	"cmp"
	"encoding/json"
	"errors"

	"github.com/octavo-docs/octavo/internal/jsontext"
)

// TextFont is the font of text or headings: one of TextFonts, or a custom one.
type TextFont struct{ Font }

// CodeFont is the font of code: one of CodeFonts, or a custom one.
type CodeFont struct{ Font }

// Font is the name of a built-in font, or the definition of a custom font. In JSON it is a string
// or an object.
type Font struct {
	Name   string
	Custom *FontDefinition
}

// FontDefinition is a custom font.
type FontDefinition struct {
	ID     string     `json:"id" minLength:"1" maxLength:"128"`
	Custom bool       `json:"custom"`
	Family string     `json:"fontFamily" minLength:"1" maxLength:"50" pattern:"^[^\\x00-\\x1f\\x22\\x27;<>\\\\{}]+$" patternDescription:"a name without quotes, brackets and semicolons"`
	Faces  []FontFace `json:"fontFaces" minItems:"1" maxItems:"20"`
}

// FontFace is one weight of a font.
type FontFace struct {
	Weight  int          `json:"weight" minimum:"1" maximum:"1000"`
	Sources []FontSource `json:"sources" minItems:"1" maxItems:"4"`
}

// FontSource is a file of a font.
type FontSource struct {
	URL    string `json:"url" format:"uri" maxLength:"2048"`
	Format string `json:"format,omitempty" enum:"woff2,woff"`
	// File is the name of the file at the URL, if this server stores the file.
	File string `json:"-"`
}

// MapFonts returns the settings with each custom font replaced by the result of fn. The function fn
// is called with the path of the font inside the settings.
func (s Settings) MapFonts(fn func(path string, d FontDefinition) (FontDefinition, error)) (Settings, error) {
	replace := func(path string, f Font) (Font, error) {
		if f.Custom == nil {
			return f, nil
		}
		d, err := fn(path, *f.Custom)
		return Font{Custom: &d}, err
	}
	var failed [3]error
	s.Styling.Font.Font, failed[0] = replace("styling.font", s.Styling.Font.Font)
	if h := s.Styling.HeadingFont; h != nil {
		now := *h
		now.Font, failed[1] = replace("styling.headingFont", h.Font)
		s.Styling.HeadingFont = &now
	}
	s.Styling.MonospaceFont.Font, failed[2] = replace("styling.monospaceFont", s.Styling.MonospaceFont.Font)
	return s, cmp.Or(failed[0], failed[1], failed[2])
}

// TextFonts are the names of the built-in fonts for text.
var TextFonts = []string{
	"ABCFavorit", "Inter", "Roboto", "RobotoSlab", "OpenSans", "SourceSansPro", "Lato", "Ubuntu", "Raleway", "Merriweather",
	"Overpass", "NotoSans", "IBMPlexSerif", "Poppins", "FiraSans",
}

// CodeFonts are the names of the built-in fonts for code.
var CodeFonts = []string{
	"FiraCode", "IBMPlexMono", "JetBrainsMono", "SourceCodePro", "RobotoMono", "SpaceMono", "DMMono", "Inconsolata",
}

// CodeThemeName is one of CodeThemeNames.
type CodeThemeName string

// CodeThemeNames are the names of the colour themes for code.
var CodeThemeNames = []CodeThemeName{
	"default-light", "default-dark", "monochrome-light", "monochrome-dark", "andromeeda", "aurora-x", "ayu-dark", "catppuccin-frappe",
	"catppuccin-latte", "catppuccin-macchiato", "catppuccin-mocha", "dark-plus", "dracula", "dracula-soft", "everforest-dark",
	"everforest-light", "github-dark", "github-dark-default", "github-dark-dimmed", "github-dark-high-contrast", "github-light",
	"github-light-default", "github-light-high-contrast", "gruvbox-dark-hard", "gruvbox-dark-medium", "gruvbox-dark-soft",
	"gruvbox-light-hard", "gruvbox-light-medium", "gruvbox-light-soft", "houston", "kanagawa-dragon", "kanagawa-lotus", "kanagawa-wave",
	"laserwave", "light-plus", "material-theme", "material-theme-darker", "material-theme-lighter", "material-theme-ocean",
	"material-theme-palenight", "min-dark", "min-light", "monokai", "night-owl", "nord", "one-dark-pro", "one-light", "plastic",
	"poimandres", "red", "rose-pine", "rose-pine-dawn", "rose-pine-moon", "slack-dark", "slack-ochin", "snazzy-light", "solarized-dark",
	"solarized-light", "synthwave-84", "tokyo-night", "vesper", "vitesse-black", "vitesse-dark", "vitesse-light",
}

var errFont = errors.New("a font is a name or an object")

// UnmarshalJSON implements json.Unmarshaler.
func (f *Font) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		return nil
	}
	*f = Font{}
	switch {
	case len(b) > 0 && b[0] == '"':
		return json.Unmarshal(b, &f.Name)
	case len(b) > 0 && b[0] == '{':
		return json.Unmarshal(b, &f.Custom)
	}
	return errFont
}

// MarshalJSON implements json.Marshaler.
func (f Font) MarshalJSON() ([]byte, error) {
	if f.Custom != nil {
		return jsontext.Marshal(f.Custom)
	}
	return jsontext.Marshal(f.Name)
}
