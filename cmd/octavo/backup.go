package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store"
)

type backupCmd struct {
	storeFlags
	To string `help:"File to write; it must not exist." required:"" placeholder:"FILE"`
}

func (c *backupCmd) Run(ctx context.Context, s streams) error {
	if err := c.exists(); err != nil {
		return err
	}
	// Opened first, because root may write where the owner of the data may not.
	f, err := os.OpenFile(c.To, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", c.To)
	}
	if err != nil {
		return err
	}
	m, err := c.write(ctx, f)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(c.To))
	}
	_, err = fmt.Fprintf(s.out, "wrote %d rows of %d tables and %d files to %s\n", m.Rows(), len(m.Tables), m.Files, c.To)
	return err
}

// write writes the backup into a file, and syncs it to disk.
func (c *backupCmd) write(ctx context.Context, f *os.File) (m store.Manifest, err error) {
	st, err := c.attach(ctx)
	if err != nil {
		return m, err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	files, err := c.files().OpenToRead(ctx, st)
	if err != nil {
		return m, err
	}
	m, err = st.Backup(ctx, f, version, func(add store.AddFile) error {
		return files.Walk(ctx, func(i blob.Info) error {
			o, err := files.Open(ctx, i.Hash)
			if errs.Is(err, errs.NotFound) {
				return nil // removed since Walk listed it; nothing refers to it any more
			}
			if err != nil {
				return err
			}
			return errors.Join(add(i.Hash.String(), o.Info().Size, o), o.Close())
		})
	})
	if err == nil {
		err = f.Sync()
	}
	return m, err
}

type restoreCmd struct {
	storeFlags
	From string `help:"Backup to read." required:"" placeholder:"FILE"`
	Live bool   `help:"This installation takes the place of the original. Without it, git connections, webhooks, mails and translations are paused until octavo resume, so that nothing is done twice."`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	f, err := os.Open(c.From) // first: root may read what the owner of the data may not
	if err != nil {
		return err
	}
	defer f.Close()
	o, err := c.options()
	if err != nil {
		return err
	}
	var files blob.Store
	m, err := store.Restore(ctx, o, f, c.Live, func(r io.Reader) (err error) {
		if files == nil { // opened only after the backup was verified to be complete
			if files, err = c.files().Open(ctx); err != nil {
				return err
			}
		}
		_, err = files.Put(ctx, r)
		return err
	})
	if err != nil {
		return err
	}
	if err := c.finish(ctx, m, files != nil); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "restored %d rows of %d tables and %d files, written %s by Octavo %s\n", m.Rows(), len(m.Tables), m.Files, m.CreatedAt, m.Program)
	if err == nil && !c.Live {
		_, err = fmt.Fprintf(s.out, "%s are paused; octavo resume goes on with them, when the original does not run any more\n", pausedWork)
	}
	return err
}

// finish adds an audit event that the store was restored from a backup. If there were files, the
// database knows afterwards where they are.
func (c *restoreCmd) finish(ctx context.Context, m store.Manifest, files bool) (err error) {
	st, err := c.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if files {
		if _, err := c.files().OpenFor(ctx, st); err != nil {
			return err
		}
	}
	return st.Do(ctx, func(tx *store.Tx) error {
		return audit.Record(ctx, tx, authz.AtCommandLine(authz.System.User), audit.Event{
			Action: "instance.restore", Kind: "instance", Data: map[string]any{"rows": m.Rows(), "files": m.Files, "written": m.CreatedAt, "live": c.Live},
		})
	})
}
