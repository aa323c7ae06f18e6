//go:build !linux

package testcpu

import "time"

var began = time.Now()

// threadTime returns the time, because the processor time of a thread is not
// known here.
func threadTime() time.Duration { return time.Since(began) }
