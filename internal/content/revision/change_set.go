package revision

import (
	"context"
	"errors"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// ChangeSet is what a draft changes: the keys of the tree and the texts. It can be
// applied to the base of the draft, or to a later revision of which it is independent.
type ChangeSet struct {
	Base docs.Revision // the base of the draft

	src     reader
	whole   *chunk.Hash // the existing tree that the draft was made equal to, if any
	edits   []chunk.Edit
	sources []store.Object
	pages   map[docs.PageID]bool // the pages that it edits; nil if it does more than that
}

// ChangeSet returns what the draft changes. The draft must not be changed afterwards.
func (d *Draft) ChangeSet(ctx context.Context) (*ChangeSet, error) {
	out := &ChangeSet{Base: d.Base, src: d.src, whole: d.whole}
	if d.whole != nil {
		return out, nil
	}
	if err := d.UpdateTombstones(ctx); err != nil {
		return nil, err
	}
	out.sources = d.Unsaved.All()
	out.pages = map[docs.PageID]bool{}
	err := d.Changes(ctx, func(key string, before, after []byte) error {
		out.edits = append(out.edits, chunk.Edit{Key: key, Value: after})
		if out.pages == nil {
			return nil
		}
		id, err := edited(d.Cache, key, before, after)
		if id == "" {
			out.pages = nil
		} else {
			out.pages[id] = true
		}
		return err
	})
	return out, err
}

// NewTree is the tree of a revision that is not stored yet. It holds all nodes to be
// stored, so that nothing is hashed in a transaction.
type NewTree struct {
	Base docs.Revision // the revision before it
	Root chunk.Hash

	src   reader
	nodes []store.Object
}

// Apply returns the tree that the changes make of a revision.
func (c *ChangeSet) Apply(ctx context.Context, base docs.Revision) (*NewTree, error) {
	t := &NewTree{Base: base, src: c.src}
	if c.whole != nil {
		t.Root = *c.whole
		return t, nil
	}
	var err error
	t.Root, err = chunk.Apply(ctx, &c.src, base.Root, c.edits, func(n chunk.NewNode) {
		t.nodes = append(t.nodes, store.Object{Hash: n.Hash, Data: n.Data, Base: n.Base})
		c.src.s.objects.Set(n.Hash, object{node: n.Node})
	})
	return t, err
}

// Sources returns the new texts to be stored.
func (c *ChangeSet) Sources() []store.Object { return c.sources }

// Nodes returns the new nodes to be stored.
func (t *NewTree) Nodes() []store.Object { return t.nodes }

// Changed reports whether the tree differs from that of the base.
func (t *NewTree) Changed() bool { return t.Root != t.Base.Root }

// Pages returns the pages whose text or metadata the draft edits. It returns nil if
// the draft also changes something else, such as by adding, moving or deleting a page.
func (c *ChangeSet) Pages() map[docs.PageID]bool { return c.pages }

// edited returns the page whose text or metadata the change of a key edits, or ""
// if it changes something else.
func edited(pages *PageCache, key string, before, after []byte) (docs.PageID, error) {
	id, is := strings.CutPrefix(key, KeyPage)
	if !is || before == nil || after == nil {
		return "", nil
	}
	was, now, err := pages.Both(docs.PageID(id), before, after)
	if err != nil {
		return "", err
	}
	if was.Type != now.Type || was.Parent != now.Parent || was.Rank != now.Rank || was.Slug != now.Slug || was.Pinned != now.Pinned || was.File != now.File {
		return "", nil
	}
	return now.ID, nil
}

var errDependent = errors.New("the changes depend on each other")

// Independent reports whether c and the changes from its base to another revision are
// independent: both edit only the text or metadata of pages, and of different ones.
func (c *ChangeSet) Independent(ctx context.Context, of docs.Revision) (bool, error) {
	if c.pages == nil {
		return false, nil
	}
	err := chunk.Diff(ctx, &c.src, c.Base.Root, of.Root, func(key string, before, after []byte) error {
		id, err := edited(c.src.s.drafts, key, before, after)
		if err == nil && (id == "" || c.pages[id]) {
			err = errDependent
		}
		return err
	})
	if errors.Is(err, errDependent) {
		return false, nil
	}
	return err == nil, err
}

// Tree returns the tree for reading.
func (t *NewTree) Tree() *Tree { return t.src.s.Tree(t.src.r, t.Root) }

// Hold lets other readers of the Source read the nodes of the tree before they are
// stored, until release is called.
func (t *NewTree) Hold() (release func()) {
	for _, n := range t.nodes {
		t.src.s.pending.Store(n.Hash, n.Data)
	}
	return func() {
		for _, n := range t.nodes {
			t.src.s.pending.Delete(n.Hash)
		}
	}
}

// Changes calls fn for every key of the draft whose value differs from that of
// its base. The value of a missing key is nil.
func (d *Draft) Changes(ctx context.Context, fn func(key string, before, after []byte) error) error {
	if d.whole != nil {
		return d.Diff(ctx, d.Base.Root, *d.whole, fn)
	}
	before := d.Before()
	for _, key := range d.over.from("") {
		was, had, err := before.Get(ctx, key)
		if err != nil {
			return err
		}
		if !had {
			was = nil
		}
		after := d.over.values[key]
		if had == (after != nil) && string(was) == string(after) {
			continue
		}
		if err := fn(key, was, after); err != nil {
			return err
		}
	}
	return nil
}
