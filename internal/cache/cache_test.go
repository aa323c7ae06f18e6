package cache

import (
	"math/rand/v2"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "github.com/octavo-docs/octavo/internal/testing/testrapid"
)

// TestEvictsTheLeastRecentlyUsed compares a cache of one shard, whose order of use is exact, with a
// list as the model.
func TestEvictsTheLeastRecentlyUsed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const most = 20
		c := newSharded[int](1, most, func(v int) int { return v })
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
			switch rapid.IntRange(0, 4).Draw(t, "action") {
			case 0:
				c.Delete(key)
				if at >= 0 {
					model = append(append([]entry{}, model[:at]...), model[at+1:]...)
				}
				continue
			case 1, 2:
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
					if int(c.weight.Load()) != sum {
						t.Fatalf("weight %d, want %d", int(c.weight.Load()), sum)
					}
					break
				}
				model = model[:len(model)-1]
			}
		}
	})
}

// TestTheWeightIsBounded uses a cache from several goroutines.
func TestTheWeightIsBounded(t *testing.T) {
	const most, heaviest = 1000, 990
	c := New[int](most, func(v int) int { return v })
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(g)))
			for range 20_000 {
				key := r.IntN(300)
				weight := 1 + key%40
				if key == 0 {
					weight = heaviest
				}
				if v, ok := c.Get(key); ok && v != weight {
					t.Errorf("key %d has the value %d, want %d", key, v, weight)
				}
				switch r.IntN(10) {
				case 0:
					c.Delete(key)
				default:
					c.Set(key, weight)
				}
			}
		})
	}
	all.Wait()
	sum := 0
	for key := range 300 {
		if v, ok := c.Get(key); ok {
			sum += v
		}
	}
	if sum != int(c.weight.Load()) || sum > most {
		t.Errorf("the values weigh %d, the cache says %d, the limit is %d", sum, int(c.weight.Load()), most)
	}
	c.Set(0, heaviest)
	if _, ok := c.Get(0); !ok {
		t.Error("a value that is nearly as heavy as the cache was not stored")
	}
	c.Set(0, most+1)
	if _, ok := c.Get(0); ok {
		t.Error("a value that is heavier than the cache was stored, or the old one was kept")
	}
}

// Under memory pressure, caches hold less. Afterwards they hold more again.
func TestUse(t *testing.T) {
	c := New[int](1000, func(int) int { return 1 })
	fill := func() int {
		for i := range 1000 {
			c.Set(i, i)
		}
		return int(c.weight.Load())
	}
	if n := fill(); n != 1000 {
		t.Fatalf("%d at first", n)
	}
	defer LimitAll(100)
	LimitAll(10)
	if n := c.weight.Load(); n > 100 {
		t.Errorf("%d are left", n)
	}
	if n := fill(); n > 100 {
		t.Errorf("%d after more were set", n)
	}
	LimitAll(100)
	if n := fill(); n != 1000 {
		t.Errorf("%d in the end", n)
	}
}
