package cache

import (
	"sync"
	"sync/atomic"
	"weak"
)

// Caches release memory first when a process has little left.
var (
	percent atomic.Int64 // of its maximum weight that each cache may use; 0 means 100
	known   struct {
		sync.Mutex
		trims []func() bool // each trims a cache and reports whether the cache still exists
	}
)

// LimitAll limits all caches to a percentage of their maximum weight, and evicts the excess.
func LimitAll(part int) {
	percent.Store(int64(part))
	known.Lock()
	defer known.Unlock()
	left := known.trims[:0]
	for _, trim := range known.trims {
		if trim() {
			left = append(left, trim)
		}
	}
	clear(known.trims[len(left):])
	known.trims = left
}

// remember registers a cache for LimitAll, without keeping it from being garbage collected.
func remember[K comparable, V any](c *Cache[K, V]) {
	w := weak.Make(c)
	known.Lock()
	defer known.Unlock()
	known.trims = append(known.trims, func() bool {
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
