package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/names"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

const userColumns = `u.id, CASE u.kind WHEN '' THEN u.email ELSE '' END, u.verified, u.display_name, u.photo_url, u.created_at, u.updated_at, u.kind`

func userDest(u *docs.User) []any {
	return []any{&u.ID, &u.Email, &u.Verified, &u.DisplayName, &u.PhotoURL, &u.CreatedAt, &u.UpdatedAt, &u.Kind}
}

func scanUser(s engine.Scanner) (u docs.User, err error) {
	err = s.Scan(userDest(&u)...)
	return u, err
}

// User returns a user by id.
func (r peopleReads) User(ctx context.Context, id docs.UserID) (docs.User, error) {
	return engine.Cached(ctx, r, "user", string(id), func(ctx context.Context) (docs.User, error) {
		return engine.One(ctx, r, "user", scanUser, `SELECT `+userColumns+` FROM users u WHERE u.id = $1`, id)
	})
}

// UserByEmail returns a person by address.
func (r peopleReads) UserByEmail(ctx context.Context, e docs.Email) (docs.User, error) {
	return engine.One(ctx, r, "user", scanUser, `SELECT `+userColumns+` FROM users u WHERE u.email = $1 AND u.kind = ''`, e)
}

// CountUsers returns the number of users.
func (r peopleReads) CountUsers(ctx context.Context) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*) FROM users`)
}

// People lists the accounts of people whose name or address contains a text, oldest first. The
// key is the id of the last one.
func (r peopleReads) People(ctx context.Context, search string, p Page) ([]docs.User, Key, error) {
	items, err := engine.Many(ctx, r, scanUser, `
		SELECT `+userColumns+` FROM users u
		WHERE u.kind = '' AND u.search LIKE $1 ESCAPE '\'
			AND ($2 = '' OR (u.created_at, u.id) > (SELECT l.created_at, l.id FROM users l WHERE l.id = $2))
		ORDER BY u.created_at, u.id LIMIT $3 + 0`, like(search), p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(u docs.User) Key { return Key{string(u.ID)} })
	return items, next, err
}

// UserVisibleTo returns a user, with the fields that shared organizations know, if the
// viewer is the user or shares an organization in which the viewer is more than a guest.
// Organizations that do not accept the viewer's token do not count.
func (r peopleReads) UserVisibleTo(ctx context.Context, id docs.UserID, viewer Caller) (docs.User, error) {
	const shared = `
		FROM members m JOIN organizations o ON o.id = m.org_id JOIN members theirs ON theirs.org_id = m.org_id AND theirs.user_id = u.id
		WHERE ` + callersOrgs + ` AND m.role <> '' AND NOT ` + asksProvider

	return engine.One(ctx, r, "user", func(s engine.Scanner) (u docs.User, err error) {
		var seen docs.Time
		err = s.Scan(append(userDest(&u), &seen)...)
		if id != viewer.User {
			u = u.Known(seen)
		}
		return u, err
	}, `
		SELECT `+userColumns+`, COALESCE((SELECT MAX(theirs.last_seen_at)`+shared+`), 0)
		FROM users u
		WHERE u.id = $4 AND (u.id = $1 OR EXISTS (SELECT 1`+shared+`))`, viewer.User, viewer.Org, viewer.Token, id)
}

// AddUser stores a new user.
func (tx peopleWrites) AddUser(ctx context.Context, u docs.User) error {
	err := engine.Put(ctx, tx, `
		INSERT INTO users (id, email, verified, display_name, search, photo_url, created_at, updated_at, kind)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		u.ID, storedEmail(u), u.Verified, u.DisplayName, userSearch(u), u.PhotoURL, u.CreatedAt, u.UpdatedAt, u.Kind)
	return engine.Taken(tx, err, "there is a user with the address %s already", u.Email)
}

// storedEmail returns the value of the unique column email: the address of a person, or
// the id of a service account.
func storedEmail(u docs.User) docs.Email {
	if u.Kind != docs.Person {
		return docs.Email(u.ID)
	}
	return u.Email
}

// PutUser stores a changed user.
func (tx peopleWrites) PutUser(ctx context.Context, u docs.User) error {
	return engine.Put(ctx, tx, `
		UPDATE users SET verified = $2, display_name = $3, search = $4, photo_url = $5, updated_at = $6
		WHERE id = $1`, u.ID, u.Verified, u.DisplayName, userSearch(u), u.PhotoURL, u.UpdatedAt)
}

// PutEmail stores the new address of a user.
func (tx peopleWrites) PutEmail(ctx context.Context, u docs.User) error {
	err := engine.Put(ctx, tx, `UPDATE users SET email = $2, verified = $3, search = $4, updated_at = $5 WHERE id = $1`,
		u.ID, u.Email, u.Verified, userSearch(u), u.UpdatedAt)
	return engine.Taken(tx, err, "there is a user with the address %s already", u.Email)
}

// userSearch returns the text in which a search for members looks.
func userSearch(u docs.User) string { return names.Key(u.DisplayName) + "\n" + string(u.Email) }

const tokenColumns = `t.id, t.user_id, t.label, t.scopes, t.created_at, t.expires_at, t.last_used_at, t.session, t.method, t.agent, t.org_id, t.last_address`

func scanToken(s engine.Scanner) (t docs.Token, err error) {
	var scopes string
	err = s.Scan(&t.ID, &t.User, &t.Label, &scopes, &t.CreatedAt, &t.ExpiresAt, &t.LastUsedAt, &t.Session, &t.Method, &t.Agent, &t.Org, &t.LastAddress)
	for scope := range strings.FieldsSeq(scopes) {
		t.Scopes = append(t.Scopes, docs.Scope(scope))
	}
	return t, err
}

// TokenByHash returns a token by the hash of its secret.
func (r peopleReads) TokenByHash(ctx context.Context, hash [sha256.Size]byte) (docs.Token, error) {
	return engine.One(ctx, r, "token", scanToken, `SELECT `+tokenColumns+` FROM tokens t WHERE t.hash = $1`, hex.EncodeToString(hash[:]))
}

// Session returns a session of a user.
func (r peopleReads) Session(ctx context.Context, user docs.UserID, id docs.TokenID) (docs.Token, error) {
	return engine.One(ctx, r, "session", scanToken, `SELECT `+tokenColumns+` FROM tokens t WHERE t.id = $1 AND t.user_id = $2 AND t.session`, id, user)
}

// TokenFilter selects tokens of a user, or sessions.
type TokenFilter struct {
	User     docs.UserID
	Org      docs.OrgID // only those that are valid for this organization alone; empty: all
	Sessions bool
}

// Tokens lists tokens or sessions, oldest first.
func (r peopleReads) Tokens(ctx context.Context, f TokenFilter, p Page) ([]docs.Token, Key, error) {
	items, err := engine.Many(ctx, r, scanToken, `
		SELECT `+tokenColumns+` FROM tokens t
		WHERE t.user_id = $1 AND t.session = $2 AND ($3 = '' OR t.org_id = $3) AND t.id > $4
		ORDER BY t.id LIMIT $5 + 0`, f.User, f.Sessions, f.Org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(t docs.Token) Key { return Key{string(t.ID)} })
	return items, next, err
}

// NewestTokens lists the n newest tokens or sessions, newest first.
func (r peopleReads) NewestTokens(ctx context.Context, f TokenFilter, n int) ([]docs.Token, error) {
	return engine.Many(ctx, r, scanToken, `
		SELECT `+tokenColumns+` FROM tokens t
		WHERE t.user_id = $1 AND t.session = $2 AND ($3 = '' OR t.org_id = $3)
		ORDER BY t.id DESC LIMIT $4 + 0`, f.User, f.Sessions, f.Org, n)
}

// CountTokens counts tokens or sessions.
func (r peopleReads) CountTokens(ctx context.Context, f TokenFilter) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `
		SELECT COUNT(*) FROM tokens WHERE user_id = $1 AND session = $2 AND ($3 = '' OR org_id = $3)`, f.User, f.Sessions, f.Org)
}

// AddToken stores a new token by the hash of its secret.
func (tx peopleWrites) AddToken(ctx context.Context, t docs.Token, hash [sha256.Size]byte) error {
	scopes := make([]string, len(t.Scopes))
	for i, s := range t.Scopes {
		scopes[i] = string(s)
	}
	return engine.Put(ctx, tx, `
		INSERT INTO tokens (id, user_id, hash, label, scopes, created_at, expires_at, last_used_at, session, method, agent, org_id)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
		t.ID, t.User, hex.EncodeToString(hash[:]), t.Label, strings.Join(scopes, " "), t.CreatedAt, t.ExpiresAt, t.LastUsedAt, t.Session, t.Method, t.Agent, t.Org)
}

// DropToken revokes a token or session of the filter; it reports whether there was one.
// Every node notices it at its next request, because auth_version is incremented.
func (tx peopleWrites) DropToken(ctx context.Context, f TokenFilter, id docs.TokenID) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM tokens WHERE id = $1 AND user_id = $2 AND session = $3 AND ($4 = '' OR org_id = $4)`, id, f.User, f.Sessions, f.Org)
	return n > 0, bumpAuth(ctx, tx, n, err)
}

// DropTokens revokes tokens or ends sessions, and returns their number.
func (tx peopleWrites) DropTokens(ctx context.Context, f TokenFilter) (int64, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM tokens WHERE user_id = $1 AND session = $2 AND ($3 = '' OR org_id = $3)`, f.User, f.Sessions, f.Org)
	return n, bumpAuth(ctx, tx, n, err)
}

// DropExpiredSessions deletes sessions that have ended.
func (tx peopleWrites) DropExpiredSessions(ctx context.Context) error {
	_, err := engine.Exec(ctx, tx, `DELETE FROM tokens WHERE session AND expires_at < $1`, tx.Now())
	return err
}

// DropTokensByLabel revokes all tokens of a user that carry a label.
func (tx peopleWrites) DropTokensByLabel(ctx context.Context, user docs.UserID, label string) error {
	n, err := engine.Exec(ctx, tx, `DELETE FROM tokens WHERE user_id = $1 AND label = $2 AND NOT session`, user, label)
	return bumpAuth(ctx, tx, n, err)
}

func bumpAuth(ctx context.Context, tx engine.Writer, dropped int64, err error) error {
	if err != nil || dropped == 0 {
		return err
	}
	return engine.Put(ctx, tx, `UPDATE instance SET auth_version = auth_version + 1 WHERE id = $1`, 1)
}

// Secret returns the key that signs cursors.
func (r peopleReads) Secret(ctx context.Context) (string, error) {
	return engine.One(ctx, r, "instance", engine.ScanText[string], `SELECT secret FROM instance`)
}

// Stamp holds the versions of tokens and access rights; cached data of other versions is
// stale. It is read in the same statement as the subject of a request, so checking a
// cache needs no extra statement.
type Stamp struct {
	Auth   int64 // of tokens
	Access int64 // of members, teams and grants of the organization
}

// AuthStamp returns the Stamp of requests that do not concern an organization.
func (r peopleReads) AuthStamp(ctx context.Context) (Stamp, error) {
	return engine.Cached(ctx, r, "stamp", "", func(ctx context.Context) (Stamp, error) {
		n, err := engine.One(ctx, r, "instance", engine.ScanInt, `SELECT auth_version FROM instance`)
		return Stamp{Auth: n}, err
	})
}

// RelabelTokens renames the tokens of a user that carry a label.
func (tx peopleWrites) RelabelTokens(ctx context.Context, user docs.UserID, from, to string) error {
	return engine.Put(ctx, tx, `UPDATE tokens SET label = $3 WHERE user_id = $1 AND label = $2`, user, from, to)
}

// Identity returns the identity with a subject of a provider.
func (r peopleReads) Identity(ctx context.Context, provider, subject string) (docs.Identity, error) {
	return engine.One(ctx, r, "identity", func(s engine.Scanner) (v docs.Identity, err error) {
		err = s.Scan(&v.Provider, &v.Subject, &v.User, &v.Org, &v.CreatedAt)
		return v, err
	}, `SELECT provider, subject, user_id, org_id, created_at FROM identities WHERE provider = $1 AND subject = $2`, provider, subject)
}

// AddIdentity stores a new identity.
func (tx peopleWrites) AddIdentity(ctx context.Context, v docs.Identity) error {
	return engine.Put(ctx, tx, `INSERT INTO identities (provider, subject, user_id, org_id, created_at) VALUES ($1, $2, $3, $4, $5)`,
		v.Provider, v.Subject, v.User, v.Org, v.CreatedAt)
}

// IdentitiesOf lists the identities of a user at the operator's provider, oldest first.
func (r peopleReads) IdentitiesOf(ctx context.Context, user docs.UserID, limit int) ([]docs.Identity, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (v docs.Identity, err error) {
		err = s.Scan(&v.Provider, &v.Subject, &v.User, &v.Org, &v.CreatedAt)
		return v, err
	}, `SELECT provider, subject, user_id, org_id, created_at FROM identities
		WHERE user_id = $1 AND org_id = '' ORDER BY created_at, provider, subject LIMIT $2 + 0`, user, limit)
}

// DropIdentity deletes an identity of IdentitiesOf; it reports whether there was one.
func (tx peopleWrites) DropIdentity(ctx context.Context, user docs.UserID, provider, subject string) (bool, error) {
	n, err := engine.Exec(ctx, tx, `DELETE FROM identities WHERE user_id = $1 AND org_id = '' AND provider = $2 AND subject = $3`, user, provider, subject)
	return n > 0, err
}

// PutIdentity stores the time since which a subject is known.
func (tx peopleWrites) PutIdentity(ctx context.Context, v docs.Identity) error {
	return engine.Put(ctx, tx, `UPDATE identities SET created_at = $3 WHERE provider = $1 AND subject = $2`, v.Provider, v.Subject, v.CreatedAt)
}

// DropIdentities deletes all identities of a provider.
func (tx peopleWrites) DropIdentities(ctx context.Context, provider string) error {
	return engine.Put(ctx, tx, `DELETE FROM identities WHERE provider = $1`, provider)
}

// DropSessionsBy ends the sessions that are valid for an organization alone and were opened by a sign-in method. It
// also revokes all tokens of people that are valid for it alone, because it is not known which session created them.
func (tx peopleWrites) DropSessionsBy(ctx context.Context, org docs.OrgID, how docs.SignInMethod) error {
	n, err := engine.Exec(ctx, tx, `
		DELETE FROM tokens WHERE org_id = $1 AND (session AND method = $2 OR NOT session)
			AND user_id IN (SELECT id FROM users WHERE kind = '')`, org, how)
	return bumpAuth(ctx, tx, n, err)
}

// DropTokensOfOrg deletes the sessions and tokens of a user that are valid for an organization alone.
func (tx peopleWrites) DropTokensOfOrg(ctx context.Context, org docs.OrgID, user docs.UserID) error {
	n, err := engine.Exec(ctx, tx, `DELETE FROM tokens WHERE org_id = $1 AND user_id = $2`, org, user)
	return bumpAuth(ctx, tx, n, err)
}
