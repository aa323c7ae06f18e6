package folder

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/names"
)

const (
	// maxRatio is the maximum ratio of the size of a file to its compressed size. The
	// ratio of text is seldom above ten.
	maxRatio = 200
	// smallFile is the maximum size of files whose ratio is not checked.
	smallFile = 1 << 20
	// directoryEntry is the size allowed for one entry in the directory of an archive.
	directoryEntry = 256
)

// OpenZip returns the files of an archive. It returns an error that names the file if the
// archive has paths that leave it or occur twice, symbolic links, files that share bytes,
// or files that unpack to too much. Reading a file that is larger than its size in the
// directory is an error too.
//
// Files that other programs add, such as __MACOSX, are ignored. If all files are in one
// folder, that folder is the root.
func OpenZip(r io.ReaderAt, size int64, l Limits) (fs.FS, error) {
	l = l.orDefault()
	// zip.NewReader reads the whole directory of the archive into memory before the
	// entries can be counted.
	meter := &meter{r: r, left: int64(l.Files)*directoryEntry + 1<<20}
	z, err := zip.NewReader(meter, size)
	if meter.left < 0 {
		return nil, errs.E(errs.Invalid, "the archive has more than %d files", l.Files)
	}
	if err != nil {
		return nil, &errs.Error{Kind: errs.Invalid, Message: "the file is not a zip archive that can be read", Err: err}
	}
	meter.open = true // reading the files is limited by openFile
	a := &archive{root: newZipDir("."), limits: l}
	for _, f := range z.File {
		if err := a.add(f); err != nil {
			return nil, err
		}
	}
	if err := a.overlaps(); err != nil {
		return nil, err
	}
	root := a.root
	if len(root.entries) == 1 {
		only, ok := root.list()[0].(*zipDir)
		if ok && !strings.HasPrefix(only.name, ".") {
			root = only
			root.name = "."
		}
	}
	return &zipFS{root}, nil
}

// meter is an io.ReaderAt that fails after a number of bytes were read.
type meter struct {
	r    io.ReaderAt
	left int64
	open bool // without a limit
}

func (m *meter) ReadAt(p []byte, off int64) (int, error) {
	if !m.open {
		if m.left -= int64(len(p)); m.left < 0 {
			return 0, errors.New("the directory of the archive is too large")
		}
	}
	return m.r.ReadAt(p, off)
}

// archive collects the files of a zip archive and checks its limits.
type archive struct {
	root   *zipDir
	limits Limits
	files  []*zip.File
	count  int
	total  uint64
}

// add adds a file to the tree, or returns an error if it is refused.
func (a *archive) add(f *zip.File) error {
	refuse := func(why string) error {
		return errs.E(errs.Invalid, "the archive has %s, which is refused: %s", printable(f.Name), why)
	}
	if a.count++; a.count > a.limits.Files {
		return errs.E(errs.Invalid, "the archive has more than %d files", a.limits.Files)
	}
	name := strings.TrimSuffix(f.Name, "/")
	if top, _, _ := strings.Cut(name, "/"); top == "__MACOSX" || path.Base(name) == ".DS_Store" {
		return nil
	}
	if why := names.Problem(name); why != "" {
		return refuse(why)
	}
	if strings.Count(name, "/") >= a.limits.Depth {
		return refuse("it is in too many folders")
	}
	isDir := strings.HasSuffix(f.Name, "/")
	mode := f.Mode()
	switch {
	case isDir && mode.Type() != fs.ModeDir, !isDir && !mode.IsRegular():
		return refuse("it is a symbolic link or a special file")
	case f.Flags&1 != 0:
		return refuse("it is encrypted")
	case f.Method != zip.Store && f.Method != zip.Deflate:
		return refuse("its compression method is not supported")
	}
	dir := a.root
	parts := strings.Split(name, "/")
	if !isDir {
		parts = parts[:len(parts)-1]
	}
	for _, part := range parts {
		next, why := dir.folder(part)
		if why != "" {
			return refuse(why)
		}
		dir = next
	}
	if isDir {
		return nil
	}
	limit := uint64(a.limits.Asset)
	switch {
	case f.UncompressedSize64 > limit:
		return refuse("it is too large")
	case f.UncompressedSize64 > smallFile && f.UncompressedSize64/maxRatio > f.CompressedSize64:
		return refuse(fmt.Sprintf("it unpacks to more than %d times its size", maxRatio))
	}
	if a.total += f.UncompressedSize64; a.total > uint64(a.limits.Unpacked) {
		return errs.E(errs.Invalid, "the archive unpacks to more than %s", errs.Size(a.limits.Unpacked))
	}
	if why := dir.put(path.Base(name), &zipFile{f}); why != "" {
		return refuse(why)
	}
	a.files = append(a.files, f)
	return nil
}

// overlaps returns an error if files share bytes of the archive. Otherwise a small
// archive could unpack to any size without a suspicious ratio.
func (a *archive) overlaps() error {
	type span struct {
		start, end int64
		name       string
	}
	var spans []span
	for _, f := range a.files {
		start, err := f.DataOffset()
		if err != nil {
			return &errs.Error{Kind: errs.Invalid, Message: "the archive has " + printable(f.Name) + ", which cannot be read", Err: err}
		}
		spans = append(spans, span{start, start + int64(f.CompressedSize64), f.Name})
	}
	slices.SortFunc(spans, func(x, y span) int {
		if x.start != y.start {
			return int(min(max(x.start-y.start, -1), 1))
		}
		return strings.Compare(x.name, y.name)
	})
	for i := 1; i < len(spans); i++ {
		if spans[i].start < spans[i-1].end {
			return errs.E(errs.Invalid, "the archive has %s, which is refused: it shares its bytes with another file", printable(spans[i].name))
		}
	}
	return nil
}

// zipFS is the file system of a zip archive.
type zipFS struct{ root *zipDir }

// Open implements fs.FS. The archive has no symbolic links.
func (z *zipFS) Open(name string) (fs.File, error) {
	if !fs.ValidPath(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrInvalid}
	}
	var at fs.DirEntry = z.root
	if name != "." {
		for part := range strings.SplitSeq(name, "/") {
			dir, ok := at.(*zipDir)
			if !ok {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
			if at = dir.entries[part]; at == nil {
				return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
			}
		}
	}
	if dir, ok := at.(*zipDir); ok {
		return &openDir{dir: dir, list: dir.list()}, nil
	}
	f := at.(*zipFile).f
	r, err := f.Open()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &openFile{info: f.FileInfo(), r: r, left: f.UncompressedSize64, name: name}, nil
}

type zipFile struct{ f *zip.File }

func (f *zipFile) Name() string               { return path.Base(f.f.Name) }
func (f *zipFile) IsDir() bool                { return false }
func (f *zipFile) Type() fs.FileMode          { return 0 }
func (f *zipFile) Info() (fs.FileInfo, error) { return f.f.FileInfo(), nil }

type zipDir struct {
	name    string
	entries map[string]fs.DirEntry
}

func newZipDir(name string) *zipDir {
	return &zipDir{name, map[string]fs.DirEntry{}}
}

// put adds an entry, or returns the reason why it cannot be added.
func (d *zipDir) put(name string, e fs.DirEntry) string {
	if _, ok := d.entries[name]; ok {
		return "it occurs twice"
	}
	d.entries[name] = e
	return ""
}

// folder returns the subfolder with a name, and creates it if necessary. It returns the
// reason if it cannot be created.
func (d *zipDir) folder(name string) (*zipDir, string) {
	if e, ok := d.entries[name]; ok {
		sub, ok := e.(*zipDir)
		if !ok {
			return nil, "it is both a file and a folder"
		}
		return sub, ""
	}
	sub := newZipDir(name)
	return sub, d.put(name, sub)
}

func (d *zipDir) list() []fs.DirEntry {
	var out []fs.DirEntry
	for _, name := range sortedKeys(d.entries) {
		out = append(out, d.entries[name])
	}
	return out
}

func (d *zipDir) Name() string               { return d.name }
func (d *zipDir) IsDir() bool                { return true }
func (d *zipDir) Type() fs.FileMode          { return fs.ModeDir }
func (d *zipDir) Info() (fs.FileInfo, error) { return d, nil }
func (d *zipDir) Size() int64                { return 0 }
func (d *zipDir) Mode() fs.FileMode          { return fs.ModeDir | 0o555 }
func (d *zipDir) ModTime() time.Time         { return time.Time{} }
func (d *zipDir) Sys() any                   { return nil }

// openDir is an open folder.
type openDir struct {
	dir  fs.FileInfo
	list []fs.DirEntry
}

func (d *openDir) Stat() (fs.FileInfo, error) { return d.dir, nil }
func (d *openDir) Close() error               { return nil }
func (d *openDir) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: d.dir.Name(), Err: errors.New("is a folder")}
}

func (d *openDir) ReadDir(n int) ([]fs.DirEntry, error) {
	if n <= 0 {
		out := d.list
		d.list = nil
		return out, nil
	}
	if len(d.list) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.list))
	out := d.list[:n]
	d.list = d.list[n:]
	return out, nil
}

// openFile is an open file. Reading more bytes than the directory of the archive states
// is an error.
type openFile struct {
	info fs.FileInfo
	r    io.ReadCloser
	left uint64
	name string
}

func (f *openFile) Stat() (fs.FileInfo, error) { return f.info, nil }
func (f *openFile) Close() error               { return f.r.Close() }

func (f *openFile) Read(p []byte) (int, error) {
	if f.left == 0 {
		// A further byte is an error. At the end of the file, Read verifies the checksum.
		var one [1]byte
		n, err := f.r.Read(one[:])
		if n > 0 {
			return 0, errs.E(errs.Invalid, "%s in the archive is larger than the archive says", printable(f.name))
		}
		return 0, f.damaged(err)
	}
	if uint64(len(p)) > f.left {
		p = p[:f.left]
	}
	n, err := f.r.Read(p)
	f.left -= uint64(n)
	return n, f.damaged(err)
}

func (f *openFile) damaged(err error) error {
	if err == nil || errors.Is(err, io.EOF) {
		return err
	}
	return &errs.Error{Kind: errs.Invalid, Message: printable(f.name) + " in the archive is damaged", Err: err}
}

var (
	_ fs.ReadDirFile = (*openDir)(nil)
	_ fs.DirEntry    = (*zipDir)(nil)
	_ fs.FileInfo    = (*zipDir)(nil)
)
