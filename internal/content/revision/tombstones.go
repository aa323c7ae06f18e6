package revision

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// A link is written as the path that its target has now. A target that was
// deleted has none, so the revision records its last location: deleting a page
// changes no other page (docs/adr/0018).

// A Tombstone records the last location of a deleted page, file or reusable
// content, so that links to it can be written unchanged.
type Tombstone struct {
	File string `json:"f,omitempty"` // in the folder
	Path string `json:"p,omitempty"` // of a page: its address
	Home bool   `json:"h,omitempty"` // it was the first page
}

// maxTombstones is the maximum number of tombstones of a revision. If there are
// more, those with the lowest ids, which were created first, are removed.
const maxTombstones = 10_000

// UpdateTombstones adds a tombstone for everything that the draft deletes, with its
// location in the base revision, and removes the tombstones of what was restored.
func (d *Draft) UpdateTombstones(ctx context.Context) error {
	before := d.Before()
	_, known, err := d.last(ctx, KeyTombstone)
	if err != nil {
		return err
	}
	added := 0
	for _, key := range slices.Clone(d.over.keys) {
		kind, id := SplitKey(key)
		if kind != KeyPage && kind != KeyFile && kind != KeyReusable {
			continue
		}
		if d.over.values[key] != nil {
			if known {
				_, was, err := d.Get(ctx, KeyTombstone+id)
				if err != nil {
					return err
				}
				if was {
					d.Remove(KeyTombstone + id)
				}
			}
			continue
		}
		if done, _ := d.over.get(KeyTombstone + id); done != nil {
			continue
		}
		g, err := before.tombstoneOf(ctx, kind, id)
		if err != nil {
			return err
		}
		if g != (Tombstone{}) {
			b, err := json.Marshal(g)
			if err != nil {
				return err
			}
			d.Set(KeyTombstone+id, b)
			added++
		}
	}
	if added == 0 {
		return nil
	}
	n, err := chunk.CountPrefix(ctx, &d.src, d.Root, KeyTombstone)
	if err != nil || n+added <= maxTombstones {
		return err
	}
	var all []string
	err = d.Scan(ctx, KeyTombstone, "", func(id string, _ []byte) (bool, error) {
		all = append(all, id)
		return true, nil
	})
	for _, id := range all[:max(0, len(all)-maxTombstones)] {
		d.Remove(KeyTombstone + id)
	}
	return err
}

// tombstoneOf returns the location of a page, a file or a reusable content.
func (t *Tree) tombstoneOf(ctx context.Context, kind, id string) (g Tombstone, err error) {
	switch kind {
	case KeyFile:
		var f docs.File
		f, err = t.File(ctx, docs.FileID(id))
		g.File = f.Path
	case KeyReusable:
		var r docs.Reusable
		r, err = t.Reusable(ctx, docs.ReusableID(id))
		g.File = r.File
	default:
		g, err = t.tombstoneOfPage(ctx, docs.PageID(id))
	}
	if errs.Is(err, errs.NotFound) { // also a page without its parent in a damaged tree
		return Tombstone{}, nil
	}
	return g, err
}

func (t *Tree) tombstoneOfPage(ctx context.Context, id docs.PageID) (g Tombstone, err error) {
	p, err := t.Page(ctx, id)
	if err != nil {
		return g, err
	}
	if p.Type == docs.PageGroup {
		g.Path, err = t.groupAt(ctx, p)
		return g, err
	}
	if !p.HasBody() {
		return g, nil
	}
	if g.Path, err = t.Path(ctx, p); err != nil {
		return g, err
	}
	if g.File, err = t.FileOf(ctx, p); err != nil {
		return g, err
	}
	home, _, err := t.Home(ctx)
	g.Home = home.ID == id
	return g, err
}

// groupAt returns the address of a group, or "" if that address leads to something
// else, such as a file.
func (t *Tree) groupAt(ctx context.Context, p docs.Page) (string, error) {
	at, err := t.Path(ctx, p)
	if err != nil {
		return "", err
	}
	l := &Linker{ctx: ctx, t: t}
	if now, ok := l.ByName(at, "", markup.UseLink); ok && now.Page == string(p.ID) {
		return at, l.Err
	}
	return "", l.Err
}

// Tombstone returns the tombstone of the target of a reference, if it was deleted.
func (l *Linker) Tombstone(ref markup.Ref) (g Tombstone, gone bool) {
	key, id := KeyPage, ref.Page
	switch ref.Kind {
	case markup.RefFile:
		key, id = KeyFile, ref.File
	case markup.RefReusable:
		key, id = KeyReusable, ref.ReusableContent
	case markup.RefPage, markup.RefAnchor:
	default:
		return g, false
	}
	if id == "" || ref.Space != "" {
		return g, false
	}
	if _, there, err := l.t.Get(l.ctx, key+id); err != nil || there {
		l.fail(err)
		return g, false
	}
	b, gone, err := l.t.Get(l.ctx, KeyTombstone+id)
	if err == nil && gone {
		err = json.Unmarshal(b, &g)
	}
	l.fail(err)
	return g, gone && err == nil
}

// at returns the destination that leads to the location of a tombstone.
func (l *Linker) at(g Tombstone, ref markup.Ref) string {
	dest := l.relative(cmp.Or(g.File, g.Path))
	if ref.Anchor != "" {
		dest += "#" + ref.Anchor
	}
	return dest
}

// led reports whether a destination led to the location of a tombstone.
func (l *Linker) led(dest string, ref markup.Ref, g Tombstone) bool {
	where, anchor, _ := strings.Cut(dest, "#")
	where, _, _ = strings.Cut(where, "?")
	if anchor != ref.Anchor || strings.Contains(where, ":") || strings.HasPrefix(where, "//") {
		return false
	}
	if where == "" {
		return g.File == l.file && dest != ""
	}
	if plain, err := url.PathUnescape(where); err == nil {
		where = plain
	}
	target, ok := l.target(where)
	if !ok {
		return false
	}
	if g.File != "" && slices.Contains(folder.Candidates(target), g.File) {
		return true
	}
	return slices.ContainsFunc(folder.Addresses(target), func(at string) bool {
		if at == "." {
			return g.Home
		}
		return g.Path != "" && docs.SlugKey(at) == docs.SlugKey(g.Path)
	})
}

// carried returns resolved with another entry for each deleted target, under the
// path of its tombstone, which no longer resolves by itself.
func (l *Linker) carried(resolved map[string]markup.Ref) map[string]markup.Ref {
	out := resolved
	for dest, ref := range resolved {
		g, gone := l.Tombstone(ref)
		if !gone || l.led(dest, ref, g) {
			continue
		}
		if len(out) == len(resolved) {
			out = maps.Clone(resolved)
		}
		out[l.at(g, ref)] = ref
	}
	return out
}

// rebound reports whether a destination of a deleted target now leads to something
// else.
func (l *Linker) rebound(was, now map[string]markup.Ref) bool {
	for dest, ref := range was {
		if to, ok := now[dest]; !ok || to == ref {
			continue
		}
		if _, gone := l.Tombstone(ref); gone {
			return true
		}
	}
	return false
}
