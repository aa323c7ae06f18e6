package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"

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

// tuneGC configures the garbage collector. If the live heap is large, as in the
// import of a large repository, a collection starts after it has grown by half. The live
// heap is measured after every collection. The collector tries to keep the heap below
// limit, and caches shrink when most of the limit is live. GOGC and GOMEMLIMIT take
// precedence.
func tuneGC(limit int64) {
	tuned := os.Getenv("GOGC") == ""
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit)
	}
	look := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	before := int64(0) // live heap after the previous collection
	var after func(*[16]byte)
	after = func(*[16]byte) {
		metrics.Read(look)
		live := int64(look[0].Value.Uint64())
		if tuned {
			debug.SetGCPercent(growth(live, before))
		}
		before = live
		cache.LimitAll(cachePart(live, limit))
		runtime.SetFinalizer(new([16]byte), after) // the finalizer runs after the next collection
	}
	after(nil)
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
