package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-docs/octavo/internal/docs"
	"github.com/octavo-docs/octavo/internal/store/engine"
)

// Use is when and from where a token was used.
type Use struct {
	At      docs.Time
	Address string
}

// OrgToken names a token in an organization.
type OrgToken struct {
	Org   docs.OrgID
	Token docs.TokenID
}

// TouchTokens stores when tokens and sessions were last used, and in which organizations.
func (tx orgWrites) TouchTokens(ctx context.Context, used map[docs.TokenID]Use, inOrgs map[OrgToken]Use) error {
	for id, use := range used {
		err := engine.Put(ctx, tx, `UPDATE tokens SET last_used_at = $2, last_address = $3 WHERE id = $1 AND last_used_at < $2`, id, use.At, use.Address)
		if err != nil {
			return err
		}
	}
	for k, use := range inOrgs { // the SELECT leaves out tokens that were deleted meanwhile
		err := engine.Put(ctx, tx, `
			INSERT INTO organization_tokens (org_id, token_id, last_used_at, last_address, blocked_at)
			SELECT o.id, t.id, cast($3 AS BIGINT), cast($4 AS TEXT), 0
			FROM organizations o CROSS JOIN tokens t WHERE o.id = $1 AND t.id = $2
			ON CONFLICT (org_id, token_id) DO UPDATE SET last_used_at = excluded.last_used_at, last_address = excluded.last_address`,
			k.Org, k.Token, use.At, use.Address)
		if err != nil {
			return err
		}
	}
	return nil
}

// FirstUse is a use of a token to be written to the log of an organization.
type FirstUse struct {
	OrgToken
	Use
	User   docs.UserID
	Method docs.SignInMethod // of a session; empty: a token of a service account
}

// FirstUses returns the uses to be written to the logs of organizations: the first use on a day (UTC) of a
// token of a service account, and the first use of a session of a member who signed in for the whole
// server. It has to be called before TouchTokens.
func (r orgReads) FirstUses(ctx context.Context, inOrgs map[OrgToken]Use) ([]FirstUse, error) {
	var out []FirstUse
	for k, use := range inOrgs {
		day := docs.TimeOf(use.At.Std().Truncate(24 * time.Hour))
		scan := func(s engine.Scanner) (f FirstUse, err error) {
			f.OrgToken, f.Use = k, use
			err = s.Scan(&f.User, &f.Method)
			return f, err
		}
		first, err := engine.Many(ctx, r, scan, `
			SELECT t.user_id, t.method FROM tokens t JOIN users u ON u.id = t.user_id
			JOIN members m ON m.org_id = $1 AND m.user_id = t.user_id
			LEFT JOIN organization_tokens x ON x.token_id = t.id AND x.org_id = $1
			WHERE t.id = $2 AND (t.org_id = $1 AND u.kind = 'service' AND COALESCE(x.last_used_at, 0) < $3
				OR t.session AND t.org_id = '' AND x.token_id IS NULL)`, k.Org, k.Token, day)
		if err != nil {
			return nil, err
		}
		out = append(out, first...)
	}
	slices.SortFunc(out, func(a, b FirstUse) int { return cmp.Compare(a.Token, b.Token) })
	return out, nil
}

// AddOrgToken makes a token one that an organization knows before its first use.
func (tx orgWrites) AddOrgToken(ctx context.Context, org docs.OrgID, token docs.TokenID) error {
	return engine.Put(ctx, tx, `
		INSERT INTO organization_tokens (org_id, token_id, last_used_at, last_address, blocked_at) VALUES ($1, $2, 0, '', 0)`, org, token)
}

func scanUsedToken(s engine.Scanner) (v docs.UsedToken, err error) {
	var used Use
	v.Token, err = scanToken(withMore{s, append(userDest(&v.Owner), &used.At, &used.Address, &v.BlockedAt)})
	v.LastUsedAt, v.LastAddress = used.At, used.Address
	return v, err
}

// withMore is an engine.Scanner that scans additional columns after those of a scan function.
type withMore struct {
	engine.Scanner
	more []any
}

// Scan implements engine.Scanner.
func (s withMore) Scan(dest ...any) error { return s.Scanner.Scan(append(dest, s.more...)...) }

const usedTokensFrom = ` FROM organization_tokens x JOIN tokens t ON t.id = x.token_id JOIN users u ON u.id = t.user_id
	JOIN members m ON m.org_id = x.org_id AND m.user_id = t.user_id AND NOT t.session`

// OrgTokens lists the tokens of members that were used in an organization, and the tokens of
// its service accounts, oldest first.
func (r orgReads) OrgTokens(ctx context.Context, org docs.OrgID, p Page) ([]docs.UsedToken, Key, error) {
	items, err := engine.Many(ctx, r, scanUsedToken, `
		SELECT `+tokenColumns+`, `+userColumns+`, x.last_used_at, x.last_address, x.blocked_at`+usedTokensFrom+`
		WHERE x.org_id = $1 AND x.token_id > $2 ORDER BY x.token_id LIMIT $3 + 0`, org, p.Text(0), p.Ask())
	items, next := engine.Cut(p, items, func(t docs.UsedToken) Key { return Key{string(t.ID)} })
	return items, next, err
}

// OrgToken returns one of OrgTokens.
func (r orgReads) OrgToken(ctx context.Context, org docs.OrgID, id docs.TokenID) (docs.UsedToken, error) {
	return engine.One(ctx, r, "token", scanUsedToken, `
		SELECT `+tokenColumns+`, `+userColumns+`, x.last_used_at, x.last_address, x.blocked_at`+usedTokensFrom+`
		WHERE x.org_id = $1 AND x.token_id = $2`, org, id)
}

// CountOrgTokens counts what OrgTokens lists.
func (r orgReads) CountOrgTokens(ctx context.Context, org docs.OrgID) (int64, error) {
	return engine.One(ctx, r, "count", engine.ScanInt, `SELECT COUNT(*)`+usedTokensFrom+` WHERE x.org_id = $1`, org)
}

// InheritBlocks makes organizations that refuse the token from also refuse to, which was created with it.
func (tx orgWrites) InheritBlocks(ctx context.Context, from, to docs.TokenID) error {
	n, err := engine.Exec(ctx, tx, `
		INSERT INTO organization_tokens (org_id, token_id, last_used_at, last_address, blocked_at)
		SELECT x.org_id, t.id, 0, '', x.blocked_at FROM organization_tokens x CROSS JOIN tokens t
		WHERE x.token_id = $1 AND x.blocked_at > 0 AND t.id = $2`, from, to)
	if err != nil || n == 0 {
		return err
	}
	return engine.Put(ctx, tx, `
		UPDATE organizations SET access_version = access_version + 1
		WHERE id IN (SELECT org_id FROM organization_tokens WHERE token_id = $1 AND blocked_at > 0)`, to)
}

// BlockToken makes an organization refuse a token since at, or accept it again if at is zero.
func (tx orgWrites) BlockToken(ctx context.Context, org docs.OrgID, id docs.TokenID, at docs.Time) error {
	err := engine.Put(ctx, tx, `UPDATE organization_tokens SET blocked_at = $3 WHERE org_id = $1 AND token_id = $2`, org, id, at)
	if err != nil {
		return err
	}
	return bumpAccess(ctx, tx, org)
}
