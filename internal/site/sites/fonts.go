package sites

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/site/customization"
	"github.com/octavo-docs/octavo/internal/store"
)

// FontPath is the path of the files of custom fonts, relative to the address of the site.
const FontPath = OwnPrefix + "fonts/"

// FontDefinition returns a font in the form of the API. The function address returns the URL
// of the file of a face.
func FontDefinition(f docs.Font, address func(docs.FontFace) string) customization.FontDefinition {
	d := customization.FontDefinition{ID: string(f.ID), Custom: true, Family: f.Family}
	for _, face := range f.Faces {
		source := customization.FontSource{URL: address(face), File: face.File()}
		if face.Format == "woff2" || face.Format == "woff" { // the API has no names for other formats
			source.Format = face.Format
		}
		d.Faces = append(d.Faces, customization.FontFace{Weight: face.Weight, Sources: []customization.FontSource{source}})
	}
	return d
}

// fontLookup resolves the custom fonts in the settings of a site. Stored settings refer to a
// font by its id, and the font may change later.
type fontLookup struct {
	r     store.Reader
	org   docs.OrgID
	base  string // address of the site
	known map[string]customization.FontDefinition
}

func (s *Settings) fontLookup(site docs.Site) *fontLookup {
	return &fontLookup{
		r: s.Store.Reader, org: site.Org, base: s.hosts.URL(site.Publication(), ""), known: map[string]customization.FontDefinition{},
	}
}

// fillIn returns the settings with the current state of their fonts. A font that the
// organization no longer has keeps its stored definition.
func (w *fontLookup) fillIn(ctx context.Context, look customization.Settings) (customization.Settings, error) {
	return look.MapFonts(func(_ string, d customization.FontDefinition) (customization.FontDefinition, error) {
		if known, ok := w.known[d.ID]; ok {
			return known, nil
		}
		f, err := w.r.Font(ctx, w.org, docs.FontID(d.ID))
		switch {
		case err == nil:
			d = FontDefinition(f, func(face docs.FontFace) string { return w.base + FontPath + face.File() })
		case !errs.Is(err, errs.NotFound):
			return d, err
		}
		w.known[d.ID] = d
		return d, nil
	})
}

// checkFonts returns an error unless the organization has all custom fonts of the settings.
// Fonts that the settings had before are accepted.
func checkFonts(ctx context.Context, r store.Reader, org docs.OrgID, before, look customization.Settings) error {
	had := map[string]bool{}
	note := func(_ string, d customization.FontDefinition) (customization.FontDefinition, error) {
		had[d.ID] = true
		return d, nil
	}
	if _, err := before.MapFonts(note); err != nil {
		return err
	}
	_, err := look.MapFonts(func(path string, d customization.FontDefinition) (customization.FontDefinition, error) {
		if had[d.ID] {
			return d, nil
		}
		_, err := r.Font(ctx, org, docs.FontID(d.ID))
		if errs.Is(err, errs.NotFound) {
			err = errs.Field(path+".id", "is not the id of a custom font of the organization")
		}
		return d, err
	})
	return err
}
