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
		if why := root.add(f); why != "" {
			return nil, errs.E(errs.Invalid, "%s cannot be read: %s", printable(f.Path), why)
		}
	}
	return &zipFS{root}, nil
}

// add puts a file where it belongs, or says why not. Names that differ in
// case only are for Read to judge.
func (d *zipDir) add(f *File) string {
	if why := names.Bad(f.Path); why != "" {
		return why
	}
	dir, name := path.Split(f.Path)
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		if part == "" {
			break
		}
		if d.entries[part] == nil {
			d.entries[part] = newZipDir(part)
		}
		sub, ok := d.entries[part].(*zipDir)
		if !ok {
			return "it is both a file and a folder"
		}
		d = sub
	}
	if d.entries[name] != nil {
		return "it is there twice"
	}
	d.entries[name] = &listedFile{f}
	return ""
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
