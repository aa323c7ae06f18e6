package blob

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/minio/minio-go/v7"
)

// A mark is a small object with a name that a database knows: the store with the mark has
// the files of the database. A store may have several, such as for two databases, and one
// that no database knows does no harm, such as after a crash. So marks are never replaced,
// which not every bucket could do for nodes that start at once.
//
// Marks are beside the contents, at marks/NAME: Walk does not return them, and a copy of a
// whole store has them.
const (
	marksDir = "marks"
	markText = "A database of Octavo finds its files by this name.\n"
)

// NewMark returns a new name for a mark.
func NewMark() string { return rand.Text() }

func (s *Folder) mark(name string) string { return filepath.Join(s.dir, marksDir, name) }

// SetMark writes a mark. If it returns no error, the mark survives a crash.
func (s *Folder) SetMark(_ context.Context, name string) error {
	err := s.setMark(name)
	if err != nil {
		err = noSpace(fmt.Errorf("mark the folder for files: %w", err))
	}
	return err
}

func (s *Folder) setMark(name string) error {
	path := s.mark(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(s.temp(), tempPattern)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // no file is left after the rename
	_, err = f.WriteString(markText)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return errors.Join(syncDir(filepath.Dir(path)), syncDir(s.dir))
}

// HasMark reports whether the folder has a mark.
func (s *Folder) HasMark(_ context.Context, name string) (bool, error) {
	_, err := os.Stat(s.mark(name))
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// RemoveMark removes a mark. It is no error if there is none.
func (s *Folder) RemoveMark(_ context.Context, name string) error {
	if err := os.Remove(s.mark(name)); !missing(err) {
		return err
	}
	return nil
}

func (b *Bucket) mark(name string) string { return b.prefix + path.Join(marksDir, name) }

// SetMark writes a mark.
func (b *Bucket) SetMark(ctx context.Context, name string) error {
	sum := sha256.Sum256([]byte(markText))
	o := minio.PutObjectOptions{ContentType: "text/plain", DisableContentSha256: true}
	_, err := b.core.PutObject(ctx, b.s3.Bucket, b.mark(name), strings.NewReader(markText), int64(len(markText)), "", hex.EncodeToString(sum[:]), o)
	if err != nil {
		return fmt.Errorf("mark the bucket: %w", err)
	}
	return nil
}

// HasMark reports whether the bucket has a mark.
func (b *Bucket) HasMark(ctx context.Context, name string) (bool, error) {
	_, err := b.core.StatObject(ctx, b.s3.Bucket, b.mark(name), minio.StatObjectOptions{})
	if absent(err) {
		return false, nil
	}
	return err == nil, err
}

// RemoveMark removes a mark. It is no error if there is none.
func (b *Bucket) RemoveMark(ctx context.Context, name string) error {
	return b.core.RemoveObject(ctx, b.s3.Bucket, b.mark(name), minio.RemoveObjectOptions{})
}

// Empty reports whether a store has no content.
func Empty(ctx context.Context, s Store) (bool, error) {
	err := s.Walk(ctx, func(Info) error { return errFound })
	if errors.Is(err, errFound) {
		return false, nil
	}
	return err == nil, err
}

var errFound = errors.New("found")
