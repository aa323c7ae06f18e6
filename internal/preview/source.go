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

	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/folder"
	"github.com/octavo-docs/octavo/internal/git"
)

// stamp is by what a file is known to have changed.
type stamp struct {
	size, time int64
	mode       fs.FileMode
	oid        string // in a commit
}

// state is how all files looked, by their path in the folder.
type state map[string]stamp

// source is where the files are.
type source interface {
	// scan reports how the files below root look.
	scan(ctx context.Context, root string) (state, error)
	// look reports how one file looks, if that costs next to nothing.
	look(name string) (stamp, bool)
	// open returns the folder that was scanned last, to be read. What has is
	// true for need not be in it. Problems are those of files that are left
	// out.
	open(ctx context.Context, has func(name string) bool) (fs.FS, []folder.Problem, error)
	// asset opens a file that is a plain one still.
	asset(ctx context.Context, name string) (*asset, error)
	close() error
}

// asset is a file to be sent.
type asset struct {
	data
	size    int64
	changed time.Time // zero if that is not known
	close   func()
}

// data is what can be sent in part, and looked into.
type data interface {
	io.ReadSeeker
	io.ReaderAt
}

// openSource opens a folder, or a commit of its repository, and names it.
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

// refError says what is wrong with a ref. The output of git is of interest only
// where nobody knows what it means.
func refError(err error) error {
	if r := git.ReasonOf(err); r == "" || r == git.Internal {
		return fmt.Errorf("--ref: %w", err)
	}
	return fmt.Errorf("--ref: %s", errs.Message(err))
}

// passed reports what is not read.
func passed(named folder.Named, root, name string, d fs.DirEntry) bool {
	if root != "." {
		name = strings.TrimPrefix(name, root+"/")
	}
	if d.IsDir() {
		name += "/x" // as whatever is in it
	}
	return named.Ignored(name)
}

// dirSource is a folder as it is on the disk.
type dirSource struct {
	dir string

	mu   sync.Mutex
	root *os.Root
	old  *os.Root // of a folder that was replaced; the state before may still use it
	info fs.FileInfo
}

func (d *dirSource) fs() *os.Root {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.root
}

// follow opens the folder again when another one has taken its place.
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
				return nil // Read says so
			}
			return err
		}
		if err != nil {
			out[name] = stamp{} // as long as it cannot be read
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

// asset follows no links, also none within the folder: they could lead to
// what is not served.
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
	return &asset{f, info.Size(), info.ModTime(), func() { _ = f.Close() }}, nil // it was only read
}

func (d *dirSource) close() error {
	err := d.root.Close()
	if d.old != nil {
		err = errors.Join(err, d.old.Close())
	}
	return err
}

// commitSource is what a ref of a repository names, which may move.
type commitSource struct {
	repo   *git.Local
	ref    string
	loaded chan struct{} // a place for each file that is in memory to be sent

	mu     sync.Mutex
	commit string // that was scanned last
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

// open brings all texts that are needed in one run of git.
func (c *commitSource) open(ctx context.Context, has func(string) bool) (fs.FS, []folder.Problem, error) {
	_, files, found := c.scanned()
	var oids []string
	var total int64
	for name, st := range files {
		if !folder.IsText(name) || has(name) || st.size > folder.DefaultLimits.Markdown {
			continue // what is too large is left out for its size
		}
		if total += st.size; total > folder.DefaultLimits.Memory {
			return nil, nil, errs.E(errs.Invalid, "the pages have more than %d MB together", folder.DefaultLimits.Memory>>20)
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
