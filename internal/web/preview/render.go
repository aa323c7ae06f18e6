package preview

import (
	"bytes"
	"context"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup/html"
	"github.com/octavo-docs/octavo/internal/reading"
)

// rendered is the body of a page, with its headings and its source files.
type rendered struct {
	body     template.HTML
	headings []markup.Heading
	wide     bool     // a block takes the width of the page
	files    []string // source files of the body, for their problems
}

// render renders a page as a server does for an anonymous visitor without claims.
func (s *site) render(p *folder.Page, o html.Options) (rendered, error) {
	out := rendered{files: []string{p.File}}
	doc, err := reading.Document(context.Background(), &readPage{s, p, &out}, reading.Form{Includes: true, Evaluation: reading.EvaluateAll})
	if err != nil {
		return out, err
	}
	out.headings, out.wide = markup.Headings(doc), html.HasFullWidth(doc)
	var b bytes.Buffer
	o.Link, o.Title, o.Size = func(ref docs.Ref) (string, bool) { return s.link(p.File, ref) }, s.title, s.size
	err = html.Write(&b, doc, o)
	out.body = template.HTML(b.String()) //nolint:gosec // what HTML writes is harmless
	return out, err
}

// readPage implements the page of package reading for a page of the folder. It records
// the source files.
type readPage struct {
	s   *site
	p   *folder.Page
	out *rendered
}

func (r *readPage) Document(context.Context) (*markup.Document, error) {
	return r.s.parse(r.p.File, r.p.Source, r.p.Head), nil
}

func (r *readPage) Include(_ context.Context, ref docs.Ref) (*markup.Document, bool, error) {
	in := r.s.index.Include(ref.ReusableContent)
	if in == nil {
		return nil, false, nil
	}
	if !slices.Contains(r.out.files, in.File) {
		r.out.files = append(r.out.files, in.File)
	}
	return r.s.parse(in.File, in.Source, in.Head), true, nil
}

func (r *readPage) Environment(context.Context) (map[string]any, error) {
	return r.s.environment(r.p), nil
}

func (s *site) parse(file string, src []byte, h frontmatter.Head) *markup.Document {
	if src == nil {
		return &markup.Document{}
	}
	return markup.Parse(src[h.Body:], markup.Refs{Resolve: func(dest string, use markup.Use) (docs.Ref, bool) {
		return s.resolve(file, dest, use)
	}})
}

// resolve returns the reference for a destination in a file. A reference to a page holds
// only the address of the page in this site.
func (s *site) resolve(file, dest string, use markup.Use) (docs.Ref, bool) {
	none := docs.Ref{}
	where, anchor, _ := strings.Cut(dest, "#")
	if where == "" {
		return docs.Ref{Kind: docs.RefAnchor, Anchor: anchor}, use == markup.UseLink && anchor != ""
	}
	if strings.Contains(where, ":") || strings.HasPrefix(where, "//") {
		return none, false
	}
	found, ok := s.index.Find(file, dest, use)
	switch {
	case !ok:
	case found.Page != nil && use == markup.UseLink:
		href, ok := s.href(found.Page)
		if anchor != "" {
			return docs.Ref{Kind: docs.RefAnchor, Page: href, Anchor: anchor}, ok
		}
		return docs.Ref{Kind: docs.RefPage, Page: href}, ok
	case found.Include != nil && use == markup.UseInclude:
		return docs.Ref{Kind: docs.RefReusable, ReusableContent: found.Path}, true
	case found.File != nil && use != markup.UseInclude:
		return docs.Ref{Kind: docs.RefFile, File: found.Path}, s.files[found.Path] != nil
	}
	return none, false
}

// link returns the address of a reference.
func (s *site) link(file string, ref docs.Ref) (string, bool) {
	if ref.Kind == docs.RefURL { // in raw HTML, or broken
		if found, ok := s.resolve(file, ref.URL, markup.UseLink); ok {
			ref = found
		}
	}
	switch {
	case ref.Space != "":
	case ref.Kind == docs.RefPage:
		return ref.Page, true
	case ref.Kind == docs.RefAnchor && ref.Page != "":
		return ref.Page + reading.Fragment(ref.Anchor), true
	case ref.Kind == docs.RefFile && s.files[ref.File] != nil:
		return rooted(ref.File), true
	}
	return "", false
}

// title returns the title of the target of a reference.
func (s *site) title(ref docs.Ref) (string, bool) {
	switch ref.Kind {
	case docs.RefPage, docs.RefAnchor:
		if at, err := url.PathUnescape(ref.Page); err == nil && at != "" {
			if p, _, _ := s.find(at); p != nil {
				return p.Title, true
			}
		}
	case docs.RefFile:
		return path.Base(ref.File), ref.File != ""
	case docs.RefTag:
		for _, t := range s.tree.Tags {
			if t.Tag == ref.Tag && t.Label != "" {
				return t.Label, true
			}
		}
	}
	return "", false
}

// size returns the size of the file that a reference refers to.
func (s *site) size(ref docs.Ref) (int64, bool) {
	f := s.files[ref.File]
	if f == nil {
		return 0, false
	}
	return f.Size, true
}

// picture returns the address of a cover image, or "".
func (s *site) picture(file, dest string) string {
	if dest == "" {
		return ""
	}
	if ref, ok := s.resolve(file, dest, markup.UseImage); ok {
		href, _ := s.link(file, ref)
		return href
	}
	if safe, ok := markup.SafeURL(dest); ok && strings.Contains(safe, "://") {
		return safe
	}
	return ""
}
