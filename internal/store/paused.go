package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// pausedSchema is the version of the schema from which on an installation can be paused.
const pausedSchema = 38

// PausedAt returns since when the outgoing work of the installation is paused; zero if it
// is not.
func (r serverReads) PausedAt(ctx context.Context) (docs.Time, error) {
	at, err := engine.One(ctx, r, "instance", engine.ScanInt, `SELECT paused_at FROM instance`)
	return docs.Time(at), err
}

// SetPaused pauses the outgoing work of the installation, or resumes it if at is zero.
func (tx serverWrites) SetPaused(ctx context.Context, at docs.Time) error {
	return engine.Put(ctx, tx, `UPDATE instance SET paused_at = $1`, at)
}
