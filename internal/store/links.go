package store

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
	"github.com/octavo-docs/octavo/internal/store/searchrows"
)

// Layer is a layer of the index of a space. Layers of a space form a chain; see
// migration 0002.
type Layer struct {
	ID     string
	Parent string
	Depth  int
}

// Layer returns a layer by its id.
func (r contentReads) Layer(ctx context.Context, id string) (Layer, error) {
	return layerOf(ctx, r, id)
}

func layerOf(ctx context.Context, r engine.Querier, id string) (Layer, error) {
	return engine.One(ctx, r, "index layer", func(s engine.Scanner) (l Layer, err error) {
		err = s.Scan(&l.ID, &l.Parent, &l.Depth)
		return l, err
	}, `SELECT id, parent_id, depth FROM layers WHERE id = $1`, id)
}

// Layers returns the ids of all layers.
func (r contentReads) Layers(ctx context.Context) ([]string, error) {
	return engine.Many(ctx, r, engine.ScanText[string], `SELECT id FROM layers ORDER BY id`)
}

// LayerChain returns a layer and those below it.
func (r contentReads) LayerChain(ctx context.Context, top string) ([]string, error) {
	return engine.Cached(ctx, r, "layers", top, func(ctx context.Context) ([]string, error) {
		return engine.Many(ctx, r, engine.ScanText[string], `
			WITH RECURSIVE chain (id, parent_id, place) AS (
				SELECT id, parent_id, 0 FROM layers WHERE id = $1
				UNION ALL
				SELECT l.id, l.parent_id, c.place + 1 FROM chain c JOIN layers l ON l.id = c.parent_id
			)
			SELECT id FROM chain ORDER BY place`, top)
	})
}

// UnusedLayers returns the layers created before a time that no space uses: imports
// and rebuilds leave them behind if the process is killed.
func (r contentReads) UnusedLayers(ctx context.Context, before time.Time) ([]string, error) {
	return engine.Many(ctx, r, engine.ScanText[string], `
		SELECT l.id FROM layers l WHERE l.id < $1
		AND NOT EXISTS (SELECT 1 FROM spaces s WHERE s.layer_id = l.id)
		AND NOT EXISTS (SELECT 1 FROM layers u WHERE u.parent_id = l.id)
		ORDER BY l.id`, docs.MinID(before))
}

// AddLayer stores a layer.
func (tx contentWrites) AddLayer(ctx context.Context, l Layer) error {
	return engine.Put(ctx, tx, `INSERT INTO layers (id, parent_id, depth) VALUES ($1, $2, $3)`, l.ID, l.Parent, l.Depth)
}

// LayerIsEmpty reports whether a layer itself has no entries.
func (r contentReads) LayerIsEmpty(ctx context.Context, id string) (bool, error) {
	n, err := engine.One(ctx, r, "layer", engine.ScanInt, `SELECT COUNT(*) FROM (SELECT 1 FROM layer_pages WHERE layer_id = $1 LIMIT 1) AS x`, id)
	return n == 0, err
}

// SetLayer makes another layer the top layer of a space.
func (tx contentWrites) SetLayer(ctx context.Context, space docs.SpaceID, layer string) error {
	return engine.Put(ctx, tx, `UPDATE spaces SET layer_id = $2 WHERE id = $1`, space, layer)
}

// DropLayer deletes a layer if no space uses it, and then the layers below it that
// are not used otherwise.
func (tx contentWrites) DropLayer(ctx context.Context, id string) error {
	return dropLayer(ctx, tx, id)
}

func dropLayer(ctx context.Context, tx engine.Writer, id string) error {
	for id != "" {
		used, err := engine.One(ctx, tx, "layer", engine.ScanInt, `
			SELECT (SELECT COUNT(*) FROM spaces WHERE layer_id = $1) + (SELECT COUNT(*) FROM layers WHERE parent_id = $1)`, id)
		if err != nil || used > 0 {
			return err
		}
		l, err := layerOf(ctx, tx, id)
		if err != nil {
			return err
		}
		for _, text := range []string{
			`DELETE FROM links WHERE layer_id = $1`, `DELETE FROM layer_pages WHERE layer_id = $1`, `DELETE FROM layers WHERE id = $1`,
		} {
			if err := engine.Put(ctx, tx, text, id); err != nil {
				return err
			}
		}
		if err := searchrows.DropLayer(ctx, tx, id); err != nil {
			return err
		}
		id = l.Parent
	}
	return nil
}

// Link is a reference from a page.
type Link struct {
	Page   string // or reusable content that has it
	Kind   string
	Space  docs.SpaceID // of the target; empty: the same space
	Target string
	Anchor string
	Node   string
	Label  string
	Hard   bool
	Loose  bool
}

// LayerPage is the entry of a page or a reusable content in the link index.
type LayerPage struct {
	ID      string
	Gone    bool
	Anchors []string
	Links   []Link
}

// Size returns the approximate size of the entry in bytes.
func (p LayerPage) Size() (size int) {
	for _, a := range p.Anchors {
		size += len(a)
	}
	for _, l := range p.Links {
		size += 16 + len(l.Target) + len(l.Anchor) + len(l.Node) + len(l.Label)
	}
	return size
}

// PutLayerPages replaces the entries of pages in a layer.
func (tx contentWrites) PutLayerPages(ctx context.Context, layer string, pages []LayerPage) error {
	return tx.putLayerPages(ctx, layer, pages, false)
}

// PutNewLayerPages is PutLayerPages for pages of which the layer has no entries.
func (tx contentWrites) PutNewLayerPages(ctx context.Context, layer string, pages []LayerPage) error {
	return tx.putLayerPages(ctx, layer, pages, true)
}

// putLayerPages writes the entries of pages in a layer. If fresh is true, the layer
// has no entries of these pages yet.
func (tx contentWrites) putLayerPages(ctx context.Context, layer string, pages []LayerPage, fresh bool) error {
	type row struct {
		page string
		n    int
		Link
	}
	var links []row
	changed := pages
	var err error
	if !fresh {
		if changed, err = tx.dropLinks(ctx, layer, pages); err != nil {
			return err
		}
	}
	for _, p := range changed {
		for n, l := range p.Links {
			links = append(links, row{p.ID, n, l})
		}
	}
	err = engine.InsertAll(ctx, tx, `INSERT INTO layer_pages (layer_id, page_id, gone, anchors)`,
		`ON CONFLICT (layer_id, page_id) DO UPDATE SET gone = excluded.gone, anchors = excluded.anchors
		WHERE layer_pages.gone <> excluded.gone OR layer_pages.anchors <> excluded.anchors`, pages,
		func(p LayerPage) []any { return []any{layer, p.ID, p.Gone, joinAnchors(p.Anchors)} })
	if err != nil {
		return err
	}
	// In the order of targets, as in most indexes of the table, so that neighbours are
	// written together.
	slices.SortFunc(links, func(a, b row) int {
		return cmp.Or(strings.Compare(a.Target, b.Target), strings.Compare(a.page, b.page), a.n-b.n)
	})
	return engine.InsertAll(ctx, tx, `INSERT INTO links (layer_id, page_id, n, kind, space_id, target, anchor, node, label, hard, loose)`, ``, links,
		func(l row) []any {
			return []any{layer, l.page, l.n, l.Kind, l.Space, l.Target, l.Anchor, l.Node, l.Label, l.Hard, l.Loose}
		})
}

// dropLinks deletes the links of those pages whose links change, and returns these
// pages. Most edits do not change the links of a page, and reading them costs a
// fraction of writing them with their indexes.
func (tx contentWrites) dropLinks(ctx context.Context, layer string, pages []LayerPage) (changed []LayerPage, err error) {
	const atOnce = 16 // pages, which may have many links
	for some := range slices.Chunk(pages, atOnce) {
		args, ids := []any{layer}, make([]string, len(some))
		for i, p := range some {
			ids[i] = p.ID
		}
		in := engine.ListOf(&args, ids)
		links, err := engine.Many(ctx, tx, scanLink, `
			SELECT page_id, kind, space_id, target, anchor, node, label, hard, loose FROM links
			WHERE layer_id = $1 AND page_id IN `+in+` ORDER BY page_id, n`, args...)
		if err != nil {
			return nil, err
		}
		was := map[string][]Link{}
		for _, l := range links {
			was[l.Page] = append(was[l.Page], l)
		}
		for _, p := range some {
			if slices.EqualFunc(was[p.ID], p.Links, func(a, b Link) bool { b.Page = p.ID; return a == b }) {
				continue
			}
			changed = append(changed, p)
			if len(was[p.ID]) == 0 {
				continue
			}
			if err := engine.Put(ctx, tx, `DELETE FROM links WHERE layer_id = $1 AND page_id = $2`, layer, p.ID); err != nil {
				return nil, err
			}
		}
	}
	return changed, nil
}

// DropLayerPage deletes the entry of a page in a layer.
func (tx contentWrites) DropLayerPage(ctx context.Context, layer, page string) error {
	if err := engine.Put(ctx, tx, `DELETE FROM links WHERE layer_id = $1 AND page_id = $2`, layer, page); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `DELETE FROM layer_pages WHERE layer_id = $1 AND page_id = $2`, layer, page)
}

// joinAnchors joins anchors, with a line end before and after each.
func joinAnchors(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "\n" + strings.Join(all, "\n") + "\n"
}

// SQLite has no statistics and assumes that layers are small. Three things keep it
// from reading all links of a space, or of the server: it does not change the order
// of a CROSS JOIN, it does not use an index for a column with || '', and the index
// links_loose is made for one query.

// chainCTE is the chain of layers below $1, as a table. It is short, so the
// queries begin with it.
const chainCTE = `WITH RECURSIVE chain (id, parent_id, place) AS (
		SELECT id, parent_id, 0 FROM layers WHERE id = $1
		UNION ALL
		SELECT l.id, l.parent_id, c.place + 1 FROM chain c JOIN layers l ON l.id = c.parent_id
	) `

// topmost keeps of the links k those that no layer above theirs replaces.
const topmost = ` NOT EXISTS (
		SELECT 1 FROM chain up CROSS JOIN layer_pages u WHERE u.layer_id = up.id AND u.page_id = k.page_id AND up.place < c.place) `

// ofPage limits links to those of one page; an empty one is any. It is the
// parameter $2.
func ofPage(page string) string {
	if page == "" {
		return `$2 = '' AND `
	}
	return `k.page_id = $2 AND `
}

// Anchors returns the anchors of a page in a chain of layers.
func (r contentReads) Anchors(ctx context.Context, layer, page string) ([]string, error) {
	found, err := engine.Many(ctx, r, engine.ScanText[string], chainCTE+`
		SELECT k.anchors FROM chain c CROSS JOIN layer_pages k
		WHERE k.layer_id = c.id AND k.page_id = $2 AND NOT k.gone AND`+topmost, layer, page)
	return splitAnchors(strings.Join(found, "")), err
}

// Target is something that pages of a space refer to.
type Target struct {
	Kind   string
	Space  docs.SpaceID
	Target string
	Anchor string
	Hard   bool // of at least one link
	Label  string
}

// Targets lists the targets of all links of a chain of layers, or of one page. Each
// target is returned once.
func (r contentReads) Targets(ctx context.Context, layer, page string, p Page) ([]Target, Key, error) {
	kind := `k.kind`
	if page != "" {
		kind = `k.kind || ''` // by the page
	}
	items, err := engine.Many(ctx, r, func(s engine.Scanner) (t Target, err error) {
		var hard int
		err = s.Scan(&t.Kind, &t.Space, &t.Target, &t.Anchor, &hard, &t.Label)
		t.Hard = hard > 0
		return t, err
	}, chainCTE+`
		SELECT k.kind, k.space_id, k.target, k.anchor, MAX(CASE WHEN k.hard THEN 1 ELSE 0 END), MIN(CAST(k.label AS text_key))
		FROM chain c CROSS JOIN links k
		WHERE k.layer_id = c.id AND `+ofPage(page)+`(`+kind+`, k.space_id, k.target, k.anchor) > ($3, $4, $5, $6) AND`+topmost+`
		GROUP BY k.kind, k.space_id, k.target, k.anchor
		ORDER BY k.kind, k.space_id, k.target, k.anchor LIMIT $7 + 0`,
		layer, page, p.Text(0), p.Text(1), p.Text(2), p.Text(3), p.Ask())
	items, next := engine.Cut(p, items, func(t Target) Key { return Key{t.Kind, string(t.Space), t.Target, t.Anchor} })
	return items, next, err
}

// EachLink calls fn for all links of a chain of layers, in no particular order. fn
// must not use the database.
func (r contentReads) EachLink(ctx context.Context, layer string, fn func(Link)) error {
	return engine.Each(ctx, r, scanLink, fn, chainCTE+`
		SELECT k.page_id, k.kind, k.space_id, k.target, k.anchor, k.node, k.label, k.hard, k.loose
		FROM chain c CROSS JOIN links k WHERE k.layer_id = c.id AND`+topmost, layer)
}

// Locations returns at most limit links to a target in a chain of layers, or only
// those of one page.
func (r contentReads) Locations(ctx context.Context, layer, page string, t Target, limit int) ([]Link, error) {
	return engine.Many(ctx, r, scanLink, chainCTE+`
		SELECT k.page_id, k.kind, k.space_id, k.target, k.anchor, k.node, k.label, k.hard, k.loose
		FROM chain c CROSS JOIN links k
		WHERE k.layer_id = c.id AND `+ofPage(page)+`k.kind = $3 AND k.space_id = $4 AND k.target = $5 AND k.anchor = $6 AND`+topmost+`
		ORDER BY k.page_id, k.n LIMIT $7 + 0`, layer, page, t.Kind, t.Space, t.Target, t.Anchor, limit)
}

func scanLink(s engine.Scanner) (l Link, err error) {
	err = s.Scan(&l.Page, &l.Kind, &l.Space, &l.Target, &l.Anchor, &l.Node, &l.Label, &l.Hard, &l.Loose)
	return l, err
}

// Backlinks lists the pages of a chain of layers that refer to a target by
// one of two kinds, in a space (empty: the one of the layers).
func (r contentReads) Backlinks(ctx context.Context, layer string, kinds [2]string, space docs.SpaceID, target string, p Page) ([]string, Key, error) {
	items, err := engine.Many(ctx, r, engine.ScanText[string], chainCTE+`
		SELECT DISTINCT k.page_id
		FROM chain c CROSS JOIN links k
		WHERE k.layer_id || '' = c.id AND k.target = $2 AND k.kind IN ($3, $4) AND k.space_id = $5 AND k.page_id > $6 AND`+topmost+`
		ORDER BY k.page_id LIMIT $7 + 0`, layer, target, kinds[0], kinds[1], space, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(id string) Key { return Key{id} })
	return items, next, err
}

// SpacesLinkingTo returns the other spaces of an organization that have links
// to something in a space.
func (r contentReads) SpacesLinkingTo(ctx context.Context, org docs.OrgID, space docs.SpaceID, target string) ([]docs.Space, error) {
	return engine.Many(ctx, r, scanSpace, `
		WITH RECURSIVE up (top, id, parent_id) AS (
			SELECT DISTINCT l.id, l.id, l.parent_id FROM layers l JOIN spaces s ON s.layer_id = l.id WHERE s.org_id = $1
			UNION ALL
			SELECT up.top, l.id, l.parent_id FROM up JOIN layers l ON l.id = up.parent_id
		)
		SELECT `+spaceColumns+` FROM spaces s
		WHERE s.org_id = $1 AND s.id <> $2 AND s.deleted_at = 0 AND s.layer_id IN (
			SELECT up.top FROM up JOIN links k ON k.layer_id = up.id WHERE k.target = $3 AND k.space_id = $2)
		ORDER BY s.id`, org, space, target)
}

// LoosePages returns the pages of a chain of layers with a loose link to a target; an
// empty target is any.
func (r contentReads) LoosePages(ctx context.Context, layer, target string) ([]string, error) {
	which := `k.layer_id = c.id AND $2 = ''`
	if target != "" {
		which = `k.layer_id || '' = c.id AND k.target = $2`
	}
	return engine.Many(ctx, r, engine.ScanText[string], chainCTE+`
		SELECT DISTINCT k.page_id FROM chain c CROSS JOIN links k
		WHERE `+which+` AND k.loose = TRUE AND`+topmost+`ORDER BY k.page_id`, layer, target)
}

// UnresolvedPages returns the pages of a chain of layers with an unresolved link whose
// path ends in name; an empty name is any.
func (r contentReads) UnresolvedPages(ctx context.Context, layer, name string) ([]string, error) {
	return engine.Many(ctx, r, engine.ScanText[string], chainCTE+`
		SELECT DISTINCT k.page_id FROM chain c CROSS JOIN links k
		WHERE k.layer_id = c.id AND k.kind = '`+Unresolved+`' AND ($2 = '' OR k.anchor = $2) AND`+topmost+`ORDER BY k.page_id`, layer, name)
}

// Unresolved is the kind of a link whose destination is a path that leads
// nowhere.
const Unresolved = "unresolved"

// LayerDump calls fn for every entry of a chain of layers, to compare it with the
// content.
func (r contentReads) LayerDump(ctx context.Context, layer string, fn func(LayerPage) error) error {
	type row struct {
		page, anchors string
		gone          bool
	}
	pages, err := engine.Many(ctx, r, func(s engine.Scanner) (v row, err error) {
		err = s.Scan(&v.page, &v.anchors, &v.gone)
		return v, err
	}, chainCTE+`SELECT k.page_id, k.anchors, k.gone FROM chain c CROSS JOIN layer_pages k
		WHERE k.layer_id = c.id AND`+topmost+`ORDER BY k.page_id`, layer)
	if err != nil {
		return err
	}
	for _, p := range pages {
		if p.gone {
			continue
		}
		links, err := engine.Many(ctx, r, scanLink, chainCTE+`
			SELECT k.page_id, k.kind, k.space_id, k.target, k.anchor, k.node, k.label, k.hard, k.loose
			FROM chain c CROSS JOIN links k WHERE k.layer_id = c.id AND k.page_id = $2 AND`+topmost+`ORDER BY k.n`, layer, p.page)
		if err != nil {
			return err
		}
		if err := fn(LayerPage{ID: p.page, Anchors: splitAnchors(p.anchors), Links: links}); err != nil {
			return err
		}
	}
	return nil
}

func splitAnchors(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.Trim(s, "\n"), "\n")
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
