package sites

import (
	"context"
	"encoding/json"
	"reflect"
	"sort"

	"github.com/danielgtaylor/huma/v2"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/site/sites"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/api/kernel"
	"github.com/octavo-docs/octavo/internal/web/api/wire"
)

// SiteSpace is the JSON form of a space on a site.
type SiteSpace struct {
	Object                string           `json:"object" enum:"site-space"`
	ID                    string           `json:"id"`
	Path                  string           `json:"path"`
	Section               string           `json:"section,omitempty"`
	Space                 wire.Space       `json:"space"`
	Title                 string           `json:"title"`
	LocalizedTitle        localizedTexts   `json:"localizedTitle,omitempty"`
	Default               bool             `json:"default"`
	Draft                 bool             `json:"draft" doc:"Whether only previews show it."`
	Hidden                bool             `json:"hidden" doc:"Whether navigation leaves it out. Readers find it by its address."`
	Condition             string           `json:"condition,omitempty" doc:"Expression that decides whether a visitor sees it."`
	AdvancedCustomization bool             `json:"hasAdvancedCustomizationFeature"`
	URLs                  publishedAddress `json:"urls"`
}

// SiteSection is the JSON form of a section of a site.
type SiteSection struct {
	Object       string           `json:"object" enum:"site-section"`
	ID           string           `json:"id"`
	Title        string           `json:"title"`
	Description  string           `json:"description,omitempty"`
	Default      bool             `json:"default"`
	Draft        bool             `json:"draft" doc:"Whether only previews show it."`
	Path         string           `json:"path"`
	Condition    string           `json:"condition,omitempty" doc:"Expression that decides whether a visitor sees it."`
	SectionGroup string           `json:"sectionGroup,omitempty"`
	SiteSpaces   []SiteSpace      `json:"siteSpaces"`
	URLs         publishedAddress `json:"urls"`
	Icon         string           `json:"icon,omitempty"`

	LocalizedTitle       localizedTexts `json:"localizedTitle,omitempty"`
	LocalizedDescription localizedTexts `json:"localizedDescription,omitempty"`
}

// localizedTexts are texts by language.
type localizedTexts map[string]string

// SiteSectionGroup is the JSON form of a group of sections.
type SiteSectionGroup struct {
	Object       string        `json:"object" enum:"site-section-group"`
	ID           string        `json:"id"`
	Title        string        `json:"title"`
	Draft        bool          `json:"draft" doc:"Whether only previews show it."`
	Sections     []SiteSection `json:"sections" deprecated:"true" doc:"The sections of children."`
	SectionGroup string        `json:"sectionGroup,omitempty"`
	Children     []groupItem   `json:"children"`
	Icon         string        `json:"icon,omitempty"`

	LocalizedTitle localizedTexts `json:"localizedTitle,omitempty"`
}

// SiteExternalLink is the JSON form of a link to another site.
type SiteExternalLink struct {
	Object       string `json:"object" enum:"site-external-link"`
	ID           string `json:"id"`
	Title        string `json:"title"`
	Description  string `json:"description,omitempty"`
	URL          string `json:"url" format:"uri"`
	SectionGroup string `json:"sectionGroup,omitempty"`
	Draft        bool   `json:"draft" doc:"Whether readers do not see it."`
	Condition    string `json:"condition,omitempty" doc:"Expression that decides whether a visitor sees it."`
	Icon         string `json:"icon,omitempty"`

	LocalizedTitle       localizedTexts `json:"localizedTitle,omitempty"`
	LocalizedDescription localizedTexts `json:"localizedDescription,omitempty"`
}

// SiteStructure is the JSON form of the structure of a site: sections, groups and links,
// or site spaces.
type SiteStructure struct {
	Type      string     `json:"type" enum:"sections,siteSpaces"`
	Structure []siteItem `json:"structure"`
}

type publishedAddress struct {
	Published string `json:"published,omitempty" format:"uri" doc:"Absent if the site is not published."`
}

// siteItem is a SiteSpace, a SiteSection, a SiteSectionGroup or a SiteExternalLink.
// Clients before version 0.202.0 do not support external links. They receive them
// nevertheless, because a site has one only if it was created with a newer client.
type siteItem struct{ v any }

func (i siteItem) MarshalJSON() ([]byte, error) { return json.Marshal(i.v) }

// Schema implements huma.SchemaProvider.
func (siteItem) Schema(r huma.Registry) *huma.Schema {
	return wire.OneOf(r, reflect.TypeFor[SiteSpace](), reflect.TypeFor[SiteSection](), reflect.TypeFor[SiteSectionGroup](),
		reflect.TypeFor[SiteExternalLink]())
}

// groupItem is a siteItem that is not a site space.
type groupItem struct{ siteItem }

// Schema implements huma.SchemaProvider.
func (groupItem) Schema(r huma.Registry) *huma.Schema {
	return wire.OneOf(r, reflect.TypeFor[SiteSection](), reflect.TypeFor[SiteSectionGroup](), reflect.TypeFor[SiteExternalLink]())
}

// view converts the parts of a site to their JSON form for one caller.
type view struct {
	*sites.View
	a        *handlers
	shareKey string // of sites.ShareLinks.AddressKey
	by       authz.Actor
	visited  bool // the caller is a visitor, to whom conditions are not disclosed
}

// view returns the site of the request as the caller sees it. Its addresses contain the
// given share key if it is one of the site.
func (h *handlers) view(ctx context.Context, shareKey string) (view, error) {
	g := authz.FromContext(ctx)
	v, err := h.Audience.View(ctx, g)
	if err != nil {
		return view{}, err
	}
	key, err := h.Sites.ShareLinks.AddressKey(ctx, g, v.Site.Publication(), shareKey)
	return view{v, h, key, g.Actor, g.Visitor() != nil}, err
}

// condition returns the condition of an item. For visitors it is empty, because a
// condition reveals what else there is.
func (v view) condition(it docs.SiteItem) string {
	if v.visited {
		return ""
	}
	return it.Condition
}

func (v view) space(it docs.SiteItem) SiteSpace {
	sp := v.Spaces[it.Space]
	return SiteSpace{
		Object: "site-space", ID: string(it.ID), Path: it.Path, Section: string(it.Parent), Space: v.embedded(sp),
		Title: it.Title, LocalizedTitle: it.LocalizedTitle.Texts(), Default: it.Default, Draft: it.Draft, Hidden: it.Hidden,
		Condition: v.condition(it), AdvancedCustomization: true,
		URLs: publishedAddress{v.URL(it, v.shareKey)},
	}
}

// embedded returns the JSON form of a space of the site. Its address is that of space.
func (v view) embedded(sp store.Ranked[docs.Space]) wire.Space {
	key := ""
	if at := sp.It.Published; at != nil && at.Site == v.Site.ID {
		key = v.shareKey
	}
	return v.a.SeenSpace(v.by, sp.It, sp.Role, v.visited, key)
}

func (v view) section(it docs.SiteItem) SiteSection {
	w := SiteSection{
		Object: "site-section", ID: string(it.ID), Title: it.Title, Description: it.Description, Default: it.Default, Path: it.Path,
		Condition: v.condition(it), SectionGroup: string(it.Parent), SiteSpaces: []SiteSpace{},
		URLs: publishedAddress{v.URL(it, v.shareKey)}, Icon: it.Icon, Draft: it.Draft,
		LocalizedTitle: it.LocalizedTitle.Texts(), LocalizedDescription: it.LocalizedDescription.Texts(),
	}
	for _, in := range v.Structure.Children(it.ID) {
		w.SiteSpaces = append(w.SiteSpaces, v.space(in))
	}
	return w
}

func (v view) group(it docs.SiteItem) SiteSectionGroup {
	w := SiteSectionGroup{
		Object: "site-section-group", ID: string(it.ID), Title: it.Title, SectionGroup: string(it.Parent), Icon: it.Icon, Draft: it.Draft,
		LocalizedTitle: it.LocalizedTitle.Texts(), Sections: []SiteSection{}, Children: []groupItem{},
	}
	for _, in := range v.Structure.Children(it.ID) {
		child := v.item(in)
		w.Children = append(w.Children, groupItem{child})
		if sec, ok := child.v.(SiteSection); ok {
			w.Sections = append(w.Sections, sec)
		}
	}
	return w
}

func (v view) link(it docs.SiteItem) SiteExternalLink {
	return SiteExternalLink{
		Object: "site-external-link", ID: string(it.ID), Title: it.Title, Description: it.Description, URL: it.URL,
		SectionGroup: string(it.Parent), Draft: it.Draft, Condition: v.condition(it), Icon: it.Icon,
		LocalizedTitle: it.LocalizedTitle.Texts(), LocalizedDescription: it.LocalizedDescription.Texts(),
	}
}

func (v view) item(it docs.SiteItem) siteItem {
	switch it.Kind {
	case docs.SiteSection:
		return siteItem{v.section(it)}
	case docs.SiteGroup:
		return siteItem{v.group(it)}
	case docs.SiteLink:
		return siteItem{v.link(it)}
	}
	return siteItem{v.space(it)}
}

func (v view) structure() SiteStructure {
	w := SiteStructure{Type: "siteSpaces", Structure: []siteItem{}}
	if v.Structure.HasSections() {
		w.Type = "sections"
	}
	for _, it := range v.Structure.Children("") {
		w.Structure = append(w.Structure, v.item(it))
	}
	return w
}

// itemsPage returns a page of the items of one kind, in the order of the site. A cursor
// contains the sort key of the last item, so it remains valid when other items are added
// or removed.
func itemsPage[W any](ctx context.Context, h *handlers, p kernel.Paged, s *sites.Structure, items []docs.SiteItem, wire func(docs.SiteItem) W) (*kernel.Page[W], error) {
	return kernel.ListOf(ctx, h.Kernel, p, store.List[docs.SiteItem]{
		Page: func(_ context.Context, at store.Page) ([]docs.SiteItem, store.Key, error) {
			from := 0
			if len(at.After) > 0 {
				from = sort.Search(len(items), func(i int) bool { return s.SortKey(items[i]) > at.After[0] })
			}
			to := min(from+at.Limit, len(items))
			if to == len(items) {
				return items[from:], nil, nil
			}
			return items[from:to], store.Key{s.SortKey(items[to-1])}, nil
		},
		Count: func(context.Context) (int64, error) { return int64(len(items)), nil },
	}, wire)
}
