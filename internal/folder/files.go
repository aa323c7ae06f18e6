package folder

import (
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

// FromFiles makes a folder of files that are somewhere else, such as in a
// commit. They are opened when they are read. An error is of kind
// errs.Invalid and names the path that cannot be in a folder, or not beside
// another one.
func FromFiles(files []*File) (fs.FS, error) {
	root := newZipDir(".")
	for _, f := range files {
		why := names.Bad(f.Path)
		dir := root
		parts := strings.Split(f.Path, "/")
		for _, part := range parts[:len(parts)-1] {
			if why == "" {
				dir, why = dir.folder(part)
			}
		}
		if why == "" {
			why = dir.put(parts[len(parts)-1], &listedFile{f})
		}
		if why != "" {
			return nil, errs.E(errs.Invalid, "%s cannot be read: %s", printable(f.Path), why)
		}
	}
	return &zipFS{root}, nil
}

// listedFile is its own entry and description.
type listedFile struct{ f *File }

func (l *listedFile) Name() string               { return path.Base(l.f.Path) }
func (l *listedFile) IsDir() bool                { return false }
func (l *listedFile) Type() fs.FileMode          { return 0 }
func (l *listedFile) Info() (fs.FileInfo, error) { return l, nil }
func (l *listedFile) Size() int64                { return l.f.Size }
func (l *listedFile) Mode() fs.FileMode          { return 0o444 }
func (l *listedFile) ModTime() time.Time         { return time.Time{} }
func (l *listedFile) Sys() any                   { return nil }

func (l *listedFile) open() (fs.File, error) {
	r, err := l.f.Open()
	if err != nil {
		return nil, err
	}
	return &listedOpen{r, l}, nil
}

type listedOpen struct {
	io.ReadCloser
	info *listedFile
}

func (o *listedOpen) Stat() (fs.FileInfo, error) { return o.info, nil }
