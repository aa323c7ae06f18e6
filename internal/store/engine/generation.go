package engine

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"sync/atomic"
)

// generation names the last commit to a SQLite file with a number. It is in a small file
// next to the database, which each commit of each process changes, so a command in another
// process invalidates the rows that a server has cached. Numbers are compared for equality
// only. Each process writes numbers from its own random start, so that no number comes
// twice, although two processes may write at the same time.
//
// If the file is removed while a server runs, the server notices the commits of other
// processes up to a second later (see sqlite.watch). docs/adr/0020-row-cache.md says what
// else was measured.
type generation struct {
	file *os.File
	last atomic.Uint64 // the number of the last commit of this process
	// unknown is set if the last commit of this process could not be written to the file.
	unknown atomic.Bool
}

// generationSize is the size of the file.
const generationSize = 8

func openGeneration(path string) (*generation, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	g := &generation{file: f}
	g.last.Store(rand.Uint64())
	st, err := f.Stat()
	if err == nil && st.Size() < generationSize {
		err = g.write()
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return g, nil
}

// now returns the number, or false if it is not known.
func (g *generation) now() (uint64, bool) {
	var b [generationSize]byte
	_, err := g.file.ReadAt(b[:], 0)
	return binary.LittleEndian.Uint64(b[:]), err == nil && !g.unknown.Load()
}

// bump names a new commit. It is called before the commit is reported to anybody.
func (g *generation) bump() { g.unknown.Store(g.write() != nil) }

func (g *generation) write() error {
	var b [generationSize]byte
	binary.LittleEndian.PutUint64(b[:], g.last.Add(1))
	_, err := g.file.WriteAt(b[:], 0)
	return err
}

func (g *generation) close() error { return g.file.Close() }
