package main

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/blob"
	"github.com/octavo-docs/octavo/internal/web/server"
	"github.com/octavo-docs/octavo/internal/web/services"
)

type filesCmd struct {
	Adopt filesAdoptCmd `cmd:"" help:"Let the database know its files in the folder or the bucket that the flags name: they were moved there without the folder marks, or are lost."`
}

type filesAdoptCmd struct {
	storeFlags
	Yes bool `help:"Do it. Without this, the command says what would change."`
}

func (c *filesAdoptCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		place := c.files()
		files, err := place.Open(ctx)
		if err != nil {
			return err
		}
		known, err := server.KnownPlace(ctx, sv.Store)
		if err != nil {
			return err
		}
		if known.Mark != "" {
			if has, err := files.HasMark(ctx, known.Mark); err != nil {
				return err
			} else if has {
				_, err = fmt.Fprintf(s.out, "%s has the mark of this database; there is nothing to do\n", place)
				return err
			}
		}
		if !c.Yes {
			return c.explain(ctx, s, files, known.Place)
		}
		if err := place.Adopt(ctx, sv.Store, files); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "the database knows its files in %s now; start all nodes again, and octavo doctor --verify looks for files that are missing\n", place)
		return err
	})
}

// explain says what would change.
func (c *filesAdoptCmd) explain(ctx context.Context, s streams, files blob.Store, was string) error {
	empty, err := blob.Empty(ctx, files)
	if err != nil {
		return err
	}
	has := "has files"
	if empty {
		has = "is empty"
	}
	if was == "" {
		was = "no place yet"
	}
	_, err = fmt.Fprintf(s.out, "%s %s. The database knows its files in %s. Nothing was changed.\n"+
		"With --yes it knows them here: nodes that look elsewhere do not start any more, and what is not here is missing in pages.\n", c.files(), has, was)
	return err
}
