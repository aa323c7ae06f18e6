package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// lockData says in the log if another server serves the SQLite database of the data
// folder, which works, but is never wanted for long: a new server may take over from one
// that is about to stop. The lock ends with the process. It is kept for the caller to
// close; nil if there is none.
func (f storeFlags) lockData(listen string, log *slog.Logger) *os.File {
	if f.Database != "" {
		return nil // several servers are what PostgreSQL is for
	}
	lock, err := os.OpenFile(filepath.Join(f.Data, "serve.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		log.Warn("whether another server uses the data folder is not known", "error", err)
		return nil
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		// Who has the lock is for people; without it the log only says that there is one.
		_ = lock.Truncate(0)
		_, _ = lock.WriteAt(fmt.Appendf(nil, "process %d, listening on %s", os.Getpid(), listen), 0)
		return lock
	case errors.Is(err, syscall.EWOULDBLOCK):
		who := make([]byte, 200)
		n, _ := lock.ReadAt(who, 0)
		log.Warn("another server uses this data folder; stop one of them, or use PostgreSQL for several servers (--database)",
			"data", f.Data, "other", strings.TrimSpace(string(who[:n])))
	default: // such as a network file system without locks
		log.Debug("the data folder cannot be locked", "error", err)
	}
	_ = lock.Close() // nothing was written
	return nil
}
