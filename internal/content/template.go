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
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/index"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/revision"
	"github.com/octavo-docs/octavo/internal/store"
)

//go:embed all:templates
var templateFiles embed.FS

// Template is something that a space can begin with: a folder in this
// program. A link in it to ref:name leads to the reference that is given
// under that name, or is only its text when none is.
type Template struct {
	ID    string
	Title string
	About string
	// Refs are the names of references that it takes, with what they are for.
	Refs map[string]string
}

// Templates are all of them.
var Templates = []Template{
	{"product-docs", "Product documentation", "A landing page, a quick start, guides, and a place for questions.",
		map[string]string{"support": "where readers get help", "product": "the product itself"}},
	{"api-reference", "API reference", "How to call an API: authentication, errors, paging, and a page for each resource.",
		map[string]string{"spec": "the OpenAPI specification that the reference is made of", "support": "where developers get help"}},
	{"changelog", "Changelog", "What is new, release by release, with a page for each year.",
		map[string]string{"repository": "where the releases are published"}},
}

// TemplateChoice is a template with the references that it is given.
type TemplateChoice struct {
	At   string // where it stands in the input, for errors
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
			return nil, errs.Field(c.At+".params.contentRefs."+name, "is not a reference of the template %s; it takes %s",
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
func (s *Service) ApplyTemplate(ctx context.Context, g *authz.Grant, on Branch, c TemplateChoice) error {
	rev := docs.Revision{Type: docs.RevisionEdits, Message: "Template " + c.ID}
	_, _, err := s.write(ctx, g, edit{on: on, rev: rev, draft: func(ctx context.Context, r store.Reader, l *line) (*revision.Draft, error) {
		d := s.draft(l)
		return d, s.addTemplate(ctx, r, g, d, l.View, c)
	}})
	return err
}

// BeginTemplate gives a new space the pages of a template.
func (s *Service) BeginTemplate(ctx context.Context, tx *store.Tx, g *authz.Grant, sp docs.Space, c TemplateChoice) (docs.RevisionID, error) {
	v, err := s.Source.At(ctx, tx.Reader, sp, sp.Revision)
	if err != nil {
		return "", err
	}
	v, err = s.commitTemplate(ctx, tx, g, &line{View: v}, c)
	if err != nil {
		return "", err
	}
	return v.Rev.ID, nil
}

// ApplyTemplateTo adds the pages of a template to a change request that is being
// made.
func (s *Service) ApplyTemplateTo(ctx context.Context, tx *store.Tx, g *authz.Grant, cr docs.ChangeRequest, c TemplateChoice) (docs.RevisionID, error) {
	v, err := s.Source.At(ctx, tx.Reader, g.Space, cr.Revision)
	if err != nil {
		return "", err
	}
	if v, err = s.commitTemplate(ctx, tx, g, &line{v, &cr}, c); err != nil {
		return "", err
	}
	return v.Rev.ID, nil
}

// BeginPage gives a new space a page to write on.
func (s *Service) BeginPage(ctx context.Context, tx *store.Tx, g *authz.Grant, sp docs.Space) (docs.RevisionID, error) {
	v, err := s.Source.At(ctx, tx.Reader, sp, sp.Revision)
	if err != nil {
		return "", err
	}
	d := v.Draft(tx.Now(), func() string { return store.NewID[string](tx) })
	p := docs.Page{ID: docs.PageID(d.NewID()), Type: docs.PageDocument, Title: "Untitled", CreatedAt: tx.Now()}
	if err := d.Insert(ctx, "body", p, nil); err != nil {
		return "", err
	}
	rev, err := s.commit(ctx, tx, g, d, nil, docs.Revision{Type: docs.RevisionEdits})
	return rev.ID, err
}

// addTemplate adds the pages of a template to a draft, behind those that exist.
func (s *Service) addTemplate(ctx context.Context, r store.Reader, g *authz.Grant, d *revision.Draft, v *revision.View, c TemplateChoice) error {
	t, err := c.tree()
	if err != nil {
		return err
	}
	if err := s.checkRefs(ctx, r, g, v, c); err != nil {
		return err
	}
	l := d.Linker(ctx, "README.md")
	l.Stable = true
	if err := addTemplatePages(ctx, d, t.Pages, "", c, l); err != nil {
		return err
	}
	return d.ComposeBodies(ctx)
}

// commitTemplate adds the pages of a template to a line that is being made.
func (s *Service) commitTemplate(ctx context.Context, tx *store.Tx, g *authz.Grant, l *line, c TemplateChoice) (*revision.View, error) {
	d := s.draft(l)
	if err := s.addTemplate(ctx, tx.Reader, g, d, l.View, c); err != nil {
		return nil, err
	}
	p, err := s.prepareLine(ctx, tx.Reader, l, d)
	if err != nil {
		return nil, err
	}
	return s.commitLine(ctx, tx, g, l, p, docs.Revision{Type: docs.RevisionEdits, Message: "Template " + c.ID})
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
				"type": "builtin:openapi", "props": map[string]any{"models": true},
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
		if err := d.Insert(ctx, "body", p, nil); err != nil {
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

// checkRefs refuses references to what the caller cannot see, as if it were
// not there.
func (s *Service) checkRefs(ctx context.Context, r store.Reader, g *authz.Grant, v *revision.View, c TemplateChoice) error {
	for _, name := range slices.Sorted(maps.Keys(c.Refs)) {
		ref := c.Refs[name]
		at := c.At + ".params.contentRefs." + name
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
		visible, err := s.Index.Reaches(ctx, r, g, v, store.Target{Kind: row.Kind, Space: row.Space, Target: row.Target, Anchor: row.Anchor})
		if err != nil {
			return err
		}
		if !visible {
			return errs.Field(at, "leads to nothing that you can see")
		}
	}
	return nil
}
