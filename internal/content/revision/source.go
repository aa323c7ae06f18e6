package revision

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/octavo-docs/octavo/internal/cache"
	"github.com/octavo-docs/octavo/internal/chunk"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

// Source opens revisions and reads their objects through a cache. One Source
// serves all spaces, because objects are immutable.
type Source struct {
	Store   *store.Store
	BaseURL string // of this server, without a slash at the end
	Uses    Uses   // asked for visitors

	objects   *cache.Cache[chunk.Hash, object]
	pages     *PageCache
	drafts    *PageCache
	skeletons *skeletonCache
	// unread holds conditions that older versions of Octavo did not read, by the
	// source of their page (see Tree.Condition).
	unread *cache.Cache[chunk.Hash, string]
	since  atomic.Int64 // Store.ConditionsRead; 0: not read yet

	pending sync.Map // chunk.Hash -> []byte: nodes of revisions that are being stored
}

// The maximum sizes of the caches, in bytes.
const (
	maxObjects    = 48 << 20
	maxPages      = 16 << 20
	maxDraftPages = 8 << 20
	maxUnread     = 4 << 20
)

// NewSource returns a source over a store.
func NewSource(st *store.Store, baseURL string) *Source {
	unread := cache.New[chunk.Hash](maxUnread, func(condition string) int { return len(condition) + 128 })
	return &Source{Store: st, BaseURL: baseURL, unread: unread, pages: NewPageCache(maxPages), drafts: newDraftPages(), skeletons: newSkeletonCache(), objects: cache.New[chunk.Hash](maxObjects, func(o object) int {
		if o.node != nil {
			return o.node.Size()
		}
		return len(o.data) + 128
	})}
}

// object is a cached object: a decoded node or bytes.
type object struct {
	node *chunk.Node
	data []byte
}

// reader reads objects through the cache. As a chunk.Source it is passed by its
// address, which saves an allocation.
type reader struct {
	s   *Source
	r   store.Reader
	new *Unsaved // of a draft
}

// Unsaved are objects that are not in the database yet.
type Unsaved struct {
	mu      sync.RWMutex
	objects map[chunk.Hash]store.Object
}

func (u *Unsaved) get(h chunk.Hash) ([]byte, bool) {
	if u == nil {
		return nil, false
	}
	u.mu.RLock()
	defer u.mu.RUnlock()
	o, ok := u.objects[h]
	return o.Data, ok
}

func (u *Unsaved) set(o store.Object) {
	u.mu.Lock()
	u.objects[o.Hash] = o
	u.mu.Unlock()
}

// All returns the objects, in no particular order.
func (u *Unsaved) All() []store.Object {
	u.mu.RLock()
	defer u.mu.RUnlock()
	return slices.Collect(maps.Values(u.objects))
}

// Drop removes objects that were saved.
func (u *Unsaved) Drop(saved []store.Object) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, o := range saved {
		delete(u.objects, o.Hash)
	}
}

// Node implements chunk.Source.
func (s reader) Node(ctx context.Context, h chunk.Hash) (*chunk.Node, error) {
	if o, ok := s.s.objects.Get(h); ok && o.node != nil {
		return o.node, nil
	}
	b, err := s.stored(ctx, h)
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

// Bytes returns a stored source.
func (s reader) Bytes(ctx context.Context, h chunk.Hash) ([]byte, error) {
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
		b = []byte{} // nil is an object that is not cached
	}
	s.s.objects.Set(h, object{data: b})
	return b, nil
}

// damaged returns the error for an object that cannot be read. A missing object is
// damage and not errs.NotFound, because no caller asked for it by name.
func damaged(h chunk.Hash, err error) error {
	if errs.Is(err, errs.NotFound) {
		return fmt.Errorf("the object %s is missing; restore a backup", h)
	}
	return fmt.Errorf("object %s: %w", h, err)
}

// View is a revision of a space, for reading.
type View struct {
	*Tree
	Space docs.Space
	Rev   docs.Revision
	// Stamp names what the computed pages of the view are made of. It is empty if
	// there are none.
	Stamp string
	// Known reports whether the visitor sees a page, if the caller has a list of these
	// pages. If it is nil, the page is looked up.
	Known func(ctx context.Context, id docs.PageID) (bool, error)
}

// Head opens the newest revision of a space.
func (s *Source) Head(ctx context.Context, sp docs.Space) (*View, error) {
	return s.At(ctx, s.Store.Reader, sp, sp.Revision)
}

// At opens a revision of a space; r is the pool or a transaction.
func (s *Source) At(ctx context.Context, r store.Reader, sp docs.Space, id docs.RevisionID) (*View, error) {
	rev, err := r.Revision(ctx, sp.ID, id)
	if err != nil {
		return nil, err
	}
	return &View{Tree: &Tree{src: reader{s: s, r: r}, Root: rev.Root}, Space: sp, Rev: rev}, nil
}

// View returns a view of a revision that has just been made.
func (s *Source) View(sp docs.Space, rev docs.Revision) *View {
	return &View{Tree: s.Tree(s.Store.Reader, rev.Root), Space: sp, Rev: rev}
}

// Tree returns a tree by its root; r is the pool or a transaction.
func (s *Source) Tree(r store.Reader, root chunk.Hash) *Tree {
	return &Tree{src: reader{s: s, r: r}, Root: root}
}

// stored returns the bytes of a node, also if it is still being stored.
func (s reader) stored(ctx context.Context, h chunk.Hash) ([]byte, error) {
	if data, ok := s.s.pending.Load(h); ok {
		return data.([]byte), nil
	}
	return s.r.Object(ctx, h)
}
