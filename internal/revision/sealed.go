package revision

import (
	"context"
	"errors"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Sealed is a complete draft: its changes, and the tree of its revision. It holds
// all objects to be stored, so that nothing is hashed in a transaction.
type Sealed struct {
	Base docs.Revision
	Root chunk.Hash

	src     reader
	whole   *chunk.Hash // the existing tree that the draft was made equal to, if any
	edits   []chunk.Edit
	sources []store.Object
	nodes   []store.Object
	pages   map[docs.PageID]bool // the pages that it edits; nil if it does more than that
}

// Seal completes the draft. The tree is made by Sealed.On.
func (d *Draft) Seal(ctx context.Context) (*Sealed, error) {
	out := &Sealed{Base: d.Base, src: d.src, whole: d.whole}
	if d.whole != nil {
		return out, nil
	}
	if err := d.KeepTombstones(ctx); err != nil {
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

// On returns a copy of s with the tree that its changes make of a revision: the base of
// the draft, or a later revision of which s is independent.
func (s *Sealed) On(ctx context.Context, base docs.Revision) (*Sealed, error) {
	out := *s
	out.Base, out.nodes = base, nil
	if s.whole != nil {
		out.Root = *s.whole
		return &out, nil
	}
	var err error
	out.Root, err = chunk.Apply(ctx, &s.src, base.Root, s.edits, func(n chunk.NewNode) {
		out.nodes = append(out.nodes, store.Object{Hash: n.Hash, Data: n.Data, Base: n.Base})
		s.src.s.objects.Set(n.Hash, object{node: n.Node})
	})
	return &out, err
}

// Sources returns the new texts to be stored.
func (s *Sealed) Sources() []store.Object { return s.sources }

// Nodes returns the new nodes of the tree to be stored.
func (s *Sealed) Nodes() []store.Object { return s.nodes }

// Changed reports whether the tree differs from that of the base.
func (s *Sealed) Changed() bool { return s.Root != s.Base.Root }

// Pages returns the pages whose text or metadata the draft edits. It returns nil if
// the draft also changes something else, such as by adding, moving or deleting a page.
func (s *Sealed) Pages() map[docs.PageID]bool { return s.pages }

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

// Independent reports whether the changes from the base to another revision are
// independent of s: both edit only the text or metadata of pages, and of different
// ones.
func (s *Sealed) Independent(ctx context.Context, of docs.Revision) (bool, error) {
	if s.pages == nil {
		return false, nil
	}
	err := chunk.Diff(ctx, &s.src, s.Base.Root, of.Root, func(key string, before, after []byte) error {
		id, err := edited(s.src.s.drafts, key, before, after)
		if err == nil && (id == "" || s.pages[id]) {
			err = errDependent
		}
		return err
	})
	if errors.Is(err, errDependent) {
		return false, nil
	}
	return err == nil, err
}

// Tree returns the tree that On made.
func (s *Sealed) Tree() *Tree { return s.src.s.Tree(s.src.r, s.Root) }

// Hold lets other readers of the Source read the nodes of the tree before they are
// stored, until release is called.
func (s *Sealed) Hold() (release func()) {
	for _, n := range s.nodes {
		s.src.s.pending.Store(n.Hash, n.Data)
	}
	return func() {
		for _, n := range s.nodes {
			s.src.s.pending.Delete(n.Hash)
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
