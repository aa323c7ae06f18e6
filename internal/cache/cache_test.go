package cache_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/octavo-docs/octavo/internal/cache"
)

// Against a list that is searched from one end to the other.
func TestKeepsTheNewestUpToItsWeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 20
		c := cache.New[int, int](most, func(v int) int { return v })
		type entry struct{ key, value int }
		var model []entry // newest first
		find := func(key int) int {
			for i, e := range model {
				if e.key == key {
					return i
				}
			}
			return -1
		}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			key := rapid.IntRange(0, 9).Draw(t, "key")
			at := find(key)
			if rapid.Bool().Draw(t, "get") {
				v, ok := c.Get(key)
				if ok != (at >= 0) || (ok && v != model[at].value) {
					t.Fatalf("get %d: %d %v, want %v", key, v, ok, model)
				}
				if at >= 0 {
					e := model[at]
					model = append([]entry{e}, append(append([]entry{}, model[:at]...), model[at+1:]...)...)
				}
				continue
			}
			v := rapid.IntRange(0, 25).Draw(t, "value")
			c.Set(key, v)
			if at >= 0 {
				model = append(append([]entry{}, model[:at]...), model[at+1:]...)
			}
			if v <= most {
				model = append([]entry{{key, v}}, model...)
			}
			for {
				sum := 0
				for _, e := range model {
					sum += e.value
				}
				if sum <= most {
					if c.Weight() != sum {
						t.Fatalf("weight %d, want %d", c.Weight(), sum)
					}
					break
				}
				model = model[:len(model)-1]
			}
		}
	})
}
