package store

import (
	"context"
	"io"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Backup writes one consistent state of the database, while others write,
// and then the files that the given function adds; nil is none. A file is
// stored before anything in the database names it, so none is missing.
func (s *Store) Backup(ctx context.Context, w io.Writer, program string, files func(AddFile) error) (Manifest, error) {
	return engine.Backup(ctx, s.DB, w, program, []string{filePlaces}, files)
}

// Restore reads a backup into an empty store and migrates it to the current schema.
// The whole backup is verified first. If Restore fails, the store stays empty, except
// for files that nothing refers to. Unless live is set, outgoing work is paused from the
// moment on at which the data is there: a server may run on the store already, and the
// caller may end before it does anything else. putFile is called with the bytes of each file.
func Restore(ctx context.Context, o Options, f io.ReadSeeker, live bool, putFile func(io.Reader) error) (Manifest, error) {
	return engine.Restore(ctx, o, f, engine.Restoring{
		HasData: func(ctx context.Context, r *engine.Reader) (bool, error) {
			n, err := peopleReads{r}.CountUsers(ctx)
			return n > 0, err
		},
		// The place of the files becomes the one that they were restored into.
		Started: []string{"instance", "jobs", filePlaces},
		Restored: func(ctx context.Context, tx *engine.Tx, schema int) error {
			return pauseRestored(ctx, tx, schema, live)
		},
		PutFile: putFile,
	})
}

// pauseRestored pauses outgoing work unless the store takes the place of the original,
// whether that was paused or not. Schemas of old backups cannot say so yet.
func pauseRestored(ctx context.Context, tx *engine.Tx, schema int, live bool) error {
	if schema < pausedSchema {
		return nil
	}
	var at docs.Time
	if !live {
		at = tx.Now()
	}
	return serverWrites{Tx: tx}.SetPaused(ctx, at)
}
