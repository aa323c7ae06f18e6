package main

import (
	"context"
	"fmt"

	"github.com/octavo-docs/octavo/internal/audit"
	"github.com/octavo-docs/octavo/internal/authz"
	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store"
	"github.com/octavo-docs/octavo/internal/web/services"
)

// pausedWork names what is paused, for messages.
const pausedWork = "git connections, webhooks, mails and translations"

type pauseCmd struct{ storeFlags }

// Run pauses the outgoing work. A server that runs notices it at once.
func (c *pauseCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		at, err := setPaused(ctx, sv.Store, true)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s are paused since %s; octavo resume goes on with them\n", pausedWork, at)
		return err
	})
}

type resumeCmd struct{ storeFlags }

// Run resumes the outgoing work. A server that runs notices it at once.
func (c *resumeCmd) Run(ctx context.Context, s streams) error {
	return c.with(ctx, func(sv *services.Services) error {
		at, err := sv.Store.PausedAt(ctx)
		if err != nil {
			return err
		}
		if at.IsZero() {
			_, err = fmt.Fprintln(s.out, "nothing is paused")
			return err
		}
		if _, err := setPaused(ctx, sv.Store, false); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "%s go on; they were paused since %s\n", pausedWork, at)
		return err
	})
}

// setPaused pauses the outgoing work, unless it is paused already, or resumes it. It
// returns since when it is paused.
func setPaused(ctx context.Context, st *store.Store, pause bool) (docs.Time, error) {
	return store.InTx(ctx, st, func(tx *store.Tx) (docs.Time, error) {
		at, err := tx.PausedAt(ctx)
		if err != nil || at.IsZero() != pause {
			return at, err
		}
		action := "resume"
		if at = 0; pause {
			action, at = "pause", tx.Now()
		}
		if err := tx.SetPaused(ctx, at); err != nil {
			return at, err
		}
		return at, audit.Record(ctx, tx, authz.AtCommandLine(authz.System.User), audit.Event{Action: "instance." + action, Kind: "instance"})
	})
}

// outgoing says whether the outgoing work is paused. It is intended to be after a
// restore, but forgotten easily.
func outgoing(ctx context.Context, st *store.Store) finding {
	f := finding{name: "outgoing", note: pausedWork + " are not paused"}
	current, err := st.Current(ctx)
	if err != nil || !current { // an older schema cannot say so, and serve brings it up to date
		f.err, f.note = err, "the database has the schema of an older version"
		return f
	}
	at, err := st.PausedAt(ctx)
	if f.err = err; err == nil && !at.IsZero() {
		f.err, f.warning = fmt.Errorf("%s are paused since %s; octavo resume goes on with them, when no other installation does the same work", pausedWork, at), true
	}
	return f
}
