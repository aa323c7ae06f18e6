// Package revision reads and changes the content of a space at one moment.
//
// A revision is one sorted map in chunks (see package chunk): pages, files,
// reusable contents, and the keys by which they are found. A Tree reads it. A
// Draft is a tree with changes on top; it enforces the rules of the page tree and
// composes the texts of pages. Sealing a draft makes the tree of the next
// revision and the objects to be stored for it. Nothing here writes to the
// database.
//
// Where a change goes:
//   - a key of a revision: tree.go, and what follows from it in content/index/index.go
//     and content/index/verify.go
//   - what a tombstone of a page keeps: tombstones.go; read by Linker.Tombstone when links
//     are resolved and exported
package revision

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/reading"
)

// BySlug returns the page with a slug below a parent, in any normal form of the slug.
func (t *Tree) BySlug(ctx context.Context, parent docs.PageID, slug string) (docs.PageID, bool, error) {
	return t.spelled(ctx, SlugKey(parent, ""), slug)
}

// ByFormerPath returns the page that had a path, in any normal form of the path.
func (t *Tree) ByFormerPath(ctx context.Context, path string) (docs.PageID, bool, error) {
	return t.spelled(ctx, KeyRedirect, path)
}

func (t *Tree) spelled(ctx context.Context, prefix, name string) (docs.PageID, bool, error) {
	for _, s := range names.Spellings(strings.ToLower(name)) {
		if id, ok, err := t.Get(ctx, prefix+s); err != nil || ok {
			return docs.PageID(id), ok, err
		}
	}
	return "", false, nil
}

// Tree reads a revision, with changes on top of it in a draft.
type Tree struct {
	src   reader
	Root  chunk.Hash
	over  *overlay   // nil in a view without computed pages
	Cache *PageCache // nil: decoded pages are not cached

	more    int              // number of computed pages in the overlay of a view
	visitor *reading.Visitor // nil: no page is left out
	trace   *Trace           // records what is read, unless it is nil
}

// overlay holds the changes of a draft. A nil value is a removed key.
type overlay struct {
	values map[string][]byte
	keys   []string // of values
	sorted bool
}

func (o *overlay) set(key string, value []byte) {
	if _, known := o.values[key]; !known {
		o.keys = append(o.keys, key)
		o.sorted = false
	}
	o.values[key] = value
}

// from returns the keys that are not less than key, in order.
func (o *overlay) from(key string) []string {
	if o == nil {
		return nil
	}
	if !o.sorted {
		slices.Sort(o.keys)
		o.sorted = true
	}
	i, _ := slices.BinarySearch(o.keys, key)
	return o.keys[i:]
}

// below returns the keys that are less than key, in order.
func (o *overlay) below(key string) []string {
	if o == nil {
		return nil
	}
	return o.keys[:len(o.keys)-len(o.from(key))]
}

func (o *overlay) get(key string) (value []byte, known bool) {
	if o == nil {
		return nil, false
	}
	value, known = o.values[key]
	return value, known
}

func (t *Tree) Get(ctx context.Context, key string) ([]byte, bool, error) {
	if v, known := t.over.get(key); known {
		return v, v != nil, nil
	}
	return chunk.Get(ctx, &t.src, t.Root, key)
}

// Scan calls fn in order for every key with a prefix, starting at prefix + from,
// until fn returns false. rest is the key without the prefix.
func (t *Tree) Scan(ctx context.Context, prefix, from string, fn func(rest string, value []byte) (bool, error)) error {
	keys := t.over.from(prefix + from)
	stopped := false
	emit := func(key string, value []byte) (bool, error) {
		rest, ok := strings.CutPrefix(key, prefix)
		if !ok {
			stopped = true
			return false, nil
		}
		more, err := fn(rest, value)
		stopped = !more || err != nil
		return more, err
	}
	// added emits the keys of the overlay before a key, or all if that is empty.
	added := func(before string) (bool, error) {
		for ; len(keys) > 0 && (before == "" || keys[0] < before); keys = keys[1:] {
			if v := t.over.values[keys[0]]; v != nil {
				if more, err := emit(keys[0], v); err != nil || !more {
					return false, err
				}
			}
		}
		return true, nil
	}
	err := chunk.Scan(ctx, &t.src, t.Root, prefix+from, func(key string, value []byte) (bool, error) {
		if more, err := added(key); err != nil || !more {
			return false, err
		}
		if len(keys) > 0 && keys[0] == key {
			value, keys = t.over.values[key], keys[1:]
			if value == nil {
				return true, nil
			}
		}
		return emit(key, value)
	})
	if err != nil || stopped {
		return err
	}
	_, err = added("")
	return err
}

// last returns the greatest key that begins with prefix, without the prefix.
func (t *Tree) last(ctx context.Context, prefix string) (rest string, ok bool, err error) {
	key, below := "", prefix+"\xff"
	for {
		stored, _, found, err := chunk.Last(ctx, &t.src, t.Root, below)
		if err != nil {
			return "", false, err
		}
		if !found || !strings.HasPrefix(stored, prefix) {
			break
		}
		if v, known := t.over.get(stored); !known || v != nil {
			key = stored
			break
		}
		below = stored // removed by the draft
	}
	added := t.over.below(prefix + "\xff")
	for i := len(added) - 1; i >= 0 && added[i] > key && strings.HasPrefix(added[i], prefix); i-- {
		if t.over.values[added[i]] != nil {
			key = added[i]
			break
		}
	}
	return strings.TrimPrefix(key, prefix), key != "", nil
}

// Lookup returns a page by id; ok is false when there is none.
func (t *Tree) Lookup(ctx context.Context, id docs.PageID) (p docs.Page, ok bool, err error) {
	p, ok, err = t.LookupUnchecked(ctx, id)
	for up := p; ok && err == nil && t.visitor != nil && up.Parent != ""; {
		up, ok, err = t.held(ctx, up.Parent) // a group above has p to show
	}
	return p, ok, err
}

// LookupUnchecked is Lookup without the check that the visitor sees the pages above the page,
// for callers that know that.
func (t *Tree) LookupUnchecked(ctx context.Context, id docs.PageID) (p docs.Page, ok bool, err error) {
	p, ok, err = t.held(ctx, id)
	if ok && err == nil && t.visitor != nil && p.Type == docs.PageGroup {
		ok, err = t.showsSome(ctx, id)
	}
	return p, ok, err
}

// held returns a page; ok is false if there is none, or if its condition does not hold for
// the visitor.
func (t *Tree) held(ctx context.Context, id docs.PageID) (p docs.Page, ok bool, err error) {
	b, ok, err := t.Get(ctx, PageKey(id))
	if err != nil || !ok {
		return p, false, err
	}
	if p, err = t.Cache.page(id, b); err != nil || t.visitor == nil {
		return p, true, err
	}
	ok, err = t.holds(ctx, p)
	return VisitorTexts(p), ok, err
}

// Page returns a page by id.
func (t *Tree) Page(ctx context.Context, id docs.PageID) (docs.Page, error) {
	p, ok, err := t.Lookup(ctx, id)
	if err == nil && !ok {
		err = errs.Missing("page")
	}
	return p, err
}

// ChildIDs returns the ids of the children of a page, or of the top level, in
// order.
func (t *Tree) ChildIDs(ctx context.Context, parent docs.PageID) ([]docs.PageID, error) {
	var out []docs.PageID
	err := t.Scan(ctx, KeyOrder+string(parent)+Sep, "", func(rest string, _ []byte) (bool, error) {
		_, id, _ := strings.Cut(rest, Sep)
		out = append(out, docs.PageID(id))
		return true, nil
	})
	return out, err
}

// ChildRanks returns the children of a page, or of the top level, in order, with their
// ids and ranks only.
func (t *Tree) ChildRanks(ctx context.Context, parent docs.PageID) ([]docs.Page, error) {
	var out []docs.Page
	err := t.Scan(ctx, KeyOrder+string(parent)+Sep, "", func(rest string, _ []byte) (bool, error) {
		rank, id, _ := strings.Cut(rest, Sep)
		out = append(out, docs.Page{ID: docs.PageID(id), Rank: docs.Rank(rank)})
		return true, nil
	})
	return out, err
}

// Children returns the children of a page, or of the top level, in order.
func (t *Tree) Children(ctx context.Context, parent docs.PageID) ([]docs.Page, error) {
	ids, err := t.ChildIDs(ctx, parent)
	if err != nil {
		return nil, err
	}
	out := make([]docs.Page, 0, len(ids))
	for _, id := range ids {
		p, ok, err := t.Lookup(ctx, id)
		switch {
		case err != nil:
			return nil, err
		case ok:
			out = append(out, p)
		case t.visitor == nil:
			return nil, errs.Missing("page")
		}
	}
	return out, nil
}

// Ancestors returns the pages above a page, the nearest first.
func (t *Tree) Ancestors(ctx context.Context, p docs.Page) ([]docs.Page, error) {
	var out []docs.Page
	for p.Parent != "" && len(out) <= docs.MaxPageDepth {
		up, err := t.Page(ctx, p.Parent)
		if err != nil {
			return nil, err
		}
		out = append(out, up)
		p = up
	}
	return out, nil
}

// Path returns the address of a page within its space.
func (t *Tree) Path(ctx context.Context, p docs.Page) (string, error) {
	up, err := t.Ancestors(ctx, p)
	if err != nil {
		return "", err
	}
	path := p.Slug
	for _, a := range up {
		path = a.Slug + "/" + path
	}
	return path, nil
}

// PathOf is Path for the page with an id.
func (t *Tree) PathOf(ctx context.Context, id docs.PageID) (string, error) {
	p, err := t.Page(ctx, id)
	if err != nil {
		return "", err
	}
	return t.Path(ctx, p)
}

// PageNode is a page with its address and the pages below it.
type PageNode struct {
	docs.Page
	Path     string
	Children []*PageNode
}

// All returns every page as a tree, in order.
func (t *Tree) All(ctx context.Context) ([]*PageNode, error) {
	pages := map[docs.PageID]*PageNode{}
	err := t.Scan(ctx, KeyPage, "", func(id string, b []byte) (bool, error) {
		p, err := docs.DecodePage(id, b)
		pages[p.ID] = &PageNode{Page: p}
		return true, err
	})
	if err != nil {
		return nil, err
	}
	top := &PageNode{}
	err = t.Scan(ctx, KeyOrder, "", func(rest string, _ []byte) (bool, error) {
		parent, id, _ := strings.Cut(rest, Sep)
		_, id, _ = strings.Cut(id, Sep)
		up := top
		if parent != "" {
			up = pages[docs.PageID(parent)]
		}
		if p := pages[docs.PageID(id)]; p != nil && up != nil {
			up.Children = append(up.Children, p)
		}
		return true, nil
	})
	if err == nil && t.visitor != nil {
		err = t.prune(ctx, top)
	}
	setPaths(top.Children, "")
	return top.Children, err
}

func setPaths(pages []*PageNode, above string) {
	for _, p := range pages {
		if p.HasPath() {
			p.Path = above + p.Slug
			setPaths(p.Children, p.Path+"/")
		}
	}
}

// Subtree returns a page with everything below it.
func (t *Tree) Subtree(ctx context.Context, p docs.Page) (*PageNode, error) {
	path, err := t.Path(ctx, p)
	if err != nil {
		return nil, err
	}
	return t.subtree(ctx, p, path, 0)
}

func (t *Tree) subtree(ctx context.Context, p docs.Page, path string, depth int) (*PageNode, error) {
	w := &PageNode{Page: p}
	if !p.HasPath() {
		return w, nil
	}
	if depth > docs.MaxPageDepth {
		return nil, errTooDeep
	}
	w.Path = path
	children, err := t.Children(ctx, p.ID)
	if err != nil {
		return nil, err
	}
	for _, c := range children {
		below, err := t.subtree(ctx, c, path+"/"+c.Slug, depth+1)
		if err != nil {
			return nil, err
		}
		w.Children = append(w.Children, below)
	}
	return w, nil
}

// Home returns the page that a reader sees first: the first document in
// order. ok is false when there is none.
func (t *Tree) Home(ctx context.Context) (p docs.Page, ok bool, err error) {
	return t.firstDocument(ctx, "", 0)
}

func (t *Tree) firstDocument(ctx context.Context, parent docs.PageID, depth int) (docs.Page, bool, error) {
	var first docs.Page
	found := false
	if depth > docs.MaxPageDepth {
		return first, false, nil
	}
	err := t.Scan(ctx, KeyOrder+string(parent)+Sep, "", func(rest string, _ []byte) (bool, error) {
		_, id, _ := strings.Cut(rest, Sep)
		p, ok, err := t.Lookup(ctx, docs.PageID(id))
		if ok && p.Type == docs.PageDocument {
			first, found = p, true
		} else if ok {
			first, found, err = t.firstDocument(ctx, p.ID, depth+1)
		}
		return !found, err
	})
	return first, found, err
}

// PageAt returns the page at the longest part of an address that leads to one,
// ignoring redirects, and the rest of the address.
func (t *Tree) PageAt(ctx context.Context, path string) (p docs.Page, rest string, err error) {
	id, rest, err := reading.At(ctx, addresses{t}, path)
	if err != nil || id == "" {
		return p, rest, err
	}
	p, err = t.Page(ctx, id)
	return p, rest, err
}

// ByPath returns the page with an address. It follows redirects from the former
// addresses of pages that were moved or renamed, and of pages above them.
func (t *Tree) ByPath(ctx context.Context, path string) (docs.Page, error) {
	if strings.Trim(path, "/") == "" {
		p, ok, err := t.Home(ctx)
		if err == nil && !ok {
			err = errs.Missing("page")
		}
		return p, err
	}
	id, ok, err := reading.Find(ctx, addresses{t}, path)
	if err != nil {
		return docs.Page{}, err
	}
	if !ok {
		return docs.Page{}, errs.Missing("page")
	}
	return t.Page(ctx, id)
}

// addresses finds the pages of a tree by address, for package reading.
type addresses struct{ t *Tree }

func (a addresses) Child(ctx context.Context, parent docs.PageID, slug string) (docs.PageID, bool, error) {
	id, ok, err := a.t.BySlug(ctx, parent, slug)
	if ok && a.t.visitor != nil {
		_, ok, err = a.t.Lookup(ctx, id)
	}
	return id, ok, err
}

func (a addresses) Address(ctx context.Context, id docs.PageID) (string, error) {
	return a.t.PathOf(ctx, id)
}

func (a addresses) Moved(ctx context.Context, address string) (docs.PageID, bool, error) {
	id, ok, err := a.t.ByFormerPath(ctx, address)
	if err != nil || !ok {
		return "", false, err
	}
	_, exists, err := a.t.Lookup(ctx, id)
	return id, exists, err
}

// File returns a file by id.
func (t *Tree) File(ctx context.Context, id docs.FileID) (docs.File, error) {
	b, ok, err := t.Get(ctx, FileKey(id))
	if err == nil && !ok {
		err = errs.Missing("file")
	}
	if err != nil {
		return docs.File{}, err
	}
	return DecodeFile(string(id), b)
}

func DecodeFile(id string, b []byte) (docs.File, error) {
	var f docs.File
	err := json.Unmarshal(b, &f)
	f.ID = docs.FileID(id)
	return f, err
}

// Files returns the files in order of their ids that come after an id, at most
// limit of them (0: all).
func (t *Tree) Files(ctx context.Context, after docs.FileID, limit int) ([]docs.File, error) {
	from := ""
	if after != "" {
		from = string(after) + Sep
	}
	out := []docs.File{}
	err := t.Scan(ctx, KeyFile, from, func(id string, b []byte) (bool, error) {
		f, err := DecodeFile(id, b)
		out = append(out, f)
		return limit == 0 || len(out) < limit, err
	})
	return out, err
}

// HasText reports whether any page of a revision has a text.
func (v *View) HasText(ctx context.Context) (bool, error) {
	found := false
	err := v.Scan(ctx, KeyPage, "", func(id string, b []byte) (bool, error) {
		p, err := docs.DecodePage(id, b)
		found = p.Body != ""
		return !found, err
	})
	return found, err
}

// CountPages counts the pages of a revision.
func (v *View) CountPages(ctx context.Context) (int, error) {
	n, err := chunk.CountPrefix(ctx, &v.src, v.Root, KeyPage)
	return n + v.more, err
}

// Reusable returns a reusable content by id.
func (t *Tree) Reusable(ctx context.Context, id docs.ReusableID) (docs.Reusable, error) {
	b, ok, err := t.Get(ctx, ReusableKey(id))
	if err == nil && !ok {
		err = errs.Missing("reusable content")
	}
	if err != nil {
		return docs.Reusable{}, err
	}
	return DecodeReusable(string(id), b)
}

func DecodeReusable(id string, b []byte) (docs.Reusable, error) {
	var r docs.Reusable
	err := json.Unmarshal(b, &r)
	r.ID = docs.ReusableID(id)
	return r, err
}

// Reusables returns all reusable contents.
func (t *Tree) Reusables(ctx context.Context) ([]docs.Reusable, error) {
	out := []docs.Reusable{}
	err := t.Scan(ctx, KeyReusable, "", func(id string, b []byte) (bool, error) {
		r, err := DecodeReusable(id, b)
		out = append(out, r)
		return true, err
	})
	return out, err
}

// Variables returns the variables of the space.
func (t *Tree) Variables(ctx context.Context) (docs.Variables, error) {
	out := docs.Variables{}
	err := t.Scan(ctx, KeyVariable, "", func(name string, b []byte) (bool, error) {
		var v any
		d := json.NewDecoder(bytes.NewReader(b))
		err := d.Decode(&v)
		out[name] = v
		return true, err
	})
	return out, err
}

// Named returns the kind (KeyPage, KeyFile or KeyReusable) and the id of the page, file or
// reusable content at a path of the folder.
func (t *Tree) Named(ctx context.Context, path string) (kind, id string, ok bool, err error) {
	b, ok, err := t.Get(ctx, NameKey(path))
	if err != nil || !ok {
		return "", "", false, err
	}
	kind, id = splitOwner(b)
	return kind, id, true, nil
}

// NamedLike returns what Named returns for a path in any normal form.
func (t *Tree) NamedLike(ctx context.Context, path string) (kind, id string, ok bool, err error) {
	for _, s := range names.Spellings(path) {
		if kind, id, ok, err = t.Named(ctx, s); err != nil || ok {
			break
		}
	}
	return kind, id, ok, err
}

// Setting returns a setting, such as SettingSummary, or nil if there is none.
func (t *Tree) Setting(ctx context.Context, name string) ([]byte, error) {
	b, _, err := t.Get(ctx, KeySetting+name)
	return b, err
}

// Diff calls fn for every key whose value differs between two trees. The value of
// a missing key is nil.
func (t *Tree) Diff(ctx context.Context, from, to chunk.Hash, fn func(key string, before, after []byte) error) error {
	return chunk.Diff(ctx, &t.src, from, to, fn)
}

// At returns another tree of the same source by its root.
func (t *Tree) At(root chunk.Hash) *Tree { return &Tree{src: t.src, Root: root} }

// Bytes returns a stored source.
func (t *Tree) Bytes(ctx context.Context, h chunk.Hash) ([]byte, error) { return t.src.Bytes(ctx, h) }

// Linker returns a linker for a source in a file.
func (t *Tree) Linker(ctx context.Context, file string) *Linker {
	return &Linker{ctx: ctx, t: t, base: t.src.s.BaseURL, file: file}
}

// Count returns how many keys of the stored tree begin with a prefix.
func (t *Tree) Count(ctx context.Context, prefix string) (int, error) {
	return chunk.CountPrefix(ctx, &t.src, t.Root, prefix)
}
