package preview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/content/git"
	"github.com/octavo-docs/octavo/internal/errs"
)

// stamp holds the attributes by which a change of a file is detected.
type stamp struct {
	size, time int64
	mode       fs.FileMode
	oid        string // object name, for a file of a commit
}

// state maps the paths of all files in the folder to their stamps.
type state map[string]stamp

// source provides the files of the folder.
type source interface {
	// scan returns the state of the files below root.
	scan(ctx context.Context, root string) (state, error)
	// look returns the stamp of a single file. ok is false if that is not possible at low
	// cost.
	look(name string) (stamp, bool)
	// open returns the folder of the last scan for reading. Files for which has returns
	// true may be missing in it. The problems are those of files that are left out.
	open(ctx context.Context, has func(name string) bool) (fs.FS, []folder.Problem, error)
	// asset opens a file. It returns an error if it is not a regular file now.
	asset(ctx context.Context, name string) (*asset, error)
	close() error
}

// asset is a file that is sent to a client.
type asset struct {
	data
	size    int64
	changed time.Time // zero if unknown
	close   func()
}

// data supports range requests and random access.
type data interface {
	io.ReadSeeker
	io.ReaderAt
}

// openSource opens a folder, or a commit of its repository. It also returns the display
// name.
func openSource(ctx context.Context, dir, ref string) (source, string, error) {
	full, err := filepath.Abs(dir)
	if err != nil {
		return nil, "", err
	}
	info, err := os.Stat(full)
	if err != nil {
		return nil, "", fmt.Errorf("--preview: %w", err)
	}
	if !info.IsDir() {
		return nil, "", fmt.Errorf("--preview: %s is not a folder", dir)
	}
	name := filepath.Base(full)
	if ref == "" {
		root, err := os.OpenRoot(full)
		if err != nil {
			return nil, "", err
		}
		return &dirSource{dir: full, root: root, info: info}, name, nil
	}
	repo, err := git.OpenLocal(ctx, full)
	if err != nil {
		return nil, "", refError(err)
	}
	c := &commitSource{repo: repo, ref: ref, loaded: make(chan struct{}, maxLoaded)}
	if _, err := repo.Commit(ctx, ref); err != nil {
		return nil, "", errors.Join(refError(err), repo.Close())
	}
	return c, strings.TrimSuffix(name, ".git") + " @ " + ref, nil
}

// refError returns the error for a ref. It includes the output of git only for
// unclassified failures.
func refError(err error) error {
	if r := git.ReasonOf(err); r == "" || r == git.Internal {
		return fmt.Errorf("--ref: %w", err)
	}
	return fmt.Errorf("--ref: %s", errs.Message(err))
}

// passed reports whether a file or a folder is not read.
func passed(named folder.Named, root, name string, d fs.DirEntry) bool {
	if root != "." {
		name = strings.TrimPrefix(name, root+"/")
	}
	if d.IsDir() {
		name += "/x" // a folder is skipped if any file in it would be
	}
	return named.Ignored(name)
}

// dirSource is a folder on disk.
type dirSource struct {
	dir string

	mu   sync.Mutex
	root *os.Root
	old  *os.Root // of a folder that was replaced; the previous state may still use it
	info fs.FileInfo
}

func (d *dirSource) fs() *os.Root {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.root
}

// follow reopens the folder if another folder replaced it.
func (d *dirSource) follow() error {
	info, err := os.Stat(d.dir)
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if os.SameFile(info, d.info) {
		return nil
	}
	root, err := os.OpenRoot(d.dir)
	if err != nil {
		return err
	}
	if d.old != nil {
		err = d.old.Close()
	}
	d.old, d.root, d.info = d.root, root, info
	return err
}

func (d *dirSource) scan(ctx context.Context, root string) (state, error) {
	if err := d.follow(); err != nil {
		return nil, err
	}
	out := state{}
	if st, ok := d.look(folder.ConfigName); ok {
		out[folder.ConfigName] = st
	}
	named := folder.NamedIn(d.fs().FS())
	err := fs.WalkDir(d.fs().FS(), root, func(name string, e fs.DirEntry, err error) error {
		if name == root {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // Read reports the error
			}
			return err
		}
		if err != nil {
			out[name] = stamp{} // the stamp changes once the file can be read
			return nil
		}
		if passed(named, root, name, e) {
			if e.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if e.IsDir() {
			return ctx.Err()
		}
		if len(out) > folder.DefaultLimits.Files {
			return fmt.Errorf("the folder has more than %d files", folder.DefaultLimits.Files)
		}
		if info, err := e.Info(); err == nil {
			out[name] = stampOf(info)
		}
		return nil
	})
	return out, err
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{size: info.Size(), time: info.ModTime().UnixNano(), mode: info.Mode().Type()}
}

func (d *dirSource) look(name string) (stamp, bool) {
	info, err := d.fs().Lstat(filepath.FromSlash(name))
	if err != nil {
		return stamp{}, errors.Is(err, fs.ErrNotExist) && name != folder.ConfigName
	}
	return stampOf(info), true
}

func (d *dirSource) open(context.Context, func(string) bool) (fs.FS, []folder.Problem, error) {
	return d.fs().FS(), nil, nil
}

// asset opens a regular file. It follows no symbolic links, not even within the folder,
// because they could lead to files that must not be served.
func (d *dirSource) asset(_ context.Context, name string) (*asset, error) {
	root := d.fs()
	for i := range name + "/" {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil {
			return nil, err
		}
		if i < len(name) && !info.IsDir() || i == len(name) && !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is a link or a special file", name[:i])
		}
	}
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &asset{f, info.Size(), info.ModTime(), func() { _ = f.Close() }}, nil // errors of Close do not matter after reading
}

func (d *dirSource) close() error {
	err := d.root.Close()
	if d.old != nil {
		err = errors.Join(err, d.old.Close())
	}
	return err
}

// commitSource is the commit that a ref of a repository points to. The ref may move.
type commitSource struct {
	repo   *git.Local
	ref    string
	loaded chan struct{} // limits the number of files in memory that are being sent

	mu     sync.Mutex
	commit string // the commit of the last scan
	files  state
	found  []folder.Problem
}

func (c *commitSource) scanned() (string, state, []folder.Problem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.commit, c.files, c.found
}

func (c *commitSource) scan(ctx context.Context, _ string) (state, error) {
	last, files, _ := c.scanned()
	commit, err := c.repo.Commit(ctx, c.ref)
	if err != nil || commit == last {
		return files, err
	}
	entries, problems, err := c.repo.Tree(ctx, commit)
	if err != nil {
		return nil, err
	}
	var oids []string
	for _, e := range entries {
		oids = append(oids, e.OID)
	}
	sizes, err := c.repo.Sizes(ctx, oids)
	if err != nil {
		return nil, err
	}
	files = state{}
	for _, e := range entries {
		files[e.Path] = stamp{size: sizes[e.OID], oid: e.OID}
	}
	var found []folder.Problem
	for _, p := range problems {
		found = append(found, folder.Problem{File: p.Path, Code: p.Code, Message: p.Message})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commit, c.files, c.found = commit, files, found
	return files, nil
}

func (c *commitSource) look(string) (stamp, bool) { return stamp{}, false }

// open reads all required text files with a single git command.
func (c *commitSource) open(ctx context.Context, has func(string) bool) (fs.FS, []folder.Problem, error) {
	_, files, found := c.scanned()
	var oids []string
	var total int64
	for name, st := range files {
		if !folder.IsText(name) || has(name) || st.size > folder.DefaultLimits.Markdown {
			continue // a file that is too large is left out because of its size
		}
		if total += st.size; total > folder.DefaultLimits.Memory {
			return nil, nil, errs.E(errs.Invalid, "the pages have more than %s together", errs.Size(folder.DefaultLimits.Memory))
		}
		oids = append(oids, st.oid)
	}
	texts := map[string][]byte{}
	err := c.repo.Blobs(ctx, oids, func(b git.Blob) (err error) {
		texts[b.OID], err = readBlob(b)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	var list []folder.Source
	for name, st := range files {
		list = append(list, folder.Source{Path: name, Size: st.size, Data: texts[st.oid]})
	}
	return folder.List(list), found, nil
}

func readBlob(b git.Blob) ([]byte, error) {
	if b.Data == nil {
		return nil, errs.E(errs.Invalid, "a file is larger than what can be read")
	}
	return io.ReadAll(b.Data)
}

func (c *commitSource) asset(ctx context.Context, name string) (*asset, error) {
	_, files, _ := c.scanned()
	st, ok := files[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	select {
	case c.loaded <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := func() { <-c.loaded }
	var all []byte
	err := c.repo.Blobs(ctx, []string{st.oid}, func(b git.Blob) (err error) {
		all, err = readBlob(b)
		return err
	})
	if err != nil {
		free()
		return nil, err
	}
	return &asset{bytes.NewReader(all), st.size, time.Time{}, free}, nil
}

func (c *commitSource) close() error { return c.repo.Close() }
