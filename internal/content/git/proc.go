package git

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// limitMemory is a shell script that sets the memory limit and then executes the program.
// Setting the limit fails only if a lower limit already applies.
const limitMemory = `ulimit -d "$1" 2>/dev/null; shift; exec "$0" "$@"`

// withMemory returns a command in which each process can allocate at most the given number
// of bytes, not counting mapped files. The shell sets the limit before the program starts,
// and child processes inherit it. Some systems do not enforce the limit.
func withMemory(ctx context.Context, bytes int64, program string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", limitMemory, program, strconv.FormatInt(bytes>>10, 10)}, args...)...)
}

// inGroup starts a command in its own process group, so that its child processes are
// killed with it.
func inGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}

// tryLock locks an open file, also against other processes. The lock ends when the file
// and its copies in child processes are closed.
func tryLock(f *os.File) (bool, error) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return false, nil
	}
	return err == nil, err
}
