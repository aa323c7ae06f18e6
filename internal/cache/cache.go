// Package cache holds values in memory up to a total weight, and evicts the least recently used
// ones. It is for values that never change under their key, so there is no expiry and no
// invalidation.
package cache

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
)

// shardCount is the number of shards, each with its own lock. With this many, two processors rarely
// need the same lock.
const shardCount = 32

// Cache is a cache that is safe for concurrent use. The hash of a key selects its shard. Each
// shard has its own lock and its own order of use. The weight is counted across all shards, so a
// value may be as heavy as the whole cache.
type Cache[K comparable, V any] struct {
	shards  []shard[K, V]
	seed    maphash.Seed
	weigher func(V) int
	most    int64
	weight  atomic.Int64
	evict   atomic.Uint32 // the shard that evicts next
}

// shard is a map whose items form a ring in the order of use.
type shard[K comparable, V any] struct {
	mu     sync.Mutex
	items  map[K]*item[K, V]
	newest *item[K, V]
	_      [40]byte // keeps two shards from sharing a cache line
}

type item[K comparable, V any] struct {
	key        K
	value      V
	weight     int64
	next, prev *item[K, V] // older, newer
}

// New returns a cache for values whose total weight is at most most.
func New[K comparable, V any](most int, weigher func(V) int) *Cache[K, V] {
	c := newSharded[K](shardCount, most, weigher)
	register(c)
	return c
}

func newSharded[K comparable, V any](shards, most int, weigher func(V) int) *Cache[K, V] {
	c := &Cache[K, V]{shards: make([]shard[K, V], shards), seed: maphash.MakeSeed(), weigher: weigher, most: int64(most)}
	for i := range c.shards {
		c.shards[i].items = map[K]*item[K, V]{}
	}
	return c
}

func (c *Cache[K, V]) shardOf(key K) *shard[K, V] {
	return &c.shards[maphash.Comparable(c.seed, key)%uint64(len(c.shards))]
}

// Get returns the value of a key and marks it as used.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	s := c.shardOf(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	it, ok := s.items[key]
	if !ok {
		return value, false
	}
	if it != s.newest {
		s.unlink(it)
		s.link(it)
	}
	return it.value, true
}

// Set stores a value and evicts others if the cache is too heavy. It does not store a value that is
// heavier than the whole cache.
func (c *Cache[K, V]) Set(key K, value V) {
	w := int64(c.weigher(value))
	most := c.bound()
	if w > most {
		c.Delete(key)
		return
	}
	s := c.shardOf(key)
	s.mu.Lock()
	if old, ok := s.items[key]; ok {
		s.remove(old)
		c.weight.Add(-old.weight)
	}
	it := &item[K, V]{key: key, value: value, weight: w}
	s.items[key] = it
	s.link(it)
	c.weight.Add(w)
	s.mu.Unlock()
	for c.weight.Load() > most {
		c.evictOne(it)
	}
}

// evictOne removes the least recently used item of the next shard, unless it is the one that was just
// added. The shards take turns. Keys are spread evenly, so this approximates the order of use in the
// whole cache.
func (c *Cache[K, V]) evictOne(added *item[K, V]) {
	s := &c.shards[c.evict.Add(1)%uint32(len(c.shards))]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.newest == nil || s.newest.prev == added {
		return
	}
	oldest := s.newest.prev
	s.remove(oldest)
	c.weight.Add(-oldest.weight)
}

// Delete removes the value of a key.
func (c *Cache[K, V]) Delete(key K) {
	s := c.shardOf(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if old, ok := s.items[key]; ok {
		s.remove(old)
		c.weight.Add(-old.weight)
	}
}

func (s *shard[K, V]) remove(it *item[K, V]) {
	delete(s.items, it.key)
	s.unlink(it)
}

// link adds an item to the ring as the newest one.
func (s *shard[K, V]) link(it *item[K, V]) {
	if s.newest == nil {
		it.next, it.prev = it, it
	} else {
		it.next, it.prev = s.newest, s.newest.prev
		it.prev.next, it.next.prev = it, it
	}
	s.newest = it
}

func (s *shard[K, V]) unlink(it *item[K, V]) {
	if it.next == it {
		s.newest = nil
		return
	}
	it.prev.next, it.next.prev = it.next, it.prev
	if s.newest == it {
		s.newest = it.next
	}
}
