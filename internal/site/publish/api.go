package publish

import (
	"context"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// specVersion returns the current version of the API description that a reference names.
func (p *printer) specVersion(ref docs.Ref) (string, bool) {
	e := p.editionOf(ref)
	if e == nil {
		return "", false
	}
	version, err := p.h.Content.SpecVersion(p.ctx, e.View, ref)
	return version, p.recordError(err)
}

// spec returns the current API description that a reference names, or nil. Each
// description is loaded once per printer.
func (p *printer) spec(ref docs.Ref) *openapi.Description {
	if d, ok := p.described[ref]; ok {
		return d
	}
	var d *openapi.Description
	if version, ok := p.specVersion(ref); ok {
		var err error
		d, err = p.description(ref, version)
		p.recordError(err)
	}
	if p.described == nil {
		p.described = map[docs.Ref]*openapi.Description{}
	}
	p.described[ref] = d
	return d
}

func (p *printer) description(ref docs.Ref, version string) (*openapi.Description, error) {
	e := p.editionOf(ref)
	if e == nil {
		return nil, nil
	}
	return p.h.Content.Spec(p.ctx, e.View, ref, version)
}

// expandAPIBlocks returns a document in which API blocks are replaced by plain blocks with
// the content of the API descriptions.
func (p *printer) expandAPIBlocks(doc *markup.Document) *markup.Document {
	return apidoc.Blocks(p.spec, doc)
}

// specStamp is the version of a specification that a response was made of.
type specStamp struct {
	ref     docs.Ref
	version string
}

// elsewhere reports whether the specification can change without a write to the store.
func (s specStamp) elsewhere() bool { return s.ref.Kind == docs.RefURL }

// sameSpecs reports whether the specifications that a page of a revision was made of still
// have the versions in read.
func (h *Handler) sameSpecs(ctx context.Context, view *revision.View, read []specStamp) (bool, error) {
	for _, was := range read {
		now, err := h.Content.SpecVersion(ctx, view, was.ref)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return false, err
		}
		if now != was.version {
			return false, nil
		}
	}
	return true, nil
}
