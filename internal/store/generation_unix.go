//go:build unix

package store

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// generation counts the commits to a SQLite file. The number is in a small
// file next to it, which every process maps into its memory: reading the
// number costs one load, and a command in another process invalidates the
// rows that a server has cached. The value means nothing by itself, so a copy
// of the file is harmless. If the file is removed while a server runs, the
// server notices the commits of other processes up to a second later (see
// sqlite.watch). docs/adr/0020-row-cache.md says what else was measured.
type generation struct {
	file *os.File
	n    *atomic.Uint64
}

func openGeneration(path string) (*generation, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// The bytes are written, not only the length, so that the disk has room
	// for them: access to a mapped page without room ends the process.
	if st, err := f.Stat(); err != nil || st.Size() < generationSize {
		if _, werr := f.WriteAt(make([]byte, generationSize), 0); err != nil || werr != nil {
			return nil, errors.Join(err, werr, f.Close())
		}
	}
	page, err := syscall.Mmap(int(f.Fd()), 0, generationSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("map %s: %w", path, err), f.Close())
	}
	// A mapping starts at a page, so the number is aligned.
	return &generation{file: f, n: (*atomic.Uint64)(unsafe.Pointer(&page[0]))}, nil
}

// now returns the number.
func (g *generation) now() uint64 { return g.n.Load() }

// bump counts a commit. It is called before the commit is reported to anybody.
func (g *generation) bump() { g.n.Add(1) }

// close does not unmap the page: a late read must not end the process, and one
// page is little.
func (g *generation) close() error { return g.file.Close() }
