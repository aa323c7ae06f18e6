// Package merge applies the changes of one line of revisions since a common base to another line:
// pages by their id, metadata field by field, bodies block by block. If both lines changed
// something in different ways, that is a Conflict. Until it is resolved, the line that is merged
// into keeps its own state.
//
// Where a change goes:
//   - how a conflict is decided: merge.go (pages), texts.go (their bodies),
//     docs.MergeFields (their fields, in docs/pagefields.go),
//     markup/merge (blocks, rows, lines, words); whether it blocks the merge:
//     content/work.go; how one is resolved: resolve.go
package merge

import (
	"bytes"
	"context"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/content/revision"
	"github.com/octavo-docs/octavo/internal/docs"
)

// merger performs one merge. Its cost depends on the size of the changes, not on that of the space.
type merger struct {
	d         *revision.Draft // of the line that is merged into
	base      *revision.Tree
	from      *revision.Tree
	dir       Direction
	conflicts []Conflict

	before, after map[string][]byte         // the values that from changed, by key of the tree
	plan          map[docs.PageID]*pagePlan // pages to be put
	deleted       map[docs.PageID]bool      // pages to be dropped
	both          []docs.PageID             // pages whose bodies both sides changed
}

// pagePlan is the planned state of a page.
type pagePlan struct {
	page docs.Page
	was  docs.Page // state in the line that is merged into
	had  bool
}

// Into returns a draft of into with the changes from base to from, and the conflicts.
func Into(ctx context.Context, dir Direction, into *revision.View, base, from docs.Revision, now docs.Time, newID func() string) (*revision.Draft, []Conflict, error) {
	d := into.Draft(now, newID)
	if into.Rev.Root == base.Root {
		d.ReplaceTree(from.Root)
		return d, nil, nil
	}
	m := &merger{
		d: d, dir: dir, base: d.At(base.Root), from: d.At(from.Root),
		before: map[string][]byte{}, after: map[string][]byte{},
		plan: map[docs.PageID]*pagePlan{}, deleted: map[docs.PageID]bool{},
	}
	err := d.Diff(ctx, base.Root, from.Root, func(key string, before, after []byte) error {
		m.before[key], m.after[key] = before, after
		return nil
	})
	for _, step := range []func(context.Context) error{m.others, m.pages, m.places, m.put, m.drop, m.keepAddresses, m.keepTombstones, m.bodies, m.reusables} {
		if err == nil {
			err = step(ctx)
		}
	}
	return d, m.conflicts, err
}

func (m *merger) conflict(c Conflict) { m.conflicts = append(m.conflicts, c) }

// others merges the entries that are identified by their key alone: files, variables, settings and
// former addresses of pages.
func (m *merger) others(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(m.after)) {
		kind, id := revision.SplitKey(key)
		if !slices.Contains([]string{revision.KeyFile, revision.KeyVariable, revision.KeySetting, revision.KeyRedirect}, kind) {
			continue
		}
		base, from := m.before[key], m.after[key]
		into, _, err := m.d.Get(ctx, key)
		if err != nil {
			return err
		}
		switch {
		case bytes.Equal(into, from) && (into == nil) == (from == nil):
		case !bytes.Equal(into, base) || (into == nil) != (base == nil):
			switch {
			case kind == revision.KeyFile && (into == nil || from == nil):
				m.conflict(Conflict{Kind: ConflictFile, ID: id, Part: PartDeleted})
			case kind == revision.KeyFile:
				m.conflict(Conflict{Kind: ConflictFile, ID: id})
			case kind == revision.KeyVariable:
				m.conflict(Conflict{Kind: ConflictVariable, ID: id})
			case m.dir == FromRepository && from != nil && strings.HasPrefix(key, revision.KeySetting+revision.SettingOther):
				// Files that are not content belong to the repository alone.
				if _, _, known, err := m.d.Named(ctx, strings.TrimPrefix(key, revision.KeySetting+revision.SettingOther)); err != nil {
					return err
				} else if !known {
					m.d.Set(key, from)
				}
			}
			// Other keys keep the value of the line that is merged into.
		case kind == revision.KeyFile:
			if m.dir == FromRepository && from != nil {
				if err := makeRoom(ctx, m.d, id, from); err != nil {
					return err
				}
			}
			if err := m.d.ReplaceFile(ctx, id, from); err != nil {
				return err
			}
		case from == nil:
			if kind != revision.KeyRedirect { // former addresses of pages are kept
				m.d.Remove(key)
			}
		default:
			m.d.Set(key, from)
		}
	}
	return nil
}

// makeRoom renames a file that has the path of a file of the repository. The file of the repository
// keeps its path.
func makeRoom(ctx context.Context, d *revision.Draft, id string, after []byte) error {
	f, err := revision.DecodeFile(id, after)
	if err != nil {
		return err
	}
	kind, other, taken, err := d.Named(ctx, f.Path)
	if err != nil || !taken || kind != "f" || other == id {
		return err
	}
	was, err := d.File(ctx, docs.FileID(other))
	if err != nil {
		return err
	}
	d.Set(revision.NameKey(f.Path), []byte(revision.Owner(revision.KeyFile, id)))
	if was.Path, err = d.AssetPath(ctx, was.Name); err != nil {
		return err
	}
	return d.PutFile(was)
}

// pages decides the state of each page that from changed.
func (m *merger) pages(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(m.after)) {
		id, isPage := strings.CutPrefix(key, revision.KeyPage)
		if !isPage {
			continue
		}
		pid := docs.PageID(id)
		var base, from, into docs.Page
		inBase, inFrom := m.before[key] != nil, m.after[key] != nil
		var err error
		if inBase {
			if base, err = docs.DecodePage(id, m.before[key]); err != nil {
				return err
			}
		}
		if inFrom {
			if from, err = docs.DecodePage(id, m.after[key]); err != nil {
				return err
			}
		}
		raw, inInto, err := m.d.Get(ctx, key)
		if err == nil && inInto {
			into, err = docs.DecodePage(id, raw)
		}
		if err != nil {
			return err
		}
		switch {
		case !inFrom && !inInto: // both sides deleted it
		case !inFrom:
			if Differs(placed(base, into), into) {
				m.conflict(Conflict{Kind: ConflictPage, ID: id, Part: PartDeleted})
			} else {
				m.deleted[pid] = true
			}
		case inBase && !inInto:
			if Differs(placed(base, from), from) {
				m.conflict(Conflict{Kind: ConflictPage, ID: id, Part: PartDeleted})
			}
		case !inInto:
			m.plan[pid] = &pagePlan{page: from}
		case bytes.Equal(raw, m.before[key]): // only from changed it
			m.plan[pid] = &pagePlan{page: from, was: into, had: true}
		default:
			p, err := m.fields(base, into, from, inBase)
			if err != nil {
				return err
			}
			m.plan[pid] = &pagePlan{page: p, was: into, had: true}
		}
	}
	return nil
}

// placed returns p with the position of at, so that a move does not count as an edit.
func placed(p, at docs.Page) docs.Page {
	p.Parent, p.Rank = at.Parent, at.Rank
	return p
}

// fields merges the fields of a page that exists on both sides. It keeps the body of into;
// bodies are merged later.
func (m *merger) fields(base, into, from docs.Page, inBase bool) (docs.Page, error) {
	id := string(into.ID)
	clash := func(part string) { m.conflict(Conflict{Kind: ConflictPage, ID: id, Part: part}) }
	var known *docs.Page
	if inBase {
		known = &base
	}
	p, conflicts, err := docs.MergeFields(known, into, from)
	if err != nil {
		return into, err
	}
	for _, field := range conflicts {
		clash(field)
	}
	// The slug follows the title unless it is pinned.
	slug := func(p docs.Page) [2]any { return [2]any{p.Slug, p.Pinned} }
	switch {
	case slug(into) == slug(from), slug(base) == slug(from):
	case slug(base) == slug(into):
		p.Slug, p.Pinned = from.Slug, from.Pinned
	case into.Pinned && from.Pinned:
		clash("slug")
	case from.Pinned:
		p.Slug, p.Pinned = from.Slug, from.Pinned
	}
	switch {
	case from.Parent == base.Parent && from.Rank == base.Rank && inBase:
	case into.Parent == base.Parent && (into.Rank == base.Rank || from.Parent != base.Parent):
		p.Parent, p.Rank = from.Parent, from.Rank
	case from.Parent != base.Parent && from.Parent != into.Parent:
		clash(PartLocation)
	}
	if into.File == base.File && from.File != base.File {
		p.File = from.File
	}
	p.Variables = m.variables(id, base, into, from)
	p.UpdatedAt = max(into.UpdatedAt, from.UpdatedAt)
	m.body(base, into, from, &p)
	return p, nil
}

// variables merges the variables of a page one by one.
func (m *merger) variables(id string, base, into, from docs.Page) docs.Variables {
	out := maps.Clone(into.Variables)
	for _, name := range slices.Sorted(maps.Keys(union(base.Variables, from.Variables))) {
		b, a, c := base.Variables[name], into.Variables[name], from.Variables[name]
		switch {
		case reflect.DeepEqual(a, c), reflect.DeepEqual(b, c):
		case !reflect.DeepEqual(a, b):
			m.conflict(Conflict{Kind: ConflictPage, ID: id, Part: "variables." + name})
		case c == nil:
			delete(out, name)
		default:
			if out == nil {
				out = docs.Variables{}
			}
			out[name] = c
		}
	}
	return out
}

func union(a, b docs.Variables) docs.Variables {
	out := docs.Variables{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// body chooses the body of a page. A body that both sides changed is merged later, when the tree is
// complete.
func (m *merger) body(was, cur, now docs.Page, p *docs.Page) {
	switch {
	case now.Body == cur.Body, now.Body == was.Body:
	case cur.Body == was.Body:
		p.Body, p.Sidecar, p.OID = now.Body, now.Sidecar, now.OID
	default:
		m.both = append(m.both, cur.ID)
	}
}

// parentOf returns the parent that a page will have.
func (m *merger) parentOf(ctx context.Context, id docs.PageID) (docs.PageID, bool, error) {
	if p, ok := m.plan[id]; ok {
		return p.page.Parent, true, nil
	}
	p, ok, err := m.d.Lookup(ctx, id)
	return p.Parent, ok && !m.deleted[id], err
}

// places chooses a parent for every planned page: one that exists and is not below the page itself.
func (m *merger) places(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(m.plan)) {
		p := m.plan[id]
		if p.had && p.page.Parent == p.was.Parent {
			if !m.deleted[p.page.Parent] {
				continue
			}
		}
		up, err := m.surviving(ctx, p.page.Parent)
		if err != nil {
			return err
		}
		if p.page.Type == docs.PageGroup {
			up = ""
		}
		p.page.Parent = up
		below, err := m.belowItself(ctx, id)
		if err != nil {
			return err
		}
		if !below {
			continue
		}
		// One side moved page A below B, the other one B below A.
		m.conflict(Conflict{Kind: ConflictPage, ID: string(id), Part: PartLocation})
		p.page.Parent, p.page.Rank = p.was.Parent, p.was.Rank
		if below, err = m.belowItself(ctx, id); err == nil && below {
			p.page.Parent = ""
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// surviving returns the nearest page from id upward that will exist and can have children.
func (m *merger) surviving(ctx context.Context, id docs.PageID) (docs.PageID, error) {
	for range 2 * docs.MaxPageDepth {
		if id == "" {
			return "", nil
		}
		p, ok := docs.Page{}, false
		if planned, is := m.plan[id]; is {
			p, ok = planned.page, true
		} else if !m.deleted[id] {
			var err error
			if p, ok, err = m.d.Lookup(ctx, id); err != nil {
				return "", err
			}
		}
		if ok && p.HasPath() {
			return id, nil
		}
		if !ok { // use the last parent of a deleted page
			var err error
			if p, ok, err = m.from.Lookup(ctx, id); err == nil && !ok {
				p, ok, err = m.base.Lookup(ctx, id)
			}
			if err != nil {
				return "", err
			}
			if !ok {
				if p, _, err = m.d.Lookup(ctx, id); err != nil {
					return "", err
				}
			}
		}
		id = p.Parent
	}
	return "", nil
}

func (m *merger) belowItself(ctx context.Context, id docs.PageID) (bool, error) {
	at := id
	for range 4 * docs.MaxPageDepth {
		up, ok, err := m.parentOf(ctx, at)
		if err != nil || !ok || up == "" {
			return false, err
		}
		if up == id {
			return true, nil
		}
		at = up
	}
	return true, nil
}

// put stores the planned pages in the draft.
func (m *merger) put(ctx context.Context) error {
	ids := slices.Sorted(maps.Keys(m.plan))
	for _, id := range ids { // a slug that becomes free may be used by another page
		if p := m.plan[id]; p.had && (p.was.Slug != p.page.Slug || p.was.Parent != p.page.Parent) {
			if err := m.d.DropSlug(ctx, p.was); err != nil {
				return err
			}
		}
	}
	for _, id := range ids {
		if err := m.putPage(ctx, m.plan[id].page); err != nil {
			return err
		}
	}
	for _, id := range ids { // moved pages must not exceed the maximum depth either
		p, err := m.d.Page(ctx, id)
		if err != nil {
			return err
		}
		up, err := m.d.Ancestors(ctx, p)
		if err != nil {
			return err
		}
		h, err := m.d.Height(ctx, id)
		if err != nil {
			return err
		}
		if len(up)+h >= docs.MaxPageDepth && p.Parent != "" {
			p.Parent = ""
			if err := m.putPage(ctx, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// putPage stores a page. A page of the space keeps its published slug: a page of a change request
// cannot take it.
func (m *merger) putPage(ctx context.Context, p docs.Page) error {
	if m.dir == IntoRequest && p.HasPath() {
		taken, by, err := m.d.SlugTaken(ctx, p, p.Slug)
		if err != nil {
			return err
		}
		known, _, err := m.from.Get(ctx, revision.SlugKey(p.Parent, p.Slug))
		if err != nil {
			return err
		}
		if taken && docs.PageID(known) == p.ID {
			return m.putPublished(ctx, p, by)
		}
	}
	return m.d.PutWithFreeNames(ctx, p)
}

// putPublished stores a page of the space under a slug that the page by of the change request has.
// That page gets another slug.
func (m *merger) putPublished(ctx context.Context, p docs.Page, by docs.PageID) error {
	other, err := m.d.Page(ctx, by)
	if err != nil {
		return err
	}
	path, err := m.d.Path(ctx, other)
	if err != nil {
		return err
	}
	m.d.Remove(revision.SlugKey(other.Parent, other.Slug))
	if err := m.putPage(ctx, p); err != nil {
		return err
	}
	if other, err = m.d.WithFreeSlug(ctx, other); err != nil {
		return err
	}
	// The slug was never published, so no redirect is needed.
	key := revision.RedirectKey(path)
	before, had, err := m.d.Get(ctx, key)
	if err == nil {
		err = m.d.Put(ctx, other)
	}
	if err != nil {
		return err
	}
	if m.d.Remove(key); had {
		m.d.Set(key, before)
	}
	return nil
}

// drop deletes the pages that from deleted. Children that were not deleted move up.
func (m *merger) drop(ctx context.Context) error {
	for _, id := range slices.Sorted(maps.Keys(m.deleted)) {
		children, err := m.d.Children(ctx, id)
		if err != nil {
			return err
		}
		for _, c := range children {
			if m.deleted[c.ID] {
				continue
			}
			if c.Parent, err = m.surviving(ctx, id); err != nil {
				return err
			}
			if err := m.putPage(ctx, c); err != nil {
				return err
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(m.deleted)) {
		p, err := m.d.Page(ctx, id)
		if err != nil {
			return err
		}
		if err := m.d.DropOne(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// keepAddresses adds redirects from the addresses in the space to pages that have other addresses
// in the change request. When the change request is merged, its tree may become the tree of the
// space unchanged.
func (m *merger) keepAddresses(ctx context.Context) error {
	if m.dir != IntoRequest {
		return nil
	}
	for _, id := range slices.Sorted(maps.Keys(m.plan)) {
		theirs, has, err := m.from.Lookup(ctx, id)
		if err != nil {
			return err
		}
		mine, there, err := m.d.Lookup(ctx, id)
		if err != nil {
			return err
		}
		if !has || !there || !theirs.HasPath() || theirs.Parent == mine.Parent && theirs.Slug == mine.Slug {
			continue
		}
		path, err := m.from.Path(ctx, theirs)
		if err != nil {
			return err
		}
		m.d.Set(revision.RedirectKey(path), []byte(id))
	}
	return nil
}

// keepTombstones copies the tombstones that from added, unless the line that is merged into has the
// object or a tombstone of its own. Links in other files of a repository may still lead to the
// location of a deleted page.
func (m *merger) keepTombstones(ctx context.Context) error {
	for _, key := range slices.Sorted(maps.Keys(m.after)) {
		id, is := strings.CutPrefix(key, revision.KeyTombstone)
		if !is || m.after[key] == nil {
			continue
		}
		known := false
		for _, kind := range []string{revision.KeyPage, revision.KeyFile, revision.KeyReusable, revision.KeyTombstone} {
			_, there, err := m.d.Get(ctx, kind+id)
			if err != nil {
				return err
			}
			_, dropped := m.d.Changed(kind + id)
			known = known || there || dropped && m.dir != FromRepository
		}
		if !known {
			m.d.Set(key, m.after[key])
		}
	}
	return nil
}

// Direction is the source and the destination of a merge.
type Direction uint8

const (
	IntoSpace       Direction = iota // from a change request
	IntoRequest                      // from the space
	FromRepository                   // into the space
	FromTranslation                  // into the space
)

// Differs reports whether two states of a page differ in more than bookkeeping, such as the time of
// change.
func Differs(a, b docs.Page) bool {
	a.UpdatedAt, b.UpdatedAt = 0, 0
	a.File, b.File = "", ""
	a.Pinned, b.Pinned = false, false
	if a.Body == b.Body {
		a.Sidecar, b.Sidecar = "", ""
		a.OID, b.OID = "", "" // the OID is lost when a page is changed and changed back
	}
	x, _ := docs.EncodePage(a) // cannot fail: the page was decoded before
	y, _ := docs.EncodePage(b)
	return string(x) != string(y)
}
