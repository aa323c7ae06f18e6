package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

const (
	// gcPercent lets the heap grow to four times what is live before it is
	// collected. What is live is small most of the time, so this costs little
	// memory and saves a tenth of the processor.
	gcPercent = 300
	// smallHeap is up to how many bytes that is true.
	smallHeap = 320 << 20
)

// spendMemory says how memory is used. Where much is live, as in the import
// of a large repository, it is collected when half as much again was added;
// what is live is looked at after every collection. GOGC and GOMEMLIMIT
// overrule it.
func spendMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	look := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	var after func(*[16]byte)
	after = func(*[16]byte) {
		metrics.Read(look)
		live := int64(look[0].Value.Uint64())
		debug.SetMemoryLimit(max(smallHeap, live/2*3))
		runtime.SetFinalizer(new([16]byte), after) // runs when the next one is collected
	}
	after(nil)
}
