// Package cache keeps values in memory up to a weight and lets go of what
// was not asked for the longest. It is for values that never change under
// their key, so it has no time limits and nothing to invalidate.
package cache

import "sync"

// Cache is safe for concurrent use.
type Cache[K comparable, V any] struct {
	mu      sync.Mutex
	items   map[K]*item[K, V]
	newest  *item[K, V] // of a ring
	weight  int
	most    int
	weigher func(V) int
}

type item[K comparable, V any] struct {
	key        K
	value      V
	weight     int
	next, prev *item[K, V] // older, newer
}

// New gives a cache for values whose weights add up to at most most.
func New[K comparable, V any](most int, weigher func(V) int) *Cache[K, V] {
	return &Cache[K, V]{items: map[K]*item[K, V]{}, most: most, weigher: weigher}
}

// Get gives a value, and notes that it was asked for.
func (c *Cache[K, V]) Get(key K) (value V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	it, ok := c.items[key]
	if !ok {
		return value, false
	}
	if it != c.newest {
		c.unlink(it)
		c.link(it)
	}
	return it.value, true
}

// Set keeps a value. One that alone is too heavy is not kept.
func (c *Cache[K, V]) Set(key K, value V) {
	w := c.weigher(value)
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.items[key]; ok {
		c.drop(old)
	}
	if w > c.most {
		return
	}
	it := &item[K, V]{key: key, value: value, weight: w}
	c.items[key] = it
	c.weight += w
	c.link(it)
	for c.weight > c.most {
		c.drop(c.newest.prev)
	}
}

// Weight of everything that is kept.
func (c *Cache[K, V]) Weight() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.weight
}

func (c *Cache[K, V]) drop(it *item[K, V]) {
	delete(c.items, it.key)
	c.weight -= it.weight
	c.unlink(it)
}

// link makes an item the newest of the ring.
func (c *Cache[K, V]) link(it *item[K, V]) {
	if c.newest == nil {
		it.next, it.prev = it, it
	} else {
		it.next, it.prev = c.newest, c.newest.prev
		it.prev.next, it.next.prev = it, it
	}
	c.newest = it
}

func (c *Cache[K, V]) unlink(it *item[K, V]) {
	if it.next == it {
		c.newest = nil
		return
	}
	it.prev.next, it.next.prev = it.next, it.prev
	if c.newest == it {
		c.newest = it.next
	}
}
