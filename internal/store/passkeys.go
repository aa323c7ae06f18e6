package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/errs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const passkeyColumns = `id, user_id, label, credential, created_at, last_used_at`

func scanPasskey(s engine.Scanner) (p docs.Passkey, err error) {
	err = s.Scan(&p.ID, &p.User, &p.Label, &p.Credential, &p.CreatedAt, &p.LastUsedAt)
	return p, err
}

// Passkey returns a passkey.
func (r peopleReads) Passkey(ctx context.Context, id string) (docs.Passkey, error) {
	return engine.One(ctx, r, "passkey", scanPasskey, `SELECT `+passkeyColumns+` FROM passkeys WHERE id = $1`, id)
}

// Passkeys returns the passkeys of a user, oldest first.
func (r peopleReads) Passkeys(ctx context.Context, user docs.UserID) ([]docs.Passkey, error) {
	return engine.Many(ctx, r, scanPasskey, `SELECT `+passkeyColumns+` FROM passkeys WHERE user_id = $1 ORDER BY created_at, id`, user)
}

// AddPasskey stores a new passkey.
func (tx peopleWrites) AddPasskey(ctx context.Context, p docs.Passkey) error {
	err := engine.Put(ctx, tx, `INSERT INTO passkeys (`+passkeyColumns+`) VALUES ($1, $2, $3, $4, $5, $6)`,
		p.ID, p.User, p.Label, p.Credential, p.CreatedAt, p.LastUsedAt)
	return engine.Taken(tx, err, "this passkey is in use already")
}

// UsePasskey stores the state of a passkey after it was used.
func (tx peopleWrites) UsePasskey(ctx context.Context, p docs.Passkey) error {
	return engine.Put(ctx, tx, `UPDATE passkeys SET credential = $2, last_used_at = $3 WHERE id = $1`, p.ID, p.Credential, p.LastUsedAt)
}

// DropPasskey deletes a passkey of a user; it reports whether there was one.
func (tx peopleWrites) DropPasskey(ctx context.Context, user docs.UserID, id string) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM passkeys WHERE user_id = $1 AND id = $2`, user, id)
	return n > 0, err
}

// AddPasskeyChallenge stores the challenge of a new sign-in from a network. See makeRoom.
func (tx peopleWrites) AddPasskeyChallenge(ctx context.Context, hash [sha256.Size]byte, data, network string, until docs.Time) error {
	if err := tx.makeRoom(ctx, passkeyChallenges, network); err != nil {
		return err
	}
	return engine.Put(ctx, tx, `INSERT INTO passkey_challenges (hash, data, network, expires_at) VALUES ($1, $2, $3, $4)`, hex.EncodeToString(hash[:]), data, network, until)
}

// TakePasskeyChallenge deletes a challenge and returns its data, so that no response works twice.
func (tx peopleWrites) TakePasskeyChallenge(ctx context.Context, hash [sha256.Size]byte) (string, error) {
	key := hex.EncodeToString(hash[:])
	data, err := engine.One(ctx, tx, "challenge", engine.ScanText[string], `SELECT data FROM passkey_challenges WHERE hash = $1 AND expires_at >= $2`, key, tx.Now())
	if err != nil {
		return "", err
	}
	n, err := engine.Exec(ctx, tx, `DELETE FROM passkey_challenges WHERE hash = $1`, key)
	if err == nil && n == 0 { // another node was faster
		err = errs.Missing("challenge")
	}
	return data, err
}
