package testcpu

import (
	"syscall"
	"time"
	"unsafe"
)

// threadTime returns the processor time of this thread.
func threadTime() time.Duration {
	const thread = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, thread, uintptr(unsafe.Pointer(&now)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(now.Nano())
}
