package console

import (
	"context"
	"html/template"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/print/formula"
	"github.com/octavo-docs/octavo/internal/reading"
)

// Maximum sizes of the caches of highlighted code and of formulas, in bytes.
const (
	highlightBytes = 4 << 20
	formulaBytes   = 1 << 20
)

// printer renders texts of a revision as HTML, for a member who may see the space.
type printer struct {
	h     *Handler
	ctx   context.Context
	grant *authz.Grant
	view  *revision.View
	base  string // path of the page of the space
	err   error  // the first error other than not found
	maths *formula.Work
	wrote int // bytes of HTML so far
}

// maxHTML is the maximum size of all texts on one page, in bytes of HTML.
const maxHTML = 4 << 20

// tooLong replaces a text that exceeds maxHTML.
const tooLong = template.HTML(`<p><em>This is too long to be shown here.</em></p>`)

// note stores the first error and reports whether err is nil. It does not store a not-found error:
// that is a broken link.
func (p *printer) note(err error) bool {
	if err != nil && !errs.Is(err, errs.NotFound) && p.err == nil {
		p.err = err
	}
	return err == nil
}

// page returns the text of a page as HTML.
func (p *printer) page(x docs.Page) (template.HTML, error) {
	if x.Type != docs.PageDocument {
		return "", nil
	}
	doc, err := reading.Document(p.ctx, p.view.Reading(x), reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
	if err != nil {
		return "", err
	}
	return p.html(doc)
}

// remark returns a description or a comment as HTML.
func (p *printer) remark(source string) (template.HTML, error) {
	if p.wrote+len(source) > maxHTML {
		return tooLong, nil
	}
	doc, err := p.view.NoteDocument(p.ctx, source)
	if err != nil {
		return "", err
	}
	return p.html(doc)
}

func (p *printer) html(doc *markup.Document) (template.HTML, error) {
	if p.maths == nil {
		p.maths = p.h.formulas.Begin(p.ctx, string(p.view.Space.Org), formula.PageTime)
	}
	o := html.Options{
		Link: p.link, Title: p.title, Highlight: p.h.highlight, Math: p.maths.MathML,
		Size:   func(ref docs.Ref) (int64, bool) { f, ok := p.file(ref); return f.Size, ok },
		Extent: func(ref docs.Ref) (int, int, bool) { f, ok := p.file(ref); return f.Width, f.Height, ok },
	}
	o.API = apidoc.NewPage(p.spec, o).HTML
	var b strings.Builder
	if err := html.Write(&b, doc, o); err != nil {
		return "", err
	}
	p.wrote += b.Len()
	return template.HTML(b.String()), p.err //nolint:gosec // what HTML writes is harmless
}

// spec returns the current API description of a reference.
func (p *printer) spec(ref docs.Ref) *openapi.Description {
	version, err := p.h.Content.SpecVersion(p.ctx, p.view, ref)
	if !p.note(err) {
		return nil
	}
	d, err := p.h.Content.Spec(p.ctx, p.view, ref, version)
	p.note(err)
	return d
}

// inSpace reports whether a reference is to something in this space.
func (p *printer) inSpace(ref docs.Ref) bool {
	return ref.Space == "" || ref.Space == string(p.view.Space.ID)
}

func (p *printer) file(ref docs.Ref) (docs.File, bool) {
	if ref.Kind != docs.RefFile || !p.inSpace(ref) {
		return docs.File{}, false
	}
	f, err := p.view.File(p.ctx, docs.FileID(ref.File))
	return f, p.note(err)
}

// link returns the URL of a reference: a page of this server for members. For another space, that
// page checks whether the reader may see it.
func (p *printer) link(ref docs.Ref) (string, bool) {
	org := organizationURL(p.view.Space.Org)
	switch ref.Kind {
	case docs.RefFile:
		f, ok := p.file(ref)
		if !ok {
			return "", false
		}
		return p.h.FileURL(p.grant.Actor.User, p.view.Space, f), true
	case docs.RefPage, docs.RefAnchor:
		return p.pageLink(ref, org)
	case docs.RefSpace:
		return org + "/s/" + ref.Space, true
	case docs.RefCollection:
		return org + "/c/" + ref.Collection, true
	}
	return "", false
}

func (p *printer) pageLink(ref docs.Ref, org string) (string, bool) {
	anchor := ""
	if ref.Anchor != "" {
		anchor = "#" + ref.Anchor
	}
	switch {
	case ref.Page == "":
		return anchor, anchor != ""
	case !p.inSpace(ref):
		return org + "/s/" + ref.Space + "/" + ref.Page + anchor, true
	}
	path, err := p.view.PathOf(p.ctx, docs.PageID(ref.Page))
	return p.base + "/" + reading.EscapePath(path) + anchor, p.note(err)
}

// title returns the title of the target of a reference.
func (p *printer) title(ref docs.Ref) (string, bool) {
	switch ref.Kind {
	case docs.RefPage, docs.RefAnchor:
		if !p.inSpace(ref) {
			return "", false
		}
		x, err := p.view.Page(p.ctx, docs.PageID(ref.Page))
		return x.Title, p.note(err)
	case docs.RefFile:
		f, ok := p.file(ref)
		return f.Name, ok
	case docs.RefUser:
		if !p.grant.Sees(docs.UserID(ref.User)) {
			return "", false
		}
		m, err := p.h.Orgs.Members.Get(p.ctx, p.view.Space.Org, docs.UserID(ref.User))
		return m.User.DisplayName, p.note(err)
	}
	return "", false
}
