package page

import (
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/site/publish/edition"
)

// specVersion returns the current version of the API description that a reference names.
func (p *Printer) specVersion(ref docs.Ref) (string, bool) {
	e := p.editionOf(ref)
	if e == nil {
		return "", false
	}
	version, err := p.Content.SpecVersion(p.ctx, e.View, ref)
	return version, p.recordError(err)
}

// spec returns the current API description that a reference names, or nil. Each
// description is loaded once per printer.
func (p *Printer) spec(ref docs.Ref) *openapi.Description {
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

func (p *Printer) description(ref docs.Ref, version string) (*openapi.Description, error) {
	e := p.editionOf(ref)
	if e == nil {
		return nil, nil
	}
	return p.Content.Spec(p.ctx, e.View, ref, version)
}

// expandAPIBlocks returns a document in which API blocks are replaced by plain blocks with
// the content of the API descriptions.
func (p *Printer) expandAPIBlocks(doc *markup.Document) *markup.Document {
	return apidoc.Blocks(p.spec, doc)
}

// Operation returns the operation of a specification with a method and a path. The error is
// NotFound if the page does not describe it.
func (c *Composer) Operation(e *edition.Edition, n *edition.Node, spec, method, path string) (*openapi.Operation, error) {
	p := c.Printer(e)
	f, err := p.text(n)
	if err != nil {
		return nil, err
	}
	part := apidoc.PartOf(markup.APIBlock{Type: "openapi-operation", Method: method, Path: path})
	for q := range f.lookups {
		if q.about != lookupSpec || q.ref.Kind != docs.RefOpenAPI || q.ref.Spec != spec || q.part != part {
			continue
		}
		if d := p.spec(q.ref); d != nil {
			if o := d.Operation(method, path); o != nil {
				return o, nil
			}
		}
	}
	if p.Err != nil {
		return nil, p.Err
	}
	return nil, errs.E(errs.NotFound, "the page does not describe this operation")
}
