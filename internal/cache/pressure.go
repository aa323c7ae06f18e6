package cache

import (
	"sync"
	"sync/atomic"
	"weak"
)

// Caches release memory first when a process has little left.
var (
	percent  atomic.Int64 // of its maximum weight that each cache may use; 0 means 100
	registry struct {
		sync.Mutex
		trims []func() bool // each trims a cache and reports whether the cache still exists
	}
)

// LimitAll limits all caches to a percentage of their maximum weight, and evicts the excess.
func LimitAll(part int) {
	percent.Store(int64(part))
	registry.Lock()
	defer registry.Unlock()
	left := registry.trims[:0]
	for _, trim := range registry.trims {
		if trim() {
			left = append(left, trim)
		}
	}
	clear(registry.trims[len(left):])
	registry.trims = left
}

// register registers a cache for LimitAll, without keeping it from being garbage collected.
func register[K comparable, V any](c *Cache[K, V]) {
	w := weak.Make(c)
	registry.Lock()
	defer registry.Unlock()
	registry.trims = append(registry.trims, func() bool {
		c := w.Value()
		if c != nil {
			c.trim()
		}
		return c != nil
	})
}

// bound returns the current maximum weight of the cache.
func (c *Cache[K, V]) bound() int64 {
	if part := percent.Load(); part > 0 && part < 100 {
		return c.most * part / 100
	}
	return c.most
}

// trim evicts items until the weight is within bound.
func (c *Cache[K, V]) trim() {
	for most := c.bound(); c.weight.Load() > most; {
		c.evictOne(nil)
	}
}
