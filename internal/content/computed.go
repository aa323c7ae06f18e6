package content

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/openapi"
	"github.com/octavo-docs/octavo/internal/openapi/apidoc"
)

const (
	// maxExpanded is the maximum size of the cached views with computed pages, in bytes.
	maxExpanded = 32 << 20
	// maxComputedSource is the maximum size of the source of a computed page in bytes.
	maxComputedSource = 4 << 10
	// computedWeight is the approximate size of a computed page in memory, in bytes.
	computedWeight = 2 << 10
	// maxComputedPlaces is the maximum number of pages of a space that are expanded.
	maxComputedPlaces = 50
	// maxComputedPages is the maximum number of computed pages of a space. A view with so many can be
	// cached; one that cannot would be made again for each reader.
	maxComputedPages = 15_000
)

// expandedKey is the key of a cached view with computed pages.
type expandedKey struct {
	space docs.SpaceID
	root  chunk.Hash
	stamp string
}

// expandedView is a revision with computed pages; its view is nil if the revision asks for none.
type expandedView struct {
	*revision.View
	pages      int
	references []reference
}

// computedPlace is a page that asks for computed pages, with the version of the
// specification that they are made of.
type computedPlace struct {
	page    docs.Page
	source  apidoc.Source
	version string
	public  bool
}

// WithComputedPages returns a revision with computed pages, made of the newest versions of
// specifications, in place of the pages that ask for them. A page that asks for a
// missing specification, or for a source of another type, stays, and so does one that asks for
// more pages than a space can have.
func (s *Service) WithComputedPages(ctx context.Context, v *revision.View) (*revision.View, error) {
	if v.Stamp != "" {
		return v, nil
	}
	kept, err := s.expanded(ctx, v)
	if err != nil || kept.View == nil {
		return v, err
	}
	return kept.View.ComputedIn(v), nil
}

// expanded returns a revision with computed pages, for members. v may have them already.
func (s *Service) expanded(ctx context.Context, v *revision.View) (kept expandedView, err error) {
	if s.Specs == nil {
		return kept, nil
	}
	if v.Stamp != "" {
		kept, _ = s.expansions.Get(expandedKey{v.Space.ID, v.Root, v.Stamp})
		return kept, nil
	}
	all := v.For(nil)
	pages, err := all.ComputedPlaces(ctx)
	if err != nil || len(pages) == 0 {
		return kept, err
	}
	var places []computedPlace
	stamp := ""
	for _, p := range pages[:min(len(pages), maxComputedPlaces)] {
		at, ok, err := s.computedPlace(ctx, v.Space.Org, p)
		if err != nil {
			return kept, err
		}
		if ok {
			places = append(places, at)
			stamp += string(p.ID) + "=" + at.version + map[bool]string{true: "+"}[at.public] + ";"
		}
	}
	if len(places) == 0 {
		all.Stamp = "none"
		return expandedView{View: all}, nil
	}
	key := expandedKey{v.Space.ID, v.Root, stamp}
	kept, ok := s.expansions.Get(key)
	if !ok {
		if kept, err = s.expand(ctx, all, places, stamp); err == nil {
			s.expansions.Set(key, kept)
		}
	}
	return kept, err
}

// computedPlace returns the place of a page that asks for computed pages; ok is false
// if its specification does not exist.
func (s *Service) computedPlace(ctx context.Context, org docs.OrgID, p docs.Page) (at computedPlace, ok bool, err error) {
	at.page = p
	if at.source, ok = apidoc.ParseSource(p.Computed); !ok {
		return at, false, nil
	}
	slug := at.source.Ref().Spec
	at.version, err = s.Specs.Newest(ctx, org, slug)
	if err == nil && at.source.Props.DownloadLink {
		at.public, err = s.Specs.IsPublic(ctx, org, slug)
	}
	if errs.Is(err, errs.NotFound) {
		return at, false, nil
	}
	return at, err == nil, err
}

// expand computes the pages of a revision.
func (s *Service) expand(ctx context.Context, v *revision.View, places []computedPlace, stamp string) (out expandedView, err error) {
	prose, err := proseOf(ctx, v)
	if err != nil {
		return out, err
	}
	made := map[docs.PageID][]revision.Computed{}
	for _, at := range places {
		slug := at.source.Ref().Spec
		d, err := s.Specs.Description(ctx, v.Space.Org, slug, at.version)
		if errs.Is(err, errs.NotFound) {
			continue
		}
		if err != nil {
			return out, err
		}
		l := at.source.Layout(prose.include(slug))
		if at.public {
			l.Download = s.BaseURL + "/v1/openapi/" + string(v.Space.Org) + "/" + slug
		}
		pages := apidoc.Pages(d, l)
		computed := computedPages(pages)
		n := countComputed(computed)
		if out.pages+n > maxComputedPages {
			break // this page stays, and those after it
		}
		out.pages += n
		out.references = append(out.references, newReference(d, at.page.ID, pages))
		made[at.page.ID] = computed
	}
	out.View, err = v.WithComputed(ctx, stamp, made)
	return out, err
}

func countComputed(list []revision.Computed) int {
	n := len(list)
	for _, c := range list {
		n += countComputed(c.Below)
	}
	return n
}

// computedPages converts the pages of a reference to computed pages.
func computedPages(in []*apidoc.ReferencePage) []revision.Computed {
	out := make([]revision.Computed, 0, len(in))
	for _, p := range in {
		c := revision.Computed{Key: p.Key, Title: p.Title, Name: p.Name, Description: p.Description, Icon: p.Icon, Method: p.Method(), Source: []byte(p.Source)}
		if p.Link != "" {
			c.Target = &docs.Ref{Kind: docs.RefURL, URL: p.Link}
		}
		c.Below = computedPages(p.Below)
		out = append(out, c)
	}
	return out
}

// prose are the reusable contents that are shown beside operations, by the name of
// the operation.
type prose map[string]docs.Reusable

// proseOf returns the prose of a revision.
func proseOf(ctx context.Context, v *revision.View) (prose, error) {
	all, err := v.Reusables(ctx)
	out := prose{}
	for _, r := range all {
		if operation, ok := apidoc.ProseOf(r.Title, r.File); ok {
			out[operation] = r
		}
	}
	return out, err
}

// include returns a function that returns the block that includes the prose of an
// operation of a specification.
func (p prose) include(spec string) func(operation string) string {
	if len(p) == 0 {
		return nil
	}
	return func(operation string) string {
		r, ok := p[spec+"/"+operation]
		if !ok {
			return ""
		}
		return `{% include "/reusable-content/` + string(r.ID) + `" %}`
	}
}

// showsProse reports whether a reusable content is the prose of an operation, and whether
// the visitor of a revision sees a page with that operation.
func (s *Service) showsProse(ctx context.Context, v *revision.View, r docs.Reusable) (is, shown bool, err error) {
	name, is := apidoc.ProseOf(r.Title, r.File)
	if !is {
		return false, false, nil
	}
	spec, operation, _ := strings.Cut(name, "/")
	asked, err := s.asksFor(ctx, v, spec)
	if err != nil || !asked {
		return true, false, err
	}
	names, err := s.operationNames(ctx, v.Space.Org, spec)
	return true, names[operation], err
}

// asksFor reports whether a page of a revision, as its visitor sees it, asks for pages that
// are computed of a specification.
func (s *Service) asksFor(ctx context.Context, v *revision.View, spec string) (bool, error) {
	if v.Stamp != "" { // the computed pages are in the place of the page that asks
		plain, err := s.Revision(ctx, v.Space, v.Rev.ID)
		if err != nil {
			return false, err
		}
		v = plain.For(v.Visitor())
	}
	places, err := v.ComputedPlaces(ctx)
	for _, p := range places {
		if source, ok := apidoc.ParseSource(p.Computed); ok && source.Ref().Spec == spec {
			return true, err
		}
	}
	return false, err
}

// Orphan is the prose of an operation that does not exist.
type Orphan struct {
	Spec      string
	Operation string
	Content   docs.Reusable
}

// OrphanedProse returns the prose of operations that the newest versions of their
// specifications do not have. It is kept until somebody deletes it.
func (s *Service) OrphanedProse(ctx context.Context, v *revision.View) ([]Orphan, error) {
	all, err := proseOf(ctx, v)
	if err != nil {
		return nil, err
	}
	known := map[string]map[string]bool{}
	var out []Orphan
	for name, r := range all {
		spec, operation, _ := strings.Cut(name, "/")
		if _, asked := known[spec]; !asked {
			if known[spec], err = s.operationNames(ctx, v.Space.Org, spec); err != nil {
				return nil, err
			}
		}
		if !known[spec][operation] {
			out = append(out, Orphan{spec, operation, r})
		}
	}
	slices.SortFunc(out, func(a, b Orphan) int {
		return cmp.Or(cmp.Compare(a.Spec, b.Spec), cmp.Compare(a.Operation, b.Operation))
	})
	return out, nil
}

// operationNames returns the names by which prose belongs to operations.
func (s *Service) operationNames(ctx context.Context, org docs.OrgID, spec string) (map[string]bool, error) {
	out := map[string]bool{}
	if s.Specs == nil {
		return out, nil
	}
	version, err := s.Specs.Newest(ctx, org, spec)
	var d *openapi.Description
	if err == nil {
		d, err = s.Specs.Description(ctx, org, spec, version)
	}
	if errs.Is(err, errs.NotFound) {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for _, list := range [][]*openapi.Operation{d.Operations, d.Webhooks} {
		for _, o := range list {
			out[cmp.Or(o.ID, strings.ToLower(o.Method)+" "+o.Path)] = true
		}
	}
	return out, nil
}
