package store

import (
	"context"
	"strings"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Membership is an organization of a user.
type Membership struct {
	Org      docs.OrgID
	Title    string
	Role     docs.Role
	Disabled bool
}

// Memberships returns all organizations of a user that are not deleted.
func (r peopleReads) Memberships(ctx context.Context, user docs.UserID) ([]Membership, error) {
	return engine.Many(ctx, r, func(s engine.Scanner) (m Membership, err error) {
		err = s.Scan(&m.Org, &m.Title, &m.Role, &m.Disabled)
		return m, err
	}, `SELECT o.id, o.title, m.role, m.disabled FROM members m JOIN organizations o ON o.id = m.org_id WHERE m.user_id = $1 AND o.deleted_at = 0 ORDER BY o.id`, user)
}

// EraseUser deletes the rows that belong to the account of a person, and the name, address and picture. The
// row of the user stays, because content refers to it. It returns the number of deleted rows of each table.
func (tx peopleWrites) EraseUser(ctx context.Context, u docs.User) (map[string]int64, error) {
	of, err := tx.Memberships(ctx, u.ID)
	if err != nil {
		return nil, err
	}
	removed := map[string]int64{}
	for _, x := range []struct{ table, where string }{
		{"tokens", `user_id = $1`}, // the database also deletes organization_tokens
		{"passkeys", `user_id = $1`},
		{"identities", `user_id = $1`},
		{"mail_links", `user_id = $1`},
		{"oidc_flows", `user_id = $1`},
		{"notices", `user_id = $1`},
		{"notification_settings", `user_id = $1`},
		{"external_ids", `thing_id = $1`},
		{"removals", `user_id = $1`},
		{"allowances", `who = $1`},
		{"user_grants", `user_id = $1`},
		{"team_members", `user_id = $1`},
		{"members", `user_id = $1`},
		{"jobs", `every_ms = 0 AND REPLACE(key, $1, '') <> key`}, // mails to the person, also to former addresses
	} {
		n, err := engine.Exec(ctx, tx, `DELETE FROM `+x.table+` WHERE `+x.where, string(u.ID))
		if err != nil {
			return nil, err
		}
		count(removed, x.table, n)
	}
	for _, m := range of {
		if err := bumpAccess(ctx, tx, m.Org); err != nil {
			return nil, err
		}
	}
	u.Kind, u.Email, u.Verified, u.DisplayName, u.PhotoURL, u.UpdatedAt = docs.DeletedUser, "", false, docs.DeletedName, "", tx.Now()
	err = engine.Put(ctx, tx, `
		UPDATE users SET kind = $2, email = $3, verified = $4, display_name = $5, search = $6, photo_url = $7, updated_at = $8 WHERE id = $1`,
		u.ID, u.Kind, storedEmail(u), u.Verified, u.DisplayName, userSearch(u), u.PhotoURL, u.UpdatedAt)
	if err != nil {
		return nil, err
	}
	return removed, bumpAuth(ctx, tx, 1, nil)
}

func count(removed map[string]int64, table string, n int64) {
	if n > 0 {
		removed[table] += n
	}
}

// contains returns a condition for both databases: a text column contains the parameter, which is in lower
// case.
func contains(column, parameter string) string {
	return `REPLACE(LOWER(` + column + `), ` + parameter + `, '') <> LOWER(` + column + `)`
}

// EraseAddress deletes jobs and other rows for an address that nobody has any more, and error messages that
// contain it. keep is the kind of the job that calls it.
func (tx peopleWrites) EraseAddress(ctx context.Context, e docs.Email, keep string) (map[string]int64, error) {
	removed := map[string]int64{}
	in := escaped(string(e))
	for _, x := range []struct {
		table, text string
		args        []any
	}{
		{"mail_links", `DELETE FROM mail_links WHERE email = $1`, []any{e}},
		{"saml_logins", `DELETE FROM saml_logins WHERE ` + contains("email", "$1") + ` OR ` + contains("subject", "$1"), []any{string(e)}},
		{"jobs", `DELETE FROM jobs WHERE kind <> $2 AND every_ms = 0 AND (` + contains("key", "$1") + ` OR ` + contains("payload", "$3") + ` OR ` + contains("last_error", "$1") + `)`,
			[]any{string(e), keep, in}},
		{"", `UPDATE jobs SET last_error = '' WHERE kind <> $2 AND ` + contains("last_error", "$1"), []any{string(e), keep}},
		{"", `UPDATE saml_providers SET last_error = '' WHERE ` + contains("last_error", "$1"), []any{string(e)}},
		{"", `UPDATE oidc_providers SET last_error = '' WHERE ` + contains("last_error", "$1"), []any{string(e)}},
		{"", `UPDATE webhook_deliveries SET answer = '' WHERE ` + contains("answer", "$1"), []any{string(e)}},
	} {
		n, err := engine.Exec(ctx, tx, x.text, x.args...)
		if err != nil {
			return nil, err
		}
		if x.table != "" {
			count(removed, x.table, n)
		}
	}
	return removed, nil
}

// escaped returns an address as it is inside a JSON text of ours.
func escaped(e string) string {
	return strings.NewReplacer(`&`, `\u0026`, `<`, `\u003c`, `>`, `\u003e`, `"`, `\"`, `\`, `\\`).Replace(e)
}

// Mention is a row whose JSON may name a person: a line of the audit log, or a message to a webhook.
type Mention struct {
	Table string // audit or webhook_deliveries
	Key   Key    // of the row
	JSON  string
	// Own reports whether the person did it, or whether it is about the person or one of their tokens. For a
	// message, it reports whether the message contains the id of the person.
	Own bool
}

// mentionsRead is the number of rows that one call of Mentions reads.
const mentionsRead = 2_000

// Mentions reads the next rows of a table after a key. It returns those that concern a person or contain one of
// the addresses, and the key after which to continue, which is nil at the end.
func (r peopleReads) Mentions(ctx context.Context, table string, user docs.UserID, addresses []string, after Key) ([]Mention, Key, error) {
	first, second, column, own := "org_id", "id", "data", `actor_id = $1 OR subject_id = $1 OR REPLACE(data, '"owner":"' || $1 || '"', '') <> data`
	if table == "webhook_deliveries" {
		first, column, own = "webhook_id", "payload", `REPLACE(payload, $1, '') <> payload`
	}
	if after == nil {
		after = Key{"", ""}
	}
	args := []any{string(user), after[0], after[1], mentionsRead}
	named := ""
	for _, e := range addresses {
		args = append(args, escaped(e))
		named += ` OR ` + contains(column, "$"+itoa(int64(len(args))))
	}
	looked := `SELECT * FROM ` + table + ` WHERE (` + first + `, ` + second + `) > ($2, $3) ORDER BY ` + first + `, ` + second + ` LIMIT $4 + 0`
	found, err := engine.Many(ctx, r, func(s engine.Scanner) (m Mention, err error) {
		m.Table, m.Key = table, Key{"", ""}
		err = s.Scan(&m.Key[0], &m.Key[1], &m.JSON, &m.Own)
		return m, err
	}, `SELECT `+first+`, `+second+`, `+column+`, (`+own+`) FROM (`+looked+`) x WHERE `+own+named+` ORDER BY 1, 2`, args...)
	if err != nil {
		return nil, nil, err
	}
	last, err := engine.Many(ctx, r, func(s engine.Scanner) (k Key, err error) {
		k = Key{"", ""}
		err = s.Scan(&k[0], &k[1])
		return k, err
	}, `SELECT `+first+`, `+second+` FROM `+table+` WHERE (`+first+`, `+second+`) > ($1, $2)
		ORDER BY `+first+`, `+second+` LIMIT 1 OFFSET $3 - 1`, after[0], after[1], mentionsRead)
	if err != nil || len(last) == 0 {
		return found, nil, err
	}
	return found, last[0], nil
}

// PutMention stores a row with another JSON.
func (tx peopleWrites) PutMention(ctx context.Context, m Mention) error {
	text := `UPDATE audit SET data = $3 WHERE org_id = $1 AND id = $2`
	if m.Table == "webhook_deliveries" {
		text = `UPDATE webhook_deliveries SET payload = $3 WHERE webhook_id = $1 AND id = $2`
	}
	return engine.Put(ctx, tx, text, m.Key[0], m.Key[1], m.JSON)
}
