package content

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// A source is written with the places that its targets have today. What was
// deleted has none, so a revision keeps the last one: nothing changes in a page
// because another one is gone.

// grave is where something was by which others refer to it.
type grave struct {
	File string `json:"f,omitempty"` // in the folder
	Path string `json:"p,omitempty"` // of a page: its address
	Home bool   `json:"h,omitempty"` // it was the first page
}

// maxGone is how many graves are kept. Those of what was made first go.
const maxGone = 10_000

// bury keeps where things were that the draft deletes, and forgets it of those
// that are there again. What counts is the base: whoever refers to them is
// written as before.
func (d *draft) bury(ctx context.Context) error {
	before := d.before()
	_, known, err := d.last(ctx, keyGone)
	if err != nil {
		return err
	}
	buried := 0
	for _, key := range slices.Clone(d.over.keys) {
		kind, id := key[:1], key[1:]
		if kind != keyPage && kind != keyFile && kind != keyReusable {
			continue
		}
		if d.over.values[key] != nil {
			if known {
				_, was, err := d.get(ctx, keyGone+id)
				if err != nil {
					return err
				}
				if was {
					d.remove(keyGone + id)
				}
			}
			continue
		}
		if done, _ := d.over.get(keyGone + id); done != nil {
			continue
		}
		g, err := before.graveOf(ctx, kind, id)
		if err != nil {
			return err
		}
		if g != (grave{}) {
			b, err := json.Marshal(g)
			if err != nil {
				return err
			}
			d.set(keyGone+id, b)
			buried++
		}
	}
	if buried == 0 {
		return nil
	}
	n, err := chunk.CountPrefix(ctx, d.src, d.root, keyGone)
	if err != nil || n+buried <= maxGone {
		return err
	}
	var all []string
	err = d.scan(ctx, keyGone, "", func(id string, _ []byte) (bool, error) {
		all = append(all, id)
		return true, nil
	})
	for _, id := range all[:max(0, len(all)-maxGone)] {
		d.remove(keyGone + id)
	}
	return err
}

// graveOf gives where something is by which others refer to it.
func (t *tree) graveOf(ctx context.Context, kind, id string) (g grave, err error) {
	switch kind {
	case keyFile:
		var f docs.File
		f, err = t.File(ctx, docs.FileID(id))
		g.File = f.Path
	case keyReusable:
		var r docs.Reusable
		r, err = t.Reusable(ctx, docs.ReusableID(id))
		g.File = r.File
	default:
		g, err = t.graveOfPage(ctx, docs.PageID(id))
	}
	if errs.Is(err, errs.NotFound) { // also what hangs below nothing in a damaged tree
		return grave{}, nil
	}
	return g, err
}

func (t *tree) graveOfPage(ctx context.Context, id docs.PageID) (g grave, err error) {
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
	if g.File, err = t.fileOf(ctx, p); err != nil {
		return g, err
	}
	home, _, err := t.Home(ctx)
	g.Home = home.ID == id
	return g, err
}

// groupAt gives the address of a group, unless a file takes that.
func (t *tree) groupAt(ctx context.Context, p docs.Page) (string, error) {
	at, err := t.Path(ctx, p)
	if err != nil {
		return "", err
	}
	l := &linker{ctx: ctx, t: t}
	if now, ok := l.byName(at, "", markup.UseLink); ok && now.Page == string(p.ID) {
		return at, l.err
	}
	return "", l.err
}

// grave gives where the target of a reference was, if it is gone.
func (l *linker) grave(ref markup.Ref) (g grave, gone bool) {
	key, id := keyPage, ref.Page
	switch ref.Kind {
	case markup.RefFile:
		key, id = keyFile, ref.File
	case markup.RefReusable:
		key, id = keyReusable, ref.ReusableContent
	case markup.RefPage, markup.RefAnchor:
	default:
		return g, false
	}
	if id == "" || ref.Space != "" {
		return g, false
	}
	if _, there, err := l.t.get(l.ctx, key+id); err != nil || there {
		l.fail(err)
		return g, false
	}
	b, gone, err := l.t.get(l.ctx, keyGone+id)
	if err == nil && gone {
		err = json.Unmarshal(b, &g)
	}
	l.fail(err)
	return g, gone && err == nil
}

// at gives how the place is written.
func (l *linker) at(g grave, ref markup.Ref) string {
	dest := l.relative(cmp.Or(g.File, g.Path))
	if ref.Anchor != "" {
		dest += "#" + ref.Anchor
	}
	return dest
}

// led tells whether a destination led to a place.
func (l *linker) led(dest string, ref markup.Ref, g grave) bool {
	where, anchor, _ := strings.Cut(dest, "#")
	where, _, _ = strings.Cut(where, "?")
	if anchor != ref.Anchor || byID(dest) || strings.Contains(where, ":") || strings.HasPrefix(where, "//") {
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
	if g.File != "" && slices.Contains([]string{target, target + ".md", path.Join(target, homeFile)}, g.File) {
		return true
	}
	switch at := addressed(target); at {
	case "":
		return g.Home
	default:
		return g.Path != "" && docs.SlugKey(at) == docs.SlugKey(g.Path)
	}
}

// carried gives pins with those of what is gone also for the places that are
// written: nobody finds it there any more.
func (l *linker) carried(pins map[string]markup.Ref) map[string]markup.Ref {
	out := pins
	for dest, ref := range pins {
		g, gone := l.grave(ref)
		if !gone || l.led(dest, ref, g) {
			continue
		}
		if len(out) == len(pins) {
			out = maps.Clone(pins)
		}
		out[l.at(g, ref)] = ref
	}
	return out
}

// rebound tells whether a destination that led to something that is gone now
// leads to something else.
func (l *linker) rebound(was, now map[string]markup.Ref) bool {
	for dest, ref := range was {
		if to, ok := now[dest]; !ok || to == ref {
			continue
		}
		if _, gone := l.grave(ref); gone {
			return true
		}
	}
	return false
}
