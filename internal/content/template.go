package content

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
	"github.com/octavo-docs/octavo/internal/store"
)

//go:embed all:templates
var templateFiles embed.FS

// Template is initial content for a space: an embedded folder. A link in it to
// ref:name leads to the reference that the caller passes under that name. Without
// one, only the text of the link remains.
type Template struct {
	ID    string
	Title string
	About string
	// Refs describes the references that the template takes, by name.
	Refs map[string]string
}

// Templates holds all templates.
var Templates = []Template{
	{"product-docs", "Product documentation", "A landing page, a quick start, guides, and a place for questions.",
		map[string]string{"support": "where readers get help", "product": "the product itself"}},
	{"api-reference", "API reference", "How to call an API: authentication, errors, paging, and a page for each resource.",
		map[string]string{"spec": "the OpenAPI specification that the reference is made of", "support": "where developers get help"}},
	{"changelog", "Changelog", "What is new, release by release, with a page for each year.",
		map[string]string{"repository": "where the releases are published"}},
}

// TemplateChoice is a template with the references that a caller passes to it.
type TemplateChoice struct {
	At   string // its path in the input, for errors
	ID   string
	Refs map[string]markup.Ref
}

// tree reads the folder of a template.
func (c TemplateChoice) tree() (*folder.Tree, error) {
	i := slices.IndexFunc(Templates, func(t Template) bool { return t.ID == c.ID })
	if i < 0 {
		ids := make([]string, len(Templates))
		for i, t := range Templates {
			ids[i] = t.ID
		}
		return nil, errs.E(errs.NotFound, "there is no template %q; there are %s", c.ID, strings.Join(ids, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Refs)) {
		if _, known := Templates[i].Refs[name]; !known {
			return nil, errs.Field(errs.In(c.At, "params.contentRefs."+name), "is not a reference of the template %s; it takes %s",
				c.ID, strings.Join(slices.Sorted(maps.Keys(Templates[i].Refs)), ", "))
		}
	}
	sub, err := fs.Sub(templateFiles, "templates/"+c.ID)
	if err != nil {
		return nil, err
	}
	return folder.Read(sub, folder.Limits{})
}

// ApplyTemplate adds the pages of a template to a space that is edited live,
// or to a change request.
func (s *Service) ApplyTemplate(ctx context.Context, g *authz.Grant, on LineName, c TemplateChoice) error {
	_, err := s.write(ctx, g, edit{on: on, work: c})
	return err
}

func (c TemplateChoice) plan(h Heads) plan {
	return planEdit(h, docs.Revision{Type: docs.RevisionEdits, Message: "Template " + c.ID})
}

func (c TemplateChoice) draft(ctx context.Context, s *Service, g *authz.Grant, h Heads) (*drafted, error) {
	v, err := h.view(ctx, s, h.head())
	if err != nil {
		return nil, err
	}
	d := s.draft(v)
	return &drafted{Draft: d}, s.addTemplate(ctx, g, d, v, c)
}

// ComputedPage is a page that asks for computed pages, as the first content of a space.
type ComputedPage struct {
	At     string // its path in the input, for errors
	Source []byte // the JSON of the page
}

func (ComputedPage) plan(h Heads) plan { return planEdit(h, docs.Revision{Type: docs.RevisionEdits}) }

func (c ComputedPage) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	wanted, ok := apidoc.ParseSource(c.Source)
	switch {
	case len(c.Source) > maxComputedSource:
		return nil, errs.Field(c.At, "is larger than %s", errs.Size(maxComputedSource))
	case wanted.Type != apidoc.SourceType:
		return nil, errs.Field(c.At+".type", "must be %s: this server computes pages of nothing else", apidoc.SourceType)
	case !ok || wanted.Ref().Spec == "":
		return nil, errs.Field(c.At+".dependencies.spec.ref", "must be the reference of an OpenAPI specification: kind openapi, and its slug as spec")
	}
	return firstPage(ctx, s, h, docs.Page{Type: docs.PageComputed, Title: "Operations", Computed: c.Source})
}

// EmptyPage is an empty page as the first content of a space.
type EmptyPage struct{}

func (EmptyPage) plan(h Heads) plan { return planEdit(h, docs.Revision{Type: docs.RevisionEdits}) }

func (EmptyPage) draft(ctx context.Context, s *Service, _ *authz.Grant, h Heads) (*drafted, error) {
	return firstPage(ctx, s, h, docs.Page{Type: docs.PageDocument, Title: "Untitled"})
}

// firstPage returns a page as the first content of a space.
func firstPage(ctx context.Context, s *Service, h Heads, p docs.Page) (*drafted, error) {
	v, err := h.view(ctx, s, h.head())
	if err != nil {
		return nil, err
	}
	d := s.draft(v)
	p.ID, p.CreatedAt = docs.PageID(d.NewID()), d.Now
	return &drafted{Draft: d}, d.Insert(ctx, "", p, nil)
}

// addTemplate adds the pages of a template to a draft, after the existing pages.
func (s *Service) addTemplate(ctx context.Context, g *authz.Grant, d *revision.Draft, v *revision.View, c TemplateChoice) error {
	t, err := c.tree()
	if err != nil {
		return err
	}
	if err := s.checkRefs(ctx, g, v, c); err != nil {
		return err
	}
	l := d.Linker(ctx, "README.md")
	l.Stable = true
	if err := addTemplatePages(ctx, d, t.Pages, "", c, l); err != nil {
		return err
	}
	return d.ComposeBodies(ctx)
}

func addTemplatePages(ctx context.Context, d *revision.Draft, pages []*folder.Page, parent docs.PageID, c TemplateChoice, l *revision.Linker) error {
	for _, fp := range pages {
		p := docs.Page{
			ID: docs.PageID(d.NewID()), Type: docs.PageType(fp.Type), Parent: parent, Title: fp.Title, Emoji: fp.Emoji, CreatedAt: d.Now,
		}
		if p.Type == docs.PageComputed {
			spec, given := c.Refs["spec"]
			if !given {
				continue
			}
			source := map[string]any{
				"type": apidoc.SourceType, "props": map[string]any{"models": true},
				"dependencies": map[string]any{"spec": map[string]any{"ref": spec}},
			}
			var err error
			if p.Computed, err = json.Marshal(source); err != nil {
				return err
			}
			if p.Title == "" {
				p.Title = "Operations"
			}
		}
		revision.ApplyHead(fp.Head, &p)
		if err := d.Insert(ctx, "", p, nil); err != nil {
			return err
		}
		if p.HasBody() {
			name := strings.TrimSuffix(fp.File, ".md")
			d.Refs[name] = markup.Ref{Kind: markup.RefPage, Page: string(p.ID)}
			if dir, isIndex := strings.CutSuffix(name, "/README"); isIndex {
				d.Refs[dir] = d.Refs[name]
			}
			d.Written[p.ID] = &revision.Writing{Path: fp.File, Markdown: fillRefs(fp.Source, c.Refs, l), File: fp.File}
		}
		if err := addTemplatePages(ctx, d, fp.Children, p.ID, c, l); err != nil {
			return err
		}
	}
	return nil
}

var refLink = regexp.MustCompile(`\[([^\]]*)\]\(ref:([a-z-]+)\)`)

// fillRefs puts the given references into the text of a template.
func fillRefs(src []byte, refs map[string]markup.Ref, l *revision.Linker) []byte {
	escape := strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\n", "%0A", "\r", "%0D", "\\", "%5C")
	return refLink.ReplaceAllFunc(src, func(m []byte) []byte {
		sub := refLink.FindSubmatch(m)
		ref, given := refs[string(sub[2])]
		if !given {
			return sub[1]
		}
		dest, ok := l.Locate(ref, markup.UseLink)
		if !ok {
			return sub[1]
		}
		return fmt.Appendf(nil, "[%s](%s)", sub[1], escape.Replace(dest))
	})
}

// checkRefs returns an error if a reference leads to something that does not exist or
// that the caller cannot see.
func (s *Service) checkRefs(ctx context.Context, g *authz.Grant, v *revision.View, c TemplateChoice) error {
	for _, name := range slices.Sorted(maps.Keys(c.Refs)) {
		ref := c.Refs[name]
		at := errs.In(c.At, "params.contentRefs."+name)
		row := index.LinkOf("", markup.Reference{Ref: ref})
		switch {
		case row.Target == "":
			return errs.Field(at, "names nothing")
		case row.Kind == markup.RefURL:
			if _, ok := markup.SafeURL(ref.URL); !ok {
				return errs.Field(at+".url", "must be an http or https URL")
			}
			continue
		case row.Kind == markup.RefOpenAPI:
			if !revision.IsID(ref.Spec) {
				return errs.Field(at+".spec", "is not the slug of a specification")
			}
			continue
		case g.Access == nil:
			continue
		}
		visible, err := s.Index.Reaches(ctx, s.Store.Reader, g, v, store.Target{Kind: row.Kind, Space: row.Space, Target: row.Target, Anchor: row.Anchor})
		if err != nil {
			return err
		}
		if !visible {
			return errs.Field(at, "leads to nothing that you can see")
		}
	}
	return nil
}
