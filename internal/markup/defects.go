package markup

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
)

var defects atomic.Int64

// Defects returns how often a page or code was shown as its source because this program
// or a library panicked. Each time is logged.
func Defects() int64 { return defects.Load() }

// noteDefect counts and logs a panic from which the caller recovers.
func noteDefect(message string, why any) {
	defects.Add(1)
	slog.Error(message, "panic", fmt.Sprint(why), "stack", string(debug.Stack()))
}
