package cache

import "time"

// Once reports whether it has not reported true for a key within a time.
func Once[K comparable](seen *Cache[K, time.Time], key K, within time.Duration, now time.Time) bool {
	if last, known := seen.Get(key); known && now.Sub(last) < within {
		return false
	}
	seen.Set(key, now)
	return true
}
