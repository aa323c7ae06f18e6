package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/content/folder"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type importCmd struct {
	storeFlags
	addressFlag
	From  string `arg:"" help:"Folder or zip file of Markdown." placeholder:"DIR|ZIP"`
	Space string `help:"Id of the space." required:""`
	Quiet bool   `help:"Print nothing but mistakes."`
}

func (c *importCmd) Run(ctx context.Context, s streams) (err error) {
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return err
	}
	tree, closeSource, err := readFolder(c.From) // first: root may read what the owner of the data may not
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	sv, err := c.openWithFiles(ctx, services.Settings{BaseURL: base})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	sp, err := findSpace(ctx, sv, c.Space)
	if err != nil {
		return err
	}
	found := checkFolder(c.From, tree)
	if err := folder.Format(s.err, found, "text"); err != nil {
		return err
	}
	if !c.Quiet {
		fmt.Fprint(s.err, tree.Report(found))
	}
	if len(tree.Pages) == 0 {
		return fmt.Errorf("there are no pages in %s, and the space would be empty; nothing was imported", c.From)
	}
	done, err := sv.Content.Import(ctx, authz.OperatorGrant(sp.CreatedBy), sp, tree, func(stage string, at, all int) {
		if !c.Quiet && at == 0 && all > 0 {
			fmt.Fprintf(s.err, "%s …\n", stage)
		}
	})
	if err != nil || c.Quiet {
		return err
	}
	if !done.Changed {
		_, err = fmt.Fprintln(s.out, "nothing has changed")
		return err
	}
	_, err = fmt.Fprintf(s.out, "imported %s as revision %s\n", tree.Counts(), done.Revision)
	return err
}

// findSpace returns the space with an ID. It returns an error if the space is in the
// trash.
func findSpace(ctx context.Context, sv *services.Services, id string) (docs.Space, error) {
	v, err := sv.Store.Space(ctx, docs.SpaceID(id))
	if errs.Is(err, errs.NotFound) || err == nil && !v.It.DeletedAt.IsZero() {
		return v.It, fmt.Errorf("there is no space %q; GET /v1/orgs/{id}/spaces lists them", id)
	}
	return v.It, err
}

// readFolder reads a folder or a zip file. The caller must call the returned function
// after using the tree.
func readFolder(from string) (*folder.Tree, func() error, error) {
	keep := func() error { return nil }
	info, err := os.Stat(from)
	if err != nil {
		return nil, keep, err
	}
	var fsys fs.FS
	if info.IsDir() {
		root, err := os.OpenRoot(from)
		if err != nil {
			return nil, keep, err
		}
		fsys, keep = root.FS(), root.Close
	} else {
		f, err := os.Open(from)
		if err != nil {
			return nil, keep, err
		}
		keep = f.Close
		if fsys, err = folder.OpenZip(f, info.Size(), folder.Limits{}); err != nil {
			return nil, keep, errors.Join(fmt.Errorf("%s: %w", from, err), f.Close())
		}
	}
	tree, err := folder.Read(fsys, folder.Limits{})
	if err != nil {
		return nil, keep, errors.Join(fmt.Errorf("%s: %w", from, err), keep())
	}
	return tree, keep, nil
}

type exportCmd struct {
	storeFlags
	addressFlag
	pdfFlag
	To    string `arg:"" optional:"" help:"Folder to write; it must be empty or not exist." placeholder:"DIR"`
	Space string `help:"Id of the space." required:""`
	PDF   string `help:"Write a PDF instead of a folder." name:"pdf" placeholder:"FILE"`
}

func (c *exportCmd) Run(ctx context.Context, s streams) (err error) {
	if (c.To == "") == (c.PDF == "") {
		fmt.Fprintln(s.err, "octavo: export needs either a folder or --pdf FILE")
		return exitError(2)
	}
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return err
	}
	settings := services.Settings{BaseURL: base, Log: newLog(s.err, "warn", "text")}
	if settings.Fonts, err = c.fonts(); err != nil {
		return err
	}
	sv, err := c.openWithFiles(ctx, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sv.Store.Close()) }()
	sp, err := findSpace(ctx, sv, c.Space)
	if err != nil {
		return err
	}
	if c.PDF != "" {
		return c.writePDF(ctx, s, sv, sp)
	}
	if there, err := os.ReadDir(c.To); err == nil && len(there) > 0 {
		return fmt.Errorf("%s is not empty; choose another folder", c.To)
	}
	v, err := sv.Content.Source.Head(ctx, sp)
	if err != nil {
		return err
	}
	tree, err := sv.Content.Exchange.Folder(ctx, v)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.To, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(c.To)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := folder.Write(dirSink{root}, tree); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "wrote %s of revision %s to %s\n", tree.Counts(), v.Rev.ID, c.To)
	return err
}

// dirSink writes files below a folder. os.Root prevents writing anywhere else.
type dirSink struct{ root *os.Root }

// WriteFile implements folder.Sink.
func (d dirSink) WriteFile(name string, data io.Reader) (err error) {
	if dir := filepath.Dir(name); dir != "." {
		if err := d.root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	f, err := d.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	_, err = io.Copy(f, data)
	return err
}

type checkCmd struct {
	storeFlags
	addressFlag
	Dir    string `arg:"" optional:"" help:"Folder or zip file of Markdown." placeholder:"DIR|ZIP"`
	Space  string `help:"Check a space instead of a folder."`
	Format string `help:"text, json or sarif." default:"text" enum:"text,json,sarif"`
}

// Run returns exit code 1 if problems were found.
func (c *checkCmd) Run(ctx context.Context, s streams) (err error) {
	if (c.Dir == "") == (c.Space == "") {
		fmt.Fprintln(s.err, "octavo: check needs either a folder or --space")
		return exitError(2)
	}
	tree, done, err := c.tree(ctx)
	if err != nil {
		fmt.Fprintln(s.err, "octavo:", err)
		return exitError(2) // 1 means that problems were found
	}
	defer func() { err = errors.Join(err, done()) }()
	found := checkFolder(c.Dir, tree)
	if err := folder.Format(s.out, found, c.Format); err != nil {
		return err
	}
	if c.Format == "text" {
		if _, err := fmt.Fprint(s.out, tree.Report(found)); err != nil {
			return err
		}
	}
	if len(found) > 0 {
		return exitError(1)
	}
	return nil
}

// checkFolder returns the problems of a tree that was read from a folder or a zip file, or from a
// space if from is empty. Paths are relative to the working directory, so that an editor can open
// the files.
func checkFolder(from string, tree *folder.Tree) []folder.Problem {
	found := folder.Check(tree)
	for i := range found {
		if from != "" {
			found[i].File = filepath.ToSlash(filepath.Join(from, filepath.FromSlash(found[i].File)))
		}
	}
	return found
}

func (c *checkCmd) tree(ctx context.Context) (*folder.Tree, func() error, error) {
	if c.Dir != "" {
		return readFolder(c.Dir)
	}
	base, err := c.address(c.storeFlags)
	if err := errors.Join(c.exists(), err); err != nil {
		return nil, nil, err
	}
	sv, err := c.openWithFiles(ctx, services.Settings{BaseURL: base})
	if err != nil {
		return nil, nil, err
	}
	sp, err := findSpace(ctx, sv, c.Space)
	if err != nil {
		return nil, nil, errors.Join(err, sv.Store.Close())
	}
	v, err := sv.Content.Source.Head(ctx, sp)
	if err != nil {
		return nil, nil, errors.Join(err, sv.Store.Close())
	}
	tree, err := sv.Content.Exchange.Folder(ctx, v)
	if err != nil {
		return nil, nil, errors.Join(err, sv.Store.Close())
	}
	tree.Unlisted = nil // kept only for the export; they are not pages of the space
	return tree, sv.Store.Close, nil
}
