package main

import (
	"runtime"
	"testing"
)

func TestMemoryLimit(t *testing.T) {
	for text, want := range map[string]int64{"512MiB": 512 << 20, "2GB": 2 << 30, "1g": 1 << 30, "268435456": 256 << 20, "2000000K": 2000000 << 10} {
		if got, err := memoryLimit(text); err != nil || got != want {
			t.Errorf("%s: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"1MiB", "-1G", "many", "99999999999G", "5X", "1.5G"} {
		if got, err := memoryLimit(text); err == nil {
			t.Errorf("%s: %d", text, got)
		}
	}
	if got, err := memoryLimit(""); err != nil || got < minMemory || got > 1<<40 {
		t.Errorf("of this machine: %d, %v", got, err)
	}
}

func TestHeapOfALargeRequestStaysSmall(t *testing.T) {
	for _, c := range []struct{ live, before, want int64 }{ // MB
		{10, 10, 40},    // four times as much
		{100, 90, 320},  // no growth
		{100, 50, 150},  // a large request
		{50, 25, 144},   // a small one
		{400, 400, 600}, // an import
		{0, 0, 0},
	} {
		if got := c.live + c.live*int64(growth(c.live<<20, c.before<<20))/100; got != c.want {
			t.Errorf("%d MB live, %d before: up to %d MB, want %d", c.live, c.before, got, c.want)
		}
	}
}

// The configuration follows a collection, and nothing is done before the next one.
func TestTheHeapAdaptsOncePerCollection(t *testing.T) {
	h := newHeap(1 << 40)
	runtime.GC()
	h.adapt()
	cycles := h.cycles
	if cycles == 0 || h.before == 0 {
		t.Fatalf("after a collection: %d collections, %d bytes live", cycles, h.before)
	}
	h.before = -1
	if h.adapt(); h.cycles == cycles && h.before != -1 { // else something else was collected
		t.Error("adapted without a collection")
	}
	runtime.GC()
	if h.adapt(); h.cycles == cycles || h.before <= 0 {
		t.Error("not adapted after a collection")
	}
}
