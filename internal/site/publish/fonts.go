package publish

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/site/theme"
)

// noteFonts records the files of the custom fonts in settings.
func (s *state) noteFonts(look customization.Settings) {
	for _, f := range []customization.Font{look.Styling.Font.Font, look.Styling.MonospaceFont.Font, headingFont(look)} {
		for _, file := range fontFiles("", f) {
			s.fonts[file.Href] = true
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
func (v *visit) fonts() theme.Fonts {
	of := func(f customization.Font) []theme.FontFile {
		if f.Custom != nil {
			return fontFiles(v.root+sites.FontPath, f)
		}
		return theme.FontFamily(f.Name, v.root+ownPrefix+"assets/")
	}
	s := &v.settings.Styling
	return theme.Fonts{Text: of(s.Font.Font), Heading: of(headingFont(v.settings)), Code: of(s.MonospaceFont.Font), Late: !v.out.answered()}
}

// serveAsset sends a font of a site, without access control: only who has seen the site knows its name, which is made from its
// content. It reports whether name is such a file.
func (h *Handler) serveAsset(w http.ResponseWriter, r *http.Request, s *state, name string) (bool, error) {
	file, ok := strings.CutPrefix(name, sites.FontPath)
	if !ok || !s.fonts[file] {
		return false, nil
	}
	text, format, _ := strings.Cut(file, ".")
	o, err := blob.OpenNamed(r.Context(), h.Content.Blobs, text)
	if errs.Is(err, errs.NotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer o.Close()
	// Other renderers show the site on their own hosts, and browsers load fonts from another
	// host only with this header.
	w.Header().Set("Access-Control-Allow-Origin", "*")
	blob.Serve(w, r, blob.Served{Name: file, ContentType: "font/" + format, Hash: o.Info().Hash, Public: true}, o)
	return true, nil
}
