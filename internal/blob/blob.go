// Package blob stores the content of files: images, attachments and other uploads. It
// also detects their types, serves them safely, and signs their download addresses.
//
// Content is identified by its SHA-256 hash. The content of a hash never changes, and
// equal files are stored once. The package does not know the owners of files; they are in
// the database. Package assets finds content that is no longer referenced with Walk and
// removes it with Delete.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
)

// DefaultMaxBytes is the maximum size of a file if the operator set no other limit.
const DefaultMaxBytes = 100 << 20

// Hash is the SHA-256 hash of a content. It is not a string, so that paths and keys can
// only be derived from a hash.
type Hash [sha256.Size]byte

// ParseHash parses 64 lower-case hexadecimal digits.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != hex.EncodedLen(len(h)) || strings.ToLower(s) != s {
		return h, errs.E(errs.Invalid, "not the hash of a file")
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, errs.E(errs.Invalid, "not the hash of a file")
	}
	return h, nil
}

// String returns 64 lower-case hexadecimal digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// key returns the path of a hash. It is the same in a folder and in a bucket, so that a
// folder can be copied to a bucket with any tool.
func (h Hash) key() string {
	s := h.String()
	return s[:2] + "/" + s
}

// Info describes a content in a store.
type Info struct {
	Hash Hash
	Size int64
	// LastPut is the approximate time of the last Put, even if the content existed
	// before. In a bucket it may be up to an hour too early.
	LastPut time.Time
}

// Object is a content that is open for reading. Reading a part of a large object
// transfers about that part. Use ReadAt to read in parallel.
type Object interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
	Info() Info
}

// Store stores contents. It is safe for concurrent use by multiple goroutines. A bucket
// or a shared folder can be used by multiple machines.
type Store interface {
	// Put stores everything that r returns. If it returns no error, the content survives
	// a crash of the program or of the machine. If it returns an error, nothing is
	// stored. The error is errs.Invalid if r exceeds the size limit; an error of r is
	// wrapped.
	Put(ctx context.Context, r io.Reader) (Info, error)
	// Open returns an object that can be read until ctx ends, or errs.NotFound.
	Open(ctx context.Context, h Hash) (Object, error)
	// Has reports whether the content exists.
	Has(ctx context.Context, h Hash) (bool, error)
	// Delete removes a content that was not put since the given time. It reports whether
	// it was removed. The time must be well before any operation that is still running,
	// such as a day ago, because a file refers to its content only some time after Put.
	Delete(ctx context.Context, h Hash, notPutSince time.Time) (bool, error)
	// Walk calls fn for each content of the store, in no particular order. Contents that
	// are added or removed concurrently may be missed. An error of fn ends the walk.
	Walk(ctx context.Context, fn func(Info) error) error
	// SetMark, HasMark and RemoveMark write, find and remove a mark of the store; NewMark
	// returns a name for one.
	SetMark(ctx context.Context, name string) error
	HasMark(ctx context.Context, name string) (bool, error)
	RemoveMark(ctx context.Context, name string) error
}

var (
	_ Store = (*Folder)(nil)
	_ Store = (*Bucket)(nil)
)

// OpenNamed opens a content by its hash in text form. An invalid hash is errs.NotFound.
func OpenNamed(ctx context.Context, s Store, hash string) (Object, error) {
	h, err := ParseHash(hash)
	if err != nil {
		return nil, errs.Missing("file")
	}
	return s.Open(ctx, h)
}

const (
	tempPattern = "octavo-put-*"
	// staleTemp is the time without writes after which a temporary file is considered to
	// be left over from a crash.
	staleTemp = time.Hour
)

// spool writes r to a temporary file and returns its hash and size. The caller must close
// and remove the file. If there is an error, the file is already removed.
func spool(ctx context.Context, dir string, r io.Reader, limit int64) (_ *os.File, info Info, err error) {
	f, err := os.CreateTemp(dir, tempPattern)
	if err != nil {
		return nil, info, fmt.Errorf("keep a file: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	sum := sha256.New()
	// Reading one byte more than allowed shows that the limit is exceeded.
	n, err := io.Copy(hashWriter{f, sum}, io.LimitReader(withContext(ctx, r), limit+1))
	if err != nil {
		return nil, info, fmt.Errorf("keep a file: %w", err)
	}
	if n > limit {
		return nil, info, errs.E(errs.Invalid, "the file is larger than %s", errs.Size(limit))
	}
	return f, Info{Hash: Hash(sum.Sum(nil)), Size: n, LastPut: time.Now()}, nil
}

// hashWriter writes to a file and a hash. It hides ReadFrom of the file, which would
// bypass the hash.
type hashWriter struct {
	f   *os.File
	sum hash.Hash
}

func (w hashWriter) Write(p []byte) (int, error) {
	w.sum.Write(p)
	return w.f.Write(p)
}

// withContext returns a reader that fails after its context ends.
func withContext(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// removeStale removes temporary files that a crash left in a folder.
func removeStale(dir string, now time.Time) error {
	names, err := filepath.Glob(filepath.Join(dir, tempPattern))
	if err != nil {
		return err
	}
	for _, name := range names {
		st, err := os.Lstat(name)
		if err == nil && st.Mode().IsRegular() && now.Sub(st.ModTime()) > staleTemp {
			err = os.Remove(name)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
