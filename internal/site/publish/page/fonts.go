package page

import (
	"path"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// noteFonts records the files of the custom fonts in settings.
func (s *State) noteFonts(look customization.Settings) {
	for _, f := range []customization.Font{look.Styling.Font.Font, look.Styling.MonospaceFont.Font, headingFont(look)} {
		for _, file := range fontFiles("", f) {
			s.Fonts[file.Href] = true
		}
	}
}

// headingFont returns the font of headings, or the zero value if it is the font of text.
func headingFont(look customization.Settings) customization.Font {
	if h := look.Styling.HeadingFont; h != nil {
		return h.Font
	}
	return customization.Font{}
}

// fontFiles returns the files of a custom font. The argument at is the prefix of their
// addresses.
func fontFiles(at string, f customization.Font) (out []theme.FontFile) {
	if f.Custom == nil {
		return nil
	}
	for _, face := range f.Custom.Faces {
		for _, source := range face.Sources {
			if source.File != "" { // fonts on other hosts are not loaded
				out = append(out, theme.FontFile{Weights: strconv.Itoa(face.Weight), Href: at + source.File, Format: strings.TrimPrefix(path.Ext(source.File), ".")})
			}
		}
	}
	return out
}

// fonts returns the fonts of the page that is shown.
func (c *Composer) fonts() theme.Fonts {
	of := func(f customization.Font) []theme.FontFile {
		if f.Custom != nil {
			return fontFiles(c.Root+sites.FontPath, f)
		}
		return theme.FontFamily(f.Name, c.Root+sites.OwnPrefix+"assets/")
	}
	s := &c.Settings.Styling
	return theme.Fonts{Text: of(s.Font.Font), Heading: of(headingFont(c.Settings)), Code: of(s.MonospaceFont.Font), Late: !c.Output.Answered()}
}
