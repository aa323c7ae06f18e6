package cache

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkGetParallel reads from all processors at once. Most reads are of the same hundred rows,
// which every request needs. One read in a hundred is of any row. A miss is followed by a write.
func BenchmarkGetParallel(b *testing.B) {
	const rows = 20_000
	keys := make([]string, rows)
	for i := range keys {
		keys[i] = fmt.Sprintf("space/%020d", i)
	}
	run := func(b *testing.B, get func(string) bool, set func(string)) {
		b.ReportAllocs()
		for _, k := range keys[:rows/2] {
			set(k)
		}
		b.RunParallel(func(p *testing.PB) {
			r := rand.New(rand.NewPCG(1, rand.Uint64()))
			for p.Next() {
				n := r.Uint32()
				key := keys[n%100]
				if n>>8%100 == 0 {
					key = keys[n%rows]
				}
				if !get(key) {
					set(key)
				}
			}
		})
	}
	for _, shards := range []int{1, shardCount} {
		b.Run(fmt.Sprintf("shards=%d", shards), func(b *testing.B) {
			c := newSharded[string](shards, rows/2, func(*int) int { return 1 })
			run(b, func(k string) bool { _, ok := c.Get(k); return ok }, func(k string) { c.Set(k, new(int)) })
		})
	}
}
