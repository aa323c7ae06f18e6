//go:build !unix

package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
)

func withMemory(ctx context.Context, _ int64, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, program, args...)
}

func inGroup(*exec.Cmd) {}

func tryLock(*os.File) (bool, error) {
	return false, errors.New("git synchronization needs a system with file locks")
}
