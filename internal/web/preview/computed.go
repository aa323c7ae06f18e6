package preview

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

// maxComputedPlaces is the maximum number of computed pages of a folder that are
// expanded. It is the same as on the server.
const maxComputedPlaces = 50

// expanded returns a copy of a tree in which computed pages are replaced with their
// generated pages, if the folder contains the API description. The tree t is not changed.
func expanded(t *folder.Tree, find apidoc.Find) *folder.Tree {
	e := &expander{find: find, prose: map[string]string{}, left: maxComputedPlaces}
	for _, in := range t.Includes {
		if operation, ok := apidoc.ProseOf(in.Title, in.File); ok {
			e.prose[operation] = in.File
		}
	}
	shown := *t
	shown.Pages = e.pages(t.Pages)
	return &shown
}

type expander struct {
	find  apidoc.Find
	prose map[string]string // files of reusable contents, by SPECIFICATION/OPERATION
	left  int               // number of computed pages that may still be expanded
}

// pages returns pages with all computed pages expanded. A page without computed
// descendants is returned unchanged.
func (e *expander) pages(in []*folder.Page) (out []*folder.Page) {
	for _, p := range in {
		if p.Type == folder.Computed {
			out = append(out, e.computed(p)...)
			continue
		}
		if below := e.pages(p.Children); !slices.Equal(below, p.Children) {
			changed := *p
			changed.Children = below
			p = &changed
		}
		out = append(out, p)
	}
	return out
}

// computed returns the generated pages of a computed page, or the page itself if there
// are none.
func (e *expander) computed(p *folder.Page) []*folder.Page {
	text, err := json.Marshal(p.Computed)
	if err != nil || e.left == 0 {
		return []*folder.Page{p}
	}
	source, ok := apidoc.ParseSource(text)
	if !ok {
		return []*folder.Page{p}
	}
	e.left--
	d := e.find(source.Ref())
	if d == nil {
		return []*folder.Page{p}
	}
	return referencePages(apidoc.Pages(d, source.Layout(func(operation string) string {
		file := e.prose[source.Ref().Spec+"/"+operation]
		if file == "" {
			return ""
		}
		return `{% include "/` + file + `" %}`
	})))
}

// referencePages converts the pages of an API reference to pages of the folder that have
// no file.
func referencePages(in []*apidoc.ReferencePage) (out []*folder.Page) {
	for _, r := range in {
		out = append(out, &folder.Page{
			Type: folder.Document, Title: r.Title, Slug: docs.SlugOf(markup.Unconditional(cmp.Or(r.Name, r.Title))), Source: []byte(r.Source), Method: r.Method(),
			Head: frontmatter.Head{Meta: frontmatter.Meta{Description: r.Description, Icon: r.Icon}}, Children: referencePages(r.Below),
		})
	}
	return out
}

// specStamp returns a hash of the state of all files that API descriptions can be read
// from: all files that are not pages.
func (s state) specStamp() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if path.Ext(name) != ".md" {
			fmt.Fprintf(h, "%q %v\n", name, s[name])
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
