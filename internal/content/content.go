// Package content is the service for what is in a space: pages, files and
// reusable contents in immutable revisions, the references between them, and
// the search over them.
//
// A revision is one sorted map in chunks (see package chunk). A tree reads
// it; a draft is a tree with changes on top; commit turns a draft into the
// next revision together with everything that is derived from it.
package content

import (
	"context"
	"fmt"
	"log/slog"
	"sync"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/outbound"
	"github.com/octavo-docs/octavo/internal/pdf"
	"github.com/octavo-docs/octavo/internal/store"
)

// Service reads and changes content.
type Service struct {
	Store    *store.Store
	Blobs    blob.Store
	Outbound outbound.Policy
	BaseURL  string // without a slash at the end
	Log      *slog.Logger
	Fonts    *pdf.Fonts // of PDFs, besides the bundled ones; nil is none
	// Moved is told of every revision that becomes the newest of a space, in
	// the transaction that makes it so; nil is nobody.
	Moved func(ctx context.Context, tx *store.Tx, sp docs.Space, rev docs.Revision) error

	highlight *markup.Highlighter
	objects   *cache.Cache[chunk.Hash, object]
	reports   *cache.Cache[docs.RevisionID, *linkReport]
	relinked  *cache.Cache[twoTrees, *relinked]
	places    *cache.Cache[string, place]
}

// object is what the cache keeps of an object: a node, or bytes.
type object struct {
	node *chunk.Node
	data []byte
}

// Bounds of what is kept in memory.
const (
	maxObjects  = 48 << 20 // bytes
	maxReports  = 16 << 20 // bytes
	maxRelinked = 16 << 20 // bytes
	maxColored  = 8 << 20  // bytes, of code in PDFs
)

// New gives a service over a store.
func New(s Service) *Service {
	s.objects = cache.New[chunk.Hash](maxObjects, func(o object) int {
		if o.node != nil {
			return o.node.Size()
		}
		return len(o.data) + 128
	})
	s.highlight = markup.NewHighlighter(maxColored)
	s.reports = cache.New[docs.RevisionID](maxReports, (*linkReport).size)
	s.relinked = cache.New[twoTrees](maxRelinked, (*relinked).size)
	s.places = cache.New[string](maxPlaces, func(p place) int { return p.size + 256 })
	return &s
}

// source reads objects through the cache. What an object holds never
// changes, so it does not matter who read it first.
type source struct {
	s   *Service
	r   store.Reader
	new *unsaved // of a draft
}

// unsaved are objects that are not in the database yet.
type unsaved struct {
	mu   sync.RWMutex
	data map[chunk.Hash][]byte
}

func (u *unsaved) get(h chunk.Hash) ([]byte, bool) {
	if u == nil {
		return nil, false
	}
	u.mu.RLock()
	defer u.mu.RUnlock()
	data, ok := u.data[h]
	return data, ok
}

func (u *unsaved) set(h chunk.Hash, data []byte) {
	u.mu.Lock()
	u.data[h] = data
	u.mu.Unlock()
}

// all gives the objects that there are now.
func (u *unsaved) all() []store.Object {
	u.mu.RLock()
	defer u.mu.RUnlock()
	out := make([]store.Object, 0, len(u.data))
	for h, data := range u.data {
		out = append(out, store.Object{Hash: h, Data: data})
	}
	return out
}

// drop forgets objects that were saved.
func (u *unsaved) drop(saved []store.Object) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, o := range saved {
		delete(u.data, o.Hash)
	}
}

// Node implements chunk.Source.
func (s source) Node(ctx context.Context, h chunk.Hash) (*chunk.Node, error) {
	if o, ok := s.s.objects.Get(h); ok && o.node != nil {
		return o.node, nil
	}
	b, err := s.r.Object(ctx, h)
	if err != nil {
		return nil, damaged(h, err)
	}
	n, err := chunk.Decode(b)
	if err != nil {
		return nil, damaged(h, err)
	}
	s.s.objects.Set(h, object{node: n})
	return n, nil
}

// Bytes gives a stored source.
func (s source) Bytes(ctx context.Context, h chunk.Hash) ([]byte, error) {
	if h == "" {
		return nil, nil
	}
	if data, ok := s.new.get(h); ok {
		return data, nil
	}
	if o, ok := s.s.objects.Get(h); ok && o.data != nil {
		return o.data, nil
	}
	b, err := s.r.Object(ctx, h)
	if err != nil {
		return nil, damaged(h, err)
	}
	if b == nil {
		b = []byte{} // an empty one
	}
	s.s.objects.Set(h, object{data: b})
	return b, nil
}

// damaged says that content is missing that must be there: nobody asked for
// it by name, so it is no "not found".
func damaged(h chunk.Hash, err error) error {
	if errs.Is(err, errs.NotFound) {
		return fmt.Errorf("the object %s is missing; restore a backup", h)
	}
	return fmt.Errorf("object %s: %w", h, err)
}

// View is a revision of a space that is read.
type View struct {
	tree
	Space docs.Space
	Rev   docs.Revision
}

// Head opens the newest revision of a space.
func (s *Service) Head(ctx context.Context, sp docs.Space) (*View, error) {
	return s.At(ctx, s.Store.Reader, sp, sp.Revision)
}

// At opens a revision of a space; r is the pool or a transaction.
func (s *Service) At(ctx context.Context, r store.Reader, sp docs.Space, id docs.RevisionID) (*View, error) {
	rev, err := r.Revision(ctx, sp.ID, id)
	if err != nil {
		return nil, err
	}
	return &View{tree: tree{src: source{s: s, r: r}, root: rev.Root}, Space: sp, Rev: rev}, nil
}

// view gives a revision that has just been made, for reading it afterwards.
func (s *Service) view(sp docs.Space, rev docs.Revision) *View {
	return &View{tree: tree{src: source{s: s, r: s.Store.Reader}, root: rev.Root}, Space: sp, Rev: rev}
}
