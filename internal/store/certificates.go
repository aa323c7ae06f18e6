package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Certificate returns the sealed TLS data that is stored under a name.
func (r serverReads) Certificate(ctx context.Context, name string) (docs.Sealed, error) {
	return engine.One(ctx, r, "certificate", engine.ScanText[docs.Sealed], `SELECT sealed FROM certificates WHERE name = $1`, name)
}

// PutCertificate stores sealed TLS data under a name.
func (tx serverWrites) PutCertificate(ctx context.Context, name string, sealed docs.Sealed) error {
	return engine.Put(ctx, tx, `
		INSERT INTO certificates (name, sealed, updated_at) VALUES ($1, $2, $3)
		ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at`, name, sealed, tx.Now())
}

// DropCertificate deletes the TLS data that is stored under a name.
func (tx serverWrites) DropCertificate(ctx context.Context, name string) error {
	return engine.Put(ctx, tx, `DELETE FROM certificates WHERE name = $1`, name)
}
