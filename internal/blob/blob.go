// Package blob keeps the bytes of files: images, attachments, whatever was
// uploaded. It also says what they are, serves them so that they can do no
// harm, and signs the addresses under which they are found.
//
// Bytes are named by their SHA-256. What has a name never changes, equal
// files are kept once, and nothing here knows who owns a file: that is in the
// database. Bytes that nothing refers to any more are found with Walk and
// removed with Delete; package assets does.
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

// DefaultMaxBytes bounds a file for which the operator set nothing else.
const DefaultMaxBytes = 100 << 20

// Hash is the SHA-256 of some bytes. It is not text, so that no path and no
// key is ever made of anything but a hash.
type Hash [sha256.Size]byte

// ParseHash reads 64 hexadecimal digits in lower case.
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

// String returns 64 hexadecimal digits in lower case.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// key is the path of a hash in a folder and in a bucket. It is the same for
// both, so that a folder can be copied into a bucket with any tool.
func (h Hash) key() string {
	s := h.String()
	return s[:2] + "/" + s
}

// Info describes bytes in a store.
type Info struct {
	Hash Hash
	Size int64
	// LastPut is about when the bytes were put last, also if they were there
	// already. In a bucket it may be up to an hour too early.
	LastPut time.Time
}

// Object is bytes that are open for reading. Reading a part of a large object
// transfers about that part. Reads in parallel need ReadAt.
type Object interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
	Info() Info
}

// Store is where bytes are. A store may be shared by many goroutines and, if
// it is a bucket or a shared folder, by many machines.
type Store interface {
	// Put keeps all that r returns. When it returns without an error, the bytes
	// survive the sudden end of the program and of the machine; with an
	// error, nothing is left behind. More bytes than the store accepts are an
	// errs.Invalid; an error of r is returned as it is.
	Put(ctx context.Context, r io.Reader) (Info, error)
	// Open returns an object to read while ctx lives, or errs.NotFound.
	Open(ctx context.Context, h Hash) (Object, error)
	// Has reports whether the bytes are there.
	Has(ctx context.Context, h Hash) (bool, error)
	// Delete removes bytes that nobody put since a moment, and reports whether
	// it did. Give a moment that is long before anything that is still going
	// on, such as a day: a file refers to its bytes only some time after Put.
	Delete(ctx context.Context, h Hash, notPutSince time.Time) (bool, error)
	// Walk calls fn for everything in the store, in no particular order. What
	// comes and goes meanwhile may be missed. An error of fn ends it.
	Walk(ctx context.Context, fn func(Info) error) error
}

var (
	_ Store = (*Folder)(nil)
	_ Store = (*Bucket)(nil)
)

// OpenNamed opens bytes by the text of their hash. A text that is no hash is
// errs.NotFound.
func OpenNamed(ctx context.Context, s Store, hash string) (Object, error) {
	h, err := ParseHash(hash)
	if err != nil {
		return nil, errs.Missing("file")
	}
	return s.Open(ctx, h)
}

const (
	tempPattern = "octavo-put-*"
	// staleTemp is how long nothing was written to a temporary file before it
	// counts as left behind by a crash.
	staleTemp = time.Hour
)

// spool writes r to a temporary file and returns its hash and size. The caller
// closes and removes the file; with an error there is none.
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
	// One byte more than allowed says that there are too many.
	n, err := io.Copy(hashed{f, sum}, io.LimitReader(during(ctx, r), limit+1))
	if err != nil {
		return nil, info, fmt.Errorf("keep a file: %w", err)
	}
	if n > limit {
		return nil, info, errs.E(errs.Invalid, "the file is larger than %s", errs.Size(limit))
	}
	return f, Info{Hash: Hash(sum.Sum(nil)), Size: n, LastPut: time.Now()}, nil
}

// hashed is a file that hides its ReadFrom, which would bypass the hash.
type hashed struct {
	f   *os.File
	sum hash.Hash
}

func (w hashed) Write(p []byte) (int, error) {
	w.sum.Write(p)
	return w.f.Write(p)
}

// during ends a reader with its context.
func during(ctx context.Context, r io.Reader) io.Reader { return contextReader{ctx, r} }

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

// removeStale removes what a crash left in a folder of temporary files.
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
