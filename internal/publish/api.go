package publish

import (
	"context"

	"github.com/octavo-docs/octavo/internal/apidoc"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/revision"
)

// specVersion names the version of the description that a reference means now.
func (p *printer) specVersion(ref docs.Ref) (string, bool) {
	e := p.of(ref)
	if e == nil {
		return "", false
	}
	version, err := p.h.Content.SpecVersion(p.ctx, e.View, ref)
	return version, p.note(err)
}

// spec returns the description that a reference means now, or nil. Each is looked up
// once for an answer.
func (p *printer) spec(ref docs.Ref) *openapi.Description {
	if d, ok := p.described[ref]; ok {
		return d
	}
	var d *openapi.Description
	if version, ok := p.specVersion(ref); ok {
		var err error
		d, err = p.description(ref, version)
		p.note(err)
	}
	if p.described == nil {
		p.described = map[docs.Ref]*openapi.Description{}
	}
	p.described[ref] = d
	return d
}

func (p *printer) description(ref docs.Ref, version string) (*openapi.Description, error) {
	e := p.of(ref)
	if e == nil {
		return nil, nil
	}
	return p.h.Content.Spec(p.ctx, e.View, ref, version)
}

// writtenOut returns a document with what its blocks show of descriptions of APIs.
func (p *printer) writtenOut(doc *markup.Document) *markup.Document {
	return apidoc.Blocks(p.spec, doc)
}

// specStamp is the version of a specification that an answer was made of.
type specStamp struct {
	ref     docs.Ref
	version string
}

// elsewhere reports whether the specification changes without anything being stored here.
func (s specStamp) elsewhere() bool { return s.ref.Kind == docs.RefURL }

// sameSpecs reports whether all specifications that a page of a revision was made of have
// the same newest versions.
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
