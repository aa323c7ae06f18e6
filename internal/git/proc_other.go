//go:build !unix

package git

import (
	"errors"
	"os"
	"os/exec"
)

func inGroup(*exec.Cmd) {}

func tryLock(*os.File) (bool, error) {
	return false, errors.New("git synchronization needs a system with file locks")
}
