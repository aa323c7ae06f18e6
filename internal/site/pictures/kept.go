package pictures

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/blob"
)

const (
	// form is the name of the folder of results. Increment it if pictures are made in another way:
	// what is there then is removed.
	form = "1"
	// temporary is the folder of files that are being written.
	temporary = "tmp"
	staleTemp = time.Hour // the age of a file that a process which was killed left there
	// usedEvery is how often the time of the last use is written.
	usedEvery = 24 * time.Hour
	// full is the part of the limit, in percent, that stays when there is too much.
	full = 90
	// fileCost is what a file takes besides its content, more or less.
	fileCost = 1 << 10
)

// folder keeps results in files: DIR/1/aa/HASH-WIDTH. An empty file says that the original is sent.
// The time of a file is that of its last use, more or less. Several processes may share a folder.
type folder struct {
	dir  string
	most int64

	mu    sync.Mutex
	size  int64 // of all files, as far as this process knows
	known bool  // size has what was there before
}

// typeOf are the types of results by their first byte.
var typeOf = map[byte]string{0xff: "image/jpeg", 0x89: "image/png", 'R': "image/webp"}

func openFolder(dir string, most int64) (*folder, error) {
	f := &folder{dir: dir, most: most}
	for _, name := range []string{form, temporary} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
			return nil, err
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.Name() != form && e.Name() != temporary && e.IsDir() && len(e.Name()) < 4 {
			err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
		}
	}
	left, terr := os.ReadDir(filepath.Join(dir, temporary))
	for _, e := range left {
		if st, err := e.Info(); err == nil && time.Since(st.ModTime()) > staleTemp {
			_ = os.Remove(filepath.Join(dir, temporary, e.Name()))
		}
	}
	return f, errors.Join(err, terr)
}

func (f *folder) path(k key) string {
	hash := k.hash.String()
	return filepath.Join(f.dir, form, hash[:2], fmt.Sprintf("%s-%d", hash, k.width))
}

// open returns a result, and reports whether it is known. It is nil if the original is sent.
func (f *folder) open(k key) (p *Picture, known bool, err error) {
	file, err := os.Open(f.path(k))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	st, err := file.Stat()
	if err == nil && time.Since(st.ModTime()) > usedEvery {
		now := time.Now()
		_ = os.Chtimes(file.Name(), now, now) // otherwise it is removed a little early
	}
	if err == nil && st.Size() == 0 {
		return nil, true, file.Close()
	}
	var first [1]byte
	if err == nil {
		_, err = file.ReadAt(first[:], 0)
	}
	if err != nil {
		return nil, false, errors.Join(err, file.Close())
	}
	return &Picture{file, typeOf[first[0]]}, true, nil
}

// put keeps a result. A file has its name when it is complete. It need not survive a crash of the
// machine, but after one, no file must have half of its content: so it is written to disk.
func (f *folder) put(k key, data []byte) error {
	t, err := os.CreateTemp(filepath.Join(f.dir, temporary), "picture-*")
	if err != nil {
		return err
	}
	defer os.Remove(t.Name())
	_, err = t.Write(data)
	err = errors.Join(err, t.Sync(), t.Close())
	if err == nil {
		err = os.MkdirAll(filepath.Dir(f.path(k)), 0o700)
	}
	if err == nil {
		err = os.Rename(t.Name(), f.path(k))
	}
	if err != nil {
		return err
	}
	return f.added(int64(len(data)) + fileCost)
}

// added counts a file, and removes the least recently used ones if there is too much.
func (f *folder) added(n int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size += n
	if f.known && f.size <= f.most {
		return nil
	}
	all, err := f.list()
	if err != nil {
		return err
	}
	f.size, f.known = 0, true
	for _, e := range all {
		f.size += e.size
	}
	if f.size <= f.most {
		return nil
	}
	slices.SortFunc(all, func(a, b entry) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	for _, e := range all {
		if 100*f.size <= full*f.most {
			break
		}
		if err := remove(e.path); err != nil {
			return err
		}
		f.size -= e.size
	}
	return nil
}

// entry is a result in the folder.
type entry struct {
	path string
	hash string
	size int64
	used time.Time
}

func (f *folder) list() (all []entry, err error) {
	err = filepath.WalkDir(filepath.Join(f.dir, form), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ifExists(err)
		}
		st, err := d.Info()
		if err != nil {
			return ifExists(err)
		}
		hash, _, _ := strings.Cut(d.Name(), "-")
		all = append(all, entry{path, hash, st.Size() + fileCost, st.ModTime()})
		return nil
	})
	return all, err
}

// ifExists returns an error, unless it says that another process has removed a file.
func ifExists(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func remove(path string) error { return ifExists(os.Remove(path)) }

// Tidy removes the results of pictures that are no longer in a store, and returns their number.
func (m *Maker) Tidy(ctx context.Context, s blob.Store) (removed int, err error) {
	all, err := m.folder.list()
	if err != nil {
		return 0, err
	}
	there := map[string]bool{}
	for _, e := range all {
		if err := ctx.Err(); err != nil {
			return removed, err
		}
		has, asked := there[e.hash]
		if hash, err := blob.ParseHash(e.hash); err == nil && !asked {
			if has, err = s.Has(ctx, hash); err != nil {
				return removed, err
			}
			there[e.hash] = has
		}
		if has {
			continue
		}
		if err := remove(e.path); err != nil {
			return removed, err
		}
		removed++
	}
	return removed, nil
}
