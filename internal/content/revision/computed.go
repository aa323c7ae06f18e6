package revision

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/octavo-docs/octavo/internal/docs"
)

// Computed is a page that is generated, for example from an OpenAPI specification. It
// is in no revision: a view shows it in place of the page that asks for it.
type Computed struct {
	Key         string // identifies the subject of the page; its id is derived from it
	Name        string // what the address is made of; empty: the title
	Title       string
	Description string
	Icon        string
	Method      string    // of the operation that the page shows; empty if it shows several or none
	Target      *docs.Ref // of a link
	Source      []byte    // Markdown
	Below       []Computed
}

// ComputedID returns the id of the computed page with a key, in place of the page
// that asks for it.
func ComputedID(place docs.PageID, key string) docs.PageID {
	sum := sha256.Sum256([]byte(string(place) + Sep + key))
	return docs.PageID(hex.EncodeToString(sum[:10]))
}

// ComputedPlaces returns the pages that ask for computed ones.
func (t *Tree) ComputedPlaces(ctx context.Context) ([]docs.Page, error) {
	var out []docs.Page
	err := t.Scan(ctx, KeyComputed, "", func(id string, _ []byte) (bool, error) {
		p, ok, err := t.Lookup(ctx, docs.PageID(id))
		if ok && p.Type == docs.PageComputed {
			out = append(out, p)
		}
		return true, err
	})
	return out, err
}

// WithComputed returns the revision with computed pages in the places of the pages
// that ask for them. stamp names what they are made of: views of the same revision
// with the same stamp are the same.
func (v *View) WithComputed(ctx context.Context, stamp string, pages map[docs.PageID][]Computed) (*View, error) {
	d := v.Draft(v.Rev.CreatedAt, nil)
	places, err := v.ComputedPlaces(ctx)
	if err != nil {
		return nil, err
	}
	b := &computedBuilder{ctx: ctx, d: d, at: v.Rev.CreatedAt}
	for _, p := range places {
		list, ok := pages[p.ID]
		if !ok {
			continue
		}
		if err := d.DropOne(ctx, p); err != nil {
			return nil, err
		}
		if err := b.add(p, p.Parent, string(p.Rank)+"\x01", list); err != nil {
			return nil, err
		}
	}
	d.over.from("") // sorts: the view is read by many
	tree, view := *d.Tree, *v
	tree.visitor, tree.trace, tree.Cache, tree.more = v.visitor, v.trace, v.Cache, b.count
	view.Tree, view.Stamp = &tree, stamp
	return &view, nil
}

// ComputedIn returns the computed pages of v in a copy of other, a view of the same
// revision: for its visitor, and with its trace and cache.
func (v *View) ComputedIn(other *View) *View {
	tree, view := *v.Tree, *other
	tree.visitor, tree.trace, tree.Cache = other.visitor, other.trace, other.Cache
	view.Tree, view.Stamp = &tree, v.Stamp
	return &view
}

// computedBuilder adds computed pages to a draft that is never stored.
type computedBuilder struct {
	ctx   context.Context
	d     *Draft
	at    docs.Time
	count int
}

// add adds pages below a parent. Their ranks begin with that of place, so they
// are where place was among its siblings.
func (b *computedBuilder) add(place docs.Page, parent docs.PageID, rank string, list []Computed) error {
	for i, c := range list {
		p := docs.Page{
			ID: ComputedID(place.ID, c.Key), Type: docs.PageDocument, Parent: parent, Rank: docs.Rank(fmt.Sprintf("%s%06d", rank, i)),
			Title: c.Title, Description: c.Description, Icon: c.Icon, Method: c.Method, Hidden: place.Hidden, NoIndex: place.NoIndex, NoRobotsIndex: place.NoRobotsIndex,
			Condition: place.Condition, CreatedAt: b.at, UpdatedAt: b.at,
		}
		if c.Target != nil {
			p.Type, p.Target = docs.PageLink, c.Target
		} else {
			named := p
			named.Title = cmp.Or(c.Name, c.Title)
			named, err := b.d.WithSlug(b.ctx, "slug", named)
			if err != nil {
				return err
			}
			p.Slug = named.Slug
			p.Body = b.d.Object(c.Source, "")
		}
		b.count++
		if err := b.d.Put(b.ctx, p); err != nil {
			return err
		}
		if err := b.add(place, p.ID, "", c.Below); err != nil {
			return err
		}
	}
	return nil
}
