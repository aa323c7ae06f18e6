package folder

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/markup"
	"github.com/octavo-docs/octavo/internal/markup/frontmatter"
)

// Source is a file of a folder that is stored elsewhere, such as in a
// repository.
type Source struct {
	Path string
	Size int64
	// Data is the content. It may be nil for files that Read does not open: those that
	// are neither Markdown nor YAML.
	Data []byte
	// Same is set for a Markdown file that did not change since an earlier call of Read,
	// and whose entry in SUMMARY.md did not change. Read does not open the file, and sets
	// Page.Same for its page.
	Same bool
	// Parsed is the parsed content of SUMMARY.md, if it is already available.
	Parsed *Summary
}

// List returns an fs.FS with the given files. Their paths must be valid, and no file may
// be below another file.
func List(files []Source) fs.FS {
	l := listing{}
	l["."] = &listed{name: ".", dir: true}
	for _, f := range files {
		l[f.Path] = &listed{name: path.Base(f.Path), src: f}
		for at := f.Path; at != "."; {
			dir := path.Dir(at)
			up, known := l[dir]
			if !known {
				up = &listed{name: path.Base(dir), dir: true}
				l[dir] = up
			}
			up.below = append(up.below, l[at])
			if known {
				break
			}
			at = dir
		}
	}
	for _, d := range l {
		slices.SortFunc(d.below, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	}
	return l
}

type listing map[string]*listed

// Open implements fs.FS.
func (l listing) Open(name string) (fs.File, error) {
	e, ok := l[name]
	switch {
	case !ok || e.src.Data == nil && !e.dir && e.src.Size > 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case e.dir:
		return &openDir{dir: e, list: e.below}, nil
	}
	return &listedFile{listed: e, Reader: bytes.NewReader(e.src.Data)}, nil
}

// Stat implements fs.StatFS. Unlike Open, it also finds files without Data.
func (l listing) Stat(name string) (fs.FileInfo, error) {
	if e, ok := l[name]; ok {
		return e, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// listed is a file or a folder of a listing.
type listed struct {
	name  string
	dir   bool
	src   Source
	below []fs.DirEntry
}

func (e *listed) Name() string               { return e.name }
func (e *listed) Size() int64                { return e.src.Size }
func (e *listed) ModTime() time.Time         { return time.Time{} }
func (e *listed) IsDir() bool                { return e.dir }
func (e *listed) Sys() any                   { return nil }
func (e *listed) Type() fs.FileMode          { return e.Mode().Type() }
func (e *listed) Info() (fs.FileInfo, error) { return e, nil }
func (e *listed) Mode() fs.FileMode {
	if e.dir {
		return fs.ModeDir | 0o555
	}
	return 0o444
}

type listedFile struct {
	*listed
	*bytes.Reader
}

func (f *listedFile) Stat() (fs.FileInfo, error) { return f.listed, nil }
func (f *listedFile) Close() error               { return nil }
func (f *listedFile) Size() int64                { return f.src.Size }

// IsText reports whether Read opens a file: whether it is Markdown or YAML. Markdown
// files in a folder of assets were uploaded as files and are not opened.
func IsText(name string) bool {
	return !IsAsset(name) && (isMarkdown(name) || strings.EqualFold(path.Ext(name), ".yaml"))
}

// ConfigName is the file at the top of a folder that names the root of the content.
const ConfigName = configName

// References returns the paths that a Markdown file refers to. The file and the paths are
// relative to the root of the content.
func References(at Place, file string, src []byte) []string {
	return referred(at, file, markup.ParseHead(src), src)
}

// referred returns the paths that a source refers to, also in raw HTML. It may return too
// many paths: a path that it misses would be a missing file on a page.
func referred(at Place, file string, h frontmatter.Head, src []byte) []string {
	var out []string
	seen := map[string]bool{} // a page may refer to the same file thousands of times
	add := func(dest string) {
		if seen[dest] {
			return
		}
		seen[dest] = true
		if target, ok := at.resolve(file, dest); ok {
			out = append(out, strings.Clone(target)) // the destination is a substring of the whole source
		}
	}
	add(h.Meta.Cover)
	add(h.Meta.CoverDark)
	for dest := range destinations(string(src)) {
		add(dest)
	}
	return out
}
