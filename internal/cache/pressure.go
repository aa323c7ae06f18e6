package cache

import (
	"sync"
	"sync/atomic"
	"weak"
)

// Caches are the first to give memory back when a process has little left.
var (
	percent atomic.Int64 // of its bound that each cache may use; 0 means all
	known   struct {
		sync.Mutex
		trims []func() bool // each reports whether its cache is still in use
	}
)

// LimitAll bounds all caches to a part of what they may hold, in percent, and evicts what they have
// above it.
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

// remember lets LimitAll find a cache for as long as it is in use.
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

// bound returns how heavy the cache may be now.
func (c *Cache[K, V]) bound() int64 {
	if part := percent.Load(); part > 0 && part < 100 {
		return c.most * part / 100
	}
	return c.most
}

// trim evicts until the cache is not too heavy.
func (c *Cache[K, V]) trim() {
	for most := c.bound(); c.weight.Load() > most; {
		c.evictOne(nil)
	}
}
