package revision

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Sealed is a draft whose tree was made. It holds everything that has to be
// stored for the revision, so that nothing is hashed in a transaction.
type Sealed struct {
	Base docs.Revision
	Root chunk.Hash

	src     reader
	edits   []chunk.Edit
	sources []store.Object
	nodes   []store.Object
	pages   map[docs.PageID]bool // the pages that it edits; nil if it does more than that
}

// Seal makes the tree of the draft.
func (d *Draft) Seal(ctx context.Context) (*Sealed, error) {
	out := &Sealed{Base: d.Base, src: d.src}
	if d.whole != nil {
		out.Root = *d.whole
		return out, nil
	}
	if err := d.KeepTombstones(ctx); err != nil {
		return nil, err
	}
	out.sources = d.Unsaved.All()
	out.edits = make([]chunk.Edit, 0, len(d.over.keys))
	for _, key := range d.over.from("") {
		out.edits = append(out.edits, chunk.Edit{Key: key, Value: d.over.values[key]})
	}
	if err := out.plant(ctx, d.Root); err != nil {
		return nil, err
	}
	var err error
	out.pages, err = d.editedPages(ctx)
	return out, err
}

// plant makes the nodes of the tree on top of another one.
func (s *Sealed) plant(ctx context.Context, on chunk.Hash) (err error) {
	s.nodes = nil
	s.Root, err = chunk.Apply(ctx, s.src, on, s.edits, func(n chunk.NewNode) {
		s.nodes = append(s.nodes, store.Object{Hash: n.Hash, Data: n.Data, Base: n.Base})
		s.src.s.objects.Set(n.Hash, object{node: n.Node})
	})
	return err
}

// Objects returns what has to be stored.
func (s *Sealed) Objects() []store.Object { return slices.Concat(s.sources, s.nodes) }

// Changed reports whether the tree differs from that of the base.
func (s *Sealed) Changed() bool { return s.Root != s.Base.Root }

// Pages returns the pages whose text or metadata it edits, if it changes
// nothing else: no page comes, goes, moves or gets another address. Otherwise
// it returns nil.
func (s *Sealed) Pages() map[docs.PageID]bool { return s.pages }

// editedPages returns the pages that a draft edits, or nil if it does more.
func (d *Draft) editedPages(ctx context.Context) (map[docs.PageID]bool, error) {
	out := map[docs.PageID]bool{}
	before := d.Before()
	for key, after := range d.over.values {
		id, was, err := d.unchangedKey(ctx, before, key, after)
		if err != nil {
			return nil, err
		}
		if was {
			continue
		}
		if id == "" {
			return nil, nil
		}
		out[id] = true
	}
	return out, nil
}

// unchangedKey reports whether a key has the value that it had. Of one that
// has not, it returns the page that it edits, if it only edits one.
func (d *Draft) unchangedKey(ctx context.Context, before *Tree, key string, after []byte) (docs.PageID, bool, error) {
	was, had, err := before.Get(ctx, key)
	if err != nil {
		return "", false, err
	}
	if had == (after != nil) && string(was) == string(after) {
		return "", true, nil
	}
	if !had {
		was = nil
	}
	id, err := edited(key, was, after)
	return id, false, err
}

// edited returns the page that a change of a key edits, or nothing if it does
// something else.
func edited(key string, before, after []byte) (docs.PageID, error) {
	id, is := strings.CutPrefix(key, KeyPage)
	if !is || before == nil || after == nil {
		return "", nil
	}
	was, err := docs.DecodePage(id, before)
	if err != nil {
		return "", err
	}
	now, err := docs.DecodePage(id, after)
	if err != nil {
		return "", err
	}
	if was.Type != now.Type || was.Parent != now.Parent || was.Rank != now.Rank || was.Slug != now.Slug || was.Pinned != now.Pinned || was.File != now.File {
		return "", nil
	}
	return now.ID, nil
}

var errDependent = errors.New("the changes depend on each other")

// Independent reports whether what happened between the base and another
// revision has nothing to do with what was sealed: both edit pages, and not the
// same ones.
func (s *Sealed) Independent(ctx context.Context, of docs.Revision) (bool, error) {
	if s.pages == nil {
		return false, nil
	}
	err := chunk.Diff(ctx, s.src, s.Base.Root, of.Root, func(key string, before, after []byte) error {
		id, err := edited(key, before, after)
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

// Rebase makes the tree anew on top of a revision that is independent of it.
func (s *Sealed) Rebase(ctx context.Context, onto docs.Revision) (*Sealed, error) {
	out := *s
	out.Base = onto
	return &out, out.plant(ctx, onto.Root)
}

// Hold lets others read the nodes of the tree before they are stored. The
// function that it returns ends that.
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
// its base; nil is none.
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
