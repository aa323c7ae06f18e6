package content

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/markup"
)

// displaced collects what has another place in a draft than in its base, or
// another one stands where it was found: whoever refers to it may be written
// in another way now.
type displaced struct {
	*draft
	seen map[LinkTarget]bool
}

// maxDisplaced is how many it may be; from there on everybody is looked at.
const maxDisplaced = 1_000

func (m *displaced) add(kind, id string) {
	kinds := [2]string{markup.RefPage, markup.RefAnchor}
	switch kind {
	case keyFile:
		kinds = [2]string{markup.RefFile, markup.RefFile}
	case keyReusable:
		kinds = [2]string{markup.RefReusable, markup.RefReusable}
	}
	if id != "" {
		m.seen[LinkTarget{kinds, id}] = true
	}
}

// refer adds the pages that stand in the folder and refer to something that is
// displaced to what is looked at, with their files, and those that got a file
// of their own.
func (im *importer) refer(ctx context.Context) error {
	if im.parts == nil || !im.renamed && len(im.moved)+len(im.tied) == 0 {
		return nil
	}
	m := &displaced{draft: im.draft, seen: map[LinkTarget]bool{}}
	if err := m.all(ctx); err != nil {
		return err
	}
	pages, err := im.parts.s.Index.Referring(ctx, im.parts.base, m.seen)
	if err != nil {
		return err
	}
	working := make(map[*folder.Page]bool, len(im.todo))
	for _, fp := range im.todo {
		working[fp] = true
	}
	var load []*folder.Page
	for fp, id := range im.ids {
		if !fp.Same || !pages[id] && !im.tied[id] {
			continue
		}
		if load = append(load, fp); !working[fp] {
			im.todo = append(im.todo, fp)
		}
	}
	return im.parts.load(ctx, load)
}

func (m *displaced) all(ctx context.Context) error {
	was, _, err := m.before().Home(ctx)
	if err != nil {
		return err
	}
	now, _, err := m.Home(ctx)
	if err != nil {
		return err
	}
	if was.ID != now.ID {
		m.add(keyPage, string(was.ID))
		m.add(keyPage, string(now.ID))
	}
	for _, key := range m.keys() {
		if err := m.key(ctx, key); err != nil {
			return err
		}
		if len(m.seen) > maxDisplaced {
			return errWhole
		}
	}
	return nil
}

// key looks at one key that the draft sets.
func (m *displaced) key(ctx context.Context, key string) error {
	kind, id := key[:1], key[1:]
	if !strings.Contains(keyPage+keyFile+keyReusable+keyName, kind) {
		return nil
	}
	before, had, err := m.before().get(ctx, key)
	if err != nil {
		return err
	}
	after, _ := m.changed(key)
	switch {
	case kind == keyName:
		if after != nil && string(before) != string(after) {
			return m.name(ctx, id)
		}
	case !had:
	case after == nil:
		m.add(kind, id)
	case kind == keyPage:
		return m.page(ctx, id, before, after)
	case kind == keyFile:
		was, err := decodeFile(id, before)
		if err != nil {
			return err
		}
		if now, err := decodeFile(id, after); err != nil || was.Path == now.Path {
			return err
		}
		m.add(kind, id)
	default:
		was, err := decodeReusable(id, before)
		if err != nil {
			return err
		}
		if now, err := decodeReusable(id, after); err != nil || was.File == now.File {
			return err
		}
		m.add(kind, id)
	}
	return nil
}

// page adds a page that has another file or address, with all below it.
func (m *displaced) page(ctx context.Context, id string, before, after []byte) error {
	was, err := decodePage(id, before)
	if err != nil {
		return err
	}
	now, err := decodePage(id, after)
	if err != nil {
		return err
	}
	moved := was.Parent != now.Parent || was.Slug != now.Slug
	if moved || was.File != now.File {
		m.add(keyPage, id)
	}
	if moved {
		return m.below(ctx, now.ID, 0)
	}
	return nil
}

func (m *displaced) below(ctx context.Context, id docs.PageID, depth int) error {
	ids, err := m.childIDs(ctx, id)
	if err != nil {
		return err
	}
	if depth > docs.MaxPageDepth || len(m.seen) > maxDisplaced {
		return errWhole
	}
	for _, c := range ids {
		m.add(keyPage, string(c))
		if err := m.below(ctx, c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// name adds what was found before by a path that is now the name of something
// else.
func (m *displaced) name(ctx context.Context, file string) error {
	l := m.before().linker(ctx, "")
	for _, at := range []string{file, strings.TrimSuffix(file, ".md"), strings.TrimSuffix(file, "/README.md")} {
		for _, use := range []markup.Use{markup.UseLink, markup.UseImage, markup.UseInclude} {
			ref, ok := l.byName(at, "", use)
			switch {
			case !ok:
			case ref.Kind == markup.RefFile:
				m.add(keyFile, ref.File)
			case ref.Kind == markup.RefReusable:
				m.add(keyReusable, ref.ReusableContent)
			default:
				m.add(keyPage, ref.Page)
			}
		}
	}
	return l.err
}
