package folder

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/frontmatter"
	"github.com/octavo-docs/octavo/internal/markup"
)

// Source is a file of a folder that is somewhere else, such as in a
// repository.
type Source struct {
	Path string
	Size int64
	// Data are the bytes. They may be nil for what Read does not open: files
	// that are neither Markdown nor YAML.
	Data []byte
	// Same says of a Markdown file that it is as it was in an earlier reading,
	// and so is what SUMMARY.md says of it: it is not read again, and its page
	// says so too.
	Same bool
	// Parsed is what Data was found to say, if it is SUMMARY.md and was looked
	// at before.
	Parsed *Summary
}

// List gives files as a folder. Their paths must be good ones, and no file
// may be below another.
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

// Stat implements fs.StatFS: also for files that cannot be opened.
func (l listing) Stat(name string) (fs.FileInfo, error) {
	if e, ok := l[name]; ok {
		return e, nil
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// listed is a file or a folder of a list.
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

// Ignored tells whether a path below the root is passed over by Read: what
// belongs to git, to editors and to packages is not content.
func Ignored(name string) bool {
	for i, part := range strings.Split(name, "/") {
		if part == "" || part[0] == '.' && (i > 0 || part != ".gitbook") {
			return true
		}
		if part == "node_modules" && i < strings.Count(name, "/") {
			return true
		}
	}
	return false
}

// IsText tells whether Read opens a file: Markdown and YAML.
func IsText(name string) bool {
	return isMarkdown(name) || strings.EqualFold(path.Ext(name), ".yaml")
}

// ConfigName is the file at the top of a folder that says where the content
// is.
const ConfigName = configName

// References gives the paths that a Markdown file names.
func References(file string, src []byte) []string {
	return referred(file, markup.ParseHead(src), src)
}

// referred looks at destinations as they are written, also in raw HTML, and
// rather finds too many: what it misses would be missing on a page.
func referred(file string, h frontmatter.Head, src []byte) []string {
	var out []string
	add := func(dest string) {
		if target, ok := resolve(file, dest); ok {
			out = append(out, target)
		}
	}
	add(h.Meta.Cover)
	add(h.Meta.CoverDark)
	for dest := range destinations(string(src)) {
		add(dest)
	}
	return out
}
