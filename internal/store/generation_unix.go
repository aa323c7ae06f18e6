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
// file that every process maps into its memory, so that looking at it costs
// nothing, and the command line invalidates what a server remembers. The
// value means nothing by itself: copying the file is harmless. Removing it
// under a running server delays by a second what other processes write.
type generation struct {
	file *os.File
	n    *atomic.Uint64
}

const generationSize = 8

func openGeneration(path string) (*generation, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	// Writing the bytes, not only the length, makes sure that the disk has
	// room: touching a page that has none would end the process.
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

// now gives the number; bump counts a commit, before anybody is told of it.
func (g *generation) now() uint64 { return g.n.Load() }
func (g *generation) bump()       { g.n.Add(1) }

// close leaves the mapping: a read that comes too late must not end the
// process, and one page is little.
func (g *generation) close() error { return g.file.Close() }
