package assets

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/opt"
	"github.com/octavo-docs/octavo/internal/store"
)

// Limits of fonts.
const (
	maxFonts = 100 // per organization
	maxFaces = 20  // per font

	regular = 400 // the weight that every font must have
)

// FontPatch is the input of CreateFont and UpdateFont.
type FontPatch struct {
	Family opt.Val[string]
	Faces  []FacePatch
}

// FacePatch sets the file of a weight. An empty key removes the weight.
type FacePatch struct {
	Weight int
	Key    docs.UploadKey
}

// Fonts returns the fonts of an organization, oldest first.
func (s *Service) Fonts(ctx context.Context, org docs.OrgID) ([]docs.Font, error) {
	return s.Store.Fonts(ctx, org)
}

// Font returns a font of an organization.
func (s *Service) Font(ctx context.Context, org docs.OrgID, id docs.FontID) (docs.Font, error) {
	return s.Store.Font(ctx, org, id)
}

// OpenFont opens a current file of a font.
func (s *Service) OpenFont(ctx context.Context, org docs.OrgID, id docs.FontID, file string) (docs.FontFace, blob.Object, error) {
	f, err := s.Store.Font(ctx, org, id)
	if err != nil {
		return docs.FontFace{}, nil, err
	}
	for _, face := range f.Faces {
		if face.File() == file {
			o, err := blob.OpenNamed(ctx, s.Blobs, face.Blob)
			return face, o, err
		}
	}
	return docs.FontFace{}, nil, errs.Missing("font")
}

// CreateFont creates a font from uploaded files.
func (s *Service) CreateFont(ctx context.Context, g *authz.Grant, p FontPatch) (docs.Font, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Font, error) {
		all, err := tx.Fonts(ctx, g.Access.Org)
		if err == nil && len(all) >= maxFonts {
			err = errs.E(errs.Precondition, "an organization can have %d fonts; delete one first", maxFonts)
		}
		if err != nil {
			return docs.Font{}, err
		}
		return p.put(ctx, tx, g, "font.create", docs.Font{ID: store.NewID[docs.FontID](tx), Org: g.Access.Org, CreatedAt: tx.Now()})
	})
}

// UpdateFont changes a font, and increments the versions of the sites that use it.
func (s *Service) UpdateFont(ctx context.Context, g *authz.Grant, id docs.FontID, p FontPatch) (docs.Font, error) {
	return authz.InTx(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) (docs.Font, error) {
		f, err := tx.Font(ctx, g.Access.Org, id)
		if err != nil {
			return f, err
		}
		before := f
		if f, err = p.put(ctx, tx, g, "font.update", f); err != nil || audit.Same(before, f) {
			return f, err
		}
		used, err := tx.SitesWithFont(ctx, f.Org, f.ID)
		if err != nil {
			return f, err
		}
		return f, incrementVersions(ctx, tx, used)
	})
}

// incrementVersions increments the versions of sites, which invalidates their cache
// entries.
func incrementVersions(ctx context.Context, tx *store.Tx, ids []docs.SiteID) error {
	for _, id := range ids {
		site, err := tx.Site(ctx, id)
		if err != nil {
			return err
		}
		site.It.Version, site.It.UpdatedAt = site.It.Version+1, tx.Now()
		if err := tx.PutSite(ctx, site.It); err != nil {
			return err
		}
	}
	return nil
}

// DeleteFont deletes a font that no site uses.
func (s *Service) DeleteFont(ctx context.Context, g *authz.Grant, id docs.FontID) error {
	return authz.Do(ctx, s.Store, g, func(tx *store.Tx, g *authz.Grant) error {
		f, err := tx.Font(ctx, g.Access.Org, id)
		if err != nil {
			return err
		}
		used, err := tx.SitesWithFont(ctx, f.Org, f.ID)
		if err == nil && len(used) > 0 {
			err = errs.E(errs.Precondition, "the font is used by the site %s; choose another font there first", used[0])
		}
		if err == nil {
			err = tx.DropFont(ctx, f.Org, f.ID)
		}
		if err != nil {
			return err
		}
		return audit.Record(ctx, tx, g.Actor, fontEvent("font.delete", f))
	})
}

func fontEvent(action string, f docs.Font) audit.Event {
	return audit.Event{Org: f.Org, Action: action, Kind: "font", ID: string(f.ID), Data: map[string]any{"fontFamily": f.Family, "weights": len(f.Faces)}}
}

// put applies the patch to a font and stores it.
func (p FontPatch) put(ctx context.Context, tx *store.Tx, g *authz.Grant, action string, f docs.Font) (docs.Font, error) {
	before := f
	f.Family = strings.TrimSpace(p.Family.Or(f.Family))
	var wrong errs.Mistakes
	if f.Family == "" {
		wrong.Field("fontFamily", "must have a character that is not a space")
	}
	faces, err := p.faces(ctx, tx, f)
	wrong.Add(err)
	if err := wrong.Err(); err != nil {
		return f, err
	}
	f.Faces = faces
	if audit.Same(before, f) {
		return before, nil
	}
	f.UpdatedAt = tx.Now()
	if err := tx.PutFont(ctx, f); err != nil {
		return f, err
	}
	return f, audit.Record(ctx, tx, g.Actor, fontEvent(action, f))
}

// faces returns the faces of a font after the patch.
func (p FontPatch) faces(ctx context.Context, tx *store.Tx, f docs.Font) ([]docs.FontFace, error) {
	byWeight := map[int]docs.FontFace{}
	for _, face := range f.Faces {
		byWeight[face.Weight] = face
	}
	named, wrong := map[int]bool{}, errs.Mistakes{}
	for i, face := range p.Faces {
		at := fmt.Sprintf("fontFaces[%d]", i)
		if named[face.Weight] {
			wrong.Field(at+".weight", "is there twice")
		}
		named[face.Weight] = true
		if face.Key == "" {
			delete(byWeight, face.Weight)
			continue
		}
		u, err := tx.Upload(ctx, f.Org, face.Key)
		format, isFont := strings.CutPrefix(u.ContentType, "font/")
		if errs.Is(err, errs.NotFound) || err == nil && (u.Kind != docs.UploadFont || !isFont) {
			err = errs.Field(at+".storageKey", "is not the key of a font that was uploaded to the organization in the last day; upload it again")
		}
		wrong.Add(err)
		byWeight[face.Weight] = docs.FontFace{Weight: face.Weight, Blob: u.Blob, Format: format}
	}
	if err := wrong.Err(); err != nil {
		return nil, err
	}
	if _, ok := byWeight[regular]; !ok {
		return nil, errs.E(errs.Precondition, "a font needs the weight %d", regular)
	}
	if len(byWeight) > maxFaces {
		return nil, errs.Field("fontFaces", "would give the font more than %d weights", maxFaces)
	}
	var out []docs.FontFace
	for _, face := range byWeight {
		out = append(out, face)
	}
	slices.SortFunc(out, func(a, b docs.FontFace) int { return cmp.Compare(a.Weight, b.Weight) })
	return out, nil
}
