package blob

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/owner"
)

// Folder is a Store in a folder of the file system. Contents are files DIR/aa/aabbcc…,
// and DIR/tmp holds files that are being added or deleted. Several processes can use one
// folder.
type Folder struct {
	dir   string
	limit int64
	// durable records which subfolders are synced to disk.
	durable [256]atomic.Bool
}

const (
	tempDir = "tmp"
	// deletionPrefix is the prefix of a file that Delete has moved away and may still
	// restore.
	deletionPrefix = "octavo-delete-"

	walkBatch = 512 // number of directory entries that are read at once
)

// OpenFolder opens or creates a folder for files of at most limit bytes; zero means
// DefaultMaxBytes. It cleans up after a crash.
func OpenFolder(dir string, limit int64) (*Folder, error) {
	if limit <= 0 {
		limit = DefaultMaxBytes
	}
	s := &Folder{dir: dir, limit: limit}
	if err := os.MkdirAll(s.temp(), 0o700); err != nil {
		return nil, owner.Explain(s.temp(), fmt.Errorf("folder for files: %w", err))
	}
	// The folder may be new. The process may lack permission to open its parent.
	err := syncDir(filepath.Dir(filepath.Clean(dir)))
	if errors.Is(err, os.ErrPermission) {
		err = nil
	}
	if err := errors.Join(err, syncDir(dir)); err != nil {
		return nil, owner.Explain(dir, fmt.Errorf("folder for files: %w", err))
	}
	if err := errors.Join(removeStale(s.temp(), time.Now()), s.restoreInterrupted()); err != nil {
		return nil, fmt.Errorf("clean up the folder for files: %w", err)
	}
	return s, nil
}

func (s *Folder) temp() string         { return filepath.Join(s.dir, tempDir) }
func (s *Folder) path(h Hash) string   { return filepath.Join(s.dir, filepath.FromSlash(h.key())) }
func (s *Folder) subdir(h Hash) string { return filepath.Dir(s.path(h)) }

// Put writes to a temporary file, syncs it to disk, and then renames it. A file with its
// final name is therefore always complete.
func (s *Folder) Put(ctx context.Context, r io.Reader) (Info, error) {
	f, info, err := spool(ctx, s.temp(), r, s.limit)
	if err != nil {
		return Info{}, noSpace(err)
	}
	defer os.Remove(f.Name()) // no file is left after the rename
	defer f.Close()
	if err := s.install(f, info); err != nil {
		return Info{}, noSpace(fmt.Errorf("keep a file: %w", err))
	}
	return info, nil
}

// noSpace converts the error of a full disk to kind NoSpace. It returns other errors
// unchanged.
func noSpace(err error) error {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &errs.Error{Kind: errs.NoSpace, Message: errs.DiskFull, Err: err}
	}
	return err
}

func (s *Folder) install(f *os.File, info Info) error {
	if err := s.makeSubdir(info.Hash); err != nil {
		return err
	}
	there, err := s.touch(info)
	if err != nil {
		return err
	}
	if !there {
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		if err := os.Rename(f.Name(), s.path(info.Hash)); err != nil {
			return err
		}
	}
	// Sync even if another Put created the file, because that Put may not have synced
	// yet.
	return syncDir(s.subdir(info.Hash))
}

func (s *Folder) makeSubdir(h Hash) error {
	if s.durable[h[0]].Load() {
		return nil
	}
	if err := os.Mkdir(s.subdir(h), 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	if err := syncDir(s.dir); err != nil {
		return err
	}
	s.durable[h[0]].Store(true)
	return nil
}

// touch reports whether the content already exists, and renews its time. A file with
// another size is damaged and has to be replaced.
func (s *Folder) touch(info Info) (bool, error) {
	path := s.path(info.Hash)
	st, err := os.Stat(path)
	if err == nil && st.Size() != info.Size {
		return false, nil
	}
	if err == nil {
		err = os.Chtimes(path, info.LastPut, info.LastPut)
	}
	if missing(err) {
		return false, nil // it does not exist, or Delete has just moved it away
	}
	return err == nil, err
}

// Open opens the file of a content.
func (s *Folder) Open(_ context.Context, h Hash) (Object, error) {
	f, err := os.Open(s.path(h))
	if missing(err) {
		return nil, errs.Missing("file")
	}
	if err != nil {
		return nil, err
	}
	st, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &file{f, Info{Hash: h, Size: st.Size(), LastPut: st.ModTime()}}, nil
}

// file is an Object in a Folder.
type file struct {
	*os.File
	info Info
}

func (f *file) Info() Info { return f.info }

// Has reports whether the file exists.
func (s *Folder) Has(_ context.Context, h Hash) (bool, error) {
	_, err := os.Stat(s.path(h))
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// Delete first moves the file away and then checks its time. A concurrent Put either
// finds the file, and Delete sees the new time, or does not find it and creates a new
// file.
func (s *Folder) Delete(_ context.Context, h Hash, notPutSince time.Time) (bool, error) {
	st, err := os.Stat(s.path(h))
	if missing(err) || err == nil && !st.ModTime().Before(notPutSince) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	away := s.deletionPath(h)
	if err := os.Rename(s.path(h), away); missing(err) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	return s.deleteOrRestore(h, away, notPutSince)
}

// deletionPath returns a temporary path for a file that Delete moves away.
func (s *Folder) deletionPath(h Hash) string {
	return filepath.Join(s.temp(), deletionPrefix+h.String()+"-"+rand.Text())
}

func (s *Folder) deleteOrRestore(h Hash, away string, notPutSince time.Time) (bool, error) {
	st, err := os.Stat(away)
	if err == nil && !st.ModTime().Before(notPutSince) {
		return false, s.putBack(h, away)
	}
	if err == nil {
		err = os.Remove(away)
	}
	if missing(err) {
		return false, nil // another process started and restored the file
	}
	return err == nil, err
}

func (s *Folder) putBack(h Hash, away string) error {
	if err := os.Rename(away, s.path(h)); err != nil {
		return err
	}
	return syncDir(s.subdir(h))
}

// restoreInterrupted restores files that a crash during Delete left behind. It renews
// their times first, because a restored file may replace one that was put since.
func (s *Folder) restoreInterrupted() error {
	names, err := filepath.Glob(filepath.Join(s.temp(), deletionPrefix+"*"))
	if err != nil {
		return err
	}
	now := time.Now()
	for _, name := range names {
		text, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(name), deletionPrefix), "-")
		h, err := ParseHash(text)
		if err != nil {
			continue
		}
		err = os.Chtimes(name, now, now)
		if err == nil {
			err = s.putBack(h, name)
		}
		if err != nil && !missing(err) {
			return err
		}
	}
	return nil
}

// Walk lists the files of all subfolders.
func (s *Folder) Walk(ctx context.Context, fn func(Info) error) error {
	for i := range 256 {
		if err := walkDir(ctx, filepath.Join(s.dir, fmt.Sprintf("%02x", i)), fn); err != nil {
			return err
		}
	}
	return nil
}

func walkDir(ctx context.Context, dir string, fn func(Info) error) error {
	d, err := os.Open(dir)
	if missing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer d.Close()
	for {
		entries, err := d.ReadDir(walkBatch)
		for _, e := range entries {
			if err := ctx.Err(); err != nil {
				return err
			}
			h, err := ParseHash(e.Name())
			if err != nil || !strings.HasPrefix(e.Name(), filepath.Base(dir)) {
				continue
			}
			st, err := e.Info()
			if missing(err) {
				continue
			}
			if err != nil {
				return err
			}
			if err := fn(Info{Hash: h, Size: st.Size(), LastPut: st.ModTime()}); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func missing(err error) bool { return errors.Is(err, os.ErrNotExist) }

// syncDir syncs the entries of a folder to disk, so that they survive a crash.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
