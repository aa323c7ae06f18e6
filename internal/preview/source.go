package preview

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"

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
	// scan tells how the files below root look.
	scan(ctx context.Context, root string) (state, error)
	// look tells how one file looks, if that costs next to nothing.
	look(name string) (stamp, bool)
	// open gives the folder that was scanned last. Files that are as they
	// were before may be slow to open. Problems are those of files that are
	// not in it. Call done when it has been read; files can still be opened.
	open(ctx context.Context, before state) (fsys fs.FS, found []folder.Problem, done func(), err error)
	// plain refuses what has become a link since it was scanned.
	plain(name string) error
	close() error
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
		return nil, "", fmt.Errorf("--ref: %w", err)
	}
	c := &commitSource{repo: repo, ref: ref}
	if _, err := repo.Commit(ctx, ref); err != nil {
		return nil, "", errors.Join(fmt.Errorf("--ref: %w", err), repo.Close())
	}
	return c, strings.TrimSuffix(name, ".git") + " @ " + ref, nil
}

// passed tells what is not read: see folder.Read.
func passed(d fs.DirEntry) bool {
	name := d.Name()
	return name[0] == '.' && name != ".gitbook" || d.IsDir() && name == "node_modules"
}

const configName = ".gitbook.yaml"

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
	if st, ok := d.look(configName); ok {
		out[configName] = st
	}
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
		if passed(e) {
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
		return stamp{}, errors.Is(err, fs.ErrNotExist) && name != configName
	}
	return stampOf(info), true
}

func (d *dirSource) open(context.Context, state) (fs.FS, []folder.Problem, func(), error) {
	return d.fs().FS(), nil, func() {}, nil
}

func (d *dirSource) plain(name string) error {
	root := d.fs()
	for i := range name + "/" {
		if i < len(name) && name[i] != '/' {
			continue
		}
		info, err := root.Lstat(filepath.FromSlash(name[:i]))
		if err != nil {
			return err
		}
		if i < len(name) && !info.IsDir() || i == len(name) && !info.Mode().IsRegular() {
			return fmt.Errorf("%s is a link or a special file", name[:i])
		}
	}
	return nil
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
	commit string // that was scanned last
	files  state
	found  []folder.Problem
}

func (c *commitSource) scan(ctx context.Context, _ string) (state, error) {
	commit, err := c.repo.Commit(ctx, c.ref)
	if err != nil || commit == c.commit {
		return c.files, err
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
	files := state{}
	for _, e := range entries {
		files[e.Path] = stamp{size: sizes[e.OID], oid: e.OID}
	}
	var found []folder.Problem
	for _, p := range problems {
		found = append(found, folder.Problem{File: p.Path, Code: p.Code, Message: p.Message})
	}
	c.commit, c.files, c.found = commit, files, found
	return files, nil
}

func (c *commitSource) look(string) (stamp, bool) { return stamp{}, false }

// open brings the texts that are new in one run of git. They are let go when
// they have been read.
func (c *commitSource) open(ctx context.Context, before state) (fs.FS, []folder.Problem, func(), error) {
	texts := map[string][]byte{}
	var oids []string
	var total int64
	for name, st := range c.files {
		if before[name] == st || !isText(name) {
			continue
		}
		if total += st.size; total <= folder.DefaultLimits.Memory { // beyond it they are refused
			oids = append(oids, st.oid)
		}
	}
	err := c.repo.Blobs(ctx, oids, func(b git.Blob) error {
		text, err := readBlob(b)
		texts[b.OID] = text
		return err
	})
	if err != nil {
		return nil, nil, nil, err
	}
	var files []*folder.File
	for name, st := range c.files {
		files = append(files, &folder.File{Path: name, Size: st.size, Open: func() (io.ReadCloser, error) {
			if text, ok := texts[st.oid]; ok {
				return io.NopCloser(bytes.NewReader(text)), nil
			}
			var out []byte
			err := c.repo.Blobs(context.Background(), []string{st.oid}, func(b git.Blob) (err error) {
				out, err = readBlob(b)
				return err
			})
			return io.NopCloser(bytes.NewReader(out)), err
		}})
	}
	fsys, err := folder.FromFiles(files)
	return fsys, c.found, func() { clear(texts) }, err
}

func isText(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".md", ".markdown", ".yaml":
		return true
	}
	return false
}

func readBlob(b git.Blob) ([]byte, error) {
	if b.Data == nil {
		return nil, nil // too large for us: it is left out for its size
	}
	return io.ReadAll(b.Data)
}

func (c *commitSource) plain(string) error { return nil }

func (c *commitSource) close() error { return c.repo.Close() }
