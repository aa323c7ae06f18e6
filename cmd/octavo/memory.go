package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/cache"
)

const (
	// gcPercent lets the heap grow to four times its live size before a collection. The
	// live heap is usually small, so this costs little memory and saves a tenth of the
	// processor time. leastPercent is used for a large live heap.
	gcPercent    = 300
	leastPercent = 50
	// smallHeap is the heap size up to which leastPercent does not apply. growingHeap is used
	// instead if the live heap grew by half since the last collection. In that case a
	// large request is running, which ends soon.
	smallHeap   = 320 << 20
	growingHeap = 144 << 20
)

// heap configures the garbage collector and the caches for what is live. If the live heap
// is large, as in the import of a large repository, a collection starts after it has grown
// by half. Caches shrink when most of the limit is live. The environment variables GOGC and
// GOMEMLIMIT take precedence.
type heap struct {
	limit  int64
	tuned  bool // GOGC is not set
	look   []metrics.Sample
	cycles uint64 // collections until now
	before int64  // live heap after the collection before the last one
}

// newHeap returns the heap of this process, which the collector tries to keep below limit.
func newHeap(limit int64) *heap {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
	h := &heap{limit: limit, tuned: os.Getenv("GOGC") == "", look: []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/gc/cycles/total:gc-cycles"}}}
	if h.tuned {
		debug.SetGCPercent(gcPercent) // until the first collection
	}
	h.adapt()
	return h
}

// watch adapts the configuration after each collection, until ctx is done.
func (h *heap) watch(ctx context.Context) {
	for tick := time.NewTicker(100 * time.Millisecond); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
			h.adapt()
		}
	}
}

// adapt adapts the configuration if there was a collection since it was last called.
func (h *heap) adapt() {
	metrics.Read(h.look)
	live, cycles := int64(h.look[0].Value.Uint64()), h.look[1].Value.Uint64()
	if cycles == h.cycles {
		return
	}
	if h.tuned {
		debug.SetGCPercent(growth(live, h.before))
	}
	h.before, h.cycles = live, cycles
	cache.LimitAll(cachePart(live, h.limit))
}

// growth returns by how many percent the live heap grows until the next collection.
func growth(live, before int64) int {
	small := int64(smallHeap)
	if live > before/2*3 {
		small = growingHeap
	}
	return int(min(max((small-live)*100/max(live, 1), leastPercent), gcPercent))
}

// cachePart returns the percentage of their limits that caches may use.
func cachePart(live, limit int64) int {
	switch {
	case live > limit/10*7:
		return 10
	case live > limit/2:
		return 40
	}
	return 100
}

// memoryLimit returns the memory limit of the server: the value of the flag, or three
// quarters of the memory of the container or the machine.
func memoryLimit(flag string) (int64, error) {
	if flag != "" {
		n, err := parseBytes(flag)
		if err == nil && n < minMemory {
			err = fmt.Errorf("%q is too little; at least %d MiB", flag, minMemory>>20)
		}
		return n, err
	}
	total := int64(1) << 40
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if b, err := os.ReadFile(file); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 { // "max" is not a number
				total = min(total, n)
			}
		}
	}
	if b, err := os.ReadFile("/proc/meminfo"); err == nil {
		var kb int64
		if _, err := fmt.Sscanf(string(b), "MemTotal: %d kB", &kb); err == nil {
			total = min(total, kb<<10)
		}
	}
	return max(minMemory, total/4*3), nil
}

// minMemory is the minimum memory limit of a server.
const minMemory = 128 << 20

// parseBytes parses a size in bytes, such as 512MiB or 2GB.
func parseBytes(s string) (int64, error) {
	digits := strings.TrimRight(s, "KMGTiBkmgtb ")
	n, err := strconv.ParseInt(digits, 10, 64)
	shift, known := map[string]int{"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20, "G": 30, "GB": 30, "GIB": 30}[strings.ToUpper(strings.TrimSpace(s[len(digits):]))]
	if err != nil || !known || n < 0 || n > math.MaxInt64>>shift {
		return 0, fmt.Errorf("%q is not a size such as 512MiB or 4GiB", s)
	}
	return n << shift, nil
}
