package store

import "context"

// begun is a table of sign-ins that somebody has begun, whom nobody knows yet.
type begun struct{ table, key string }

var (
	oidcFlows         = begun{"oidc_flows", "hash"}
	samlLogins        = begun{"saml_logins", "id"}
	passkeyChallenges = begun{"passkey_challenges", "hash"}
)

// How many sign-ins may be under way. The limits are variables for tests.
var (
	maxBegunByNetwork = 500
	maxBegun          = 50_000
)

// makeRoom drops the sign-ins that have expired, and the oldest ones if there are too many to begin
// another one. A network loses its own first. If all together are too many, the one with the most
// loses: who begins a great number of sign-ins, from many networks, pushes out none of somebody who begins one.
func (tx *Tx) makeRoom(ctx context.Context, b begun, network string) error {
	if _, err := tx.exec(ctx, `DELETE FROM `+b.table+` WHERE expires_at < $1`, tx.Now()); err != nil {
		return err
	}
	if err := tx.trimBegun(ctx, b, network, maxBegunByNetwork-1); err != nil {
		return err
	}
	all, err := one(ctx, tx.Reader, "count", scanInt, `SELECT COUNT(*) FROM `+b.table)
	if err != nil || all < int64(maxBegun) {
		return err
	}
	type crowd struct {
		network string
		count   int
	}
	most, err := one(ctx, tx.Reader, "network", func(s scanner) (c crowd, err error) {
		err = s.Scan(&c.network, &c.count)
		return c, err
	}, `SELECT network, COUNT(*) FROM `+b.table+` GROUP BY network ORDER BY COUNT(*) DESC, network LIMIT 1`)
	if err != nil {
		return err
	}
	return tx.trimBegun(ctx, b, most.network, most.count-1)
}

// trimBegun leaves a network the newest sign-ins.
func (tx *Tx) trimBegun(ctx context.Context, b begun, network string, leave int) error {
	_, err := tx.exec(ctx, `
		DELETE FROM `+b.table+` WHERE `+b.key+` IN (
			SELECT `+b.key+` FROM `+b.table+` WHERE network = $1 ORDER BY expires_at DESC, `+b.key+` DESC LIMIT 1000 OFFSET $2 + 0)`, network, leave)
	return err
}
