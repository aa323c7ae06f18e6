package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/octavo-docs/octavo/internal/store"
)

type backupCmd struct {
	storeFlags
	To string `help:"File to write; it must not exist." required:"" placeholder:"FILE"`
}

func (c *backupCmd) Run(ctx context.Context, s streams) (err error) {
	st, err := c.attach(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	f, err := os.OpenFile(c.To, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists already; choose another name", c.To)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	m, err := st.Backup(ctx, f, version)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, os.Remove(c.To))
	}
	_, err = fmt.Fprintf(s.out, "wrote %d rows of %d tables to %s\n", m.Rows(), len(m.Tables), c.To)
	return err
}

type restoreCmd struct {
	storeFlags
	From string `help:"Backup to read." required:"" placeholder:"FILE"`
}

func (c *restoreCmd) Run(ctx context.Context, s streams) error {
	o, err := c.options()
	if err != nil {
		return err
	}
	f, err := os.Open(c.From)
	if err != nil {
		return err
	}
	defer f.Close()
	m, err := store.Restore(ctx, o, f)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "restored %d rows of %d tables, written %s by Octavo %s\n", m.Rows(), len(m.Tables), m.CreatedAt, m.Program)
	return err
}
