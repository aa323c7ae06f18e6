package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
)

const userColumns = `u.id, u.email, u.verified, u.display_name, u.photo_url, u.created_at, u.updated_at`

func userDest(u *docs.User) []any {
	return []any{&u.ID, &u.Email, &u.Verified, &u.DisplayName, &u.PhotoURL, &u.CreatedAt, &u.UpdatedAt}
}

func scanUser(s scanner) (u docs.User, err error) { err = s.Scan(userDest(&u)...); return u, err }

// User returns a user by id.
func (r Reader) User(ctx context.Context, id docs.UserID) (docs.User, error) {
	return throughCache(ctx, r, "user", string(id), func(ctx context.Context) (docs.User, error) {
		return one(ctx, r, "user", scanUser, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
	})
}

// UserByEmail returns a user by address.
func (r Reader) UserByEmail(ctx context.Context, e docs.Email) (docs.User, error) {
	return one(ctx, r, "user", scanUser, `SELECT `+userColumns+` FROM users u WHERE u.email = $1`, e)
}

// CountUsers reports how many there are.
func (r Reader) CountUsers(ctx context.Context) (int64, error) {
	return one(ctx, r, "count", scanInt, `SELECT COUNT(*) FROM users`)
}

// UserVisibleTo returns a user if the viewer is the user or shares an
// organization in which the viewer is more than a guest; as the organizations know
// the user.
func (r Reader) UserVisibleTo(ctx context.Context, id, viewer docs.UserID) (docs.User, error) {
	return one(ctx, r, "user", func(s scanner) (u docs.User, err error) {
		var seen docs.Time
		err = s.Scan(append(userDest(&u), &seen)...)
		if id != viewer {
			u = u.Known(seen)
		}
		return u, err
	}, `
		SELECT `+userColumns+`, COALESCE((
			SELECT MAX(theirs.last_seen_at)
			FROM members mine JOIN members theirs ON theirs.org_id = mine.org_id AND theirs.user_id = u.id
			WHERE mine.user_id = $2 AND NOT mine.disabled AND mine.role <> ''), 0)
		FROM users u
		WHERE u.id = $1 AND (u.id = $2 OR EXISTS (
			SELECT 1
			FROM members mine JOIN members theirs ON theirs.org_id = mine.org_id AND theirs.user_id = u.id
			WHERE mine.user_id = $2 AND NOT mine.disabled AND mine.role <> ''))`, id, viewer)
}

// AddUser stores a new user.
func (tx *Tx) AddUser(ctx context.Context, u docs.User) error {
	err := tx.put(ctx, `
		INSERT INTO users (id, email, verified, display_name, search, photo_url, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		u.ID, u.Email, u.Verified, u.DisplayName, userSearch(u), u.PhotoURL, u.CreatedAt, u.UpdatedAt)
	return tx.taken(err, "there is a user with the address %s already", u.Email)
}

// PutUser stores a changed user.
func (tx *Tx) PutUser(ctx context.Context, u docs.User) error {
	return tx.put(ctx, `
		UPDATE users SET verified = $2, display_name = $3, search = $4, photo_url = $5, updated_at = $6
		WHERE id = $1`, u.ID, u.Verified, u.DisplayName, userSearch(u), u.PhotoURL, u.UpdatedAt)
}

// userSearch is what a search for members looks into.
func userSearch(u docs.User) string { return strings.ToLower(u.DisplayName) + "\n" + string(u.Email) }

const tokenColumns = `t.id, t.user_id, t.label, t.scopes, t.created_at, t.expires_at, t.last_used_at`

func scanToken(s scanner) (t docs.Token, err error) {
	var scopes string
	err = s.Scan(&t.ID, &t.User, &t.Label, &scopes, &t.CreatedAt, &t.ExpiresAt, &t.LastUsedAt)
	for scope := range strings.FieldsSeq(scopes) {
		t.Scopes = append(t.Scopes, docs.Scope(scope))
	}
	return t, err
}

// TokenByHash returns a token by the hash of its secret.
func (r Reader) TokenByHash(ctx context.Context, hash [sha256.Size]byte) (docs.Token, error) {
	return one(ctx, r, "token", scanToken, `SELECT `+tokenColumns+` FROM tokens t WHERE t.hash = $1`, hex.EncodeToString(hash[:]))
}

// Tokens lists the tokens of a user, oldest first.
func (r Reader) Tokens(ctx context.Context, user docs.UserID, p Page) ([]docs.Token, Key, error) {
	items, err := many(ctx, r, scanToken, `
		SELECT `+tokenColumns+` FROM tokens t
		WHERE t.user_id = $1 AND t.id > $2
		ORDER BY t.id LIMIT $3 + 0`, user, p.text(0), p.ask())
	items, next := cut(p, items, func(t docs.Token) Key { return Key{string(t.ID)} })
	return items, next, err
}

// CountTokens of a user.
func (r Reader) CountTokens(ctx context.Context, user docs.UserID) (int64, error) {
	return one(ctx, r, "count", scanInt, `SELECT COUNT(*) FROM tokens WHERE user_id = $1`, user)
}

// AddToken stores a new token by the hash of its secret.
func (tx *Tx) AddToken(ctx context.Context, t docs.Token, hash [sha256.Size]byte) error {
	scopes := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		scopes[i] = string(s)
	}
	return tx.put(ctx, `
		INSERT INTO tokens (id, user_id, hash, label, scopes, created_at, expires_at, last_used_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		t.ID, t.User, hex.EncodeToString(hash[:]), t.Label, strings.Join(scopes, " "), t.CreatedAt, t.ExpiresAt, t.LastUsedAt)
}

// DropToken revokes a token of a user; it reports whether there was one. Every
// node notices with its next request, because auth_version goes up.
func (tx *Tx) DropToken(ctx context.Context, user docs.UserID, id docs.TokenID) (bool, error) {
	n, err := tx.exec(ctx, `DELETE FROM tokens WHERE id = $1 AND user_id = $2`, id, user)
	return n > 0, tx.bumpAuth(ctx, n, err)
}

// DropTokensByLabel revokes all tokens of a user that carry a label.
func (tx *Tx) DropTokensByLabel(ctx context.Context, user docs.UserID, label string) error {
	n, err := tx.exec(ctx, `DELETE FROM tokens WHERE user_id = $1 AND label = $2`, user, label)
	return tx.bumpAuth(ctx, n, err)
}

func (tx *Tx) bumpAuth(ctx context.Context, dropped int64, err error) error {
	if err != nil || dropped == 0 {
		return err
	}
	return tx.put(ctx, `UPDATE instance SET auth_version = auth_version + 1 WHERE id = $1`, 1)
}

// TouchTokens notes when tokens were last used.
func (tx *Tx) TouchTokens(ctx context.Context, used map[docs.TokenID]docs.Time) error {
	for id, at := range used {
		if err := tx.put(ctx, `UPDATE tokens SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2`, id, at); err != nil {
			return err
		}
	}
	return nil
}

// Secret returns the key that signs cursors.
func (r Reader) Secret(ctx context.Context) (string, error) {
	return one(ctx, r, "instance", scanText[string], `SELECT secret FROM instance`)
}

// Stamp says how recent cached knowledge must be to be used. It is read in
// the same statement as the thing that a request is about, so checking a
// cache costs no statement of its own.
type Stamp struct {
	Auth   int64 // of tokens
	Access int64 // of members, teams and grants of the organization
}

// AuthStamp is the Stamp of requests that are about no organization.
func (r Reader) AuthStamp(ctx context.Context) (Stamp, error) {
	return throughCache(ctx, r, "stamp", "", func(ctx context.Context) (Stamp, error) {
		n, err := one(ctx, r, "instance", scanInt, `SELECT auth_version FROM instance`)
		return Stamp{Auth: n}, err
	})
}

// RelabelTokens renames the tokens of a user that carry a label.
func (tx *Tx) RelabelTokens(ctx context.Context, user docs.UserID, from, to string) error {
	return tx.put(ctx, `UPDATE tokens SET label = $3 WHERE user_id = $1 AND label = $2`, user, from, to)
}
