package store

import (
	"context"

	"github.com/octavo-docs/octavo/internal/store/engine"
)

// begun is a table of sign-ins that are not complete yet, of people who are not known yet.
type begun struct{ table, key string }

var (
	oidcFlows         = begun{"oidc_flows", "hash"}
	samlLogins        = begun{"saml_logins", "id"}
	passkeyChallenges = begun{"passkey_challenges", "hash"}
)

// The maximum numbers of incomplete sign-ins. They are variables for tests.
var (
	maxBegunByNetwork = 500
	maxBegun          = 50_000
)

// makeRoom deletes expired sign-ins and makes room for a new one of a network. If the network has too
// many, its oldest ones are deleted. If there are too many in total, the oldest one of the network with
// the most is deleted, so that an attacker cannot displace the sign-ins of other networks.
func (tx peopleWrites) makeRoom(ctx context.Context, b begun, network string) error {
	if _, err := engine.Exec(ctx, tx, `DELETE FROM `+b.table+` WHERE expires_at < $1`, tx.Now()); err != nil {
		return err
	}
	if err := tx.trimBegun(ctx, b, network, maxBegunByNetwork-1); err != nil {
		return err
	}
	all, err := engine.One(ctx, tx, "count", engine.ScanInt, `SELECT COUNT(*) FROM `+b.table)
	if err != nil || all < int64(maxBegun) {
		return err
	}
	type crowd struct {
		network string
		count   int
	}
	most, err := engine.One(ctx, tx, "network", func(s engine.Scanner) (c crowd, err error) {
		err = s.Scan(&c.network, &c.count)
		return c, err
	}, `SELECT network, COUNT(*) FROM `+b.table+` GROUP BY network ORDER BY COUNT(*) DESC, network LIMIT 1`)
	if err != nil {
		return err
	}
	return tx.trimBegun(ctx, b, most.network, most.count-1)
}

// trimBegun deletes the sign-ins of a network except for the newest ones.
func (tx peopleWrites) trimBegun(ctx context.Context, b begun, network string, leave int) error {
	_, err := engine.Exec(ctx, tx, `
		DELETE FROM `+b.table+` WHERE `+b.key+` IN (
			SELECT `+b.key+` FROM `+b.table+` WHERE network = $1 ORDER BY expires_at DESC, `+b.key+` DESC LIMIT 1000 OFFSET $2 + 0)`, network, leave)
	return err
}
