package publish

import (
	"context"
	"errors"
	"io"

	"github.com/octavo-docs/octavo/internal/apidoc"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi"
)

// Specs are the descriptions of APIs that organizations keep. An error of the kind
// NotFound means that there is none.
type Specs interface {
	// Newest names the newest version of a specification. What a name means
	// never changes.
	Newest(ctx context.Context, org docs.OrgID, slug string) (version string, err error)
	// Description returns a version of a specification.
	Description(ctx context.Context, org docs.OrgID, slug, version string) (*openapi.Description, error)
}

// descriptions are those of files of spaces, by the hashes of their bytes. One that
// cannot be read is nil.
const (
	maxDescriptions = 64 << 20 // bytes
	// descriptionWeight is how much memory a byte of a description takes, roughly.
	descriptionWeight = 8
)

type fileDescription struct {
	d    *openapi.Description
	size int
}

// specVersion names the version of the description that a reference means now.
func (p *printer) specVersion(ref docs.Ref) (string, bool) {
	switch ref.Kind {
	case docs.RefOpenAPI:
		if p.h.Specs == nil {
			return "", false
		}
		version, err := p.h.Specs.Newest(p.ctx, p.e.space.Org, ref.Spec)
		return version, p.note(err)
	case docs.RefFile:
		f, ok := p.file(ref)
		return f.Blob, ok && f.Size <= openapi.MaxBytes
	}
	return "", false
}

// descriptions returns what finds the descriptions that a page refers to. Each is
// looked up once. ask answers which version a reference means.
func (p *printer) descriptions(ask func(docs.Ref) (string, bool)) apidoc.Find {
	known := map[docs.Ref]*openapi.Description{}
	return func(ref docs.Ref) *openapi.Description {
		if d, ok := known[ref]; ok {
			return d
		}
		version, ok := ask(ref)
		if !ok {
			return nil
		}
		d, err := p.description(ref, version)
		p.note(err)
		known[ref] = d
		return d
	}
}

func (p *printer) description(ref docs.Ref, version string) (*openapi.Description, error) {
	if ref.Kind == docs.RefOpenAPI {
		return p.h.Specs.Description(p.ctx, p.e.space.Org, ref.Spec, version)
	}
	if kept, ok := p.h.described.Get(version); ok {
		return kept.d, nil
	}
	f, ok := p.file(ref)
	e := p.of(ref)
	if !ok || e == nil {
		return nil, nil
	}
	o, err := p.h.Content.OpenFile(p.ctx, e.space.ID, f.Blob)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(o, openapi.MaxBytes+1))
	if err = errors.Join(err, o.Close()); err != nil {
		return nil, err
	}
	d, err := openapi.Load(p.ctx, openapi.Bundle{Root: f.Name, Files: map[string][]byte{f.Name: data}})
	var bad *openapi.Invalid
	if err != nil && !errors.As(err, &bad) {
		return nil, err
	}
	p.h.described.Set(version, fileDescription{d, len(data)})
	return d, nil
}

// askVersion asks which version of a description a reference means, without notes.
func (p *printer) askVersion(ref docs.Ref) (string, bool) {
	a := p.answer(question{askSpec, ref})
	return a.text, a.ok
}

// writtenOut returns a document with what its blocks show of descriptions of APIs.
func (p *printer) writtenOut(doc *markup.Document) *markup.Document {
	return apidoc.Blocks(p.descriptions(p.askVersion), doc)
}

// specStamp is the version of a specification that an answer was made of.
type specStamp struct {
	ref     docs.Ref
	version string
}

// sameSpecs reports whether all specifications that something was made of have
// the same newest versions.
func (h *Handler) sameSpecs(ctx context.Context, org docs.OrgID, read []specStamp) (bool, error) {
	for _, was := range read {
		now, err := h.Specs.Newest(ctx, org, was.ref.Spec)
		if err != nil && !errs.Is(err, errs.NotFound) {
			return false, err
		}
		if now != was.version {
			return false, nil
		}
	}
	return true, nil
}
