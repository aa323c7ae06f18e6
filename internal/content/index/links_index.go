package index

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// linkIndex answers queries on the links of any revision of a space. The stored
// rows are those of the newest revision; over replaces the rows of the pages that
// differ in another one.
type linkIndex struct {
	r     store.Reader
	layer string
	head  docs.RevisionID // the revision that the layer describes
	over  *relinked       // nil: the layer describes the revision
}

// relinked holds the entries of the pages and reusable contents whose links
// differ between two trees.
type relinked struct {
	pages map[string]store.LayerPage
	to    map[linkEnd][]*store.Link // ordered by page
}

// linkEnd is the target of a link, without the anchor.
type linkEnd struct {
	space  docs.SpaceID
	target string
}

// twoTrees is the key of a relinked in the cache.
type twoTrees struct{ from, to chunk.Hash }

func (o *relinked) size() int {
	n := 200
	for _, p := range o.pages {
		n += 200
		for _, a := range p.Anchors {
			n += 16 + len(a)
		}
		for _, l := range p.Links {
			n += 160 + 64 + len(l.Target) + len(l.Anchor) + len(l.Label)
		}
	}
	return n
}

// linksOf returns the index of a view.
func (s *Index) linksOf(ctx context.Context, v *revision.View) (*linkIndex, error) {
	x := &linkIndex{r: s.Store.Reader, layer: v.Space.Layer, head: v.Space.Revision}
	if v.Rev.ID == x.head {
		return x, nil
	}
	head, err := x.r.Revision(ctx, v.Space.ID, x.head)
	if err != nil || head.Root == v.Root {
		return x, err
	}
	if over, ok := s.relinked.Get(twoTrees{head.Root, v.Root}); ok {
		x.over = over
		return x, nil
	}
	// The differences are cached, so they are computed in one snapshot.
	err = s.Store.Snapshot(ctx, func(r store.Reader) error {
		sp, err := r.Space(ctx, v.Space.ID)
		if err != nil {
			return err
		}
		x, err = s.linksIn(ctx, r, sp.It, v)
		return err
	})
	if err != nil {
		return nil, err
	}
	x.r = s.Store.Reader
	return x, nil
}

// linksIn returns the index of a view within a snapshot or a transaction.
func (s *Index) linksIn(ctx context.Context, r store.Reader, sp docs.Space, v *revision.View) (*linkIndex, error) {
	x := &linkIndex{r: r, layer: sp.Layer, head: sp.Revision}
	if v.Rev.ID == sp.Revision {
		return x, nil
	}
	head, err := r.Revision(ctx, sp.ID, sp.Revision)
	if err != nil || head.Root == v.Root {
		return x, err
	}
	key := twoTrees{head.Root, v.Root}
	if over, ok := s.relinked.Get(key); ok {
		x.over = over
		return x, nil
	}
	if x.over, err = s.relink(ctx, r, sp, key); err == nil {
		s.relinked.Set(key, x.over)
	}
	return x, err
}

// relink computes the entries of the pages whose links differ between two trees.
func (s *Index) relink(ctx context.Context, r store.Reader, sp docs.Space, what twoTrees) (*relinked, error) {
	ix := &indexer{r: r, space: sp, tree: s.Source.Tree(r, what.to)}
	dl, err := newDelta(ctx, ix.tree, what.from)
	if err != nil {
		return nil, err
	}
	if err := ix.affected(ctx, dl); err != nil {
		return nil, err
	}
	out := &relinked{pages: map[string]store.LayerPage{}, to: map[linkEnd][]*store.Link{}}
	for id, there := range dl.reuse {
		lp := store.LayerPage{ID: string(id), Gone: true}
		if there {
			c, err := ix.tree.Reusable(ctx, id)
			if err != nil {
				return nil, err
			}
			if lp, err = ix.reusable(ctx, c); err != nil {
				return nil, err
			}
		}
		out.pages[lp.ID] = lp
	}
	for id := range dl.pages {
		lp := store.LayerPage{ID: string(id), Gone: true}
		p, there, err := ix.tree.Lookup(ctx, id)
		if err != nil {
			return nil, err
		}
		if there {
			if lp, _, err = ix.links(ctx, p); err != nil {
				return nil, err
			}
		}
		out.pages[lp.ID] = lp
	}
	for _, id := range slices.Sorted(maps.Keys(out.pages)) {
		links := out.pages[id].Links
		for i := range links {
			end := linkEnd{links[i].Space, links[i].Target}
			out.to[end] = append(out.to[end], &links[i])
		}
	}
	return out, nil
}

// hides reports whether x.over replaces the rows that the layer has of a page.
func (x *linkIndex) hides(page string) bool {
	if x.over == nil {
		return false
	}
	_, known := x.over.pages[page]
	return known
}

// anchors returns the anchors of a page.
func (x *linkIndex) anchors(ctx context.Context, page string) ([]string, error) {
	if x.hides(page) {
		return x.over.pages[page].Anchors, nil
	}
	return x.r.Anchors(ctx, x.layer, page)
}

// targets returns the sorted targets of the links of a page, or of all pages if
// page is empty.
func (x *linkIndex) targets(ctx context.Context, page string) ([]store.Target, error) {
	switch {
	case x.over == nil || page != "" && !x.hides(page):
		return x.allTargets(ctx, page)
	case page != "":
		return targetsOf(func(add func(store.Link)) error {
			for _, l := range x.over.pages[page].Links {
				add(l)
			}
			return nil
		})
	}
	return targetsOf(func(add func(store.Link)) error {
		for _, p := range x.over.pages {
			for _, l := range p.Links {
				add(l)
			}
		}
		return x.r.EachLink(ctx, x.layer, func(l store.Link) {
			if !x.hides(l.Page) {
				add(l)
			}
		})
	})
}

// allTargets is targets for the rows of the layer.
func (x *linkIndex) allTargets(ctx context.Context, page string) ([]store.Target, error) {
	var out []store.Target
	at := store.Page{Limit: maxTargets}
	for {
		some, next, err := x.r.Targets(ctx, x.layer, page, at)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
		if next == nil {
			return out, nil
		}
		at.After = next
	}
}

// targetsOf groups links by target as store.Reader.Targets does with rows: each
// target has the first of its labels in sort order.
func targetsOf(each func(add func(store.Link)) error) ([]store.Target, error) {
	at := map[store.Target]int{} // index in out, by target without Label and Hard
	var out []store.Target
	err := each(func(l store.Link) {
		key := store.Target{Kind: l.Kind, Space: l.Space, Target: l.Target, Anchor: l.Anchor}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			key.Label = l.Label
			out = append(out, key)
		}
		out[i].Hard = out[i].Hard || l.Hard
		out[i].Label = min(out[i].Label, l.Label)
	})
	slices.SortFunc(out, func(a, b store.Target) int { return slices.Compare(keyOf(a), keyOf(b)) })
	return out, err
}

// locations returns at most limit links to a target.
func (x *linkIndex) locations(ctx context.Context, page string, t store.Target, limit int) ([]store.Link, error) {
	if x.over == nil || page != "" && !x.hides(page) {
		return x.r.Locations(ctx, x.layer, page, t, limit)
	}
	var out []store.Link
	for _, l := range x.over.to[linkEnd{t.Space, t.Target}] {
		if (page == "" || l.Page == page) && l.Kind == t.Kind && l.Anchor == t.Anchor {
			out = append(out, *l)
		}
	}
	// Rows of hidden pages count against the limit of the query, so the limit is
	// raised until enough of the others are found.
	for ask := limit; page == ""; ask *= 4 {
		rows, err := x.r.Locations(ctx, x.layer, "", t, ask)
		if err != nil {
			return nil, err
		}
		full := len(rows) == ask
		rows = slices.DeleteFunc(rows, func(l store.Link) bool { return x.hides(l.Page) })
		if full && len(rows) < limit {
			continue
		}
		out = append(out, rows...)
		slices.SortStableFunc(out, func(a, b store.Link) int { return cmp.Compare(a.Page, b.Page) })
		break
	}
	return out[:min(limit, len(out))], nil
}

// backlinks lists the pages that refer to a target by one of two kinds.
func (x *linkIndex) backlinks(ctx context.Context, kinds [2]string, within docs.SpaceID, target string, at store.Page) ([]string, store.Key, error) {
	if x.over == nil {
		return x.r.Backlinks(ctx, x.layer, kinds, within, target, at)
	}
	after := ""
	if len(at.After) > 0 {
		after = at.After[0]
	}
	var out []string
	for _, l := range x.over.to[linkEnd{within, target}] {
		if (l.Kind == kinds[0] || l.Kind == kinds[1]) && l.Page > after {
			out = append(out, l.Page)
		}
	}
	kept := 0
	for ask := (store.Page{Limit: at.Limit + 1, After: at.After}); kept <= at.Limit; ask.Limit *= 4 {
		rows, next, err := x.r.Backlinks(ctx, x.layer, kinds, within, target, ask)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range rows {
			if !x.hides(id) {
				out = append(out, id)
				kept++
			}
		}
		if next == nil {
			break
		}
		ask.After = next
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if len(out) <= at.Limit {
		return out, nil, nil
	}
	if at.Limit == 0 {
		return nil, nil, nil
	}
	return out[:at.Limit], store.Key{out[at.Limit-1]}, nil
}

// LinkTarget is an id with the kinds of references that lead to it.
type LinkTarget struct {
	Kinds [2]string
	ID    string
}

// Referring returns the pages of a revision that refer to any of the targets.
func (s *Index) Referring(ctx context.Context, v *revision.View, to map[LinkTarget]bool) (map[docs.PageID]bool, error) {
	out := map[docs.PageID]bool{}
	err := s.Store.Snapshot(ctx, func(r store.Reader) error {
		sp, err := r.Space(ctx, v.Space.ID)
		if err != nil {
			return err
		}
		x, err := s.linksIn(ctx, r, sp.It, v)
		if err != nil {
			return err
		}
		for at := range to {
			ids, _, err := x.backlinks(ctx, at.Kinds, "", at.ID, store.Page{Limit: 1 << 20})
			if err != nil {
				return err
			}
			for _, id := range ids {
				out[docs.PageID(id)] = true
			}
		}
		return nil
	})
	return out, err
}
