// Package defect counts the defects of this program and of its libraries from which
// the parser and the highlighter recover: readers see the source, and operators a count.
package defect

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

var count atomic.Int64

// Count returns how often a page or code was shown as its source because this program
// or a library panicked. Each time is logged.
func Count() int64 { return count.Load() }

// Note counts and logs a panic from which the caller recovers.
func Note(message string, why any) {
	count.Add(1)
	slog.Error(message, "panic", fmt.Sprint(why), "stack", string(debug.Stack()))
}
