package budget

import (
	"os"
	"runtime"
)

// processors is the value of GOMAXPROCS at the start of the program: the processors of the machine or
// the container, or the environment variable GOMAXPROCS.
var processors = runtime.GOMAXPROCS(0)

// Processors returns the number of processors that work may use. It differs from runtime.GOMAXPROCS(0)
// after ShareProcessors.
func Processors() int { return processors }

// ShareProcessors lets Go run more goroutines in parallel than there are processors. A computing
// goroutine runs for up to 10 ms, and Go has no priorities. Threads have: the kernel runs a thread that
// waited for a short request before threads that always compute. The environment variable GOMAXPROCS
// takes precedence.
func ShareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(threadsPerProcessor * processors)
	}
}

// threadsPerProcessor was measured with bench/hostile. With all its rows at once, short reads of other
// callers took 63 ms (p99) with 1, 27 ms with 2, and 19 ms with 3.
const threadsPerProcessor = 2
