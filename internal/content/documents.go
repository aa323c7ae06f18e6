package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// DocumentByID returns the current or a former document of a page by its id.
func (s *Service) DocumentByID(ctx context.Context, v *revision.View, id string) (*markup.Document, docs.Variables, error) {
	v, err := s.WithComputedPages(ctx, v)
	if err != nil {
		return nil, nil, err
	}
	owner, _, _ := strings.Cut(id, "-")
	if p, ok, err := v.Lookup(ctx, docs.PageID(owner)); err != nil {
		return nil, nil, err
	} else if ok && revision.DocumentIDOf(owner, p.Body, p.Sidecar) == id {
		doc, err := v.Reading(p).Document(ctx)
		return doc, p.Variables, err
	}
	if r, err := v.Reusable(ctx, docs.ReusableID(owner)); err == nil && revision.DocumentIDOf(owner, r.Body, r.Sidecar) == id {
		doc, err := v.ReadingReusable(r).Document(ctx)
		return doc, nil, err
	} else if err != nil && !errs.Is(err, errs.NotFound) {
		return nil, nil, err
	}
	if v.Visitor() != nil { // former documents are not published
		return nil, nil, errs.Missing("document")
	}
	d, err := s.Store.Document(ctx, v.Space.ID, id)
	if err != nil {
		return nil, nil, err
	}
	doc, err := v.DocumentOf(ctx, revision.Text{Owner: d.Page, Body: d.Body, Sidecar: d.Sidecar})
	return doc, nil, err
}
