package content

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// CheckSpecs returns an error if a draft shows specifications that the caller, a guest,
// cannot read. A page shows a specification to everybody who can read the page, so this
// is checked when it is written. Specifications that the changed pages showed before
// can stay. The error is the same whether a specification exists.
func (s *Service) CheckSpecs(ctx context.Context, g *authz.Grant, d *revision.Draft) error {
	if s.Specs == nil || g.Access == nil || authz.Can(g.Access.OrgRole(), authz.ListOpenAPISpecs) {
		return nil
	}
	before, after := map[string]bool{}, map[string]bool{}
	old, current := d.Before(), d.Tree
	if whole, ok := d.ReplacedTree(); ok {
		current = whole
	}
	err := d.Changes(ctx, func(key string, was, now []byte) error {
		if err := addSpecs(ctx, old, key, was, before); err != nil {
			return err
		}
		return addSpecs(ctx, current, key, now, after)
	})
	if err != nil {
		return err
	}
	for _, slug := range slices.Sorted(maps.Keys(after)) {
		if before[slug] {
			continue
		}
		public, err := s.Specs.IsPublic(ctx, d.Space.Org, slug)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return err
		}
		if !public {
			return errs.E(errs.Forbidden, "guests can show only public OpenAPI specifications, and %q is not public; ask a member of the organization to add it", slug)
		}
	}
	return nil
}

// addSpecs adds the specifications that a page or a reusable content of a tree shows.
// value is that of its key; nil: there is none.
func addSpecs(ctx context.Context, t *revision.Tree, key string, value []byte, into map[string]bool) error {
	if value == nil {
		return nil
	}
	var doc *markup.Document
	switch kind, id := revision.SplitKey(key); kind {
	case revision.KeyPage:
		p, err := docs.DecodePage(id, value)
		if err != nil {
			return err
		}
		if source, ok := apidoc.ParseSource(p.Computed); ok {
			into[source.Ref().Spec] = true
		}
		if !p.HasBody() {
			return nil
		}
		if doc, err = t.Document(ctx, p); err != nil {
			return err
		}
	case revision.KeyReusable:
		r, err := revision.DecodeReusable(id, value)
		if err != nil {
			return err
		}
		if doc, err = t.ReusableDocument(ctx, r); err != nil {
			return err
		}
	default:
		return nil
	}
	for _, r := range markup.References(doc) {
		if r.Ref.Kind == markup.RefOpenAPI {
			into[r.Ref.Spec] = true
		}
	}
	return nil
}
