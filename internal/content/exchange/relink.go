package exchange

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/index"
	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/markup"
)

// relinker collects the targets whose place differs between a draft and its base, and those whose
// place something else took. References to them may have to be written differently.
type relinker struct {
	draft    *revision.Draft
	seen     map[index.LinkTarget]bool
	everyone bool // there are too many targets: all pages are checked
}

// maxRelinked is the maximum number of targets whose backlinks are looked up.
const maxRelinked = 1_000

func (m *relinker) add(kind, id string) {
	kinds := [2]string{markup.RefPage, markup.RefAnchor}
	switch kind {
	case revision.KeyFile:
		kinds = [2]string{markup.RefFile, markup.RefFile}
	case revision.KeyReusable:
		kinds = [2]string{markup.RefReusable, markup.RefReusable}
	}
	if id != "" {
		m.seen[index.LinkTarget{Kinds: kinds, ID: id}] = true
	}
}

// refer adds two kinds of unchanged pages to im.todo and reads their files: those that refer to a
// target of the relinker, and those that got a file of their own.
func (im *importer) refer(ctx context.Context) error {
	if im.incremental == nil || im.pathsStay() {
		return nil
	}
	m := &relinker{draft: im.draft, seen: map[index.LinkTarget]bool{}}
	if err := m.all(ctx); err != nil {
		return err
	}
	pages := map[docs.PageID]bool{}
	if !m.everyone {
		var err error
		if pages, err = im.x.Index.Referring(ctx, im.incremental.from.base, m.seen); err != nil {
			return err
		}
	}
	working := make(map[*folder.Page]bool, len(im.todo))
	for _, fp := range im.todo {
		working[fp] = true
	}
	var load []*folder.Page
	for fp, id := range im.ids {
		if !fp.Same || !m.everyone && !pages[id] && !im.tied[id] {
			continue
		}
		if load = append(load, fp); !working[fp] {
			im.todo = append(im.todo, fp)
		}
	}
	return im.incremental.load(ctx, load)
}

// pathsStay reports whether every path still leads to what it led to.
func (im *importer) pathsStay() bool {
	return !im.renamed && !im.taken && len(im.moved)+len(im.tied) == 0
}

// takesPlaces reports whether something new is at a path that led to something else, such as the
// README.md of a folder whose page was its index.md.
func (im *importer) takesPlaces(ctx context.Context) (bool, error) {
	was, had, err := im.draft.Before().Home(ctx)
	if err != nil || !had {
		return false, err
	}
	if now, _, err := im.draft.Home(ctx); err != nil || now.ID != was.ID {
		return true, err
	}
	m := &relinker{draft: im.draft, seen: map[index.LinkTarget]bool{}}
	for _, key := range im.draft.Keys() {
		if !strings.HasPrefix(key, revision.KeyName) {
			continue
		}
		if err := m.key(ctx, key); err != nil || len(m.seen) > 0 {
			return true, err
		}
	}
	return false, nil
}

func (m *relinker) all(ctx context.Context) error {
	was, _, err := m.draft.Before().Home(ctx)
	if err != nil {
		return err
	}
	now, _, err := m.draft.Home(ctx)
	if err != nil {
		return err
	}
	if was.ID != now.ID {
		m.add(revision.KeyPage, string(was.ID))
		m.add(revision.KeyPage, string(now.ID))
	}
	for _, key := range m.draft.Keys() {
		if err := m.key(ctx, key); err != nil {
			return err
		}
		if len(m.seen) > maxRelinked {
			m.everyone = true
			return nil
		}
	}
	return nil
}

// key checks one key that the draft sets.
func (m *relinker) key(ctx context.Context, key string) error {
	kind, id := revision.SplitKey(key)
	if !slices.Contains([]string{revision.KeyPage, revision.KeyFile, revision.KeyReusable, revision.KeyName}, kind) {
		return nil
	}
	before, had, err := m.draft.Before().Get(ctx, key)
	if err != nil {
		return err
	}
	after, _ := m.draft.Changed(key)
	switch {
	case kind == revision.KeyName:
		if after != nil && string(before) != string(after) {
			return m.name(ctx, id)
		}
	case !had:
	case after == nil:
		m.add(kind, id)
	case kind == revision.KeyPage:
		return m.page(ctx, id, before, after)
	case kind == revision.KeyFile:
		was, err := revision.DecodeFile(id, before)
		if err != nil {
			return err
		}
		if now, err := revision.DecodeFile(id, after); err != nil || was.Path == now.Path {
			return err
		}
		m.add(kind, id)
	default:
		was, err := revision.DecodeReusable(id, before)
		if err != nil {
			return err
		}
		if now, err := revision.DecodeReusable(id, after); err != nil || was.File == now.File {
			return err
		}
		m.add(kind, id)
	}
	return nil
}

// page adds a page that has another file or address, with its descendants.
func (m *relinker) page(ctx context.Context, id string, before, after []byte) error {
	was, now, err := docs.DecodePages(id, before, after)
	if err != nil {
		return err
	}
	moved := was.Parent != now.Parent || was.Slug != now.Slug
	if moved || was.File != now.File {
		m.add(revision.KeyPage, id)
	}
	if moved {
		return m.below(ctx, now.ID, 0)
	}
	return nil
}

func (m *relinker) below(ctx context.Context, id docs.PageID, depth int) error {
	ids, err := m.draft.ChildIDs(ctx, id)
	if err != nil {
		return err
	}
	if depth > docs.MaxPageDepth || len(m.seen) > maxRelinked {
		m.everyone = true
		return nil
	}
	for _, c := range ids {
		m.add(revision.KeyPage, string(c))
		if err := m.below(ctx, c, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// name adds the former targets of a path that now leads to something else.
func (m *relinker) name(ctx context.Context, file string) error {
	l := m.draft.Before().Linker(ctx, "")
	ways := []string{file, strings.TrimSuffix(file, ".md")}
	if dir, landing := folder.FolderOf(file); landing {
		ways = append(ways, dir)
	}
	for _, at := range ways {
		for _, use := range []markup.Use{markup.UseLink, markup.UseImage, markup.UseInclude} {
			ref, ok := l.ByName(at, "", use)
			switch {
			case !ok:
			case ref.Kind == markup.RefFile:
				m.add(revision.KeyFile, ref.File)
			case ref.Kind == markup.RefReusable:
				m.add(revision.KeyReusable, ref.ReusableContent)
			default:
				m.add(revision.KeyPage, ref.Page)
			}
		}
	}
	return l.Err
}
