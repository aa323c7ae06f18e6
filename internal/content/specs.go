package content

import (
	"context"
	"errors"
	"io"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/store"
)

// Specs returns the OpenAPI specifications of organizations. The error is NotFound if
// a specification does not exist.
type Specs interface {
	// Newest returns the name of the newest version of a specification. Versions
	// are immutable.
	Newest(ctx context.Context, org docs.OrgID, slug string) (version string, err error)
	// Description returns a version of a specification.
	Description(ctx context.Context, org docs.OrgID, slug, version string) (*openapi.Description, error)
	// IsPublic reports whether everybody may read a specification.
	IsPublic(ctx context.Context, org docs.OrgID, slug string) (bool, error)
	// AtAddress returns the description at a web address that a page of an organization names,
	// as it was fetched last.
	AtAddress(ctx context.Context, org docs.OrgID, address string) (*openapi.Description, error)
}

// SpecVersion returns the name of the current version of the description that a
// reference of a page leads to. The view has the file that it may be. The error is
// NotFound if there is no description.
func (s *Service) SpecVersion(ctx context.Context, v *revision.View, ref docs.Ref) (string, error) {
	switch {
	case ref.Kind == docs.RefFile:
		f, err := v.File(ctx, docs.FileID(ref.File))
		if err == nil && f.Size > openapi.MaxBytes {
			err = errs.Missing("OpenAPI specification")
		}
		return f.Blob, err
	case ref.Kind == docs.RefOpenAPI && s.Specs != nil:
		return s.Specs.Newest(ctx, v.Space.Org, ref.Spec)
	case ref.Kind == docs.RefURL && s.Specs != nil:
		d, err := s.Specs.AtAddress(ctx, v.Space.Org, ref.URL)
		if err != nil {
			return "", err
		}
		return d.Hash, nil
	}
	return "", errs.Missing("OpenAPI specification")
}

// Spec returns a version of the description that a reference leads to. The error is
// NotFound if there is none that can be read.
func (s *Service) Spec(ctx context.Context, v *revision.View, ref docs.Ref, version string) (*openapi.Description, error) {
	switch {
	case ref.Kind == docs.RefOpenAPI && s.Specs != nil:
		return s.Specs.Description(ctx, v.Space.Org, ref.Spec, version)
	case ref.Kind == docs.RefURL && s.Specs != nil:
		return s.Specs.AtAddress(ctx, v.Space.Org, ref.URL)
	case ref.Kind != docs.RefFile:
		return nil, errs.Missing("OpenAPI specification")
	}
	f, err := v.File(ctx, docs.FileID(ref.File))
	if err != nil {
		return nil, err
	}
	d, err := s.described.Get(ctx, f.Blob, func() (openapi.Bundle, error) {
		h, err := blob.ParseHash(f.Blob)
		if err != nil {
			return openapi.Bundle{}, err
		}
		o, err := s.Blobs.Open(ctx, h)
		if err != nil {
			return openapi.Bundle{}, err
		}
		data, err := io.ReadAll(io.LimitReader(o, openapi.MaxBytes+1))
		return openapi.Bundle{Root: f.Name, Files: map[string][]byte{f.Name: data}}, errors.Join(err, o.Close())
	})
	var bad *openapi.Invalid
	if errors.As(err, &bad) {
		err = errs.Missing("OpenAPI specification")
	}
	return d, err
}

// ShowsSpec reports whether a page of a revision, as its visitor sees it, shows a part of a
// specification, or asks for pages that are computed of it.
func (s *Service) ShowsSpec(ctx context.Context, v *revision.View, slug string) (bool, error) {
	if asked, err := s.asksFor(ctx, v, slug); asked || err != nil {
		return asked, err
	}
	return s.Index.Used(ctx, v, docs.Ref{Kind: docs.RefOpenAPI, Spec: slug})
}

// DraftsShown returns the revisions of a space that the caller, a visitor of a site, sees in
// a preview besides the newest one, at most limit: the draft that the preview shows, or else
// the change requests that changed most recently.
func (s *Service) DraftsShown(ctx context.Context, g *authz.Grant, space docs.SpaceID, limit int) ([]docs.RevisionID, error) {
	shown := g.VisitorAccess()
	switch d := shown.Draft; {
	case !shown.Preview || d.Space != "" && d.Space != space:
		return nil, nil
	case d.Revision != "":
		return []docs.RevisionID{d.Revision}, nil
	case d.Request != "":
		cr, err := s.Store.ChangeRequest(ctx, space, string(d.Request))
		return []docs.RevisionID{cr.Revision}, err
	}
	requests, _, err := s.Store.ChangeRequests(ctx, store.ChangeRequestFilter{Space: space}, store.Page{Limit: limit})
	var out []docs.RevisionID
	for _, cr := range requests {
		if cr.Status == docs.ChangeDraft || cr.Status == docs.ChangeOpen {
			out = append(out, cr.Revision)
		}
	}
	return out, err
}

// specOf returns the description that a reference of a page leads to, or nil.
func (b *binder) specOf(ref docs.Ref) *openapi.Description {
	if d, known := b.specs[ref]; known {
		return d
	}
	var d *openapi.Description
	if ref.Space == "" { // the reader may not see other spaces
		version, err := b.s.SpecVersion(b.ctx, b.v, ref)
		if err == nil {
			d, err = b.s.Spec(b.ctx, b.v, ref, version)
		}
		b.note(err)
	}
	b.specs[ref] = d
	return d
}

// withSpecs replaces the blocks that show parts of descriptions by those parts.
func (b *binder) withSpecs(doc *markup.Document) *markup.Document {
	return apidoc.Blocks(b.specOf, doc)
}
