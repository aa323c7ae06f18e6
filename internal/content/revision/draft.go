package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store"
)

// Draft is a tree with changes on top, from which the next revision is made. It
// enforces the rules of the page tree: slugs are unique among siblings, groups
// are at the top level, and no page is below itself.
type Draft struct {
	*Tree
	Space docs.Space
	Base  docs.Revision
	Now   docs.Time
	NewID func() string

	Unsaved  *Unsaved                        // sources that are new
	Written  map[docs.PageID]*Writing        // bodies to be composed
	Refs     map[string]markup.Ref           // names that are valid in the batch
	Parsed   map[chunk.Hash]*markup.Document // by DocKey, for the index
	Touched  []docs.PageID                   // in order of first touch
	seen     map[docs.PageID]bool
	Uncached bool        // new objects are not cached, because most are not read soon
	whole    *chunk.Hash // the existing tree that the draft was made equal to, if any
}

// DraftAt returns a draft on the revision whose time and new ids are made from now.
func (v *View) DraftAt(now time.Time) *Draft { return v.Draft(docs.TimeOf(now), IDGenerator(now)) }

// Draft returns a draft on the revision.
func (v *View) Draft(now docs.Time, newID func() string) *Draft {
	t := *v.Tree
	t.over = &overlay{values: map[string][]byte{}}
	t.Cache = t.src.s.drafts
	t.src.new = &Unsaved{objects: map[chunk.Hash]store.Object{}}
	return &Draft{
		Tree: &t, Space: v.Space, Base: v.Rev, Now: now, NewID: newID,
		Unsaved: t.src.new, Written: map[docs.PageID]*Writing{}, Refs: map[string]markup.Ref{},
		Parsed: map[chunk.Hash]*markup.Document{}, seen: map[docs.PageID]bool{},
	}
}

// Before returns the tree without the changes.
func (d *Draft) Before() *Tree { return d.At(d.Base.Root) }

// Set sets a key of the draft.
func (d *Draft) Set(key string, value []byte) {
	if value == nil {
		value = []byte{}
	}
	d.over.set(key, value)
}

func (d *Draft) Remove(key string) { d.over.set(key, nil) }

// Object adds an object to the draft and returns its hash. base is a similar
// object, if any.
func (d *Draft) Object(data []byte, base chunk.Hash) chunk.Hash {
	if data == nil {
		data = []byte{} // an empty object, not a missing one
	}
	h := chunk.Sum(data)
	d.Unsaved.set(store.Object{Hash: h, Data: data, Base: base})
	if !d.Uncached {
		d.src.s.objects.Set(h, object{data: data})
	}
	return h
}

func (d *Draft) Touch(id docs.PageID) {
	if !d.seen[id] {
		d.seen[id] = true
		d.Touched = append(d.Touched, id)
	}
}

// Put stores a page and the keys by which it is found.
func (d *Draft) Put(ctx context.Context, p docs.Page) error {
	old, had, err := d.Lookup(ctx, p.ID)
	if err != nil {
		return err
	}
	if had {
		if old.HasPath() && p.HasPath() && (old.Parent != p.Parent || old.Slug != p.Slug) {
			was, err := d.Path(ctx, old)
			if err != nil {
				return err
			}
			d.Set(RedirectKey(was), []byte(p.ID))
		}
		if OrderKey(old) != OrderKey(p) {
			d.Remove(OrderKey(old))
		}
		if SlugKey(old.Parent, old.Slug) != SlugKey(p.Parent, p.Slug) {
			if err := d.DropSlug(ctx, old); err != nil {
				return err
			}
		}
		if old.File != p.File {
			if err := d.DropName(ctx, old.File, Owner(KeyPage, p.ID)); err != nil {
				return err
			}
		}
	}
	b, err := docs.EncodePage(p)
	if err != nil {
		return err
	}
	d.setPage(p, b)
	d.Set(OrderKey(p), nil)
	if p.Type == docs.PageComputed {
		d.Set(KeyComputed+string(p.ID), nil)
	}
	if p.Slug != "" {
		d.Set(SlugKey(p.Parent, p.Slug), []byte(p.ID))
	}
	if p.File != "" {
		d.Set(NameKey(p.File), []byte(Owner(KeyPage, p.ID)))
	}
	return nil
}

// Drop removes a page and everything below it.
func (d *Draft) Drop(ctx context.Context, p docs.Page) error { return d.dropBelow(ctx, p, 0) }

// errTooDeep reports a damaged tree, such as one with a cycle: drafts do not
// allow that many levels.
var errTooDeep = errors.New("the page tree is deeper than it can be; it is damaged")

func (d *Draft) dropBelow(ctx context.Context, p docs.Page, depth int) error {
	ids, err := d.ChildIDs(ctx, p.ID)
	if err != nil {
		return err
	}
	if depth > docs.MaxPageDepth {
		return errTooDeep
	}
	for _, id := range ids {
		c, err := d.Page(ctx, id)
		if err != nil {
			return err
		}
		if err := d.dropBelow(ctx, c, depth+1); err != nil {
			return err
		}
	}
	return d.DropOne(ctx, p)
}

// MaxRank is the length of a rank above which siblings are renumbered.
const MaxRank = 48

// rank returns the rank that puts a page at index at among the children of
// parent, not counting the page itself. If at is nil, that is behind all of them.
func (d *Draft) rank(ctx context.Context, self, parent docs.PageID, at *int) (docs.Rank, error) {
	prefix := KeyOrder + string(parent) + Sep
	if at == nil {
		last, ok, err := d.last(ctx, prefix)
		if err != nil || !ok {
			return docs.RankAfter(""), err
		}
		rank, _, _ := strings.Cut(last, Sep)
		return docs.RankAfter(docs.Rank(rank)), nil
	}
	var ranks []docs.Rank
	err := d.Scan(ctx, prefix, "", func(rest string, _ []byte) (bool, error) {
		rank, id, _ := strings.Cut(rest, Sep)
		if docs.PageID(id) != self {
			ranks = append(ranks, docs.Rank(rank))
		}
		return len(ranks) <= *at, nil
	})
	if err != nil {
		return "", err
	}
	if *at >= len(ranks) {
		return d.rank(ctx, self, parent, nil)
	}
	before := docs.Rank("")
	if *at > 0 {
		before = ranks[*at-1]
	}
	if before == ranks[*at] { // two pages with the same rank: only ids order them
		return before, d.renumber(ctx, parent)
	}
	r := docs.RankBetween(before, ranks[*at])
	if len(r) <= MaxRank {
		return r, nil
	}
	if err := d.renumber(ctx, parent); err != nil {
		return "", err
	}
	return d.rank(ctx, self, parent, at)
}

// renumber sets new, short ranks on the children of a page.
func (d *Draft) renumber(ctx context.Context, parent docs.PageID) error {
	pages, err := d.Children(ctx, parent)
	if err != nil {
		return err
	}
	last := docs.Rank("")
	for _, p := range pages {
		last = docs.RankAfter(last)
		p.Rank = last
		if err := d.Put(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// under checks that a page may be below parent, and returns how deep parent
// is.
func (d *Draft) under(ctx context.Context, path string, p docs.Page, parent docs.PageID) (depth int, err error) {
	if parent == "" {
		return 0, nil
	}
	if p.Type == docs.PageGroup {
		return 0, errs.Field(path, "cannot be set: a group is at the top level only")
	}
	up, ok, err := d.Lookup(ctx, parent)
	switch {
	case err != nil:
		return 0, err
	case !ok:
		return 0, errs.Field(path, "is not a page of this space: %q", parent)
	case !up.HasPath():
		return 0, errs.Field(path, "is a %s page, which has no pages below it", up.Type)
	}
	for at := up; ; depth++ {
		if at.ID == p.ID {
			return 0, errs.Field(path, "would put the page below itself")
		}
		if at.Parent == "" {
			break
		}
		if at, err = d.Page(ctx, at.Parent); err != nil {
			return 0, err
		}
		if depth > docs.MaxPageDepth {
			return 0, errs.Field(path, "is deeper than %d levels", docs.MaxPageDepth)
		}
	}
	return depth + 1, nil
}

// CheckPlace checks that a page with everything below it may hang below parent.
func (d *Draft) CheckPlace(ctx context.Context, path string, p docs.Page, parent docs.PageID) error {
	depth, err := d.under(ctx, path, p, parent)
	if err != nil {
		return err
	}
	h, err := d.Height(ctx, p.ID)
	if err != nil {
		return err
	}
	if depth+h >= docs.MaxPageDepth {
		return errs.Field(path, "would make the tree deeper than %d levels", docs.MaxPageDepth)
	}
	return nil
}

// Height returns the number of levels below a page.
func (d *Draft) Height(ctx context.Context, id docs.PageID) (int, error) {
	return d.heightBelow(ctx, id, 0)
}

func (d *Draft) heightBelow(ctx context.Context, id docs.PageID, depth int) (int, error) {
	ids, err := d.ChildIDs(ctx, id)
	if err != nil {
		return 0, err
	}
	if depth > docs.MaxPageDepth {
		return 0, errTooDeep
	}
	most := 0
	for _, c := range ids {
		h, err := d.heightBelow(ctx, c, depth+1)
		if err != nil {
			return 0, err
		}
		most = max(most, h+1)
	}
	return most, nil
}

// Insert adds a page below a parent.
func (d *Draft) Insert(ctx context.Context, path string, p docs.Page, at *int) error {
	depth, err := d.under(ctx, errs.In(path, "into"), p, p.Parent)
	if err != nil {
		return err
	}
	if depth >= docs.MaxPageDepth {
		return errs.Field(errs.In(path, "into"), "is %d levels deep, which is the limit", docs.MaxPageDepth)
	}
	if p.Rank, err = d.rank(ctx, p.ID, p.Parent, at); err != nil {
		return err
	}
	if p, err = d.WithSlug(ctx, errs.In(path, "slug"), p); err != nil {
		return err
	}
	d.Touch(p.ID)
	return d.Put(ctx, p)
}

// Move returns p below another parent, at another index, or both; nil keeps the
// one that it has. The page is not stored.
func (d *Draft) Move(ctx context.Context, path string, p docs.Page, into *docs.PageID, at *int) (docs.Page, error) {
	if into == nil && at == nil {
		return p, nil
	}
	if into != nil && *into != p.Parent {
		if err := d.CheckPlace(ctx, errs.In(path, "into"), p, *into); err != nil {
			return p, err
		}
		p.Parent = *into
	} else if at == nil {
		return p, nil
	}
	if at != nil {
		now, err := d.index(ctx, p)
		if err != nil || now == *at {
			return p, err
		}
	}
	rank, err := d.rank(ctx, p.ID, p.Parent, at)
	if err != nil {
		return p, err
	}
	// p.File is kept: a page that came from a folder stays in its file.
	p.Rank = rank
	return p, nil
}

// index returns the index of a page among its siblings, or -1 if it is not one
// of them yet.
func (d *Draft) index(ctx context.Context, p docs.Page) (int, error) {
	ids, err := d.ChildIDs(ctx, p.Parent)
	return slices.Index(ids, p.ID), err
}

// WithSlug returns p with a slug that no sibling has: a pinned one, or one made
// of the title.
func (d *Draft) WithSlug(ctx context.Context, path string, p docs.Page) (docs.Page, error) {
	if !p.HasPath() {
		p.Slug, p.Pinned = "", false
		return p, nil
	}
	if p.Pinned {
		taken, by, err := d.SlugTaken(ctx, p, p.Slug)
		if err == nil && taken {
			err = errs.Taken(path, "%q is taken by the page %s next to it", p.Slug, by)
		}
		return p, err
	}
	want := docs.SlugOf(markup.Unconditional(p.Title)) // everybody sees addresses
	for n := 1; ; n++ {
		p.Slug = want
		switch {
		case n > slugTries: // many have the same title: counting them all would take long
			p.Slug = want + "-" + strings.ToLower(string(p.ID[max(0, len(p.ID)-8):]))
			return p, nil
		case n > 1:
			p.Slug = fmt.Sprintf("%s-%d", want, n-1)
		}
		taken, _, err := d.SlugTaken(ctx, p, p.Slug)
		if err != nil || !taken {
			return p, err
		}
	}
}

// slugTries is how many numbers are tried behind a slug that is taken.
const slugTries = 50

// SlugTaken reports whether another page next to p has a slug, in any normal form, and which.
func (d *Draft) SlugTaken(ctx context.Context, p docs.Page, slug string) (bool, docs.PageID, error) {
	for _, s := range names.Spellings(strings.ToLower(slug)) {
		id, ok, err := d.Get(ctx, SlugKey(p.Parent, s))
		if err != nil || ok && docs.PageID(id) != p.ID {
			return ok, docs.PageID(id), err
		}
	}
	return false, "", nil
}

// PutFile stores a file.
func (d *Draft) PutFile(f docs.File) error {
	b, err := json.Marshal(f)
	if err != nil {
		return err
	}
	d.Set(FileKey(f.ID), b)
	if f.Path != "" {
		d.Set(NameKey(f.Path), []byte(Owner(KeyFile, f.ID)))
	}
	return nil
}

// PutReusable stores a reusable content.
func (d *Draft) PutReusable(r docs.Reusable) error {
	b, err := json.Marshal(r)
	if err != nil {
		return err
	}
	d.Set(ReusableKey(r.ID), b)
	if r.File != "" {
		d.Set(NameKey(r.File), []byte(Owner(KeyReusable, r.ID)))
	}
	return nil
}

// setPage stores the encoding of a page and caches the page under it.
func (d *Draft) setPage(p docs.Page, encoded []byte) {
	d.Set(PageKey(p.ID), encoded)
	d.Cache.keep(p, encoded)
}

// StampPages sets the time of change of the pages that differ from the base.
func (d *Draft) StampPages(ctx context.Context) error {
	before := d.Before()
	for _, id := range d.Touched {
		key := PageKey(id)
		now, changed := d.over.get(key)
		if !changed || now == nil {
			continue
		}
		was, had, err := before.Get(ctx, key)
		if err != nil {
			return err
		}
		if had && bytes.Equal(was, now) {
			continue
		}
		p, err := d.Cache.page(id, now)
		if err != nil {
			return err
		}
		b, err := d.encodeChanged(&p)
		if err != nil {
			return err
		}
		d.setPage(p, b)
	}
	return nil
}

// StampPage sets the time of change of a page if it differs from the base, and
// returns the page as it is stored.
func (d *Draft) StampPage(ctx context.Context, p *docs.Page) ([]byte, error) {
	was, had, err := d.Before().Get(ctx, PageKey(p.ID))
	if err != nil {
		return nil, err
	}
	if had {
		if b, err := docs.EncodePage(*p); err != nil || bytes.Equal(was, b) {
			return b, err
		}
	}
	return d.encodeChanged(p)
}

// encodeChanged sets the time of change of a page, and returns the page as it is
// stored.
func (d *Draft) encodeChanged(p *docs.Page) ([]byte, error) {
	if p.CreatedAt.IsZero() {
		p.CreatedAt = d.Now
	}
	p.UpdatedAt = d.Now
	return docs.EncodePage(*p)
}

// Keys returns the keys that the draft changes, in order.
func (d *Draft) Keys() []string { return slices.Clone(d.over.from("")) }

// Changed returns the value that the draft sets a key to, or nil if it removes
// the key. ok is false if the draft does not change the key.
func (d *Draft) Changed(key string) (value []byte, ok bool) { return d.over.get(key) }

// Replace sets a key, or removes it if the value is nil.
func (d *Draft) Replace(key string, value []byte) { d.over.set(key, value) }

// Empty reports whether the draft changes nothing.
func (d *Draft) Empty() bool { return d.whole == nil && len(d.over.keys) == 0 }

// ReplaceTree makes the draft equal to a tree that exists.
func (d *Draft) ReplaceTree(root chunk.Hash) { d.whole = &root }

// ReplacedTree returns the tree that the draft was made equal to.
func (d *Draft) ReplacedTree() (*Tree, bool) {
	if d.whole == nil {
		return nil, false
	}
	return d.At(*d.whole), true
}
