package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const mailLinkColumns = `user_id, email, moves, next, created_at, expires_at`

func scanMailLink(s engine.Scanner) (l docs.MailLink, err error) {
	err = s.Scan(&l.User, &l.Email, &l.Moves, &l.Next, &l.CreatedAt, &l.ExpiresAt)
	return l, err
}

// MailLink returns a link by the hash of its secret, also if it has expired.
func (r peopleReads) MailLink(ctx context.Context, hash [sha256.Size]byte) (docs.MailLink, error) {
	return engine.One(ctx, r, "link", scanMailLink, `SELECT `+mailLinkColumns+` FROM mail_links WHERE hash = $1`, hex.EncodeToString(hash[:]))
}

// CountMailLinks reports how many links of a user were made since a moment and not used.
func (r peopleReads) CountMailLinks(ctx context.Context, user docs.UserID, since docs.Time) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM mail_links WHERE user_id = $1 AND created_at > $2`, user, since)
}

// AddMailLink stores a link by the hash of its secret.
func (tx peopleWrites) AddMailLink(ctx context.Context, l docs.MailLink, hash [sha256.Size]byte) error {
	return engine.Put(ctx, tx, `INSERT INTO mail_links (hash, user_id, email, moves, next, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		hex.EncodeToString(hash[:]), l.User, l.Email, l.Moves, l.Next, l.CreatedAt, l.ExpiresAt)
}

// DropMailLink deletes a link and reports whether there was one. Of two concurrent calls, one succeeds.
func (tx peopleWrites) DropMailLink(ctx context.Context, hash [sha256.Size]byte) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM mail_links WHERE hash = $1`, hex.EncodeToString(hash[:]))
	return n > 0, err
}

// DropMailLinksOf deletes all links of a user.
func (tx peopleWrites) DropMailLinksOf(ctx context.Context, user docs.UserID) error {
	_, err := engine.Exec(ctx, tx, `DELETE FROM mail_links WHERE user_id = $1`, user)
	return err
}

// DropExpiredMailLinks deletes the links that nobody can use any more.
func (tx peopleWrites) DropExpiredMailLinks(ctx context.Context) error {
	_, err := engine.Exec(ctx, tx, `DELETE FROM mail_links WHERE expires_at < $1`, tx.Now())
	return err
}
